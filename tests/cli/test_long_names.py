"""A name that the file system cannot hold is refused in one line, before any work is done."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ncpgui.cli.options import check_new_session, check_output_file
from ncpgui.core.errors import ExportError, SessionError
from ncpgui.core.files import replaced_file, replaced_folder
from ncpgui.session.store import checked_paths

from .conftest import Command

LONG = "a" * 300


@pytest.mark.parametrize(
    "arguments",
    [
        ["sort", "RECORDING", "--out", f"{LONG}.h5"],
        ["sort", f"{LONG}.raw", "--out", "s.h5"],
        ["sort", "RECORDING", "--out", "s.h5", "--probe", LONG],
        ["sort", "RECORDING", "--out", "s.h5", "--settings", LONG],
        ["sort", "RECORDING", "--out", "s.h5", "--stimulus", LONG],
        ["sort", "RECORDING", "--out", "s.h5", "--model", LONG],
        ["info", f"{LONG}.h5"],
        ["gui", f"{LONG}.h5"],
        [f"{LONG}.h5"],
        ["export", f"{LONG}.h5", "--format", "npz", "--out", "e"],
        *(["export", "SESSION", "--format", name, "--out", LONG] for name in ("npz", "csv", "phy")),
        ["simulate", "--out", LONG],
        ["cluster", f"{LONG}.npz", "--out", "c.npz"],
        ["train", "spikes", "--minutes", "1", "--out", LONG],
        ["train", f"{LONG}.toml", "--out", "runs"],
        ["demo", "--headless", "--out", LONG],
        ["templates", "build", LONG, "--out", "t.npz"],
        ["evaluate", LONG],
    ],
    ids=lambda arguments: " ".join(word.replace(LONG, "LONG") for word in arguments),
)
def test_a_long_name_is_refused_in_one_line(
    ncpgui: Command,
    tetrode_folder: Path,
    tetrode_session: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    places = {"RECORDING": str(tetrode_folder), "SESSION": str(tetrode_session)}
    error = ncpgui(*(places.get(word, word) for word in arguments)).error
    assert LONG in error
    assert list(tmp_path.iterdir()) == []


def test_the_rule_the_length_and_the_way_out_are_said(
    ncpgui: Command, tetrode_folder: Path, tmp_path: Path
) -> None:
    error = ncpgui("sort", tetrode_folder, "--out", tmp_path / f"{LONG}.h5").error
    assert error.endswith(
        "with what ncpgui writes beside it, the name has up to 313 bytes, and the file system takes 255; "
        "give a shorter name"
    )
    assert ncpgui("info", f"{LONG}.h5").error == (
        f"{LONG}.h5: the name has 303 bytes, and the file system takes 255; give a shorter name"
    )


@pytest.mark.parametrize(("n", "fits"), [(242, True), (243, False)])
def test_the_files_beside_a_session_count(tmp_path: Path, n: int, fits: bool) -> None:
    """The longest is NAME.h5.waveforms, 13 bytes more than NAME."""
    path = tmp_path / ("ä" * (n // 2) + "a" * (n % 2) + ".h5")
    for check, error in ((lambda p: check_new_session(p, False), ExportError), (checked_paths, SessionError)):
        if fits:
            check(path)
            continue
        with pytest.raises(error, match="up to 256 bytes"):
            check(path)


def test_a_name_of_255_bytes_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 125 + "a.npz")
    check_output_file(path)
    with replaced_file(path) as beside:
        beside.write_text("whole")
    assert path.read_text() == "whole"
    folder = tmp_path / ("b" * 255)
    for _ in range(2):
        with replaced_folder(folder) as beside:
            (beside / "file").write_text("whole")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([path.name, folder.name])


def test_sorting_does_not_begin(tetrode_folder: Path, ncpgui: Command, monkeypatch) -> None:
    def begin(*_: object) -> None:
        raise AssertionError("sorting began")

    monkeypatch.setattr(sys.modules["ncpgui.cli.sort"], "progress_report", begin)
    assert "up to 263 bytes" in ncpgui("sort", tetrode_folder, "--out", f"{'a' * 250}.h5").error
