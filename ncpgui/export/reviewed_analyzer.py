"""The questions of a review in the words of the analyzer that was reviewed: its unit ids and spike trains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.percent import percent
from ncpgui.core.project import Project
from ncpgui.core.unit_table import UnitTable
from ncpgui.evidence.units import project_numbers
from ncpgui.export.curation_choice import Name, Parts, is_chosen, with_choice
from ncpgui.export.offered import OfferedAlternative, OfferedQuestion, offered_questions, reviewed_sorting

if TYPE_CHECKING:
    from spikeinterface.core import BaseSorting

NOT_ONE_CURATION = (
    "This way moves spikes from unit to unit. A curation of SpikeInterface has whole merges and splits only; "
    "use the way in ncpgui, whose write-back makes two steps of it."
)


@dataclass(frozen=True, eq=False)
class ReviewedAnalyzer:
    """Questions about the units of an analyzer, and answers as entries of its curation.

    names : unit -> its id in the analyzer; rows : unit -> (n,) rows of its spikes among all of the analyzer
    """

    questions: tuple[OfferedQuestion, ...]
    names: Mapping[int, Name]
    rows: Mapping[int, NDArray[np.int64]]
    numbers: UnitTable

    @classmethod
    def of(cls, project: Project, sorting: BaseSorting) -> ReviewedAnalyzer:
        """The review of a sorting of SpikeInterface.

        Raises
        ------
        InputError
            The project reviews no sorting, or another one: units or spikes changed since.
        """
        given = reviewed_sorting(project)
        ids = [_plain(one) for one in sorting.unit_ids]
        code = sorting.to_spike_vector()["unit_index"].astype(np.int64)
        units = np.unique(project.unit_of_spike)
        names = given.called(units.tolist())
        place = {name: k for k, name in enumerate(ids)}
        same = all(names[unit] in place for unit in units.tolist()) and given.rows.max(initial=-1) < len(code)
        if same:
            wanted = np.array([place[names[unit]] for unit in units.tolist()], dtype=np.int64)
            same = np.array_equal(code[given.rows], wanted[np.searchsorted(units, project.unit_of_spike)])
        if not same:
            raise InputError(
                f"the session reviews the units of {given.path} as they were then; these are other units or "
                "spikes. Review the analyzer again: ncpgui review FOLDER"
            )
        rows = {unit: np.flatnonzero(code == place[names[unit]]) for unit in units.tolist()}
        numbers = project_numbers(project, project.unit_of_spike, project.probability).units
        return cls(offered_questions(project), names, rows, numbers)

    def about(self, ids: Iterable[Any]) -> OfferedQuestion | None:
        """The question about the first of these units (ids of the analyzer) that is in one."""
        for name in map(_plain, ids):
            for question in self.questions:
                if name in self.units(question):
                    return question
        return None

    def units(self, question: OfferedQuestion) -> list[Name]:
        """Ids of the units of a question."""
        return [self.names[unit] for unit in question.units]

    def after(self, question: OfferedQuestion | None, by: int = 1) -> OfferedQuestion | None:
        """The open question after another one (`by` 1) or before it (-1), around; None where none is open."""
        open_ones = [one for one in self.questions if one.is_open]
        if not open_ones:
            return None
        if question in open_ones:
            return open_ones[(open_ones.index(question) + by) % len(open_ones)]
        return open_ones[0 if by > 0 else -1]

    def is_there(self, question: OfferedQuestion, n_spikes: Mapping[Name, int]) -> bool:
        """Whether all units of a question are as they were reviewed; n_spikes : of each unit there."""
        known = {_plain(name): int(n) for name, n in n_spikes.items()}
        return all(known.get(self.names[unit]) == len(self.rows[unit]) for unit in question.units)

    def chosen(
        self, curation: Mapping[str, Any], question: OfferedQuestion, alternative: OfferedAlternative
    ) -> dict[str, Any]:
        """The curation with this way as the answer to this question.

        Raises
        ------
        InputError
            Merges and splits of whole units do not say it.
        """
        if not alternative.is_offered:
            raise InputError(NOT_ONE_CURATION)
        return with_choice(
            curation, self.units(question), self._merges(alternative), self._splits(alternative)
        )

    def is_chosen(
        self, curation: Mapping[str, Any], question: OfferedQuestion, alternative: OfferedAlternative
    ) -> bool:
        """Whether the curation has this way as the answer to this question."""
        if not alternative.is_offered:
            return False
        return is_chosen(curation, self.units(question), self._merges(alternative), self._splits(alternative))

    def unit_words(self, question: OfferedQuestion) -> list[str]:
        """What is known of each unit of a question, in words."""
        return [
            f"{self.names[row['id']]}: P(neuron) {percent(row['p_neuron'])}, "
            f"P(pure) {percent(row['p_pure'])}, P(complete) {percent(row['p_complete'])}"
            for row in self.numbers.of(question.units).rows()
        ]

    def _merges(self, alternative: OfferedAlternative) -> list[list[Name]]:
        return [[self.names[unit] for unit in group] for group in alternative.merges]

    def _splits(self, alternative: OfferedAlternative) -> dict[Name, Parts]:
        return {
            self.names[unit]: tuple(np.searchsorted(self.rows[unit], part) for part in parts)
            for unit, parts in alternative.splits
        }


def _plain(name: Any) -> Name:
    """An id as JSON has it."""
    value = name.item() if isinstance(name, np.generic) else name
    return value if isinstance(value, int) else str(value)
