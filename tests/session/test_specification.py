"""The written specification names everything that is written."""

from __future__ import annotations

from pathlib import Path

import h5py

from ncpgui.core.project import Project
from ncpgui.session import store
from ncpgui.session.schema import CACHE_VERSION, FORMAT_VERSION, JOURNAL_VERSION, SessionPaths

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "session_file.md").read_text(encoding="utf-8")


def test_every_element_and_attribute_is_specified(project: Project, path: Path) -> None:
    store.save(project, path)
    names: set[str] = set()

    def collect(name: str, node: h5py.Group | h5py.Dataset) -> None:
        names.update(part for part in name.split("/") if not part.isdigit())
        names.update(node.attrs)
        names.add(node.attrs["encoding"])

    for item in (path, SessionPaths(path).waveforms):
        with h5py.File(item) as file:
            names.update(file.attrs)
            file.visititems(collect)
    missing = sorted(name for name in names if name not in TEXT)
    assert missing == []


def test_the_versions_are_those_of_the_program() -> None:
    assert f"The session, format version {FORMAT_VERSION}" in TEXT
    assert f"`NAME.journal`, version {JOURNAL_VERSION}" in TEXT
    assert f"`NAME.waveforms`, version {CACHE_VERSION}" in TEXT
