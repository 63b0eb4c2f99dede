"""Columns of raw files, of one or several, are read by the wiring of a probe, and each has to be there."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys.raw_files import check_size, columns_in
from ncpgui.ephys.readers import open_recording, reopen, reopen_whole


@pytest.mark.parametrize("columns", [[], [2], [-1], [[True]], [[0], [1]], [1, 1]])
def test_columns_that_are_not_in_the_file_are_refused_with_its_name(tmp_path: Path, columns: Any) -> None:
    path = tmp_path / "r.raw"
    path.write_bytes(bytes(4000))
    with pytest.raises(RecordingError, match=r"do not fit 2 channels \(.*r\.raw\)"):
        open_recording(
            path, sampling_frequency=20_000.0, n_channels=2, dtype="int16", probe="linear-1", columns=columns
        )


RAMP = np.arange(200)[:, None] * 10 + np.arange(6)
"""Sample s of column c is 10 s + c."""
RATE = {"sampling_frequency": 20_000.0, "n_channels": 6, "dtype": "int16"}


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Six columns of which a probe has fewer."""
    RAMP.astype("<i2").tofile(tmp_path / "r.raw")
    return tmp_path / "r.raw"


def csv_probe(folder: Path, channels: list[int]) -> Path:
    lines = [f"{channel},0,{25 * row}" for row, channel in enumerate(channels)]
    (folder / "p.csv").write_text("\n".join(["channel,x,y", *lines]) + "\n")
    return folder / "p.csv"


def test_columns_without_a_contact_are_not_read(tmp_path: Path, raw: Path) -> None:
    """Column 5 is a sync channel, column 1 is dead; contacts are listed in another order than columns."""
    recording = open_recording(raw, probe=csv_probe(tmp_path, [4, 0, 3, 2]), **RATE)
    assert recording.traces(7, 8).tolist() == [[70, 72, 73, 74]]
    assert recording.probe.positions_um[:, 1].tolist() == [25, 75, 50, 0]
    assert recording.reference.options["columns"] == [0, 2, 3, 4]
    assert recording.notes == ("2 of 6 channels have no contact of the probe and are not read: 1, 5",)
    again = reopen(recording.reference)
    assert again.reference == recording.reference
    assert again.traces(7, 8).tolist() == [[70, 72, 73, 74]]


@pytest.mark.parametrize(
    ("n_columns", "named"), [(3, "1, 2"), (7, "1, 2, 3, 4, 5, 6"), (8, "1, 2, 3, 4, 5, 6 ...")]
)
def test_up_to_six_columns_without_a_contact_are_named(tmp_path: Path, n_columns: int, named: str) -> None:
    np.zeros((200, n_columns), "<i2").tofile(tmp_path / "r.raw")
    probe = csv_probe(tmp_path, [0])
    recording = open_recording(tmp_path / "r.raw", probe=probe, **{**RATE, "n_channels": n_columns})
    lacking = (
        f"{n_columns - 1} of {n_columns} channels have no contact of the probe and are not read: {named}"
    )
    assert lacking in recording.notes


def test_a_probe_of_all_columns_reads_all(tmp_path: Path, raw: Path) -> None:
    recording = open_recording(raw, probe=csv_probe(tmp_path, [5, 4, 3, 2, 1, 0]), **RATE)
    assert "columns" not in recording.reference.options
    assert recording.notes == ()
    assert recording.traces(7, 8).tolist() == [[70, 71, 72, 73, 74, 75]]
    assert recording.probe.positions_um[:, 1].tolist() == [125, 100, 75, 50, 25, 0]


def test_a_contact_on_a_column_that_is_not_there_is_refused(tmp_path: Path, raw: Path) -> None:
    with pytest.raises(
        InputError, match=r"2 contacts but the recording has 6 channels: .* channel 6, and chan"
    ):
        open_recording(raw, probe=csv_probe(tmp_path, [0, 6]), **RATE)


