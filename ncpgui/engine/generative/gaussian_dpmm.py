"""2D Gaussian Dirichlet process mixture (Pakman et al., ICML 2020, sec. 5), with its exact likelihood.

    alpha ~ Exp(1) or fixed;  c_1:N ~ CRP(alpha);  mu_k ~ N(0, sigma_mu^2 1);  x_i ~ N(mu_{c_i}, sigma^2 1)

The model is conjugate: the means are integrated out in closed form (Murphy 2007, "Conjugate Bayesian
analysis of the Gaussian distribution", sec. 2), so that every clustering can be scored exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ncpgui.core.config import check_numbers
from ncpgui.engine.generative.batch import Batch, largest, shortened
from ncpgui.engine.generative.partition_priors import CRP


@dataclass(frozen=True)
class GaussianDPMMSettings:
    """Numbers of the model.

    alpha : concentration, or its mean when alpha_drawn
    alpha_drawn : alpha ~ Exp(mean alpha) for each dataset, as in the paper; else fixed
    sigma_mu, sigma : sd of the cluster means around 0, and of the points around their mean
    shared_labels : all datasets of a batch share one label vector, as in the paper
    """

    alpha: float = 1.0
    alpha_drawn: bool = True
    sigma_mu: float = 10.0
    sigma: float = 1.0
    shared_labels: bool = False

    def __post_init__(self) -> None:
        check_numbers(self, positive=("alpha", "sigma_mu", "sigma"))


class GaussianDPMM:
    """Draws datasets of points in the plane, and scores their clusterings exactly; see the module."""

    def __init__(self, settings: GaussianDPMMSettings | None = None) -> None:
        self.settings = settings or GaussianDPMMSettings()
        self.prior = CRP(self.settings.alpha, self.settings.alpha_drawn)

    @torch.no_grad()
    def sample(self, n_datasets: int, n_points: int | tuple[int, int], generator: torch.Generator) -> Batch:
        """See `GenerativeModel`: points ((B, N, 2) float32,)."""
        s, device = self.settings, generator.device
        labels = self.prior.sample(1 if s.shared_labels else n_datasets, largest(n_points), generator)
        labels = labels.expand(n_datasets, -1)
        means = s.sigma_mu * torch.randn(n_datasets, labels.shape[1], 2, generator=generator, device=device)
        noise = s.sigma * torch.randn(means.shape, generator=generator, device=device)
        x = means.gather(1, labels[..., None].expand_as(means)) + noise
        return Batch((x,), shortened(labels, n_points, generator))

    def describe(self) -> dict[str, Any]:
        """See `GenerativeModel`."""
        return {"input": {"kind": "points", "n_dims": 2}}

    def log_evidence(self, n: Tensor, total: Tensor, square: Tensor) -> Tensor:
        """log m(X) of clusters with their means integrated out.

        Parameters
        ----------
        n, total, square : (...,), (..., D), (...,) float64: points of each cluster, their sum, and the
            sum of their squared norms; an empty cluster has evidence 1
        """
        s = self.settings
        v, v_mu, d = s.sigma**2, s.sigma_mu**2, total.shape[-1]
        spread = square / v - v_mu * total.square().sum(-1) / (v * (v + n * v_mu))
        return -0.5 * (n * d * math.log(2 * math.pi * v) + d * torch.log1p(n * v_mu / v) + spread)

    def log_likelihood(self, x: Tensor, labels: Tensor) -> Tensor:
        """log p(x | c) of points x (N, D) for label vectors (S, N): (S,) float64."""
        x = x.double()
        one_hot = torch.nn.functional.one_hot(labels, int(labels.max()) + 1).double()
        n, total = one_hot.sum(1), one_hot.transpose(1, 2) @ x
        return self.log_evidence(n, total, one_hot.transpose(1, 2) @ x.square().sum(-1)).sum(-1)

    def log_joint(self, x: Tensor, labels: Tensor) -> Tensor:
        """log p(c, x) of points x (N, D) for label vectors (S, N), canonical: (S,) float64."""
        return self.prior.log_prob(labels) + self.log_likelihood(x, labels)

    def last_point(self, x: Tensor, labels: Tensor) -> Tensor:
        """p(c_N = k | c_1:N-1, x) of points x (N, D) given the labels (N - 1,) of all but the last.

        Returns
        -------
        (K + 1,) float64, the last entry for a cluster of its own
        """
        n_clusters = int(labels.max()) + 1 if len(labels) else 0
        rows = torch.cat(
            [labels.expand(n_clusters + 1, -1), torch.arange(n_clusters + 1)[:, None].to(labels)], dim=1
        )
        return self.log_joint(x, rows).softmax(0)
