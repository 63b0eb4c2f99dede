"""Evidence counts by the power at which enough draws are left."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.tempered import power_of

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
