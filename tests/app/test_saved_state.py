"""What of the work is safe: each action is in the journal, in the last save, or known to wait for one."""

from __future__ import annotations

from typing import Any

import pytest

from ncpgui.app.model.saved_state import SaveState
from ncpgui.core.errors import SessionError
from tests.app.fake_session import FakeSession

ACTIONS = [{"number": number} for number in range(5)]


def begun(session: FakeSession | None, **how: Any) -> SaveState:
    kept = SaveState()
    kept.start(session, **{"n_saved": 0, "n_entries": 0, "is_whole": True, **how})
    return kept


def test_nothing_is_behind_before_anything_was_opened() -> None:
    kept = SaveState()
    assert kept.is_saved
    assert kept.is_safe(0)
    assert kept.stop() is None


def test_without_a_session_each_action_waits_for_a_save() -> None:
    kept = begun(None)
    assert not kept.is_saved
    assert not kept.is_safe(0)
    assert not kept.is_behind(0)
    assert kept.is_behind(1)


def test_what_is_in_a_file_that_is_only_read_is_safe_until_it_is_changed() -> None:
    kept = begun(None, n_entries=3, is_elsewhere=True)
    assert kept.is_saved
    assert kept.is_safe(3)
    kept.change()
    assert not kept.is_saved
    assert kept.is_behind(4)


def test_actions_go_to_the_journal_each_once() -> None:
    session = FakeSession()
    kept = begun(session)
    assert kept.is_saved
    for n in (1, 2, 2):
        kept.change()
        kept.write(ACTIONS[:n])
        assert session.journal == ACTIONS[:n]
        assert kept.is_safe(n)
        assert not kept.is_saved
    assert not kept.is_safe(3)


def test_actions_that_were_saved_or_in_the_journal_at_the_beginning_are_not_written_again() -> None:
    session = FakeSession()
    kept = begun(session, n_saved=1, n_entries=2)
    assert not kept.is_saved
    assert kept.is_safe(2)
    kept.write(ACTIONS[:3])
    assert session.journal == ACTIONS[2:3]
    assert begun(FakeSession(), n_saved=2, n_entries=2).is_saved


def test_actions_wait_for_a_save_where_the_journal_holds_something_else() -> None:
    session = FakeSession()
    kept = begun(session, is_whole=False)
    kept.change()
    kept.write(ACTIONS[:1])
    assert session.journal == []
    assert kept.is_behind(1)
    kept.saved(session, kept.mark(1), ACTIONS[:2])
    assert session.journal == ACTIONS[1:2]
    assert kept.is_safe(2)


def test_actions_wait_while_the_sorting_before_them_is_not_saved() -> None:
    session = FakeSession()
    kept = begun(session)
    kept.change(base=True)
    kept.write(ACTIONS[:1])
    assert session.journal == []
    assert not kept.is_safe(0)


def test_what_no_journal_keeps_is_safe_in_a_save_only() -> None:
    session = FakeSession()
    kept = begun(session)
    kept.change(content=True)
    assert not kept.is_safe(0)
    kept.saved(session, kept.mark(0), [])
    assert kept.is_safe(0)
    assert kept.is_saved


def test_an_action_that_could_not_be_written_is_written_with_the_next() -> None:
    session = FakeSession()
    kept = begun(session)
    session.is_full = True
    with pytest.raises(SessionError, match="full"):
        kept.write(ACTIONS[:1])
    assert kept.is_behind(1)
    session.is_full = False
    kept.write(ACTIONS[:2])
    assert session.journal == ACTIONS[:2]


@pytest.mark.parametrize("is_saved", [True, False])
def test_actions_that_a_save_holds_do_not_follow_it_and_are_written_where_it_failed(is_saved: bool) -> None:
    session = FakeSession()
    kept = begun(session)
    session.is_full = True
    with pytest.raises(SessionError):
        kept.write(ACTIONS[:2])
    session.is_full = False
    mark = kept.mark(2)
    assert (mark.n_entries, mark.n_in_journal) == (2, 0)
    kept.write(ACTIONS[:3])
    assert session.journal == [], "a save is under way that holds two of them"
    if is_saved:
        kept.saved(session, mark, ACTIONS[:3])
        assert session.journal == ACTIONS[2:3]
    else:
        kept.missed(ACTIONS[:3])
        assert session.journal == ACTIONS[:3]
    assert kept.is_safe(3)


def test_the_journal_goes_on_while_a_save_is_under_way_that_lacks_nothing_of_it() -> None:
    session = FakeSession()
    kept = begun(session)
    kept.write(ACTIONS[:1])
    mark = kept.mark(1)
    kept.write(ACTIONS[:2])
    assert session.journal == ACTIONS[:2]
    kept.change()
    kept.saved(session, mark, ACTIONS[:2])
    assert session.journal == ACTIONS[:2]
    assert not kept.is_saved, "something was changed since the save began"


def test_a_save_under_another_name_closes_the_first_session_and_goes_on_in_the_other() -> None:
    first, other = FakeSession(), FakeSession()
    kept = begun(first)
    kept.write(ACTIONS[:2])
    kept.saved(other, kept.mark(2), ACTIONS[:3])
    assert first.is_closed
    assert (first.journal, other.journal) == (ACTIONS[:2], ACTIONS[2:3])
    assert kept.stop() is other
    assert not other.is_closed


def test_a_project_that_is_closed_leaves_nothing_behind() -> None:
    session = FakeSession()
    kept = begun(session)
    kept.change(base=True)
    assert kept.stop() is session
    assert kept.is_saved
    assert kept.is_safe(0)
