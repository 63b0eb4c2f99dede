"""Principal components of each dataset: features that its own points define.

An encoder sees one spike at a time. Two units whose difference is a few noise sd, spread over hundreds of
samples, are one cloud to it; along the largest axis of the dataset they are two. The axes of the raw points
are what sorters cluster on. They may be axes of noise, which is smooth in time and common to channels and so
has directions of many times its mean variance; those of points in white noise are not.
"""

from __future__ import annotations

import torch
from torch import Tensor

_ROUNDS = 4  # of subspace iteration; eigenvalues that matter stand far above the rest
_WHITENINGS = 2
_NEIGHBOUR_AXES = 6  # among which the nearest point is sought
_MOST_COMPARED = 4096  # points of a dataset, each with each other; more of them tell the noise no better
_PRIOR_PAIRS = 10  # of differences: what white noise counts beside the noise that is found
_RIDGE = 0.05
_LEAST_PART = 1e-14  # of the largest square: less is rounding


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
    place = _places(x, points.shape[3] if points.dim() == 4 else 1)
    start = torch.cos(place[..., None] * torch.arange(1, 2 * n_found + 1, device=x.device) * 0.7).to(x.dtype)
    axes = _orthonormal(x.mT @ (x @ start))
    for _ in range(_ROUNDS):
        axes = _orthonormal(x.mT @ (x @ axes))
    within = x @ axes
    _, turned = _by_falling_variance(within)
    scores = within @ turned[..., :n_found].to(x.dtype)
    sign = scores.pow(3).sum(1, keepdim=True).sign()
    scores = scores * torch.where(sign == 0, 1.0, sign) * there[..., None]
    return torch.nn.functional.pad(scores, (0, n_components - n_found))


def _orthonormal(columns: Tensor) -> Tensor:
    """Axes that span the columns (B, D, M), zero where these depend on each other: (B, D, M).

    By the eigenvectors of their products, in float64: a GPU finds those of many small matrices at once, and
    the QR decomposition of tall ones only after each other.
    """
    square, turned = _by_falling_variance(columns)
    least = _LEAST_PART * square[:, :1]
    scale = torch.where(square > least, square.clamp(min=1e-300).rsqrt(), 0.0)
    return ((columns.double() @ turned) * scale[:, None]).to(columns.dtype)


