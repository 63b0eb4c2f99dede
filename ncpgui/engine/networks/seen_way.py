"""How far tissue is along its way when a spike is fired, as the spikes themselves show it.

Tissue that goes to and fro brings all units of a neighbourhood back to where they were. Along the *way*, and
not along time, each of them then moves slowly and in one direction, whatever the tissue does. The way is
found before anything is clustered. Time is cut into windows; two windows are as far apart as the spikes of
each are from their nearest in the other, beyond what they are from their nearest in their own. It matters
little which units fire how often in a window, as long as most fire at all. Windows then lie on a line
that keeps the shortest paths between them (Tenenbaum et al., Science 2000).

Where windows of time are no further apart than windows that each hold spikes of all times, the tissue stays,
or nobody can tell.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

SEEN = 2.5
"""How much longer than by chance a way must be to be followed. Recordings that stay have up to 1.3."""
_SPIKES = 25  # of a window
_WINDOWS = (4, 40)
_NEAREST_PART = 0.6  # of the spikes of a window that count: units may be silent in the other
_STEP = 1.0  # squared noise sd of each step of a path, so that noise does not make it long
_MOST_COMPARED = 4096
_TELLS_APART = 1e9  # places on the way


@torch.no_grad()
def along_way(scores: Tensor, seconds: Tensor, there: Tensor) -> Tensor:
    """How far along its way the tissue is at each point: (B, N) float32, 0 .. 1; zero in the padding.

    It is the part of the time that is over where no way is seen; nan in datasets that do not tell their
    times. Of more than 4096 points so many tell the way, evenly spaced in time.

    Parameters
    ----------
    scores : (B, N, C), principal components in white noise of sd 1; seconds : (B, N), nan where not told
    there : (B, N) bool, False in the padding
    """
    part = torch.zeros_like(scores[..., 0], dtype=torch.float32)
    told = ~(seconds.isnan() & there).any(1)
    part[~told] = torch.where(there[~told], torch.nan, 0.0)
    rows = told.nonzero()[:, 0]
    for some in rows.split(_sets_at_once(part.device)) if len(rows) else ():
        n_most = int(there[some].sum(1).max())
        here, t = there[some, :n_most], seconds[some, :n_most].double()
        found = _seen(scores[some, :n_most].double(), t, here, part_of_time(t, here))
        part[some, :n_most] = found.where(here, 0.0).float()
    return part


def _sets_at_once(device: torch.device) -> int:
    """Datasets that are computed side by side: a CPU gains nothing by it that pays for the padding."""
    return 256 if device.type == "cuda" else 1


def part_of_time(seconds: Tensor, there: Tensor) -> Tensor:
    """Part of the time that is over: (B, N) float64 seconds, (B, N) bool -> (B, N), 0 .. 1."""
    start = seconds.where(there, torch.inf).amin(1, keepdim=True)
    end = seconds.where(there, -torch.inf).amax(1, keepdim=True)
    return (seconds - start) / (end - start).clamp(min=1e-9)


def _seen(scores: Tensor, seconds: Tensor, there: Tensor, of_time: Tensor) -> Tensor:
    """How far along the way that is seen; `of_time` where none is. All (B, N), times told."""
    count = there.sum(1, keepdim=True)
    order = seconds.where(there, torch.inf).argsort(dim=1, stable=True)
    n_compared = count.clamp(max=_MOST_COMPARED)
    n_windows = (n_compared // _SPIKES).clamp(max=_WINDOWS[1])
    enough = (n_windows[:, 0] >= _WINDOWS[0]).nonzero()[:, 0]
    if not len(enough):
        return of_time
    result = of_time.clone()
    scores, order, count = scores[enough], order[enough], count[enough]
    n_compared, n_windows = n_compared[enough], n_windows[enough]
    rank = torch.arange(min(scores.shape[1], _MOST_COMPARED), device=order.device)
    used = rank < n_compared
    compared = order.gather(1, (rank * count // n_compared).where(used, 0))
    x = scores.gather(1, compared[..., None].expand(-1, -1, scores.shape[2]))
    apart = torch.cdist(x, x).square()
    apart.diagonal(dim1=1, dim2=2).fill_(torch.inf)
    in_time = _between_windows(apart, _Windows.of(rank * n_windows // n_compared, used))
    mixed = _between_windows(apart, _Windows.of(rank % n_windows, used))
    known = torch.arange(in_time.shape[1], device=order.device) < n_windows
    moved = _on_line(in_time, known)[1] >= SEEN * _on_line(mixed, known)[1]
    paths = _shortest_paths((in_time.clamp(min=0) + _STEP).where(_pairs(known), torch.inf))
    place, _ = _on_line(paths.square(), known)
    way = _at_points(place, n_windows, order, count)
    result[enough] = torch.where(moved[:, None], way, of_time[enough])
    return result


class _Windows(NamedTuple):
    """Points of the windows of datasets: members (B, W, S) are points, those of `there` (B, W, S)."""

    members: Tensor
    there: Tensor

    @staticmethod
    def of(window: Tensor, used: Tensor) -> _Windows:
        """By the window of each point (B, M); points that are not `used` have none."""
        n_windows = int(window.where(used, 0).max()) + 1
        window = window.where(used, n_windows)
        size = torch.zeros(len(window), n_windows + 1, dtype=torch.long, device=window.device)
        size = size.scatter_add(1, window, torch.ones_like(window))
        start = size.cumsum(1) - size
        size, start = size[:, :n_windows, None], start[:, :n_windows, None]
        place = torch.arange(int(size.max()), device=window.device)
        there = place < size
        by_window = window.argsort(dim=1, stable=True)
        index = (start + place).where(there, 0)
        return _Windows(by_window.gather(1, index.flatten(1)).view_as(index), there)


def _between_windows(apart: Tensor, windows: _Windows) -> Tensor:
    """Squared distance of the points of windows, beyond that within each: (B, W, W), symmetric, 0 to itself.

    apart : (B, M, M), squared distances of the points, infinite to itself; zero of windows without points
    """
    members, there = windows
    n_windows, n_most = members.shape[1:]
    columns = members.flatten(1)[:, None].expand(-1, apart.shape[1], -1)
    nearest = apart.gather(2, columns).unflatten(2, (n_windows, n_most))
    nearest = nearest.masked_fill(~there[:, None], torch.inf).amin(3)  # (B, M, W)
    rows = members.flatten(1)[..., None].expand(-1, -1, n_windows)
    of_window = nearest.gather(1, rows).unflatten(1, (n_windows, n_most))
    closest = of_window.masked_fill(~there[..., None], torch.inf).sort(dim=2).values
    n_closest = (_NEAREST_PART * there.sum(2)).round().clamp(min=1)[..., None]  # (B, W, 1)
    counts = torch.arange(n_most, device=apart.device)[:, None] < n_closest[..., None]
    found = closest.where(counts, 0.0).sum(2) / n_closest
    found = (found + found.mT) / 2
    own = found.diagonal(dim1=1, dim2=2)
    found = found - (own[:, :, None] + own[:, None]) / 2
    known = there.any(2)
    return found.where(_pairs(known) & ~torch.eye(n_windows, dtype=torch.bool, device=apart.device), 0.0)


def _pairs(known: Tensor) -> Tensor:
    """Pairs of those that are known: (B, W) bool -> (B, W, W)."""
    return known[:, :, None] & known[:, None]


def _shortest_paths(steps: Tensor) -> Tensor:
    """Length of the shortest path between any two: (B, W, W) lengths of single steps -> (B, W, W)."""
    length = steps.clone()
    length.diagonal(dim1=1, dim2=2).fill_(0)
    for i in range(length.shape[1]):
        length = torch.minimum(length, length[:, :, i, None] + length[:, i, None])
    return length


def _on_line(squared: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
    """Places on a line by squared distances (B, W, W) (classical scaling): (B, W), and their sums of squares.

    known : (B, W), which of the W there are
    """
    pairs, count = _pairs(known), known.sum(1)[:, None, None]
    centred = squared.where(pairs, 0.0)
    centred = (centred - centred.sum(1, keepdim=True) / count).where(pairs, 0.0)
    centred = (centred - centred.sum(2, keepdim=True) / count).where(pairs, 0.0)
    value, axis = torch.linalg.eigh(-centred / 2)
    return axis[..., -1] * value[:, -1:].clamp(min=0).sqrt(), value[:, -1]


def _at_points(place: Tensor, n_windows: Tensor, order: Tensor, count: Tensor) -> Tensor:
    """From places of windows (B, W) to those of points, in `order` (B, N) of time: (B, N), 0 .. 1.

    Half of it is the place between the ends of the way, half its rank, so that no stretch has many points.

    n_windows, count : (B, 1), windows and points of each dataset
    """
    rank = torch.arange(order.shape[1], device=order.device, dtype=place.dtype)
    there = rank < count
    at = ((rank + 0.5) * n_windows / count - 0.5).clamp(min=0).minimum(n_windows - 1)
    before = at.floor().long().minimum(n_windows - 2)
    start, end = place.gather(1, before), place.gather(1, before + 1)
    here = start + (end - start) * (at - before)
    slope = (here * (rank - (count - 1) / 2)).where(there, 0.0).sum(1, keepdim=True)
    here = torch.where(slope < 0, -here, here)  # which end is the first says nothing; it is the earlier one
    low = here.where(there, torch.inf).amin(1, keepdim=True)
    high = here.where(there, -torch.inf).amax(1, keepdim=True)
    here = (here - low) / (high - low).clamp(min=1e-9)
    rounded = (here * _TELLS_APART).round()  # windows at one place come in the order of time
    ranked = rounded.where(there, torch.inf).argsort(dim=1, stable=True).argsort(dim=1)
    both = (here + ranked.to(place.dtype) / (count - 1).clamp(min=1)) / 2
    return torch.zeros_like(both).scatter(1, order, both)
