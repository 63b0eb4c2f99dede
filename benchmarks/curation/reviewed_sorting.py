"""Another sorter's units reviewed by ncpgui, without a window: as given, decided by itself, and answered.

Somebody who knows the true spikes answers the questions of the queue in its order: of the alternatives the
one that leaves fewest wrong assignments (`questions.py`), which may be the sorting as it is, and units that
are no cell are labelled noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from spikeinterface.core import BaseRecording, BaseSorting

from benchmarks.probabilities.questions import best_answer
from benchmarks.probabilities.sampled_recordings import (
    COINCIDENT_MS,
    agreements,
    cell_of_spike,
    spikes_of_cells,
)
from ncpgui.app.model.workspace import Workspace
from ncpgui.core.given import SPIKEINTERFACE, GivenSorting
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.curation.by_itself import with_probable_sortings
from ncpgui.ephys.readers import recording_of
from ncpgui.evidence.unit_accuracy import right_units
from ncpgui.evidence.units import project_numbers
from ncpgui.session.decided import decided
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.review import review_recording

NOISE = -1


@dataclass(frozen=True, eq=False)
class Curated:
    """A sorting after a curation.

    unit : (n,) of each spike that the sorter found, -1 in none or in one that is noise
    questions, decisions : that were asked, and made
    """

    unit: NDArray[np.int64]
    questions: int = 0
    decisions: int = 0


@dataclass(frozen=True, eq=False)
class Truth:
    """The true cells among the spikes that a sorter found.

    of_cell : (n, n_cells) bool, whether each spike is one of each cell; n_true : (n_cells,)
    event : (n, n_cells) int64, which spike of a cell it is, the same number where that was found twice
    """

    of_cell: NDArray[np.bool_]
    n_true: NDArray[np.int64]
    event: NDArray[np.int64]

    @staticmethod
    def of(sample_index: NDArray[np.integer], cells: BaseSorting) -> Truth:
        """Look for the cells of spikes; sample_index : (n,) not decreasing."""
        of_cell, n_true = spikes_of_cells(sample_index, cells)
        reach = round(2 * COINCIDENT_MS * cells.sampling_frequency / 1000)
        event = np.full(of_cell.shape, -1, dtype=np.int64)
        for cell, own in enumerate(of_cell.T):
            begins = np.diff(sample_index[own], prepend=-reach - 1) > reach
            event[own, cell] = np.cumsum(begins) - 1
        return Truth(of_cell, n_true, event)

    def cells(self, unit: NDArray[np.int64]) -> NDArray[np.int64]:
        """True cell of each spike, that of its unit where it may be of several; -1 = none."""
        named = dense(unit)
        best, _, _ = agreements(named, self.of_cell, self.n_true)
        return cell_of_spike(self.of_cell, named, best)

    def wrong(self, unit: NDArray[np.int64]) -> int:
        """Spikes of cells that were found, each counted once, and are not in the unit of their cell."""
        counts = self.events_in(dense(unit))
        right = counts[linear_sum_assignment(counts, maximize=True)].sum()
        return int(self.n_found.sum() - right)

    def is_a_cell(self, unit: NDArray[np.int64], one: int) -> bool:
        """Whether half of the spikes of a unit are of cells, or it has half of what was found of a cell.

        Noise around spikes that are nowhere else is no reason to throw them away.

        unit : (n,) 0 .. K-1, -1 = none
        """
        if self.of_cell[unit == one].any(axis=1).mean() >= 0.5:
            return True
        inside = self.events_in(np.where(unit == one, 0, -1))[0]
        return bool((inside >= 0.5 * np.maximum(self.n_found, 1)).any())

    @property
    def n_found(self) -> NDArray[np.int64]:
        """Spikes of each cell that were found: (n_cells,)."""
        return np.asarray(self.event.max(axis=0, initial=-1) + 1)

    def events_in(
        self, unit: NDArray[np.int64], cell_of: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Spikes of each cell in each unit, each counted once: (K, n_cells).

        unit : (n,) 0 .. K-1, -1 = none
        cell_of : (n,) the one cell that each spike counts for, -1 = none; all that it may be of when left out
        """
        if cell_of is None:
            spike, cell = np.nonzero(self.of_cell)
        else:
            spike = np.flatnonzero(cell_of >= 0)
            cell = cell_of[spike]
        found = np.column_stack([unit[spike], cell, self.event[spike, cell]])
        each = np.unique(found[found[:, 0] >= 0], axis=0)
        counts = np.zeros((int(unit.max(initial=-1)) + 1, self.of_cell.shape[1]), dtype=np.int64)
        np.add.at(counts, (each[:, 0], each[:, 1]), 1)
        return counts


def dense(unit: NDArray[np.int64]) -> NDArray[np.int64]:
    """Units 0 .. K-1, -1 = none."""
    names, number = np.unique(unit, return_inverse=True)
    return number.reshape(-1).astype(np.int64) - int(names[0] < 0)