def test_columns_of_a_file_that_are_not_said_are_those_of_the_probe_where_it_says(
    tmp_path: Path, raw: Path
) -> None:
    options = {"sampling_frequency": 20_000.0, "dtype": "int16"}
    (tmp_path / "p.prb").write_text(
        "total_nb_channels = 6\n"
        "channel_groups = {0: {'channels': [1, 3], 'geometry': {1: (0, 0), 3: (0, 9)}}}\n"
    )
    recording = open_recording(raw, probe=tmp_path / "p.prb", **options)
    assert recording.traces(7, 8).tolist() == [[71, 73]]
    with pytest.raises(InputError, match=r"does not say its number of channels \(--n-channels\)"):
        open_recording(raw, probe=csv_probe(tmp_path, [1, 3]), **options)


def test_bad_channels_and_a_time_range_go_with_a_wiring(tmp_path: Path, raw: Path) -> None:
    """Channels to leave out count in the file."""
    probe = csv_probe(tmp_path, [2, 4])
    recording = open_recording(raw, probe=probe, bad_channels=[4], time_range_s=(0.005, 0.01), **RATE)
    assert recording.traces(0, 2).tolist() == [[1002, 0], [1012, 0]]
    assert reopen(recording.reference).reference == recording.reference
    whole = reopen_whole(recording.reference)
    assert whole.traces(100, 101).tolist() == [[1002, 1004]]


@pytest.mark.filterwarnings("ignore")
def test_a_recording_of_a_program_is_read_by_the_wiring_too(tmp_path: Path) -> None:
    from spikeinterface.core import NumpyRecording

    NumpyRecording([RAMP.astype("int16")], 20_000.0).save(folder=tmp_path / "si", progress_bar=False)
    recording = open_recording(tmp_path / "si", probe=csv_probe(tmp_path, [4, 1]))
    assert recording.traces(7, 8).tolist() == [[71, 74]]
    assert recording.reference.options["columns"] == [1, 4]
    assert reopen(recording.reference).traces(7, 8).tolist() == [[71, 74]]


def two_parts(folder: Path) -> list[Path]:
    """Two files with headers of 8 bytes, 120 and 80 samples."""
    values = RAMP.astype("<i2")
    files = [folder / "a.dat", folder / "b.dat"]
    for file, part in zip(files, (values[:120], values[120:]), strict=True):
        file.write_bytes(b"header##" + part.tobytes())
    return files


def test_several_files_are_one_recording(tmp_path: Path) -> None:
    first, second = two_parts(tmp_path)
    options = {**RATE, "offset": 8, "columns": [3, 1], "probe": "linear-2"}
    recording = open_recording(first, more_files=[str(second)], **options)
    assert recording.n_samples == 200
    assert recording.traces(118, 122).tolist() == [[1183, 1181], [1193, 1191], [1203, 1201], [1213, 1211]]
    assert reopen(recording.reference).reference == recording.reference
    (tmp_path / "moved").mkdir()
    for file in (first, second):
        file.rename(tmp_path / "moved" / file.name)
    moved = reopen(replace(recording.reference, path=str(tmp_path / "moved" / "a.dat")))
    assert moved.traces(120, 121).tolist() == [[1203, 1201]]
    (tmp_path / "moved" / "b.dat").write_bytes(b"header##" + bytes(12 * 80))
    with pytest.raises(RecordingError, match=r"a.dat changed since it was sorted"):
        reopen(moved.reference)
    (tmp_path / "moved" / "b.dat").unlink()
    with pytest.raises(RecordingError, match=r"b.dat cannot be read: No such file"):
        reopen(moved.reference)


def test_a_part_that_holds_no_whole_samples_is_named(tmp_path: Path) -> None:
    first, second = two_parts(tmp_path)
    second.write_bytes(second.read_bytes()[:-1])
    with pytest.raises(
        RecordingError, match=r"b.dat has 959 bytes behind an offset of 8, not a multiple of 12"
    ):
        open_recording(first, more_files=[str(second)], offset=8, probe="linear-6", **RATE)
    second.write_bytes(b"head")
    with pytest.raises(
        RecordingError, match=r"b.dat has 4 bytes, and none behind an offset of 8; correct the off"
    ):
        open_recording(first, more_files=[str(second)], offset=8, probe="linear-6", **RATE)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_part", [False, True])
