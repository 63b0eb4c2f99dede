"""Which samples of a posterior are the sorting that there is now."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import MIN_JACCARD, min_unit_size
from ncpgui.core.posterior import PosteriorSamples


def samples_of_sorting(
    posterior: PosteriorSamples,
    reference: NDArray[np.integer],
    *,
    min_spikes: int = 0,
) -> NDArray[np.bool_]:
    """Tell which samples are the same sorting as `reference`: (S,).

    Every sizeable cluster has a partner, both ways, as in `core.alternatives.same_sorting`, for all
    samples at once. Spikes that `reference` (-1) leaves unassigned count in the clusters that the samples
    have them in.

    min_spikes : clusters of fewer sampled spikes are none to the sorting (`SortingConfig.min_cluster_spikes`)
    """
    rows, looked_at = posterior.labels, np.asarray(reference, dtype=np.int64)
    n_units = int(looked_at.max(initial=-1)) + 1
    if n_units == 0:
        return np.zeros(posterior.n_samples, dtype=bool)
    least = max(min_unit_size(posterior.n_points), min_spikes)
    jaccard, sizes = _overlaps(rows, looked_at, n_units)
    n_here = np.bincount(looked_at[looked_at >= 0], minlength=n_units)
    mine = (jaccard.max(axis=1) > MIN_JACCARD)[:, _sizeable(n_here, least)].all(axis=1)
    theirs = ((jaccard.max(axis=2) > MIN_JACCARD) | ~_sizeable(sizes, least)).all(axis=1)
    return np.asarray(mine & theirs)


def _overlaps(
    rows: NDArray[np.integer], reference: NDArray[np.int64], n_units: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """By sample and its cluster: Jaccard overlap with each unit (S, C, K), spikes (S, C)."""
    n_clusters = int(rows.max(initial=-1)) + 1
    shape = (len(rows), n_clusters, n_units + 1)
    column = np.where(reference < 0, n_units, reference)
    cell = rows * np.int64(n_units + 1)
    cell += np.arange(shape[0])[:, None] * (n_clusters * (n_units + 1)) + column
    table = np.bincount(cell.reshape(-1), minlength=shape[0] * shape[1] * shape[2]).reshape(shape)
    sizes, table = table.sum(axis=2), table[:, :, :n_units]
    union = sizes[:, :, None] + table.sum(axis=1)[:, None, :] - table
    return table / np.maximum(union, 1), sizes


def _sizeable(sizes: NDArray[np.integer], least: int) -> NDArray[np.bool_]:
    """(..., C) clusters that count as units, at least the largest: see `core.alternatives`."""
    large = sizes >= least
    if sizes.shape[-1] == 0:
        return large
    lonely = ~large.any(axis=-1, keepdims=True)
    return large | (lonely & (np.arange(sizes.shape[-1]) == sizes.argmax(axis=-1)[..., None]))
