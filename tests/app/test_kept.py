"""What the session file holds: a journal must never have a gap, nor an action twice."""

from __future__ import annotations

import pytest
from tiny_project import tiny_project

from ncpgui.app.model.workspace import Workspace
from tests.app.fake_session import FakeSession

WAYS = {0: [[0, 0, 0, 1, 1, 1, 2, 2]], 1: [[0, 0, 0, 1, 1]]}


def opened(*, sampled: bool = True) -> tuple[Workspace, FakeSession, list[str]]:
    workspace, session, told = Workspace(), FakeSession(), []
    workspace.state.open(tiny_project(WAYS, sampled=sampled), session=session)
    workspace.state.told.connect(told.append)
    return workspace, session, told


def test_every_action_is_in_the_journal_when_it_is_done() -> None:
    workspace, session, _ = opened()
    workspace.label((0,), "good")
    workspace.undo()
    assert session.everything == ["good", "undo"]
    assert workspace.state.is_safe
    assert not workspace.state.is_saved


def test_saved_means_in_the_file_and_safe_means_there_or_in_the_journal() -> None:
    workspace, session, _ = opened()
    assert (workspace.state.is_saved, workspace.state.is_safe) == (True, True)
    workspace.label((0,), "good")
    assert (workspace.state.is_saved, workspace.state.is_safe) == (False, True)
    workspace.state.set_failed(0, "no model")
    assert (workspace.state.is_saved, workspace.state.is_safe) == (False, False)
    project, n = workspace.state.begin_save()
    session.save(project, n_entries=n)
    workspace.state.saved(session, project)
    assert (workspace.state.is_saved, workspace.state.is_safe) == (True, True)


def test_the_saved_flag_is_told_when_it_changes_and_only_then() -> None:
    workspace, session, _ = opened()
    changes: list[bool] = []
    workspace.state.saved_changed.connect(lambda: changes.append(workspace.state.is_saved))
    workspace.label((0,), "good")
    workspace.label((0,), "mua")
    project, _ = workspace.state.begin_save()
    workspace.state.saved(session, project)
    project, _ = workspace.state.begin_save()
    workspace.label((0,), "noise")
    workspace.state.saved(session, project)
    assert changes == [False, True, False]


def test_an_action_that_cannot_be_written_is_told_and_written_before_the_next() -> None:
    workspace, session, _ = opened()
    warned: list[str] = []
    workspace.state.warned.connect(warned.append)
    session.is_full = True
    workspace.label((0,), "good")
    assert warned == ["The action was done but not written to the journal: disk full"]
    assert not workspace.state.is_safe
    assert workspace.state.history.labels.label(0) == "good"
    session.is_full = False
    workspace.label((0,), "mua")
    assert session.everything == ["good", "mua"]
    assert workspace.state.is_safe


def test_an_action_done_while_a_save_takes_in_an_unwritten_one_is_written_once() -> None:
    workspace, session, _ = opened()
    session.is_full = True
    workspace.label((0,), "good")
    session.is_full = False
    project, n = workspace.state.begin_save()
    workspace.label((0,), "mua")
    session.save(project, n_entries=n)
    workspace.state.saved(session, project)
    assert session.everything == ["good", "mua"]


def test_actions_done_while_a_save_fails_are_written_to_the_journal() -> None:
    workspace, session, _ = opened()
    session.is_full = True
    workspace.label((0,), "good")
    session.is_full = False
    workspace.state.begin_save()
    workspace.label((0,), "mua")
    assert session.everything == []
    workspace.state.not_saved()
    assert session.everything == ["good", "mua"]


def test_actions_on_a_sorting_that_the_file_lacks_wait_for_a_save() -> None:
    """Units of a component sampled since the last save mean nothing to the journal of that save."""
    workspace, session, _ = opened(sampled=False)
    whole = tiny_project(WAYS)
    workspace.state.take_sampled(whole.components[0], whole.waveforms[0])
    workspace.label((0,), "good")
    assert session.journal == []
    assert workspace.state.is_behind
    project, n = workspace.state.begin_save()
    workspace.label((0,), "mua")
    session.save(project, n_entries=n)
    workspace.state.saved(session, project)
    assert session.everything == ["good", "mua"]
    workspace.label((0,), "noise")
    assert session.everything == ["good", "mua", "noise"]


