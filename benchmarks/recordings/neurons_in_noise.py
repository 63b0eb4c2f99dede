"""P(neuron) in noise of one kind, on several recordings: how far it is off, and how far by chance alone.

    python -m benchmarks.recordings.neurons_in_noise [--development] [--families NAME ...] [--recordings 6]
        [--seconds 150] [--keep-others] [--cache DIR]

A recording in loud noise has few units (`coloured_noise.py`), too few to say whether their probabilities are
right. Here noise of a family is added to several recordings of 24 cells on 32 contacts, each with cells of
its own. The expected calibration error has five bins. Beside it stands the error of probabilities that are
right: each unit is a neuron with its P(neuron), drawn many times. A unit is a neuron if it is one or more
cells (`of_cells` of `unit_scores.py`).

Recordings of `--development` have seeds of their own: settings are chosen on them, and never on the others.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.kept import add_cache
from benchmarks.common.report import Origin, add_keep_others, begin, keep_rows, options, table, where
from benchmarks.recordings.coloured_noise import CELLS, LONG, NEURON_FROM, QUICK, row_of
from benchmarks.recordings.noise_families import FAMILIES
from benchmarks.recordings.unit_scores import BINS, calibration_error
from ncpgui.core.seeds import stream
from ncpgui.sorting.first_pass import PROPOSING_DRAWS

Row = dict[str, Any]
SECONDS = 150.0
SEED, DEVELOPMENT_SEED = 341, 241
"""Of the first recording; the others follow."""
N_CHANCES = 2000
MOST = 0.95
"""Part of the draws whose error is no larger than the one that is shown."""


def by_chance(probability: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.float64]:
    """Calibration errors (`N_CHANCES`,), in order, of units that are neurons as probably as said, (n,)."""
    drawn = rng.random((N_CHANCES, len(probability))) < probability
    return np.sort([calibration_error(probability, one, n_bins=BINS) for one in drawn])


def calibration(name: str, rows: Sequence[Row]) -> Row:
    """How far P(neuron) is off for the units of some recordings in noise of a name."""
    units = [unit for row in rows for unit in row["of units"]]
    p = np.array([unit["P(neuron)"] for unit in units])
    neuron = np.array([unit["of cells"] for unit in units], bool)
    chance = by_chance(p, stream(SEED, f"chance {name}"))
    return {
        "noise": name,
        "recordings": len(rows),
        "units": len(units),
        "mean P(neuron)": float(p.mean()) if units else "",
        "neurons": int(neuron.sum()),
        "no neurons": int((~neuron).sum()),
        "of them P(neuron) >= 0.5": int((p[~neuron] >= NEURON_FROM).sum()),
        "ECE": calibration_error(p, neuron, n_bins=BINS),
        "by chance, mean": float(chance.mean()),
        "by chance, 95 %": float(chance[round(MOST * N_CHANCES) - 1]),
    }


def page_of(rows: list[Row]) -> str:
    """Return the page: how far P(neuron) is off in each kind of noise, then the recordings."""
    names = dict.fromkeys(row["noise"] for row in rows)
    sums = [calibration(name, [row for row in rows if row["noise"] == name]) for name in names]
    hidden = {*LONG, "sorter"}
    shown = [{key: value for key, value in row.items() if key not in hidden} for row in rows]
    return f"""
# P(neuron) in one kind of noise

Units of several recordings with cells of their own in the same kind of noise. By chance: the calibration
error of probabilities that are right, of as many units with the same probabilities.

{table(sums)}

## Each recording

{table(shown)}
"""


def main() -> int:
    """Print the table and keep it."""
    parser = options(__doc__)
    add_cache(parser, "sorters", "recordings and sortings")
    parser.add_argument("--development", action="store_true", help="recordings that settings are chosen on")
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=["1/f, drifting"])
    parser.add_argument("--recordings", type=int, default=6, help="[6]")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"[{SECONDS:g}]")
    add_keep_others(parser)
    arguments = parser.parse_args()
    device = begin(arguments)
    seed = DEVELOPMENT_SEED if arguments.development else SEED
    truth, n = CELLS.lasting(arguments.seconds), arguments.recordings
    if arguments.quick:
        truth, n = QUICK, 1
    name = "neurons_in_noise_development" if arguments.development else "neurons_in_noise"
    origin = Origin(seed, PROPOSING_DRAWS, {"spikes": "spikes"})
    made: list[Row] = []
    how: dict[str, Any] = {"origin": origin, "place": where(device), "arguments": arguments}
    kept = partial(keep_rows, name, made, ("noise", "seed"), page_of, **how)
    for family in arguments.families:
        for number in range(n):
            seeded = truth.with_seed(seed + number)
            row = row_of(family, "ncpgui", seeded, arguments.cache, with_cells=True)
            made.append({"seed": seeded.seed, **row})
            print({key: value for key, value in made[-1].items() if key not in LONG[:2]}, flush=True)
            kept()
    print(kept())
    return 0


if __name__ == "__main__":
    sys.exit(main())
