"""Pairs of points that must or cannot share a cluster, and what that costs in probability."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.prefixes import NEVER
from ncpgui.engine.sampling import rules
from ncpgui.engine.sampling.sequential import Choice, Rule, Step

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Links:
    """Constraints without contradiction.

    points : constrained points, in the order to visit them: those linked together stand together
    group : (N,) int, points with the same number must share a cluster
    apart : pairs of groups that cannot share one
    """

    points: NDArray[np.int64]
    group: NDArray[np.int64]
    apart: frozenset[tuple[int, int]]

    @staticmethod
    def of(n_points: int, must_link: Pairs, cannot_link: Pairs, clamped: NDArray[np.integer] | None) -> Links:
        """Check constraints; see `posterior.linked_samples` for the errors."""
        for name, pairs in (("must_link", must_link), ("cannot_link", cannot_link)):
            for i, j in pairs:
                if not (0 <= i < n_points and 0 <= j < n_points):
                    raise InputError(f"{name} pair ({i}, {j}) is not among points 0 to {n_points - 1}")
        parent = np.arange(n_points)
        for i, j in (*must_link, *_joined(clamped)):
            parent[parent == parent[j]] = parent[i]
        apart = {(int(parent[i]), int(parent[j])) for i, j in cannot_link}
        for i, j in cannot_link:
            if parent[i] == parent[j]:
                raise InputError(
                    f"points {i} and {j} must share a cluster (directly, through others or as clamped) and "
                    "cannot share one; take one of the constraints back"
                )
        _check_clamped(parent, clamped, must_link)
        constrained = {int(point) for pair in (*must_link, *cannot_link) for point in pair}
        points = sorted(constrained, key=lambda point: (int(parent[point]), point))
        return Links(np.array(points, dtype=np.int64), parent, frozenset(apart | {(b, a) for a, b in apart}))


class LinkedRule:
    """Draws that obey, rows weighted by the mass allowed and resampled after the last constrained point.

    orders : in which datasets are visited, (N,) each, `n_held` points first that are held
    log_mass : (D,) log of the mean weight of each dataset's rows, after the walk
    """

    def __init__(
        self,
        links: Links,
        orders: list[NDArray[np.int64]],
        n_held: int,
        uniform: Tensor,
        generator: np.random.Generator,
    ) -> None:
        self._n_held = n_held
        self._obeyed = _Obeyed(links, orders)
        self._draw = rules.ancestral(uniform)
        self._generator = generator
        self._log_weight = uniform.new_zeros(len(uniform))
        self.log_mass = uniform.new_zeros(len(orders))

    def __call__(self, step: Step) -> Choice:
        """Choose as `rules.Rule`."""
        last = self._obeyed.last
        if step.n > last:
            return self._draw(step)
        masked = step.conditionals.masked_fill(~self._obeyed.allowed(step), -math.inf)
        if step.n >= self._n_held:
            self._log_weight = self._log_weight + masked.logsumexp(1)
        choice = self._draw(step._replace(conditionals=masked))
        self._obeyed.chosen(step.n, choice)
        if step.n < last:
            return choice
        parent = torch.arange(len(step.row), device=step.row.device)
        for dataset in range(len(self.log_mass)):
            own = (step.dataset == dataset).nonzero().squeeze(1)
            weight = self._log_weight[own].double()
            self.log_mass[dataset] = weight.logsumexp(0) - math.log(len(own))
            parent[own] = own[self._resampled(weight.softmax(0))]
        return Choice(parent, choice.cluster[parent], choice.log_prob[parent])

    def _resampled(self, weight: Tensor) -> Tensor:
        """Rows by systematic resampling: (R,) weights that sum to 1 -> (R,) indices."""
        places = (torch.arange(len(weight)) + float(self._generator.random())) / len(weight)
        return torch.searchsorted(weight.cpu().cumsum(0), places).clamp(max=len(weight) - 1).to(weight.device)


class ObeyingRule:
    """Another rule among the choices that obey, for one dataset; log-probabilities stay those of q.

    order : (N,), in which the points are visited, held ones first
    """

    def __init__(self, links: Links, rule: Rule, order: NDArray[np.int64]) -> None:
        self._obeyed = _Obeyed(links, [order])
        self._rule = rule

    def __call__(self, step: Step) -> Choice:
        """Choose as `rules.Rule`."""
        if step.n > self._obeyed.last:
            return self._rule(step)
        masked = step.conditionals.masked_fill(~self._obeyed.allowed(step), NEVER)
        choice = self._rule(step._replace(conditionals=masked))
        self._obeyed.chosen(step.n, choice)
        return choice


class _Obeyed:
    """What rows may choose at a constrained point, by where the constrained points before it are.

    orders : of each dataset, (N,) each; last : place of the last point that is not free to choose
    """

    def __init__(self, links: Links, orders: list[NDArray[np.int64]]) -> None:
        self._links = links
        partners = [self._partners(links.group[order]) for order in orders]
        self._must = [must for must, _ in partners]
        self._cannot = [cannot for _, cannot in partners]
        watched = [place for table in self._must for place in table.values()]
        watched += [place for table in self._cannot for places in table.values() for place in places]
        self._watched = frozenset(watched)
        last = [place for table in self._must for place in table]
        self.last = max(last + [place for table in self._cannot for place in table], default=-1)
        self._labels: dict[int, Tensor] = {}

    def _partners(self, groups: NDArray[np.int64]) -> tuple[dict[int, int], dict[int, list[int]]]:
        """Places before each constrained place of an order whose cluster it must take, or must avoid.

        groups : (N,) of each place, in the order visited
        """
        free = set(self._links.points.tolist())
        must: dict[int, int] = {}
        cannot: dict[int, list[int]] = {}
        concerned = {int(self._links.group[point]) for point in free}
        first: dict[int, int] = {}  # place at which a group was met
        for place, group in enumerate(groups.tolist()):
            if group not in concerned:
                continue
            if group in first:
                must[place] = first[group]
                continue
            first[group] = place
            avoid = [first[other] for other in first if (group, other) in self._links.apart]
            if avoid:
                cannot[place] = avoid
        return must, cannot

    def allowed(self, step: Step) -> Tensor:
        """Whether each row may choose each cluster at a point: (S, K) bool."""
        allowed = torch.ones_like(step.conditionals, dtype=torch.bool)
        choices = torch.arange(allowed.shape[1], device=allowed.device)
        for dataset in range(len(self._must)):
            own = step.dataset == dataset
            if step.n in self._must[dataset]:
                shared = self._labels[self._must[dataset][step.n]][:, None]
                allowed &= (choices == shared) | ~own[:, None]
            for place in self._cannot[dataset].get(step.n, []):
                allowed &= (choices != self._labels[place][:, None]) | ~own[:, None]
        return allowed

    def chosen(self, n: int, choice: Choice) -> None:
        """Remember what rows chose at point n; what was chosen before goes with them."""
        if choice.parent is not None:
            self._labels = {place: labels[choice.parent] for place, labels in self._labels.items()}
        if n in self._watched:
            self._labels[n] = choice.cluster


def _joined(clamped: NDArray[np.integer] | None) -> Iterator[tuple[int, int]]:
    """Pairs of clamped points with one label: the first of the label with each other."""
    if clamped is None:
        return
    for label in np.unique(clamped[clamped >= 0]):
        first, *rest = np.flatnonzero(clamped == label).tolist()
        yield from ((first, other) for other in rest)


def _check_clamped(group: NDArray[np.int64], clamped: NDArray[np.integer] | None, must_link: Pairs) -> None:
    if clamped is None:
        return
    for i, j in must_link:
        labels = np.unique(clamped[(group == group[i]) & (clamped >= 0)])
        if len(labels) > 1:
            raise InputError(
                f"points {i} and {j} must share a cluster, but they are linked to clamped labels "
                f"{labels[0]} and {labels[1]}, which are two clusters; take one of them back"
            )


def with_linked_held(
    clamped: NDArray[np.integer] | None, n_points: int, links: Sequence[tuple[int, int]]
) -> NDArray[np.int64]:
    """Clamped labels in which linked points are not free: what sweeps must leave where it is."""
    fixed = np.full(n_points, -1) if clamped is None else np.array(clamped, dtype=np.int64)
    points = np.unique(np.array(links, dtype=np.int64))
    fixed[points] = np.maximum(fixed[points], 0)
    return fixed
