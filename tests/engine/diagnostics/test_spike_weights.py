"""Weights of draws over spikes: constant for the right posterior, telling for a wrong one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.engine.diagnostics.posteriors import ExactPosterior, every_partition, posterior_of
from ncpgui.engine.diagnostics.spike_weights import check_against_finite_spikes, weights_of
from ncpgui.engine.generative.finite_spikes import FiniteSpikes
from ncpgui.engine.generative.partition_priors import MFM
from ncpgui.engine.networks.registry import NetworkSettings, build_network


def test_weights_of_exact_draws_are_all_the_evidence(faint_spikes, generator):
    points = faint_spikes.sample(1, 6, generator).points
    samples = ExactPosterior(faint_spikes).sample(points, 300, seed=0)
    found = weights_of(samples, points[0][0], faint_spikes)
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
    found = weights_of(flat.sample(points, 5000, seed=0), points[0][0].numpy(), faint_spikes)
    assert found.ess_share == pytest.approx(1 / np.exp(2 * log_p - log_q).sum(), rel=0.15)


def test_draws_that_the_model_rules_out_weigh_nothing(faint_spikes, generator):
    few = FiniteSpikes(MFM(k_max=2), faint_spikes.templates)
    waveforms = faint_spikes.sample(1, 3, generator).points[0][0]
    found = weights_of(PosteriorSamples(np.array([[0, 0, 0], [0, 1, 2]]), np.zeros(2)), waveforms, few)
    assert found.log_weight[1] == -math.inf
    assert found.ess_share == pytest.approx(1 / 2)
    with pytest.raises(InputError, match=r"every draw has more than the 2 clusters .* raise its k_max"):
        weights_of(PosteriorSamples(np.array([[0, 1, 2]]), np.zeros(1)), waveforms, few)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (
            PosteriorSamples(np.zeros((2, 3), int), np.full(2, np.nan)),
            "without a log-probability cannot be weighed; take those of 'ancestral_samples'",
        ),
        (PosteriorSamples(np.zeros((2, 3), int), np.zeros(2), np.array([1.0, 2.0])), "weights already"),
        (PosteriorSamples(np.zeros((2, 4), int), np.zeros(2)), "of 4 spikes, but there are 3 waveforms"),
    ],
)
def test_draws_that_cannot_be_weighed_are_refused(faint_spikes, samples, message):
    with pytest.raises(InputError, match=message):
        weights_of(samples, torch.zeros(3, 32, 1), faint_spikes)


@dataclass(frozen=True)
class PriorOnly:
    """A posterior that takes no notice of the spikes."""

    model: FiniteSpikes

    def log_prob(self, points, labels, order=None):
        return self.model.prior.log_prob(torch.from_numpy(np.array(labels, dtype=np.int64))).numpy()

    def sample(self, points, n_samples, seed):
        generator = torch.Generator().manual_seed(seed)
        n_points = points[0].shape[1]
        units = self.model.prior.sample_units(n_samples, n_points, generator).numpy()
        samples = PosteriorSamples(units, np.zeros(n_samples))
        return PosteriorSamples(samples.labels, self.log_prob(points, samples.labels))


def test_the_check_orders_right_and_wrong_posteriors(faint_spikes):
    options = {"n_points": (4, 5), "n_datasets": 6, "n_samples": 200, "n_orders": 2}
    for right, wrong in zip(
        check_against_finite_spikes(ExactPosterior(faint_spikes), faint_spikes, **options),
        check_against_finite_spikes(PriorOnly(faint_spikes), faint_spikes, **options),
        strict=True,
    ):
        np.testing.assert_allclose(right.importance.ess_share, 1)
        assert right.one_order.mean_kl == pytest.approx(0, abs=1e-9)
        assert right.over_orders.mean_total_variation == pytest.approx(0, abs=1e-9)
        assert wrong.importance.ess_share.mean() < 0.8
        assert wrong.one_order.mean_kl > 0.05
        np.testing.assert_allclose(wrong.one_order.q_mass, 1)


def test_a_network_is_checked_and_many_spikes_are_weighed_only(faint_spikes):
    torch.manual_seed(0)
    network = build_network(NetworkSettings()).eval()
    small, large = check_against_finite_spikes(
        posterior_of(network), faint_spikes, n_points=(3, 12), n_datasets=2, n_samples=20, n_orders=2
    )
    np.testing.assert_allclose(small.one_order.q_mass, 1, rtol=1e-5)
    assert small.over_orders.n_orders == 2
    assert large.one_order is None
    assert large.over_orders is None
    assert ((large.importance.ess_share > 0) & (large.importance.ess_share <= 1)).all()
