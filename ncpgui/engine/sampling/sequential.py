"""The one pass over the points; a sampler supplies only its rule of choice.

The network is asked at each point for log q(c_n = k | c_<n, x) of every hypothesis; the rule picks, for
each row that goes on, the row it comes from and the cluster its point joins. Labels are traced back
through these choices at the end, so nothing of the length of a dataset is copied in a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from ncpgui.core.progress import Progress, silent
from ncpgui.engine.device import one_core
from ncpgui.engine.networks.cluster_pool import ClusterPool
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding

REPORT_EVERY, REPORT_ROWS = 16, 4096
"""Points, and points times hypotheses, after which a walk reports: it can be stopped within a second."""


class Step(NamedTuple):
    """What a rule sees at point n: S hypotheses with their log-probabilities so far.

    row : (S,), place of each hypothesis among those that the walk began with
    dataset : (S,), the dataset each is about
    log_prob : (S,); conditionals : (S, K), of the choices at this point
    """

    n: int
    row: Tensor
    dataset: Tensor
    log_prob: Tensor
    conditionals: Tensor


class Choice(NamedTuple):
    """Where each row goes on from (None: from itself), its cluster at n, its log-probability after n."""

    parent: Tensor | None
    cluster: Tensor
    log_prob: Tensor


Rule = Callable[[Step], Choice]


@torch.inference_mode()
@one_core()
def walk(
    network: ClusteringNetwork,
    encoding: Encoding,
    rule: Rule,
    *,
    dataset: Tensor,
    progress: Progress = silent,
) -> tuple[Tensor, Tensor]:
    """Visit the points of all datasets of `encoding` (finished) in its order, side by side.

    Parameters
    ----------
    rule : the sampler's; it keeps the number of hypotheses about each dataset
    dataset : (S,), the dataset that each hypothesis is about

    Returns
    -------
    labels : (S, N) int64, canonical in the order visited; -1 in the padding
    log_prob : (S,) as the rule counted it, in the network's precision
    """
    n_points = int(encoding.n_points[dataset].max())
    ends = set(encoding.n_points[dataset].tolist())
    pool = ClusterPool(network, encoding, dataset)
    row = torch.arange(len(dataset), device=dataset.device)
    log_prob = encoding.features.new_zeros(len(dataset))
    labels = torch.full((len(dataset), n_points), -1, device=dataset.device)
    final = log_prob.clone()
    history: list[tuple[Tensor | None, Tensor]] = []
    every = max(1, min(REPORT_EVERY, REPORT_ROWS // len(dataset)))
    for n in range(n_points):
        if n % every == 0:
            progress(n, n_points)
        choice = rule(Step(n, row, pool.row_dataset, log_prob, pool.conditionals(n)))
        pool.assign(n, choice.parent, choice.cluster)
        log_prob = choice.log_prob
        history.append((choice.parent, choice.cluster))
        if n + 1 in ends:
            going_on = encoding.n_points[pool.row_dataset] > n + 1
            done = (~going_on).nonzero().squeeze(1)
            labels[row[done], : n + 1] = _trace_back(history, done)
            final[row[done]] = log_prob[done]
            stay = going_on.nonzero().squeeze(1)
            pool.keep(stay)
            row, log_prob = row[stay], log_prob[stay]
            if len(stay):
                history[-1] = _composed(history[-1], stay)
    progress(n_points, n_points)
    return labels, final


def _composed(last: tuple[Tensor | None, Tensor], stay: Tensor) -> tuple[Tensor | None, Tensor]:
    """The last choice as the rows `stay`, the only ones that go on, see it."""
    parent, cluster = last
    return stay if parent is None else parent[stay], cluster[stay]


def _trace_back(history: list[tuple[Tensor | None, Tensor]], rows: Tensor) -> Tensor:
    """Labels (R, n) of `rows` after the last choice, from the choices and the rows they were made from."""
    if all(parent is None for parent, _ in history):
        return torch.stack([cluster for _, cluster in history], dim=1)[rows]
    labels = torch.empty(len(rows), len(history), dtype=torch.int64, device=rows.device)
    for n in range(len(history) - 1, -1, -1):
        parent, cluster = history[n]
        labels[:, n] = cluster[rows]
        rows = rows if parent is None else parent[rows]
    return labels
