"""What cannot be used is refused in one line, with exit code 2 and nothing half-written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from .conftest import Command, files_of

RAW = ("--sampling-frequency", 20_000, "--n-channels", 4, "--dtype", "int16", "--probe", "tetrode")


def raw_file(path: Path, n_samples: int = 20_000, n_channels: int = 4) -> Path:
    """One second of noise, sd 10."""
    noise = np.random.default_rng(0).normal(0, 10, (n_samples, n_channels))
    noise.astype("<i2").tofile(path)
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where nothing may be left."""
    (tmp_path / "out").mkdir()
    return tmp_path / "out" / "session.h5"


@pytest.fixture(autouse=True)
def _nothing_half_written(out: Path):  # noqa: ANN202
    yield
    assert list(out.parent.iterdir()) == []


def test_a_truncated_raw_file(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    path = raw_file(tmp_path / "cut.raw")
    path.write_bytes(path.read_bytes()[:-3])
    error = ncpgui("sort", path, "--out", out, *RAW).error
    assert "159997 bytes, not a multiple of 8 (4 channels of int16)" in error
    assert "5 bytes are left over" in error
    assert "truncated" in error


def test_an_empty_raw_file(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    (tmp_path / "empty.raw").touch()
    assert "is empty (0 bytes)" in ncpgui("sort", tmp_path / "empty.raw", "--out", out, *RAW).error


def test_a_wrong_channel_count(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    path = raw_file(tmp_path / "r.raw", n_samples=20_001)
    options = ["--sampling-frequency", 20_000, "--n-channels", 7, "--probe", "tetrode"]
    assert "the number of channels or the dtype is wrong" in ncpgui("sort", path, "--out", out, *options).error


def test_a_probe_of_another_size(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    path = raw_file(tmp_path / "r.raw")
    options = ["--sampling-frequency", 20_000, "--n-channels", 4, "--probe", "hex49"]
    error = ncpgui("sort", path, "--out", out, *options).error
    assert "49 contacts" in error
    assert "4 channels" in error


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--n-channels", 4, "--probe", "tetrode"], "sampling frequency (--sampling-frequency)"),
        (["--sampling-frequency", 20_000, "--n-channels", 4], "probe (--probe)"),
        (["--sampling-frequency", -1, "--n-channels", 4, "--probe", "tetrode"], "positive number of Hz"),
        (["--sampling-frequency", 20_000, "--n-channels", 0, "--probe", "single"], "at least 1, got 0"),
        ([*RAW[:4], "--probe", "tetrode", "--dtype", "rubbish"], "dtype 'rubbish' is unknown"),
        ([*RAW[:4], "--probe", "nonesuch.json"], "nonesuch.json"),
    ],
)
def test_options_of_a_raw_file_that_are_missing_or_make_no_sense(
    ncpgui: Command, tmp_path: Path, out: Path, options: list[object], words: str
) -> None:
    assert words in ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error


def test_nan_in_the_traces(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    traces = np.random.default_rng(0).normal(size=(20_000, 4)).astype("<f4")
    traces[12_345, 2] = np.nan
    traces.tofile(tmp_path / "r.raw")
    options = [*RAW[:4], "--dtype", "float32", "--probe", "tetrode"]
    error = ncpgui("sort", tmp_path / "r.raw", "--out", out, *options).error
    assert "NaN" in error
    assert "channel 2" in error
    assert "12345" in error


def test_no_spikes(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    (tmp_path / "high.toml").write_text("threshold_sd = 50.0\n", encoding="utf-8")
    options = [*RAW, "--settings", tmp_path / "high.toml"]
    error = ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    assert "no spikes found under -50 noise sd" in error
    assert "lower threshold_sd" in error


def test_a_recording_that_is_not_there(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    assert "does not exist" in ncpgui("sort", tmp_path / "Aufnahme März.raw", "--out", out, *RAW).error


def test_a_format_that_is_not_known(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    (tmp_path / "r.xyz").write_text("x")
    assert "the format of" in ncpgui("sort", tmp_path / "r.xyz", "--out", out).error


def test_settings_with_a_typing_error_suggest_the_right_name(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    (tmp_path / "s.toml").write_text("treshold_sd = 4.0\n", encoding="utf-8")
    options = [*RAW, "--settings", tmp_path / "s.toml"]
    error = ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    assert "did you mean 'threshold_sd'?" in error


def test_a_stimulus_without_triggers(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    np.savez(tmp_path / "s.npz", frames=np.zeros((3, 2, 2)))
    options = [*RAW, "--stimulus", tmp_path / "s.npz"]
    error = ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    assert "has no array 'trigger_sample'" in error


def test_a_damaged_model(ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path, out: Path) -> None:
    from ncpgui.core.resources import data_folder

    for suffix in (".safetensors", ".json"):
        shutil.copy(data_folder("trained_models") / f"spikes{suffix}", tmp_path / f"mine{suffix}")
    weights = tmp_path / "mine.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    options = ["--settings", few_settings, "--model", weights]
    error = ncpgui("sort", tetrode_folder, "--out", out, *options).error
    assert "is damaged or not the one of its card mine.json" in error


def test_a_model_without_its_card(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path, out: Path
) -> None:
    weights = tmp_path / "mine.safetensors"
    weights.write_bytes(b"x" * 100)
    options = ["--settings", few_settings, "--model", weights]
    assert "has no card mine.json beside it" in ncpgui("sort", tetrode_folder, "--out", out, *options).error


def test_an_output_folder_that_is_not_there_is_said_before_work_begins(
    ncpgui: Command, tetrode_folder: Path, tmp_path: Path
) -> None:
    ran = ncpgui("sort", tetrode_folder, "--out", tmp_path / "no" / "s.h5")
    assert "does not exist; create it first" in ran.error
    assert len(ran.err.splitlines()) == 1


def test_an_output_that_is_a_folder(ncpgui: Command, tetrode_folder: Path, out: Path) -> None:
    assert "it is a folder" in ncpgui("sort", tetrode_folder, "--out", out.parent).error


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_an_output_folder_that_is_read_only(ncpgui: Command, tetrode_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "fixed").mkdir(mode=0o500)
    assert "not writable" in ncpgui("sort", tetrode_folder, "--out", tmp_path / "fixed" / "s.h5").error


def test_an_output_below_a_file(ncpgui: Command, tetrode_session: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("npz", "phy"):
        ran = ncpgui("export", tetrode_session, "--format", name, "--out", tmp_path / "file" / "x")
        assert f"the folder {tmp_path / 'file'} does not exist" in ran.error


def test_a_session_that_is_there_is_not_replaced_unasked(
    ncpgui: Command, tetrode_folder: Path, tetrode_session: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.h5"
    shutil.copy(tetrode_session, mine)
    before = mine.read_bytes()
    assert "exists; give another name, or --overwrite" in ncpgui("sort", tetrode_folder, "--out", mine).error
    assert mine.read_bytes() == before


def test_a_folder_that_holds_something_is_not_replaced_unasked(ncpgui: Command, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("x")
    before = files_of(tmp_path)
    assert "holds files" in ncpgui("simulate", "--out", tmp_path / "thesis", "--duration", 1).error
    error = ncpgui("simulate", "--out", tmp_path / "thesis" / "chapter1.tex", "--duration", 1).error
    assert "it is a file" in error
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("damage", ["cut", "not HDF5", "empty"])
@pytest.mark.parametrize("command", ["info", "export"])
def test_a_damaged_session(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path, out: Path, command: str, damage: str
) -> None:
    path = tmp_path / "damaged.h5"
    whole = tetrode_session.read_bytes()
    path.write_bytes({"cut": whole[: len(whole) // 2], "not HDF5": b"hello", "empty": b""}[damage])
    before = path.read_bytes()
    options = ["--format", "npz", "--out", out] if command == "export" else []
    assert f"{path} is damaged or not an ncpgui session" in ncpgui(command, path, *options).error
    assert path.read_bytes() == before


def test_a_session_of_a_newer_version(ncpgui: Command, tetrode_session: Path, tmp_path: Path) -> None:
    import h5py

    path = tmp_path / "newer.h5"
    shutil.copy(tetrode_session, path)
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = 99
    before = path.read_bytes()
    error = ncpgui("info", path).error
    assert "version 99" in error
    assert "update ncpgui" in error
    assert path.read_bytes() == before


def test_a_session_that_is_another_kind_of_file(ncpgui: Command, tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    assert "not an ncpgui session" in ncpgui("info", tmp_path / "other.h5").error


def test_hostile_parameters_of_a_phy_folder_are_not_run(ncpgui: Command, tmp_path: Path) -> None:
    """A params.py is read as literals; the program in it never runs."""
    from ncpgui.core.errors import RecordingError
    from ncpgui.ephys.readers import open_sorting

    folder = tmp_path / "phy"
    folder.mkdir()
    trap = tmp_path / "trap"
    (folder / "params.py").write_text(
        f"import pathlib\npathlib.Path({str(trap)!r}).touch()\n"
        f"sample_rate = pathlib.Path({str(trap)!r}).touch() or 20000.0\n"
    )
    np.save(folder / "spike_times.npy", np.arange(10))
    np.save(folder / "spike_clusters.npy", np.zeros(10, int))
    with pytest.raises(RecordingError):
        open_sorting(folder)
    assert not trap.exists()
    assert ncpgui("sort", folder, "--out", tmp_path / "out" / "s.h5").code == 2
    assert not trap.exists()


@pytest.mark.parametrize("name", ["nonesuch", "nonesuch.toml"])
def test_a_training_preset_that_is_not_there(ncpgui: Command, tmp_path: Path, name: str) -> None:
    error = ncpgui("train", name, "--out", tmp_path / "runs").error
    assert "nonesuch" in error
    assert not (tmp_path / "runs").exists()


def test_resuming_a_run_that_never_was(ncpgui: Command, tmp_path: Path) -> None:
    error = ncpgui("train", "spikes", "--out", tmp_path / "runs", "--resume", "--device", "cpu").error
    assert "start without --resume" in error
