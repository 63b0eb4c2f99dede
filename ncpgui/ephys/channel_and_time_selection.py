"""A part of a recording: some seconds of it, without the channels that somebody knows to be bad.

A bad channel stays, silent: filtering leaves channels without a signal out, and the numbers of the others do
not change. Samples of a part count from its first one, and its seconds are those of the whole recording.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ncpgui.core.arguments import WHOLE_NUMBERS, array, number, shown
from ncpgui.core.clock import Clock
from ncpgui.core.errors import InputError
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys.recording import Recording

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording


MOST_DIGITS = 6
"""Of the number of a channel."""


def channel_numbers(given: str | Sequence[int] | None) -> tuple[int, ...]:
    """Channels of a list such as ``3, 17, 20-23``, or of numbers; none of None.

    Raises
    ------
    InputError
        Something else is in it.
    """
    if given is None:
        return ()
    if not isinstance(given, str):
        several: object = list(given) if isinstance(given, (set, frozenset)) else given
        numbers = array(several, "bad_channels", WHOLE_NUMBERS)
        return tuple(sorted({int(channel) for channel in np.atleast_1d(numbers).ravel()}))
    found: list[int] = []
    for piece in given.replace(",", " ").split():
        first, dash, last = piece.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError(f"'{piece}' is not a channel; give numbers from 0, such as 3,17,20-23")
        if max(len(first), len(last)) > MOST_DIGITS:
            raise InputError(f"'{piece[:40]}' names channels that no recording has")
        found += range(int(first), int(last or first) + 1)
    return tuple(sorted(set(found)))


class Part(NamedTuple):
    """Samples `first` to `last` (not included) of a recording, and the seconds that were asked for."""

    first: int
    last: int
    range_s: tuple[float, float]


def part_of(clock: Clock, n_samples: int, range_s: Sequence[float | None]) -> Part:
    """Samples of some seconds of a recording; None: from its start, or to its end.

    Raises
    ------
    InputError
        They do not lie in it.
    """
    if isinstance(range_s, (int, float)) or len(range_s) != 2:
        raise InputError(f"a time range is two times in seconds, (start, end), got {shown(range_s)}")
    begin, stop = clock.stretches_s(n_samples)[[0, -1], [0, 1]].tolist()
    start, end = (
        known if given is None else number(given, "a time of the time range")
        for given, known in zip(range_s, (begin, stop), strict=True)
    )
    half = 0.5 / clock.sampling_frequency_hz
    inside = begin - half <= start < end <= stop + half  # never of NaN
    first, last = np.clip(clock.samples([start, end]), 0, n_samples).tolist() if inside else (0, 0)
    if first == last:
        raise InputError(
            f"the time range {start:g} to {end:g} s does not lie in the recording, which lasts from "
            f"{begin:.9g} to {stop:.9g} s; give two times, the earlier first"
        )
    return Part(first, last, (start, end))


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
    from ncpgui.ephys.zeroed_channels import Silenced

    return Silenced(extractor, sorted(set(channels)))


def stimulus_of(recording: Recording, stimulus: Stimulus | None) -> Stimulus | None:
    """The stimulus with triggers that count from the first sample of the part that is open."""
    first = recording.reference.first_sample
    if stimulus is None or first == 0:
        return stimulus
    return replace(stimulus, trigger_sample=stimulus.trigger_sample - first)


def without_part(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that open the whole recording, with what its bad channels hold."""
    return {name: value for name, value in options.items() if name not in ("time_range_s", "bad_channels")}
