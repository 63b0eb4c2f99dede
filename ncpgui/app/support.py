"""How far the posterior supports what is on screen: does a unit exist, is this sorting sampled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import MIN_JACCARD, min_unit_size, sizeable_clusters
from ncpgui.core.posterior import PosteriorSamples

EXISTS_JACCARD = 0.5


def existence(posterior: PosteriorSamples, reference: NDArray[np.integer]) -> NDArray[np.float64]:
    """P(each cluster of `reference` exists): share of samples with a partner of Jaccard >= 0.5.

    reference : (N,) over the points of the posterior, -1 = none; returns (K,).
    """
    table, sizes = _tables(posterior, reference)
    union = sizes[:, :, None] + _sizes(reference)[None, None] - table
    best = (table / np.maximum(union, 1)).max(axis=1, initial=0.0)
    return posterior.weight @ (best >= EXISTS_JACCARD)


def samples_of_sorting(posterior: PosteriorSamples, reference: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Tell which samples are the same sorting as `reference`: (S,), see `core.alternatives.same_sorting`."""
    table, sizes = _tables(posterior, reference)
    if table.size == 0:
        return np.zeros(posterior.n_samples, dtype=bool)
    union = table.sum(axis=2, keepdims=True) + table.sum(axis=1, keepdims=True) - table
    jaccard = table / np.maximum(union, 1)
    mine = (jaccard.max(axis=1) > MIN_JACCARD)[:, sizeable_clusters(reference)].all(axis=1)
    is_large = sizes >= min_unit_size(len(reference))
    is_large |= ~is_large.any(axis=1, keepdims=True) & (np.arange(sizes.shape[1]) == sizes.argmax(1)[:, None])
    theirs = ((jaccard.max(axis=2) > MIN_JACCARD) | ~is_large).all(axis=1)
    return np.asarray(mine & theirs)


def _tables(
    posterior: PosteriorSamples, reference: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points by (sample, its cluster, cluster of `reference`), and by (sample, its cluster)."""
    n_reference = int(reference.max(initial=-1)) + 1
    n_clusters = int(posterior.labels.max(initial=-1)) + 1
    shape = (posterior.n_samples, n_clusters, n_reference + 1)
    column = np.where(reference < 0, n_reference, reference)
    cell = posterior.labels * np.int64(n_reference + 1)
    cell += np.arange(shape[0])[:, None] * (n_clusters * (n_reference + 1)) + column
    table = np.bincount(cell.reshape(-1), minlength=shape[0] * shape[1] * shape[2]).reshape(shape)
    return table[:, :, :n_reference], table.sum(axis=2)


def _sizes(reference: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.bincount(reference[reference >= 0], minlength=int(reference.max(initial=-1)) + 1)
