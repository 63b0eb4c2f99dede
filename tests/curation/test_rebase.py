"""Edits done again on another sorting: a unit stands for the one that has most of its spikes now."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_project import tiny_component

from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Assign, Command, Merge, SetAccepted, SetLabel, SetWords, split
from ncpgui.curation.history import History
from ncpgui.curation.rebase import Rebased, rebased
from ncpgui.curation.resample import Resample

BEFORE = [0, 0, 1, 1, 2, 2, 3, 3, -1]
AFTER = [5, 5, 1, -1, 5, 5, -1, -1, 1]
"""Units 0 and 2 are one, 5; unit 1 loses a spike; unit 3 loses all."""


def again(*commands: Command, after: list[int] | None = None, n_undone: int = 0) -> Rebased:
    history = History(Clustering(BEFORE))
    for command in commands:
        history.do(command)
    for _ in range(n_undone):
        history.undo()
    return rebased(history, Clustering(BEFORE), Clustering(after or AFTER), ())


def units(result: Rebased) -> list[int]:
    return result.history.clustering.unit_of_spike.tolist()


def test_a_merge_is_that_of_the_units_that_have_the_spikes_now() -> None:
    result = again(Merge((1, 2)))
    assert units(result) == [6, 6, 6, -1, 6, 6, -1, -1, 6]
    assert result.void == ()
    result.history.undo()
    assert units(result) == AFTER


@pytest.mark.parametrize(
    "command",
    [
        Merge((0, 2)),
        Merge((1, 3)),
        SetLabel((3,), "good"),
        SetAccepted((3,)),
        SetWords((3,), "tag", "axon"),
        split([6, 7], [0, 1]),
    ],
)
def test_an_edit_with_nothing_left_to_do_is_named_and_not_done(command: Command) -> None:
    result = again(command)
    assert units(result) == AFTER
    assert result.void == (command.words,)
    assert result.history.entries == ()


def test_what_follows_an_edit_that_fell_away_is_done_all_the_same() -> None:
    result = again(Merge((0, 2)), SetLabel((4,), "good"), Merge((1, 4)))
    assert result.void == ("merge 0 + 2",)
    assert units(result) == [6, 6, 6, -1, 6, 6, -1, -1, 6]
    assert result.history.labels.label(5) == "good"


def test_a_label_and_a_lock_go_to_the_one_unit_once() -> None:
    result = again(SetLabel((0, 2), "mua"), SetAccepted((2,)))
    assert result.history.labels.label(5) == "mua"
    assert result.history.labels.accepted == {5}


def test_spikes_that_are_of_no_unit_now_stay_unassigned() -> None:
    result = again(Assign([2, 3, 4, 8], [0, 0, 1, 1], words="move spikes", unit_ids=(-1, 3)))
    # unit 3 has no spike now: what joined it becomes a unit of its own
    assert units(result) == [5, 5, 6, -1, 7, 5, -1, -1, 7]


def test_what_was_undone_can_be_redone() -> None:
    result = again(Merge((1, 2)), SetLabel((3,), "good"), SetLabel((0,), "good"), n_undone=2)
    assert units(result) == [6, 6, 6, -1, 6, 6, -1, -1, 6]
    assert result.void == ("label unit 3 good",)
    assert result.history.redo_words == "label unit 6 good"


def test_a_posterior_sampled_again_is_kept_with_the_units_it_is_given() -> None:
    component = tiny_component(0, np.arange(4), [[0, 0, 1, 1]], [1.0])
    other = tiny_component(0, np.arange(4), [[0, 0, 0, 0]], [1.0])
    history = History(Clustering(BEFORE), [component])
    history.do(Resample(0, (0,), other.posterior, other.alternatives))
    history.do(Resample(0, (), other.posterior, other.alternatives))
    result = rebased(history, Clustering(BEFORE), Clustering(AFTER), [component])
    assert result.void == ()
    assert result.history.posteriors.get(0).given == ()
    result.history.undo()
    assert result.history.posteriors.get(0).given == (5,)
    assert result.history.posteriors.get(0).posterior is other.posterior
    result.history.undo()
    assert result.history.posteriors.get(0) is component


@pytest.mark.parametrize(("index", "is_void"), [(0, False), (1, True), (2, True)])
def test_an_alternative_that_is_gone_is_not_used(index: int, is_void: bool) -> None:
    """The first of three is the only one that the component still has."""
    ways = [[0, 1, 1, 1], [0, 0, 0, 0], [0, 1, 2, 3]]
    before, after = (tiny_component(0, np.arange(4), ways[:n], [1 / n] * n) for n in (3, 1))
    history = History(Clustering(BEFORE), [before])
    command = Assign(np.arange(4), ways[index], words="use a sorting", adopts=(0, index))
    history.do(command)
    result = rebased(history, Clustering(BEFORE), Clustering(BEFORE), [after])
    assert result.void == ((command.words,) if is_void else ())


def test_the_same_sorting_again_changes_no_spike() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        history = History(Clustering(BEFORE))
        for _ in range(6):
            present = history.clustering.unit_ids
            if len(present) > 1 and rng.random() < 0.5:
                history.do(Merge(tuple(rng.choice(present, 2, replace=False).tolist())))
            else:
                ids = np.flatnonzero(history.clustering.unit_of_spike >= 0)
                chosen = np.sort(rng.choice(ids, 3, replace=False))
                history.do(split(chosen, [0, 1, 1]))
        result = rebased(history, Clustering(BEFORE), Clustering(BEFORE), ())
        assert units(result) == history.clustering.unit_of_spike.tolist()
        assert result.history.entries == history.entries
