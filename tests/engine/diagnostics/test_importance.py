"""Importance weights and Metropolis-Hastings against enumeration; the tail fit against known shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.special import logsumexp

from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.engine.diagnostics.geweke import distance_by_chance
from ncpgui.engine.diagnostics.importance import (
    generalised_pareto,
    importance_summary,
    importance_weights,
    independent_metropolis_hastings,
    pareto_k,
    weights_of,
)
from ncpgui.engine.diagnostics.posteriors import ExactPosterior, PointwisePosterior, every_partition, one
from ncpgui.engine.generative.finite_spikes import FiniteSpikes
from ncpgui.engine.generative.partition_priors import MFM
from ncpgui.engine.networks.registry import NetworkSettings, build_network


def log_evidence(model, points) -> float:
    every = torch.tensor(every_partition(points[0].shape[1]))
    return float(model.log_joint(points[0][0], every).logsumexp(0))


@pytest.mark.parametrize("n_points", [6, 8])
def test_weights_of_the_right_posterior_are_all_the_evidence(right, model, generator, n_points):
    points = model.sample(1, n_points, generator).points
    weights = importance_weights(right.sample(points, 200, seed=0), points, model)
    np.testing.assert_allclose(weights.log_weight, log_evidence(model, points))
    assert weights.ess_share == pytest.approx(1)
    assert weights.log_evidence_se == pytest.approx(0, abs=1e-6)
    assert math.isnan(weights.pareto_k)  # nothing stands out


@pytest.mark.parametrize("n_points", [6, 7, 8])
def test_the_evidence_is_estimated_within_its_error_from_too_unsure_draws(
    too_unsure, model, generator, n_points
):
    points = model.sample(1, n_points, generator).points
    weights = importance_weights(too_unsure.sample(points, 4000, seed=1), points, model)
    assert weights.log_evidence == pytest.approx(log_evidence(model, points), abs=5 * weights.log_evidence_se)
    assert 0 < weights.log_evidence_se < 0.1
    assert 0.02 < weights.ess_share < 0.9


@pytest.mark.parametrize("temperature", [0.8, 1.0, 2.5])
def test_the_share_of_draws_that_count_is_the_closed_form(model, generator, temperature):
    """ESS / S tends to 1 / sum_c p(c)^2 / q(c)."""
    points = model.sample(1, 6, generator).points
    law = ExactPosterior(model, temperature)
    log_p, log_q = ExactPosterior(model).log_prob_of_all(points), law.log_prob_of_all(points)
    weights = importance_weights(law.sample(points, 20_000, seed=0), points, model)
    assert weights.ess_share == pytest.approx(math.exp(-logsumexp(2 * log_p - log_q)), rel=0.15)


@pytest.mark.parametrize("n_points", [6, 7, 8])
def test_metropolis_hastings_reaches_the_exact_posterior_from_a_wrong_one(
    too_unsure, right, model, generator, n_points
):
    points = model.sample(1, n_points, generator).points
    samples = too_unsure.sample(points, 30_000, seed=2)
    log_weight = importance_weights(samples, points, model).log_weight
    chain = independent_metropolis_hastings(log_weight, seed=0)
    every = every_partition(n_points)
    place = {tuple(row): i for i, row in enumerate(every.tolist())}
    index = np.array([place[tuple(row)] for row in samples.labels.tolist()])
    p = np.exp(right.log_prob_of_all(points))
    moved = float((np.diff(chain) != 0).mean())
    by_chance = distance_by_chance(p, int(30_000 * moved / 2))  # correlated draws are worth fewer
    found = np.bincount(index[chain], minlength=len(every)) / len(chain)
    proposed = np.bincount(index, minlength=len(every)) / len(chain)
    assert np.abs(found - p).sum() / 2 < 2 * by_chance
    assert np.abs(proposed - p).sum() / 2 > 5 * by_chance


def test_equal_weights_are_always_accepted_and_a_tiny_one_never():
    chain = independent_metropolis_hastings(np.array([0.0, 0.0, -1000.0, 0.0]), seed=0)
    assert chain.tolist() == [0, 1, 1, 3]


@pytest.mark.parametrize("shape", [-0.4, 0.1, 0.5, 0.9])
def test_the_shape_and_scale_of_a_generalised_pareto_law_are_found(shape):
    rng = np.random.default_rng(0)
    fits = [
        generalised_pareto(stats.genpareto.rvs(shape, scale=2.0, size=1000, random_state=rng))
        for _ in range(20)
    ]
    k, sigma = np.mean(fits, axis=0)
    assert k == pytest.approx(shape, abs=0.03)
    assert sigma == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize(("shape", "trusted"), [(0.3, True), (1.2, False)])
def test_heavy_tails_of_weights_are_told_from_light_ones(shape, trusted):
    rng = np.random.default_rng(1)
    k = [pareto_k(np.log(1 + stats.genpareto.rvs(shape, size=4000, random_state=rng))) for _ in range(10)]
    assert (np.mean(k) < 0.7) == trusted
    assert np.mean(k) == pytest.approx(shape, abs=0.15)


@pytest.mark.parametrize("log_weight", [np.zeros(1000), np.arange(10.0), np.r_[np.zeros(999), 5.0]])
def test_no_shape_is_claimed_where_too_few_weights_stand_out(log_weight):
    assert math.isnan(pareto_k(log_weight))


def test_a_single_draw_has_an_estimate_but_no_error():
    weights = weights_of(np.array([-3.0]))
    assert weights.log_evidence == -3.0
    assert weights.ess_share == 1.0
    assert math.isnan(weights.log_evidence_se)


def test_draws_that_do_not_know_their_probability_are_asked_for_it(too_unsure, model):
    class Silent:
        """Draws without log-probabilities, as clusterwise networks give them."""

        def sample(self, points, n_samples, seed):
            known = too_unsure.sample(points, n_samples, seed)
            return PosteriorSamples(known.labels, np.full(n_samples, np.nan))

        def log_prob(self, points, labels, order=None):
            return too_unsure.log_prob(points, labels, order)

    options = {"n_datasets": 4, "n_points": 6, "n_samples": 100, "seed": 0}
    known, asked = (importance_summary(law, model, **options) for law in (too_unsure, Silent()))
    np.testing.assert_allclose(asked.ess_share, known.ess_share)
    np.testing.assert_allclose(asked.acceptance, known.acceptance)


def test_swept_draws_are_not_weighed(model, right):
    torch.manual_seed(0)
    settings = NetworkSettings(encoder="points", encoder_options={"h_dim": 8}, network_options={"h_dim": 8})
    posterior = PointwisePosterior(build_network(settings).eval(), n_sweeps=1)
    with pytest.raises(InputError, match="swept draws are of no law whose probability is known"):
        importance_summary(posterior, model, n_datasets=1, n_points=5, n_samples=10, seed=0)
    points = one(model.sample(1, 5, torch.Generator().manual_seed(0)).points, 0)
    with pytest.raises(InputError, match=r"cannot be weighed.*'ancestral_samples'.*not swept"):
        importance_weights(posterior.sample(points, 10, 0), points, model)
    with pytest.raises(InputError, match="no law"):
        posterior.log_prob_of_all(points)


def test_the_summary_orders_right_and_wrong_posteriors(right, too_sure, too_unsure, model):
    options = {"n_datasets": 15, "n_points": 6, "n_samples": 500, "seed": 0}
    best, sure, unsure = (importance_summary(law, model, **options) for law in (right, too_sure, too_unsure))
    np.testing.assert_allclose(best.ess_share, 1)
    np.testing.assert_allclose(best.acceptance, 1)
    assert math.isnan(best.share_not_trusted)
    assert sure.ess_share.mean() < 0.8
    assert unsure.ess_share.mean() < 0.8
    assert unsure.acceptance.mean() < 0.9
    assert sure.share_not_trusted > unsure.share_not_trusted  # it misses what is there


def test_weights_of_exact_draws_of_spikes_are_all_the_evidence(faint_spikes, generator):
    points = faint_spikes.sample(1, 6, generator).points
    samples = ExactPosterior(faint_spikes).sample(points, 300, seed=0)
    found = importance_weights(samples, points, faint_spikes)
    every = torch.from_numpy(every_partition(6).copy())
    np.testing.assert_allclose(
        found.log_weight, float(faint_spikes.log_joint(points[0][0], every).logsumexp(0))
    )
    assert found.ess_share == pytest.approx(1)
    assert math.isnan(found.pareto_k)  # nothing stands out
    assert len(np.unique(samples.labels, axis=0)) > 5


def test_draws_of_a_wrong_posterior_count_for_as_much_as_theory_says(faint_spikes, generator):
    """ESS / S tends to 1 / sum_c p(c)^2 / q(c)."""
    points = faint_spikes.sample(1, 6, generator).points
    flat = ExactPosterior(faint_spikes, temperature=3.0)
    log_p, log_q = ExactPosterior(faint_spikes).log_prob_of_all(points), flat.log_prob_of_all(points)
    found = importance_weights(flat.sample(points, 5000, seed=0), points, faint_spikes)
    assert found.ess_share == pytest.approx(1 / np.exp(2 * log_p - log_q).sum(), rel=0.15)


def test_draws_that_the_model_rules_out_weigh_nothing(faint_spikes, generator):
    few = FiniteSpikes(MFM(k_max=2), faint_spikes.templates)
    points = faint_spikes.sample(1, 3, generator).points
    found = importance_weights(PosteriorSamples(np.array([[0, 0, 0], [0, 1, 2]]), np.zeros(2)), points, few)
    assert found.log_weight[1] == -math.inf
    assert found.ess_share == pytest.approx(1 / 2)
    with pytest.raises(InputError, match="every draw has more clusters than the model can have"):
        importance_weights(PosteriorSamples(np.array([[0, 1, 2]]), np.zeros(1)), points, few)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (
            PosteriorSamples(np.zeros((2, 3), int), np.full(2, np.nan)),
            "without a log-probability cannot be weighed; take those of 'ancestral_samples'",
        ),
        (PosteriorSamples(np.zeros((2, 3), int), np.zeros(2), np.array([1.0, 2.0])), "weights already"),
        (PosteriorSamples(np.zeros((2, 4), int), np.zeros(2)), "of 4 points, but there are 3"),
    ],
)
def test_draws_that_cannot_be_weighed_are_refused(faint_spikes, samples, message):
    with pytest.raises(InputError, match=message):
        importance_weights(samples, (torch.zeros(1, 3, 32, 1),), faint_spikes)
