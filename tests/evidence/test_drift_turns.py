"""Parts that take turns over the places of the tissue, and parts that do not."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pytest

from ncpgui.evidence.drift_turns import turns_nats, two_neurons_nats


def test_the_evidence_is_that_of_a_share_for_each_place_against_one_for_all() -> None:
    """Labels A and B of a sequence with every share equally probable: 1 / ((n + 1) choose(n, a))."""

    def evidence(a: int, b: int) -> float:
        return -log((a + b + 1) * comb(a + b, a))

    expected = evidence(5, 1) + evidence(2, 7) - evidence(7, 8)
    assert turns_nats(np.array([5, 2]), np.array([1, 7])) == pytest.approx(expected)


def test_one_place_says_nothing() -> None:
    assert turns_nats(np.array([70]), np.array([30])) == pytest.approx(0.0)


def test_spikes_at_other_places_speak_for_turns_and_spikes_at_all_places_against() -> None:
    assert turns_nats(np.array([100, 0]), np.array([0, 60])) > 50
    assert turns_nats(np.array([100, 50]), np.array([60, 30])) < -1


def test_one_place_says_nothing_of_two_neurons() -> None:
    assert two_neurons_nats(np.array([70]), np.array([30])) == pytest.approx(0.0)


def test_turns_speak_against_two_neurons_as_far_as_neurons_do_not_change_themselves() -> None:
    """One pair of neurons in ten changes its shares, one cut in two: five to one at most."""
    assert two_neurons_nats(np.array([4000, 0]), np.array([0, 4000])) == pytest.approx(log(0.1 / 0.5))


def test_even_shares_speak_for_two_neurons() -> None:
    assert two_neurons_nats(np.array([4000] * 9), np.array([4000] * 9)) == pytest.approx(log(0.9 / 0.5))
