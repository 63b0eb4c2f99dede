"""Decisions against the exact conditional of an enumerated posterior."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.point_events import PointEvent, conditioned

N = 5


def partitions(n: int) -> Iterator[list[int]]:
    """All partitions of n points."""
    if n == 0:
        yield []
        return
    for row in partitions(n - 1):
        for label in range(max(row, default=-1) + 2):
            yield [*row, label]


@pytest.fixture
def exact() -> PosteriorSamples:
    """All 52 partitions of five points with random probabilities."""
    rows = np.array(list(partitions(N)))
    weight = np.random.default_rng(0).dirichlet(np.ones(len(rows)))
    return PosteriorSamples(rows, np.log(weight), weight)


def points(*chosen: int) -> np.ndarray:
    return np.isin(np.arange(N), chosen)


def test_must_link_is_the_exact_conditional(exact: PosteriorSamples) -> None:
    given = conditioned(exact, [PointEvent("same", points(1), points(3))])
    together = exact.labels[:, 1] == exact.labels[:, 3]
    assert given.probability == pytest.approx([exact.weight[together].sum()])
    assert given.weight == pytest.approx(np.where(together, exact.weight, 0) / exact.weight[together].sum())


def test_never_merge_is_the_exact_conditional(exact: PosteriorSamples) -> None:
    given = conditioned(exact, [PointEvent("different", points(0), points(4))])
    apart = exact.labels[:, 0] != exact.labels[:, 4]
    assert given.weight == pytest.approx(np.where(apart, exact.weight, 0) / exact.weight[apart].sum())


def test_an_accepted_unit_is_one_cluster_of_every_draw_that_is_left(exact: PosteriorSamples) -> None:
    given = conditioned(exact, [PointEvent("neuron", points(0, 2))])
    left = exact.labels[given.weight > 0]
    assert len(left) == 5  # the partitions of the other three points
    assert (left[:, 0] == left[:, 2]).all()
    assert (left[:, [1, 3, 4]] != left[:, [0]]).all()


def test_decisions_in_any_order_give_the_same_posterior(exact: PosteriorSamples) -> None:
    both = [PointEvent("same", points(0), points(1)), PointEvent("different", points(1), points(2))]
    one, other = conditioned(exact, both), conditioned(exact, both[::-1])
    assert one.weight == pytest.approx(other.weight)
    assert np.prod(one.probability) == pytest.approx(np.prod(other.probability))


def test_what_is_nearly_sure_changes_nothing_else() -> None:
    generator = np.random.default_rng(1)
    labels = np.zeros((2000, 6), int)
    labels[:, 3:] = 1
    labels[:, 5] = np.where(generator.random(2000) < 0.3, 2, 1)  # an unrelated split
    labels[generator.random(2000) < 0.015, :3] = [0, 0, 3]  # the accepted unit is split in 1.5 %
    posterior = PosteriorSamples(labels, np.zeros(2000))
    split = posterior.labels[:, 5] != posterior.labels[:, 4]
    given = conditioned(posterior, [PointEvent("neuron", np.arange(6) < 3)])
    assert given.probability[0] > 0.98
    assert given.weight @ split == pytest.approx(posterior.weight @ split, abs=0.01)
    assert given.n_effective > 1950


def test_decisions_that_contradict_each_other_are_named(exact: PosteriorSamples) -> None:
    with pytest.raises(CurationError, match=r"no draw .* has 2 and 3 apart beside 2 and 3 together"):
        conditioned(
            exact,
            [
                PointEvent("same", points(2), points(3), "2 and 3 together"),
                PointEvent("different", points(2), points(3), "2 and 3 apart"),
            ],
        )


def test_no_decision_changes_no_bit(exact: PosteriorSamples) -> None:
    assert np.array_equal(conditioned(exact, []).weight, exact.weight)


def test_a_decision_that_hardly_any_draw_obeys_changes_nothing_until_there_are_others() -> None:
    """Of 200 draws two part the first two points, and both have the last two together by chance."""
    labels = np.zeros((200, 4), int)
    labels[:, 2:] = 1
    labels[::2, 3] = 2
    labels[:2] = [0, 1, 2, 2]
    posterior = PosteriorSamples(labels, np.zeros(200))
    apart = PointEvent(
        "different", np.array([True, False, False, False]), np.array([False, True, False, False])
    )
    given = conditioned(posterior, [apart], leave_out=True)
    np.testing.assert_array_equal(given.weight, posterior.weight)
    assert given.probability == (0.0,)
    assert conditioned(posterior, [apart]).n_effective == pytest.approx(2)  # where nobody draws again


def test_a_decision_that_five_draws_obey_counts() -> None:
    labels = np.zeros((200, 2), int)
    labels[:5, 1] = 1
    apart = PointEvent("different", np.array([True, False]), np.array([False, True]))
    given = conditioned(PosteriorSamples(labels, np.zeros(200)), [apart], leave_out=True)
    assert given.probability == pytest.approx((5 / 200,))
    assert given.n_effective == pytest.approx(5)


def test_what_all_of_the_weight_obeys_counts_however_few_the_draws() -> None:
    posterior = PosteriorSamples(np.array([[0, 1], [0, 0]]).repeat(100, 0), np.zeros(200), np.eye(200)[0])
    apart = PointEvent("different", np.array([True, False]), np.array([False, True]))
    given = conditioned(posterior, [apart], leave_out=True)
    assert given.probability == pytest.approx((1.0,))
