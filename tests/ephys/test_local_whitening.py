"""Traces whitened among neighbours are those that the whole matrix gives, whoever asks for which stretch."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import oaconvolve
from spikeinterface.core import NumpyRecording

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.padded_rows import padded
from ncpgui.core.probe import Probe
from ncpgui.ephys.by_channel import read_by_channel
from ncpgui.ephys.cached_recording import KeptRecording
from ncpgui.ephys.local_whitening import READ, TILE, Whitened, mixed, neighbours_of

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


@pytest.mark.parametrize("taps", [None, TAPS])
@pytest.mark.parametrize("n_near", [1, 3, 5])
def test_mixing_is_the_sum_over_neighbours_and_taps_one_after_the_other(
    taps: NDArray[np.float32] | None, n_near: int
) -> None:
    """Whatever is left over of four; of float16 too, and turned."""
    rng = np.random.default_rng(n_near)
    halves = rng.normal(size=(READ + TILE + 9, 6)).astype(np.float16)
    channels = padded([np.arange(c % 2, n_near) for c in range(6)])
    weights = rng.normal(size=channels.shape).astype(np.float32)
    taps = np.ones(1, np.float32) if taps is None else taps
    n = len(halves) - len(taps) + 1
    expected = np.zeros((n, 6))
    for c in range(6):
        for near, weight in zip(channels[c], weights[c], strict=True):
            for j, tap in enumerate(taps):
                if near >= 0:
                    expected[:, c] += tap * weight * halves[j : j + n, near].astype(np.float64)
    found = mixed(halves, channels, weights, taps)
    assert found == pytest.approx(expected, abs=1e-5)
    assert (mixed(halves.astype(np.float32), channels, weights, taps) == found).all()
    assert (mixed(halves, channels, weights, taps, turned=True) == found.T).all()


@pytest.mark.parametrize("taps", [None, TAPS])
@pytest.mark.parametrize("kept", [False, True])
def test_traces_that_are_turned_on_the_way_are_the_same(taps: NDArray[np.float32] | None, kept: bool) -> None:
    """Of a recording that keeps float16, and of another."""
    parent = NumpyRecording([traces()], 20_000.0)
    if kept:
        line = Probe(np.column_stack([np.zeros(N_CHANNELS), 20.0 * np.arange(N_CHANNELS)]))
        parent = KeptRecording(parent, ArrayRecording(traces(), sampling_frequency_hz=20_000.0, probe=line))
    recording = Whitened(parent, local_matrix(), taps)
    for start, stop in ((0, 1), (5, TILE + 6), (N_SAMPLES - 3, N_SAMPLES), (0, N_SAMPLES)):
        expected = recording.get_traces(start_frame=start, end_frame=stop)
        assert (read_by_channel(recording, start, stop) == expected.T).all()
