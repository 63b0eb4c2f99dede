"""What a generative model yields: datasets of points with their true clusterings."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor


class Batch(NamedTuple):
    """B datasets side by side, each with its own clusters and its own number of points.

    Datasets are padded to a common N at their end; `labels` says which points are there.

    points : what a network's `encode` takes, in its order; the first is (B, N, ...), one row a point.
        2D Gaussians: (x (B, N, 2),); digits: (images (B, N, height, width),); particles: (x (B, T, 2),
        times (B, T)); spikes: (waveforms (B, N, n_samples, C) float32 in noise sd with the main channel
        first and zero in missing channels, positions (B, C, 2) float32 in µm relative to the main
        channel, channel_mask (B, C) bool, False where a channel is missing)
    labels : (B, N) int64, canonical: numbered in order of first appearance; -1 in the padding
    """

    points: tuple[Tensor, ...]
    labels: Tensor

    @property
    def n_points(self) -> Tensor:
        """Points of each dataset: (B,) int64."""
        return (self.labels >= 0).sum(1)


class GenerativeModel(Protocol):
    """Draws datasets with their true clusterings, without end."""

    def sample(self, n_datasets: int, n_points: int | tuple[int, int], generator: torch.Generator) -> Batch:
        """Draw datasets on the generator's device.

        n_points : of every dataset, or an inclusive range from which each dataset draws its own
        """
        ...

    def describe(self) -> dict[str, Any]:
        """Return what the card of a network says of its `input` (a dictionary with a "kind") and data."""
        ...


def largest(n_points: int | tuple[int, int]) -> int:
    """Return the number of points to draw for every dataset, of which `shortened` hides some."""
    return n_points if isinstance(n_points, int) else n_points[1]


def shortened(labels: Tensor, n_points: int | tuple[int, int], generator: torch.Generator) -> Tensor:
    """Labels (B, N) with -1 past each dataset's own number of points, uniform on the inclusive range.

    The first points of an exchangeable dataset are a smaller dataset of the same model.
    """
    if isinstance(n_points, int):
        return labels
    device = labels.device
    low, high = n_points
    drawn = torch.randint(low, high + 1, (len(labels), 1), generator=generator, device=device)
    return labels.masked_fill(torch.arange(labels.shape[1], device=device) >= drawn, -1)


def canonical_labels(labels: Tensor) -> Tensor:
    """Relabel each row in order of first appearance.

    Parameters
    ----------
    labels : (B, N) int64, non-negative
    """
    n_points = labels.shape[1]
    n_labels = int(labels.max()) + 1
    index = torch.arange(n_points, device=labels.device).expand_as(labels)
    first = torch.full((len(labels), n_labels), n_points, device=labels.device)
    first = first.scatter_reduce(1, labels, index, reduce="amin")
    rank = first.argsort(dim=1, stable=True).argsort(dim=1)
    return rank.gather(1, labels)
