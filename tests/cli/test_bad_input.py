"""What cannot be used is refused in one line, with exit code 2 and nothing half-written."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.ephys import hostile

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
def _nothing_half_written(out: Path):
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
    assert (
        "the number of channels or the dtype is wrong" in ncpgui("sort", path, "--out", out, *options).error
    )


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
    assert "channel 2 is NaN or infinite at sample 12345 (0.617 s)" in error
    assert "have such samples blanked (--blank-nan)" in error


def test_no_spikes(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    (tmp_path / "high.toml").write_text("threshold_sd = 50.0\n", encoding="utf-8")
    options = [*RAW, "--settings", tmp_path / "high.toml"]
    error = ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    assert "no spikes found under -50 noise sd" in error
    assert "lower threshold_sd" in error


@pytest.mark.parametrize(("sign", "words"), [("pos", "over 50"), ("both", "beyond 50")])
def test_no_spikes_of_the_sign_asked_for(
    ncpgui: Command, tmp_path: Path, out: Path, sign: str, words: str
) -> None:
    options = [*RAW, "--threshold-sd", 50, "--peak-sign", sign]
    error = ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    assert f"no spikes found {words} noise sd" in error


def test_a_threshold_that_makes_no_sense(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    options = [*RAW, "--threshold-sd", -1]
    error = ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    assert "threshold_sd must be positive, got -1" in error


def test_two_contacts_at_one_place(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    (tmp_path / "p.csv").write_text("x,y\n0,0\n0,25\n0,50\n0,25\n", encoding="utf-8")
    options = [*RAW[:-1], tmp_path / "p.csv"]
    error = ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    assert "contacts 1 and 3 of the probe share the position (0, 25)" in error
    assert "give them shanks of their own" in error


def test_a_recording_that_is_not_there(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    assert "does not exist" in ncpgui("sort", tmp_path / "Aufnahme März.raw", "--out", out, *RAW).error


def test_a_format_that_is_not_known(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    (tmp_path / "r.xyz").write_text("x")
    assert "the format of" in ncpgui("sort", tmp_path / "r.xyz", "--out", out).error


def test_settings_with_a_typing_error_suggest_the_right_name(
    ncpgui: Command, tmp_path: Path, out: Path
) -> None:
    (tmp_path / "s.toml").write_text("treshold_sd = 4.0\n", encoding="utf-8")
    options = [*RAW, "--settings", tmp_path / "s.toml"]
    error = ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    assert "did you mean 'threshold_sd'?" in error


def test_a_motion_that_is_not_known_is_named_with_those_that_are(
    ncpgui: Command, tetrode_folder: Path, out: Path
) -> None:
    error = ncpgui("sort", tetrode_folder, "--out", out, "--motion", "dredger").error
    assert "motion must be one of 'auto', 'off', 'dredge_fast'" in error
    assert "got 'dredger'; did you mean 'dredge" in error


def test_a_matcher_that_is_not_known_is_named_with_those_that_are(
    ncpgui: Command, tetrode_folder: Path, out: Path
) -> None:
    error = ncpgui("sort", tetrode_folder, "--out", out, "--matcher", "wobbly").error
    known = "'wobble', 'tdc-peeler', 'circus-omp', 'none'"
    assert f"matcher must be one of {known}, got 'wobbly'; did you mean 'wobble'?" in error


@pytest.mark.parametrize(
    ("word", "near"), [("nbw", "nwb"), ("phi", "phy"), ("spike-interface", "spikeinterface")]
)
def test_a_format_that_is_not_known_suggests_the_nearest(
    ncpgui: Command, tmp_path: Path, word: str, near: str
) -> None:
    error = ncpgui("export", tmp_path / "s.h5", "--format", word).error
    assert f"'{word}' is not one of 'phy'" in error
    assert f"'csv'; did you mean '{near}'?" in error


def test_a_stimulus_without_triggers(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    np.savez(tmp_path / "s.npz", frames=np.zeros((3, 2, 2)))
    options = [*RAW, "--stimulus", tmp_path / "s.npz"]
    error = ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    assert "has no array 'trigger_sample'" in error


def test_a_damaged_model(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path, out: Path
) -> None:
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


@pytest.fixture
def writing(tetrode_folder: Path, tetrode_session: Path, tmp_path: Path) -> dict[str, list[object]]:
    """Every command that writes, without its --out."""
    np.savez(tmp_path / "w.npz", waveforms=np.zeros((3, 32, 4)))
    return {
        "sort": ["sort", tetrode_folder],
        "cluster": ["cluster", tmp_path / "w.npz"],
        "npz": ["export", tetrode_session, "--format", "npz"],
        "csv": ["export", tetrode_session, "--format", "csv"],
        "phy": ["export", tetrode_session, "--format", "phy"],
        "spikeinterface": ["export", tetrode_session, "--format", "spikeinterface"],
        "simulate": ["simulate", "--duration", 1],
        "train": ["train", "spikes", "--minutes", 0.1],
        "demo": ["demo", "--headless"],
    }


WRITING = ["sort", "cluster", "npz", "csv", "phy", "spikeinterface", "simulate", "train", "demo"]


@pytest.mark.parametrize("name", WRITING)
def test_an_output_below_a_file(
    ncpgui: Command, writing: dict[str, list[object]], tmp_path: Path, name: str
) -> None:
    (tmp_path / "file").touch()
    ran = ncpgui(*writing[name], "--out", tmp_path / "file" / "x")
    assert f"{tmp_path / 'file'} is a file, not a folder" in ran.error
    assert len(ran.err.splitlines()) == 1  # before any work


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder where not even root may write")
@pytest.mark.parametrize("name", WRITING)
def test_an_output_where_nobody_may_write(
    ncpgui: Command, writing: dict[str, list[object]], name: str
) -> None:
    ran = ncpgui(*writing[name], "--out", "/proc/ncpgui-x")
    assert "the folder /proc is not writable" in ran.error
    assert len(ran.err.splitlines()) == 1  # before any work


@pytest.mark.parametrize("name", ["sort", "cluster"])
def test_an_output_that_is_the_input_is_refused_and_left_as_it_is(
    ncpgui: Command, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "mine.npz"
    np.savez(path, waveforms=np.zeros((3, 32, 4)))
    before = path.read_bytes()
    assert "it is the input; give another name" in ncpgui(name, path, "--out", path).error
    assert path.read_bytes() == before


def test_a_session_that_is_there_is_not_replaced_unasked(
    ncpgui: Command, tetrode_folder: Path, tetrode_session: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.h5"
    shutil.copy(tetrode_session, mine)
    before = mine.read_bytes()
    assert "exists; give another name, or --overwrite" in ncpgui("sort", tetrode_folder, "--out", mine).error
    assert mine.read_bytes() == before


def test_a_session_survives_a_sorting_that_fails_in_its_place(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    mine = tmp_path / "mine" / "mine.h5"
    shutil.copy(tetrode_session, mine)
    before = files_of(mine.parent)
    path = raw_file(tmp_path / "r.raw")
    assert "no spikes" in ncpgui("sort", path, "--out", mine, "--overwrite", *RAW).error
    assert files_of(mine.parent) == before


@pytest.mark.parametrize("contents", [b"my thesis", b"", b"\x89HDF\r\n\x1a\nmy traces"])
def test_overwrite_replaces_nothing_but_sessions(
    ncpgui: Command, tetrode_folder: Path, tmp_path: Path, contents: bytes
) -> None:
    path = tmp_path / "mine.h5"
    path.write_bytes(contents)
    assert "replaces sessions only" in ncpgui("sort", tetrode_folder, "--out", path, "--overwrite").error
    assert path.read_bytes() == contents


def test_a_session_that_is_open_elsewhere_is_not_replaced(
    ncpgui: Command, tetrode_folder: Path, tetrode_session: Path, tmp_path: Path
) -> None:
    from ncpgui.session.session_file import open_session

    mine = tmp_path / "mine.h5"
    shutil.copy(tetrode_session, mine)
    before = mine.read_bytes()
    with open_session(mine):
        ran = ncpgui("sort", tetrode_folder, "--out", mine, "--overwrite")
        assert "open" in ran.error
        assert len(ran.err.splitlines()) == 1  # before any work
    assert mine.read_bytes() == before


def test_a_folder_that_holds_something_is_not_replaced(ncpgui: Command, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("x")
    before = files_of(tmp_path)
    options = ["--out", tmp_path / "thesis"]
    assert "holds files" in ncpgui("simulate", *options, "--duration", 1).error
    assert "did not write" in ncpgui("simulate", *options, "--duration", 1, "--overwrite").error
    assert "holds chapter1.tex, which is not of a demo" in ncpgui("demo", "--headless", *options).error
    error = ncpgui("simulate", "--out", tmp_path / "thesis" / "chapter1.tex", "--duration", 1).error
    assert "it is a file" in error
    assert files_of(tmp_path) == before


def test_recordings_of_somebody_else_are_not_taken_for_a_demo(ncpgui: Command, tmp_path: Path) -> None:
    (tmp_path / "data" / "recording").mkdir(parents=True)
    (tmp_path / "data" / "recording" / "traces.dat").write_bytes(b"years of work")
    before = files_of(tmp_path)
    error = ncpgui("demo", "--headless", "--out", tmp_path / "data").error
    assert "holds recording, which is not of a demo" in error
    assert files_of(tmp_path) == before


@pytest.mark.parametrize(("name", "suffix"), [("npz", ".npz"), ("csv", ".csv")])
def test_a_file_is_not_replaced_by_an_export_unasked(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path, name: str, suffix: str
) -> None:
    path = tmp_path / f"mine{suffix}"
    path.write_text("mine")
    for out in (path, path.with_suffix("")):
        error = ncpgui("export", tetrode_session, "--format", name, "--out", out).error
        assert "exists; give another name, or --overwrite" in error
    assert path.read_text() == "mine"
    assert ncpgui("export", tetrode_session, "--format", name, "--out", path, "--overwrite").code == 0
    assert path.read_bytes() != b"mine"


def test_an_export_that_was_worked_on_is_not_replaced(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path
) -> None:
    options = ["--format", "phy", "--out", tmp_path / "phy"]
    assert ncpgui("export", tetrode_session, *options).code == 0
    assert ncpgui("export", tetrode_session, *options).code == 0  # as exported: replaced
    with (tmp_path / "phy" / "cluster_group.tsv").open("a") as file:
        file.write("99\tgood\n")
    before = files_of(tmp_path / "phy")
    assert "was changed since it was exported" in ncpgui("export", tetrode_session, *options).error
    assert files_of(tmp_path / "phy") == before


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


@pytest.mark.parametrize(("version", "way_out"), [(99, "update ncpgui"), (1, "sort the recording again")])
@pytest.mark.parametrize("command", ["info", "export"])
def test_a_session_of_another_version(
    ncpgui: Command,
    tetrode_session: Path,
    tmp_path: Path,
    out: Path,
    command: str,
    version: int,
    way_out: str,
) -> None:
    import h5py

    path = tmp_path / "other.h5"
    shutil.copy(tetrode_session, path)
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = version
    before = path.read_bytes()
    options = ["--format", "phy", "--out", out] if command == "export" else []
    error = ncpgui(command, path, *options).error
    assert f"version {version} of the session format" in error
    assert way_out in error
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
    assert str(folder) in ncpgui("sort", folder, "--out", tmp_path / "out" / "s.h5").error
    assert not trap.exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("threshold_sd = = 4", "cannot be read as TOML"),
        ('threshold_sd = "four"', "threshold_sd must be of type float, got 'four'"),
        ("threshold_sd = -4.0", "threshold_sd must be positive, got -4.0"),
        ("spikes_per_group = 0", "spikes_per_group must be positive, got 0"),
    ],
)
def test_settings_that_make_no_sense_name_their_file(
    ncpgui: Command, tmp_path: Path, out: Path, text: str, words: str
) -> None:
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    error = ncpgui(
        "sort", raw_file(tmp_path / "r.raw"), "--out", out, *RAW, "--settings", tmp_path / "s.toml"
    ).error
    assert words in error
    assert str(tmp_path / "s.toml") in error


def test_settings_that_are_not_there(ncpgui: Command, tmp_path: Path, out: Path) -> None:
    options = [*RAW, "--settings", tmp_path / "s.toml"]
    assert (
        "s.toml does not exist" in ncpgui("sort", raw_file(tmp_path / "r.raw"), "--out", out, *options).error
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--model", "nonesuch"], "no model 'nonesuch'"),
        (["--model", "gauss2d"], "model 'gauss2d' clusters points, not spikes"),
        (["--device", "abacus"], "unknown device 'abacus'"),
    ],
)
def test_a_model_or_device_that_is_not_there_is_said_before_work_begins(
    ncpgui: Command, tetrode_folder: Path, out: Path, options: list[str], words: str
) -> None:
    ran = ncpgui("sort", tetrode_folder, "--out", out, *options)
    assert words in ran.error
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('n_points = ["a", "b"]', "n_points[0] must be of type int, got 'a'"),
        ("n_points = 5", "n_points must be a list, got 5"),
        ("n_points = [5]", "n_points must be a list of 2 values, got [5]"),
        ("n_points = [9, 5]", "n_points' must be (fewest, most) points"),
        ("learning_rat = 0.1", "did you mean 'learning_rate'?"),
        ("[data.options.units]\nnope = 1", "unknown key 'nope'"),
        ('[data.options]\ngeometries = ["octagon"]', "unknown geometry 'octagon'"),
        ('[architecture]\nnetwork = "nope"', "unknown network 'nope'"),
    ],
)
def test_settings_of_a_training_that_make_no_sense(
    ncpgui: Command, tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    options = ["--out", tmp_path / "runs", "--minutes", 0.01, "--device", "cpu"]
    assert words in ncpgui("train", tmp_path / "mine.toml", *options).error
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("name", ["nonesuch", "nonesuch.toml"])
def test_a_training_preset_that_is_not_there(ncpgui: Command, tmp_path: Path, name: str) -> None:
    error = ncpgui("train", name, "--out", tmp_path / "runs").error
    assert "nonesuch" in error
    assert not (tmp_path / "runs").exists()


def test_resuming_a_run_that_never_was(ncpgui: Command, tmp_path: Path) -> None:
    error = ncpgui("train", "spikes", "--out", tmp_path / "runs", "--resume", "--device", "cpu").error
    assert "start without --resume" in error
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("contents", [b"", b"rubbish"])
def test_resuming_a_damaged_run(ncpgui: Command, tmp_path: Path, contents: bytes) -> None:
    (tmp_path / "spikes.resume.pt").write_bytes(contents)
    error = ncpgui("train", "spikes", "--out", tmp_path, "--resume", "--device", "cpu").error
    assert "it is damaged or no training run; start without --resume" in error


def test_a_model_that_was_trained_is_not_replaced_unasked(ncpgui: Command, tmp_path: Path) -> None:
    (tmp_path / "spikes.safetensors").write_bytes(b"a week of training")
    error = ncpgui("train", "spikes", "--out", tmp_path).error
    assert "--resume goes on with that run, --overwrite starts over" in error
    assert (tmp_path / "spikes.safetensors").read_bytes() == b"a week of training"


def test_a_window_without_a_display_is_refused_with_what_works_without(
    ncpgui: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for command in (["gui"], ["demo", "--out", tmp_path / "demo"]):
        assert "ncpgui demo --headless" in ncpgui(*command).error
    assert not (tmp_path / "demo").exists()


def test_a_window_without_qt_says_where_help_is(ncpgui: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setitem(sys.modules, "PyQt5", None)
    for name in [name for name in sys.modules if name.startswith("ncpgui.gui")]:
        monkeypatch.delitem(sys.modules, name)
    assert "'ncpgui doctor' says what to install" in ncpgui("gui").error


@pytest.mark.parametrize(
    ("rate", "said"), [(1000, "1000"), (4999, "4999"), ("1e12", "1e+12"), (1_000_001, "1000001")]
)
def test_a_sampling_frequency_at_which_there_are_no_spikes(
    ncpgui: Command, tmp_path: Path, out: Path, rate: object, said: str
) -> None:
    path = raw_file(tmp_path / "slow.raw")
    error = ncpgui(
        "sort", path, "--out", out, "--probe", "tetrode", "--n-channels", 4, "--sampling-frequency", rate
    ).error
    assert error == (
        f"{path}: spikes, which last a millisecond, can be sorted at a sampling frequency of 5000 to "
        f"1000000 Hz, got {said} Hz; check the sampling frequency, or give the recording as it was before "
        "it was downsampled"
    )


@pytest.mark.parametrize("kind", hostile.KINDS)
def test_a_recording_whose_class_is_a_program_is_not_run(
    ncpgui: Command, tmp_path: Path, out: Path, kind: str
) -> None:
    marker = tmp_path / "was run"
    path = hostile.KINDS[kind](tmp_path, hostile.program(marker))
    for arguments in (("sort", path, "--out", out), ("templates", "build", path, "--out", out)):
        if path.is_file() and arguments[0] == "templates":
            continue
        error = ncpgui(*arguments).error
        assert "names 'subprocess.run', which is not a recording or sorting of SpikeInterface" in error
        assert not marker.exists()


def test_a_session_is_not_sorted(ncpgui: Command, tetrode_session: Path, out: Path) -> None:
    error = ncpgui("sort", tetrode_session, "--out", out).error
    assert f"{tetrode_session} is a session of ncpgui, not a recording" in error
    assert f"open it with 'ncpgui {tetrode_session}'" in error
