"""A sorting leads to its recording, or says what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import MissingRecordingError, RecordingError
from ncpgui.ephys.sorted_recording import recording_of_sorting


@pytest.fixture
def phy(tmp_path):
    """Four columns in the data, of which three were sorted, in another order."""
    folder = tmp_path / "phy"
    folder.mkdir()
    values = np.arange(400, dtype="<i2").reshape(100, 4)
    (folder / "data.dat").write_bytes(b"header##" + values.tobytes())
    (folder / "params.py").write_text(
        "dat_path = ['data.dat']\nn_channels_dat = 4\ndtype = 'int16'\noffset = 8\nsample_rate = 25000.\n"
    )
    np.save(folder / "spike_times.npy", np.array([10]))
    np.save(folder / "channel_map.npy", np.array([[3], [0], [1]]))
    np.save(folder / "channel_positions.npy", np.array([[0.0, 0], [0, 20], [0, 40]]))
    np.save(folder / "channel_shanks.npy", np.array([0, 0, 1]))
    return folder


def test_the_data_of_a_phy_folder_open_with_its_channels_and_places(phy):
    recording = recording_of_sorting(phy)
    assert (recording.n_channels, recording.n_samples) == (3, 100)
    assert recording.sampling_frequency_hz == 25_000
    assert recording.traces(1, 2).tolist() == [[7, 4, 5]]
    assert recording.probe.positions_um[:, 1].tolist() == [0, 20, 40]
    assert recording.probe.shank.tolist() == [0, 0, 1]
    assert recording_of_sorting(phy / "params.py").reference == recording.reference


def test_a_phy_folder_without_its_data_says_so(phy):
    (phy / "data.dat").unlink()
    with pytest.raises(
        RecordingError, match=r"dat_path = 'data.dat'\) is not there; give it with --recording"
    ):
        recording_of_sorting(phy)


def test_a_kilosort_folder_without_params_says_that_and_not_what_it_names(phy):
    (phy / "params.py").unlink()
    with pytest.raises(MissingRecordingError, match=r"has no params.py, .*; give it with --recording$"):
        recording_of_sorting(phy)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda phy: np.save(phy / "channel_map.npy", np.array([0, 9, 1])), "does not fit 4 channels"),
        (lambda phy: np.save(phy / "channel_map.npy", np.array([0, 1])), "has 2 channels, .* 3"),
        (lambda phy: (phy / "channel_positions.npy").unlink(), "channel_positions.npy"),
        (
            lambda phy: (phy / "data.dat").write_bytes(b"header##12345"),
            "5 bytes of data are no whole samples",
        ),
    ],
)
def test_a_phy_folder_that_does_not_fit_its_data_is_refused(phy, change, words):
    change(phy)
    with pytest.raises(RecordingError, match=f"{words}.*give it with --recording"):
        recording_of_sorting(phy)


@pytest.mark.filterwarnings("ignore:The extractor is not serializable:UserWarning")
def test_a_sorting_without_a_recording_says_so(tmp_path):
    from spikeinterface.core import NumpySorting

    sorting = NumpySorting.from_samples_and_labels([np.array([5, 10])], [np.array([3, 4])], 20_000.0)
    sorting.save(folder=tmp_path / "si")
    with pytest.raises(RecordingError, match=r"does not lead to its recording .*give it with --recording"):
        recording_of_sorting(tmp_path / "si")


@pytest.mark.filterwarnings("ignore")
def test_an_analyzer_leads_to_its_recording(tmp_path):
    from spikeinterface.core import create_sorting_analyzer, generate_ground_truth_recording

    recording, sorting = generate_ground_truth_recording([1.0], 20_000.0, num_channels=4, num_units=2, seed=0)
    recording = recording.save(folder=tmp_path / "recording", progress_bar=False)
    folder = tmp_path / "analyzer"
    create_sorting_analyzer(sorting, recording, folder=folder, format="binary_folder", sparse=False)
    found = recording_of_sorting(folder)
    assert (found.n_channels, found.n_samples) == (4, 20_000)