def test_a_component_sampled_while_a_save_runs_makes_the_next_action_wait_again() -> None:
    workspace, session, _ = opened(sampled=False)
    whole = tiny_project(WAYS)
    workspace.state.take_sampled(whole.components[0], whole.waveforms[0])
    project, n = workspace.state.begin_save()
    workspace.state.take_sampled(whole.components[1], whole.waveforms[1])
    workspace.label((4,), "good")  # a unit that the save does not know
    session.save(project, n_entries=n)
    workspace.state.saved(session, project)
    assert session.everything == []
    assert workspace.state.is_behind
    project, n = workspace.state.begin_save()
    session.save(project, n_entries=n)
    workspace.state.saved(session, project)
    assert session.everything == ["good"]
    assert not workspace.state.is_behind


def test_a_save_elsewhere_takes_the_actions_since_with_it_and_closes_the_file_before() -> None:
    workspace, session, _ = opened()
    workspace.label((0,), "good")
    project, _ = workspace.state.begin_save()
    workspace.label((0,), "mua")
    other = FakeSession(list(project.history))
    workspace.state.saved(other, project)
    assert session.is_closed
    assert session.everything == ["good", "mua"]
    assert other.everything == ["good", "mua"]
    workspace.label((0,), "noise")
    assert len(session.everything) == 2


def test_actions_after_a_journal_that_stops_midway_wait_for_a_save() -> None:
    """Written behind the action that cannot be done, nobody would read them again."""
    workspace, session, warned = Workspace(), FakeSession(), []
    bad = [{"do": "label", "unit_ids": [0], "label": "good"}, {"do": "merge", "unit_ids": [0, 99]}]
    session.journal = list(bad)
    workspace.state.warned.connect(warned.append)
    workspace.state.open(tiny_project(WAYS), session=session, entries=bad)
    assert "Action 2 of the journal" in warned[-1]
    assert warned[-1].endswith("; the journal is kept as fake.h5.journal.1")
    workspace.label((1,), "mua")
    assert session.journal == bad
    assert workspace.state.is_behind
    project, n = workspace.state.begin_save()
    session.save(project, n_entries=n)
    workspace.state.saved(session, project)
    assert session.everything == ["good", "mua"]


def test_what_was_recovered_is_safe_but_not_saved() -> None:
    workspace, session = Workspace(), FakeSession()
    session.journal = [{"do": "label", "unit_ids": [0], "label": "good"}]
    workspace.state.open(tiny_project(WAYS), session=session, entries=session.journal)
    assert (workspace.state.is_saved, workspace.state.is_safe) == (False, True)
    workspace.label((0,), "mua")
    assert session.everything == ["good", "mua"]


def test_a_project_without_a_session_is_neither_saved_nor_safe() -> None:
    workspace = Workspace(tiny_project(WAYS))
    assert (workspace.state.is_saved, workspace.state.is_safe, workspace.state.is_behind) == (
        False,
        False,
        False,
    )
    workspace.label((0,), "good")
    assert workspace.state.is_behind


def test_closing_closes_the_file_unless_it_was_handed_over() -> None:
    workspace, session, _ = opened()
    workspace.state.close()
    assert session.is_closed
    workspace, session, _ = opened()
    assert workspace.state.release_session() is session
    workspace.state.close()
    assert not session.is_closed


@pytest.mark.parametrize("n", [0, 3])
def test_a_reopened_project_goes_on_after_its_history(n: int) -> None:
    from dataclasses import replace

    workspace, session, _ = opened()
    history = tuple({"do": "label", "unit_ids": [0], "label": "good"} for _ in range(n))
    session.file = list(history)
    workspace.state.open(replace(tiny_project(WAYS), history=history), session=session)
    workspace.label((1,), "mua")
    assert session.everything == ["good"] * n + ["mua"]
