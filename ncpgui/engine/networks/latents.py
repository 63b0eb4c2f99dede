"""The latent variables of CCP: z_k, and which point d_k is the first of its cluster (SM A).

q(d_k) is uniform over the cluster, or a softmax relaxed to the simplex: shares y_i that sum to one, drawn
with Gumbel noise and kept as t_i = log y_i (Maddison, Mnih & Teh, ICLR 2017).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ncpgui.engine.networks.chains import Free

_NONE = -1e9  # log-weight of what is not there


class Normal(NamedTuple):
    """Independent normal variables, by mean and sd: both (R, W, z_dim)."""

    mean: Tensor
    sd: Tensor

    def draw(self, normal: Tensor) -> Tensor:
        """Turn standard normal numbers (R, W, z_dim) into draws."""
        return self.mean + self.sd * normal

    def log_density(self, z: Tensor) -> Tensor:
        """Log density of draws: (R, W, z_dim) -> (R, W)."""
        score = ((z - self.mean) / self.sd).square()
        return -0.5 * (score + 2 * self.sd.log() + math.log(2 * math.pi)).sum(-1)

    def stopped(self) -> Normal:
        """Return it as constants."""
        return Normal(self.mean.detach(), self.sd.detach())


@dataclass(frozen=True)
class First:
    """The first points d_k of R rows in W draws.

    share : (P, W), 1 for the free point that is d_k, else 0; anything that sums to 1 in a relaxation
    index : (R, W) int64, d_k itself; None in a relaxation
    """

    share: Tensor
    index: Tensor | None

    @staticmethod
    def at(index: Tensor, free: Free, dtype: torch.dtype) -> First:
        """First points given by their index (R, W)."""
        return First((free.point[:, None] == index[free.row]).to(dtype), index)

    def of(self, table: Tensor, free: Free) -> Tensor:
        """Entries of the first points in a table of all points: (B, N, F) -> (R, W, F)."""
        if self.index is not None:
            return table[free.dataset[:, None], self.index]
        return free.sum(self.share[..., None] * free.of_points(table)[:, None])


def relaxed_log_shares(
    logits: Tensor, uniform: Tensor, free: Free, member: Tensor, temperature: float
) -> Tensor:
    """Log of a point of the simplex over each row's members, t of SM A: (P, W), very low outside.

    logits : (P, 1); uniform : (P, W) on [0, 1); member : (P,) bool
    """
    gumbel = -(-uniform.clamp(1e-30, 1 - 1e-7).log()).log()
    scaled = (logits + gumbel) / temperature
    scaled = scaled.masked_fill(~member[:, None], _NONE)
    return scaled - free.logsumexp(scaled)[free.row]


def log_density_ratio(
    log_share: Tensor, logits: Tensor, free: Free, member: Tensor, temperature: float
) -> Tensor:
    """Log density of t under equal logits, over that under `logits`: (R, W).

    t has the ExpConcrete density of Maddison et al. (ICLR 2017, appendix C.3.2), for n members

        log kappa(t) = log (n - 1)! + (n - 1) log tau + sum_i (phi_i - tau t_i)
                       - n logsumexp_i (phi_i - tau t_i).

    The relaxed uniform law of d_k is the same with phi = 0: most factors cancel.
    """
    n_members = free.sum(member[:, None].to(logits.dtype))

    def log_kappa(logits: Tensor) -> Tensor:
        terms = logits - temperature * log_share
        inside = terms.masked_fill(~member[:, None], 0.0)
        return free.sum(inside) - n_members * free.logsumexp(terms.masked_fill(~member[:, None], _NONE))

    return log_kappa(torch.zeros_like(logits)) - log_kappa(logits)
