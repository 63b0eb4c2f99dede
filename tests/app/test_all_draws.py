"""A component that half of its draws settled gets the others when somebody looks at it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import MASSES, WAYS, FakeJobs, opened, units
from later import Later
from tiny_project import tiny_project

from ncpgui.app.controller import Controller
from ncpgui.app.preferences import Preferences
from ncpgui.app.work import jobs
from ncpgui.core.component import Component
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.session.store import load


def doubled(component: Component) -> Component:
    """As many draws once more; all of them count the same."""
    rows = component.posterior.rows
    return replace(component, posterior=PosteriorSamples(np.tile(rows, (2, 1)), np.zeros(2 * len(rows))))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Components whose draws are asked for; they are there at once."""
    ids: list[int] = []

    def all_draws(project: Project, component: Component, *, progress: Any) -> Component:
        progress(1, 2)
        ids.append(component.id)
        return doubled(component)

    monkeypatch.setattr(jobs, "all_draws", all_draws)
    return ids


def _opened(rows: int, preferences: Preferences, path: Path) -> tuple[Controller, Later]:
    """A session of three components with so many draws, of the 200 that were asked for."""
    runner = Later()
    fake = FakeJobs(tiny_project(WAYS, masses=MASSES, rows=rows))
    controller, _ = opened(fake, preferences, path, runner)
    return controller, runner


def _n_draws(controller: Controller) -> list[int]:
    found = [controller.workspace.state.components.sampled(one) for one in (0, 1, 2)]
    return [one.posterior.n_samples for one in found if one is not None]


def test_what_is_looked_at_gets_all_draws_and_nothing_else_changes(
    preferences: Preferences, tmp_path: Path, asked: list[int]
) -> None:
    controller, runner = _opened(100, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    first = workspace.component_id
    assert asked == [first]
    other = next(one for one in workspace.state.components.ids if one != first)
    before = units(workspace, other)
    workspace.show_component(other)
    runner.run()
    assert asked == [first, other]
    assert [_n_draws(controller)[one] for one in (first, other)] == [200, 200]
    assert sum(_n_draws(controller)) == 500
    assert units(workspace, other) == before
    assert not workspace.state.history.can_undo
    workspace.show_component(first)
    runner.run()
    assert asked == [first, other]
    controller.save()
    runner.run()
    kept = {one.id: one.posterior.n_samples for one in load(tmp_path / "s.h5").components}
    assert [kept[one] for one in (first, other)] == [200, 200]


@pytest.mark.parametrize("rows", [10, 99, 101, 200])
def test_other_numbers_of_draws_are_no_half_of_them(
    preferences: Preferences, tmp_path: Path, asked: list[int], rows: int
) -> None:
    _opened(rows, preferences, tmp_path / "s.h5")
    assert asked == []


def test_a_component_that_was_edited_keeps_its_draws(
    preferences: Preferences, tmp_path: Path, asked: list[int]
) -> None:
    controller, runner = _opened(100, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    other = next(one for one in workspace.state.components.ids if one != workspace.component_id)
    workspace.label((units(workspace, other)[0],), "good")
    workspace.show_component(other)
    runner.run()
    assert other not in asked


def test_draws_that_come_after_an_edit_are_dropped(
    preferences: Preferences, tmp_path: Path, asked: list[int]
) -> None:
    controller, runner = _opened(100, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    other = next(one for one in workspace.state.components.ids if one != workspace.component_id)
    workspace.show_component(other)
    runner.work("work")
    workspace.label((units(workspace, other)[0],), "good")
    runner.deliver()
    assert asked[-1] == other
    assert _n_draws(controller)[other] == 100


def test_draws_that_cannot_be_made_are_told_and_not_asked_for_again(
    preferences: Preferences, tmp_path: Path, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, runner = _opened(100, preferences, tmp_path / "s.h5")
    workspace, told = controller.workspace, []
    workspace.state.told.connect(told.append)
    first = workspace.component_id
    other = next(one for one in workspace.state.components.ids if one != first)

    def fail(*_: Any, **__: Any) -> None:
        asked.append(-1)
        raise InputError("out of memory")

    monkeypatch.setattr(jobs, "all_draws", fail)
    for shown in (other, first, other):
        workspace.show_component(shown)
        runner.run()
    assert told == [f"No more draws of {workspace.state.name(other)}: out of memory"]
    assert asked == [first, -1]
    assert _n_draws(controller)[other] == 100
    assert controller.work.activity is None


def test_draws_that_are_stopped_are_asked_for_again_when_somebody_looks(
    preferences: Preferences, tmp_path: Path, asked: list[int]
) -> None:
    controller, runner = _opened(100, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    first = workspace.component_id
    other = next(one for one in workspace.state.components.ids if one != first)
    workspace.show_component(other)
    runner.cancel("work")
    runner.run()
    assert asked == [first]
    assert controller.work.activity is None
    workspace.show_component(first)
    workspace.show_component(other)
    runner.run()
    assert asked == [first, other]
