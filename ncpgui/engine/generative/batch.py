"""What a generative model yields: datasets of points with their true clusterings."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Batch(NamedTuple):
    """B datasets of N spikes each; every dataset has its own units, contacts, noise and labels.

    waveforms : (B, N, n_samples, C) float32, noise sd, main channel first, zero in missing channels
    positions : (B, C, 2) float32, µm relative to the main channel, zero in missing channels
    channel_mask : (B, C) bool, False where a channel is missing
    labels : (B, N) int64, canonical: numbered in order of first appearance
    true_difficulty : (B,) float32, smallest distance between the templates of two units that have
        spikes, in sd of whitened noise over all channels; infinite where there is one unit
    """

    waveforms: Tensor
    positions: Tensor
    channel_mask: Tensor
    labels: Tensor
    true_difficulty: Tensor


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
