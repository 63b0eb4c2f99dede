"""How dense the points of a dataset lie about each of them, before any label is known.

A spike far from all clusters is one of two things: it lies in a cloud of others, and opens a cluster; or it
lies alone, because another spike fell into it, and is of the cluster that it is nearest to. The distances of
its nearest neighbours tell which.
"""

from __future__ import annotations

import torch
from torch import Tensor

NEIGHBOURS = (2, 6, 15)
_LEAST = 1e-3  # a distance below it is taken for it; points of a dataset may be equal


def log_distances(scores: Tensor, there: Tensor) -> Tensor:
    """Log of the distances of each point from its nearest neighbours, against the median of its dataset.

    Of datasets with fewer points the last neighbour counts. Distances say more in absolute numbers too: the
    first three are in units of the scores, the last three are relative.

    Parameters
    ----------
    scores : (B, N, C) principal scores; there : (B, N) bool, False in the padding

    Returns
    -------
    (B, N, 2 * len(NEIGHBOURS)), 0 in the padding
    """
    there = there & (there.sum(1, keepdim=True) > 1)
    apart = torch.cdist(scores, scores)
    apart = apart.masked_fill(~there[:, None], torch.inf)
    n_nearest = min(max(NEIGHBOURS) + 1, scores.shape[1])
    nearest = apart.topk(n_nearest, dim=-1, largest=False).values  # the first is the point itself
    last = (there.sum(1, keepdim=True) - 1).clamp(min=0)
    columns = []
    for number in NEIGHBOURS:
        place = torch.full_like(last, number).minimum(last).clamp(max=n_nearest - 1)
        columns.append(nearest.gather(2, place[:, None].expand(-1, scores.shape[1], 1))[..., 0])
    log = torch.stack(columns, dim=-1).clamp(min=_LEAST).log().masked_fill(~there[..., None], 0)
    usual = log.masked_fill(~there[..., None], torch.nan).nanmedian(dim=1, keepdim=True).values.nan_to_num()
    return torch.cat([log, log - usual], dim=-1) * there[..., None]
