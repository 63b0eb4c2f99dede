"""Spikes of simulated cells: deepest at the soma, wider farther away, along the axon with a delay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.ephys.spike_shapes import SpikeShape, draw_shape, potential

TIME_MS = np.arange(-2, 4, 0.005)
PLAIN = SpikeShape(
    rise_ms=0.1,
    fall_ms=0.2,
    hump=0.0,
    hump_ms=0.3,
    onset=0.0,
    decay_um=20.0,
    widening=0.0,
    axon=0.0,
    axon_ms=0.08,
    velocity_um_per_ms=500.0,
    angle_rad=0.0,
    dendrite=0.0,
    depth_um=0.0,
)


def seen(shape: SpikeShape, *places_um: tuple[float, float]) -> np.ndarray:
    """(T, C) at these places from the soma."""
    return potential(shape, np.array(places_um, float), TIME_MS)


def at(wave: np.ndarray, time_ms: float) -> float:
    return float(np.interp(time_ms, TIME_MS, wave))


def test_the_trough_of_the_soma_is_one_at_its_place_and_half_as_deep_at_the_decay() -> None:
    waves = seen(PLAIN, (0, 0), (20, 0), (0, -20), (12, 16))
    np.testing.assert_allclose(waves.min(axis=0), [-1, -0.5, -0.5, -0.5], atol=1e-6)
    assert abs(TIME_MS[waves[:, 0].argmin()]) < 1e-9
    deep = seen(replace(PLAIN, depth_um=20.0), (0, 0))
    assert deep.min() == pytest.approx(-0.5)


def test_the_trough_falls_and_rises_with_the_widths_that_it_has() -> None:
    wave = seen(PLAIN, (0, 0))[:, 0]
    assert at(wave, -0.1) == pytest.approx(-np.exp(-0.5), abs=1e-4)
    assert at(wave, 0.2) == pytest.approx(-np.exp(-0.5), abs=1e-4)


def test_the_hump_after_it_and_the_phase_before_it_are_positive_and_as_high_as_is_said() -> None:
    hump = seen(replace(PLAIN, hump=0.4), (0, 0))[:, 0] - seen(PLAIN, (0, 0))[:, 0]
    assert hump.max() == pytest.approx(0.4, abs=1e-4)
    assert TIME_MS[hump.argmax()] == pytest.approx(0.2 + 0.3, abs=0.01)
    assert at(hump, 0.19) == 0
    before = seen(replace(PLAIN, onset=0.2), (0, 0))[:, 0] - seen(PLAIN, (0, 0))[:, 0]
    assert before.max() == pytest.approx(0.2, abs=1e-4)
    assert TIME_MS[before.argmax()] == pytest.approx(-0.26, abs=0.01)
    assert before.min() >= 0


def test_a_spike_is_wider_farther_away() -> None:
    wide = replace(PLAIN, widening=0.5)
    near, far = (seen(wide, place)[:, 0] for place in ((0, 0), (100, 0)))
    assert at(near / near.min(), 0.2) == pytest.approx(np.exp(-0.5), abs=1e-4)
    assert at(far / far.min(), 0.3) == pytest.approx(np.exp(-0.5), abs=1e-4)


def test_the_axon_carries_the_spike_away_at_its_velocity_and_in_its_direction() -> None:
    axon = replace(PLAIN, axon=0.3, angle_rad=np.pi / 2, depth_um=5.0)
    places = [(0, 150), (0, 250), (0, -150), (150, 0)]
    waves = seen(axon, *places) - seen(replace(axon, axon=0.0), *places)
    depth = -waves.min(axis=0)
    assert depth[:2].min() > 10 * depth[2:].max()
    times = TIME_MS[waves.argmin(axis=0)]
    assert times[0] == pytest.approx(0.3, abs=0.03)
    assert times[1] - times[0] == pytest.approx(100 / 500, abs=0.02)
    middle = waves[:, 0]
    before, after = middle[times[0] > TIME_MS], middle[times[0] < TIME_MS]
    assert 0.1 < before.max() / depth[0] < 0.6
    assert 0.1 < after.max() / depth[0] < 0.6


def test_dendrites_return_the_current_slowly_beyond_forty_micrometres() -> None:
    with_dendrite = replace(PLAIN, dendrite=0.1)
    near, far = ((seen(with_dendrite, place) - seen(PLAIN, place))[:, 0] for place in ((40.0, 0), (50.0, 0)))
    assert not near.any()
    assert far.max() == pytest.approx(0.05, abs=1e-4)  # half of it at 2.5 times the decay
    assert TIME_MS[far.argmax()] == pytest.approx(0.1, abs=0.01)
    assert at(far, 0.4) == pytest.approx(0.05 * np.exp(-0.5), abs=1e-4)


def test_cells_that_are_drawn_lie_in_their_ranges() -> None:
    rng = np.random.default_rng(0)
    shapes = [draw_shape(rng, axon_angle_rad=1.0) for _ in range(400)]
    for name, low, high in (
        ("rise_ms", 0.07, 0.15),
        ("hump", 0.1, 0.5),
        ("hump_ms", 0.18, 0.5),
        ("onset", 0.0, 0.25),
        ("decay_um", 16, 34),
        ("widening", 0.2, 0.6),
        ("axon", 0.05, 0.3),
        ("axon_ms", 0.06, 0.1),
        ("velocity_um_per_ms", 500, 1100),
        ("dendrite", 0.0, 0.12),
        ("depth_um", 6, 22),
    ):
        values = np.array([getattr(shape, name) for shape in shapes])
        assert low <= values.min() < low + 0.05 * (high - low), name
        assert high - 0.05 * (high - low) < values.max() <= high, name
    ratio = np.array([shape.fall_ms / shape.rise_ms for shape in shapes])
    assert 0.9 <= ratio.min() < ratio.max() <= 1.5
    angle = np.array([shape.angle_rad for shape in shapes])
    assert angle.mean() == pytest.approx(1.0, abs=4 * 0.25 / 20)
    assert angle.std() == pytest.approx(0.25, rel=0.15)
