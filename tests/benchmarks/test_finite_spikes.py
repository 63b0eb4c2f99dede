"""Draws for spikes of known templates: a right posterior is told from a wrong one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from faint_spikes import drawn_faint_spikes

from benchmarks.posterior.finite_spikes import N_ORDERS, Check
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.engine.diagnostics.posteriors import ExactPosterior, posterior_of
from ncpgui.engine.generative.finite_spikes import FiniteSpikes
from ncpgui.engine.networks.registry import NetworkSettings, build_network


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


@pytest.fixture(scope="module")
def faint_spikes() -> FiniteSpikes:
    return drawn_faint_spikes()


def test_the_check_orders_right_and_wrong_posteriors(faint_spikes):
    for n_points in (4, 5):
        right, wrong = (
            Check.of(law(faint_spikes), faint_spikes, n_points, n_datasets=6, n_samples=200)
            for law in (ExactPosterior, PriorOnly)
        )
        np.testing.assert_allclose(right.importance.ess_share, 1)
        assert right.distances[0].mean_kl == pytest.approx(0, abs=1e-9)
        assert right.distances[1].mean_total_variation == pytest.approx(0, abs=1e-9)
        assert wrong.importance.ess_share.mean() < 0.8
        assert wrong.distances[0].mean_kl > 0.05
        np.testing.assert_allclose(wrong.distances[0].q_mass, 1)


def test_a_network_is_checked_and_many_spikes_are_weighed_only(faint_spikes):
    torch.manual_seed(0)
    network = build_network(NetworkSettings()).eval()
    small, large = (
        Check.of(posterior_of(network), faint_spikes, n_points, n_datasets=2, n_samples=20)
        for n_points in (3, 12)
    )
    np.testing.assert_allclose(small.distances[0].q_mass, 1, rtol=1e-5)
    assert small.distances[1].n_orders == N_ORDERS
    assert large.distances == (None, None)
    assert ((large.importance.ess_share > 0) & (large.importance.ess_share <= 1)).all()
