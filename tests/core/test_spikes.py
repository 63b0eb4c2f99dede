"""Spikes and sortings of a recording: what they refuse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.spikes import Sorting, SpikeEvents


def events(*samples: int) -> SpikeEvents:
    n = len(samples)
    return SpikeEvents(np.array(samples), np.zeros(n, np.int32), -np.ones(n, np.float32), 20_000.0, 100)


def sorting(*samples: int) -> Sorting:
    return Sorting(np.array(samples), np.zeros(len(samples), np.int64), 20_000.0, 100)


@pytest.mark.parametrize("made", [events, sorting])
def test_spikes_are_in_order_of_time_and_inside_the_recording(made: Callable[..., object]) -> None:
    made(0, 7, 7, 99)
    made()
    for samples, words in (
        ((3, 9, 8, 20), "spike 2 is at sample 8, after 9; sort the spikes by time"),
        ((-1, 5), "-1"),
        ((5, 100), "100"),
    ):
        with pytest.raises(InputError, match=words):
            made(*samples)


def test_each_spike_has_its_unit_channel_and_amplitude() -> None:
    with pytest.raises(InputError, match="sorting does not fit: 2 times, 1 unit ids"):
        Sorting(np.array([1, 2]), np.array([0]), 20_000.0, 100)
    with pytest.raises(InputError, match="spikes do not fit: 2 times, 1 channels, 2 amplitudes"):
        SpikeEvents(np.array([1, 2]), np.zeros(1, np.int32), np.zeros(2, np.float32), 20_000.0, 100)
