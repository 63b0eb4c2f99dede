"""How many spikes of a cell matching does not find: lengths are drawn, and those under a least one lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import truncnorm

from ncpgui.sorting.chance_spikes import NoneFit
from ncpgui.sorting.lost_spikes import AMPLITUDE_SD, for_each_found, lost_share, mean_before_cut
from ncpgui.sorting.matched import Matched
from tests.sorting.two_units import SLOW, two_units

LEAST = 7.0


def found(*lengths: np.ndarray, energy_share: float = 0.0) -> tuple[Matched, NoneFit]:
    """Two units whose spikes have these lengths, noise of sd 1.

    energy_share : samples in which the templates are seen, for each spike of a unit
    """
    is_second = np.repeat([False, True], [len(one) for one in lengths])
    matched = two_units(np.zeros(len(is_second)), is_second, SLOW[: len(is_second)], apart=8.0)
    waveforms = np.zeros((2, int(energy_share * len(lengths[0])), 1), np.float32) + 1
    zeros = np.zeros(2)
    none = NoneFit(
        np.zeros(len(is_second)), np.concatenate(lengths), zeros, zeros, zeros, zeros + LEAST, zeros
    )
    return replace(matched, moving=replace(matched.moving, waveforms=waveforms[None])), none


def drawn(mean: float, n: int = 4000) -> tuple[np.ndarray, float]:
    """Lengths of a neuron's spikes that reach the least one, and the share of those that do not."""
    sd = np.hypot(1, AMPLITUDE_SD * mean)
    lengths = np.random.default_rng(3).normal(mean, sd, n)
    return lengths[lengths >= LEAST], float((lengths < LEAST).mean())


@pytest.mark.parametrize("mean", [6.0, 7.0, 8.0, 9.0, 11.0])
def test_the_share_that_was_lost_is_read_off_the_spikes_that_were_found(mean: float) -> None:
    lengths, lost = drawn(mean)
    assert lost_share(*found(lengths, lengths)) == pytest.approx([lost, lost], abs=0.09)


def test_a_clear_neuron_lost_nothing_and_a_unit_without_spikes_says_nothing() -> None:
    clear = np.random.default_rng(0).normal(20, 2, 500)
    assert lost_share(*found(clear, np.zeros(0))) == pytest.approx([0, 0], abs=1e-6)


def test_spikes_that_are_part_of_their_template_are_longer_along_it_than_those_that_are_not() -> None:
    """Forty samples for each spike: its own noise gives 40 / 14 of its length of 14."""
    own = np.random.default_rng(1).normal(14, 1, 200)
    alone, with_noise = (lost_share(*found(own, own, energy_share=share))[0] for share in (0.0, 40.0))
    assert alone < 0.001
    assert with_noise == pytest.approx(0.017, abs=0.003)  # 4.14 over the least length, sd 1.96: 2.12 sd
    assert lost_share(*found(own, own, energy_share=80.0))[0] > 0.2


def test_the_mean_before_the_cut_is_that_of_a_normal_law() -> None:
    for mean in (4.0, 7.0, 12.0):
        cut = truncnorm((LEAST - mean) / 1.5, np.inf, mean, 1.5).mean()
        found_mean = mean_before_cut(np.array([cut]), np.array([LEAST]), np.array([1.5]))
        assert found_mean == pytest.approx([mean], abs=0.01)


def test_lost_spikes_are_counted_for_each_that_was_found() -> None:
    assert for_each_found(np.array([0.0, 0.5, 0.8])).tolist() == pytest.approx([0, 1, 4])


def test_a_single_spike_says_what_was_lost_too() -> None:
    """It is 14 long, 3 of this by its own noise on 42 samples: others are 4 over the least, sd 1.955."""
    lost = lost_share(*found(np.array([14.0]), np.array([20.0]), energy_share=42.0))
    assert lost[0] == pytest.approx(0.0204, abs=3e-4)


def test_a_spike_just_as_long_as_the_least_is_taken_and_no_more_than_99_of_100_were_lost() -> None:
    lost = lost_share(*found(np.array([LEAST]), np.array([LEAST - 0.01])))
    assert lost.tolist() == [0.99, 0]


def test_a_mean_is_looked_for_down_to_six_sd_below_the_least_length() -> None:
    nowhere = mean_before_cut(np.array([LEAST]), np.array([LEAST]), np.array([0.5]))
    assert nowhere == pytest.approx([LEAST - 3.0])
