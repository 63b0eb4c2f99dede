"""A sorting leads to its recording, or says what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import MissingRecordingError, RecordingError
from ncpgui.ephys.readers import reopen
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
            "has 5 bytes behind an offset of 8, not a multiple of 8",
        ),
    ],
)
def test_a_phy_folder_that_does_not_fit_its_data_is_refused(phy, change, words):
    change(phy)
    with pytest.raises(RecordingError, match=f"{words}.*give it with --recording"):
        recording_of_sorting(phy)


def test_several_data_files_are_one_recording_and_a_missing_one_is_named(phy):
    data = (phy / "data.dat").read_bytes()
    (phy.parent / "part1.dat").write_bytes(data)
    (phy.parent / "part2.dat").write_bytes(data)
    text = (phy / "params.py").read_text().replace("'data.dat'", "'../part1.dat', r'D:\\lab\\part2.dat'")
    (phy / "params.py").write_text(text)
    recording = recording_of_sorting(phy)
    assert (recording.n_channels, recording.n_samples) == (3, 200)
    assert recording.traces(99, 102).tolist() == [[399, 396, 397], [3, 0, 1], [7, 4, 5]]
    (phy.parent / "part2.dat").unlink()
    with pytest.raises(
        MissingRecordingError, match=r"lab.*part2.dat'\) is not there; give it with --recording"
    ):
        recording_of_sorting(phy)


@pytest.mark.parametrize(
    "line", ["dat_path = data.dat", "dat_path = []", "dat_path = 3", "", "dat_path = Path('a')"]
)
def test_a_line_that_names_no_file_is_shown_with_the_way_out(phy, line):
    lines = (phy / "params.py").read_text().splitlines()[1:]
    (phy / "params.py").write_text("\n".join([line, *lines]) + "\n")
    shown = "line 1, 'dat_path = data.dat', is not a plain value" if "= data" in line else "dat_path"
    with pytest.raises(
        MissingRecordingError, match=f"does not name the recording: .*{shown}.*write its path in"
    ):
        recording_of_sorting(phy)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("n_channels_dat = 4.5", r"n_channels_dat is not a whole number: n_channels_dat = 4.5"),
        (
            "n_channels_dat = len(x)",
            r"n_channels_dat is not a whole number: line 2, 'n_channels_dat = len\(x\)', is no",
        ),
        ("", "n_channels_dat is not a whole number: there is no line 'n_channels_dat = ...'"),
        ("n_channels_dat = float('inf')", "n_channels_dat is not a whole number"),
        (
            "n_channels_dat = 4\noffset = 1e400",
            "offset is not a whole number of bytes|offset is not a whole number",
        ),
        ("n_channels_dat = 4\nsample_rate = 'fast'", "sample_rate is not a number: sample_rate = 'fast'"),
    ],
)
def test_parameters_that_are_no_numbers_are_named(phy, line, words):
    lines = (phy / "params.py").read_text().splitlines()
    kept = [one for one in lines[2:] if one.partition(" =")[0] not in line]
    (phy / "params.py").write_text("\n".join([lines[0], line, *kept]) + "\n")
    with pytest.raises(MissingRecordingError, match=words):
        recording_of_sorting(phy)


def test_places_in_three_dimensions_are_taken_into_their_plane(phy):
    np.save(phy / "channel_positions.npy", np.array([[0.0, 5, 0], [0, 5, 20], [0, 5, 40]]))
    assert recording_of_sorting(phy).probe.positions_um.tolist() == [[0, 0], [0, 20], [0, 40]]
    np.save(phy / "channel_positions.npy", np.array([[0.0, 0], [0, 0.02], [0, 0.04]]))
    with pytest.raises(
        MissingRecordingError, match=r"are they in mm\?.*give the places of the contacts with --p"
    ):
        recording_of_sorting(phy)
    np.save(phy / "channel_positions.npy", np.zeros((4, 3)).T)
    with pytest.raises(
        MissingRecordingError, match=r"must have places \(x, y\) or \(x, y, z\), got \(3, 4\)"
    ):
        recording_of_sorting(phy)


def test_a_probe_that_is_given_has_the_places_by_its_wiring_or_its_order(phy):
    """Columns 3, 0 and 1 were sorted; the places in the folder cannot be used."""
    np.save(phy / "channel_positions.npy", np.zeros((3, 2)))
    (phy / "channel_shanks.npy").unlink()
    with pytest.raises(
        MissingRecordingError, match=r"contacts 0 and 1 of the probe share .*--probe, or give it"
    ):
        recording_of_sorting(phy)
    wired = phy.parent / "wired.csv"
    wired.write_text("channel,x,y\n0,0,0\n1,0,10\n2,0,20\n3,0,30\n")
    heights = {"linear-3-25": [0, 25, 50], "linear-4-25": [75, 0, 25], str(wired): [30, 0, 10]}
    for probe, height in heights.items():
        recording = recording_of_sorting(phy, probe=probe)
        assert recording.probe.positions_um[:, 1].tolist() == height
        assert recording.traces(1, 2).tolist() == [[7, 4, 5]]
        assert reopen(recording.reference).reference == recording.reference
    wired.write_text("channel,x,y\n0,0,0\n1,0,10\n2,0,20\n")
    with pytest.raises(
        MissingRecordingError, match="no contact of the probe is wired to channel 3, which was sor"
    ):
        recording_of_sorting(phy, probe=wired)
    with pytest.raises(MissingRecordingError, match="probe has 49 contacts, but 3 of 4 channels were sorted"):
        recording_of_sorting(phy, probe="hex49")


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
