"""All states that teacher forcing passes through, at once: training needs no loop over points.

With the labels known, the sum over a cluster's points before n is a cumulative sum within the
cluster; it changes only when a point joins, so N states ("events") serve all N (K + 1) candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ncpgui.core.errors import InputError

NEVER = -1e9  # log-probability of a choice that does not exist


@dataclass(frozen=True)
class Prefixes:
    """States of clusters by event: the state of point n's cluster right after n joined it.

    sums : (B, N, size), over the cluster's points up to n; sizes : (B, N), their number
    previous : (B, N), the point before n in n's cluster, -1 = none
    last : (B, N, K), last point before n in cluster k, -1 = none
    n_before : (B, N), clusters among the points before n; -1 for points in the padding
    """

    sums: Tensor
    sizes: Tensor
    previous: Tensor
    last: Tensor
    n_before: Tensor

    @staticmethod
    def of(values: Tensor, labels: Tensor) -> Prefixes:
        """Prefix sums of `values` (B, N, size) in the clusters of canonical `labels` (B, N), -1 = padding.

        Raises
        ------
        InputError
            Labels that are not numbered in order of first appearance, or of another shape than the points.
        """
        if labels.shape != values.shape[:2]:
            raise InputError(
                f"labels must be one for each point, got {tuple(labels.shape)} for "
                f"{tuple(values.shape[:2])} points"
            )
        there = labels >= 0
        highest = nn.functional.pad(labels, (1, -1), value=-1).cummax(dim=1).values
        wrong = (labels > highest + 1).nonzero()
        if len(wrong):
            row, n = wrong[0].tolist()
            raise InputError(
                "labels must be canonical, numbered in order of first appearance, but point "
                f"{n} of dataset {row} has label {int(labels[row, n])} where {int(highest[row, n]) + 1} is "
                "the next; see ncpgui.core.partition.canonical"
            )
        n_slots = int(labels.max()) + 2  # the last one stays free for a new cluster, and takes the padding
        labels = labels.where(there, n_slots - 1)
        order = torch.argsort(labels, dim=1, stable=True)
        inverse = torch.argsort(order, dim=1)
        one_hot = nn.functional.one_hot(labels, n_slots)
        start = one_hot.sum(1).cumsum(1) - one_hot.sum(1)  # first place of each cluster
        wide = order[..., None].expand_as(values)
        running = torch.cat([torch.zeros_like(values[:, :1]), values.gather(1, wide).cumsum(1)], dim=1)
        after = running.gather(1, inverse[..., None].expand_as(values) + 1)
        first = start.gather(1, labels)
        before_cluster = running.gather(1, first[..., None].expand_as(values))
        point = torch.arange(labels.shape[1], device=labels.device)
        seen = torch.where(one_hot > 0, point[None, :, None], -1)
        last = nn.functional.pad(seen, (0, 0, 1, -1), value=-1).cummax(dim=1).values
        previous = last.gather(2, labels[..., None])
        n_before = (highest + 1).where(there, -1)
        return Prefixes(after - before_cluster, inverse - first + 1, previous.squeeze(2), last, n_before)

    def candidates(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Rows (dataset, point, cluster, event) of every choice that there is at every point.

        `event` is the point whose `sums` are the cluster's state, -1 for the new cluster.
        """
        k = torch.arange(self.last.shape[2], device=self.last.device)
        exists = k <= self.n_before[..., None]
        dataset, point, cluster = exists.nonzero(as_tuple=True)
        return dataset, point, cluster, self.last[dataset, point, cluster]

    def total(self, values: Tensor) -> Tensor:
        """Sum over the clusters before n of what each holds: (B, N, size) of events -> (B, N, size)."""
        index = self.previous[..., None].expand_as(values)
        replaced = values.gather(1, index.clamp(min=0)) * (index >= 0)
        return nn.functional.pad((values - replaced).cumsum(1), (0, 0, 1, -1))

    def log_softmax(self, scores: Tensor, rows: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
        """Log-probability of each point's label among its candidates: (B, N), 0 in the padding."""
        table = scores.new_full(self.last.shape, NEVER).index_put(rows, scores).log_softmax(dim=-1)
        chosen = table.gather(2, labels.clamp(min=0)[..., None]).squeeze(2)
        return chosen * (labels >= 0)
