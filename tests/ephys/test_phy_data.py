"""The raw files that a folder of Phy names, and which of their columns were sorted and lie where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError
from ncpgui.ephys.phy_data import (
    RawLayout,
    data_files,
    data_length,
    given_places,
    own_places,
    raw_layout,
    sorted_columns,
)
from ncpgui.ephys.wired_probe import wired_probe


def parameters(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "params.py").write_text(text)
    return folder


def test_files_are_found_in_the_folder_or_where_it_was_moved(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = parameters(tmp_path / "phy", "dat_path = 'a.dat'")
    (tmp_path / "a.dat").touch()
    assert data_files(folder) == [tmp_path / "a.dat"]
    assert f"a.dat is not there; the recording is taken to be {tmp_path / 'a.dat'}" in caplog.text
    caplog.clear()
    (folder / "a.dat").touch()
    assert data_files(folder) == [folder / "a.dat"]
    assert caplog.text == ""
    parameters(folder, r"dat_path = r'D:\data\a.dat'")
    assert data_files(folder) == [folder / "a.dat"]
    assert "the recording is taken to be" in caplog.text


def test_several_files_come_in_their_order_and_the_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder = parameters(tmp_path / "phy", "dat_path = ['b.dat', 'a.dat']")
    for name in ("a.dat", "b.dat"):
        (folder / name).touch()
    assert [file.name for file in data_files(folder)] == ["b.dat", "a.dat"]
    (folder / "a.dat").unlink()
    with pytest.raises(MissingRecordingError, match=r"\(dat_path = 'a.dat'\) is not there; give it with"):
        data_files(folder)


@pytest.mark.parametrize(
    "line", ["", "dat_path = []", "dat_path = ''", "dat_path = 3", "dat_path = ['a', 3]"]
)
def test_a_folder_that_names_no_file_says_so(tmp_path: Path, line: str) -> None:
    with pytest.raises(
        MissingRecordingError, match=r"does not name the recording: .*; write its path in quotes"
    ):
        data_files(parameters(tmp_path, line))


def test_without_parameters_nothing_says_where_the_recording_is(tmp_path: Path) -> None:
    with pytest.raises(MissingRecordingError, match=r"has no params\.py, which says where its recording is"):
        data_files(tmp_path)


def test_the_layout_is_what_the_parameters_say(tmp_path: Path) -> None:
    text = "n_channels_dat = 5\nsample_rate = 20000\n"
    assert raw_layout(parameters(tmp_path, text)) == RawLayout(20_000.0, 5, "int16", 0)
    more = text + "dtype = 'float32'\noffset = 8.0\n"
    assert raw_layout(parameters(tmp_path, more)) == RawLayout(20_000.0, 5, "float32", 8)
    for nothing in ("offset = None", "offset = 0", "offset = ''"):
        assert raw_layout(parameters(tmp_path, f"{text}{nothing}\n")).offset == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("n_channels_dat = 5", "sample_rate is not a number: "),
        ("n_channels_dat = 5\nsample_rate = True", "sample_rate is not a number: sample_rate = True"),
        (
            "sample_rate = 2e4\nn_channels_dat = 5.5",
            "n_channels_dat is not a whole number: n_channels_dat = 5.5",
        ),
        ("sample_rate = 2e4\nn_channels_dat = True", "n_channels_dat is not a whole number"),
        ("sample_rate = 2e4\nn_channels_dat = 5\noffset = 'a'", "offset is not a whole number: offset = 'a'"),
        (
            "sample_rate = 2e4\nn_channels_dat = 5\noffset = 2 * 40",
            "offset is not a whole number: line 3, 'offset = 2 ",
        ),
        (
            "sample_rate = 2e4\nn_channels_dat = 5\ndtype = np.float32",
            "dtype is not the name of a type: line 3, 'dtype = np.float32', is not a plain value",
        ),
        (
            "sample_rate = 2e4\nn_channels_dat = 5\ndtype = ''",
            "dtype is not the name of a type: dtype = ''",
        ),
        (
            "sample_rate = 2e4\nn_channels_dat = 5\ndtype = 16",
            "dtype is not the name of a type: dtype = 16",
        ),
        (f"sample_rate = {'1' * 400}\nn_channels_dat = 5", "sample_rate is not a number"),
        (f"sample_rate = 2e4\nn_channels_dat = {'1' * 400}", "n_channels_dat is not a whole number"),
    ],
)
def test_a_layout_without_numbers_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(RecordingError, match=words):
        raw_layout(parameters(tmp_path, text))


def test_the_length_is_that_of_all_files_without_their_headers(tmp_path: Path) -> None:
    text = "dat_path = ['a', 'b']\nn_channels_dat = 3\nsample_rate = 2e4\noffset = 8\n"
    parameters(tmp_path, text)
    assert data_length(tmp_path) is None
    (tmp_path / "a").write_bytes(bytes(8 + 6 * 7))
    (tmp_path / "b").write_bytes(bytes(8 + 6 * 2 + 5))  # an incomplete sample
    assert data_length(tmp_path) == 9
    parameters(tmp_path, text + "dtype = 'float32'")
    assert data_length(tmp_path) == 3 + 1
    for odd in ("dtype = 'no'", "n_channels_dat = 0"):
        assert data_length(parameters(tmp_path, text + odd)) is None


def columns(folder: Path, values: Any, n: int = 4) -> list[int]:
    np.save(folder / "channel_map.npy", np.asarray(values))
    return sorted_columns(folder, n).tolist()


def test_columns_are_those_of_the_channel_map(tmp_path: Path) -> None:
    assert columns(tmp_path, [[3], [0]]) == [3, 0]
    assert columns(tmp_path, [1.0, 2.0]) == [1, 2]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0, 4], r"channel_map\.npy does not fit 4 channels"),
        ([-1, 0], "does not fit 4 channels"),
        ([1, 1], "does not fit 4 channels"),
        (np.zeros(0), "does not fit 4 channels"),
        ([0, 1.5], r"channel_map\.npy: channel 1 is 1\.5"),
        ([np.nan, 1], r"channel 0 is nan"),
    ],
)
def test_a_channel_map_that_does_not_fit_is_refused(tmp_path: Path, values: Any, words: str) -> None:
    with pytest.raises(RecordingError, match=words):
        columns(tmp_path, values)


def places(folder: Path, positions: Any, shanks: Any = None, n: int = 2) -> Any:
    np.save(folder / "channel_positions.npy", np.asarray(positions, float))
    if shanks is not None:
        np.save(folder / "channel_shanks.npy", np.asarray(shanks))
    return own_places(folder, np.arange(n)).probe


def test_places_and_shanks_are_those_of_the_folder(tmp_path: Path) -> None:
    assert places(tmp_path, [(5, 0), (5, 20)]).positions_um.tolist() == [[5, 0], [5, 20]]
    two = places(tmp_path, [(5, 0), (5, 0)], [0, 1])
    assert two.shank.tolist() == [0, 1]
    for wrong, words in (
        (np.zeros((2, 4)), r"must have places \(x, y\) or \(x, y, z\), got \(2, 4\)"),
        (np.zeros(2), r"got \(2,\)"),
        (np.zeros((3, 2)), "channel_map.npy has 2 channels, channel_positions.npy 3"),
    ):
        with pytest.raises(InputError, match=words):
            places(tmp_path, wrong)


def test_a_probe_that_is_given_has_places_by_wiring_else_by_the_order_of_the_map_or_of_the_file() -> None:
    line = np.column_stack([np.zeros(3), 10.0 * np.arange(3)])
    wired = wired_probe(line, channels=[4, 0, 2])
    sorted_two = np.array([4, 2])
    assert given_places(wired, sorted_two, 5).probe.positions_um[:, 1].tolist() == [0, 20]
    with pytest.raises(InputError, match="no contact of the probe is wired to channel 3, which was sorted"):
        given_places(wired, np.array([3, 0]), 5)
    in_order = wired_probe(line[:2])
    assert given_places(in_order, sorted_two, 5).probe.positions_um[:, 1].tolist() == [0, 10]
    whole = wired_probe(np.column_stack([np.zeros(5), 10.0 * np.arange(5)]))
    assert given_places(whole, sorted_two, 5).probe.positions_um[:, 1].tolist() == [40, 20]
    with pytest.raises(
        InputError, match="probe has 3 contacts, but 2 of 5 channels were sorted; pass a probe of 2"
    ):
        given_places(wired_probe(line), sorted_two, 5)


def test_shanks_of_a_probe_that_is_given_stay() -> None:
    twice = wired_probe([(0.0, 0.0), (0.0, 20.0), (0.0, 0.0)], shanks=[0, 0, 1])
    found = given_places(twice, np.array([2, 0]), 3).probe
    assert found.shank is not None
    assert found.shank.tolist() == [1, 0]


@pytest.mark.parametrize("shank", [np.nan, 0.5, np.inf, 1e12])
def test_shanks_that_are_no_numbers_of_shanks_are_refused(tmp_path: Path, shank: float) -> None:
    with pytest.raises(InputError, match=r"contact 1 of the probe is on shank .*; give whole numbers"):
        places(tmp_path, [(5, 0), (5, 20)], [0, shank])
