"""Masses of sortings when draws get other weights: Bayes' rule, checked by enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.partition import all_partitions
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.ways import OTHER, masses_given, way_of_draw

TWO, ONE = [0] * 6 + [1] * 4, [0] * 10


def test_a_draw_is_the_sorting_that_it_equals_but_for_single_points() -> None:
    nearly = [0] * 6 + [1] * 3 + [0]
    third = [0] * 3 + [1] * 3 + [2] * 4
    posterior = PosteriorSamples(np.array([TWO, nearly, ONE, third]), np.zeros(4))
    assert way_of_draw(posterior, [np.array(ONE), np.array(TWO)]).tolist() == [1, 1, 0, OTHER]


def test_every_partition_is_itself() -> None:
    rows = np.array(list(all_partitions(5)))
    posterior = PosteriorSamples(rows, np.zeros(len(rows)))
    assert way_of_draw(posterior, list(rows)).tolist() == list(range(len(rows)))


def test_masses_follow_bayes_rule_and_what_is_left_over_too() -> None:
    # ways of 0.5 and 0.3, the rest 0.2; of their draws a half, all and none have what was decided
    way_of, before = np.array([0, 0, 1, OTHER]), np.array([0.25, 0.25, 0.3, 0.2])
    after = np.array([0.25, 0, 0.3, 0]) / 0.55
    assert masses_given(np.array([0.5, 0.3]), way_of, before, after) == pytest.approx(
        [0.25 / 0.55, 0.3 / 0.55]
    )


def test_masses_of_equal_weights_are_the_same() -> None:
    weight = np.full(4, 0.25)
    mass = np.array([0.51, 0.26])
    assert masses_given(mass, np.array([0, 0, 1, OTHER]), weight, weight) == pytest.approx(mass)
