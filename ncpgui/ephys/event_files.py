"""Times of events from files: arrays of NumPy (.npz), tables of text (CSV, TSV), trials of NWB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core import numpy_files
from ncpgui.core.arguments import NUMBERS
from ncpgui.core.csv_text import plain, read_table
from ncpgui.core.errors import InputError
from ncpgui.core.events import Events
from ncpgui.core.project import RecordingReference
from ncpgui.core.regular_files import not_special, regular
from ncpgui.ephys.hdf5_formats import HDF5_ENDINGS, nwb_intervals

TIMES = ("time_s", "start_s", "onset_s", "start_time", "time", "onset", "timestamp")
KINDS = ("kind", "name", "event", "type", "trial_type", "condition", "stimulus", "label", "value")
SAMPLE_ENDINGS = ("_sample", "_samples")
MOST_KINDS = 20
"""Different values of a column of an NWB file that are kinds of events; one of more is a measurement."""
ASIDE = ("start_time", "stop_time", "id", "tags", "timeseries", "timeseries_index", "tags_index")
"""Columns of an NWB table of intervals that say nothing of what an event was."""
ENDINGS = (".npz", ".csv", ".tsv", ".txt", ".nwb", *HDF5_ENDINGS)


def read_events(path: Path, recording: RecordingReference) -> tuple[Events, str]:
    """Read the events of a recording, and a note where some were left out ('' where none).

    Left out are events in gaps of the recording and, where a part of it is open, outside that part.

    Raises
    ------
    InputError
        The file cannot be read, has no times, or other than numbers; times that do not increase, or lie
        before or after the recording.
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"{path} is not a file of events: they are read from .npz (an array of times for each kind), "
            ".csv or .tsv (a column time_s), and the trials of .nwb"
        )
    try:
        events = _found_in(path, recording)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise InputError(said if str(path) in said else f"{path}: {said}") from error
    return _recorded(path, events, recording)


def _found_in(path: Path, recording: RecordingReference) -> Events:
    ending = path.suffix.lower()
    if ending == ".npz":
        return _of_arrays(numpy_files.read_npz(path), recording)
    if ending in (".csv", ".tsv", ".txt"):
        return _of_table(read_table(regular(path).read_bytes(), TIMES).rows)
    return _of_intervals(nwb_intervals(not_special(path)))


def _of_arrays(arrays: dict[str, NDArray[Any]], recording: RecordingReference) -> Events:
    """An array is a kind: seconds, or samples of the recording where its name ends so."""
    kinds = {}
    for name, values in arrays.items():
        if values.ndim != 1 or values.dtype.kind not in NUMBERS:
            raise InputError(
                f"array '{name}' is {values.dtype} of shape {values.shape}; times of events are lists of "
                "numbers, in seconds"
            )
        ending = next((one for one in (*SAMPLE_ENDINGS, "_time_s", "_s") if name.endswith(one)), "")
        is_samples = ending in SAMPLE_ENDINGS
        times = recording.whole_clock.seconds(values) if is_samples else values.astype(np.float64)
        kinds[name.removesuffix(ending) or name] = times
    return _of_kinds({name: times for name, times in kinds.items() if len(times)})


def _of_kinds(kinds: dict[str, NDArray[np.float64]]) -> Events:
    if not kinds:
        raise InputError("there is no time of an event in it; give one at least")
    kind = np.repeat(np.arange(len(kinds)), [len(times) for times in kinds.values()])
    return Events(np.concatenate([*kinds.values()]), kind, tuple(kinds))


def _of_table(rows: list[list[str]]) -> Events:
    if rows and len(rows[0]) == 1 and _is_number(rows[0][0]):
        rows = [["time_s"], *rows]  # times alone, without a header
    names = [plain(cell) for cell in rows[0]] if rows else []
    times = next((names.index(name) for name in TIMES if name in names), None)
    if times is None:
        raise InputError(
            f"there is no column time_s; events are a table with the column time_s (s of the recording) and, "
            f"where there are several kinds, kind. It has {', '.join(filter(None, names)) or 'no column'}"
        )
    if len(rows) < 2:
        raise InputError("there is no event below the header; give each a line")
    found = np.array([_number(row, line, times) for line, row in enumerate(rows[1:], 1)])
    kinds = next((names.index(name) for name in KINDS if name in names), None)
    if kinds is None:
        return Events(found)
    told = [row[kinds].strip() if kinds < len(row) else "" for row in rows[1:]]
    return _by_value(found, np.array([value or "no kind" for value in told]))


def _number(row: list[str], line: int, column: int) -> float:
    cell = row[column].strip() if column < len(row) else ""
    if not _is_number(cell):
        raise InputError(f"event {line} has '{cell}' where its time must be; correct this line")
    return float(cell)


def _is_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False


def _of_intervals(tables: dict[str, dict[str, NDArray[Any]]]) -> Events:
    """The trials, by their first column that tells kinds; where there are none, each table is a kind."""
    tables = {name: columns for name, columns in tables.items() if len(columns["start_time"])}
    if not tables:
        raise InputError("there are no trials in it, and no other intervals with a start_time")
    if "trials" not in tables:
        return _of_kinds({name: np.asarray(c["start_time"], np.float64) for name, c in tables.items()})
    trials = tables["trials"]
    start_s = np.asarray(trials["start_time"], dtype=np.float64)
    for name in sorted((n for n in trials if n not in ASIDE), key=lambda n: (n not in KINDS, n)):
        values = trials[name]
        if values.shape != start_s.shape or values.dtype.kind not in "OSUbiuf":
            continue
        words = np.array([_word(value) for value in values.tolist()])
        if 1 < len(np.unique(words)) <= min(MOST_KINDS, len(words) - 1):
            is_text = values.dtype.kind in "OSU"
            return _by_value(start_s, words if is_text else np.array([f"{name} {word}" for word in words]))
    return Events(start_s, names=("trials",))


def _word(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _by_value(time_s: NDArray[np.float64], words: NDArray[np.str_]) -> Events:
    """Kinds of events in order of their names."""
    names, kind = np.unique(words, return_inverse=True)
    return Events(time_s, kind, tuple(names.tolist()))


def _recorded(path: Path, events: Events, recording: RecordingReference) -> tuple[Events, str]:
    """The events that were recorded."""
    clock, n_samples = recording.clock, recording.n_samples
    begin, end = clock.stretches_s(n_samples)[[0, -1], [0, 1]].tolist()
    half_s = 0.5 / recording.sampling_frequency_hz
    is_beyond = (events.time_s < begin - half_s) | (events.time_s > end + half_s)
    is_part = "time_range_s" in recording.options
    if is_beyond.any() and not is_part:
        first = events.time_s[is_beyond][0]
        raise InputError(
            f"{path}: {int(is_beyond.sum())} of {len(events)} events lie outside the recording, which lasts "
            f"from {begin:g} to {end:g} s; the first is at {first:g} s. Times are seconds of the recording's "
            "clock (arrays whose name ends in _sample count samples); take out those that were not recorded"
        )
    kept = clock.stretch_at(events.time_s, n_samples) >= 0
    if kept.all():
        return events, ""
    where = "in gaps of the recording" + (", or outside the part of it that is open" if is_part else "")
    left_out = f"{int((~kept).sum())} of {len(events)} events lie {where}"
    if not kept.any():
        raise InputError(f"{path}: {left_out}; give events that were recorded")
    there, kind = np.unique(events.kind[kept], return_inverse=True)
    names = tuple(events.names[index] for index in there.tolist())
    return Events(events.time_s[kept], kind, names), f"{left_out}, and are left out"
