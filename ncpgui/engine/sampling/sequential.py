"""The one pass over the points; a sampler supplies only its rule of choice.

The network is asked at each point for log p(c_n = k | c_<n, x) of every hypothesis; the rule
picks, for each row that goes on, the row it comes from and the cluster its point joins.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from ncpgui.core.progress import Progress, silent
from ncpgui.engine.networks.ncp import ClusteringNetwork, Encoding

Choice = Callable[[int, Tensor, Tensor], tuple[Tensor, Tensor]]
"""(n, log_prob (S,), conditionals (S, K)) -> (parent row (S',), cluster (S',))."""


@torch.inference_mode()
def walk(
    network: ClusteringNetwork,
    encoding: Encoding,
    choose: Choice,
    *,
    dataset: Tensor,
    keep_rows: bool,
    progress: Progress = silent,
) -> tuple[Tensor, Tensor]:
    """Visit the points of all datasets of `encoding` (finished) in its order, side by side.

    Parameters
    ----------
    choose : the sampler's rule
    dataset : (S,), the dataset that each hypothesis to begin with is about
    keep_rows : True when row i always goes on as row i (no selection, no back-pointers)

    Returns
    -------
    labels : (S, N) int64, canonical in the order visited
    log_prob : (S,) log q(labels | x), in the network's precision
    """
    n_points = encoding.features.shape[1]
    state = network.start(encoding, dataset)
    log_prob = encoding.features.new_zeros(len(dataset))
    parents: list[Tensor] = []
    chosen: list[Tensor] = []
    for n in range(n_points):
        if n % 16 == 0:
            progress(n, n_points)
        conditionals = network.step(encoding, state, n)
        parent, cluster = choose(n, log_prob, conditionals)
        log_prob = log_prob[parent] + conditionals[parent, cluster]
        if not keep_rows:
            state = state.select(parent)
            parents.append(parent)
        state = network.assign(encoding, state, n, cluster)
        chosen.append(cluster)
    progress(n_points, n_points)
    return _trace_back(chosen, parents), log_prob


def _trace_back(chosen: list[Tensor], parents: list[Tensor]) -> Tensor:
    """Labels (S, N) from the choice at each point and the row it was made from."""
    if not parents:
        return torch.stack(chosen, dim=1)
    rows = torch.arange(len(chosen[-1]), device=chosen[-1].device)
    labels = torch.empty(len(rows), len(chosen), dtype=torch.int64, device=rows.device)
    for n in range(len(chosen) - 1, -1, -1):
        labels[:, n] = chosen[n][rows]
        rows = parents[n][rows]
    return labels
