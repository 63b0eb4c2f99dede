"""What edits say of spikes: as few things as tell what was done, and no two that contradict each other."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import CurationError
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.command_json import from_json, to_json
from ncpgui.curation.commands import Assign, Link, Merge, SetAccepted
from ncpgui.curation.history import History

NOW = np.repeat([0, 1, 2], 20)


@pytest.fixture
def history() -> History:
    return History(Clustering(NOW))


def told(history: History) -> list[tuple[str, list[int], str]]:
    """Kind, sizes of the sets, and words."""
    return [(one.kind, [len(ids) for ids in one.sets], one.words) for one in history.decisions]


def test_a_merge_says_that_its_units_are_one(history: History) -> None:
    history.do(Merge((0, 2)))
    assert told(history) == [("same", [20, 20], "0 + 2 together")]


def test_a_split_says_that_its_parts_are_different_and_nothing_of_their_inside(history: History) -> None:
    history.do(Assign(np.arange(20), np.repeat([0, 1], [12, 8])))
    assert told(history) == [("different", [12, 8], "0 split in 2")]


def test_a_sizeable_part_that_moves_is_of_the_one_and_not_of_the_other(history: History) -> None:
    history.do(Assign(np.arange(10), np.zeros(10, int), unit_ids=(1,)))
    assert told(history) == [
        ("different", [10, 10], "10 spikes moved 0 → 1"),
        ("same", [10, 20], "10 spikes moved 0 → 1"),
    ]


def test_a_part_that_moves_to_the_first_unit_is_the_one_that_was_given(history: History) -> None:
    history.do(Assign(np.arange(20, 30), np.zeros(10, int), unit_ids=(0,)))
    assert told(history) == [
        ("different", [10, 10], "10 spikes moved 1 → 0"),
        ("same", [10, 20], "10 spikes moved 1 → 0"),
    ]
    assert [one.sets[0].tolist() for one in history.decisions] == [list(range(20, 30))] * 2


def test_single_spikes_that_move_or_lose_their_unit_say_nothing(history: History) -> None:
    history.do(Assign([0, 1], [0, 0], unit_ids=(1,)))
    history.do(Assign([2, 3], [-1, -1], unit_ids=()))
    assert told(history) == []


def test_an_accepted_unit_is_a_neuron_until_it_is_opened(history: History) -> None:
    history.do(SetAccepted((1,)))
    assert told(history) == [("neuron", [20], "1 accepted")]
    history.do(SetAccepted((1,), accepted=False))
    assert told(history) == []


def test_who_splits_what_was_merged_has_changed_their_mind(history: History) -> None:
    history.do(Merge((0, 2)))
    history.do(Assign(np.r_[0:20, 40:60], np.repeat([0, 1], 20)))
    assert told(history) == [("different", [20, 20], "3 split in 2")]


def test_undo_takes_back_what_was_said_and_redo_says_it_again(history: History) -> None:
    history.do(Link((0, 1), same=True))
    history.do(Merge((1, 2)))
    before = history.decisions
    history.undo()
    assert told(history) == [("same", [20, 20], "0 + 1 one neuron")]
    history.redo()
    assert [one is other for one, other in zip(history.decisions, before, strict=True)] == [True, True]


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        (Link((0, 1), same=False), Merge((0, 1)), "'0 + 1 together' contradicts '0 and 1 apart'"),
        (Link((0, 1), same=True), Link((0, 1), same=False), "'0 and 1 apart' contradicts '0 + 1 one neuron'"),
        (SetAccepted((1,)), Link((1, 2), same=True), "'1 + 2 one neuron' contradicts '1 accepted'"),
        (Link((1, 2), same=True), SetAccepted((2,)), "'2 accepted' contradicts '1 + 2 one neuron'"),
    ],
)
def test_what_contradicts_a_decision_is_refused_and_changes_nothing(
    history: History, first: Link | SetAccepted, then: Merge | Link | SetAccepted, words: str
) -> None:
    history.do(first)
    entries, one = history.entries, told(history)
    with pytest.raises(CurationError) as refused:
        history.do(then)
    assert str(refused.value).startswith(words)
    assert "Take that back first" in str(refused.value)
    assert (history.entries, told(history)) == (entries, one)
    assert np.array_equal(history.clustering.unit_of_spike, NOW)


def test_what_is_one_through_a_third_cannot_be_apart(history: History) -> None:
    history.do(Link((0, 1), same=True))
    history.do(Link((1, 2), same=True))
    with pytest.raises(CurationError, match="'0 and 2 apart' contradicts"):
        history.do(Link((0, 2), same=False))


def test_a_link_comes_back_from_its_journal(history: History) -> None:
    history.do(Link((2, 0), same=False))
    again = History(Clustering(NOW))
    again.replay([to_json(from_json(history.entries[0]))])
    assert told(again) == [("different", [20, 20], "0 and 2 apart")]
    assert again.undo_words == "never merge 0 and 2"


def test_a_link_needs_two_units_that_exist(history: History) -> None:
    with pytest.raises(CurationError, match="a link needs two different units, got 1"):
        Link((3, 3), same=True)
    with pytest.raises(CurationError, match="9"):
        history.do(Link((0, 9), same=True))
