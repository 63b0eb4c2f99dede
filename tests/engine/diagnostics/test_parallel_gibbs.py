"""The rival of the networks samples the exact posterior, and is credited with what its draws are worth."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import torch

from ncpgui.engine.diagnostics.exact_posterior import total_variation
from ncpgui.engine.diagnostics.parallel_gibbs import effective_sample_size, parallel_sweeps
from ncpgui.engine.diagnostics.posteriors import ExactPosterior, every_partition
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM, GaussianDPMMSettings


@pytest.mark.parametrize("settings", [GaussianDPMMSettings(), GaussianDPMMSettings(2.0, alpha_drawn=False)])
def test_chains_reach_the_exact_posterior(settings: GaussianDPMMSettings) -> None:
    """By chance the total variation of S = 4000 draws is 1/2 sum sqrt(2 p (1 - p) / pi S), about 0.02."""
    model = GaussianDPMM(settings)
    points = 2 * torch.randn(1, 4, 2, generator=torch.Generator().manual_seed(3))
    exact = np.exp(ExactPosterior(model).log_prob_of_all((points,)))
    chains = parallel_sweeps(points[0].numpy(), model, np.zeros((4000, 4), dtype=np.int64), seed=0)
    *_, labels = islice(chains, 20)
    found = [(labels == row).all(axis=1).mean() for row in every_partition(4)]
    assert sum(found) == pytest.approx(1.0)
    assert total_variation(exact, np.array(found)) < 0.04


def test_independent_draws_are_worth_what_they_are() -> None:
    traces = np.random.default_rng(0).normal(size=(10, 400))
    assert effective_sample_size(traces) == pytest.approx(4000, rel=0.1)


def test_draws_of_a_slow_chain_are_worth_less() -> None:
    """An autoregressive chain of coefficient a is worth (1 - a) / (1 + a) of its length."""
    noise = np.random.default_rng(0).normal(size=(20, 2000))
    traces = np.zeros_like(noise)
    for t in range(1, 2000):
        traces[:, t] = 0.9 * traces[:, t - 1] + noise[:, t]
    assert effective_sample_size(traces) == pytest.approx(40_000 * 0.1 / 1.9, rel=0.25)


def test_chains_that_stay_where_they_began_are_worth_one_draw_each_at_most() -> None:
    traces = np.repeat(np.arange(10.0), 100).reshape(10, 100)
    assert effective_sample_size(traces) < 10.5


def test_the_worth_of_draws_by_hand() -> None:
    """Two chains of four draws, whose means are equal.

    Traces 1, 1, -1, -1 and 1, -1, 1, -1: sums of products at lags 1, 2, 3 are 1, -2, -1 and -3, 2, -1, of 4.
    """
    traces = np.array([[1.0, 1, -1, -1], [1, -1, 1, -1]])
    covariance = np.array([1, (1 - 3) / 8, 0, -2 / 8])
    within = 4 / 3
    correlation = 1 - (within - covariance) / 1
    pairs = correlation.reshape(2, 2).sum(axis=1)
    assert pairs[1] < 0 < pairs[0]
    expected = min(8, 8 / max(2 * pairs[0] - 1, 1e-12))
    assert effective_sample_size(traces) == pytest.approx(expected)
    assert effective_sample_size(np.ones((3, 5))) == 15, "chains that agree all the time"
