"""Traces turned so that the samples of a channel lie side by side."""

from __future__ import annotations

import numpy as np
import pytest
from spikeinterface.core import NumpyRecording

from ncpgui.ephys.by_channel import by_channel, read_by_channel


@pytest.mark.parametrize("shape", [(1, 1), (63, 65), (130, 3), (0, 4)])
def test_each_channel_lies_side_by_side_whatever_of_a_tile_is_left_over(shape: tuple[int, int]) -> None:
    traces = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    turned = by_channel(traces)
    np.testing.assert_array_equal(turned, traces.T)
    assert turned.flags.c_contiguous
    assert not np.shares_memory(turned, traces)


def test_rows_of_a_view_and_other_types_are_turned_too() -> None:
    traces = np.arange(24.0).reshape(6, 4)[::2]
    assert by_channel(traces).tolist() == traces.T.tolist()
    assert by_channel(traces).dtype == np.float64


def test_a_stretch_of_a_recording_is_read_channel_by_channel() -> None:
    traces = np.arange(24.0).reshape(6, 4)
    found = read_by_channel(NumpyRecording([traces], 1000.0), 2, 5)
    np.testing.assert_array_equal(found, traces[2:5].T)
    assert found.flags.c_contiguous
