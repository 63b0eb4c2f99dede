"""Traces whitened among neighbours are those that the whole matrix gives, whoever asks for which stretch."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import oaconvolve
from spikeinterface.core import NumpyRecording

from ncpgui.ephys.local_whitening import TILE, Whitened, neighbours_of

N_CHANNELS, N_SAMPLES = 40, 3 * TILE + 17
TAPS = np.array([0.1, -0.4, 1.2, -0.4, 0.1], np.float32)


def local_matrix() -> NDArray[np.float32]:
    """Column c has values on the contacts up to 3 away."""
    rng = np.random.default_rng(0)
    apart = np.abs(np.subtract.outer(np.arange(N_CHANNELS), np.arange(N_CHANNELS)))
    return np.where(apart <= 3, rng.normal(size=apart.shape), 0).astype(np.float32)


def traces() -> NDArray[np.float32]:
    return np.random.default_rng(1).normal(scale=3, size=(N_SAMPLES, N_CHANNELS)).astype(np.float32)


def whitened(taps: NDArray[np.float32] | None = None) -> Whitened:
    return Whitened(NumpyRecording([traces()], 20_000.0), local_matrix(), taps)


def test_neighbours_of_a_column_are_the_rows_that_are_not_zero() -> None:
    channels, weights = neighbours_of(np.array([[2.0, 0, 0], [0, 3, 0], [5, 0, 0]]))
    assert channels.tolist() == [[0, 2], [1, -1], [-1, -1]]
    assert weights.tolist() == [[2, 5], [3, 0], [0, 0]]


def test_mixing_neighbours_is_the_product_with_the_whole_matrix() -> None:
    assert whitened().get_traces() == pytest.approx(traces() @ local_matrix(), abs=1e-4)


def test_the_filter_is_the_convolution_of_the_mixed_traces_with_zeros_beyond_the_ends() -> None:
    expected = oaconvolve(traces() @ local_matrix(), TAPS[:, None], mode="same", axes=0)
    assert whitened(TAPS).get_traces() == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("taps", [None, TAPS])
def test_a_sample_is_the_same_to_the_last_bit_in_whichever_stretch_it_is_read(
    taps: NDArray[np.float32] | None,
) -> None:
    recording = whitened(taps)
    whole = recording.get_traces()
    for start, stop in ((0, 1), (5, TILE + 6), (TILE - 1, 2 * TILE + 40), (N_SAMPLES - 3, N_SAMPLES)):
        assert (recording.get_traces(start_frame=start, end_frame=stop) == whole[start:stop]).all()


def test_some_channels_can_be_asked_for() -> None:
    recording = whitened()
    ids = recording.channel_ids[[3, 17]]
    assert (recording.get_traces(channel_ids=ids) == recording.get_traces()[:, [3, 17]]).all()
