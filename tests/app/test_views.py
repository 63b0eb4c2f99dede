"""Exports are of the moment when they were asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from app_fakes import FakeJobs, opened, request, start
from later import Later

from ncpgui.app.preferences import Preferences
from ncpgui.app.work.saving import export
from ncpgui.core.errors import InputError
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.export import whole_project
from ncpgui.export.whole_project import Exported

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

    monkeypatch.setattr(whole_project, "export_project", write)
    runner = Later()
    controller, ears = opened(fake, preferences, tmp_path / "s.h5", runner)
    controller.workspace.label((0,), "good")
    controller.workspace.set_accepted((2,), True)
    export(controller.workspace, controller.work, "phy", tmp_path / "phy", min_probability=0.8)
    controller.workspace.merge((0, 1))
    runner.run()
    decided, name, min_probability = given[0]
    assert decided.unit_of_spike.tolist() == fake.project.unit_of_spike.tolist()
    assert decided.labels == {0: "good", 1: "unsorted", 2: "unsorted", 3: "unsorted", 4: "unsorted"}
    assert (decided.accepted, name, min_probability) == ({2}, "phy", 0.8)
    assert f"Exported to {tmp_path / 'phy'}; left out: the traces (no file)" in ears.told
    controller.close()
    with pytest.raises(InputError, match="nothing to export"):
        export(controller.workspace, controller.work, "phy", tmp_path / "phy")


def test_an_export_that_ends_does_not_hide_the_sampling_that_goes_on(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_project, "export_project", lambda *_, **__: Exported(tmp_path, 1, 1, ()))
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_recording(request(tmp_path))
    runner.work("work")
    runner.deliver()
    runner.work("work")
    export(controller.workspace, controller.work, "phy", tmp_path / "phy")
    assert controller.work.activity.words == "Exporting to phy"
    assert not controller.work.activity.can_cancel
    runner.work("export")
    runner.deliver()
    assert controller.work.activity.words == "Sampling the posterior: 1 of 3 questions"
    controller.close()
    runner.run()
