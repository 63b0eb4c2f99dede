"""Firing times of one unit: of one cell with a refractory period, or of two."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.evidence.hidden_trains import hidden_train_nats
from ncpgui.findings.second_cells import with_times

RATE_HZ = 20_000.0


def train(rate_hz: float, *, seed: int, dead_ms: float = 1.8, duration_s: float = 100.0) -> np.ndarray:
    """Spikes of one cell, in samples: intervals are exponential past the dead time."""
    rng = np.random.default_rng(seed)
    intervals = dead_ms / 1000 + rng.exponential(1 / rate_hz, round(3 * rate_hz * duration_s))
    times = np.cumsum(intervals)
    return (times[times < duration_s] * RATE_HZ).astype(np.int64)


def nats(*trains: np.ndarray) -> float:
    return hidden_train_nats(np.sort(np.concatenate(trains)), RATE_HZ)


def test_one_cell_speaks_against_two_and_two_cells_for_two() -> None:
    for seed in range(5):
        assert nats(train(12.0, seed=seed)) < -0.5
        assert nats(train(40.0, seed=seed)) < -2
        assert nats(train(8.0, seed=seed), train(8.0, seed=100 + seed)) > 3


def test_few_spikes_say_nothing() -> None:
    assert hidden_train_nats(np.zeros(0, np.int64), RATE_HZ) == 0
    assert hidden_train_nats(20_000 * np.arange(50), RATE_HZ) == 0


def test_the_value_is_that_of_poisson_counts_by_hand() -> None:
    """Two pairs 1 ms apart, 100 of 5 ms, of which 8 would be expected where the two are."""
    far = np.concatenate([np.array([0, 100]) + 2000 * k for k in range(100)])
    close = 400_000 + np.array([0, 20, 2000, 2020])
    likelihood = [
        np.mean([share**2 * np.exp(-8 * share) for share in shares])
        for shares in ((0.003, 0.01, 0.03, 0.1), (0.03, 0.06, 0.12, 0.25, 0.5))
    ]
    found = hidden_train_nats(np.concatenate([far, close]), RATE_HZ)
    assert found == pytest.approx(np.log(likelihood[1] / likelihood[0]))


@pytest.mark.parametrize(("apart", "counts"), [(14, False), (15, True), (30, True), (31, False)])
def test_close_is_from_0_7_to_1_5_ms(apart: int, counts: bool) -> None:
    pairs = np.concatenate([np.array([0, apart]) + 1000 * k for k in range(20)])
    assert (hidden_train_nats(pairs, RATE_HZ) > 0) == counts


def test_the_evidence_is_bounded() -> None:
    assert nats(train(60.0, seed=1), train(60.0, seed=2)) == 8
    assert nats(train(150.0, seed=1)) == pytest.approx(-8, abs=4)


def test_odds_of_a_second_cell_are_those_of_its_heaps_or_of_the_same_shape_times_those_of_its_times() -> None:
    assert with_times(0.0, 0.0) == pytest.approx(0.05 / 1.05)
    assert with_times(0.5, 0.0) == pytest.approx(1.05 / 2.05)
    assert with_times(0.5, np.log(2)) == pytest.approx(2.1 / 3.1)
    assert with_times(1.0, -8.0) == pytest.approx(1.0)
