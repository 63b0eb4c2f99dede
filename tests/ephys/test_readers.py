"""Recordings open, and those that cannot be opened say why."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.readers import gain_uv, open_recording, reopen

TETRODE = {"sampling_frequency": 20_000.0, "n_channels": 4, "dtype": "int16", "probe": "tetrode"}


# SpikeInterface leaves the file it saves to for the garbage collector to close.
leaves_files_open = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def raw(tmp_path):
    """Two hundred samples of four channels: sample s of channel c is 10 s + c."""
    path = tmp_path / "élan recording.raw"
    (np.arange(200)[:, None] * 10 + np.arange(4)).astype("<i2").tofile(path)
    return path


def test_raw_file_gives_its_samples(raw):
    recording = open_recording(raw, **TETRODE)
    assert (recording.n_samples, recording.n_channels) == (200, 4)
    assert recording.traces(5, 7).tolist() == [[50, 51, 52, 53], [60, 61, 62, 63]]
    assert recording.traces(3, 3).shape == (0, 4)


def test_other_dtypes_are_read(tmp_path):
    path = tmp_path / "a.dat"
    np.array([[0.5, -1.5], [2.0, 3.0]], dtype="<f8").tofile(path)
    recording = open_recording(path, sampling_frequency=1e4, n_channels=2, dtype="float64", probe="linear-2")
    assert recording.traces(0, 2).tolist() == [[0.5, -1.5], [2.0, 3.0]]


def test_truncated_file_is_refused_with_the_left_over_bytes(raw):
    raw.write_bytes(raw.read_bytes()[:-3])
    with pytest.raises(
        RecordingError, match=r"1597 bytes, not a multiple of 8 \(4 channels of int16\): 5 bytes"
    ):
        open_recording(raw, **TETRODE)


def test_empty_and_missing_files_are_refused(tmp_path):
    (tmp_path / "empty.raw").touch()
    with pytest.raises(RecordingError, match="is empty"):
        open_recording(tmp_path / "empty.raw", **TETRODE)
    with pytest.raises(RecordingError, match="does not exist; check the path"):
        open_recording(tmp_path / "nowhere.raw", **TETRODE)


def test_a_path_too_long_for_the_system_or_in_an_unknown_home_is_refused():
    with pytest.raises(RecordingError, match=r"x cannot be opened: File name too long; check the path"):
        open_recording("x" * 300, **TETRODE)
    with pytest.raises(RecordingError, match=r"~no such user/a.raw does not exist; check the path"):
        open_recording("~no such user/a.raw", **TETRODE)


def test_integers_read_as_floats_are_told_from_recordings_by_their_dtype(tmp_path):
    path = tmp_path / "a.raw"
    np.random.default_rng(0).integers(-500, 500, (4000, 4)).astype("<i2").tofile(path)
    recording = open_recording(path, **{**TETRODE, "dtype": "float64"})
    with pytest.raises(RecordingError, match=r"NaN or infinite at sample \d+ .*check the dtype"):
        preprocess(recording)


def test_raw_file_without_its_description_names_what_is_missing(raw):
    with pytest.raises(
        InputError, match=r"sampling frequency \(--sampling-frequency\) or number of channels"
    ):
        open_recording(raw)
    with pytest.raises(InputError, match=r"does not say its probe \(--probe\)"):
        open_recording(raw, sampling_frequency=2e4, n_channels=4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampling_frequency": -1.0}, "positive number of Hz, got -1"),
        ({"n_channels": 0}, "at least 1, got 0"),
        ({"dtype": "spam"}, "dtype 'spam' is unknown"),
        ({"dtype": "S4"}, "cannot hold traces"),
        ({"probe": "hex49"}, "probe has 49 contacts but the recording has 4 channels"),
        ({"n_channels": 8}, "probe has 4 contacts but the recording has 8 channels"),
    ],
)
def test_options_that_make_no_sense_are_refused(raw, options, message):
    with pytest.raises(InputError, match=message):
        open_recording(raw, **{**TETRODE, **options})


def test_unknown_format_lists_what_can_be_opened(tmp_path):
    path = tmp_path / "notes.docx"
    path.write_text("hello")
    with pytest.raises(RecordingError, match=r"format of .*notes.docx is not known.*raw binary.*\.nwb"):
        open_recording(path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(RecordingError, match="no recording is known in the folder"):
        open_recording(tmp_path / "folder")


def test_damaged_file_of_a_known_format_is_one_clear_error(tmp_path):
    path = tmp_path / "bad.nwb"
    path.write_bytes(b"not an hdf5 file")
    with pytest.raises(RecordingError, match=r"bad.nwb"):
        open_recording(path)


@pytest.mark.parametrize("strange", [{"time_range_s": {}}, {"nonesuch": 1}, {"n_channels": "four"}])
def test_a_session_whose_options_cannot_be_used_says_so(raw, strange):
    reference = open_recording(raw, **TETRODE).reference
    changed = replace(reference, options={**reference.options, **strange})
    with pytest.raises(
        RecordingError, match=r"with options that cannot be used .*use a backup of the session"
    ):
        reopen(changed)


def test_reopened_recording_is_the_same(raw):
    first = open_recording(raw, **TETRODE)
    again = reopen(first.reference)
    assert again.reference == first.reference
    assert np.array_equal(again.traces(0, 200), first.traces(0, 200))
    assert np.array_equal(again.probe.positions_um, first.probe.positions_um)


def test_moved_or_changed_recording_names_the_way_out(raw):
    reference = open_recording(raw, **TETRODE).reference
    moved = raw.with_name("moved.raw")
    raw.rename(moved)
    with pytest.raises(RecordingError, match="is not there any more; put it back"):
        reopen(reference)
    raw.write_bytes(moved.read_bytes()[:-8] + bytes(8))
    with pytest.raises(RecordingError, match="changed since it was sorted"):
        reopen(reference)


@leaves_files_open
def test_saved_spikeinterface_folder_and_zarr_open_with_their_probe(tmp_path):
    from spikeinterface.core import generate_recording

    source = generate_recording(num_channels=4, durations=[0.5], sampling_frequency=20_000.0, seed=0)
    options = {"n_jobs": 1, "progress_bar": False, "verbose": False}
    source.save(folder=tmp_path / "saved", **options)
    source.save(folder=tmp_path / "saved.zarr", format="zarr", **options)
    for name in ("saved", "saved.zarr"):
        recording = open_recording(tmp_path / name)
        assert np.allclose(recording.traces(100, 200), source.get_traces(start_frame=100, end_frame=200))
        assert np.allclose(recording.probe.positions_um, source.get_channel_locations())
        assert reopen(recording.reference).n_samples == 10_000


@leaves_files_open
def test_contacts_at_one_place_in_a_saved_recording_name_it_and_the_way_out(tmp_path):
    from spikeinterface.core import generate_recording

    source = generate_recording(num_channels=2, durations=[0.1], sampling_frequency=20_000.0, seed=0)
    source.save(folder=tmp_path / "saved", n_jobs=1, progress_bar=False, verbose=False)
    for file in (tmp_path / "saved").glob("probe*.json"):
        layout = json.loads(file.read_text())
        layout["probes"][0]["contact_positions"] = [[0.0, 0.0], [0.0, 0.0]]
        file.write_text(json.dumps(layout))
    with pytest.raises((InputError, RecordingError), match=r"saved.*(share the position|unique)"):
        open_recording(tmp_path / "saved")


@leaves_files_open
def test_several_segments_are_joined(tmp_path):
    from spikeinterface.core import generate_recording

    source = generate_recording(num_channels=2, durations=[0.2, 0.3], sampling_frequency=10_000.0, seed=0)
    source.save(folder=tmp_path / "saved", n_jobs=1, progress_bar=False, verbose=False)
    joined = open_recording(tmp_path / "saved")
    assert joined.n_samples == 5000
    parts = [source.get_traces(segment_index=segment) for segment in (0, 1)]
    assert not np.array_equal(parts[0][:100], parts[1][:100])
    np.testing.assert_array_equal(joined.traces(0, 5000), np.concatenate(parts))


def test_pickles_are_refused_and_never_loaded(tmp_path):
    folder = tmp_path / "hostile"
    folder.mkdir()
    marker = tmp_path / "was run"
    (folder / "cached.pkl").write_bytes(f"cpathlib\nPath.touch\n(cpathlib\nPath\n(V{marker}\ntRtR.".encode())
    with pytest.raises(RecordingError, match="is a pickle"):
        open_recording(folder)
    assert not marker.exists()


@pytest.mark.parametrize(
    ("gains", "told"),
    [
        ([0.5, 2.0], [0.5, 2.0]),
        ([0.5, 0.0], None),
        ([0.5, -1.0], None),
        ([0.5, np.nan], None),
        ([0.5, np.inf], None),
        (None, None),
    ],
)
def test_microvolts_are_told_where_each_channel_has_a_positive_gain(gains, told):
    extractor = SimpleNamespace(get_channel_gains=lambda: None if gains is None else np.array(gains))
    found = gain_uv(SimpleNamespace(extractor=lambda: extractor))
    assert (found if found is None else found.tolist()) == told
