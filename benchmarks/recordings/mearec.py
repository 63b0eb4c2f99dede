"""Units found in recordings of MEArec, another generator, in coloured and white noise, by ours and others.

    python -m benchmarks.recordings.mearec [--probes NAME ...] [--noises coloured|white ...]
        [--sorters NAME ...] [--seconds 240] [--keep-others] [--cache DIR]

Cells simulated compartment by compartment around a hexagonal, a linear, a three-column probe and a tetrode
(`mearec_recordings.py`; `scripts/set_up_peers.sh mearec` makes the environment it needs). The cells and their
spikes are the same in both kinds of noise. Each recording is sorted with default settings, in a process of
its own on one core. The columns are those of `coloured_noise.py`; nothing here ever chose a setting.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.recordings.colour_pairs import NOISES, pair_options, run_pairs, tables
from benchmarks.recordings.coloured_noise import sorted_row
from benchmarks.recordings.mearec_recordings import MearecTruth, mearec_recording
from benchmarks.recordings.peers import how_to_set_up, parsed, without_environment

SECONDS = 240.0
RECORDINGS = {
    "hex25": MearecTruth("hex25", 16, SECONDS, seed=7201),
    "linear32": MearecTruth("linear32", 20, SECONDS, seed=7202),
    "poly32": MearecTruth("poly32", 20, SECONDS, seed=7203),
    "tetrode": MearecTruth("tetrode", 6, SECONDS, seed=7204),
}
QUICK = {"tetrode": MearecTruth("tetrode", 3, 15.0, seed=7200)}


def row_of(probe: str, noise: str, sorter: str, truth: MearecTruth, cache: Path) -> dict[str, Any]:
    """Sort a recording: a row of the table, and its units one by one."""
    recording, cells = mearec_recording(replace(truth, coloured=NOISES[noise]), cache)
    return {"probe": probe, **sorted_row(noise, sorter, recording, cells, cache)}


def page_of(rows: list[dict[str, Any]]) -> str:
    """Return the page: sums, then the table."""
    return f"""
# Units in recordings of MEArec

Cells of a generator that nothing was ever chosen by, in coloured noise with a peak at 300 Hz and in white
noise of the same sd. {tables(rows)}"""


def main() -> int:
    """Print the table and keep it."""
    parser = pair_options(__doc__, RECORDINGS, SECONDS)
    arguments = parsed(parser)
    if without_environment(["mearec"]):
        parser.error(how_to_set_up(["mearec"]))
    chosen = QUICK
    if not arguments.quick:
        chosen = {name: replace(RECORDINGS[name], duration_s=arguments.seconds) for name in arguments.probes}
    seed = min(one.seed for one in chosen.values())
    run_pairs(
        "mearec",
        chosen,
        lambda probe, noise, sorter: row_of(probe, noise, sorter, chosen[probe], arguments.cache),
        page_of,
        arguments,
        seed=seed,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
