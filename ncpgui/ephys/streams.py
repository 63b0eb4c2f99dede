"""Streams: one recording may hold several sets of channels, sampled together or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

from ncpgui.core.counted import count, some
from ncpgui.core.errors import RecordingError, SeveralStreamsError
from ncpgui.ephys.hdf5_formats import maxwell_runs, mcs_stream_names
from ncpgui.ephys.nwb_places import nwb_recording
from ncpgui.ephys.plexon import without_bars
from ncpgui.ephys.recording import SAMPLING_HZ

_NOT_OF_SPIKES = {
    *(
        "sync",
        "ttl",
        "trigger",
        "digital",
        "din",
        "dout",
        "adc",
        "dac",
        "nidq",
        "nidaq",
        "daq",
        "daqmx",
        "obx",
    ),
    *("aux", "auxiliary", "accelerometer", "audio", "supply", "temperature", "stim", "lfp", "lf"),
}
"""Words in the names of streams that hold no spikes."""
_MICROVOLT, _VOLT = ("uv", "\u00b5v", "\u03bcv", "microvolt", "microvolts"), ("v", "volt", "volts")


@dataclass(frozen=True)
class Stream:
    """A set of channels that are sampled together; `name` is that of the acquisition program.

    unit : of its channels, as the program says it; empty where it does not
    """

    name: str
    n_channels: int
    sampling_frequency_hz: float
    unit: str = ""

    @property
    def may_hold_spikes(self) -> bool:
        """Whether it is sampled fast enough, and is not called after something else."""
        lowest, highest = SAMPLING_HZ
        fast = lowest <= self.sampling_frequency_hz <= highest
        return fast and not words_of(self.name) & _NOT_OF_SPIKES

    def __str__(self) -> str:
        channels = count(self.n_channels, "channel")
        return f"'{self.name}' ({channels} at {self.sampling_frequency_hz / 1000:g} kHz)"


def words_of(name: str) -> set[str]:
    """Whole words of a name, in lower case: ``AuxInput_2`` has aux and input, ``Broadcast`` has no adc."""
    parts = re.findall(r"[A-Za-z]+", name)
    return {
        word.lower() for part in parts for word in (part, *re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", part))
    }


def of_spikes(streams: Sequence[Stream]) -> list[Stream]:
    """Streams that may hold spikes; all of them where none seems to.

    Electrodes are in microvolts. Beside such a stream, one in volts is of analog inputs.
    """
    found = [stream for stream in streams if stream.may_hold_spikes]
    if any(stream.unit.lower() in _MICROVOLT for stream in found):
        found = [stream for stream in found if stream.unit.lower() not in _VOLT]
    return found or list(streams)


def streams_of(reader: Any, place: Path) -> tuple[Stream, ...]:
    """Streams that a reader of SpikeInterface finds at a place; () where it has no choice of them."""
    if reader.__name__.startswith("IntanSplit"):
        from spikeinterface.extractors import read_intan

        return streams_of(
            read_intan, min(file for file in place.iterdir() if file.suffix in (".rhd", ".rhs"))
        )
    if reader.__name__.startswith("Maxwell"):
        runs = maxwell_runs(place)
        if len(runs) > 1:
            return tuple(
                replace(stream, name=f"{run}/{stream.name}")
                for run in runs
                for stream in _of_neo(reader, place, rec_name=run)
            )
    if "stream_name" in signature(reader.__init__).parameters:
        with without_bars() if reader.__name__.startswith("Plexon") else nullcontext():
            return tuple(_of_neo(reader, place))
    if hasattr(reader, "fetch_available_electrical_series_paths"):
        return tuple(
            _described(name, nwb_recording(reader, place, electrical_series_path=name))
            for name in reader.fetch_available_electrical_series_paths(place)
        )
    if reader.__name__.startswith("MCSH5"):
        return _mcs_streams(reader, place)
    return ()


def _of_neo(reader: Any, place: Path, **which: str) -> Iterator[Stream]:
    """Streams that neo finds; `which`: of several recordings in a file."""
    names = reader.map_to_neo_kwargs(str(place), **which)
    header = reader.get_neo_io_reader(reader.NeoRawIOClass, **names).header
    channels = header["signal_channels"]
    for stream in header["signal_streams"]:
        mine = channels[channels["stream_id"] == stream["id"]]
        if len(mine):
            units = {str(unit) for unit in mine["units"]}
            unit = units.pop() if len(units) == 1 else ""
            yield Stream(str(stream["name"]), len(mine), float(mine["sampling_rate"][0]), unit)


def reader_options(reader: Any, stream: Stream) -> dict[str, Any]:
    """What tells a reader of SpikeInterface which stream to open."""
    if hasattr(reader, "fetch_available_electrical_series_paths"):
        return {"electrical_series_path": stream.name}
    if reader.__name__.startswith("MCSH5"):
        return {"stream_id": int(stream.name.rpartition("_")[2])}
    if reader.__name__.startswith("Maxwell") and "/" in stream.name:
        run, _, well = stream.name.partition("/")
        return {"rec_name": run, "stream_name": well}
    return {"stream_name": stream.name}


def chosen_stream(streams: Sequence[Stream], asked: str | None, place: Path) -> Stream | None:
    """Stream to open: the one asked for, by its name or a part of it, or the only one that may hold spikes.

    Returns None where there is no choice.

    Raises
    ------
    RecordingError
        There is none of that name.
    SeveralStreamsError
        Several may be meant.
    """
    if asked is not None:
        name = asked.lower()
        exact = [stream for stream in streams if stream.name.lower() == name]
        found = exact or [stream for stream in streams if name in stream.name.lower()]
        if not found:
            there = f"it has {_listed(streams)}" if streams else "its format has one stream only"
            raise RecordingError(f"{place} has no stream '{asked}'; {there}")
    else:
        found = of_spikes(streams) if len(streams) > 1 else list(streams)
    if len(found) > 1:
        raise SeveralStreamsError(f"{place} has several streams; choose one (--stream): {_listed(found)}")
    return found[0] if found else None


def choice_in_words(chosen: Stream, streams: Sequence[Stream]) -> str:
    """Which stream was opened, and which were not."""
    others = [stream for stream in streams if stream != chosen]
    return f"the stream that is read is {chosen}; not read: {some(others)}"


def _listed(streams: Sequence[Stream]) -> str:
    return ", ".join(map(str, streams))


def _described(name: str, recording: Any) -> Stream:
    return Stream(name, int(recording.get_num_channels()), float(recording.get_sampling_frequency()))


def _mcs_streams(reader: Any, place: Path) -> tuple[Stream, ...]:
    streams = []
    for name in mcs_stream_names(place):
        recording = reader(place, stream_id=int(name.rpartition("_")[2]))
        streams.append(_described(name, recording))
    return tuple(streams)
