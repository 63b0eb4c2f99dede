"""Long work that is not done, for tests of what is around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from later import Later
from read_once import saved_copy
from tiny_project import unsampled

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.work import jobs, measures, recordings
from ncpgui.app.work.activity import Activity
from ncpgui.app.work.tasks import Immediate, Runner
from ncpgui.core.component import WaitingComponent
from ncpgui.core.errors import InputError
from ncpgui.core.project import Project

WAYS = {
    0: [[0, 0, 0, 0, 1, 1, 1, 2, 2, 2], [0] * 7 + [1] * 3],
    1: [[0] * 6, [0, 0, 0, 1, 1, 1]],
    2: [[0] * 4],
}
MASSES = {0: [0.5, 0.4], 1: [0.9, 0.1], 2: [1.0]}


FAKED = {
    "find_units": recordings,
    "reopen": recordings,
    "sample": jobs,
    "resample": jobs,
    "read_waveforms": jobs,
    "embed": measures,
}
"""Long work and the module that it is of."""


class FakeLive:
    """A recording that is open for sorting."""

    notes = ()

    def __init__(self) -> None:
        self.n_closed = 0

    def close(self) -> None:
        self.n_closed += 1


class FakeJobs:
    """Long work that answers at once with the components of the project; saving is real.

    matched : unit of each spike before any component is sampled, one a component unless a test says so;
    failing : components that cannot be sampled; hooks : called when a component is sampled;
    sampled : components in the order in which they were; lives : recordings opened.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.failing: dict[int, str] = {}
        self.hooks: dict[int, Callable[[], None]] = {}
        self.sampled: list[int] = []
        self.lives: list[FakeLive] = []
        self.matched = project.spikes.channel.astype(np.int64)
        self.requests: list[Any] = []

    @property
    def detected(self) -> Project:
        n = len(self.project.spikes)
        return replace(
            unsampled(self.project),
            waveforms={},
            unit_of_spike=self.matched.copy(),
            probability=np.full(n, 0.5, np.float32),
        )

    def find_units(self, request: recordings.RecordingRequest, *, progress: Any) -> Any:
        self.requests.append(request)
        progress(0, 1, "finding units")
        return self.reopen(self.project, progress=progress), self.detected

    def reopen(self, project: Project, session: Any = None, *, progress: Any) -> FakeLive:
        progress(0, 1, "opening")
        self.lives.append(FakeLive())
        return self.lives[-1]

    def sample(self, live: FakeLive, waiting: WaitingComponent, *, progress: Any) -> Any:
        assert live.n_closed == 0
        progress(1, 2, "sampling")
        if waiting.id in self.hooks:
            self.hooks[waiting.id]()
            progress(1, 2, "sampling")
        if waiting.id in self.failing:
            raise InputError(self.failing[waiting.id])
        self.sampled.append(waiting.id)
        component = self.project.component(waiting.id)
        assert component is not None
        return component, self.project.waveforms[waiting.id]

    def resample(
        self, project: Project, component: Any, waveforms: Any, held: Any, *, sampler: str, progress: Any
    ) -> Any:
        self.requests.append(held)
        progress(1, 2, "sampling")
        if component.id in self.failing:
            raise InputError(self.failing[component.id])
        return replace(component, alternatives=component.alternatives[1:]), waveforms

    def read_waveforms(self, project: Project, component: Any, *, progress: Any) -> Any:
        self.requests.append(component.id)
        if component.id in self.failing:
            raise InputError(self.failing[component.id])
        return self.project.waveforms[component.id]

    def embed(self, features: Any, *, progress: Any) -> Any:
        self.requests.append("t-SNE")
        return np.zeros((len(features), 2), np.float32)


class Ears:
    """What a controller and its workspace said."""

    def __init__(self, controller: Controller) -> None:
        self.told: list[str] = []
        self.warned: list[str] = []
        self.failed: list[tuple[str, str]] = []
        self.activities: list[Activity | None] = []
        self.arrived: list[str] = []
        controller.workspace.state.told.connect(self.told.append)
        controller.workspace.state.warned.connect(self.warned.append)
        controller.work.failed.connect(lambda error, doing: self.failed.append((str(error), doing)))
        controller.work.activity_changed.connect(self.activities.append)
        controller.arrived.connect(self.arrived.append)


def start(preferences: Preferences, runner: Runner | None = None) -> tuple[Controller, Ears]:
    """A controller without a project, and what it says."""
    controller = Controller(Workspace(), runner or Immediate(), preferences)
    return controller, Ears(controller)


def request(tmp_path: Path) -> recordings.RecordingRequest:
    """A recording whose work is kept beside it."""
    return recordings.RecordingRequest(tmp_path / "retina.raw", session=tmp_path / "retina.h5")


def opened(fake: FakeJobs, preferences: Preferences, path: Path, runner: Runner | None = None) -> Any:
    """A controller with the fake project, opened from its session."""
    saved_copy(fake.project, path)
    controller, ears = start(preferences, runner)
    controller.open_session(path)
    if isinstance(runner, Later):
        runner.run()
    return controller, ears


def heard(workspace: Workspace, *names: str) -> list[tuple[Any, ...]]:
    """What the named signals say from now on: (name, *arguments)."""
    log: list[tuple[Any, ...]] = []
    for name in names:
        signal = getattr(workspace if hasattr(workspace, name) else workspace.state, name)
        signal.connect(lambda *values, name=name: log.append((name, *values)), check_nargs=False)
    return log


def units(workspace: Workspace, component_id: int) -> list[int]:
    component = workspace.component(component_id)
    assert component is not None
    return workspace.state.clustering.unit_of_spike[component.spike_ids].tolist()
