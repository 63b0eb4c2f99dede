"""Sessions of which tests take copies: one is written once, and files of the same bytes are read once.

Nearly each test of the application and the window opens a session. What is written and read is tested in
tests/session, where nothing of this is used.
"""

from __future__ import annotations

import pickle
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import h5py
import pytest

from ncpgui.core.project import Project
from ncpgui.session import store
from ncpgui.session.schema import SessionPaths
from ncpgui.session.store import save

_FOLDERS: dict[bytes, tempfile.TemporaryDirectory[str]] = {}
_READ: dict[bytes, Project] = {}


def saved_copy(project: Project, path: Path) -> Path:
    """Put the session of a project at a path; it is written when a project of these values is first saved."""
    digest = sha256(pickle.dumps(project)).digest()
    if digest not in _FOLDERS:
        folder = _FOLDERS[digest] = tempfile.TemporaryDirectory(prefix="ncpgui-sessions-")
        save(project, Path(folder.name) / "s.h5")
    written, wanted = SessionPaths(Path(_FOLDERS[digest].name) / "s.h5"), SessionPaths(path)
    shutil.copy(written.session, wanted.session)
    if written.waveforms.exists():
        shutil.copy(written.waveforms, wanted.waveforms)
    return path


@contextmanager
def sessions_read_once() -> Iterator[None]:
    """Within the block the project in a session file is read once; what components find out is not shared."""
    read = store.read_project

    def known(file: h5py.File, **options: Any) -> Project:
        digest = sha256(Path(file.filename).read_bytes()).digest()
        if digest not in _READ:
            _READ[digest] = read(file, **options)
        project = _READ[digest]
        return replace(project, components=tuple(replace(one) for one in project.components))

    patch = pytest.MonkeyPatch()
    patch.setattr(store, "read_project", known)
    try:
        yield
    finally:
        patch.undo()
