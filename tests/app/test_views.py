"""What panels wait for is asked for once; exports are of the moment when they were asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import FakeJobs, opened, request, start
from later import Later

from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.receptive_fields import present_receptive_fields
from ncpgui.app.work import jobs
from ncpgui.app.work.tasks import PAINTED_AFTER_S
from ncpgui.core.errors import InputError
from ncpgui.core.project import Project
from ncpgui.core.stimulus import Stimulus
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.export.whole_project import Exported
from ncpgui.session.store import load, save

# -- what panels wait for -------------------------------------------------------------------


def test_the_map_of_the_component_on_screen_comes_once(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, ears = opened(fake, preferences, tmp_path / "s.h5", runner)
    assert controller.embedding() is None  # nobody sees it
    controller.want("embedding", True)
    assert [task.after_s for task in runner.waiting] == [PAINTED_AFTER_S]
    runner.run()
    assert controller.embedding() is not None
    assert controller.embedding().shape == (10, 2)
    assert ears.derived == 1
    controller.workspace.show_component(1)
    assert controller.embedding() is None
    runner.run()
    controller.workspace.show_component(0)
    controller.refresh_views()
    assert not runner.waiting
    assert fake.requests.count("t-SNE") == 2
    controller.close()


def test_waveforms_that_are_not_cached_are_read_and_asked_for_once(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    save(replace(fake.project, waveforms={}), tmp_path / "s.h5")
    fake.failing[1] = "the recording is not there any more"
    controller, ears = start(preferences)
    controller.open_session(tmp_path / "s.h5")
    assert controller.workspace.waveforms() is fake.project.waveforms[0]
    for channel in (1, 0, 1):
        controller.workspace.show_component(channel)
    assert ears.told.count("the recording is not there any more") == 1
    assert fake.requests.count(1) == 1
    controller.close()


def test_a_recording_that_moved_is_found_again(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locate(project: Project, path: Path, *, progress: Any) -> Any:
        return replace(project.recording, path=str(path))

    monkeypatch.setattr(jobs, "locate", locate)
    save(replace(fake.project, waveforms={}), tmp_path / "s.h5")
    fake.failing[0] = "the recording is not there any more"
    controller, _ = start(preferences)
    controller.open_session(tmp_path / "s.h5")
    assert controller.workspace.waveforms() is None
    fake.failing.clear()
    controller.locate_recording(tmp_path / "moved.raw")
    assert controller.workspace.waveforms() is not None
    controller.close()
    assert load(tmp_path / "s.h5").recording.path == str(tmp_path / "moved.raw")


def test_receptive_fields_are_asked_for_when_they_are_on_screen(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def fields(stimulus: Any, samples: dict[bytes, Any], *, progress: Any) -> dict[bytes, str]:
        asked.append(len(samples))
        return {key: f"field of {len(value)} spikes" for key, value in samples.items()}

    monkeypatch.setattr(jobs, "receptive_fields", fields)
    stimulus = Stimulus(np.zeros((4, 2, 2), np.int8), np.arange(4) * 100, 30.0)
    save(replace(fake.project, stimulus=stimulus), tmp_path / "s.h5")
    controller, ears = start(preferences)
    controller.open_session(tmp_path / "s.h5")
    assert asked == []
    controller.want("fields", True)
    assert asked == [3]
    assert sorted(controller.fields.values()) == [
        "field of 3 spikes",
        "field of 3 spikes",
        "field of 4 spikes",
    ]
    controller.workspace.show_alternative(1)
    assert asked == [3, 1]  # unit 2 is the same as before
    controller.workspace.show_alternative(None)
    assert asked == [3, 1]
    assert ears.derived == 2
    controller.close()
    assert controller.fields == {}


def test_a_stimulus_that_is_too_short_is_said_where_the_fields_would_be(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    stimulus = Stimulus(np.zeros((4, 2, 2), np.int8), np.arange(4) * 100, 30.0)
    save(replace(fake.project, stimulus=stimulus), tmp_path / "s.h5")
    controller, _ = start(preferences)
    controller.open_session(tmp_path / "s.h5")
    controller.want("fields", True)
    view = present_receptive_fields(
        controller.workspace, controller.fields, problem=controller.fields_problem
    )
    assert view.tiles == ()
    assert view.message.startswith("No receptive fields: ")
    assert "needs at least that many frames, got 4" in view.message
    controller.close()
    assert controller.fields_problem == ""


# -- export ---------------------------------------------------------------------------------


def test_an_export_is_of_the_sorting_when_it_was_asked_for(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []

    def write(
        _project: Any, decided: CuratedSorting, name: str, path: Path, *, min_probability: float, **_: Any
    ) -> Exported:
        given.append((decided, name, min_probability))
        return Exported(path, 3, 2, ("the traces (no file)",))

    monkeypatch.setattr(jobs, "export", write)
    runner = Later()
    controller, ears = opened(fake, preferences, tmp_path / "s.h5", runner)
    controller.workspace.label((0,), "good")
    controller.workspace.set_accepted((2,), True)
    controller.export("phy", tmp_path / "phy", min_probability=0.8)
    controller.workspace.merge((0, 1))
    runner.run()
    decided, name, min_probability = given[0]
    assert decided.unit_of_spike.tolist() == fake.project.unit_of_spike.tolist()
    assert decided.labels == {0: "good", 1: "unsorted", 2: "unsorted", 3: "unsorted", 4: "unsorted"}
    assert (decided.accepted, name, min_probability) == ({2}, "phy", 0.8)
    assert f"Exported to {tmp_path / 'phy'}; left out: the traces (no file)" in ears.told
    controller.close()
    with pytest.raises(InputError, match="nothing to export"):
        controller.export("phy", tmp_path / "phy")


def test_an_export_that_ends_does_not_hide_the_sampling_that_goes_on(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "export", lambda *_, **__: Exported(tmp_path, 1, 1, ()))
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_recording(request(tmp_path))
    runner.work("work")
    runner.deliver()
    runner.work("work")
    controller.export("phy", tmp_path / "phy")
    assert controller.activity.words == "Exporting to phy"
    assert not controller.activity.can_cancel
    runner.work("export")
    runner.deliver()
    assert controller.activity.words == "Sampling the posterior: 1 of 3 components"
    controller.close()
    runner.run()
