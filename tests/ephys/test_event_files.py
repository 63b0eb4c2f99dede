"""Events are read from arrays, tables and trials; what is wrong with a file is said."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.core.clock import Clock
from ncpgui.core.errors import InputError
from ncpgui.core.project import RecordingReference
from ncpgui.ephys.event_files import read_events

RECORDING = RecordingReference("/data/a.raw", {}, "0" * 64, 4, 1000.0, 60_000)  # one minute


def read(path: Path, recording: RecordingReference = RECORDING) -> dict[str, list[float]]:
    events, note = read_events(path, recording)
    assert note == ""
    return {name: events.times_of(index).tolist() for index, name in enumerate(events.names)}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def npz(folder: Path, **arrays: object) -> Path:
    path = folder / "events.npz"
    np.savez(path, **{name: np.asarray(values) for name, values in arrays.items()})
    return path


def nwb(path: Path, **tables: dict[str, object]) -> Path:
    with h5py.File(path, "w") as file:
        file.attrs["nwb_version"] = "2.7.0"
        for table, columns in tables.items():
            for name, values in columns.items():
                file[f"intervals/{table}/{name}"] = values
    return path


def test_each_array_is_a_kind_and_names_that_end_in_sample_count_samples(tmp_path) -> None:
    path = npz(tmp_path, licks=[1.5, 2.5], left_s=[3], right_sample=[4000, 5000], empty=np.zeros(0))
    assert read(path) == {"licks": [1.5, 2.5], "left": [3.0], "right": [4.0, 5.0]}


def test_samples_count_from_the_first_of_the_whole_recording(tmp_path) -> None:
    part = replace(RECORDING, first_sample=2000, n_samples=3000, options={"time_range_s": [2, 5]})
    assert read(npz(tmp_path, go_sample=[2500]), part) == {"go": [2.5]}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("time_s\n1\n2.5\n", {"events": [1.0, 2.5]}),
        ("1\n2.5\n", {"events": [1.0, 2.5]}),
        ("start_s;value\n1;90\n2;0\n3;90\n", {"0": [2.0], "90": [1.0, 3.0]}),
        ("trial\tonset\ttrial_type\n1\t5\tgo\n2\t6\tno go\n", {"go": [5.0], "no go": [6.0]}),
        ("# made today\nTime (s),x\n", None),
        ("kind,time_s\nleft,9\n,10\n", {"left": [9.0], "no kind": [10.0]}),
    ],
)
def test_tables_of_text_have_times_and_perhaps_kinds(tmp_path, text, found) -> None:
    path = written(tmp_path / "events.csv", text)
    if found is None:
        with pytest.raises(InputError, match=r"there is no column time_s.*It has time_\(s\), x"):
            read(path)
    else:
        assert read(path) == found


def test_trials_of_nwb_have_kinds_of_a_column_that_tells_them(tmp_path) -> None:
    path = nwb(
        tmp_path / "a.nwb",
        trials={
            "id": [0, 1, 2], "start_time": [1.0, 2.0, 3.0], "stop_time": [1.5, 2.5, 3.5],
            "contrast": [0.5, 1.0, 0.5], "stimulus": np.array(["cat", "dog", "cat"], dtype="S3"),
            "latency": [0.11, 0.12, 0.13],
        },
        epochs={"start_time": [0.0], "stop_time": [9.0]},
    )  # fmt: skip
    assert read(path) == {"cat": [1.0, 3.0], "dog": [2.0]}


def test_a_column_of_few_numbers_is_a_kind_and_one_of_measurements_is_none(tmp_path) -> None:
    times = {"start_time": [1.0, 2.0, 3.0], "latency": [0.11, 0.12, 0.13]}
    assert read(nwb(tmp_path / "a.nwb", trials=times)) == {"trials": [1.0, 2.0, 3.0]}
    path = nwb(tmp_path / "b.nwb", trials={**times, "contrast": [0.5, 1.0, 0.5]})
    assert read(path) == {"contrast 0.5": [1.0, 3.0], "contrast 1": [2.0]}


def test_without_trials_each_table_of_intervals_is_a_kind(tmp_path) -> None:
    path = nwb(tmp_path / "a.nwb", flashes={"start_time": [1.0, 4.0]}, epochs={"start_time": [0.0]})
    assert read(path) == {"epochs": [0.0], "flashes": [1.0, 4.0]}


def test_a_file_that_pynwb_wrote_is_read(tmp_path) -> None:
    pynwb = pytest.importorskip("pynwb")
    from datetime import datetime, timezone

    file = pynwb.NWBFile("d", "i", datetime(2024, 1, 1, tzinfo=timezone.utc))
    file.add_trial_column("side", "where it was")
    for start, side in ((1.0, "left"), (2.0, "right"), (3.0, "left")):
        file.add_trial(start_time=start, stop_time=start + 0.5, side=side)
    with pynwb.NWBHDF5IO(str(tmp_path / "a.nwb"), "w") as io:
        io.write(file)
    assert read(tmp_path / "a.nwb") == {"left": [1.0, 3.0], "right": [2.0]}


def bad_files(folder: Path) -> dict[str, tuple[Path, str]]:
    """A file of each kind of mistake, and what is said of it."""
    return {
        "outside": (
            npz(folder, go=[1.0, 70.0, 80.0]),
            r"events.npz: 2 of 3 events lie outside the recording, which lasts from 0 to 60 s; the first is "
            r"at 70 s",
        ),
        "before": (written(folder / "b.csv", "time_s\n-1\n2\n"), "1 of 2 events lie outside .* at -1 s"),
        "order": (
            written(folder / "o.csv", "time_s\n1\n3\n2\n"),
            r"o.csv: event 3 of 'events' at 2 s is not after the one before it at 3 s; sort the times",
        ),
        "twice": (written(folder / "t.csv", "time_s\n1\n1\n"), "event 2 of 'events' at 1 s is not after"),
        "none": (written(folder / "n.csv", "time_s,kind\n"), "n.csv: there is no event below the header"),
        "empty": (written(folder / "e.csv", ""), "e.csv: there is no column time_s.* It has no column"),
        "text": (written(folder / "x.csv", "time_s\n1\nsoon\n"), "x.csv: event 2 has 'soon' where its time"),
        "nan": (written(folder / "nan.csv", "time_s\nnan\n"), "event 1 has 'nan' where its time must be"),
        "hole": (written(folder / "h.csv", "kind,time_s\nleft\n"), "event 1 has '' where its time must be"),
        "ending": (written(folder / "a.docx", "x"), "is not a file of events: they are read from .npz"),
        "missing": (folder / "missing.csv", "missing.csv: No such file"),
        "folder": (folder, "is not a file of events"),
        "no npz": (written(folder / "a.npz", "1 2 3"), "a.npz is damaged or not an .npz file"),
        "no nwb": (written(folder / "a.nwb", "1 2 3"), "a.nwb is not an NWB file, or damaged"),
        "no trials": (nwb(folder / "none.nwb"), "none.nwb: there are no trials in it"),
    }


def test_what_is_wrong_with_a_file_is_said(tmp_path) -> None:
    for path, words in bad_files(tmp_path).values():
        with pytest.raises(InputError, match=words):
            read_events(path, RECORDING)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"names": ["a", "b"]}, "array 'names' is <U1 of shape .2,.; times of events are lists of numbers"),
        ({"frames": np.zeros((3, 2, 2))}, "array 'frames' is float64 of shape .3, 2, 2."),
        ({"one": 3.0}, "array 'one' is float64 of shape ..;"),
        ({"go": np.zeros(0)}, "there is no time of an event in it"),
        ({"go": [1.0, np.nan]}, "the time of event 2 is nan"),
    ],
)
def test_arrays_that_are_no_times_are_refused(tmp_path, arrays, words) -> None:
    with pytest.raises(InputError, match=words):
        read_events(npz(tmp_path, **arrays), RECORDING)


def test_an_hdf5_file_that_is_no_nwb_is_refused(tmp_path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(InputError, match=r"a.h5 is not an NWB file; trials are read from those alone"):
        read_events(tmp_path / "a.h5", RECORDING)


def test_events_in_gaps_and_outside_the_part_that_is_open_are_left_out_and_told(tmp_path) -> None:
    gap = replace(RECORDING, own_clock=Clock(1000.0, [0, 999, 1000], [0.0, 0.999, 6.0]))
    events, note = read_events(npz(tmp_path, go=[0.5, 3.0], stop=[2.0]), gap)
    assert events.time_s.tolist() == [0.5]
    assert events.names == ("go",)
    assert note == "2 of 3 events lie in gaps of the recording, and are left out"
    part = replace(RECORDING, first_sample=2000, n_samples=3000, options={"time_range_s": [2, 5]})
    events, note = read_events(npz(tmp_path, go=[1.0, 2.5, 9.0]), part)
    assert events.time_s.tolist() == [2.5]
    assert note.startswith("2 of 3 events lie in gaps of the recording, or outside the part")
    with pytest.raises(InputError, match=r"3 of 3 events .*give events that were recorded"):
        read_events(npz(tmp_path, go=[1.0, 8.5, 9.0]), part)


def test_half_a_sample_before_the_recording_and_after_it_is_in_it(tmp_path) -> None:
    assert read(npz(tmp_path, go=[-0.0005, 60.0005])) == {"go": [-0.0005, 60.0005]}
    for time_s in (-0.00051, 60.00051):
        with pytest.raises(InputError, match="1 of 2 events lie outside the recording"):
            read(npz(tmp_path, go=sorted([30.0, time_s])))


@pytest.mark.parametrize(
    ("n_kinds", "n_trials", "are_kinds"), [(20, 21, True), (21, 30, False), (3, 3, False)]
)
def test_at_most_twenty_values_of_which_one_comes_twice_are_kinds(
    tmp_path, n_kinds: int, n_trials: int, are_kinds: bool
) -> None:
    trials = {"start_time": 1.0 + np.arange(n_trials), "level": np.arange(n_trials) % n_kinds}
    found = read(nwb(tmp_path / "a.nwb", trials=trials))
    assert list(found)[:1] == (["level 0"] if are_kinds else ["trials"])
    assert len(found) == (n_kinds if are_kinds else 1)


def test_a_name_that_is_nothing_but_an_ending_is_kept(tmp_path) -> None:
    assert read(npz(tmp_path, **{"_sample": [4000], "go_time_s": [1.0]})) == {"_sample": [4.0], "go": [1.0]}


def test_rows_that_end_before_their_kind_have_none(tmp_path) -> None:
    assert read(written(tmp_path / "a.csv", "time_s,kind\n1,go\n2\n")) == {"go": [1.0], "no kind": [2.0]}


@pytest.mark.parametrize(
    ("starts", "is_it"), [(0.5, "float64"), ([b"x"], "object"), ([[0.5]], "float64"), (None, "a group")]
)
def test_starts_of_trials_that_are_no_row_of_numbers_are_named(tmp_path, starts, is_it) -> None:
    """A single number was a TypeError, and a group a KeyError."""
    path = nwb(tmp_path / "e.nwb", trials={} if starts is None else {"start_time": starts})
    if starts is None:
        with h5py.File(path, "r+") as file:
            file.create_group("intervals/trials/start_time")
    with pytest.raises(
        InputError, match=rf"/intervals/trials/start_time must be numbers in a row, and is {re.escape(is_it)}"
    ):
        read_events(path, RECORDING)
