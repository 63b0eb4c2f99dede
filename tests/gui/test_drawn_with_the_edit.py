"""A decision that leaves few draws is drawn once, with the sampling that it begins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.probe_map import present_probe_map
from ncpgui.app.presenters.queue import present_queue
from ncpgui.app.work import asked_again, jobs
from ncpgui.app.work.sampling import Sampling
from ncpgui.core.project import Project
from ncpgui.curation import conditioned
from ncpgui.gui.panels.alternatives import AlternativesPanel
from ncpgui.gui.panels.probe_map import ProbeMapPanel
from ncpgui.gui.panels.queue import QueuePanel
from tests.gui.windows import press_keys, redraws, settle, shown_window
from tests.later import Later

draw_where_few_are_left = Sampling.draw_where_few_are_left


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch, workspace: Workspace, controller) -> None:
    """The sorting that is used next has one of four draws."""
    monkeypatch.setattr(Sampling, "draw_where_few_are_left", draw_where_few_are_left)
    workspace.show_alternative(1)


@pytest.mark.usefixtures("few_draws")
def test_a_decision_is_drawn_once_and_the_sampling_that_it_asks_for_is_there(
    show: Callable, screen, workspace: Workspace, runner
) -> None:
    kinds = (QueuePanel, ProbeMapPanel, AlternativesPanel)
    drawn = {kind.__name__: redraws(show(kind)) for kind in kinds}
    adopt(workspace)
    screen.settle()
    assert workspace.questions.status(0).words == "sampling 0 %"
    [task] = [one for one in runner.held if one.key == ("sample", 0)]
    task.started()
    screen.settle()
    assert {name: len(times) for name, times in drawn.items()} == {kind.__name__: 1 for kind in kinds}
    task.progressed(0.5, "")
    screen.settle()
    assert workspace.questions.status(0).words == "sampling 50 %"
    assert {name: len(times) for name, times in drawn.items()} == {
        "QueuePanel": 2,
        "ProbeMapPanel": 1,
        "AlternativesPanel": 1,
    }


@pytest.mark.usefixtures("few_draws")
def test_a_question_that_is_answered_stays_so_while_it_is_sampled_again(
    workspace: Workspace, controller
) -> None:
    adopt(workspace)
    assert workspace.questions.status(0).state == "sampling"
    assert workspace.questions.is_answered(0)
    assert workspace.questions.queue_order()[-1] == 0


@pytest.mark.usefixtures("few_draws")
def test_what_stays_is_found_where_it_is_sampled(
    workspace: Workspace, runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[object] = []
    monkeypatch.setattr(asked_again, "clamp_of", lambda *_: found.append(1) or "what stays")
    monkeypatch.setattr(jobs, "resample", lambda *given, **_: given[3])
    adopt(workspace)
    [task] = [one for one in runner.held if one.key == ("sample", 0)]
    assert found == []
    assert task.work(lambda *_: None) == "what stays"
    assert found == [1]


def test_without_cards_progress_is_said_in_their_place(show: Callable, screen, workspace: Workspace) -> None:
    panel = show(AlternativesPanel)
    workspace.show_component(1)
    for share in (0.0, 0.25):
        workspace.state.set_status(1, ComponentStatus("sampling", share))
        screen.settle()
    assert panel.message.text() == "Sampling the posterior of these spikes … 25 %"


def test_a_label_makes_numbers_of_its_own_component_anew(
    array_project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queue and probe ask for those of all components after each edit."""
    workspace = Workspace(array_project)
    present_queue(workspace)
    present_probe_map(workspace)
    made: list[int] = []
    questions = type(workspace.questions)
    misplaced = questions.misplaced
    monkeypatch.setattr(questions, "misplaced", lambda self, one: made.append(one) or misplaced(self, one))
    own = workspace.state.components.ids[1]
    workspace.label((workspace.current_of(own).units[0].unit,), "good")
    present_queue(workspace)
    present_probe_map(workspace)
    assert made == [own]


def test_undo_stops_the_draws_that_an_edit_asked_for_and_redo_asks_for_them_again(
    qtbot, tmp_path: Path, array_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = Later()
    with shown_window(qtbot, tmp_path, runner=runner) as window:
        monkeypatch.setattr(Sampling, "draw_where_few_are_left", draw_where_few_are_left)
        monkeypatch.setattr(conditioned, "FEW_DRAWS", 1000)  # less than half of them are few
        window.workspace.state.open(array_project)
        settle()
        runner.run()

        def draws_after(key: str) -> list[str]:
            press_keys(qtbot, window, key)
            settle()
            return [task.words for task in runner.waiting if str(task.key).startswith("('sample'")]

        window.workspace.show_component(1)  # its units are one in 43 % of its draws
        assert draws_after("Ctrl+A") == []
        asked = draws_after("G")
        assert len(asked) == 1
        assert draws_after("Ctrl+Z") == []
        assert draws_after("Ctrl+Y") == asked
        window.controller.close()
