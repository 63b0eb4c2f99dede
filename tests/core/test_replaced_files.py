"""Files that belong together are replaced together, also by a program that is killed and the next one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ncpgui.core.errors import ExportError
from ncpgui.core.files import finish_files, replaced_files
from tests.forked import KILLED_AT_RENAME

KILLED = f"""{KILLED_AT_RENAME}
from ncpgui.core.files import replaced_files

with replaced_files([Path(sys.argv[1]), Path(sys.argv[2])]) as new:
    for path in new:
        path.write_text("new")
"""


def texts(*paths: Path) -> list[str]:
    """What is in the files."""
    return [path.read_text() for path in paths]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two files of one export."""
    paths = tmp_path / "x.csv", tmp_path / "x_units.csv"
    for path in paths:
        path.write_text("old")
    return paths


def replace(*paths: Path, replaces: bool = True) -> None:
    """Replace files by new ones."""
    with replaced_files(paths, replace=replaces) as new:
        for path in new:
            path.write_text("new")


def test_all_are_replaced_and_nothing_else_is_left(pair: tuple[Path, Path], tmp_path: Path) -> None:
    replace(*pair)
    assert texts(*pair) == ["new", "new"]
    assert sorted(tmp_path.iterdir()) == sorted(pair)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize(
    ("n_renames", "now", "then"),
    [
        (0, ["old", "old"], ["old", "old"]),
        (1, ["old", "old"], ["old", "old"]),
        (2, ["old", "old"], ["new", "new"]),  # it is decided
        (3, ["new", "old"], ["new", "new"]),
        (4, ["new", "new"], ["new", "new"]),
    ],
)
def test_whoever_comes_after_a_kill_finds_all_files_of_one_export(
    pair: tuple[Path, Path], n_renames: int, now: list[str], then: list[str]
) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, *map(str, pair), str(n_renames)], check=False)
    assert killed.returncode == (-9 if n_renames < 4 else 0)
    assert texts(*pair) == now
    finish_files(pair)
    assert texts(*pair) == then
    assert not [item for item in pair[0].parent.iterdir() if item.name.endswith(".ncpgui-new")]


def test_a_block_that_fails_replaces_none(pair: tuple[Path, Path], tmp_path: Path) -> None:
    def fail() -> None:
        with replaced_files(pair) as new:
            new[0].write_text("new")
            raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        fail()
    assert texts(*pair) == ["old", "old"]
    assert sorted(tmp_path.iterdir()) == sorted(pair)


def test_a_place_that_is_a_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(ExportError, match=r"cannot write .*/b: it is a folder; give the name of a file"):
        replace(tmp_path / "a", tmp_path / "b")
    assert [item.name for item in tmp_path.iterdir()] == ["b"]


def test_where_one_place_is_taken_all_go_beside(pair: tuple[Path, Path], tmp_path: Path) -> None:
    pair[0].unlink()
    with pytest.raises(
        ExportError,
        match=r"x_units\.csv appeared meanwhile and is not replaced; what was written is in "
        r".*/x\.csv and .*/x_units-1\.csv$",
    ):
        replace(*pair, replaces=False)
    assert pair[1].read_text() == "old"
    assert texts(tmp_path / "x.csv", tmp_path / "x_units-1.csv") == ["new", "new"]


def test_a_link_stays_and_a_mode_too(pair: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    pair[0].rename(tmp_path / "far" / "real.csv")
    pair[0].symlink_to(tmp_path / "far" / "real.csv")
    pair[1].chmod(0o640)
    replace(*pair)
    assert pair[0].is_symlink()
    assert (tmp_path / "far" / "real.csv").read_text() == "new"
    assert pair[1].stat().st_mode & 0o777 == 0o640


def test_links_under_the_hidden_names_are_not_followed(pair: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    for path in pair:
        path.with_name(f".{path.name}.ncpgui-new").symlink_to(tmp_path / "secret")
    finish_files(pair)
    assert texts(*pair) == ["old", "old"]
