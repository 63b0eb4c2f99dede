"""Commands on a disk that fills: one line, exit code 2, no half file, and no hours of sorting lost."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ncpgui.cli import sort as sort_module
from ncpgui.session.store import load
from tests.session_content import content_of

from .conftest import Command, Limited, files_of


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a session can go: `here`, `home` and `tmp`; nobody is at the terminal."""
    for name in ("here", "home", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sort_module.tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path


def answers(monkeypatch: pytest.MonkeyPatch, *lines: object) -> None:
    """Somebody is at the terminal and types these lines."""
    monkeypatch.setattr(sort_module, "somebody_answers", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


@pytest.mark.parametrize(
    "kib", [1, 10, *(pytest.param(kib, marks=pytest.mark.slow) for kib in (100, 500, 1000, 5000))]
)
def test_sort_under_a_quota_ends_with_the_session_or_with_one_line(
    limited: Limited,
    tetrode_folder: Path,
    tetrode_session: Path,
    few_settings: Path,
    tmp_path: Path,
    kib: int,
) -> None:
    ran = limited(kib * 1024, "sort", tetrode_folder, "--out", "s.h5", "--settings", few_settings)
    if tetrode_session.stat().st_size < kib * 1024:
        assert ran.code == 0
        assert len(load(tmp_path / "s.h5").spikes) == len(load(tetrode_session).spikes)
        return
    assert ran.error.startswith("cannot write s.h5: File too large;")
    assert "nor could the session be written to" in ran.error
    left = files_of(tmp_path)
    assert {Path(name).parent.name for name in left} <= {"s.h5.steps"}
    assert ("the same command with --resume goes on" in ran.err) == bool(left)


def test_what_a_full_disk_left_of_a_sort_is_gone_on_with_when_there_is_room(
    ncpgui: Command,
    limited: Limited,
    tetrode_folder: Path,
    tetrode_session: Path,
    few_settings: Path,
    tmp_path: Path,
) -> None:
    arguments = ("sort", tetrode_folder, "--out", tmp_path / "s.h5", "--settings", few_settings)
    ran = limited(20_000, *arguments)
    assert ran.error.startswith(f"cannot write {tmp_path / 's.h5'}: File too large;")
    assert (tmp_path / "s.h5.steps" / "proposals.npz").is_file()
    done = ncpgui(*arguments, "--resume")
    assert done.code == 0, done.err
    assert content_of(tmp_path / "s.h5") == content_of(tetrode_session)
    assert not (tmp_path / "s.h5.steps").exists()


def test_a_session_that_the_disk_cannot_hold_is_kept_where_the_error_says(
    ncpgui: Command,
    tetrode_folder: Path,
    few_settings: Path,
    places: Path,
    small_disk: Callable[[int], Path],
) -> None:
    out = small_disk(24) / "s.h5"
    (places / "here" / "s.h5").write_text("somebody's")
    error = ncpgui("sort", tetrode_folder, "--out", out, "--settings", few_settings).error
    kept = places / "here" / "s-1.h5"
    assert error.startswith(f"cannot write {out}: No space left on device;")
    assert error.endswith(f"the session is kept in {kept}; open it with 'ncpgui {kept}'")
    assert len(load(kept).spikes) > 0
    assert (places / "here" / "s.h5").read_text() == "somebody's"
    assert files_of(out.parent) == {}


def test_where_the_working_folder_is_full_too_the_session_goes_home(
    ncpgui: Command,
    tetrode_folder: Path,
    few_settings: Path,
    places: Path,
    small_disk: Callable[[int], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    disk = small_disk(24)
    monkeypatch.chdir(disk)
    error = ncpgui("sort", tetrode_folder, "--out", "s.h5", "--settings", few_settings).error
    assert f"the session is kept in {places / 'home' / 's.h5'};" in error
    assert len(load(places / "home" / "s.h5").spikes) > 0


def test_somebody_at_the_terminal_is_asked_for_another_place_until_one_can_be_written(
    ncpgui: Command,
    tetrode_folder: Path,
    few_settings: Path,
    places: Path,
    small_disk: Callable[[int], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    disk = small_disk(24)
    answers(monkeypatch, disk / "t.h5", places / "nowhere" / "s.h5", places / "tmp" / "mine.h5")
    ran = ncpgui("sort", tetrode_folder, "--out", disk / "s.h5", "--settings", few_settings)
    assert ran.code == 0
    assert ran.err.count("No space left on device") == 2
    assert "does not exist; create it first" in ran.err
    assert ran.err.endswith(
        f"wrote {places / 'tmp' / 'mine.h5'}; open it with 'ncpgui {places / 'tmp' / 'mine.h5'}'\n"
    )
    assert len(load(places / "tmp" / "mine.h5").spikes) > 0


def test_enter_takes_the_place_that_the_question_names(
    ncpgui: Command,
    tetrode_folder: Path,
    few_settings: Path,
    places: Path,
    small_disk: Callable[[int], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers(monkeypatch, "")
    ran = ncpgui("sort", tetrode_folder, "--out", small_disk(24) / "s.h5", "--settings", few_settings)
    assert ran.code == 0
    assert f"[{places / 'here' / 's.h5'}]" in ran.err
    assert len(load(places / "here" / "s.h5").spikes) > 0


@pytest.mark.parametrize("format_", ["phy", "spikeinterface", "npz", "csv"])
@pytest.mark.parametrize("n_bytes", [200, 1000])
def test_an_export_that_the_disk_cannot_hold_is_one_line_and_leaves_nothing(
    limited: Limited, tetrode_session: Path, tmp_path: Path, format_: str, n_bytes: int
) -> None:
    ran = limited(n_bytes, "export", tetrode_session, "--format", format_, "--out", "x")
    assert ran.error.startswith("cannot write ")
    assert ran.error.endswith("; free the disk, or choose another folder")
    said = [line for line in ran.err.splitlines() if not line.startswith("warning: filtered traces")]
    assert len(said) == 1
    assert files_of(tmp_path) == {}


def test_an_export_leaves_no_array_cut_short(
    ncpgui: Command, tetrode_session: Path, small_disk: Callable[[int], Path]
) -> None:
    """NumPy does not say when it could not write the end of a small array."""
    for kib in range(4, 90, 12):
        disk = small_disk(kib)
        for format_ in ("phy", "spikeinterface"):
            ran = ncpgui("export", tetrode_session, "--format", format_, "--out", disk / "x")
            if ran.code == 0:
                for path in (disk / "x").rglob("*.npy"):
                    np.load(path, mmap_mode="r")
                shutil.rmtree(disk / "x")
            else:
                assert "No space left on device" in ran.error or "could not be written in full" in ran.error
            assert files_of(disk) == {}


@pytest.mark.parametrize("n_bytes", [100, 1500])
def test_a_posterior_that_the_disk_cannot_hold_is_one_line(
    limited: Limited, tmp_path: Path, n_bytes: int
) -> None:
    np.savez(tmp_path / "w.npz", waveforms=np.random.default_rng(0).normal(size=(300, 32, 4)))
    arguments = ("cluster", "w.npz", "--out", "p.npz", "--samples", "16", "--beam", "0")
    ran = limited(n_bytes, *arguments)
    assert ran.error == "cannot write p.npz: File too large; free the disk, or choose another folder"
    assert list(files_of(tmp_path)) == ["w.npz"]


@pytest.mark.parametrize("n_bytes", [100, 40_000])
def test_a_training_that_the_disk_cannot_hold_is_one_line(
    limited: Limited, tmp_path: Path, n_bytes: int
) -> None:
    settings = ("steps = 2", "validate_points = 6", "validate_datasets = 2", 'start_from = "gauss2d"')
    text = "\n".join((*settings, "[data]", 'model = "gauss2d"'))
    (tmp_path / "plane.toml").write_text(text, encoding="utf-8")
    ran = limited(n_bytes, "train", "plane.toml", "--out", "runs")
    assert ran.error.startswith(f"cannot write {Path('runs')}")
    assert ran.error.endswith(": File too large; free the disk, or choose another folder")
    assert list(files_of(tmp_path)) == ["plane.toml"]
