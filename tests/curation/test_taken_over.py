"""Decisions made in another program become edits here: as few as say the same."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import CurationError
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Assign, Link, Merge, SetLabel
from ncpgui.curation.history import History
from ncpgui.curation.taken_over import take_over

GIVEN = [0, 0, 1, 1, 2, 2, -1, -1]


def taken(
    units: list[int], *before: object, labels: dict[int, str] | None = None, apart: tuple = ()
) -> tuple[History, tuple[str, ...]]:
    """What is here after it was edited `before` and units there were taken over, and what was done."""
    history = History(Clustering(GIVEN))
    for command in before:
        history.do(command)  # type: ignore[arg-type]
    done = take_over(history, np.array(GIVEN), np.array(units), labels or {}, source="Phy", apart=apart)
    return history, done


def now(history: History) -> list[int]:
    return history.clustering.unit_of_spike.tolist()


def test_where_nothing_was_changed_nothing_is_done() -> None:
    history, done = taken(GIVEN)
    assert (done, history.entries) == ((), ())


def test_whole_units_under_one_number_are_merged() -> None:
    history, done = taken([5, 5, 5, 5, 2, 2, -1, -1])
    assert done == ("merge 0 + 1",)
    assert [type(one) for one in history.commands] == [Merge]
    assert now(history) == [3, 3, 3, 3, 2, 2, -1, -1]


def test_a_unit_under_another_number_is_the_same_unit() -> None:
    assert taken([7, 7, 1, 1, 2, 2, -1, -1])[1] == ()


def test_spikes_that_moved_are_assigned_at_once() -> None:
    history, done = taken([0, 1, 1, 1, 2, 2, -1, -1])
    assert done == ("sort 0, 1 as in Phy",)
    assert now(history) == [3, 4, 4, 4, 2, 2, -1, -1]


def test_spikes_that_lost_or_got_a_unit_do_so_here() -> None:
    history, done = taken([0, -1, 1, 1, 2, 2, 2, -1])
    assert done == ("sort 0, 2 as in Phy",)
    assert now(history) == [3, -1, 1, 1, 4, 4, 4, -1]


def test_four_units_are_named_and_more_are_not() -> None:
    given = np.repeat(np.arange(5), 2)
    for n_changed, words in ((4, "sort 0, 1, 2, 3 as in Phy"), (5, "sort 0, 1, 2, 3 … as in Phy")):
        history = History(Clustering(given))
        units = given.copy()
        units[: 2 * n_changed : 2] += 10
        assert take_over(history, given, units, {}, source="Phy") == (words,)


def test_what_was_changed_here_stays_where_nobody_changed_it_there() -> None:
    history, done = taken([0, 0, 1, 1, 8, 9, -1, -1], Merge((0, 1)))
    assert done == ("sort 2 as in Phy",)
    assert now(history) == [3, 3, 3, 3, 4, 5, -1, -1]


def test_the_same_change_here_and_there_is_one() -> None:
    history, done = taken([5, 5, 5, 5, 2, 2, -1, -1], Merge((0, 1)))
    assert done == ()
    assert now(history) == [3, 3, 3, 3, 2, 2, -1, -1]


@pytest.mark.parametrize(
    ("units", "unit"),
    [
        ([5, 5, 1, 1, 5, 5, -1, -1], 0),  # merged with another one
        ([7, 8, 1, 1, 2, 2, -1, -1], 0),  # split
        ([0, 0, 1, -1, 2, 2, -1, -1], 1),  # a spike less
        ([0, 0, 1, 1, 2, 2, 1, -1], 1),  # a spike more
    ],
)
def test_units_changed_here_and_there_in_different_ways_are_refused(units: list[int], unit: int) -> None:
    history = History(Clustering(GIVEN))
    history.do(Merge((0, 1)))
    with pytest.raises(
        CurationError,
        match=rf"^unit {unit} was changed here, and in Phy in another way; undo it here, or there$",
    ):
        take_over(history, np.array(GIVEN), np.array(units), {}, source="Phy")
    assert len(history.entries) == 1


def test_a_spike_without_a_unit_here_is_no_spike_of_a_unit_there() -> None:
    unassign = Assign([1], [-1], unit_ids=())
    with pytest.raises(CurationError, match="unit 0 was changed here"):
        taken([0, 7, 1, 1, 2, 2, -1, -1], unassign)
    assert taken([0, -1, 1, 1, 2, 2, -1, -1], unassign)[1] == ()


def test_labels_are_given_to_the_units_that_have_the_same_spikes() -> None:
    history, done = taken([5, 5, 5, 5, 2, 2, -1, -1], labels={5: "good", 2: "good", 9: "mua"})
    assert done == ("merge 0 + 1", "label units 2, 3 good, as in Phy")
    assert history.labels.as_dict([2, 3]) == {2: "good", 3: "good"}
    assert isinstance(history.commands[-1], SetLabel)


def test_labels_that_units_have_already_and_those_of_units_that_are_others_here_are_left_out() -> None:
    assert taken(GIVEN, SetLabel((2,), "noise"), labels={2: "noise"})[1] == ()
    assert taken(GIVEN, Merge((0, 1)), labels={0: "good", 2: "mua"})[1] == ("label unit 2 mua, as in Phy",)
    assert taken(GIVEN, labels={-1: "noise"})[1] == ()


def test_each_label_is_one_edit() -> None:
    done = taken(GIVEN, labels={0: "good", 1: "mua", 2: "good"})[1]
    assert done == ("label units 0, 2 good, as in Phy", "label unit 1 mua, as in Phy")


def test_units_that_are_two_neurons_there_are_linked_once_if_both_are_here() -> None:
    history, done = taken(GIVEN, apart=((0, 1), (0, 9)))
    assert done == ("never merge 0 and 1, as in Phy",)
    assert history.commands == (Link((0, 1), same=False),)
    assert taken(GIVEN, Link((0, 1), same=False), apart=((0, 1),))[1] == ()
