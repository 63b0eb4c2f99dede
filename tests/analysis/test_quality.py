"""Quality numbers counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.analysis.quality import UnitQuality, unit_quality


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


def test_interval_of_exactly_the_refractory_period_is_no_violation():
    quality = unit_quality(np.array([0, 30]), np.full(2, -5.0), sampling_frequency_hz=20_000, n_samples=100)
    assert quality.refractory_violations == 0


def test_empty_unit_is_all_zero():
    empty = unit_quality(np.zeros(0, int), np.zeros(0), sampling_frequency_hz=20_000, n_samples=100)
    assert empty == UnitQuality(0, 0.0, 0.0, 0.0)
