"""Projects and preferences of the tests of the application."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from app_fakes import FAKED, MASSES, WAYS, FakeJobs
from read_once import sessions_read_once
from tiny_project import tiny_project

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.work.sampling import Sampling
from ncpgui.core.project import Project


@pytest.fixture(autouse=True, scope="module")
def _sessions_are_read_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Sessions of the same bytes; modules that are about reading them say so."""
    with nullcontext() if getattr(request.module, "READS_SESSIONS", False) else sessions_read_once():
        yield


@pytest.fixture(autouse=True)
def no_draws_in_the_background(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Projects of ten draws would ask for new ones after each decision; modules that say so have them."""
    if not getattr(request.module, "DRAWS_IN_THE_BACKGROUND", False):
        monkeypatch.setattr(Sampling, "draw_where_few_are_left", lambda *_: None)


@pytest.fixture
def project() -> Project:
    """Channel 0: units 0, 1, 2, or (0+1) and 2. Channel 1: unit 3, or halves. Channel 2: unit 4."""
    return tiny_project(WAYS, masses=MASSES)


@pytest.fixture
def workspace(project: Project) -> Workspace:
    return Workspace(project)


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    return Preferences(tmp_path / "preferences")


@pytest.fixture
def fake(project: Project, monkeypatch: pytest.MonkeyPatch) -> FakeJobs:
    """Long work that answers at once; saving is real."""
    made = FakeJobs(project)
    for name, module in FAKED.items():
        monkeypatch.setattr(module, name, getattr(made, name))
    return made
