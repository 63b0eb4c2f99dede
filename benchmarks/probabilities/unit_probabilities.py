"""Do the probabilities of units come true: pure, complete, a neuron, each spike, and the expected errors?

    python -m benchmarks.probabilities.unit_probabilities [--development] [--recordings NAME ...]
        [--cache DIR]

Recordings with known units on which nothing was fitted are sorted once (`sampled_recordings.py`); the
posterior is then weighed by all spikes and their times, by times alone, and not at all, and the sorting
shown first is scored. The true cell of a unit is the one with which its spikes agree best (within 0.4 ms).
The unit is pure if nine in ten of its spikes are that cell's, complete if it has nine in ten of the cell's
spikes that any unit has found, and a neuron as in `neuron_probability.py`; a spike is right if it is the
cell's. False positives and misses are shares of the same spikes. A unit is right if it agrees with its cell
by 0.8, spikes that no unit has found counted. All but P(neuron) and P(right) is of the units that are
neurons: a unit of noise is not pure, and P(neuron) says so. ECE: expected calibration error in ten bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import BaseSorting

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.probabilities.neuron_probability import are_neurons, reliability, shares
from benchmarks.probabilities.sampled_recordings import (
    RIGHT_FROM,
    add_recordings,
    agreements,
    asked_recordings,
    cell_of_spike,
    sampled_recording,
    spikes_of_cells,
    weighed_project,
)
from benchmarks.recordings.ground_truth import made
from benchmarks.recordings.unit_scores import calibration_error
from ncpgui.core.project import Project
from ncpgui.evidence.unit_accuracy import right_units
from ncpgui.evidence.units import project_numbers
from ncpgui.sorting.config import SortingConfig

WAYS = {
    "all spikes and times": SortingConfig(),
    "firing times": SortingConfig(heaps=False),
    "network alone": SortingConfig(heaps=False, firing_times=False),
}
"""What weighs the draws."""
FITTED = "Settings were chosen on these recordings."
UNTOUCHED = "Nothing was fitted on these recordings, and no setting chosen."
GOOD_SHARE = 0.9
NEURON, WHOLE = "neuron", "right"
SAID = {
    NEURON: "p_neuron",
    WHOLE: "p_right",
    "pure": "p_pure",
    "complete": "p_complete",
    "pure and complete": "p_exists",
}
OF_ALL_UNITS = (NEURON, WHOLE)
SHARES = ("false_positives", "misses")


@dataclass(frozen=True)
class Scored:
    """What is said of units, and what is true of them.

    said, true : by question, of all units (`OF_ALL_UNITS`), else of the K that are neurons
    p_spike, right : (n,) of the spikes of these
    expected, actual : (K, 2) shares of false positives and of misses
    """

    said: dict[str, NDArray[np.float64]]
    true: dict[str, NDArray[np.bool_]]
    p_spike: NDArray[np.float64]
    right: NDArray[np.bool_]
    expected: NDArray[np.float64]
    actual: NDArray[np.float64]


def scored(project: Project, truth: BaseSorting) -> Scored:
    """Score the units of a project that were sampled."""
    everything, unit_of_spike = project.spikes.sample_index, project.unit_of_spike
    numbers = project_numbers(project, unit_of_spike, project.probability)
    known = numbers.units.take(~np.isnan(numbers.units["p_pure"]))
    units = known.ids.tolist()
    own, _ = shares(_Trains(everything, unit_of_spike), truth)
    is_neuron = are_neurons(own)[units]
    of_cell, n_true = spikes_of_cells(everything, truth)
    best, agreement, _ = agreements(unit_of_spike, of_cell, n_true)
    cell = cell_of_spike(of_cell, unit_of_spike, best)
    neurons = [unit for unit, one in zip(units, is_neuron, strict=True) if one]
    precision, recall = np.zeros((2, len(neurons)))
    p_spike, right = [], []
    for row, unit in enumerate(neurons):
        hit = cell[unit_of_spike == unit] == best[unit]
        precision[row], recall[row] = hit.mean(), hit.sum() / max((cell == best[unit]).sum(), 1)
        p_spike.append(numbers.probability[unit_of_spike == unit])
        right.append(hit)
    pure, complete = precision >= GOOD_SHARE, recall >= GOOD_SHARE
    said = {name: known.of(neurons)[key] for name, key in SAID.items() if name not in OF_ALL_UNITS}
    said[NEURON] = known["p_neuron"]
    said[WHOLE] = p_right_of_units(project)[units]
    is_right = agreement[units] >= RIGHT_FROM
    return Scored(
        said,
        dict(zip(SAID, (is_neuron, is_right, pure, complete, pure & complete), strict=True)),
        np.concatenate(p_spike).astype(np.float64),
        np.concatenate(right),
        np.column_stack([known.of(neurons)[name] for name in SHARES]),
        np.column_stack([1 - precision, 1 - recall]),
    )


def p_right_of_units(project: Project) -> NDArray[np.float64]:
    """P(right) of each unit, in the component that has most of it: (K,), nan where nothing is known."""
    units = project.unit_of_spike
    n_units = int(units.max(initial=-1)) + 1
    result, n_there = np.full(n_units, np.nan), np.zeros(n_units, dtype=np.int64)
    assert project.p_neuron is not None
    assert project.lost is not None
    for component in project.components:
        ids = component.spike_ids
        names, labels = np.unique(units[ids], return_inverse=True)
        n_none = int(np.count_nonzero(names < 0))
        found = right_units(component, labels.reshape(-1) - n_none, project.p_neuron[ids], project.lost[ids])
        names = names[n_none:]
        more = found.n_spikes > n_there[names]
        result[names[more]], n_there[names[more]] = found.p_right[more], found.n_spikes[more]
    return result


@dataclass(frozen=True)
class _Trains:
    """What `shares` asks of matched units."""

    sample_index: NDArray[np.int64]
    unit: NDArray[np.int64]

    @property
    def n_units(self) -> int:
        return int(self.unit.max(initial=-1)) + 1


def promises(sets: list[Scored]) -> dict[str, tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """What was promised of all units, and of their spikes, and what came true."""
    found = {
        name: tuple(np.concatenate([getattr(one, key)[name] for one in sets]) for key in ("said", "true"))
        for name in SAID
    }
    found["spike"] = tuple(
        np.concatenate([getattr(one, key) for one in sets]) for key in ("p_spike", "right")
    )
    return {name: (said, true) for name, (said, true) in found.items()}


def rows_of(way: str, sets: list[Scored]) -> list[dict[str, Any]]:
    """Rows of the table, for one way of weighing."""
    rows = [
        {
            "draws": way,
            "P of": name,
            "how many": len(said),
            "mean P": float(said.mean()),
            "true": float(true.mean()),
            "ECE": calibration_error(said, true, n_bins=10),
        }
        for name, (said, true) in promises(sets).items()
    ]
    expected, actual = (
        np.concatenate([getattr(one, name) for one in sets]) for name in ("expected", "actual")
    )
    return rows + [
        {
            "draws": way,
            "P of": f"{name}, share",
            "how many": len(expected),
            "mean P": float(expected[:, column].mean()),
            "true": float(actual[:, column].mean()),
            "ECE": _apart(expected[:, column], actual[:, column]),
        }
        for column, name in enumerate(("false positives", "misses"))
    ]


def summary(parts: dict[str, list[Scored]]) -> tuple[dict[str, Any], str]:
    """Figures to keep, and the middle of the page; `parts` are of each way of weighing, by recording."""
    kept = {way: rows_of(way, sets) for way, sets in parts.items()}
    text = "".join(
        f"\n## {name}, {way}\n\n{table(reliability(said, true))}\n"
        for way, sets in parts.items()
        for name, (said, true) in promises(sets).items()
    )
    return kept, f"{table([row for rows in kept.values() for row in rows])}\n{text}"


def _apart(expected: NDArray[np.float64], actual: NDArray[np.float64]) -> float:
    """Distance of expected from true shares as of probabilities: units binned by what is expected."""
    bins = np.digitize(expected, [0.02, 0.05, 0.1, 0.2, 0.5])
    return float(
        sum(
            (bins == b).mean() * abs(expected[bins == b].mean() - actual[bins == b].mean())
            for b in np.unique(bins)
        )
    )


def main() -> None:
    """Sort, score, and print what comes true."""
    parser = options(__doc__)
    add_recordings(parser)
    arguments = parser.parse_args()
    device = begin(arguments)
    chosen = asked_recordings(arguments)
    parts: dict[str, list[Scored]] = {way: [] for way in WAYS}
    for name, wanted in chosen.items():
        recording = sampled_recording(name, wanted, arguments.cache, by_any_source=arguments.development)
        _, truth = made(wanted, arguments.cache)
        for way, config in WAYS.items():
            parts[way].append(scored(weighed_project(recording, config), truth))
        print(name, *(f"{way}: {len(sets[-1].expected)} units" for way, sets in parts.items()), flush=True)
    kept, text = summary(parts)
    print(text)
    seeds = ", ".join(f"{name} {truth.seed}" for name, truth in chosen.items())
    page = f"""
# Do the probabilities of units come true?

Recordings with known units (with their seeds: {seeds}), sorted once, with the draws weighed by all
spikes and their times, by times alone, and not at all. {FITTED if arguments.development else UNTOUCHED}
Pure, complete: at least {GOOD_SHARE:g} of the unit's spikes are of its best cell, at least {GOOD_SHARE:g}
of that cell's spikes that were found are in the unit. Right: the unit agrees with its cell by
{RIGHT_FROM:g}, spikes that were not found counted.
Rows of shares have means in place of probabilities.

{text}

{where(device)}
"""
    first = min(truth.seed for truth in chosen.values())
    origin = Origin(first, SortingConfig().posterior_samples, {"spikes": "spikes"})
    name = "unit_probabilities_development" if arguments.development else "unit_probabilities"
    keep(name, {"ways": kept}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
