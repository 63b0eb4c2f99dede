"""White noise and what is none; averages of frames around spikes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from ncpgui.core.stimulus import Stimulus
from ncpgui.evidence.white_noise import FEWEST_FRAMES, N_LAGS, WhiteNoise, not_white, white_noise

RNG = np.random.default_rng(0)
BINARY = (RNG.integers(0, 2, (900, 8, 10)) * 2 - 1).astype(np.int8)


def stimulus(frames: NDArray[np.generic]) -> Stimulus:
    return Stimulus(frames, 100 * np.arange(len(frames)))


@pytest.mark.parametrize(
    "frames",
    [
        BINARY,
        BINARY[:, :1, :1],
        BINARY[:, :1],
        (BINARY > 0),
        RNG.normal(0.5, 0.1, (700, 6, 6)).astype(np.float32),
        np.pad(BINARY, ((0, 0), (3, 3), (3, 3))),
    ],
    ids=["binary", "full field", "bars", "yes and no", "Gaussian", "in a grey frame"],
)
def test_independent_pixels_are_white_noise(frames: NDArray[np.generic]) -> None:
    assert not_white(frames) == ""
    assert white_noise(stimulus(frames)) is not None


def test_pixels_that_never_change_do_not_count_as_looked_at() -> None:
    """One pixel that flickers comes back by chance in some frames, as 64 together would not."""
    one = np.zeros((1500, 8, 8))
    one[:, 3, 3] = np.random.default_rng(1).normal(size=1500)
    assert not_white(one) == ""


@pytest.mark.parametrize(
    ("frames", "why"),
    [
        (BINARY[: FEWEST_FRAMES - 1], f"it has {FEWEST_FRAMES - 1} frames, {FEWEST_FRAMES} are needed"),
        (np.ones((200, 4, 4)), "it never changes"),
        (np.where(BINARY > 0, np.nan, BINARY), "it has values that are not finite"),
        (np.repeat(BINARY, 2, axis=0), "with the next ones"),
        (np.concatenate([BINARY[:450]] * 2), "with those 450 frames later"),
        (np.repeat(BINARY, 2, axis=1), "pixels have a correlation of 1.00 with those below them"),
        (np.repeat(BINARY, 2, axis=2), "with those beside them"),
        (np.repeat(BINARY[:, :1], 8, axis=1), "with those below them"),
        (gaussian_filter(RNG.normal(size=(600, 8, 8)), (0, 1, 1)), "pixels have a correlation of"),
        (gaussian_filter(RNG.normal(size=(600, 8, 8)), (1, 0, 0)), "frames have a correlation of"),
        (np.sin(np.arange(600) / 5)[:, None, None] * np.ones((600, 4, 4)), "correlation of"),
    ],
)
def test_what_is_no_white_noise_says_why(frames: NDArray[np.generic], why: str) -> None:
    assert why in not_white(frames)
    assert white_noise(stimulus(frames)) is None


def test_without_a_stimulus_there_is_no_noise() -> None:
    assert white_noise(None) is None


def test_an_average_is_the_mean_of_the_frames_around_the_spikes() -> None:
    noise = WhiteNoise(BINARY, stimulus(BINARY))
    frame = np.array([20, 20, 31, 400])
    found = noise.average(noise.counts(frame))
    values = (BINARY - BINARY.mean(axis=0)) / BINARY.std(axis=0)
    for row in range(N_LAGS + 1):
        assert found[row] == pytest.approx(values[frame + 1 - row].mean(axis=0), abs=1e-6)


def test_an_average_of_a_part_of_the_frames_is_that_part_of_the_average() -> None:
    noise = WhiteNoise(BINARY, stimulus(BINARY))
    counts = noise.counts(RNG.integers(0, 900, 60))
    part = noise.part(slice(2, 6), slice(1, 4))
    assert part.average(counts) == pytest.approx(noise.average(counts)[:, 2:6, 1:4], abs=1e-6)


def test_spikes_without_all_frames_around_them_are_left_out() -> None:
    noise = WhiteNoise(BINARY, stimulus(BINARY))
    frame = np.array([-1, 0, N_LAGS - 1, N_LAGS, 898, 899])
    assert np.flatnonzero(noise.counts(frame)).tolist() == [N_LAGS, 898]


def test_a_pixel_that_never_changes_says_nothing() -> None:
    frames = BINARY.copy()
    frames[:, 3, 3] = 1
    noise = WhiteNoise(frames, stimulus(frames))
    assert not noise.average(noise.counts(np.arange(50, 90)))[:, 3, 3].any()


def test_many_frames_are_averaged_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = WhiteNoise(BINARY, stimulus(BINARY))
    counts = noise.counts(RNG.integers(0, 900, 500))
    whole = noise.average(counts)
    monkeypatch.setattr("ncpgui.evidence.white_noise.AT_ONCE", 7 * 80)
    assert noise.average(counts) == pytest.approx(whole, abs=1e-5)


def test_spikes_count_from_the_first_frame_with_all_lags_before_it_to_the_last_but_one() -> None:
    one = WhiteNoise(BINARY, stimulus(BINARY))
    counts = one.counts(np.array([-1, N_LAGS - 1, N_LAGS, N_LAGS, 898, 899]))
    assert np.flatnonzero(counts).tolist() == [N_LAGS, 898]
    assert counts[N_LAGS] == 2
    assert (one.n_frames, len(counts)) == (900, 900)


def test_a_correlation_of_neighbours_is_named_with_the_side() -> None:
    beside = BINARY.copy()
    beside[:, :, 1::2] = beside[:, :, ::2]
    assert "with those beside them" in not_white(beside)
    below = BINARY.copy()
    below[:, 1::2] = below[:, ::2]
    assert "with those below them" in not_white(below)
