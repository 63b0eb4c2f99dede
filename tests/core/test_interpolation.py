"""Interpolation returns samples where they are, and sines between them; at lower rates it filters."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.interpolation import interpolation_matrix, kernel_half_width


def test_the_kernel_is_8_samples_each_side_and_wider_where_the_rate_falls() -> None:
    assert kernel_half_width(20e3, 20e3) == 8
    assert kernel_half_width(10e3, 20e3) == 8
    assert kernel_half_width(30e3, 20e3) == 12
    assert kernel_half_width(25e3, 20e3) == 10
    assert kernel_half_width(24.1e3, 20e3) == 10  # 9.64


def test_a_sample_is_itself_and_weights_sum_to_1() -> None:
    exact = interpolation_matrix(np.array([9.0, 10.0]), 20, sampling_frequency_hz=2e4, target_hz=2e4)
    assert np.allclose(exact, np.eye(20)[[9, 10]], atol=1e-6)
    between = interpolation_matrix(np.array([0.3, 9.5]), 20, sampling_frequency_hz=3e4, target_hz=2e4)
    assert between.sum(axis=1) == pytest.approx(1)
    assert between.dtype == np.float32


def test_between_samples_weights_are_those_of_a_windowed_sinc() -> None:
    (weights,) = interpolation_matrix(np.array([9.5]), 20, sampling_frequency_hz=2e4, target_hz=4e4)
    assert np.flatnonzero(weights).tolist() == list(range(2, 18))  # 7.5 samples each side, 8.5 is outside
    assert weights == pytest.approx(weights[::-1], abs=1e-7)
    # sinc(1.5) / sinc(0.5) = -1/3, of windows I0(6 sqrt(1 - (d / 8)^2)) at d = 1.5 and 0.5
    window = np.i0(6 * np.sqrt(1 - np.array([1.5, 0.5]) ** 2 / 64))
    assert weights[8] / weights[9] == pytest.approx(-window[0] / window[1] / 3, rel=1e-5)


def test_at_half_the_rate_what_it_cannot_carry_is_filtered_out() -> None:
    time = np.arange(200.0)
    positions = np.arange(60.0, 140.0, 2.0)
    half = interpolation_matrix(positions, 200, sampling_frequency_hz=2e4, target_hz=1e4)
    slow, fast = np.sin(0.2 * np.pi * time), np.sin(0.8 * np.pi * time + 0.3)
    assert half @ slow == pytest.approx(np.sin(0.2 * np.pi * positions), abs=5e-3)
    assert half @ fast == pytest.approx(np.zeros(len(positions)), abs=5e-3)
