"""What a sorting shows while it goes on."""

from __future__ import annotations

import numpy as np

from ncpgui.core.probe import Probe
from ncpgui.core.so_far import SpikesSoFar, UnitsSoFar

TWO = Probe(np.array([[0.0, 0.0], [0.0, 20.0]]))


def test_rates_are_of_the_seconds_that_were_looked_at() -> None:
    counts = np.array([[6, 0], [4, 1]])
    assert SpikesSoFar(TWO, 2.5, 100.0, counts).rate_hz.tolist() == [4.0, 0.4]
    assert SpikesSoFar(TWO, 0.0, 100.0, 0 * counts).rate_hz.tolist() == [0, 0]


def test_units_are_counted_whether_they_are_shown_or_not() -> None:
    none = np.zeros(0, np.int64)
    found = UnitsSoFar(
        TWO, 1, 2, np.array([0, 1, 1]), np.array([9, 8, 7]), none, np.zeros((0, 32), np.float32)
    )
    assert found.n_units == 3