def reviewed(recording: BaseRecording, sorting: BaseSorting, config: SortingConfig) -> Project:
    """Review a sorting, units numbered as they are in it."""
    spikes = sorting.to_spike_vector()
    opened = recording_of(recording)
    given = Sorting(
        spikes["sample_index"].astype(np.int64),
        spikes["unit_index"].astype(np.int64),
        sorting.sampling_frequency,
        recording.get_num_samples(),
    )
    about = GivenSorting("sorting", SPIKEINTERFACE, np.arange(len(spikes)), "")
    return review_recording(opened, given, about, config, workers=1)


def by_itself(project: Project, least: float) -> Curated:
    """The units after the decisions that are at least so probable."""
    done, words = with_probable_sortings(project, least)
    history = decided(done).history
    unit = history.clustering.unit_of_spike.copy()
    noise = [one for one in np.unique(unit).tolist() if one >= 0 and history.labels.label(one) == "noise"]
    return Curated(np.where(np.isin(unit, noise), NOISE, unit), decisions=len(words))


def answered(project: Project, truth: Truth) -> Curated:
    """The units after all questions were answered."""
    workspace = Workspace()
    workspace.state.open(project)
    questions = [
        one for one in workspace.questions.queue_order() if not workspace.questions.status(one).is_settled
    ]
    components = {one.id: one for one in project.components}
    unit, decisions, asked = dense(project.unit_of_spike), 0, 0
    for question in questions:
        if question not in components:  # nothing is said of units of few spikes
            continue
        asked += 1
        now = dense(best_answer(components[question], unit, truth.wrong))
        here = np.unique(now[components[question].spike_ids])
        noise = [one for one in here.tolist() if one >= 0 and not truth.is_a_cell(now, one)]
        decisions += not np.array_equal(now, unit) or bool(noise)
        unit = np.where(np.isin(now, noise), NOISE, now)
    return Curated(unit, asked, decisions)


def joined_by_a_card(project: Project, truth: Truth, is_redundant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the right answer of its question joins each redundant unit to its cell: (K,) bool.

    The right answer leaves fewest wrong spikes. With it, the spikes that a unit has of its cell are, for the
    most part, in one with at least half of the cell's spikes that were found, and more than the unit had.
    """
    unit = dense(project.unit_of_spike)
    best, _, _ = agreements(unit, truth.of_cell, truth.n_true)
    before = truth.events_in(unit)
    joined = np.zeros(len(is_redundant), bool)
    for component in project.components:
        here = np.unique(unit[component.spike_ids])
        redundant = [one for one in here.tolist() if one >= 0 and is_redundant[one]]
        if not redundant:
            continue
        now = dense(best_answer(component, unit, truth.wrong))
        after = truth.events_in(now)
        for one in redundant:
            cell = best[one]
            own = now[(unit == one) & truth.of_cell[:, cell]]
            home = np.bincount(own[own >= 0], minlength=1).argmax()
            n = after[home, cell]
            joined[one] = n > before[one, cell] and n >= 0.5 * truth.n_found[cell]
    return joined


def promises(project: Project) -> dict[str, NDArray[np.float64]]:
    """What is said of each unit as given, by the name of the probability: (K,), nan where nothing is."""
    numbers = project_numbers(project, project.unit_of_spike, project.probability).units
    known = {row["id"]: row for row in numbers.rows()}
    n_units = int(project.unit_of_spike.max(initial=-1)) + 1
    keys = {"P(neuron)": "p_neuron", "P(pure)": "p_pure", "P(complete)": "p_complete"}
    said: dict[str, NDArray[np.float64]] = {
        name: np.array([known[k][key] if k in known else np.nan for k in range(n_units)])
        for name, key in keys.items()
    }
    right = np.full(n_units, np.nan)
    assert project.p_neuron is not None
    for component in project.components:
        ids = component.spike_ids
        names, labels = np.unique(project.unit_of_spike[ids], return_inverse=True)
        right[names] = right_units(component, labels.reshape(-1), project.p_neuron[ids]).p_right
    return {**said, "P(right)": right}


def came_true(project: Project, truth: Truth, is_of_cells: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """What is true of each unit as given, by the names of `promises`: (K,) bool.

    A spike of one cell's unit that is near one of another cell by chance is not counted for the other, which
    the sorter may have missed: nothing of it is elsewhere.
    """
    unit = project.unit_of_spike
    best, agreement, precision = agreements(unit, truth.of_cell, truth.n_true)
    cell_of = cell_of_spike(truth.of_cell, unit, best)
    inside = truth.events_in(unit, cell_of)[np.arange(len(best)), best]
    found = truth.events_in(np.zeros_like(unit), cell_of)[0, best]
    return {
        "P(neuron)": is_of_cells,
        "P(pure)": precision >= 0.9,
        "P(complete)": inside >= 0.9 * found,
        "P(right)": agreement >= 0.8,
    }
