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

import torch
from torch import Tensor

SEEN = 2.5
"""How much longer than by chance a way must be to be followed. Recordings that stay have up to 1.3."""
_SPIKES = 25  # of a window
_WINDOWS = (4, 40)
_NEAREST_PART = 0.6  # of the spikes of a window that count: units may be silent in the other
_STEP = 1.0  # squared noise sd of each step of a path, so that noise does not make it long
_MOST_COMPARED = 4096


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
    for one in range(len(part)):
        here = there[one]
        part[one, here] = _of_one(scores[one, here].double(), seconds[one, here].double()).float()
    return part


def part_of_time(seconds: Tensor) -> Tensor:
    """Part of the time that is over: (N,) float64 seconds -> (N,), 0 .. 1."""
    start = seconds.min()
    return (seconds - start) / (seconds.max() - start).clamp(min=1e-9)


def _of_one(scores: Tensor, seconds: Tensor) -> Tensor:
    n_points = len(seconds)
    if n_points == 0 or bool(seconds.isnan().any()):
        return torch.full_like(seconds, torch.nan)
    order = seconds.argsort(stable=True)
    n_compared = min(n_points, _MOST_COMPARED)
    compared = order[torch.arange(n_compared, device=order.device) * n_points // n_compared]
    n_windows = min(n_compared // _SPIKES, _WINDOWS[1])
    if n_windows < _WINDOWS[0]:
        return part_of_time(seconds)
    apart = torch.cdist(scores[compared], scores[compared]).square()
    apart.fill_diagonal_(torch.inf)
    rank = torch.arange(n_compared, device=order.device)
    in_time = _between_windows(apart, rank * n_windows // n_compared, n_windows)
    mixed = _between_windows(apart, rank % n_windows, n_windows)
    if _on_line(in_time)[1] < SEEN * _on_line(mixed)[1]:
        return part_of_time(seconds)
    place, _ = _on_line(_shortest_paths(in_time.clamp(min=0) + _STEP).square())
    return _at_points(place, order)


def _between_windows(apart: Tensor, window: Tensor, n_windows: int) -> Tensor:
    """Squared distance of the spikes of windows, beyond that within each: (W, W), symmetric, 0 to itself.

    apart : (N, N), squared distances of the points, infinite to itself; window : (N,) of each
    """
    rows = [window == one for one in range(n_windows)]
    nearest = torch.stack([apart[:, here].amin(1) for here in rows], dim=1)  # (N, W)
    far = []
    for here in rows:
        closest = nearest[here].sort(dim=0).values
        far.append(closest[: max(1, round(_NEAREST_PART * len(closest)))].mean(0))
    found = torch.stack(far)
    found = (found + found.T) / 2
    own = found.diagonal()
    found = found - (own[:, None] + own) / 2
    return found.fill_diagonal_(0)


def _shortest_paths(steps: Tensor) -> Tensor:
    """Length of the shortest path between any two: (W, W) lengths of single steps -> (W, W)."""
    length = steps.clone().fill_diagonal_(0)
    for i in range(len(length)):
        length = torch.minimum(length, length[:, i, None] + length[i])
    return length


def _on_line(squared: Tensor) -> tuple[Tensor, Tensor]:
    """Places on a line by squared distances (W, W) (classical scaling): (W,), and their sum of squares."""
    centred = squared - squared.mean(0)
    centred = centred - centred.mean(1, keepdim=True)
    value, axis = torch.linalg.eigh(-centred / 2)
    return axis[:, -1] * value[-1].clamp(min=0).sqrt(), value[-1]


def _at_points(place: Tensor, order: Tensor) -> Tensor:
    """From places of windows (W,) to those of points, in `order` (N,) of time: (N,), 0 .. 1.

    Half of it is the place between the ends of the way, half its rank, so that no stretch has many points.
    """
    n_points, n_windows = len(order), len(place)
    rank = torch.arange(n_points, device=order.device, dtype=place.dtype)
    at = ((rank + 0.5) * n_windows / n_points - 0.5).clamp(0, n_windows - 1)
    before = at.floor().long().clamp(max=n_windows - 2)
    here = place[before] + (place[before + 1] - place[before]) * (at - before)
    if (here * (rank - rank.mean())).sum() < 0:  # which end is the first says nothing; it is the earlier one
        here = -here
    here = (here - here.min()) / (here.max() - here.min()).clamp(min=1e-9)
    evenly = here.argsort(stable=True).argsort().to(place.dtype) / max(n_points - 1, 1)
    return ((here + evenly) / 2)[order.argsort()]
