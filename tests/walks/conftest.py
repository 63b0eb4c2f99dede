"""A saved session that walks begin with, and a quick picture in place of t-SNE."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncpgui.core.project import Project
from ncpgui.session.session_file import create_session
from tests.gui.conftest import opened, quick_embedding, session, window
from tests.synthetic_project import synthetic_project

__all__ = ["opened", "quick_embedding", "session", "window"]


@pytest.fixture(scope="session")
def small_array() -> Project:
    """Seven components of a few hundred spikes each."""
    return synthetic_project(spikes_per_unit=120)


@pytest.fixture(scope="session")
def saved_array(small_array: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The session of it."""
    path = tmp_path_factory.mktemp("saved") / "array.h5"
    create_session(small_array, path).close()
    return path
