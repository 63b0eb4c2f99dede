"""Units found on four kinds of probes in coloured noise, and the same cells in white noise that is as loud.

    python -m benchmarks.recordings.coloured_probes [--probes NAME ...] [--noises coloured|white ...]
        [--sorters NAME ...] [--seconds 120] [--keep-others] [--cache DIR]

Cells of SpikeInterface's generator (`ground_truth.py`) around a hexagonal, a linear, a three-column probe and
a tetrode. Noise with a peak at 300 Hz, or with a spectrum that was measured in tissue on such a probe, is
added to the white noise that the generator makes: a floor. In the recording beside it the added noise is
white. Both kinds have the same sd behind the band-pass that sortings have by default, so that the same spikes
have the same size in noise sd. Each recording is sorted with default settings, in a process of its own on one
core. The columns are those of `coloured_noise.py`; nothing here ever chose a setting.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.recordings.colour_pairs import NOISES, pair_options, run_pairs, tables
from benchmarks.recordings.coloured_noise import recorded, sorted_row
from benchmarks.recordings.ground_truth import GroundTruth
from benchmarks.recordings.noise_families import FAMILIES, PEAK_300_HZ, Family, as_loud, flat
from benchmarks.recordings.peers import parsed

SECONDS, RATE_HZ = 120.0, 20_000.0
MEASURED_UV = 8.0
"""Sd of noise with a measured spectrum."""


@dataclass(frozen=True)
class Pair:
    """Cells, and the coloured noise that is added to their recording; its white counterpart follows."""

    truth: GroundTruth
    name: str
    family: Family

    def added(self, *, coloured: bool) -> tuple[str, Family]:
        """Name and family of the noise of one of the two recordings."""
        if coloured:
            return self.name, self.family
        return f"{self.name}, white", as_loud(self.family, flat, self.truth.sampling_frequency_hz)


def _of_tissue(name: str) -> tuple[str, Family]:
    return f"{name}, {MEASURED_UV:g} uV", replace(FAMILIES[name], sd_uv=MEASURED_UV)


PEAK = ("peak 300 Hz", PEAK_300_HZ)
RECORDINGS = {
    "hex25": Pair(GroundTruth("hex25", RATE_HZ, 20, SECONDS, seed=361), *PEAK),
    "linear32": Pair(GroundTruth("linear32", RATE_HZ, 24, SECONDS, seed=362), *PEAK),
    "poly32": Pair(GroundTruth("poly32", RATE_HZ, 24, SECONDS, seed=363), *PEAK),
    "tetrode": Pair(GroundTruth("tetrode", RATE_HZ, 8, SECONDS, seed=364), *PEAK),
    "hex25, as in retina": Pair(
        GroundTruth("hex25", RATE_HZ, 20, SECONDS, seed=365), *_of_tissue("retina array")
    ),
    "tetrode, as in locust": Pair(
        GroundTruth("tetrode", RATE_HZ, 8, SECONDS, seed=366), *_of_tissue("locust tetrode")
    ),
}
QUICK = {"tetrode": Pair(GroundTruth("tetrode", RATE_HZ, 3, 15.0, seed=360), *PEAK)}


def row_of(probe: str, noise: str, sorter: str, pair: Pair, cache: Path) -> dict[str, Any]:
    """Sort a recording: a row of the table, and its units one by one."""
    name, family = pair.added(coloured=NOISES[noise])
    recording, cells = recorded(name, pair.truth, cache, with_cells=True, family=family)
    return {"probe": probe, **sorted_row(noise, sorter, recording, cells, cache)}


def page_of(rows: list[dict[str, Any]]) -> str:
    """Return the page: sums, then the table."""
    return f"""
# Units on several probes in coloured and in white noise

Cells of SpikeInterface's generator, in coloured noise (a peak at 300 Hz, or a spectrum that was measured in
tissue) and in white noise of the same sd in the band that sortings use. {tables(rows)}"""


def main() -> int:
    """Print the table and keep it."""
    arguments = parsed(pair_options(__doc__, RECORDINGS, SECONDS))
    chosen = QUICK
    if not arguments.quick:
        chosen = {
            name: replace(RECORDINGS[name], truth=RECORDINGS[name].truth.lasting(arguments.seconds))
            for name in arguments.probes
        }
    run_pairs(
        "coloured_probes",
        chosen,
        lambda probe, noise, sorter: row_of(probe, noise, sorter, chosen[probe], arguments.cache),
        page_of,
        arguments,
        seed=min(one.truth.seed for one in chosen.values()),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