def _by_falling_variance(columns: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues (B, M), falling, and eigenvectors (B, M, M) of products of columns (B, D, M), float64."""
    wide = columns.double()
    value, vector = torch.linalg.eigh(wide.mT @ wide)
    return value.flip(-1), vector.flip(-1)


def _places(x: Tensor, n_channels: int) -> Tensor:
    """Where each number of a waveform lies, of points (B, N, T C) with C channels: (B, T C).

    Channels are counted among those that are not zero throughout: where a missing one stands, if it stands
    there at all, changes nothing.
    """
    by_channel = x.unflatten(2, (-1, n_channels))
    rank = by_channel.ne(0).any(2).any(1).cumsum(1)  # (B, C)
    sample = torch.arange(by_channel.shape[2], device=x.device)
    return (sample[:, None] + 2**0.5 * (rank[:, None] - 1)).flatten(1)


@torch.no_grad()
def in_white_noise(points: Tensor, there: Tensor) -> Tensor:
    """Waveforms whose noise is about white, between channels and in time: (B, N, T, C).

    Noise is judged by the difference of each point from the one that is nearest to it along the principal
    axes, which is of its own cluster as a rule. Of its covariance, that between channels and that in time are
    told, as if it were their product. The nearest are then sought again among whitened points. Of more than
    4096 points so many are compared, evenly spaced among them.

    Parameters
    ----------
    points : (B, N, T, C), noise sd; there : (B, N) bool, False in the padding
    """
    x = points.to(torch.promote_types(points.dtype, torch.float32)) * there[..., None, None]
    white = x
    compared, chosen = _evenly_spaced(there, _MOST_COMPARED)
    rows = torch.arange(len(x), device=x.device)[:, None]
    few = x[rows, compared]
    for _ in range(_WHITENINGS):
        scores = principal_scores(white, there, _NEIGHBOUR_AXES)[rows, compared]
        apart = few - _of_nearest(few, scores, chosen)
        kept = _usual(apart, chosen)
        apart = apart * kept[..., None, None] / 2**0.5
        n_pairs = kept.sum(1).to(x.dtype)[:, None, None]
        n_samples, n_channels = x.shape[2:]
        in_time = torch.einsum("bntc,bnsc->bts", apart, apart) / n_channels
        between = torch.einsum("bntc,bntd->bcd", apart, apart) / n_samples
        in_time = in_time / (in_time.diagonal(dim1=1, dim2=2).mean(1)[:, None, None] / n_pairs).clamp(
            min=1e-6
        )
        white = _divided(x, _covariance(in_time, n_pairs), _covariance(between, n_pairs))
    return white * there[..., None, None]


def _evenly_spaced(there: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """Return indices of at most `most` points of each dataset (B, M), and which of them are no padding.

    A dataset gets the same points whatever the padding after its own; all of them where they are few.
    """
    count = there.sum(1, keepdim=True)
    place = torch.arange(min(most, there.shape[1]), device=there.device).expand(len(there), -1)
    spaced = torch.where(count > most, place * count // most, place)
    return spaced, place < count


def _of_nearest(x: Tensor, scores: Tensor, there: Tensor) -> Tensor:
    """Return the waveform of the nearest other point of each point: (B, N, T, C)."""
    gap = torch.cdist(scores, scores)
    gap.diagonal(dim1=1, dim2=2).fill_(torch.inf)
    gap.masked_fill_(~there[:, None], torch.inf)
    nearest = gap.argmin(2)
    return x[torch.arange(len(x), device=x.device)[:, None], nearest]


def _usual(apart: Tensor, there: Tensor) -> Tensor:
    """Tell the padding, and the largest fifth of the differences (collisions), from the rest: (B, N) bool."""
    size = apart.square().sum((2, 3)).masked_fill(~there, torch.inf)
    last = (0.8 * there.sum(1)).ceil().long().clamp(min=1) - 1
    largest = size.sort(1).values.gather(1, last[:, None])
    return (size <= largest) & there


def _covariance(sums: Tensor, n_pairs: Tensor) -> Tensor:
    """Covariance of sums over pairs, drawn towards that of white noise of 1 sd where there are few.

    Channels that are missing, whose sums are zero, do not change that of the others.
    """
    size = sums.shape[1]
    found = (sums + _PRIOR_PAIRS * torch.eye(size, device=sums.device)) / (n_pairs + _PRIOR_PAIRS)
    variance, there = found.diagonal(dim1=1, dim2=2), sums.diagonal(dim1=1, dim2=2) > 0
    ridge = _RIDGE * (variance * there).sum(1) / there.sum(1).clamp(min=1)
    return found + ridge[:, None, None] * torch.eye(size, device=sums.device)


def _divided(x: Tensor, in_time: Tensor, between: Tensor) -> Tensor:
    """Apply the inverse factors of both covariances."""
    n_datasets, n_points, n_samples, n_channels = x.shape
    columns = x.permute(0, 2, 1, 3).reshape(n_datasets, n_samples, -1)
    columns = torch.linalg.solve_triangular(torch.linalg.cholesky(in_time), columns, upper=False)
    rows = columns.view(n_datasets, n_samples, n_points, n_channels).permute(0, 3, 2, 1)
    rows = rows.reshape(n_datasets, n_channels, -1)
    rows = torch.linalg.solve_triangular(torch.linalg.cholesky(between), rows, upper=False)
    return rows.view(n_datasets, n_channels, n_points, n_samples).permute(0, 2, 3, 1)
