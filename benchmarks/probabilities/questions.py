"""Are the questions few and right? What the queue asks, and what answers are worth.

    python -m benchmarks.probabilities.questions [--development] [--recordings NAME ...] [--cache DIR]

Recordings are those of `sorters.py`, and some with more cells, so that more units are wrong
(`sampled_recordings.KINDS`). Each is sorted and sampled once, and kept in the cache
(`sampled_recordings.py`), where `unit_probabilities.py` finds it too. The draws are then weighed in each of
the ways of that script, and the queue of the window is read.

A unit is *wrong* if it agrees with its best true cell by less than 0.8. It can be *told* if matching sorts
that cell where it is given its true spikes (`SampledRecording.told`), and *mended* if the spikes of the cell
that are in its component would agree by 0.8, sorted perfectly: then an answer can do it. A wrong unit is
*asked about* if its component is a question.

An oracle answers: of the alternatives it takes the one that leaves fewest *wrong assignments*. Those are the
spikes of true cells that are not in the unit of their cell, when each unit stands for at most one cell so
that most spikes are right; and spikes of no unit. It answers the queue's questions in order, components in
random order (the mean of many), and pairs of units in order of the similarity of their templates, as phy
shows them: each pair is merged or not.

*Planted merges* are units of two cells, put together before the posterior was sampled, in place of the
components that these units were in. They are asked about as a sorting shows them (one that is clear is shown
as two) and as they were planted, which is where the order of questions is worth something.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.probabilities.sampled_recordings import (
    RIGHT_FROM,
    SampledRecording,
    add_recordings,
    agreements,
    asked_recordings,
    cell_of_spike,
    sampled_recording,
    weighed,
    with_components,
)
from benchmarks.probabilities.unit_probabilities import FITTED, UNTOUCHED, WAYS
from ncpgui.app.model.workspace import Workspace
from ncpgui.core.component import Component
from ncpgui.core.project import Project
from ncpgui.sorting.config import SortingConfig

SHUFFLES = 200
AT = (0, 1, 2, 3, 5, 8, 12, 20, 30, 50)
"""Numbers of questions at which curves are shown."""
AS_PLANTED = "as they were planted"
STARTS = {"as they are shown": True, AS_PLANTED: False}
"""Sortings that are asked about where merges were planted, and whether the first alternatives are adopted."""


@dataclass(frozen=True)
class Asked:
    """What the queue asks of one recording.

    questions : components, in order; is_wrong, can_tell, can_mend, in_question : (K,) units of the sorting
    shown
    curves : wrong assignments after 0, 1, 2, ... questions, by order
    """

    questions: tuple[int, ...]
    n_components: int
    is_wrong: NDArray[np.bool_]
    can_tell: NDArray[np.bool_]
    can_mend: NDArray[np.bool_]
    in_question: NDArray[np.bool_]
    curves: dict[str, list[float]]

    def row(self) -> dict[str, Any]:
        """Return the figures of the queue."""
        told = self.is_wrong & self.can_tell
        return {
            "components": self.n_components,
            "questions": len(self.questions),
            "units": len(self.is_wrong),
            "wrong": int(self.is_wrong.sum()),
            "wrong and asked": int((self.is_wrong & self.in_question).sum()),
            "can be told": int(told.sum()),
            "told and asked": int((told & self.in_question).sum()),
            "can be mended": int((self.is_wrong & self.can_mend).sum()),
            "mended and asked": int((self.is_wrong & self.can_mend & self.in_question).sum()),
            "wrong assignments": round(self.curves["queue"][0]),
            "after the queue": round(self.curves["queue"][-1]),
        }


def asked_of(project: Project, recording: SampledRecording) -> Asked:
    """Read the queue of a project, and answer it."""
    workspace = Workspace()
    workspace.state.open(project)
    questions = tuple(
        one for one in workspace.questions.queue_order() if not workspace.questions.status(one).is_settled
    )
    names, unit = np.unique(project.unit_of_spike, return_inverse=True)
    unit = unit.reshape(-1) - int(names[0] < 0)
    best, agreement, _ = agreements(unit, recording.truth, recording.n_true)
    component = project.component_of_spike
    home = np.array([np.bincount(component[unit == k] + 1).argmax() - 1 for k in range(len(best))])
    can_mend = np.array(
        [
            recording.truth[component == home[k], best[k]].sum() >= RIGHT_FROM * recording.n_true[best[k]]
            for k in range(len(best))
        ]
    )
    cell = cell_of_spike(recording.truth, unit, best)
    return Asked(
        questions,
        len(project.components),
        agreement < RIGHT_FROM,
        recording.told[best],
        can_mend,
        np.isin(home, questions),
        {
            "queue": answered(questions, project.components, unit, cell),
            "random": answered_at_random(project.components, unit, cell),
            "similarity": answered_by_similarity(recording, unit, cell),
        },
    )


def wrong_assignments(unit: NDArray[np.integer], cell: NDArray[np.integer]) -> int:
    """Count the spikes of cells that are not in the unit of their cell; unit, cell : (n,), -1 = none."""
    known = (unit >= 0) & (cell >= 0)
    shape = int(unit.max(initial=-1)) + 1, int(cell.max(initial=-1)) + 1
    counts = np.bincount(unit[known] * shape[1] + cell[known], minlength=shape[0] * shape[1]).reshape(shape)
    right = counts[linear_sum_assignment(counts, maximize=True)].sum()
    return int((cell >= 0).sum() - right)


def answered(
    questions: Sequence[int],
    components: Sequence[Component],
    unit: NDArray[np.int64],
    cell: NDArray[np.int64],
) -> list[float]:
    """Return the wrong assignments left after each answer, those before first."""
    by_id = {component.id: component for component in components}
    now = unit.copy()
    curve = [float(wrong_assignments(now, cell))]
    for one in questions:
        now = best_answer(by_id[one], now, partial(wrong_assignments, cell=cell))
        curve.append(float(wrong_assignments(now, cell)))
    return curve


def best_answer(
    component: Component, unit: NDArray[np.int64], wrong_in: Callable[[NDArray[np.int64]], int]
) -> NDArray[np.int64]:
    """Return the units after the best answer to one question: see `best_alternative`."""
    return best_alternative(component, unit, wrong_in)[1]


def best_alternative(
    component: Component, unit: NDArray[np.int64], wrong_in: Callable[[NDArray[np.int64]], int]
) -> tuple[int | None, NDArray[np.int64]]:
    """Return number and units of the alternative that leaves fewest wrong; None and `unit` where none does.

    wrong_in : how many wrong assignments units (n,) have
    """
    ids, free = component.spike_ids, int(unit.max(initial=-1)) + 1
    best, fewest = (None, unit), wrong_in(unit)
    for number, way in enumerate(component.alternatives):
        other = unit.copy()
        other[ids] = np.where(way.labels < 0, -1, way.labels + free)
        wrong = wrong_in(other)
        if wrong < fewest:
            best, fewest = (number, other), wrong
    return best


def answered_at_random(
    components: Sequence[Component], unit: NDArray[np.int64], cell: NDArray[np.int64]
) -> list[float]:
    """Return the mean of curves of all components in random order."""
    wrong_in = partial(wrong_assignments, cell=cell)
    start = wrong_in(unit)
    gain = [start - wrong_in(best_answer(one, unit, wrong_in)) for one in components]
    rng = np.random.default_rng(0)
    orders = [np.cumsum(rng.permutation(gain)) for _ in range(SHUFFLES)]
    return [float(start), *(start - np.mean(orders, axis=0)).tolist()]


def answered_by_similarity(
    recording: SampledRecording, unit: NDArray[np.int64], cell: NDArray[np.int64]
) -> list[float]:
    """Return the curve of pairs of units that are merged or not, the most similar templates first."""
    like = recording.whole.units.matched.like.relative
    found = [np.bincount(recording.parts[unit == k]).argmax() for k in range(int(unit.max()) + 1)]
    pairs = [
        (float(like[found[first], found[second]]), first, second)
        for first in range(len(found))
        for second in range(first + 1, len(found))
    ]
    now, curve = unit.copy(), [float(wrong_assignments(unit, cell))]
    for _, first, second in sorted(pairs)[: AT[-1]]:
        merged = np.where(now == second, first, now)
        if wrong_assignments(merged, cell) < curve[-1]:
            now = merged
        curve.append(float(wrong_assignments(now, cell)))
    return curve


def with_planted(
    recording: SampledRecording, whole: Sequence[Component], planted: Sequence[Component], *, adopt: bool
) -> Project:
    """Return the project with the planted merges in place of the components of their units.

    adopt : whether each component is shown as its first alternative, or units as they are in `planted.units`
    """
    unit, before = recording.planted.units.unit, recording.parts
    gone = np.unique(before[np.isin(unit, unit[before != unit])])
    kept = [component for component in whole if not np.isin(before[component.spike_ids], gone).any()]
    free = 1 + max((one.id for one in kept), default=0)
    components = [*kept, *(replace(one, id=free + k) for k, one in enumerate(planted))]
    _, dense = np.unique(unit, return_inverse=True)
    project = replace(
        recording.project,
        unit_of_spike=dense.reshape(-1).astype(np.int64),
        components=tuple(components),
        waiting=(),
    )
    return with_components(project, components) if adopt else project


def sum_row(way: str, sets: dict[str, Asked]) -> dict[str, Any]:
    """Return the figures of all recordings together."""
    rows = [one.row() for one in sets.values()]
    return {"draws": way, **{key: sum(row[key] for row in rows) for key in rows[0]}}


def verdict(row: dict[str, Any]) -> str:
    """Say whether questions are few and right, and on how many units that stands."""
    told, asked, wrong = row["can be told"], row["told and asked"], row["wrong"]
    return (
        f"The queue asks {row['questions']} questions; {wrong} of {row['units']} units are wrong "
        f"({row['wrong and asked']} of them asked about).\nOf the {told} wrong units that the traces can "
        f"tell {asked} are in a question ({100 * asked / max(told, 1):.0f} %).\nMeant are at most two "
        "questions for each wrong unit, and at least 80 %."
    )


def curve_rows(sets: dict[str, Asked]) -> list[dict[str, Any]]:
    """Return wrong assignments of all recordings together after so many questions of each."""

    def at(curve: list[float], n: int) -> float:
        return curve[min(n, len(curve) - 1)]

    return [
        {"questions a recording": n}
        | {
            order: round(sum(at(one.curves[order], n) for one in sets.values()))
            for order in ("queue", "random", "similarity")
        }
        for n in AT
    ]


def main() -> None:
    """Sort, ask, answer, and print."""
    parser = options(__doc__)
    add_recordings(parser)
    arguments = parser.parse_args()
    device = begin(arguments)
    chosen = asked_recordings(arguments)
    asked: dict[str, dict[str, Asked]] = {way: {} for way in WAYS}
    planted: dict[str, dict[str, dict[str, Asked]]] = {start: {way: {} for way in WAYS} for start in STARTS}
    for name, truth in chosen.items():
        recording = sampled_recording(name, truth, arguments.cache, by_any_source=arguments.development)
        for way, config in WAYS.items():
            whole, merges = (
                weighed(part, recording.project.model, config)
                for part in (recording.whole, recording.planted)
            )
            project = with_components(recording.project, whole)
            asked[way][name] = asked_of(project, recording)
            for start, adopt in STARTS.items():
                merged = with_planted(recording, whole, merges, adopt=adopt)
                planted[start][way][name] = asked_of(merged, recording)
        print(name, *(f"{way}: {len(asked[way][name].questions)} questions" for way in WAYS), flush=True)
    first = next(iter(WAYS))
    parts = {
        "Questions": [sum_row(way, sets) for way, sets in asked.items()],
        "By recording": [
            {"draws": way, "recording": name} | one.row()
            for way, sets in asked.items()
            for name, one in sets.items()
        ],
        **{
            f"Planted merges, {start}": [sum_row(way, sets) for way, sets in ways.items()]
            for start, ways in planted.items()
        },
        "Wrong assignments left": curve_rows(asked[first]),
        "Wrong assignments left, of planted merges as planted": curve_rows(planted[AS_PLANTED][first]),
    }
    sums = parts["Questions"][0]
    text = "\n\n".join(f"## {head}\n\n{table(rows)}" for head, rows in parts.items())
    print(text)
    seeds = ", ".join(f"{name} {truth.seed}" for name, truth in chosen.items())
    page = f"""
# Are the questions few and right?

{len(chosen)} recordings with known units (with their seeds: {seeds}).
{FITTED if arguments.development else UNTOUCHED} A unit is wrong if it agrees with its
best cell by less than {RIGHT_FROM:g}. It can be told if matching sorts that cell where it is given its true
spikes, mended if the spikes of that cell in its component would agree by {RIGHT_FROM:g}; it is asked about if
the component is a question. Wrong assignments left: an oracle answers the queue (draws weighed by {first}),
all components in random order, and pairs of units in order of similarity.

{verdict(sums)}

{text}

{where(device)}
"""
    origin = Origin(
        min(one.seed for one in chosen.values()), SortingConfig().posterior_samples, {"spikes": "spikes"}
    )
    name = "questions_development" if arguments.development else "questions"
    keep(name, {"tables": parts}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
