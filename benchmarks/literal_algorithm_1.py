"""Beam search as the paper's Algorithm 1 reads, on the same network: what the samplers are timed against.

At each point every hypothesis forms the state of each of its K clusters and of the K + 1
candidates, runs g on all of them and f on all candidates, with the first layers of both computed
in full from the mean encodings; labels are copied at each step. All S hypotheses go through the
layers as one batch, so that the ratio measures the arithmetic saved, not Python.
"""

from __future__ import annotations

import torch
from torch.nn.functional import one_hot, pad


@torch.inference_mode()
def literal_beam(network, encoding, *, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return labels (S, N) and log q (S,), the best first; `encoding` in the order to visit, not finished."""
    metric, hidden, _ = network.sizes
    h = encoding.features[0]
    points = torch.cat([h, network.out_norm(h)], dim=-1)  # (N, 2 h_dim)
    n_points = len(points)
    labels = torch.zeros(1, 0, dtype=torch.int64)
    log_prob = points.new_zeros(1)
    sums, sizes = points.new_zeros(1, 1, points.shape[1]), points.new_zeros(1, 1)
    for n in range(n_points):
        n_clusters = labels.max(1).values + 1 if n else torch.zeros(1, dtype=torch.int64)
        n_slots = int(n_clusters.max()) + 1
        sums, sizes = pad(sums, (0, 0, 0, n_slots - sums.shape[1])), pad(sizes, (0, n_slots - sizes.shape[1]))
        mean = sums / sizes.clamp(min=1)[..., None]
        carried = network.carried(mean)
        exists = (sizes > 0).to(points.dtype)[..., None]
        g = network._g(carried[..., metric + hidden :] * sizes.clamp(min=1)[..., None], sizes.clamp(min=1))
        after = points[n + 1 :]
        unassigned = network.unassigned(after.mean(0)) if len(after) else points.new_zeros(hidden)
        count = torch.log1p(torch.tensor([float(len(after))], dtype=points.dtype))
        own = network.own(points[n]) + unassigned + network.unassigned_count(count)
        base = own + (g * exists).sum(1, keepdim=True)
        z = network.carried(points[n])[:metric]
        scores = network._f(
            carried[..., :metric] * exists, carried[..., metric : metric + hidden] * exists, sizes, z, base
        )
        slot = torch.arange(n_slots)
        log_p = scores.masked_fill(slot > n_clusters[:, None], -1e9).log_softmax(-1)
        total = (log_prob[:, None] + log_p).flatten()
        best = total.topk(min(width, int((log_p > -1e8).sum()))).indices
        parent, cluster = best // n_slots, best % n_slots
        labels = torch.cat([labels[parent], cluster[:, None]], dim=1)
        joined = one_hot(cluster, n_slots).to(points.dtype)
        sums, sizes = sums[parent] + joined[..., None] * points[n], sizes[parent] + joined
        log_prob = total[best]
    order = log_prob.argsort(descending=True, stable=True)
    return labels[order], log_prob[order]
