"""What is done can be undone, done again, and replayed from what was written down."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import CurationError
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Assign, Merge, SetAccepted, SetLabel, SetWords, split
from ncpgui.curation.history import History
from ncpgui.curation.labels import UnitMark

UNITS = [0, 0, 1, 1, 2, -1]


def _history() -> History:
    return History(Clustering(UNITS))


def _state(history: History) -> tuple[Any, ...]:
    units = history.clustering.unit_of_spike.tolist()
    return (
        units,
        history.clustering.probability.tolist(),
        {unit: history.labels.mark(unit) for unit in set(units)},
    )


def test_merging_makes_a_new_unit_and_undo_brings_the_old_ones_back() -> None:
    history = _history()
    change = history.do(Merge((0, 1)))
    assert history.clustering.unit_of_spike.tolist() == [3, 3, 3, 3, 2, -1]
    assert (change.added, change.removed) == ((3,), (0, 1))
    back = history.undo()
    assert back is not None
    assert (back.added, back.removed) == ((0, 1), (3,))
    assert history.clustering.unit_of_spike.tolist() == UNITS
    history.redo()
    assert history.clustering.unit_of_spike.tolist() == [3, 3, 3, 3, 2, -1]


def test_ids_are_not_reused_after_an_undo() -> None:
    history = _history()
    history.do(Merge((0, 1)))
    history.undo()
    assert history.do(Merge((0, 1))).added == (4,)


def test_spikes_are_edited_if_one_of_them_or_its_unit_was_taken_back_or_not() -> None:
    history = _history()
    assert not history.is_edited(np.arange(6))
    history.do(SetLabel((1,), "good"))
    assert [history.is_edited(np.array(ids)) for ids in ([0, 1, 4, 5], [0, 2], [3])] == [False, True, True]
    history.undo()
    assert history.is_edited(np.array([0, 2]))


def test_nothing_to_undo_is_none() -> None:
    history = _history()
    assert history.undo() is None
    assert history.redo() is None
    assert not history.can_undo
    assert history.entries == ()


def test_doing_something_new_forgets_what_was_undone() -> None:
    history = _history()
    history.do(Merge((0, 1)))
    history.undo()
    history.do(SetLabel((0,), "good"))
    assert not history.can_redo


def test_a_failing_command_leaves_no_trace() -> None:
    history = _history()
    before = _state(history)
    for command in (
        Merge((0, 9)),
        SetLabel((9,), "good"),
        SetAccepted((9,)),
        Assign([77], [0]),
        Assign([0], [0], unit_ids=(-5,)),
    ):
        with pytest.raises(CurationError, match="does not exist"):
            history.do(command)
    assert _state(history) == before
    assert not history.can_undo
    assert history.entries == ()


def test_new_units_inherit_the_label_of_where_they_come_from() -> None:
    history = _history()
    history.do(SetLabel((0,), "good"))
    history.do(SetAccepted((0,)))
    history.do(split([0, 1], [0, 1]))
    assert [history.labels.label(unit) for unit in (3, 4)] == ["good", "good"]
    assert not history.labels.is_accepted(3)
    history.do(Merge((3, 2)))
    assert history.labels.label(5) == "good"
    history.do(SetLabel((1,), "mua"))
    history.do(Merge((1, 5)))
    assert history.labels.label(6) == "unsorted"
    for _ in range(6):
        history.undo()
    assert history.labels.accepted == frozenset()
    assert history.labels.as_dict([0, 1]) == {0: "unsorted", 1: "unsorted"}


def test_each_step_says_what_changed_and_is_an_entry() -> None:
    history = _history()
    steps = [lambda: history.do(Merge((0, 1))), lambda: history.do(SetLabel((3,), "good"))]
    heard = [(step(), history.can_undo) for step in (*steps, history.undo, history.undo)]
    assert [(change.description, can) for change, can in heard] == [
        ("merge 0 + 1", True),
        ("label unit 3 good", True),
        ("undo label unit 3 good", True),
        ("undo merge 0 + 1", False),
    ]
    moves = [bool(change.added or change.removed or change.modified) for change, _ in heard]
    assert moves == [True, False, False, True]
    assert [entry["do"] for entry in history.entries] == ["merge", "label", "undo", "undo"]


def _random_command(history: History, rng: np.random.Generator) -> Any:
    clustering = history.clustering
    units = clustering.unit_ids.tolist()
    kind = rng.integers(5)
    if kind == 0 and len(units) > 1:
        return Merge(tuple(rng.choice(units, 2, replace=False)))
    if kind == 1 and units:
        return SetLabel((int(rng.choice(units)),), str(rng.choice(["good", "mua", "noise"])))
    if kind == 2 and units:
        return SetAccepted((int(rng.choice(units)),), bool(rng.integers(2)))
    ids = rng.choice(len(clustering), rng.integers(1, 12), replace=False)
    targets = (-1, *units[:1], -1, -1)
    return Assign(ids, rng.integers(-1, 3, len(ids)), rng.random(len(ids)), unit_ids=targets)


def test_random_edits_undo_to_the_start_redo_to_the_end_and_replay_to_the_same() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        start = rng.integers(-1, 4, 40)
        history = History(Clustering(start))
        states = [_state(history)]
        for _ in range(25):
            if rng.random() < 0.2:
                history.undo()
            elif rng.random() < 0.1:
                history.redo()
            else:
                history.do(_random_command(history, rng))
            states.append(_state(history))
        end = states[-1]
        again = History(Clustering(start))
        assert again.replay(json.loads(json.dumps(history.entries))) == len(history.entries)
        assert _state(again) == end
        assert again.clustering.next_unit_id == history.clustering.next_unit_id
        assert (again.undo_words, again.redo_words) == (history.undo_words, history.redo_words)
        only_commands = History(Clustering(start))
        for command in history.commands:
            only_commands.do(command)
        assert _state(only_commands) == end
        while history.undo():
            pass
        assert _state(history) == states[0]
        while again.undo():
            pass
        while again.redo():
            pass
        assert again.can_undo == bool(again.commands)


def test_redo_of_everything_gives_the_end_again() -> None:
    rng = np.random.default_rng(5)
    history = History(Clustering(rng.integers(-1, 4, 40)))
    for _ in range(30):
        history.do(_random_command(history, rng))
    end = _state(history)
    while history.undo():
        pass
    while history.redo():
        pass
    assert _state(history) == end


def test_replaying_names_the_entry_that_fails_and_those_before_it_stand() -> None:
    first = _history()
    first.do(Merge((0, 1)))
    first.do(SetLabel((3,), "good"))
    second = _history()
    with pytest.raises(CurationError, match="entry 3 of the history cannot be done: unit 0 does not exist"):
        second.replay([*first.entries, {"do": "merge", "unit_ids": [0, 2]}])
    assert _state(second) == _state(first)


def test_a_tag_and_a_note_are_written_and_taken_back() -> None:
    history = History(Clustering(np.array([0, 0, 1, 1]), np.ones(4, np.float32)))
    history.do(SetWords((1,), "tag", "  axon\tpiece "))
    history.do(SetWords((0, 1), "note", "look again"))
    assert history.labels.mark(1) == UnitMark(tag="axon piece", note="look again")
    assert history.undo_words == "note on units 0, 1"
    history.undo()
    assert history.labels.words("note", (0, 1)) == {}
    assert history.labels.words("tag", (0, 1)) == {1: "axon piece"}
    history.redo()
    history.do(SetWords((1,), "tag", ""))
    assert history.labels.tags == ()
    assert history.undo_words == "take the tag off unit 1"
    again = History(Clustering(np.array([0, 0, 1, 1]), np.ones(4, np.float32)))
    again.replay(history.entries)
    assert again.labels.mark(0) == again.labels.mark(1) == UnitMark(note="look again")


def test_a_merged_unit_has_the_tag_that_its_parts_agree_on_and_all_their_notes() -> None:
    history = History(Clustering(np.array([0, 1, 2, 3]), np.ones(4, np.float32)))
    history.do(SetWords((0, 1), "tag", "axon"))
    history.do(SetWords((2,), "tag", "soma"))
    history.do(SetWords((0,), "note", "bursts"))
    history.do(SetWords((1,), "note", "drifts"))
    history.do(Merge((0, 1)))
    assert history.labels.mark(4) == UnitMark(tag="axon", note="bursts; drifts")
    history.do(Merge((4, 2)))
    assert history.labels.mark(5) == UnitMark(note="bursts; drifts")


def test_words_that_are_too_long_or_of_no_kind_are_refused() -> None:
    history = History(Clustering(np.array([0, 0]), np.ones(2, np.float32)))
    with pytest.raises(CurationError, match="a tag has at most 40 characters, this one has 41; shorten it"):
        history.do(SetWords((0,), "tag", 41 * "x"))
    with pytest.raises(CurationError, match="must be one of tag, note, got 'name'"):
        SetWords((0,), "name", "x")
    with pytest.raises(CurationError, match="no unit is selected"):
        SetWords((), "tag", "x")
    assert history.entries == ()
