"""``ncpgui templates build`` and a training on what it writes; what cannot be used is refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from .conftest import Command, Ran

SMALL_NETWORK = """
steps = 2
n_datasets = 2
n_points = [5, 10]
n_points_end = [5, 10]
warmup_steps = 1
validate_points = 6
validate_datasets = 2
[architecture]
encoder_options = { h_dim = 16 }
network_options = { h_dim = 16, metric = 8, hidden = 16 }
"""

Edit = Callable[[dict[str, np.ndarray]], None]


@pytest.fixture(scope="module")
def phy(tetrode_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The simulated tetrode as a Phy folder of its true spikes."""
    folder = tmp_path_factory.mktemp("phy")
    with np.load(tetrode_folder / "truth.npz") as truth:
        np.save(folder / "spike_times.npy", truth["sample_index"])
        np.save(folder / "spike_clusters.npy", truth["unit_id"])
    (folder / "params.py").write_text(
        f"dat_path = {str(tetrode_folder / 'recording.raw')!r}\n"
        "n_channels_dat = 4\ndtype = 'int16'\noffset = 0\nsample_rate = 20000.0\n"
    )
    np.save(folder / "channel_map.npy", np.arange(4))
    np.save(folder / "channel_positions.npy", np.array([[0.0, 0], [50, 0], [0, 50], [50, 50]]))
    return folder


