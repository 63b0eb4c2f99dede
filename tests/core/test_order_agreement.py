"""The spread of a posterior between the orders in which its network saw the points."""

from __future__ import annotations

import tracemalloc
from itertools import combinations

import numpy as np
import pytest

from ncpgui.core.order_agreement import N_ORDERS, order_spread, trust
from ncpgui.core.posterior import PosteriorSamples


def posterior(labels: np.ndarray, weight: np.ndarray | None = None) -> PosteriorSamples:
    order = np.arange(len(labels)) % N_ORDERS
    return PosteriorSamples(labels, np.zeros(len(labels)), weight, order)


def test_samples_that_do_not_depend_on_the_order_have_next_to_no_spread():
    rng = np.random.default_rng(0)
    rows = rng.integers(2, size=(200, 60))  # every pair together with probability 1/2
    assert order_spread(posterior(rows)) < 0.02
    assert order_spread(posterior(np.zeros((200, 60), int))) == 0


def test_orders_that_contradict_each_other_have_the_spread_of_their_probabilities():
    """Half of the orders put all together, half apart: the variance of four times 0 and 1 is 2/7."""
    rows = np.array([[0] * 5 if s % N_ORDERS < 4 else list(range(5)) for s in range(160)])
    assert order_spread(posterior(rows)) == pytest.approx(np.sqrt(2 / 7))


def test_the_spread_is_that_of_the_orders_and_not_of_their_samples():
    """Orders with P(together) from 0.1 to 0.8: their variance, however few samples show it."""
    rng = np.random.default_rng(1)
    p = np.arange(1, 9) / 10
    found = []
    for _ in range(200):
        rows = np.where(rng.random(80) < np.tile(p, 10), 0, 1)[:, None] * np.array([[0, 1]])
        found.append(order_spread(posterior(rows)) ** 2)
    assert np.mean(found) == pytest.approx(p.var(ddof=1), rel=0.2)


def test_rows_may_come_in_any_order_and_orders_in_any_number():
    """Three orders, two of them together: the variance of 1, 1 and 0 is 1/3."""
    order = np.random.default_rng(0).permutation(np.repeat([4, 7, 9], 20))
    rows = np.where(order[:, None] == 9, [[0, 1]], [[0, 0]])
    known = PosteriorSamples(rows, np.zeros(60), order=order)
    assert order_spread(known) == pytest.approx(np.sqrt(1 / 3))
    assert order_spread(known.subset(np.flatnonzero(order == 9))) is None
    assert order_spread(PosteriorSamples(rows, np.zeros(60))) is None


def test_the_spread_is_that_of_pairs_compared_one_by_one_with_as_many_clusters_as_points():
    """Few draws of many clusters are counted in several products of matrices, those of few in one."""
    rng = np.random.default_rng(2)
    for n_points, n_clusters in ((20, 3), (250, 250)):
        rows = rng.integers(n_clusters, size=(80, n_points))
        pairs = list(combinations(range(n_points), 2))
        together = np.array([rows[:, i] == rows[:, j] for i, j in pairs]).T
        p = together.reshape(-1, N_ORDERS, len(pairs)).mean(axis=0)
        by_chance = (p * (1 - p)).mean(axis=0) / 9
        assert order_spread(posterior(rows)) == pytest.approx(
            np.sqrt(max(0.0, (p.var(axis=0, ddof=1) - by_chance).mean())), abs=1e-12
        )


def test_it_cannot_be_told_of_one_point_of_few_samples_or_of_weighted_ones():
    assert order_spread(posterior(np.zeros((160, 1), int))) is None
    assert order_spread(posterior(np.zeros((79, 5), int))) is None
    assert order_spread(posterior(np.zeros((160, 5), int), np.arange(1.0, 161))) is None


def test_what_other_evidence_weighs_does_not_count() -> None:
    rows = np.array([[0] * 5 if s % N_ORDERS < 4 else list(range(5)) for s in range(160)])
    weighed = posterior(rows).weighed(np.where(np.arange(160) % 2, -3.0, 0.0))
    assert order_spread(weighed) == pytest.approx(np.sqrt(2 / 7))


def test_samples_that_nobody_drew_do_not_count() -> None:
    labels = np.array([[0] * 5 if s % N_ORDERS < 4 else list(range(5)) for s in range(160)])
    drawn, rows = posterior(labels), np.arange(160)
    beside = drawn.with_beside(rows, np.zeros_like(labels), np.full(160, 0.7))
    assert order_spread(beside) == order_spread(drawn) == pytest.approx(np.sqrt(2 / 7))


def test_the_comparison_of_pairs_takes_a_byte_a_pair_and_sample():
    """31 125 pairs of 250 points in 200 samples: 6 MiB, held twice for a moment."""
    one = posterior(np.random.default_rng(2).integers(5, size=(200, 2000)))
    tracemalloc.start()
    order_spread(one)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24 * 2**20


def test_ten_samples_of_each_order_on_average_and_two_of_any_are_enough() -> None:
    rows = np.zeros((80, 5), int)
    assert order_spread(posterior(rows)) == 0
    uneven = PosteriorSamples(rows[:20], np.zeros(20), order=np.repeat([0, 1], [18, 2]))
    assert order_spread(uneven) == 0
    single = PosteriorSamples(rows[:20], np.zeros(20), order=np.repeat([0, 1], [19, 1]))
    assert order_spread(single) is None
    few = PosteriorSamples(rows[:19], np.zeros(19), order=np.arange(19) % 2)
    assert order_spread(few) is None


@pytest.mark.parametrize(
    ("spread", "word"),
    [(0.0, "steady"), (0.06, "steady"), (0.061, "unsteady"), (0.099, "unsteady"), (0.1, "shaky")],
)
def test_a_spread_is_steady_up_to_0_06_and_shaky_from_0_1_on(spread: float, word: str) -> None:
    assert trust(spread) == word


def test_two_points_are_one_pair_and_of_very_many_250_are_compared() -> None:
    """The first and the last of 1000 points are among them, and every other pair agrees."""
    rows = np.array([[0, 0] if s % N_ORDERS < 4 else [0, 1] for s in range(160)])
    assert order_spread(posterior(rows)) == pytest.approx(np.sqrt(2 / 7))
    many = np.zeros((160, 1000), int)
    many[:, -1] = rows[:, 1]
    # the last point disagrees with the 249 others
    share = 249 / (250 * 249 / 2)
    assert order_spread(posterior(many)) == pytest.approx(np.sqrt(2 / 7 * share))


@pytest.mark.parametrize(
    ("spread", "kind"),
    [(0.0, "steady"), (0.06, "steady"), (0.061, "unsteady"), (0.099, "unsteady"), (0.1, "shaky")],
)
def test_a_spread_is_steady_up_to_six_percent_and_shaky_from_ten(spread: float, kind: str) -> None:
    assert trust(spread) == kind
