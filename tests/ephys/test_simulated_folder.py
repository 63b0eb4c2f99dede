"""What a folder of `ncpgui simulate` says of itself, and what is said where it is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.spikes import Sorting
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys import simulated_folder as folders
from ncpgui.ephys.readers import open_recording

DESCRIPTION = {"format": "ncpgui-recording", "version": 1, "sampling_frequency_hz": 2e4, "n_channels": 2}


def described(folder: Path, **changes: object) -> Path:
    values = {name: value for name, value in (DESCRIPTION | changes).items() if value is not None}
    (folder / "recording.json").write_text(json.dumps(values))
    return folder


def test_a_description_comes_back_with_what_was_added(tmp_path: Path) -> None:
    folders.write_description(
        tmp_path, sampling_frequency_hz=2e4, n_channels=2, gain_uv=0.5, more={"seed": 7}
    )
    assert folders.read_description(tmp_path) == DESCRIPTION | {"dtype": "<i2", "gain_uv": 0.5, "seed": 7}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "another"}, "its format is not 'ncpgui-recording'"),
        ({"version": 2}, "version 2 is newer than this program knows"),
        ({"sampling_frequency_hz": "fast"}, "could not convert"),
        ({"n_channels": None}, "n_channels"),
        ({"n_channels": []}, "int"),
    ],
)
def test_a_description_that_is_none_is_refused(tmp_path: Path, changes: dict, said: str) -> None:
    with pytest.raises(RecordingError, match=f"is not the description of a recording: .*{said}"):
        folders.read_description(described(tmp_path, **changes))


def test_a_list_is_no_description(tmp_path: Path) -> None:
    (tmp_path / "recording.json").write_text("[1]")
    with pytest.raises(RecordingError, match="its format is not"):
        folders.read_description(tmp_path)


def test_a_folder_is_one_with_traces_and_their_description(tmp_path: Path) -> None:
    described(tmp_path)
    assert not folders.is_simulated_folder(tmp_path)
    (tmp_path / "recording.raw").write_bytes(b"")
    assert folders.is_simulated_folder(tmp_path)
    (tmp_path / "recording.json").unlink()
    assert not folders.is_simulated_folder(tmp_path)


@pytest.mark.parametrize(
    ("n_bytes", "said"), [(0, "is empty"), (401, "401 bytes"), (402, "402 bytes"), (400, "")]
)
def test_traces_of_a_folder_are_whole_samples(tmp_path: Path, n_bytes: int, said: str) -> None:
    """Two channels of two bytes each."""
    folders.write_probe(tmp_path, Probe(np.array([[0.0, 0.0], [0.0, 30.0]])))
    (described(tmp_path, dtype="<i2") / "recording.raw").write_bytes(b"\x01" * n_bytes)
    if said:
        with pytest.raises(RecordingError, match=said):
            open_recording(tmp_path)
    else:
        assert open_recording(tmp_path).n_samples == 100


TRUTH = Sorting(np.array([5, 9, 20]), np.array([3, 1, 3]), 20_000.0, 100)


def test_true_spikes_come_back_with_what_is_known_of_the_cells(tmp_path: Path) -> None:
    cells = {"unit_id": np.array([1, 3]), "main_channel": np.array([4, 0])}
    folders.write_truth(tmp_path, TRUTH, cells)
    truth, known = folders.read_truth(tmp_path)
    assert truth.sample_index.tolist() == [5, 9, 20]
    assert truth.unit_id.tolist() == [3, 1, 3]
    assert (truth.sampling_frequency_hz, truth.n_samples) == (20_000.0, 100)
    assert truth.main_channel == {1: 4, 3: 0}
    assert sorted(known) == ["main_channel", "unit_id"]


@pytest.mark.parametrize("name", ["unit_id", "main_channel"])
def test_without_the_channels_of_cells_there_are_true_spikes_all_the_same(tmp_path: Path, name: str) -> None:
    folders.write_truth(tmp_path, TRUTH, {name: np.array([1, 3])})
    assert folders.read_truth(tmp_path)[0].main_channel == {}


def test_damaged_true_spikes_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "truth.npz", sample_index=np.array([5]))
    with pytest.raises(RecordingError, match="does not hold true spikes: 'unit_id'"):
        folders.read_truth(tmp_path)


def stimulus(folder: Path, **arrays: object) -> Path:
    known: dict = {"frames": np.ones((3, 2, 2), np.int8), "trigger_sample": np.array([0, 5, 10])}
    np.savez(folder / "stimulus.npz", **{k: v for k, v in (known | arrays).items() if v is not None})
    return folder


def test_a_stimulus_is_read_of_its_folder_or_its_file(tmp_path: Path) -> None:
    folders.write_stimulus(tmp_path, Stimulus(np.ones((3, 2, 2), np.int8), np.array([0, 5, 10]), 12.5))
    for path in (tmp_path, tmp_path / "stimulus.npz"):
        found = folders.load_stimulus(path)
        assert found is not None
        assert (found.pixel_um, found.trigger_sample.tolist()) == (12.5, [0, 5, 10])
    one = folders.load_stimulus(stimulus(tmp_path))
    assert one is not None
    assert one.pixel_um == 1.0


def test_where_there_is_no_stimulus_none_is_read(tmp_path: Path) -> None:
    assert folders.load_stimulus(tmp_path) is None
    assert folders.load_stimulus(tmp_path / "missing.npz") is None
    (tmp_path / "frames.txt").write_text("1")
    assert folders.load_stimulus(tmp_path / "frames.txt") is None


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"frames": None}, "has no array 'frames'; a stimulus needs frames"),
        ({"trigger_sample": None}, "has no array 'trigger_sample'; a stimulus needs"),
        ({"trigger_sample": np.array([0, 5])}, r"stimulus\.npz: "),
        ({"pixel_um": np.array([1.0, 2.0])}, r"stimulus\.npz: "),
    ],
)
def test_a_stimulus_that_lacks_something_is_refused(tmp_path: Path, arrays: dict, said: str) -> None:
    with pytest.raises(RecordingError, match=said):
        folders.load_stimulus(stimulus(tmp_path, **arrays))


def test_a_probe_is_written_with_its_contacts_and_shanks(tmp_path: Path) -> None:
    folders.write_probe(tmp_path, Probe(np.array([[0.0, 0.0], [0.0, 20.0]]), np.array([0, 1])))
    (probe,) = json.loads((tmp_path / "probe.json").read_text())["probes"]
    assert probe["contact_positions"] == [[0.0, 0.0], [0.0, 20.0]]
    assert probe["shank_ids"] == ["0", "1"]
    assert probe["device_channel_indices"] == [0, 1]
