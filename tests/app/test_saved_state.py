"""What of the work is safe: each action is in the journal, in the last save, or known to wait for one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tiny_project import tiny_project

from ncpgui.app.model.saved_state import SaveState
from ncpgui.core.errors import SessionError
from ncpgui.core.project import Project
from tests.app.fake_session import FakeSession

ACTIONS: list[dict[str, Any]] = [{"number": number} for number in range(5)]
PROJECT = tiny_project({0: [[0, 0, 1, 1]]})


def after(n: int, project: Project = PROJECT) -> Project:
    """The project after some actions."""
    return replace(project, history=tuple(ACTIONS[:n]))


def begun(session: FakeSession | None, *, n_saved: int = 0, n_written: int = 0) -> SaveState:
    kept = SaveState()
    kept.start(session, after(n_saved), n_written=n_written)
    return kept


OTHER_CONTENT = replace(PROJECT, failed={0: "no model"})
OTHER_BASE = replace(PROJECT, unit_of_spike=PROJECT.unit_of_spike + 1)


def test_without_a_session_each_action_waits_for_a_save() -> None:
    kept = SaveState()
    assert not kept.is_saved(after(0))
    assert not kept.is_safe(after(0))
    assert not kept.is_behind(after(0))
    assert kept.is_behind(after(1))


def test_what_is_in_a_file_that_is_only_read_is_safe_until_it_is_changed() -> None:
    kept = begun(None, n_saved=3, n_written=3)
    assert kept.is_saved(after(3))
    assert kept.is_safe(after(3))
    assert not kept.is_saved(after(4))
    assert kept.is_behind(after(4))


def test_actions_go_to_the_journal_each_once() -> None:
    session = FakeSession()
    kept = begun(session)
    assert kept.is_saved(after(0))
    for n in (1, 2, 2):
        kept.write(after(n))
        assert session.journal == ACTIONS[:n]
        assert kept.is_safe(after(n))
        assert not kept.is_saved(after(n))
    assert not kept.is_safe(after(3))


def test_actions_that_were_saved_or_in_the_journal_at_the_beginning_are_not_written_again() -> None:
    session = FakeSession()
    kept = begun(session, n_saved=1, n_written=2)
    assert not kept.is_saved(after(2))
    assert kept.is_safe(after(2))
    kept.write(after(3))
    assert session.journal == ACTIONS[2:3]


def test_actions_wait_for_a_save_where_the_journal_holds_something_else() -> None:
    session = FakeSession()
    kept = SaveState()
    kept.start(session, None)
    kept.write(after(1))
    kept.missed(after(1))  # of a save that fails
    assert session.journal == []
    assert kept.is_behind(after(1))
    kept.begin(after(1))
    kept.saved(session, after(1), after(2))
    assert session.journal == ACTIONS[1:2]
    assert kept.is_safe(after(2))


def test_actions_wait_while_the_sorting_before_them_is_not_saved() -> None:
    session = FakeSession()
    kept = begun(session)
    kept.write(after(1, OTHER_BASE))
    assert session.journal == []
    assert not kept.is_safe(after(0, OTHER_BASE))


def test_what_no_journal_keeps_is_safe_in_a_save_only() -> None:
    session = FakeSession()
    kept = begun(session)
    now = after(0, OTHER_CONTENT)
    assert not kept.is_safe(now)
    kept.begin(now)
    kept.saved(session, now, now)
    assert kept.is_safe(now)
    assert kept.is_saved(now)
    assert not kept.is_saved(after(0)), "what was saved before is another state"


def test_waveforms_that_were_read_again_are_nothing_to_save() -> None:
    kept = begun(FakeSession())
    assert kept.is_saved(replace(PROJECT, waveforms={}))


def test_an_action_that_could_not_be_written_is_written_with_the_next() -> None:
    session = FakeSession()
    kept = begun(session)
    session.is_full = True
    with pytest.raises(SessionError, match="full"):
        kept.write(after(1))
    assert kept.is_behind(after(1))
    session.is_full = False
    kept.write(after(2))
    assert session.journal == ACTIONS[:2]


@pytest.mark.parametrize("is_saved", [True, False])
def test_actions_that_a_save_holds_do_not_follow_it_and_are_written_where_it_failed(is_saved: bool) -> None:
    session = FakeSession()
    kept = begun(session)
    session.is_full = True
    with pytest.raises(SessionError):
        kept.write(after(2))
    session.is_full = False
    assert kept.begin(after(2)) == 0
    kept.write(after(3))
    assert session.journal == [], "a save is under way that holds two of them"
    if is_saved:
        kept.saved(session, after(2), after(3))
        assert session.journal == ACTIONS[2:3]
    else:
        kept.missed(after(3))
        assert session.journal == ACTIONS[:3]
    assert kept.is_safe(after(3))


def test_the_journal_goes_on_while_a_save_is_under_way_that_lacks_nothing_of_it() -> None:
    session = FakeSession()
    kept = begun(session)
    kept.write(after(1))
    assert kept.begin(after(1)) == 1
    kept.write(after(2))
    assert session.journal == ACTIONS[:2]
    kept.saved(session, after(1), after(2))
    assert session.journal == ACTIONS[:2]
    assert not kept.is_saved(after(2)), "something was done since the save began"


def test_a_component_sampled_while_a_save_is_under_way_is_not_saved() -> None:
    session = FakeSession()
    kept = begun(session)
    kept.begin(after(0))
    kept.saved(session, after(0), after(1, OTHER_BASE))
    assert session.journal == []
    assert not kept.is_saved(after(0, OTHER_BASE))
    assert kept.is_behind(after(1, OTHER_BASE))


def test_a_save_under_another_name_closes_the_first_session_and_goes_on_in_the_other() -> None:
    first, other = FakeSession(), FakeSession()
    kept = begun(first)
    kept.write(after(2))
    kept.begin(after(2))
    kept.saved(other, after(2), after(3))
    assert first.is_closed
    assert (first.journal, other.journal) == (ACTIONS[:2], ACTIONS[2:3])
    assert kept.stop() is other
    assert not other.is_closed


def test_a_session_that_was_handed_over_gets_no_more_actions() -> None:
    session = FakeSession()
    kept = begun(session)
    assert kept.stop() is session
    assert kept.stop() is None
    kept.write(after(1))
    assert session.journal == []
