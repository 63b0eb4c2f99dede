"""Quality numbers counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.analysis.quality import UnitQuality, all_qualities, unit_quality
from ncpgui.core.spikes import SpikeEvents


def test_numbers_of_a_small_unit():
    times = np.array([1000, 1020, 1060, 5000])
    quality = unit_quality(
        times, np.array([-4.0, -6.0, -5.0, -5.0]), sampling_frequency_hz=20_000, n_samples=20_000
    )
    assert quality.n_spikes == 4
    assert quality.rate_hz == 4
    assert quality.snr == 5
    # Intervals of 1.0, 2.0 and 197 ms: one of three is under 1.5 ms.
    assert quality.refractory_violations == pytest.approx(1 / 3)
    # Quarters of 5000 samples: the first and the second have spikes.
    assert quality.presence == 0.5


def test_interval_of_exactly_the_refractory_period_is_no_violation():
    quality = unit_quality(np.array([0, 30]), np.full(2, -5.0), sampling_frequency_hz=20_000, n_samples=100)
    assert quality.refractory_violations == 0


def test_empty_unit_is_all_zero():
    empty = unit_quality(np.zeros(0, int), np.zeros(0), sampling_frequency_hz=20_000, n_samples=100)
    assert empty == UnitQuality(0, 0.0, 0.0, 0.0, 0.0)


def test_all_units_at_once_equal_each_alone():
    rng = np.random.default_rng(0)
    spikes = SpikeEvents(
        np.sort(rng.integers(0, 10_000, 200)), np.zeros(200), -rng.uniform(5, 9, 200), 20_000.0, 10_000
    )
    units = rng.integers(-1, 3, 200)
    together = all_qualities(spikes, units)
    assert sorted(together) == [0, 1, 2]
    for unit, quality in together.items():
        mine = units == unit
        alone = unit_quality(
            spikes.sample_index[mine],
            spikes.amplitude[mine],
            sampling_frequency_hz=20_000.0,
            n_samples=10_000,
        )
        assert quality == alone


def test_unit_asked_for_without_spikes_is_there():
    spikes = SpikeEvents(np.array([5]), np.array([0]), np.array([-5.0]), 20_000.0, 10)
    assert all_qualities(spikes, np.array([2]), unit_ids=[2, 9])[9].n_spikes == 0