@pytest.fixture(scope="module")
def built(tetrode_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with reservoir.npz and noise.npz."""
    from ncpgui.cli.main import run

    out = tmp_path_factory.mktemp("built") / "mine"
    assert run(["templates", "build", str(tetrode_folder), "--out", str(out), "--min-spikes", "20"]) == 0
    return out


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(SMALL_NETWORK, encoding="utf-8")
    return path


def copy_of(path: Path, into: Path, edit: Edit) -> Path:
    """The file with its arrays edited."""
    with np.load(path) as file:
        arrays = dict(file)
    edit(arrays)
    np.savez(into / path.name, **arrays)
    return into / path.name


def test_a_phy_folder_and_a_simulated_one_give_the_same_cells(
    ncpgui: Command, tmp_path: Path, phy: Path, built: Path
) -> None:
    ran = ncpgui("templates", "build", phy, "--out", tmp_path / "own.npz", "--min-spikes", 20)
    assert ran.code == 0, ran.err
    assert (
        "3 cells, 1 of them for test, beside 4000 shipped ones; 50% of a training's draws are yours"
        in ran.err
    )
    assert "contacts, 50 µm apart" in ran.err
    assert f"wrote {tmp_path / 'own.npz'} and {tmp_path / 'own_noise.npz'}" in ran.err
    assert (tmp_path / "own_noise.npz").read_bytes() == (built / "noise.npz").read_bytes()
    with np.load(tmp_path / "own.npz") as one, np.load(built / "reservoir.npz") as other:
        assert np.array_equal(one["source_waveform"], other["source_waveform"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own.npz", "own_noise.npz"]


def test_sortings_with_their_recordings_given_are_put_together(
    ncpgui: Command, tmp_path: Path, phy: Path, tetrode_folder: Path
) -> None:
    recordings = ["--recording", tetrode_folder, "--recording", tetrode_folder]
    options = ["--min-spikes", 20, "--share", 1, "--out", tmp_path / "two"]
    ran = ncpgui("templates", "build", phy, tetrode_folder, *recordings, *options)
    assert ran.code == 0, ran.err
    assert "6 cells, 1 of them for test\n" in ran.err


def test_a_training_on_them_tells_of_them_in_its_card(
    ncpgui: Command, tmp_path: Path, built: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(built)
    files = ["--reservoir", "reservoir.npz", "--noise", "noise.npz"]
    options = ["--out", tmp_path / "runs", "--device", "cpu"]
    ran = ncpgui("train", tiny, *files, *options)
    assert ran.code == 0, ran.err
    card = json.loads((tmp_path / "runs" / "mine.json").read_text())
    options_of_card = (
        card["config"]["data"]["options"] if "config" in card else card["training"]["data"]["options"]
    )
    assert options_of_card["reservoir"] == "reservoir.npz"
    assert options_of_card["noise"]["measured"] == "noise.npz"
    assert len(card["noise_sha256"]) == 64
    error = ncpgui("train", tiny, *options, "--resume", "--steps", 4).error
    assert "data.options.noise.measured noise.npz, now None" in error
    longer = ncpgui("train", tiny, *files, *options, "--resume", "--steps", 4)
    assert longer.code == 0, longer.err


def test_a_training_does_not_go_on_with_a_file_whose_contents_have_changed(
    ncpgui: Command, tmp_path: Path, built: Path, tiny: Path
) -> None:
    """Same name, same settings: only the cells are others."""
    file = copy_of(built / "reservoir.npz", tmp_path, lambda arrays: None)
    options = ["--reservoir", file, "--out", tmp_path / "runs", "--device", "cpu"]
    assert ncpgui("train", tiny, *options).code == 0

    def weaker(arrays: dict[str, np.ndarray]) -> None:
        arrays["source_waveform"] *= 0.5

    copy_of(file, tmp_path, weaker)
    error = ncpgui("train", tiny, *options, "--resume", "--steps", 4).error
    assert "mine.resume.pt is of a run on other data" in error
    copy_of(built / "reservoir.npz", tmp_path, lambda arrays: None)
    assert ncpgui("train", tiny, *options, "--resume", "--steps", 4).code == 0


def build(ncpgui: Command, tmp_path: Path, *arguments: object) -> Ran:
    """Build into a folder that must not be there afterwards, when it fails."""
    ran = ncpgui("templates", "build", *arguments, "--out", tmp_path / "new")
    assert ran.code == 0 or not (tmp_path / "new").exists()
    return ran


def with_traces(phy: Path, tmp_path: Path, traces: np.ndarray) -> Path:
    """The Phy folder with other data, float32."""
    folder = tmp_path / "phy"
    folder.mkdir()
    for file in phy.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    traces.astype("<f4").tofile(folder / "data.dat")
    text = (phy / "params.py").read_text().splitlines()
    (folder / "params.py").write_text(
        "\n".join(["dat_path = 'data.dat'", *text[1:]]).replace("int16", "float32")
    )
    return folder


def traces_of(tetrode_folder: Path) -> np.ndarray:
    return np.fromfile(tetrode_folder / "recording.raw", "<i2").reshape(-1, 4).astype(np.float32)


def test_nan_in_the_recording(ncpgui: Command, tmp_path: Path, phy: Path, tetrode_folder: Path) -> None:
    traces = traces_of(tetrode_folder)
    traces[31_234, 2] = np.nan
    error = build(ncpgui, tmp_path, with_traces(phy, tmp_path, traces), "--min-spikes", 20).error
    assert "channel 2 is NaN or infinite at sample 31234" in error


def test_no_unit_of_enough_spikes(ncpgui: Command, tmp_path: Path, phy: Path) -> None:
    error = build(ncpgui, tmp_path, phy, "--min-spikes", 5000).error
    assert "no unit is good for a template (3 of fewer than 5000 spikes); give a longer recording" in error


def test_one_single_template_needs_shipped_cells_beside_it(
    ncpgui: Command, tmp_path: Path, phy: Path, tetrode_folder: Path
) -> None:
    folder = with_traces(phy, tmp_path, traces_of(tetrode_folder))
    units = np.load(folder / "spike_clusters.npy")
    np.save(folder / "spike_times.npy", np.load(folder / "spike_times.npy")[units == 0])
    np.save(folder / "spike_clusters.npy", units[units == 0])
    error = build(ncpgui, tmp_path, folder, "--min-spikes", 20, "--share", 1).error
    assert "a reservoir needs at least two cells" in error
    assert "leave --share below 1" in error
    ran = build(ncpgui, tmp_path, folder, "--min-spikes", 20)
    assert ran.code == 0, ran.err
    assert "1 cell, 0 of them for test, beside 4000 shipped ones" in ran.err


def test_contacts_too_far_apart_to_tell_how_spikes_fall_off(
    ncpgui: Command, tmp_path: Path, phy: Path, tetrode_folder: Path
) -> None:
    traces = traces_of(tetrode_folder)
    noise = np.random.default_rng(0).normal(0, traces[:, 1:].std(), (len(traces), 3))
    folder = with_traces(phy, tmp_path, np.column_stack([traces[:, 0], noise]))
    np.save(folder / "channel_positions.npy", np.array([[0.0, 0], [500, 0], [0, 500], [500, 500]]))
    ran = build(ncpgui, tmp_path, folder, "--min-spikes", 20)
    assert ran.code == 0, ran.err
    assert "warning: most units are seen by one contact only: contacts 500 µm apart" in ran.err


def test_no_recording(ncpgui: Command, tmp_path: Path, phy: Path, tetrode_folder: Path) -> None:
    folder = with_traces(phy, tmp_path, traces_of(tetrode_folder))
    (folder / "data.dat").unlink()
    assert "is not there; give it with --recording" in build(ncpgui, tmp_path, folder).error
    assert "does not exist" in build(ncpgui, tmp_path, tmp_path / "nowhere").error
    ran = build(ncpgui, tmp_path, folder, "--recording", tetrode_folder, "--min-spikes", 20)
    assert ran.code == 0, ran.err


def test_a_recording_of_another_sorting(
    ncpgui: Command, tmp_path: Path, phy: Path, tetrode_folder: Path
) -> None:
    folder = with_traces(phy, tmp_path, traces_of(tetrode_folder))
    text = (folder / "params.py").read_text().replace("20000.0", "30000.0")
    (folder / "params.py").write_text(text)
    error = build(ncpgui, tmp_path, folder, "--recording", tetrode_folder).error
    assert "is of a recording at 30000 Hz, but" in error
    assert "is at 20000 Hz; give its own with --recording" in error
    np.save(folder / "spike_times.npy", 10 * np.load(folder / "spike_times.npy"))
    (folder / "params.py").write_text(text.replace("30000.0", "20000.0"))
    assert "lies outside the recording of 80000 samples" in build(ncpgui, tmp_path, folder).error


def test_options_that_do_not_fit_each_other(ncpgui: Command, tmp_path: Path, phy: Path, built: Path) -> None:
    error = build(ncpgui, tmp_path, phy, phy, "--recording", phy).error
    assert "once for each sorting, got 1 recording for 2 sortings" in error
    assert (
        "describe a --recording, which is missing" in build(ncpgui, tmp_path, phy, "--probe", "tetrode").error
    )
    error = ncpgui("templates", "build", phy, "--out", built).error
    assert "reservoir.npz exists; give another name, or --overwrite" in error
    (tmp_path / "file").touch()
    assert "it is a file, but no .npz" in ncpgui("templates", "build", phy, "--out", tmp_path / "file").error
    error = ncpgui("templates", "build", phy, "--out", tmp_path / "no" / "where").error
    assert f"the folder {tmp_path / 'no'} does not exist" in error


def other_rate(arrays: dict[str, np.ndarray]) -> None:
    arrays["sampling_frequency_hz"] = np.array(30_000.0)


def other_length(arrays: dict[str, np.ndarray]) -> None:
    arrays["source_waveform"] = arrays["source_waveform"][..., 11:43]
    arrays["trough_sample"] = np.array(11)


def nan_inside(arrays: dict[str, np.ndarray]) -> None:
    arrays["source_waveform"][4, 1, 7] = np.nan


def one_cell(arrays: dict[str, np.ndarray]) -> None:
    for name in set(arrays) - {"trough_sample", "sampling_frequency_hz"}:
        arrays[name] = arrays[name][:1]


def other_arrays(arrays: dict[str, np.ndarray]) -> None:
    arrays.pop("falloff")


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (other_rate, "sampled at 20000 Hz, they are at 30000 Hz"),
        (other_length, "64 samples with the trough at sample 22, they have 32 with the trough at 11"),
        (nan_inside, "source_waveform of cell 4 is NaN or infinite"),
        (one_cell, "needs at least one cell for training and one for test"),
        (other_arrays, "is not a template reservoir"),
    ],
)
def test_a_reservoir_that_spikes_cannot_be_drawn_from(
    ncpgui: Command, tmp_path: Path, built: Path, tiny: Path, edit: Edit, words: str
) -> None:
    file = copy_of(built / "reservoir.npz", tmp_path, edit)
    error = ncpgui("train", tiny, "--reservoir", file, "--out", tmp_path / "runs").error
    assert words in error
    assert "reservoir.npz" in error
    assert not (tmp_path / "runs").exists()


def not_positive(arrays: dict[str, np.ndarray]) -> None:
    arrays["autocorrelation"][1:] = 0.0
    arrays["autocorrelation"][1] = 0.9


def noise_at_another_rate(arrays: dict[str, np.ndarray]) -> None:
    arrays["sampling_frequency_hz"] = np.array(25_000.0)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (not_positive, "must be positive definite"),
        (noise_at_another_rate, "sampled at 20000 Hz"),
        (lambda arrays: arrays.pop("format"), "is not noise that 'ncpgui templates build' wrote"),
    ],
)
def test_noise_that_cannot_be_drawn(
    ncpgui: Command, tmp_path: Path, built: Path, tiny: Path, edit: Edit, words: str
) -> None:
    file = copy_of(built / "noise.npz", tmp_path, edit)
    error = ncpgui("train", tiny, "--noise", file, "--out", tmp_path / "runs").error
    assert words in error
    assert "noise.npz" in error
    assert not (tmp_path / "runs").exists()


def test_files_that_are_taken_for_each_other(
    ncpgui: Command, tmp_path: Path, built: Path, tiny: Path
) -> None:
    out = ["--out", tmp_path / "runs"]
    error = ncpgui("train", tiny, "--reservoir", built / "noise.npz", *out).error
    assert "noise.npz is not a template reservoir" in error
    error = ncpgui("train", tiny, "--noise", built / "reservoir.npz", *out).error
    assert "reservoir.npz is not noise that 'ncpgui templates build' wrote" in error
    error = ncpgui("train", tiny, "--noise", tmp_path, *out).error
    assert "is not noise that" in error
    error = ncpgui("train", "gauss2d", "--noise", built / "noise.npz", *out).error
    assert "for the generative model 'spikes', this run has 'gauss2d'" in error


def test_a_folder_in_the_place_of_a_file_is_refused_before_the_work(
    ncpgui: Command, tmp_path: Path, phy: Path
) -> None:
    (tmp_path / "own" / "noise.npz").mkdir(parents=True)
    ran = ncpgui("templates", "build", phy, "--out", tmp_path / "own", "--overwrite")
    assert ran.code == 2
    assert "noise.npz: it is a folder; give the name of a file" in ran.err
    assert [one.name for one in (tmp_path / "own").iterdir()] == ["noise.npz"]
