"""A part of a recording: some seconds of it, without the channels that somebody knows to be bad.

A bad channel stays, silent: filtering leaves channels without a signal out, and the numbers of the others do
not change. Times of a part count from its first sample; exports add that sample, `first_sample`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ncpgui.core.errors import InputError
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys.recording import Recording

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording


def channel_numbers(text: str) -> tuple[int, ...]:
    """Channels of a list such as ``3, 17, 20-23``.

    Raises
    ------
    InputError
        Something else is in it.
    """
    found: list[int] = []
    for piece in text.replace(",", " ").split():
        first, dash, last = piece.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError(f"'{piece}' is no channel; give numbers from 0, such as 3,17,20-23")
        found += range(int(first), int(last or first) + 1)
    return tuple(sorted(set(found)))


def first_sample(options: Mapping[str, Any], sampling_frequency_hz: float) -> int:
    """Sample of the whole recording that is the first of the part; 0 without a time range."""
    start, _ = options.get("time_range_s") or (0.0, 0.0)
    return round(float(start) * sampling_frequency_hz)


def time_range(
    extractor: BaseRecording, range_s: Sequence[float], sampling_frequency_hz: float
) -> BaseRecording:
    """Some seconds of a recording of one segment.

    Raises
    ------
    InputError
        They do not lie in it.
    """
    start, end = (float(value) for value in range_s)
    n_samples = int(extractor.get_num_samples(segment_index=0))
    length = n_samples / sampling_frequency_hz
    inside = 0 <= start < end <= length  # never of NaN
    first, last = (round(t * sampling_frequency_hz) for t in ((start, end) if inside else (0.0, 0.0)))
    if first == last:
        raise InputError(
            f"the time range {start:g} to {end:g} s does not lie in the recording of {length:g} s; "
            "give two times, the earlier first"
        )
    return extractor.frame_slice(start_frame=first, end_frame=last)


def silenced(extractor: BaseRecording, channels: Sequence[int]) -> BaseRecording:
    """The same recording with zeros on some channels.

    Raises
    ------
    InputError
        It has no such channel, or none is left.
    """
    n_channels = int(extractor.get_num_channels())
    beyond = [channel for channel in channels if not 0 <= channel < n_channels]
    if beyond:
        raise InputError(
            f"there is no channel {beyond[0]} to leave out; the {n_channels} channels count from 0 to "
            f"{n_channels - 1}"
        )
    if len(set(channels)) == n_channels:
        raise InputError(f"all {n_channels} channels are to be left out; keep one")
    from ncpgui.ephys.silenced import Silenced

    return Silenced(extractor, sorted(set(channels)))


def stimulus_of(recording: Recording, stimulus: Stimulus | None) -> Stimulus | None:
    """The stimulus with triggers that count from the first sample of the part that is open."""
    first = first_sample(recording.reference.options, recording.sampling_frequency_hz)
    if stimulus is None or first == 0:
        return stimulus
    return replace(stimulus, trigger_sample=stimulus.trigger_sample - first)


def without_part(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that open the whole recording, with what its bad channels hold."""
    return {name: value for name, value in options.items() if name not in ("time_range_s", "bad_channels")}
