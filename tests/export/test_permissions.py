"""Exports follow the umask, and those that are replaced keep the mode that somebody gave them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import FORMATS, export


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
@pytest.mark.parametrize("name", FORMATS)
def test_an_export_follows_the_umask_and_keeps_its_mode_when_it_is_replaced(
    name: str, bundle: ExportBundle, tmp_path: Path
) -> None:
    if FORMATS[name].lacks:
        pytest.skip(f"it is written with {FORMATS[name].lacks}")
    before = os.umask(0o077)
    try:
        export(bundle, name, tmp_path / "out")
        assert modes(tmp_path) == {"600", "700"} if FORMATS[name].is_folder else {"600"}
        for item in tmp_path.rglob("*"):
            item.chmod(0o750 if item.is_dir() else 0o640)
        export(bundle, name, tmp_path / "out")
        assert modes(tmp_path) == {"640", "750"} if FORMATS[name].is_folder else {"640"}
    finally:
        os.umask(before)


def modes(folder: Path) -> set[str]:
    """Permissions of all that is under a folder."""
    return {f"{stat.S_IMODE(item.stat().st_mode):o}" for item in folder.rglob("*")}
