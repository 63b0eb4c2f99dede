"""Rules of choice: ancestral draws, beam search, and labels that are held fixed."""

from __future__ import annotations

import torch
from torch import Tensor

from ncpgui.engine.sampling.sequential import Choice


def ancestral(generator: torch.Generator) -> Choice:
    """Draw each row's cluster from its conditional: independent samples of q(c | x)."""

    def choose(n: int, log_prob: Tensor, conditionals: Tensor) -> tuple[Tensor, Tensor]:
        uniform = torch.rand(conditionals.shape[0], 1, generator=generator, device=conditionals.device)
        cumulative = conditionals.exp().cumsum(1)
        cluster = (cumulative < uniform * cumulative[:, -1:]).sum(1)
        return torch.arange(len(cluster), device=cluster.device), cluster

    return choose


def beam(width: int, *, floor: float = -1e8) -> Choice:
    """Keep the `width` most probable partial assignments (of those that can exist at all)."""

    def choose(n: int, log_prob: Tensor, conditionals: Tensor) -> tuple[Tensor, Tensor]:
        total = (log_prob[:, None] + conditionals).flatten()
        possible = int((conditionals > floor).sum())
        best = total.topk(min(width, possible)).indices
        n_slots = conditionals.shape[1]
        return best // n_slots, best % n_slots

    return choose


def held(labels: Tensor, otherwise: Choice) -> Choice:
    """Force the first M points of each row to take `labels` (S, M), canonical; then another rule.

    Held points go first: forcing a label in mid-order would ignore what it says about the
    points before it. What follows is then exactly q(c_rest | c_held, x).
    """

    def choose(n: int, log_prob: Tensor, conditionals: Tensor) -> tuple[Tensor, Tensor]:
        if n >= labels.shape[1]:
            return otherwise(n, log_prob, conditionals)
        return torch.arange(len(conditionals), device=conditionals.device), labels[:, n]

    return choose
