"""Spikes taken out of traces together: amplitudes, shifts and gains known by construction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncpgui.ephys.by_channel import by_channel
from ncpgui.sorting.peeling import AMPLITUDE_SD, SHIFT_SD, CleanedSums, TemplateBank, add, peel, slope_of

N_TIMES, N_CHANNELS = 40, 3
TIME = np.arange(N_TIMES) - 12.0


def bump(width: float, late: float = 0.0) -> np.ndarray:
    return -np.exp(-(((TIME - late) / width) ** 2))


def bank() -> TemplateBank:
    """Two templates of large energy: a narrow one on channels 0 and 1, a wide one on 1 and 2."""
    waveforms = np.zeros((2, N_TIMES, N_CHANNELS), np.float32)
    waveforms[0, :, 0], waveforms[0, :, 1] = 40 * bump(3), 15 * bump(3)
    waveforms[1, :, 1], waveforms[1, :, 2] = 20 * bump(6), 50 * bump(6)
    return TemplateBank(waveforms, n_before=12)


def with_spikes(starts: list[int], units: list[int], amplitudes: list[float]) -> np.ndarray:
    traces = np.zeros((400, N_CHANNELS), np.float32)
    for start, unit, amplitude in zip(starts, units, amplitudes, strict=True):
        traces[start : start + N_TIMES] += amplitude * bank().waveforms[unit]
    return by_channel(traces)


BOTH = np.array([[0, 1], [1, 0]])
NO_LAG = np.zeros((2, 2), np.int64)
ALL_CHANNELS = np.tile(np.arange(N_CHANNELS, dtype=np.int32), (2, 1))


def test_amplitudes_of_spikes_alone_and_in_a_collision_are_found() -> None:
    starts, units, amplitudes = [50, 150, 158, 300], [0, 0, 1, 1], [1.1, 0.9, 1.05, 1.0]
    traces = with_spikes(starts, units, amplitudes)
    fits = peel(traces, np.array(starts), np.array(units), bank(), BOTH, NO_LAG)
    assert fits.amplitude == pytest.approx(amplitudes, abs=0.01)
    assert fits.shift_samples == pytest.approx([0] * 4, abs=0.05)
    assert np.abs(traces).max() < 0.5  # of 50: nothing is left


def test_a_part_of_a_sample_is_found_as_a_shift() -> None:
    template = bank()
    traces = np.zeros((N_CHANNELS, 200), np.float32)
    traces[0, 60 : 60 + N_TIMES] = 40 * bump(3, late=0.3)
    traces[1, 60 : 60 + N_TIMES] = 15 * bump(3, late=0.3)
    fits = peel(traces, np.array([60]), np.array([0]), template, BOTH, NO_LAG)
    assert fits.shift_samples[0] == pytest.approx(0.3, abs=0.03)
    assert fits.amplitude[0] == pytest.approx(1.0, abs=0.03)


def test_the_gain_is_what_the_fit_saves_less_what_its_priors_cost() -> None:
    """Against a literal search over amplitudes and shifts on a fine grid."""
    rng = np.random.default_rng(0)
    template = bank()
    x = (0.8 * template.waveforms[0] + rng.normal(size=(N_TIMES, N_CHANNELS))).astype(np.float32)
    traces = np.zeros((N_CHANNELS, N_TIMES + 20), np.float32)
    traces[:, 10 : 10 + N_TIMES] = x.T
    fits = peel(traces, np.array([10]), np.array([0]), template, BOTH, NO_LAG)
    for place, unit in enumerate((0, 1)):
        a, b = np.meshgrid(np.linspace(0, 1.4, 281), np.linspace(-1, 1, 401), indexing="ij")
        wave, slope = template.waveforms[unit], slope_of(template.waveforms[unit])
        left = (
            (x**2).sum()
            - 2 * a * (x * wave).sum()
            - 2 * b * (x * slope).sum()
            + a**2 * (wave**2).sum()
            + 2 * a * b * (wave * slope).sum()
            + b**2 * (slope**2).sum()
        )
        cost = left + ((a - 1) / AMPLITUDE_SD) ** 2 + (b / SHIFT_SD) ** 2
        gain = (x**2).sum() - cost.min()
        assert fits.gain[0, place] == pytest.approx(float(gain), rel=0.01, abs=1.0)


def test_a_spike_is_told_from_its_neighbour_in_a_collision_with_a_third() -> None:
    """The gain of the own template is the larger one, also where another spike lies on it."""
    starts, units = [100, 106], [0, 1]
    fits = peel(with_spikes(starts, units, [1, 1]), np.array(starts), np.array(units), bank(), BOTH, NO_LAG)
    assert (fits.gain[:, 0] > fits.gain[:, 1] + 100).all()


def test_no_candidate_has_no_gain() -> None:
    alone = np.array([[0, -1], [1, -1]])
    fits = peel(with_spikes([100], [0], [1]), np.array([100]), np.array([0]), bank(), alone, NO_LAG)
    assert fits.gain[0, 1] == -np.inf


def test_cleaned_waveforms_are_summed_on_the_channels_of_their_unit_alone() -> None:
    """Noise of 1 on all channels: the sum of three spikes is 3 where it is asked for."""
    sums = CleanedSums.none_yet(bank(), np.array([[0, -1], [0, 1]], np.int32))
    left, none = np.ones((N_CHANNELS, 400), np.float32), np.zeros(4, np.float32)
    sums.add(left, np.array([10, 90, 150, 210]), np.array([0, 0, 0, 1]), none, none, bank())
    assert (sums.waveforms[0, 0] == 3).all()
    assert not sums.waveforms[0, 1:].any()
    assert (sums.waveforms[1, :2] == 1).all()


def test_the_mean_of_cleaned_waveforms_is_the_template_where_spikes_collide() -> None:
    starts, units = [50, 56, 150, 170, 250, 262], [0, 1, 0, 1, 1, 0]
    traces = with_spikes(starts, units, [1, 1, 0.9, 1.1, 1, 1])
    sums = CleanedSums.none_yet(bank(), ALL_CHANNELS)
    fits = peel(traces, np.array(starts), np.array(units), bank(), BOTH, NO_LAG)
    first, unit = np.array(starts)[:5], np.array(units)[:5]
    sums.add(traces, first, unit, fits.amplitude[:5], fits.shift_samples[:5], bank())
    assert sums.amplitude == pytest.approx([1.9, 3.1], abs=0.03)
    assert np.abs(sums.means() - bank().waveforms).max() < 1.0  # of 50


@pytest.mark.parametrize("add", [add, add.py_func], ids=["compiled", "run by Python"])
@pytest.mark.parametrize("start", [-15, 0, 370])
def test_of_a_template_and_its_slope_the_part_within_the_traces_is_added(start: int, add: Any) -> None:
    """The whole of both, in a longer array of which the traces are the middle."""
    template = bank()
    whole = np.zeros((N_CHANNELS, 480), np.float32)
    whole[:, start + 40 : start + 40 + N_TIMES] = (
        0.8 * template.waveforms[1] + 2 * slope_of(template.waveforms[1])
    ).T
    traces = np.zeros((N_CHANNELS, 400), np.float32)
    add(traces, start, template.seen, N_TIMES, 1, np.float32(0.8), np.float32(2))
    assert traces == pytest.approx(whole[:, 40:440], abs=1e-5)
