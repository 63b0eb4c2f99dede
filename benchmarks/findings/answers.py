"""How many answers does a finding need? Questions in order of the queue, and by what they do to the finding.

    python -m benchmarks.findings.answers [--recordings 20] [--seed 7500 7600] [--draws 50] [--cache FOLDER]

Recordings are those of `coverage.py`. An oracle answers one question after the other: of the alternatives of
a component it takes the one that leaves fewest wrong assignments (`probabilities.questions`). After each
answer the finding is computed on the sorting as it is then. Its error is how far it is, for each true cell,
from the same finding of the true spikes of the cell, in standard errors of these (bootstrap): the root of the
mean square over cells, each at most `FAR`. A cell goes with the unit that agrees with it most.

What all answers together take away of the error is *in reach*. Counted is how many answers take away half of
it: in the order of the queue; by effect on all units (`findings.effects.questions_by_effect`), and for each
cell by itself by effect on the finding of its unit.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import NumpySorting

from benchmarks.common.report import Origin, begin, keep, options, table
from benchmarks.findings.coverage import QUANTITY_OF, analyses
from benchmarks.findings.known_findings import KnownFindings, add_recordings, chosen_recordings
from benchmarks.probabilities.questions import best_answer, wrong_assignments
from benchmarks.probabilities.sampled_recordings import agreements, cell_of_spike, spikes_of_cells
from ncpgui.app.model.workspace import Workspace
from ncpgui.core.component import Component
from ncpgui.core.seeds import stream
from ncpgui.engine import default_model
from ncpgui.findings.draws import draws
from ncpgui.findings.effects import effects
from ncpgui.findings.finding import bootstrapped
from ncpgui.findings.propagate import Train, TrainAnalysis, propagate
from ncpgui.findings.recorded import Recorded

Floats = NDArray[np.float64]
BOOTSTRAPS = 40
FAR = 10.0
"""Standard errors that count where a finding is further off, or is none."""
LEAST_ERROR = 0.5
"""Errors in reach of fewer standard errors are not counted: nothing is to be gained."""


@dataclass(frozen=True, eq=False)
class Answered:
    """Errors of one result, for each true cell, as answers come in.

    by_answers : answers, a frozenset of components -> (n_cells,) error in standard errors
    """

    errors: Callable[[frozenset[int]], Floats]

    def curve(self, order: Sequence[int]) -> Floats:
        """(1 + n answers, n_cells) errors, those before any answer first."""
        return np.array([self.errors(frozenset(order[:n])) for n in range(len(order) + 1)])


def rows_of(known: KnownFindings, *, n_draws: int) -> list[dict[str, Any]]:
    """One row for each result whose error answers can lessen: of all cells together, and of single cells."""
    made = draws(known.session, n_draws, seed=known.seed)
    project = made.posterior.project
    names, unit = np.unique(project.unit_of_spike, return_inverse=True)
    unit = unit.reshape(-1) - int(names[0] < 0)
    units = names[names >= 0]
    trains = [known.truth.spike_train(k) for k in range(len(known.plan.cells["unit_id"]))]
    truth = NumpySorting.from_unit_dict([dict(enumerate(trains))], known.truth.sampling_frequency_hz)
    hits, n_true = spikes_of_cells(project.spikes.sample_index, truth)
    best, _, _ = agreements(unit, hits, n_true)
    cell = cell_of_spike(hits, unit, best)
    workspace = Workspace()
    workspace.state.open(project)
    queue = [
        one for one in workspace.questions.queue_order() if not workspace.questions.status(one).is_settled
    ]
    by_id = {component.id: component for component in project.components}
    rows = []
    for analysis in analyses(known):
        given = analysis.of_train(_train(trains[0], project))
        results = [name for name in QUANTITY_OF if name in given]
        found = propagate(made, analysis, bootstraps=BOOTSTRAPS)
        of_truth = [
            _with_errors(analysis, results, _train(train, project), stream(known.seed, k))
            for k, train in enumerate(trains)
        ]
        for name in results:
            answered = _answered(by_id, unit, cell, hits, n_true, analysis, name, of_truth, project)
            of_finding = effects(made, found, names=[name])
            by_effect = _order([(one.component, one.share) for one in of_finding], queue)
            curve = {"queue": answered.curve(queue), "effect": answered.curve(by_effect)}
            before, after = _rms(curve["queue"][0]), _rms(curve["queue"][-1])
            if before - after > 0.1:
                rows.append(
                    {
                        "recording": known.name, "finding": QUANTITY_OF[name], "name": name, "of": "all",
                        "before": before, "after": after, "questions": len(queue),
                        **{how: _halved([_rms(row) for row in one]) for how, one in curve.items()},
                    }
                )  # fmt: skip
            for k in range(len(n_true)):
                reach = curve["queue"][0][k] - curve["queue"][-1][k]
                if reach <= LEAST_ERROR:
                    continue
                of_unit = int(units[_unit_of(unit, hits, n_true, k)])
                own = [(one.component, one.share) for one in of_finding if one.of == of_unit]
                alone = answered.curve(_order(own, queue))[:, k]
                rows.append(
                    {
                        "recording": known.name, "finding": QUANTITY_OF[name], "name": name, "of": k,
                        "before": float(curve["queue"][0][k]), "after": float(curve["queue"][-1][k]),
                        "questions": len(queue),
                        "queue": _halved(curve["queue"][:, k].tolist()), "effect": _halved(alone.tolist()),
                    }
                )  # fmt: skip
    return rows


def _order(shares: Sequence[tuple[int, float]], queue: Sequence[int]) -> list[int]:
    """Questions by the sum of their effects, those without one after them as in the queue."""
    total = dict.fromkeys(queue, 0.0)
    for component, share in shares:
        if component in total:
            total[component] += share
    return sorted(queue, key=lambda one: (-total[one], queue.index(one)))


def _halved(errors: Sequence[float]) -> int:
    """Answers until half of the error that all of them take away is gone."""
    goal = (errors[0] + errors[-1]) / 2
    return next(n for n, error in enumerate(errors) if error <= goal)


def _rms(errors: Floats) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _train(samples: NDArray[np.integer], project: Any) -> Train:
    clock, n_samples = project.recording.clock, project.spikes.n_samples
    return Train(np.asarray(samples, np.int64), Recorded(clock, n_samples))


def _with_errors(
    analysis: TrainAnalysis, results: Sequence[str], train: Train, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Each result of the true spikes of a cell, and its standard error."""
    value = analysis.of_train(train)
    again = [analysis.resampled_train(train, rng) for _ in range(BOOTSTRAPS)]
    return {
        name: (
            float(value[name]),
            float(np.sqrt(bootstrapped([one[name] for one in again], analysis.periods.get(name)))),
        )
        for name in results
    }


