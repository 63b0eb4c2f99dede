"""Promised probabilities against what happened: known answers, and the sign of being too sure."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ncpgui.engine.diagnostics.calibration import (
    against_truth,
    calibration,
    calibration_slope,
    co_assignment,
    coverage_of_k,
    expected_calibration_error,
    reliability,
    with_errors,
)

SIZE = {"n_datasets": 400, "n_points": 6, "n_samples": 200, "seed": 2}


def test_the_right_posterior_keeps_its_promises(right, model):
    found = calibration(right, model, **SIZE)
    assert found.all_pairs.ece < 0.03
    assert found.hard_pairs is not None
    assert found.hard_pairs.ece < 0.05
    assert found.hard_pairs.slope == pytest.approx(1, abs=0.15)
    assert found.hard_pairs.bias == pytest.approx(0, abs=0.03)
    assert found.k.coverage == pytest.approx(found.k.mean_mass, abs=0.04)
    assert found.k.exact_coverage == pytest.approx(0.9, abs=0.04)
    assert found.k.mean_k_error == pytest.approx(0, abs=0.12)


def test_too_sure_a_posterior_has_a_large_error_and_a_slope_below_one(right, too_sure, model):
    found, best = calibration(too_sure, model, **SIZE), calibration(right, model, **SIZE)
    assert found.hard_pairs is not None
    assert found.hard_pairs.ece > 0.1
    assert found.hard_pairs.slope < 0.6
    assert found.hard_pairs.bias > 0.05  # sure of the one large cluster
    assert found.all_pairs.log_score > best.all_pairs.log_score
    assert found.all_pairs.brier > best.all_pairs.brier
    assert found.k.coverage < found.k.mean_mass - 0.1


def test_too_unsure_a_posterior_has_a_large_error_and_a_slope_above_one(right, too_unsure, model):
    found, best = calibration(too_unsure, model, **SIZE), calibration(right, model, **SIZE)
    assert found.hard_pairs is not None
    assert found.hard_pairs.ece > 0.1
    assert found.hard_pairs.slope > 1.4
    assert found.hard_pairs.bias < -0.1  # there are more partitions of many clusters than of few
    assert found.all_pairs.log_score > best.all_pairs.log_score
    assert found.all_pairs.brier > best.all_pairs.brier


def test_scores_of_four_events_are_those_worked_out_by_hand():
    p, happened = np.array([0.2, 0.2, 0.8, 0.8]), np.array([False, False, True, False])
    found = reliability(p, happened, n_bins=2)
    np.testing.assert_allclose(found.predicted, [0.2, 0.8])
    np.testing.assert_allclose(found.observed, [0.0, 0.5])
    assert found.count.tolist() == [2, 2]
    assert found.ece == pytest.approx((0.2 + 0.3) / 2)
    assert expected_calibration_error(p, happened, n_bins=2) == found.ece
    assert found.bias == pytest.approx(0.5 - 0.25)
    assert found.brier == pytest.approx((0.04 * 3 + 0.64) / 4)
    assert found.log_score == pytest.approx(-(3 * math.log(0.8) + math.log(0.2)) / 4)


@pytest.mark.parametrize("slope", [0.5, 1.0, 2.0])
def test_the_slope_is_the_factor_by_which_logits_were_wrong(slope):
    rng = np.random.default_rng(0)
    logit = rng.normal(size=50_000)
    happened = rng.random(50_000) < 1 / (1 + np.exp(-(0.3 + slope * logit)))
    assert calibration_slope(1 / (1 + np.exp(-logit)), happened) == pytest.approx(slope, abs=0.05)


def test_the_slope_of_a_perfect_fit_is_finite():
    slope = calibration_slope(np.array([0.1, 0.9] * 50), np.array([False, True] * 50))
    assert 1 < slope < 10


def test_bins_hold_equal_numbers_of_events():
    found = reliability(np.linspace(0, 1, 1003) ** 4, np.zeros(1003, dtype=bool))
    assert found.count.max() - found.count.min() <= 1
    assert found.count.sum() == 1003


def test_a_sure_prediction_that_fails_costs_no_more_than_the_floor_says():
    assert reliability(np.array([1.0]), np.array([False]), floor=0.01).log_score == pytest.approx(
        -math.log(0.01)
    )


def test_co_assignment_of_two_samples():
    assert co_assignment(np.array([[0, 0, 1], [0, 1, 1]])).tolist() == [0.5, 0.0, 0.5]


def test_credible_sets_of_k_are_the_fewest_most_probable_numbers():
    draws = np.array([[2] * 6 + [3] * 3 + [4]] * 3)  # 60 %, 30 %, 10 %: {2, 3} holds 90 %
    found = coverage_of_k(draws, np.array([2, 3, 4]))
    assert found.coverage == pytest.approx(2 / 3)
    assert found.mean_mass == pytest.approx(0.9)
    assert found.exact_coverage == pytest.approx(2 / 3)
    assert found.mean_k_error == pytest.approx(2.5 - 3)


def test_a_set_of_k_that_holds_too_much_counts_its_last_number_in_part():
    draws = np.array([[2] * 6 + [3] * 4] * 3)  # {2, 3} holds all; three quarters of 3 make it 90 %
    found = coverage_of_k(draws, np.array([2, 3, 4]))
    assert found.coverage == pytest.approx(2 / 3)
    assert found.exact_coverage == pytest.approx((1 + 0.75 + 0) / 3)


def test_datasets_without_any_doubt_have_no_hard_pairs():
    truth = np.array([[0, 0, 1], [0, 1, 2]])
    found = against_truth(np.repeat(truth[:, None], 4, axis=1), truth)
    assert found.hard_pairs is None
    assert found.all_pairs.ece == 0
    assert found.k.coverage == 1


def test_the_error_of_a_bias_is_that_of_a_mean_over_datasets() -> None:
    p = np.array([0.1, 0.5, 0.9, 0.6, 0.3, 0.7])
    happened = np.array([False, True, True, False, False, True])
    found = with_errors(p, happened, np.arange(6), floor=1e-3)
    assert found.bias_se == pytest.approx((p - happened).std(ddof=1) / np.sqrt(6))
    assert found.ece_se is not None
    assert found.slope_se is not None


def test_events_of_one_dataset_are_one_observation() -> None:
    p, happened = np.array([0.1, 0.5, 0.9]), np.array([False, True, True])
    once = with_errors(p, happened, np.arange(3), floor=1e-3)
    often = with_errors(np.tile(p, 50), np.tile(happened, 50), np.tile(np.arange(3), 50), floor=1e-3)
    assert often.bias_se == pytest.approx(once.bias_se)


def test_one_dataset_tells_no_error() -> None:
    found = with_errors(np.array([0.1, 0.9]), np.array([False, True]), np.zeros(2, int), floor=1e-3)
    assert (found.ece_se, found.slope_se, found.bias_se) == (None, None, None)
