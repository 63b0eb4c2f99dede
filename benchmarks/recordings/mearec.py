"""Units found in recordings of MEArec, another generator, in coloured and white noise, by ours and others.

    python -m benchmarks.recordings.mearec [--probes NAME ...] [--sorters NAME ...] [--seconds 240]
        [--keep-others] [--cache DIR]

Cells simulated compartment by compartment around a hexagonal, a linear, a three-column probe and a tetrode
(`mearec_recordings.py`; `scripts/set_up_peers.sh mearec` makes the environment it needs). The cells and their
spikes are the same in both kinds of noise. Each recording is sorted with default settings, in a process of
its own on one core. The columns are those of `coloured_noise.py`; nothing here ever chose a setting.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common.report import Origin, add_keep_others, begin, keep_rows, options, table, where
from benchmarks.recordings.coloured_noise import LONG, sorted_row
from benchmarks.recordings.mearec_recordings import MearecTruth, mearec_recording
from benchmarks.recordings.peers import add_sorters, how_to_set_up, parsed, without_environment
from ncpgui.sorting.first_pass import PROPOSING_DRAWS

SECONDS = 240.0
RECORDINGS = {
    "hex25": MearecTruth("hex25", 16, SECONDS, seed=7201),
    "linear32": MearecTruth("linear32", 20, SECONDS, seed=7202),
    "poly32": MearecTruth("poly32", 20, SECONDS, seed=7203),
    "tetrode": MearecTruth("tetrode", 6, SECONDS, seed=7204),
}
QUICK = {"tetrode": MearecTruth("tetrode", 3, 15.0, seed=7200)}
NOISES = {"coloured": True, "white": False}


def row_of(probe: str, noise: str, sorter: str, truth: MearecTruth, cache: Path) -> dict[str, Any]:
    """Sort a recording: a row of the table, and its units one by one."""
    recording, cells = mearec_recording(replace(truth, coloured=NOISES[noise]), cache)
    return {"probe": probe, **sorted_row(noise, sorter, recording, cells, cache)}


def sums(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sums of each sorter in each kind of noise."""
    likely = ("false, P(neuron) >= 0.5", "extra, P(neuron) >= 0.5")
    totals = ("cells", "found", "units", "false", *likely, "CPU s")
    some: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        some.setdefault((row["sorter"], row["noise"]), []).append(row)
    return [
        {
            "sorter": sorter,
            "noise": noise,
            "recordings": len(of_both),
            **{key: sum(row[key] for row in of_both) for key in totals},
        }
        for (sorter, noise), of_both in some.items()
    ]


def page_of(rows: list[dict[str, Any]]) -> str:
    """Return the page: sums, then the table."""
    shown = [{key: value for key, value in row.items() if key not in LONG} for row in rows]
    return f"""
# Units in recordings of MEArec

Cells of a generator that nothing was ever chosen by, in coloured noise with a peak at 300 Hz and in white
noise of the same sd. Found: true cells that a unit agrees with by 0.8. False: units that are no cell's.
Extra: units of cells that are no true cell's match. Other sorters say no P(neuron): none of their units
counts there.

{table(sums(rows))}

## Each recording

{table(shown)}
"""


def main() -> int:
    """Print the table and keep it."""
    parser = options(__doc__)
    add_sorters(parser)
    parser.add_argument("--probes", nargs="+", choices=RECORDINGS, default=list(RECORDINGS))
    parser.add_argument("--noises", nargs="+", choices=NOISES, default=list(NOISES))
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"[{SECONDS:g}]")
    add_keep_others(parser)
    arguments = parsed(parser)
    if without_environment(["mearec"]):
        parser.error(how_to_set_up(["mearec"]))
    device = begin(arguments)
    chosen = QUICK
    if not arguments.quick:
        chosen = {name: replace(RECORDINGS[name], duration_s=arguments.seconds) for name in arguments.probes}
    origin = Origin(min(one.seed for one in chosen.values()), PROPOSING_DRAWS, {"spikes": "spikes"})
    made: list[dict[str, Any]] = []
    how: dict[str, Any] = {"origin": origin, "place": where(device), "arguments": arguments}
    kept = partial(keep_rows, "mearec", made, ("probe", "noise", "sorter"), page_of, **how)
    for probe, truth in chosen.items():
        for noise in arguments.noises:
            for sorter in arguments.sorters:
                made.append(row_of(probe, noise, sorter, truth, arguments.cache))
                print({key: value for key, value in made[-1].items() if key not in LONG[:2]}, flush=True)
                kept()
    print(kept())
    return 0


if __name__ == "__main__":
    sys.exit(main())
