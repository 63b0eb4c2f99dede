"""Principal components of each dataset: features that its own points define.

An encoder sees one spike at a time. Two units whose difference is a few noise sd, spread over hundreds of
samples, are one cloud to it; along the largest axis of the dataset they are two. The axes are those of the
raw points, which is what sorters cluster on.
"""

from __future__ import annotations

import torch
from torch import Tensor

_ROUNDS = 4  # of subspace iteration; eigenvalues that matter stand far above the rest


@torch.no_grad()
def principal_scores(points: Tensor, there: Tensor, n_components: int) -> Tensor:
    """Scores of the points of each dataset on its largest principal axes: (B, N, n_components).

    Axes come by falling variance, each with the sign that makes the third moment of its scores positive. A
    dataset of fewer points, or numbers, than components has zeros in the rest.

    Parameters
    ----------
    points : (B, N, ...), finite; there : (B, N) bool, False in the padding
    """
    x = points.flatten(2).to(torch.promote_types(points.dtype, torch.float32)) * there[..., None]
    count = there.sum(1).clamp(min=1).to(x.dtype)
    x = (x - x.sum(1, keepdim=True) / count[:, None, None]) * there[..., None]
    n_found = min(n_components, x.shape[1], x.shape[2])
    columns = torch.arange(x.shape[2], device=x.device, dtype=x.dtype)
    start = torch.cos(columns[:, None] * torch.arange(1, 2 * n_found + 1, device=x.device) * 0.7)
    axes = torch.linalg.qr((x.mT @ (x @ start)).expand(len(x), -1, -1))[0]
    for _ in range(_ROUNDS):
        axes = torch.linalg.qr(x.mT @ (x @ axes))[0]
    within = torch.linalg.svd(x @ axes, full_matrices=False)
    scores = (within.U * within.S[:, None])[..., :n_found]
    sign = scores.pow(3).sum(1, keepdim=True).sign()
    scores = scores * torch.where(sign == 0, 1.0, sign) * there[..., None]
    return torch.nn.functional.pad(scores, (0, n_components - n_found))
