"""What an answer is expected to gain, by hand, and where no card settles a question."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.gain import expected_gain, label_gain

ONE = np.zeros(40, dtype=int)
TWO = np.repeat([0, 1], [30, 10])


def draws(*counted: tuple[np.ndarray, int]) -> PosteriorSamples:
    rows = np.concatenate([np.repeat(labels[None], n, axis=0) for labels, n in counted])
    return PosteriorSamples(rows, np.zeros(len(rows)))


def test_an_answer_gains_the_spikes_that_are_wrong_in_use_if_another_card_is_right() -> None:
    """One in four draws parts ten spikes: 2.5 are expected to be wrong, and none after the answer."""
    found = expected_gain(draws((ONE, 30), (TWO, 10)), ONE, [ONE, TWO])
    assert (found.gained, found.left) == pytest.approx((2.5, 0.0))
    assert found.n_spikes == 40


def test_an_answer_that_changes_nothing_gains_nothing() -> None:
    found = expected_gain(draws((ONE, 40)), ONE, [ONE, TWO])
    assert (found.gained, found.left) == (0.0, 0.0)


def test_spikes_count_as_many_as_they_stand_for() -> None:
    found = expected_gain(draws((ONE, 30), (TWO, 10)), ONE, [ONE, TWO], mass=np.where(TWO == 1, 3.0, 1.0))
    assert found.gained == pytest.approx(7.5)
    assert found.n_spikes == 60


def test_nobody_answers_what_no_card_says() -> None:
    found = expected_gain(draws((ONE, 30), (TWO, 10)), ONE, [ONE])
    assert (found.gained, found.left) == pytest.approx((0.0, 2.5))


def test_one_draw_alone_is_no_answer() -> None:
    """The sorting of a card agrees with its own draw whatever is true."""
    found = expected_gain(draws((ONE, 39), (TWO, 1)), ONE, [ONE, TWO])
    assert (found.gained, found.left) == pytest.approx((0.0, 10 / 40))


def test_what_is_wrong_within_a_card_is_left_and_counts_for_more_where_few_draws_made_it() -> None:
    """Two draws that part ten spikes differ in one: one wrong spike in two draws counts twice."""
    almost = np.where(np.arange(40) == 0, 1, TWO)
    found = expected_gain(draws((ONE, 2), (TWO, 1), (almost, 1)), ONE, [ONE, TWO])
    in_use, card = (0 + 0 + 10 + 11) / 4, (0 + 1) / 4 * 2
    assert found.gained == pytest.approx(in_use - card)
    assert found.left == pytest.approx(card)


def scattered(n_draws: int = 50) -> PosteriorSamples:
    """Background: each draw has another sorting of 200 spikes."""
    rng = np.random.default_rng(1)
    return PosteriorSamples(rng.integers(0, 3, (n_draws, 200)), np.zeros(n_draws))


def test_no_card_settles_spikes_that_each_draw_sorts_otherwise() -> None:
    posterior = scattered()
    found = expected_gain(posterior, posterior.labels[0], list(posterior.labels[:9]))
    assert found.gained == 0
    assert found.is_settled_by_no_card
    assert found.left > 0.4 * 200


def test_a_card_settles_what_two_sortings_are_about_and_single_spikes_are_no_question() -> None:
    assert not expected_gain(draws((ONE, 20), (TWO, 20)), ONE, [ONE, TWO]).is_settled_by_no_card
    few = PosteriorSamples(np.random.default_rng(0).integers(0, 2, (30, 8)), np.zeros(30))
    assert not expected_gain(few, few.labels[0], [few.labels[0]]).is_settled_by_no_card


def test_a_label_puts_right_the_spikes_of_the_less_probable_answer() -> None:
    assert label_gain([0.9, 0.25, 1.0], [100, 40, 7]).tolist() == pytest.approx([10.0, 10.0, 0.0])


@pytest.mark.parametrize("seed", range(6))
def test_an_answer_never_makes_it_worse_and_never_gains_more_than_is_wrong(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.where(rng.random((30, 40)) < 0.2, rng.integers(0, 3, (30, 40)), TWO)
    rows[rng.random(30) < 0.5] = ONE
    posterior = PosteriorSamples(rows, np.zeros(30), rng.dirichlet(np.ones(30)))
    found = expected_gain(posterior, ONE, [ONE, TWO, posterior.labels[3]])
    now = expected_gain(posterior, ONE, []).left
    assert 0 <= found.gained <= now
    assert found.gained + found.left == pytest.approx(now)
