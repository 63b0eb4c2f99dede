"""Simulated retina: filters have the shape that is told, cells keep apart, spikes come as rates say."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.ephys.retina import (
    CELL_TYPES,
    MAX_RATE_HZ,
    N_LAGS,
    CellType,
    firing_rate,
    mosaic,
    poisson_spikes,
    spatial_filter,
    temporal_filter,
    white_noise,
)

ON, OFF = CELL_TYPES[:2]


def test_white_noise_has_pixels_of_minus_and_plus_one_and_frames_at_even_times() -> None:
    stimulus = white_noise(
        np.random.default_rng(0),
        n_frames=400,
        side_px=5,
        first_sample=7,
        samples_per_frame=2.5,
        pixel_um=30.0,
    )
    assert stimulus.frames.shape == (400, 5, 5)
    assert np.unique(stimulus.frames).tolist() == [-1, 1]
    assert abs(float(stimulus.frames.mean())) < 5 / np.sqrt(400 * 25)
    assert stimulus.trigger_sample[:4].tolist() == [7, 9, 12, 15]  # halves are rounded to even
    assert stimulus.pixel_um == 30.0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [ON, OFF])
def test_a_spatial_filter_is_the_ellipse_that_is_told_with_a_weak_surround(kind: CellType, seed: int) -> None:
    centre = np.array([30.0, 27.0])
    field, (long, short, angle) = spatial_filter(
        np.random.default_rng(seed), kind, centre_px=centre, pixel_um=10.0, side_px=60
    )
    assert np.linalg.norm(field) == pytest.approx(1)
    assert 0.75 <= short / long <= 1
    assert 0.9 <= np.sqrt(long * short) * 10 / kind.centre_um <= 1.1
    values = kind.polarity * field
    assert values.max() == values[27, 30]
    assert values.min() < 0
    assert abs(values.min()) < 0.1 * values.max()
    inner = np.where(values > 0.05 * values.max(), values, 0)
    y, x = np.mgrid[:60, :60]
    away = np.stack([x.ravel() - centre[0], y.ravel() - centre[1]])
    size, axes = np.linalg.eigh(np.cov(away, aweights=inner.ravel(), ddof=0))
    if short / long < 0.95:  # a circle has no direction
        off = (np.arctan2(axes[1, 1], axes[0, 1]) - angle + np.pi / 2) % np.pi - np.pi / 2
        assert abs(off) < 0.1
    assert np.sqrt(size[0] / size[1]) == pytest.approx(short / long, rel=0.05)


def test_a_temporal_filter_rises_to_its_peak_and_swings_back() -> None:
    course = temporal_filter(np.random.default_rng(0), ON, frame_ms=10.0)
    assert course.shape == (N_LAGS,)
    assert np.linalg.norm(course) == pytest.approx(1)
    assert abs((course.argmax() + 0.5) * 10 - ON.peak_ms) <= 15
    assert course.min() < -0.1
    assert course.argmin() > course.argmax()
    late = temporal_filter(np.random.default_rng(0), CellType("slow", 1, 40.0, 80.0, 1.0, 1.0), frame_ms=10.0)
    assert late.argmax() > course.argmax()


def test_a_temporal_filter_is_the_difference_of_two_lobes_of_which_the_later_is_twice_as_slow() -> None:
    """At the peak t they are 1 and 0.55 (e^0.5 / 2)^6, at 3 t (3 e^-2)^5 and 0.55 (1.5 e^-0.5)^6."""
    peak_ms = 50.0 * np.random.default_rng(0).uniform(0.92, 1.08)
    course = temporal_filter(np.random.default_rng(0), ON, frame_ms=2 * peak_ms)
    assert course[1] / course[0] == pytest.approx((0.01103 - 0.31191) / (1 - 0.17264), abs=1e-4)


def test_the_first_cell_of_a_mosaic_is_anywhere_and_the_next_ones_away_from_it() -> None:
    low, high = np.zeros(2), np.full(2, 100.0)
    first = np.random.default_rng(3).uniform(low, high, (60, 2))[0]
    cells = mosaic(np.random.default_rng(3), 2, low, high)
    assert cells[0].tolist() == first.tolist()
    assert mosaic(np.random.default_rng(3), 0, low, high).shape == (0, 2)


def test_cells_of_a_mosaic_keep_from_each_other_and_from_the_edges() -> None:
    low, high = np.array([0.0, 100.0]), np.array([200.0, 300.0])
    gaps, edges = [], []
    for seed in range(10):
        cells = mosaic(np.random.default_rng(seed), 12, low, high)
        assert ((cells >= low) & (cells <= high)).all()
        apart = np.linalg.norm(cells[:, None] - cells[None], axis=2)
        gaps.append(apart[~np.eye(12, dtype=bool)].min())
        edges.append(np.minimum(cells - low, high - cells).min())
    # of 12 at random: 13 µm from the nearest, 4 µm from an edge
    assert np.mean(gaps) > 30
    assert np.mean(edges) > 8


def test_the_rate_without_a_drive_is_such_that_the_mean_is_as_asked_and_it_has_a_largest() -> None:
    dark = np.zeros((4, 2, 2))
    field, course = np.full((2, 2), 0.5), np.array([1.0, 0.0])
    assert firing_rate(dark, field, course, mean_hz=10.0, gain=1.0).tolist() == [10 * np.exp(-0.5)] * 4
    assert firing_rate(dark, field, course, mean_hz=10.0, gain=2.0).tolist() == [10 * np.exp(-2.0)] * 4
    flash = dark.copy()
    flash[1] = 1  # times 0.5 in four pixels: a drive of 2
    rate = firing_rate(flash, field, np.array([1.0, 0.5]), mean_hz=10.0, gain=1.0)
    np.testing.assert_allclose(rate, 10 * np.exp([-0.5, 1.5, 0.5, -0.5]))
    assert firing_rate(flash, field, course, mean_hz=100.0, gain=1.0)[1] == MAX_RATE_HZ


def test_spikes_come_at_the_rate_with_a_dead_time() -> None:
    times = poisson_spikes(
        np.random.default_rng(0), np.array([50.0, 0.0, 20.0]), np.array([0.0, 40.0, 60.0, 100.0])
    )
    assert np.diff(times).min() >= 0.0018
    n = np.histogram(times, [0, 40, 60, 100])[0]
    assert n[1] == 0
    # a rate of 50 Hz with a dead time of 1.8 ms is one of 50 / (1 + 0.09) Hz
    assert abs(n[0] - 2000 / 1.09) < 4 * np.sqrt(2000)
    assert abs(n[2] - 800 / 1.036) < 4 * np.sqrt(800)
