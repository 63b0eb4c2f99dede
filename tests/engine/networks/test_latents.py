"""The relaxed first point of a cluster against numerical integration and the exact softmax."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from ncpgui.engine.networks.chains import Free
from ncpgui.engine.networks.latents import Normal, log_density_ratio, relaxed_log_shares


def test_log_densities_of_normal_draws_are_those_of_torch():
    generator = torch.Generator().manual_seed(0)
    mean, z = torch.randn(2, 4, 3, 5, generator=generator)
    sd = torch.rand(4, 3, 5, generator=generator) + 0.1
    expected = torch.distributions.Normal(mean, sd).log_prob(z).sum(-1)
    torch.testing.assert_close(Normal(mean, sd).log_density(z), expected)


def free_of(n_members, n_others=1):
    """One row with members first, then points that do not join."""
    n = n_members + n_others
    free = Free(torch.tensor([0]), torch.zeros(n, dtype=torch.int64), torch.arange(n))
    return free, torch.arange(n) < n_members


def test_the_density_of_a_relaxed_first_point_integrates_to_one_on_its_scale():
    """Two members: kappa in t becomes a density of the logit of y, which integrates to one numerically."""
    free, member = free_of(2)
    logits, temperature = torch.tensor([[0.4], [-0.9], [0.0]], dtype=torch.float64), 0.7
    logit = torch.linspace(-40, 40, 20_001, dtype=torch.float64)
    log_share = torch.stack(
        [nn.functional.logsigmoid(logit), nn.functional.logsigmoid(-logit), -1e9 + 0 * logit]
    )
    # Equal logits: kappa(t) = tau e^{-tau (t_1 + t_2)} / (e^{-tau t_1} + e^{-tau t_2})^2 up to dt/dlogit = 1.
    a, b = -temperature * log_share[0], -temperature * log_share[1]
    log_kappa_uniform = math.log(temperature) + a + b - 2 * torch.logaddexp(a, b)
    ratio = log_density_ratio(log_share, logits, free, member, temperature)[0]
    assert torch.trapezoid(log_kappa_uniform.exp(), logit).item() == pytest.approx(1.0, abs=1e-6)
    density = (log_kappa_uniform - ratio).exp()
    assert torch.trapezoid(density, logit).item() == pytest.approx(1.0, abs=1e-6)
    # P(y_1 > 1/2) is the softmax of the logits, whatever the temperature.
    half = torch.trapezoid(density[logit > 0], logit[logit > 0]).item()
    assert half == pytest.approx(1 / (1 + math.exp(-1.3)), abs=1e-3)


def test_relaxed_first_points_have_that_density_and_the_largest_is_d_with_the_softmax():
    free, member = free_of(3)
    logits = torch.tensor([[1.0], [0.0], [-0.5], [9.0]], dtype=torch.float64)
    uniform = torch.rand(4, 40_000, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    log_share = relaxed_log_shares(logits, uniform, free, member, 0.5)
    assert log_share.exp().sum(0) == pytest.approx(torch.ones(40_000))
    found = torch.bincount(log_share.argmax(0), minlength=4) / 40_000
    expected = torch.cat([logits[:3, 0].softmax(0), torch.zeros(1)])
    assert found.numpy() == pytest.approx(expected.numpy(), abs=0.01)
    # E over kappa of (uniform density / kappa) is one: the ratio is one of normalised densities.
    ratio = log_density_ratio(log_share, logits, free, member, 0.5)[0].exp()
    assert ratio.mean().item() == pytest.approx(1.0, abs=5 * ratio.std().item() / 200)
