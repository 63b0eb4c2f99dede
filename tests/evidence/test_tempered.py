"""Evidence counts by the power at which enough draws are left."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.tempered import WIDE_PART, has_few_draws, power_of, widened

EQUAL = np.full(4, 0.25)


def test_evidence_that_leaves_many_draws_counts_in_full():
    assert power_of(EQUAL, np.array([1.0, 0.0, 0.0, 0.0])) == 1.0
    assert power_of(EQUAL, np.zeros(4)) == 1.0


@pytest.mark.parametrize("nats", [4.0, 60.0])
def test_one_favoured_draw_of_four_gets_no_more_than_two_effective_draws_allow(nats):
    """With x its likelihood, (x + 3)^2 / (x^2 + 3) = 2 has the solution x = 3 + sqrt(12)."""
    power = power_of(EQUAL, np.array([nats, 0.0, 0.0, 0.0]), part=0.5)
    assert power == pytest.approx(math.log(3 + math.sqrt(12)) / nats, abs=1e-9)


def test_the_power_does_not_depend_on_a_constant_of_the_likelihood():
    nats = np.array([-3.0, 9.0, 2.0, 5.0])
    assert power_of(EQUAL, nats) == pytest.approx(power_of(EQUAL, nats - 1e4), abs=1e-9)


def test_the_part_is_of_the_effective_draws_before():
    weight, nats = np.array([0.7, 0.1, 0.1, 0.1]), np.array([8.0, -8.0, 0.0, 0.0])
    weighed = PosteriorSamples(np.zeros((4, 1), int), np.zeros(4), weight).weighed(
        power_of(weight, nats, part=0.8) * nats
    )
    assert weighed.n_effective == pytest.approx(0.8 / (weight**2).sum(), abs=1e-6)


def test_another_part_of_the_draws_may_be_left():
    """With x the likelihood of one of four, (x + 3)^2 / (x^2 + 3) = 0.4 * 4 holds."""
    power = power_of(EQUAL, np.array([60.0, 0.0, 0.0, 0.0]), part=0.4)
    x = math.exp(60 * power)
    assert (x + 3) ** 2 / (x**2 + 3) == pytest.approx(1.6)
    assert power_of(EQUAL, np.array([60.0, 0.0, 0.0, 0.0]), part=0.1) == 1.0


def test_what_one_draw_of_a_hundred_says_alone_cannot_be_made_sure_by_evidence():
    nats = np.zeros(200)
    nats[:2] = 60.0
    weight = np.full(200, 1 / 200)
    weighed = weight * np.exp(power_of(weight, nats) * (nats - 60))
    assert weighed[:2].sum() / weighed.sum() < 0.17


def test_weights_that_rest_on_one_draw_are_mixed_with_those_before_until_enough_draws_count():
    """With a share s of them, 1 / n_effective = s^2 + (1 - s^2) / 200, so s^2 = (1 / 0.15 - 1) / 199."""
    before, after = np.full(200, 1 / 200), np.eye(200)[7]
    weight = widened(before, after)
    share = math.sqrt((1 / WIDE_PART - 1) / 199)
    assert weight == pytest.approx(share * after + (1 - share) * before, abs=1e-9)
    assert weight.sum() == pytest.approx(1.0)


def test_weights_that_rest_on_many_draws_stay_as_they_are():
    before, after = np.full(10, 0.1), np.array([0.5, 0.5, *np.zeros(8)])
    assert widened(before, after).tolist() == after.tolist()


@pytest.mark.parametrize(("n_left", "few"), [(1, True), (29, True), (31, False), (200, False)])
def test_a_posterior_whose_weights_were_widened_has_few_draws(n_left: int, few: bool):
    drawn = PosteriorSamples(np.zeros((200, 1), int), np.zeros(200))
    left = np.where(np.arange(200) < n_left, 1 / n_left, 0.0)
    weighed = drawn.changed(weight=widened(drawn.weight, left), drawn_weight=drawn.weight)
    assert weighed.n_effective >= 30 - 1e-6
    assert has_few_draws(weighed) == few
    with_stimulus = weighed.weighed(np.zeros(200), stimulus_nats=np.linspace(0, 60, 200))
    assert has_few_draws(with_stimulus) == few


def test_draws_that_nothing_weighed_and_beams_are_not_called_few():
    assert not has_few_draws(PosteriorSamples(np.zeros((3, 1), int), np.zeros(3), np.array([1.0, 0, 0])))
    beam = PosteriorSamples(
        np.zeros((200, 1), int), np.zeros(200), np.eye(200)[0], None, np.full(200, 1 / 200), "beam"
    )
    assert not has_few_draws(beam)
