"""What a person decided, as values: the sorting, and the units as they were before they were merged."""

from __future__ import annotations

import numpy as np

from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Assign, Merge, SetAccepted, SetLabel, split
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.curation.history import History

START = [0, 0, 1, 1, 2, 2, -1]


def history(*commands: Merge | Assign | SetLabel | SetAccepted) -> History:
    result = History(Clustering(START))
    for command in commands:
        result.do(command)
    return result


def test_decisions_are_the_sorting_its_labels_and_what_was_accepted() -> None:
    one = history(SetLabel((1,), "good"), SetAccepted((2,)))
    decided = CuratedSorting.of(one, np.array(START))
    one.do(Merge((0, 1)))  # later edits do not reach values that were taken before
    assert decided.unit_of_spike.tolist() == START
    assert decided.labels == {0: "unsorted", 1: "good", 2: "unsorted"}
    assert decided.accepted == {2}
    assert decided.unit_before_merges.tolist() == START


def test_units_before_merges_are_those_that_were_merged_however_many_steps_it_took() -> None:
    decided = CuratedSorting.of(history(Merge((0, 1)), Merge((2, 3))), np.array(START))
    assert decided.unit_of_spike.tolist() == [4, 4, 4, 4, 4, 4, -1]
    assert decided.unit_before_merges.tolist() == START


def test_a_merge_that_was_taken_back_is_none() -> None:
    one = history(Merge((0, 1)))
    one.undo()
    decided = CuratedSorting.of(one, np.array(START))
    assert decided.unit_of_spike.tolist() == decided.unit_before_merges.tolist() == START


def test_a_split_is_done_before_the_merges_in_either_order() -> None:
    before = CuratedSorting.of(history(split([0, 1], [0, 1]), Merge((1, 3))), np.array(START))
    assert before.unit_of_spike.tolist() == [5, 4, 5, 5, 2, 2, -1]
    assert before.unit_before_merges.tolist() == [3, 4, 1, 1, 2, 2, -1]
    after = CuratedSorting.of(history(Merge((0, 1)), Assign([1, 6], [0, -1])), np.array(START))
    assert after.unit_of_spike.tolist() == [3, 4, 3, 3, 2, 2, -1]
    assert after.unit_before_merges.tolist() == [0, 4, 1, 1, 2, 2, -1]


def test_spikes_given_to_a_merged_unit_are_a_part_of_it_beside_those_that_were_merged() -> None:
    decided = CuratedSorting.of(history(Merge((0, 1)), Assign([6], [0], unit_ids=(3,))), np.array(START))
    assert decided.unit_of_spike.tolist() == [3, 3, 3, 3, 2, 2, 3]
    assert decided.unit_before_merges.tolist() == [0, 0, 1, 1, 2, 2, 3]
