"""Priors over partitions: Chinese restaurant process, and mixture of finite mixtures.

The mixture of finite mixtures (Miller & Harrison, JASA 2018) draws K, weights ~ Dirichlet(gamma),
then labels; the partition of n points into blocks of n_1 .. n_t has probability
``V_n(t) prod_k Gamma(n_k + gamma) / Gamma(gamma)``. Here K - 1 ~ Poisson, K truncated, as in the
spike model of Pakman et al. (ICML 2020).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class CRP:
    """Chinese restaurant process of concentration `alpha`, or with alpha ~ Exp(mean `alpha`).

    Parameters
    ----------
    alpha : concentration, or its mean
    drawn : alpha is drawn from an exponential law for each dataset, and integrated out in `log_prob`
    k_max : clusters at most (0 for no limit): a customer opens no table when all are taken
    """

    alpha: float = 1.0
    drawn: bool = False
    k_max: int = 0

    def log_weight(self, n_points: int) -> Tensor:
        """Log of J(K, N) for K = 0 .. N, the factor of a partition into K blocks: (N + 1,) float64.

        A partition has probability J(K, N) prod_k Gamma(n_k), J = alpha^K Gamma(alpha) / Gamma(alpha + N),
        or its mean over alpha. The next point joins block k with weight n_k J(K, N + 1) and opens one
        with J(K + 1, N + 1). J(0, N) is unused (-inf). Not for a truncated process.
        """
        k = torch.arange(n_points + 1, dtype=torch.float64)
        if self.drawn:  # trapezoids over t = log(alpha) about the mean: it vanishes fast at both ends
            t = math.log(self.alpha) + torch.linspace(-40.0, 6.0, 4001, dtype=torch.float64)
            law = t - t.exp() / self.alpha - math.log(self.alpha) + math.log(46.0 / 4000)
        else:
            t = torch.tensor([math.log(self.alpha)], dtype=torch.float64)
            law = torch.zeros(1, dtype=torch.float64)
        rising = torch.lgamma(t.exp()) - torch.lgamma(t.exp() + n_points)
        weight = (k[:, None] * t + rising + law).logsumexp(1)
        weight[0] = -math.inf
        return weight

    def log_prob(self, labels: Tensor) -> Tensor:
        """Log probability of each partition: (..., N) int64 canonical labels -> (...) float64."""
        if self.k_max:
            raise NotImplementedError("a truncated process has no closed form here")
        sizes = _block_sizes(labels)
        blocks = torch.where(sizes > 0, torch.lgamma(sizes), 0.0).sum(-1)
        weight = self.log_weight(labels.shape[-1]).to(labels.device)
        return blocks + weight[(sizes > 0).sum(-1)]

    def sample(self, n_datasets: int, n_points: int, generator: torch.Generator) -> Tensor:
        """Draw label vectors, canonical: (n_datasets, n_points) int64."""
        device = generator.device
        alpha = torch.full((n_datasets,), self.alpha, device=device)
        if self.drawn:
            alpha = alpha * -torch.rand(n_datasets, generator=generator, device=device).clamp(min=1e-30).log()
        alpha = alpha.clamp(min=1e-20)
        labels = torch.zeros(n_datasets, n_points, dtype=torch.int64, device=device)
        weight = torch.zeros(n_datasets, n_points + 1, device=device)
        row = torch.arange(n_datasets, device=device)
        used = torch.zeros(n_datasets, dtype=torch.int64, device=device)
        for i in range(n_points):
            weight[row, used] = alpha
            if self.k_max:
                weight[:, self.k_max :] = 0.0
            chosen = torch.multinomial(weight, 1, generator=generator)[:, 0]
            labels[:, i] = chosen
            is_new = chosen == used
            weight[row, used] = 0.0
            weight[row, chosen] += 1.0
            used = used + is_new.to(used.dtype)
        return labels


@dataclass(frozen=True)
class MFM:
    """Mixture of finite mixtures: K ~ 1 + Poisson(`rate`) truncated at `k_max`, Dirichlet(`gamma`)."""

    rate: float = 2.0
    gamma: float = 1.0
    k_max: int = 12

    def log_prob_k(self) -> Tensor:
        """Log probability of K = 1 .. `k_max`: (k_max,) float64."""
        k = torch.arange(self.k_max, dtype=torch.float64)
        unnormalised = k * math.log(self.rate) - torch.lgamma(k + 1)
        return unnormalised - unnormalised.logsumexp(0)

    def log_v(self, n_points: int) -> Tensor:
        """Log of V_n(t) for t = 0 .. `k_max` blocks: (k_max + 1,) float64, -inf where impossible."""
        k = torch.arange(1, self.k_max + 1, dtype=torch.float64)
        t = torch.arange(self.k_max + 1, dtype=torch.float64)[:, None]
        possible = k >= t
        falling = torch.lgamma(k + 1) - torch.lgamma((k - t).clamp_min(0) + 1)
        terms = falling + torch.lgamma(self.gamma * k) - torch.lgamma(self.gamma * k + n_points)
        return torch.where(possible, terms + self.log_prob_k(), -math.inf).logsumexp(-1)

    def log_prob(self, labels: Tensor) -> Tensor:
        """Log probability of each partition: (..., N) int64 canonical labels -> (...) float64."""
        sizes = _block_sizes(labels)
        blocks = torch.lgamma(sizes + self.gamma) - math.lgamma(self.gamma)
        blocks = torch.where(sizes > 0, blocks, 0.0).sum(-1)
        n_blocks = (sizes > 0).sum(-1)
        log_v = self.log_v(labels.shape[-1]).to(labels.device)
        impossible = n_blocks > self.k_max
        return torch.where(impossible, -math.inf, log_v[n_blocks.clamp_max(self.k_max)] + blocks)

    def sample_units(
        self,
        n_datasets: int,
        n_points: int,
        generator: torch.Generator,
        gamma: Tensor | None = None,
        flat: Tensor | None = None,
    ) -> Tensor:
        """Draw the unit of each point, 0 .. K - 1: (n_datasets, n_points) int64, not canonical.

        Parameters
        ----------
        gamma : (n_datasets,) float, Dirichlet parameter of each dataset; `self.gamma` when left out
        flat : (n_datasets,) bool, datasets whose K is 1 .. `k_max` with equal probability; none when left out
        """
        device = generator.device
        probability = self.log_prob_k().exp().to(device, torch.float32)
        n_units = 1 + torch.multinomial(probability, n_datasets, replacement=True, generator=generator)
        if flat is not None:
            any_number = torch.randint(1, self.k_max + 1, (n_datasets,), generator=generator, device=device)
            n_units = torch.where(flat, any_number, n_units)
        if gamma is None:
            gamma = torch.full((n_datasets,), self.gamma, device=device)
        shape = gamma[:, None].expand(n_datasets, self.k_max).contiguous()
        weights = torch._standard_gamma(shape, generator=generator) + 1e-12
        weights = weights * (torch.arange(self.k_max, device=device) < n_units[:, None])
        return torch.multinomial(weights, n_points, replacement=True, generator=generator)


def _block_sizes(labels: Tensor) -> Tensor:
    """Points of each block: (..., N) labels -> (..., N) float64, zero for unused labels."""
    sizes = torch.zeros(labels.shape, dtype=torch.float64, device=labels.device)
    return sizes.scatter_add(-1, labels, torch.ones_like(sizes))
