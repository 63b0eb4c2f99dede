"""Spikes that the network did not see, given to the clusters that it found.

Waveforms are projected on the principal components of the sampled spikes. There each cluster is a
Gaussian with its own mean and one covariance for all, estimated from the spikes around their cluster
means and shrunk towards its diagonal when there are few. A spike belongs to each cluster with the
posterior probability of that mixture. What a spike is by itself says matching: it goes to none only
where the spikes of its unit do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.principal_axes import principal_axes

MIN_WHITENED_SD = 0.3


@dataclass(frozen=True)
class FeatureSpace:
    """Principal components of waveforms: mean (T * C,), basis (T * C, d)."""

    mean: NDArray[np.float32]
    basis: NDArray[np.float32]

    def project(self, waveforms: NDArray[np.float32]) -> NDArray[np.float32]:
        """Coordinates of waveforms (n, T, C): (n, d) float32."""
        flat = waveforms.reshape(len(waveforms), -1)
        return np.asarray((flat - self.mean) @ self.basis, dtype=np.float32)


def fit_features(waveforms: NDArray[np.float32], n_dims: int) -> FeatureSpace:
    """Leading principal components of waveforms (m, T, C); at most m - 1 of them, at least one."""
    flat = waveforms.reshape(len(waveforms), -1).astype(np.float64)
    mean = flat.mean(axis=0)
    d = max(1, min(n_dims, flat.shape[1], len(flat) - 1))
    basis = principal_axes((flat - mean).T @ (flat - mean), d)
    return FeatureSpace(mean.astype(np.float32), np.ascontiguousarray(basis, dtype=np.float32))


@dataclass(frozen=True)
class GaussianClusters:
    """Mixture with one covariance: means (K, d) whitened, whitener (d, d), weight (K,)."""

    means: NDArray[np.float64]
    whitener: NDArray[np.float64]
    weight: NDArray[np.float64]


def fit_clusters(features: NDArray[np.float32], labels: NDArray[np.integer]) -> GaussianClusters:
    """Fit the mixture to labelled spikes: features (m, d), labels (m,) 0 .. K-1, -1 = left out.

    Every cluster 0 .. K-1 must have a spike.
    """
    known = labels >= 0
    points, cluster = features[known].astype(np.float64), labels[known]
    sizes = np.bincount(cluster)
    means = np.stack([np.bincount(cluster, column) / sizes for column in points.T], axis=1)
    whitener = _whitener(points - means[cluster], len(sizes))
    return GaussianClusters(means @ whitener, whitener, sizes / sizes.sum())


def assign(
    features: NDArray[np.float32], clusters: GaussianClusters, share: NDArray[np.floating] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Most probable cluster of each spike (-1 = none) and its probability (0 for none).

    share : (n, K) part of the spikes like each that is in each cluster, in place of the clusters' weights;
        spikes whose row is zero belong to none
    """
    white = features.astype(np.float64) @ clusters.whitener
    distance = (
        (white**2).sum(axis=1)[:, None] - 2 * white @ clusters.means.T + (clusters.means**2).sum(axis=1)[None]
    )
    with np.errstate(divide="ignore"):
        score = np.log(clusters.weight if share is None else share) - distance / 2
    best = score.argmax(axis=1)
    top = score[np.arange(len(features)), best]
    belongs = np.isfinite(top)
    odds = np.exp(score - np.where(belongs, top, 0)[:, None])
    probability = np.where(belongs, 1 / np.maximum(odds.sum(axis=1), 1), 0)
    return np.where(belongs, best, -1).astype(np.int32), probability.astype(np.float32)


def _whitener(residual: NDArray[np.float64], n_means: int) -> NDArray[np.float64]:
    """Matrix W with W W' the inverse of the pooled covariance, shrunk to its diagonal when n is small.

    No direction counts as quieter than `MIN_WHITENED_SD` noise sd: a cluster of few spikes would
    otherwise look infinitely sharp.
    """
    n, d = residual.shape
    covariance = residual.T @ residual / max(n - n_means, 1)
    shrink = d / (d + max(n - n_means, 0))
    covariance = (1 - shrink) * covariance + shrink * np.diag(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance)
    whitener: NDArray[np.float64] = vectors / np.sqrt(np.maximum(values, MIN_WHITENED_SD**2))
    return whitener
