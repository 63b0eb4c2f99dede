"""Rules of choice: ancestral draws, beam search, stochastic beam search, and choices that are ruled out."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from ncpgui.engine.networks.prefixes import NEVER
from ncpgui.engine.sampling.sequential import Choice, Rule, Step

_POSSIBLE = NEVER / 10  # choices below it do not exist


def ancestral(uniform: Tensor) -> Rule:
    """Draw each row's cluster from its conditional: independent samples of q(c | x).

    uniform : (S, N) on [0, 1), what the draws are made from
    """

    def choose(step: Step) -> Choice:
        cumulative = step.conditionals.softmax(1).cumsum(1)
        threshold = uniform[step.row, step.n][:, None] * cumulative[:, -1:]
        cluster = (cumulative <= threshold).sum(1)
        chosen = step.conditionals.gather(1, cluster[:, None]).squeeze(1)
        return Choice(None, cluster, step.log_prob + chosen)

    return choose


def beam(width: int) -> Rule:
    """Keep the `width` most probable partial assignments of each dataset.

    Rows are `width` for each dataset, side by side; while fewer assignments exist, the rest have
    log-probability -inf.
    """

    def choose(step: Step) -> Choice:
        best, place = _children(step, width).topk(width, dim=1)
        return _family(place, best, step, width)

    return choose


def stochastic_beam(width: int, generator: torch.Generator) -> Rule:
    """Draw `width` different label vectors of each dataset without replacement (Gumbel top-k).

    Every partial assignment carries the maximum of the Gumbel-perturbed log-probabilities of all the
    label vectors that begin with it (Kool et al., ICML 2019, algorithm 1); the `width` largest go on.
    The perturbed values stand in the rule's `perturbed` (S,) after the walk.
    """

    class StochasticBeam:
        perturbed: Tensor

        def __call__(self, step: Step) -> Choice:
            if step.n == 0:
                self.perturbed = torch.zeros_like(step.log_prob)
            total = _children(step, width)
            uniform = torch.rand(total.shape, generator=generator).to(total)
            gumbel = total - (-uniform.clamp(1e-30, 1 - 1e-7).log()).log()
            value = _with_maximum(gumbel.unflatten(1, (width, -1)), self.perturbed.view(-1, width, 1))
            best, place = value.flatten(1).topk(width, dim=1)
            self.perturbed = best.flatten()
            return _family(place, total.gather(1, place), step, width)

    return StochasticBeam()


def _children(step: Step, width: int) -> Tensor:
    """Log-probabilities of all children of each dataset: (D, width K), -inf where there is no such child."""
    total = step.log_prob[:, None] + step.conditionals
    total = total.masked_fill_(step.conditionals < _POSSIBLE, -math.inf).view(-1, width * total.shape[1])
    if step.n == 0:  # all rows are the same: one of them goes on
        total[:, step.conditionals.shape[1] :] = -math.inf
    return total


def _family(place: Tensor, log_prob: Tensor, step: Step, width: int) -> Choice:
    """Parents and clusters at `place` (D, width) among the children of each dataset."""
    n_choices = step.conditionals.shape[1]
    parent = place.div(n_choices, rounding_mode="floor")
    cluster = place - parent * n_choices
    if len(place) > 1:
        parent += torch.arange(len(place), device=place.device)[:, None] * width
    if not torch.isfinite(log_prob[:, -1]).all():  # places to fill: their clusters may not exist
        cluster = cluster.where(torch.isfinite(log_prob), 0)
    return Choice(parent.flatten(), cluster.flatten(), log_prob.flatten())


def _with_maximum(gumbel: Tensor, maximum: Tensor) -> Tensor:
    """Shift perturbed values so that the children of a parent (last axis) have its value as their maximum."""
    top = gumbel.amax(-1, keepdim=True)
    v = maximum - gumbel + _log1mexp(gumbel - top)
    shifted = maximum - v.clamp(min=0) - torch.log1p(torch.exp(-v.abs()))
    return shifted.where(torch.isfinite(gumbel), torch.full_like(gumbel, -math.inf))


def _log1mexp(x: Tensor) -> Tensor:
    """log(1 - exp(x)) for x <= 0."""
    return torch.where(x > -0.693, (-torch.expm1(x)).log(), torch.log1p(-x.exp()))


def restricted(allowed: Callable[[Step], Tensor | None], rule: Rule) -> Rule:
    """Let `rule` choose among the `allowed` (S, K) only; None allows all.

    Draws are from the conditionals renormalised over what is allowed; log-probabilities stay those of q.
    """

    def choose(step: Step) -> Choice:
        mask = allowed(step)
        if mask is None:
            return rule(step)
        return rule(step._replace(conditionals=step.conditionals.masked_fill(~mask, NEVER)))

    return choose


def held(labels: Tensor) -> Callable[[Step], Tensor | None]:
    """Allow the first points of each row only their `labels` (S, M), canonical; -1 allows all.

    Held points go first: forcing a label in mid-order would ignore what it says about the points
    before it. What follows is then exactly q(c_rest | c_held, x).
    """

    def allowed(step: Step) -> Tensor | None:
        if step.n >= labels.shape[1]:
            return None
        forced = labels[:, step.n][step.row][:, None]
        choices = torch.arange(step.conditionals.shape[1], device=forced.device)
        return (choices == forced) | (forced < 0)

    return allowed