def test_a_recording_that_spikeinterface_saved_and_that_is_cut_short_is_refused(
    tmp_path: Path, is_part: bool
) -> None:
    from spikeinterface.core import NumpyRecording

    saved = NumpyRecording([np.zeros((50, 3), np.int16)], 20_000.0).save(folder=tmp_path / "r", verbose=False)
    traces = tmp_path / "r" / "traces_cached_seg0.raw"
    place = tmp_path / "r"
    if is_part:
        place = tmp_path / "part.json"
        saved.frame_slice(0, 20).dump_to_json(place)
    assert open_recording(place, probe="linear-3").n_samples == (20 if is_part else 50)
    traces.write_bytes(traces.read_bytes()[:-1])
    with pytest.raises(RecordingError, match=r"has 299 bytes, not a multiple of 6 .*: 5 bytes are left over"):
        open_recording(place, probe="linear-3")


@pytest.mark.filterwarnings("ignore")
def test_an_offset_that_a_saved_recording_does_not_have_is_refused(tmp_path: Path) -> None:
    from spikeinterface.core import NumpyRecording

    NumpyRecording([np.zeros((50, 3), np.int16)], 20_000.0).save(folder=tmp_path / "r", verbose=False)
    description = tmp_path / "r" / "binary.json"
    text = description.read_text()
    for offset in (-6, 10**18):
        description.write_text(text.replace('"file_offset": 0,', f'"file_offset": {offset},'))
        with pytest.raises(RecordingError, match=rf"and none behind an offset of {offset}; correct|holds no"):
            open_recording(tmp_path / "r", probe="linear-3")


@pytest.mark.parametrize(
    ("name", "begin", "words"),
    [
        ("a.npy", b"\x93NUMPY", "an array of NumPy"),
        ("a.raw", b"\x93NUMPY", "an array of NumPy"),
        ("a.dat", b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        ("a.dat", b"PK\x03\x04", "a zip archive"),
        ("a.dat.gz", b"\x1f\x8b\x08", "packed by gzip"),
        ("a.cbin", b"", "packed by mtscomp"),
    ],
)
def test_a_file_that_is_no_raw_samples_is_not_read_as_some(
    tmp_path: Path, name: str, begin: bytes, words: str
) -> None:
    """The header of an array was sixteen samples, and all spikes came so much late."""
    path = tmp_path / name
    path.write_bytes(begin + bytes(8000 - len(begin)))
    with pytest.raises(RecordingError, match=rf"{name} is {words}, and not the numbers of its samples alone"):
        open_recording(path, sampling_frequency=20_000.0, n_channels=2, dtype="int16", probe="linear-2")


def test_no_channels_are_no_recording(tmp_path: Path) -> None:
    (tmp_path / "r.raw").write_bytes(bytes(4000))
    with pytest.raises(
        RecordingError, match=r"r\.raw is said to have 0 channels, and a recording has one or more"
    ):
        check_size(tmp_path / "r.raw", 0, np.dtype("int16"))


@pytest.mark.parametrize(
    ("n_channels", "dtype", "n_bytes", "offset", "said"),
    [
        (1, "int8", 1, 0, ""),
        (1, "int16", 3, 0, "3 bytes, not a multiple of 2"),
        (2, "int16", 8, 0, ""),
        (2, "int16", 6, 0, "6 bytes, not a multiple of 4"),
        (2, "int16", 7, 3, ""),
        (2, "int16", 7, 2, "5 bytes behind an offset of 2, not a multiple of 4"),
        (1, "int16", 4, 4, "4 bytes, and none behind an offset of 4"),
        (1, "int16", 4, -1, "4 bytes, and none behind an offset of -1"),
    ],
)
def test_a_file_holds_whole_samples_of_all_channels_behind_its_offset(
    tmp_path: Path, n_channels: int, dtype: str, n_bytes: int, offset: int, said: str
) -> None:
    path = tmp_path / "r.raw"
    path.write_bytes(b"\x01" * n_bytes)
    with pytest.raises(RecordingError, match=said) if said else nullcontext():
        check_size(path, n_channels, np.dtype(dtype), offset=offset)


@pytest.mark.parametrize("columns", [[0, 3], [-1, 0], [1, 1], [], [[0, 1]], 1])
def test_columns_that_are_named_are_in_the_file_and_each_once(columns: object) -> None:
    assert columns_in([2, 0], 3, Path("a.raw")).tolist() == [2, 0]
    with pytest.raises(
        RecordingError, match=r"do not fit 3 channels \(a\.raw\); name each of them once, from 0 to 2"
    ):
        columns_in(columns, 3, Path("a.raw"))
