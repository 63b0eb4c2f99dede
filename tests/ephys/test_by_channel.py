"""Traces turned so that the samples of a channel lie side by side."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.ephys.by_channel import by_channel


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
