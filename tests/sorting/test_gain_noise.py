"""Gains of templates, by their definition, and what noise does to them."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.sorting.gain_noise import LaidTemplates, gain_of
from ncpgui.sorting.peeling import AMPLITUDE_SD, SHIFT_SD, TemplateBank

RATE_HZ = 20_000.0


def test_a_template_in_place_gains_its_energy() -> None:
    """Amplitude 1 and no shift cost nothing under their priors."""
    assert gain_of(np.array([100.0]), np.array([0.0]), np.array([100.0, 0.0, 50.0])) == pytest.approx(100)


def test_a_smaller_spike_gains_less_by_its_amplitude_and_by_what_that_costs() -> None:
    """a = (80 + 25) / 125: 2 a 80 - 100 a^2 - 25 (a - 1)^2 = 105^2 / 125 - 25."""
    assert gain_of(np.array([80.0]), np.array([0.0]), np.array([100.0, 0.0, 50.0])) == pytest.approx(63.2)


def test_a_later_spike_gains_by_its_shift() -> None:
    """b = 20 / (50 + 6.25): 100 of the amplitude and 20^2 / 56.25 of the shift."""
    found = gain_of(np.array([100.0]), np.array([20.0]), np.array([100.0, 0.0, 50.0]))
    assert found == pytest.approx(100 + 400 / 56.25)


def test_the_gain_is_the_largest_that_any_amplitude_and_shift_have() -> None:
    rng = np.random.default_rng(0)
    a, b = np.meshgrid(np.linspace(-1, 3, 801), np.linspace(-2, 2, 801))
    for _ in range(5):
        wave, slope = rng.normal(0, 3, (2, 30))
        spike = rng.normal(1, 0.3) * wave + rng.normal(0, 0.4) * slope + rng.normal(size=30)
        gram = np.array([wave @ wave, wave @ slope, slope @ slope])
        dot, dot_slope = spike @ wave, spike @ slope
        fitted = 2 * (a * dot + b * dot_slope) - (a**2 * gram[0] + 2 * a * b * gram[1] + b**2 * gram[2])
        prior = ((a - 1) / AMPLITUDE_SD) ** 2 + (b / SHIFT_SD) ** 2
        found = gain_of(np.array([dot]), np.array([dot_slope]), gram)
        assert found == pytest.approx((fitted - prior).max(), rel=1e-3)


@pytest.mark.parametrize("sd", [1.0, 2.5])
def test_white_noise_of_some_sd_is_measured_as_such(sd: float) -> None:
    """A template of one sample sees every sample; its value rises through zero every fourth sample."""
    left = np.random.default_rng(1).normal(0, sd, (1, 40_000)).astype(np.float32)
    waveforms = np.zeros((1, 5, 1), np.float32)
    waveforms[0, 2, 0] = 10
    bank = TemplateBank(waveforms, 2)
    laid = LaidTemplates(bank, np.zeros((1, 1), int), np.zeros((1, 1), int))
    laid.add(left, np.arange(10, 39_000, 7))
    noise = laid.measured(RATE_HZ)
    assert noise.sd == pytest.approx([sd], rel=0.03)
    assert noise.lead.tolist() == noise.lead_sd.tolist() == [[0.0]]
    assert noise.peaks_hz == pytest.approx([RATE_HZ * np.sqrt(2) / (2 * np.pi)], rel=0.05)


def test_the_own_template_leads_by_the_squared_distance_of_the_other() -> None:
    """Two templates at right angles, of energy 400 each, in weak noise: the other gains nothing by itself.

    Its best amplitude is 25 / (400 + 25), which costs 25 (1 - 25 / 425) of the prior.
    """
    waveforms = np.zeros((2, 12, 1), np.float32)
    waveforms[0, 3, 0] = waveforms[1, 8, 0] = 20
    bank = TemplateBank(waveforms, 3)
    laid = LaidTemplates(bank, np.array([[0, 1], [1, 0]]), np.zeros((2, 2), int))
    left = np.random.default_rng(2).normal(0, 1e-3, (1, 4000)).astype(np.float32)
    laid.add(left, np.arange(10, 3900, 9))
    noise = laid.measured(RATE_HZ)
    cost = 25 * (1 - 25 / 425)
    assert noise.lead == pytest.approx(np.array([[0, 400 + cost], [0, 400 + cost]]), rel=1e-3)
