"""What panels paint and what takes work: computed once, again where spikes change, never when nobody asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import FakeJobs, opened, start
from later import Later

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.receptive_fields import present_receptive_fields
from ncpgui.app.work import measures, panel_data, recordings
from ncpgui.app.work.panel_data import PanelData
from ncpgui.app.work.tasks import ONCE_SETTLED_S, Immediate, Runner
from ncpgui.core.project import Project
from ncpgui.core.stimulus import Stimulus
from ncpgui.session.store import load, save

KEYS = {
    "waveforms": "component, its sampled spikes and contacts",
    "templates": "nothing: there is one set",
    "t-SNE": "sampled spikes and contacts",
    "receptive fields": "spikes of a unit",
    "responses to events": "events, their kind, window, spikes of a unit",
    "findings over draws": "its data, edits, sampled components",
    "correlograms": "scale, spikes of each unit of the grid",
    "correlograms of cards": "scale, spikes of two units",
    "traces": "contacts, sample and how far around it",
    "quality metrics": "unit and version of its spikes",
    "firing times of pairs": "two units and versions of their spikes",
}
"""What the key of each kind carries."""


def data_of(workspace: Workspace, runner: Runner, *, said: list[str] | None = None) -> PanelData:
    return PanelData(workspace, runner, (lambda _: None) if said is None else said.append)


def test_every_kind_says_what_its_key_carries() -> None:
    """Whatever a value depends on is in its key, or does not change while the project is open."""
    kinds = [one.kind for one in data_of(Workspace(), Later()).kinds]
    assert kinds == [*KEYS]
    assert panel_data.__doc__ is not None
    listed = [line for line in panel_data.__doc__.splitlines() if "  " in line]
    for kind, carried in KEYS.items():
        assert [line for line in listed if line.startswith(kind) and carried in line], kind


# -- shapes of spikes -------------------------------------------------------------------------


def test_the_map_of_the_component_on_screen_comes_once(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, ears = opened(fake, preferences, tmp_path / "s.h5", runner)
    data = controller.data
    assert data.embedding() is None
    assert not runner.waiting  # nobody paints it
    assert data.embedding(ask=True) is None
    assert [task.after_s for task in runner.waiting] == [ONCE_SETTLED_S]
    runner.run()
    assert data.embedding() is not None
    assert data.embedding().shape == (10, 2)
    assert ears.arrived == ["t-SNE"]
    controller.workspace.show_component(1)
    assert data.embedding(ask=True) is None
    runner.run()
    controller.workspace.show_component(0)
    assert data.embedding(ask=True) is not None
    assert not runner.waiting
    assert fake.requests.count("t-SNE") == 2
    controller.close()
    assert controller.data.embedding() is None


def test_waveforms_that_are_not_cached_are_read_and_asked_for_once(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    save(replace(fake.project, waveforms={}), tmp_path / "s.h5")
    fake.failing[1] = "the recording is not there any more"
    controller, ears = start(preferences)
    controller.open_session(tmp_path / "s.h5")
    assert controller.workspace.waveforms() is None
    for component_id in (0, 1, 0, 1):
        controller.workspace.show_component(component_id)
        controller.data.ask_shapes()
    controller.workspace.show_component(0)
    assert controller.workspace.waveforms() is fake.project.waveforms[0]
    assert ears.told.count("the recording is not there any more") == 1
    assert (fake.requests.count(0), fake.requests.count(1)) == (1, 1)
    controller.close()


def test_waveforms_of_a_component_that_was_sampled_again_meanwhile_are_late(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    save(replace(fake.project, waveforms={}), tmp_path / "s.h5")
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_session(tmp_path / "s.h5")
    runner.run()
    workspace = controller.workspace
    controller.data.ask_shapes()
    runner.work()
    sampled = workspace.state.components.sampled(0)
    workspace.state.take_sampled(replace(sampled), fake.project.waveforms[0])
    workspace.state.put_waveforms(0, fake.project.waveforms[0])
    runner.deliver()
    assert workspace.waveforms() is fake.project.waveforms[0]
    controller.close()


def test_a_recording_that_moved_is_found_again(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locate(project: Project, path: Path, *, progress: Any) -> Any:
        return replace(project.recording, path=str(path))

    monkeypatch.setattr(recordings, "locate", locate)
    save(replace(fake.project, waveforms={}), tmp_path / "s.h5")
    fake.failing[0] = "the recording is not there any more"
    controller, _ = start(preferences)
    controller.open_session(tmp_path / "s.h5")
    controller.workspace.shown_changed.connect(lambda: controller.data.ask_shapes())
    controller.data.ask_shapes()
    assert controller.workspace.waveforms() is None
    fake.failing.clear()
    said: list[str] = []
    controller.workspace.state.told.connect(said.append)
    controller.locate_recording(tmp_path / "moved.raw")
    assert f"The recording is now {tmp_path / 'moved.raw'}" in said
    assert controller.workspace.waveforms() is not None
    controller.close()
    assert load(tmp_path / "s.h5").recording.path == str(tmp_path / "moved.raw")


# -- receptive fields -------------------------------------------------------------------------


def with_stimulus(project: Project) -> Workspace:
    return Workspace(
        replace(project, stimulus=Stimulus(np.zeros((4, 2, 2), np.int8), np.arange(4) * 100, 30.0))
    )


def test_receptive_fields_of_the_same_spikes_are_computed_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def fields(stimulus: Any, samples: dict[bytes, Any], *, progress: Any) -> dict[bytes, str]:
        asked.append(len(samples))
        return {key: f"field of {len(value)} spikes" for key, value in samples.items()}

    monkeypatch.setattr(measures, "receptive_fields", fields)
    workspace, said = with_stimulus(project), list[str]()
    data = data_of(workspace, Immediate(), said=said)
    assert asked == []
    found, problem = data.fields(others=False)
    assert sorted(found.values()) == ["field of 3 spikes", "field of 3 spikes", "field of 4 spikes"]
    assert (asked, problem) == ([3], "")
    workspace.show_alternative(1)
    assert len(data.fields(others=False)[0]) == 2
    assert asked == [3, 1]  # unit 2 is the same as before
    workspace.show_alternative(None)
    data.fields(others=True)  # the other card joins 0 and 1, as was shown before
    assert asked == [3, 1]
    assert said == ["receptive fields"] * 2


def test_a_stimulus_that_is_too_short_is_said_where_the_fields_would_be(project: Project) -> None:
    workspace, said = with_stimulus(project), list[str]()
    data = data_of(workspace, Immediate(), said=said)
    known, problem = data.fields(others=False)
    view = present_receptive_fields(workspace, known, problem=problem)
    assert view.tiles == ()
    assert view.message.startswith("No receptive fields: ")
    assert "needs at least that many frames, got 4" in view.message
    assert said == ["receptive fields"]


# -- numbers of units -------------------------------------------------------------------------


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Units of each call of the work."""
    calls: list[list[int]] = []
    real = panel_data.unit_metrics

    def spy(trains, *rest, **options):
        calls.append(sorted(trains))
        return real(trains, *rest, **options)

    monkeypatch.setattr(panel_data, "unit_metrics", spy)
    return calls


