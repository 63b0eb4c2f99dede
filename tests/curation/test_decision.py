"""What edits say of spikes: as few things as tell what was done, and no two that contradict each other."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import CurationError
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.command_json import from_json, to_json
from ncpgui.curation.commands import Assign, Link, Merge, SetAccepted
from ncpgui.curation.decision import Decision, contradicted, of_accepted, of_assign, of_link
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


# -- of sets of spikes -------------------------------------------------------------------------------


def ids(*spikes: int) -> np.ndarray:
    return np.array(spikes)


def said(kind: str, *sets: np.ndarray, standing: bool = False, words: str = "") -> Decision:
    return Decision(kind, sets, words, (1,), standing)  # type: ignore[arg-type]


FOUR = Clustering([0, 0, 0, 1, 1, 2, -1, -1])


@pytest.mark.parametrize(
    ("decision", "obeyed"),
    [
        (said("same", ids(0, 1), ids(2)), True),
        (said("same", ids(0, 1), ids(3)), False),
        (said("different", ids(0, 1), ids(3)), True),
        (said("different", ids(0, 1), ids(2)), False),
        (said("different", ids(0), ids(3), ids(4)), False),  # two of three are one
        (said("same", ids(0, 1, 3), ids(2)), True),  # by the unit that has most of each
        (said("same", ids(6, 7), ids(6)), False),  # of no unit
        (said("different", ids(0), ids(6)), False),
        (said("neuron", ids(0, 3)), True),
    ],
)
def test_a_sorting_obeys_a_decision_by_the_units_that_have_most_of_its_sets(
    decision: Decision, obeyed: bool
) -> None:
    assert decision.is_obeyed(FOUR) is obeyed


def test_a_link_stands_whatever_the_sorting_is_and_an_accepted_unit_is_none() -> None:
    assert said("same", ids(0), standing=True).is_link
    assert not said("neuron", ids(0), standing=True).is_link
    assert not said("same", ids(0)).is_link
    assert said("same", ids(0), words="a").key == said("same", ids(5), words="a").key == ("same", "a", (1,))


def test_more_than_half_of_a_set_counts_as_the_set() -> None:
    apart = said("different", ids(0, 1), ids(2, 3))
    assert contradicted(said("same", ids(0, 1), ids(2, 3)), [apart]) is apart
    assert contradicted(said("same", ids(0, 8), ids(2, 9)), [apart]) is None  # half of each
    assert contradicted(said("same", ids(0, 1, 8), ids(2, 3, 9)), [apart]) is apart
    assert contradicted(said("same", ids(0, 1), ids(8, 9)), [apart]) is None


def test_what_is_one_through_others_cannot_be_apart() -> None:
    first, second = said("same", ids(0), ids(1)), said("same", ids(2), ids(3))
    bridge = said("same", ids(1), ids(2))
    new = said("different", ids(0), ids(3))
    assert contradicted(new, [first, second, bridge]) is first
    assert contradicted(new, [first, second]) is None


def test_sets_that_share_half_of_their_spikes_are_not_one_for_that() -> None:
    """Two spikes of four, either way, do not carry one decision over to the other."""
    first, second = said("same", ids(0), ids(1, 2)), said("same", ids(2, 3), ids(4))
    new = said("different", ids(0), ids(4))
    assert contradicted(new, [first, second]) is None
    assert contradicted(new, [first, said("same", ids(1, 2, 3), ids(4))]) is first
    assert contradicted(new, [said("same", ids(0), ids(1)), said("same", ids(1, 2, 3), ids(4))]) is None


def test_an_accepted_unit_is_all_of_a_neuron() -> None:
    unit = said("neuron", ids(0, 1, 2, 3))
    assert contradicted(said("same", ids(0, 1), ids(8)), [unit]) is unit
    assert contradicted(said("same", ids(0, 1), ids(2, 3)), [unit]) is None
    assert contradicted(said("same", ids(7), ids(8)), [unit]) is None
    assert contradicted(said("different", ids(0, 1), ids(2, 3)), [unit]) is unit
    assert contradicted(unit, [said("different", ids(0, 1), ids(8))]) is None


@pytest.mark.parametrize("n_moved", [2, 3])
def test_parts_that_are_units_by_their_size_say_something_when_they_move(n_moved: int) -> None:
    """Of 30 spikes three are a unit, two are not."""
    clustering = Clustering(np.repeat([0, 1], 15))
    told = of_assign(clustering, np.arange(n_moved), np.full(n_moved, 1))
    expected = [("different", [3, 12]), ("same", [3, 15])] if n_moved == 3 else []
    assert [(one.kind, [len(own) for own in one.sets]) for one in told] == expected


def test_a_part_that_becomes_a_unit_of_its_own_is_split_off_and_what_joins_it_is_told() -> None:
    clustering = Clustering(np.repeat([0, 1], 15))
    (split,) = of_assign(clustering, np.arange(5), np.full(5, 9))
    assert (split.kind, split.words, split.units) == ("different", "0 split in 2", (0,))
    assert [own.tolist() for own in split.sets] == [list(range(5, 15)), list(range(5))]
    (merge,) = of_assign(clustering, np.arange(30), np.full(30, 9))
    assert (merge.kind, merge.words, merge.units) == ("same", "0 + 1 together", (0, 1))


@pytest.mark.parametrize("n_new", [1, 2])
def test_each_new_unit_of_parts_of_two_is_told_for_both(n_new: int) -> None:
    """Units of 30 spikes give six to each new unit, which is neither's."""
    clustering = Clustering(np.repeat([0, 1], 30))
    given = np.concatenate([np.arange(6 * n_new), np.arange(30, 30 + 6 * n_new)])
    told = of_assign(clustering, given, np.tile(np.repeat([8, 9][:n_new], 6), 2))
    assert sorted((one.words, *(own.tolist()[0] for own in one.sets)) for one in told) == [
        (f"6 spikes moved {unit} → new", 30 * unit + 6 * part, 30 * unit + (6 if part == 0 else 0))
        for unit in (0, 1)
        for part in range(n_new)
    ]
    assert all(len(one.sets[0]) == 6 and len(one.sets[1]) == 24 for one in told)


def test_units_accepted_are_told_in_order_and_those_that_do_not_exist_are_not() -> None:
    told = of_accepted(FOUR, [2, 0, 9])
    assert [(one.words, one.units, one.sets[0].tolist()) for one in told] == [
        ("0 accepted", (0,), [0, 1, 2]),
        ("2 accepted", (2,), [5]),
    ]
    assert all(one.is_standing for one in told)


def test_links_are_told_in_words() -> None:
    (same,) = of_link([ids(0), ids(1), ids(2)], (3, 4, 5), same=True)
    (apart,) = of_link([ids(0), ids(1), ids(2)], (3, 4, 5), same=False)
    assert (same.kind, same.words) == ("same", "3 + 4 + 5 one neuron")
    assert (apart.kind, apart.words) == ("different", "3, 4 and 5 apart")
    assert (same.is_link, apart.is_link) == (True, True)
