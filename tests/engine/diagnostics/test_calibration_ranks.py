"""Ranks of the truth: uniform for the right posterior, at the ends or in the middle for the others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ncpgui.engine.diagnostics.calibration_ranks import Ranks, calibration_ranks, rank_of_first
from ncpgui.engine.generative.batch import Batch

SIZE = {"n_datasets": 600, "n_points": 6, "n_samples": 39, "seed": 1}
ALL = ["number of clusters", "largest cluster", "first two together", "log p(c, x)"]


@pytest.fixture(scope="module")
def of_the_right_one(right, model):
    return calibration_ranks(right, model, **SIZE)


@pytest.mark.parametrize("name", ALL)
def test_the_right_posterior_has_uniform_ranks(of_the_right_one, name):
    ranks = of_the_right_one[name]
    assert ranks.p_value > 0.01
    assert stats.kstest(ranks.u, "uniform").pvalue > 0.01
    assert ranks.mean == pytest.approx(0.5, abs=5 * np.sqrt(1 / 12 / 600))
    assert ranks.spread == pytest.approx(1, abs=0.15)
    assert np.abs(ranks.ecdf_difference(np.linspace(0, 1, 201))).max() < ranks.band(0.99)


def test_too_sure_a_posterior_is_found_out_with_its_sign(too_sure, model):
    ranks = calibration_ranks(too_sure, model, **SIZE)
    assert set(ranks) == set(ALL)
    log_joint = ranks["log p(c, x)"]
    assert log_joint.p_value < 1e-6
    assert log_joint.mean < 0.4  # its draws are more probable than the truth
    assert ranks["number of clusters"].spread > 1.1
    assert np.abs(log_joint.ecdf_difference(np.linspace(0, 1, 201))).max() > log_joint.band(0.99)


def test_too_unsure_a_posterior_is_found_out_with_its_sign(too_unsure, model):
    ranks = calibration_ranks(too_unsure, model, **SIZE)
    log_joint = ranks["log p(c, x)"]
    assert log_joint.p_value < 1e-6
    assert log_joint.mean > 0.6
    assert ranks["number of clusters"].p_value < 1e-3
    assert ranks["number of clusters"].mean < 0.5  # its draws have more clusters than the truth


def test_a_sampler_that_takes_no_notice_of_the_points_passes_geweke_but_not_this(model):
    """Its labels follow the prior; only the likelihood tells."""
    from ncpgui.core.posterior import PosteriorSamples

    class Prior:
        def sample(self, points, n_samples, seed):
            import torch

            generator = torch.Generator().manual_seed(seed)
            labels = model.prior.sample(n_samples, points[0].shape[1], generator).numpy()
            return PosteriorSamples(labels, np.zeros(n_samples))

    ranks = calibration_ranks(Prior(), model, **SIZE)
    assert ranks["number of clusters"].p_value > 0.01
    assert ranks["log p(c, x)"].p_value < 1e-6


def test_ties_are_broken_at_random_and_ranks_are_exact():
    ties = np.random.default_rng(0)
    u = [rank_of_first(np.zeros(10), ties) for _ in range(2000)]
    assert stats.kstest(u, "uniform").pvalue > 0.01
    low = [rank_of_first(np.array([5.0, 1, 2, 9]), ties) for _ in range(200)]
    assert 0.5 <= min(low) < max(low) <= 0.75  # two of three below: third quarter


def test_ends_and_middle_have_the_sign_they_should():
    rng = np.random.default_rng(0)
    assert Ranks(rng.beta(0.5, 0.5, 2000)).spread > 1.3
    assert Ranks(rng.beta(3, 3, 2000)).spread < 0.7
    assert Ranks(rng.random(2000)).spread == pytest.approx(1, abs=0.1)


def test_the_band_holds_uniform_numbers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    place = np.linspace(0, 1, 2001)
    half_width = Ranks(rng.random(50)).band(0.8)
    inside = [np.abs(Ranks(rng.random(50)).ecdf_difference(place)).max() < half_width for _ in range(500)]
    assert np.mean(inside) == pytest.approx(0.8, abs=0.07)


def test_a_model_without_a_known_likelihood_has_the_other_statistics(right, model):
    class Unknown:
        def sample(self, n_datasets, n_points, generator) -> Batch:
            return model.sample(n_datasets, n_points, generator)

    ranks = calibration_ranks(right, Unknown(), n_datasets=4, n_points=4, n_samples=3, seed=0)
    assert list(ranks) == ALL[:3]
    assert all(len(r.u) == 4 for r in ranks.values())
