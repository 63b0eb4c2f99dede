"""Refractory violations counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.analysis.refractory_violations import refractory_violations


@pytest.mark.parametrize(
    ("samples", "share"),
    [
        ([5000, 1000, 1060, 1020], 1 / 3),  # intervals of 1.0, 2.0 and 197 ms
        ([0, 30], 0.0),  # exactly 1.5 ms
        ([7], 0.0),
        ([], 0.0),
    ],
)
def test_intervals_under_1500_microseconds_are_violations(samples: list[int], share: float) -> None:
    times = np.array(samples, dtype=np.int64)
    assert refractory_violations(times, sampling_frequency_hz=20_000) == pytest.approx(share)