def units_of(workspace: Workspace) -> Iterable[int]:
    return workspace.state.clustering.unit_ids.tolist()


def test_metrics_come_so_many_at_once_while_somebody_asks(
    workspace: Workspace, computed: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel_data, "UNITS_AT_ONCE", 2)
    data = data_of(workspace, Immediate())
    assert data.metrics(units_of(workspace), ask=False) == {}
    assert computed == []
    assert [len(data.metrics(units_of(workspace), ask=True)) for _ in range(4)] == [2, 4, 5, 5]
    assert computed == [[0, 1], [2, 3], [4]]
    assert data.metrics([0], ask=False)[0].isi_violations_ratio == 0


def test_an_edit_computes_metrics_of_its_units_only(workspace: Workspace, computed: list[list[int]]) -> None:
    data = data_of(workspace, Immediate())
    data.metrics(units_of(workspace), ask=True)
    workspace.merge((0, 1))
    assert sorted(data.metrics(units_of(workspace), ask=True)) == [2, 3, 4, 5]
    assert computed[1:] == [[5]]
    workspace.undo()
    assert sorted(data.metrics(units_of(workspace), ask=True)) == [0, 1, 2, 3, 4]
    assert computed[2:] == [[0, 1]]
    workspace.label((2,), "good")
    data.metrics(units_of(workspace), ask=True)
    assert len(computed) == 3


def test_an_edit_while_metrics_are_computed_makes_those_of_its_units_late(workspace: Workspace) -> None:
    runner = Later()
    data = data_of(workspace, runner)
    data.metrics(units_of(workspace), ask=True)
    runner.work()
    workspace.merge((0, 1))
    assert data.metrics(units_of(workspace), ask=True) == {}
    runner.run()
    assert sorted(data.metrics(units_of(workspace), ask=True)) == [2, 3, 4, 5]
    assert not runner.waiting


def test_firing_times_of_a_pair_are_asked_for_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[tuple[int, ...]]] = []

    def times(trains: dict[Any, Any], rate_hz: float, *, progress: Any) -> Any:
        asked.append([tuple(unit for unit, _ in key) for key in trains])
        return {key: float(sum(unit for unit, _ in key)) for key in trains}

    monkeypatch.setattr(measures, "pair_times", times)
    said: list[str] = []
    data = data_of(workspace, Immediate(), said=said)
    assert data.pairs(1, [0, 2]) == {0: 1.0, 2: 3.0}
    assert data.pairs(0, [1]) == {1: 1.0}
    assert asked == [[(0, 1), (1, 2)]]
    assert said == ["firing times of pairs"]
    workspace.merge((0, 1))
    assert data.pairs(5, [2]) == {2: 7.0}


def test_work_that_fails_is_told_once(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(panel_data, "unit_metrics", fail)
    told: list[str] = []
    workspace.state.told.connect(told.append)
    data = data_of(workspace, Immediate())
    for _ in range(2):
        assert data.metrics([0, 1], ask=True) == {}
    assert told == ["No quality metrics: no memory"]


def test_another_project_begins_anew(
    workspace: Workspace, project: Project, preferences: Preferences
) -> None:
    controller = Controller(workspace, Immediate(), preferences)
    assert len(controller.data.metrics([0], ask=True)) == 1
    workspace.state.open(project)
    assert controller.data.metrics([0], ask=False) == {}
    runner = Later()
    data = data_of(workspace, runner)
    data.metrics([0], ask=True)
    data.close()
    assert not runner.waiting
