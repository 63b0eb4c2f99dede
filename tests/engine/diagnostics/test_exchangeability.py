"""A law without an order has no spread over orders; one with an order has what was put in."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.engine.diagnostics.exchangeability import (
    Exchangeability,
    co_assignment_change,
    exchangeability,
)


@pytest.mark.parametrize("name", ["right", "too_sure", "too_unsure"])
def test_the_exact_posterior_at_any_temperature_has_no_order(name, model, request):
    """Exchangeability tells nothing of calibration."""
    posterior = request.getfixturevalue(name)
    found = exchangeability(posterior, model, n_datasets=40, n_points=5, n_samples=300, seed=0)
    assert found.sd_nats == pytest.approx(0, abs=1e-12)
    assert found.sd_over_mean == pytest.approx(0, abs=1e-12)
    assert found.change.mean() == pytest.approx(found.change_by_chance.mean(), rel=0.2)
    assert found.nll_per_point > 0


class FirstPointDecides:
    """-log q is 10 plus the number of the point visited first."""

    def sample(self, points, n_samples, seed):
        return PosteriorSamples(np.zeros((n_samples, 2), dtype=np.int64), np.zeros(n_samples))

    def log_prob(self, points, labels, order=None):
        return np.full(len(labels), -10.0 - (0 if order is None else order[0]))


def test_spread_over_orders_is_the_spread_that_was_put_in(model):
    found = exchangeability(
        FirstPointDecides(), model, n_datasets=3, n_points=2, n_orders=64, n_samples=10, seed=0
    )
    assert sorted(np.unique(found.nll)) == [10, 11]
    sd = found.nll[0].std(ddof=1)
    assert sd == pytest.approx(0.5, abs=0.1)
    assert found.sd_nats == pytest.approx(sd)  # every dataset sees the same orders
    assert found.sd_over_mean == pytest.approx(sd / found.nll.mean())
    assert found.sd_over_mean_each == pytest.approx(found.sd_over_mean)
    assert found.nll_per_point == pytest.approx(found.nll.mean() / 2)


def change_between(p: float, q: float, n_samples: int, n_sets: int) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    pairs = [
        co_assignment_change(
            *(np.stack([np.zeros(n_samples, int), rng.random(n_samples) > x], 1) for x in (p, q))
        )
        for _ in range(n_sets)
    ]
    return tuple(np.mean(pairs, axis=0))


def test_change_of_co_assignment_without_an_effect_is_what_chance_gives():
    change, chance = change_between(0.3, 0.3, 200, 400)
    assert change == pytest.approx(chance, rel=0.1)
    assert chance == pytest.approx(np.sqrt(2 / np.pi) * np.sqrt(2 * 0.3 * 0.7 / 200), rel=0.02)


def test_change_of_co_assignment_by_hand():
    """Together in one of two draws, and in both: half apart; p (1 - p) of all four is 3 / 4 of its mean."""
    first, second = np.array([[0, 0], [0, 1]]), np.array([[0, 0], [0, 0]])
    change, chance = co_assignment_change(first, second)
    assert change == pytest.approx(0.5)
    assert chance == pytest.approx(np.sqrt(2 / np.pi * 2 * 0.75 * 0.25 / 2 * 4 / 3))


def test_change_of_co_assignment_with_an_effect_exceeds_chance():
    change, chance = change_between(0.2, 0.8, 400, 50)
    assert change == pytest.approx(0.6, abs=0.02)
    assert change > 10 * chance


def test_a_single_point_changes_nothing():
    draws = np.zeros((5, 1), dtype=np.int64)
    assert co_assignment_change(draws, draws) == (0.0, 0.0)


def test_one_order_alone_has_no_spread(right, model):
    found = exchangeability(right, model, n_datasets=2, n_points=4, n_orders=1, n_samples=5, seed=0)
    assert found.nll.shape == (2, 1)
    assert np.isnan([found.sd_nats, found.sd_over_mean, found.sd_over_mean_each]).all()


def test_two_orders_have_a_spread_and_one_has_none() -> None:
    """Two datasets of four points in two orders: means 5.5 and 6.5; sd of 3 and 5 sqrt 2, of 8 and 8 none."""
    none = np.zeros(2)
    found = Exchangeability(4, np.array([[3.0, 5], [8, 8]]), none, none)
    assert found.sd_nats == pytest.approx(1)  # root of the mean of 2 and 0
    assert found.sd_over_mean == pytest.approx(np.sqrt(0.5) / 6)
    assert found.nll_per_point == 6 / 4
    assert found.sd_over_mean_each == pytest.approx(1 / 6)
    one = Exchangeability(4, np.array([[3.0], [8]]), none, none)
    assert np.isnan([one.sd_nats, one.sd_over_mean, one.sd_over_mean_each]).all()