def _unit_of(unit: NDArray[np.int64], hits: NDArray[np.bool_], n_true: NDArray[np.int64], cell: int) -> int:
    """The unit that agrees with a cell most."""
    size = np.bincount(unit[unit >= 0])
    common = np.bincount(unit[(unit >= 0) & hits[:, cell]], minlength=len(size))
    return int((common / np.maximum(size + n_true[cell] - common, 1)).argmax())


def _answered(
    by_id: dict[int, Component],
    unit: NDArray[np.int64],
    cell: NDArray[np.int64],
    hits: NDArray[np.bool_],
    n_true: NDArray[np.int64],
    analysis: TrainAnalysis,
    name: str,
    of_truth: Sequence[dict[str, tuple[float, float]]],
    project: Any,
) -> Answered:
    period = analysis.periods.get(name)
    samples = project.spikes.sample_index
    known: dict[bytes, float] = {}
    sortings: dict[frozenset[int], Floats] = {}

    def of_spikes(mine: NDArray[np.bool_]) -> float:
        key = np.packbits(mine).tobytes()
        if key not in known:
            known[key] = float(analysis.of_train(_train(samples[mine], project))[name])
        return known[key]

    def errors(answers: frozenset[int]) -> Floats:
        if answers not in sortings:
            now = unit
            for one in sorted(answers):  # components share no spikes: their order does not matter
                now = best_answer(by_id[one], now, partial(wrong_assignments, cell=cell))
            found = []
            for k in range(len(n_true)):
                value, error = of_truth[k][name]
                apart = of_spikes(now == _unit_of(now, hits, n_true, k)) - value
                if period is not None:
                    apart = (apart + period / 2) % period - period / 2
                off = abs(apart) / error if np.isfinite(apart) and error > 0 else FAR
                found.append(min(off, FAR) if np.isfinite(value) else 0.0)
            sortings[answers] = np.array(found)
        return sortings[answers]

    return Answered(errors)


def counted(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Table: mean number of answers that halve the error in reach, by finding, all cells and single ones."""
    found = []
    for of_all in (True, False):
        for finding in dict.fromkeys(row["finding"] for row in rows):
            some = [row for row in rows if row["finding"] == finding and (row["of"] == "all") == of_all]
            if some:
                found.append(
                    {
                        "finding": finding,
                        "of": "all cells" if of_all else "one cell",
                        "findings": len(some),
                        "error before": float(np.mean([row["before"] for row in some])),
                        "after all answers": float(np.mean([row["after"] for row in some])),
                        "answers in order of the queue": float(np.mean([row["queue"] for row in some])),
                        "by effect": float(np.mean([row["effect"] for row in some])),
                        "sooner": sum(row["effect"] < row["queue"] for row in some),
                        "later": sum(row["effect"] > row["queue"] for row in some),
                    }
                )
    return found


def page(rows: Sequence[dict[str, Any]], n_recordings: int, n_draws: int) -> str:
    """What a person reads."""
    about = f"""# Answers that a finding needs

Which questions should a person answer who wants one finding to be right? {n_recordings} simulated recordings,
half of a retina, half of cells with a preferred orientation. An oracle answers questions in the order of the
queue, or by their expected effect on the finding ({n_draws} draws). Counted are the answers after which half
of the error is gone that all answers together take away. Errors are in standard errors of the finding on the
true spikes, at most {FAR:g}. *Of all cells* is the error of the result over all cells of a recording, *of one
cell* that of one cell, with questions by their effect on its unit alone. *Sooner* and *later* count findings.
"""
    return "\n".join((about, table(counted(rows))))


def main() -> None:
    """Measure, print and keep."""
    parser = options(__doc__)
    add_recordings(parser, n_draws=50)
    arguments = parser.parse_args()
    begin(arguments)
    rows: list[dict[str, Any]] = []
    n_recordings = 0
    for known in chosen_recordings(arguments):
        n_recordings += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows += rows_of(known, n_draws=arguments.draws)
        print(f"{known.name}: {len(rows)} findings that answers mend", flush=True)
    keep(
        "answers",
        {"rows": rows, "answers": counted(rows)},
        page=page(rows, n_recordings, arguments.draws),
        origin=Origin(arguments.seed[0], models={"default": default_model()}),
        folder=arguments.out,
    )
    print(table(counted(rows)))


if __name__ == "__main__":
    main()
