"""Spikes that the network did not see, given to the clusters that it found, or to none.

Waveforms are projected on the principal components of the sampled spikes. There each cluster is a
Gaussian with its own mean and weight and one covariance for all, estimated from the spikes around
their cluster means and shrunk towards its diagonal when there are few. A spike belongs to each
cluster with the posterior probability of that mixture; it belongs to none when it lies farther from
its cluster than nearly all spikes of a Gaussian would, and than nearly all that the network put
there (spikes have heavier tails than Gaussians: bursts, overlaps).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

OWN_TAIL_QUANTILE = 0.98
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
    _, vectors = np.linalg.eigh((flat - mean).T @ (flat - mean))
    basis = vectors[:, ::-1][:, :d]
    largest = np.abs(basis).argmax(axis=0)
    basis = basis * np.sign(basis[largest, np.arange(d)])
    return FeatureSpace(mean.astype(np.float32), np.ascontiguousarray(basis, dtype=np.float32))


@dataclass(frozen=True)
class GaussianClusters:
    """Mixture with one covariance: means (K, d) whitened, whitener (d, d), log weight and limit (K,).

    limit : squared Mahalanobis distance beyond which a spike does not belong to the cluster.
    """

    means: NDArray[np.float64]
    whitener: NDArray[np.float64]
    log_weight: NDArray[np.float64]
    limit: NDArray[np.float64]


def fit_clusters(
    features: NDArray[np.float32], labels: NDArray[np.integer], *, none_quantile: float
) -> GaussianClusters:
    """Fit the mixture to labelled spikes: features (m, d), labels (m,) 0 .. K-1, -1 = left out.

    Every cluster 0 .. K-1 must have a spike.
    """
    known = labels >= 0
    points, cluster = features[known].astype(np.float64), labels[known]
    d = features.shape[1]
    sizes = np.bincount(cluster)
    means = np.stack([np.bincount(cluster, points[:, j]) / sizes for j in range(d)], axis=1)
    whitener = _whitener(points - means[cluster], len(sizes))
    white_means = means @ whitener
    own = ((points @ whitener - white_means[cluster]) ** 2).sum(axis=1)
    tail = np.array([np.quantile(own[cluster == k], OWN_TAIL_QUANTILE) for k in range(len(sizes))])
    return GaussianClusters(
        means=white_means,
        whitener=whitener,
        log_weight=np.log(sizes / sizes.sum()),
        limit=np.maximum(tail, chi2.ppf(none_quantile, d)),
    )


def assign(
    features: NDArray[np.float32], clusters: GaussianClusters
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Most probable cluster of each spike (-1 = none) and its probability (0 for none)."""
    white = features.astype(np.float64) @ clusters.whitener
    distance = (
        (white**2).sum(axis=1)[:, None] - 2 * white @ clusters.means.T + (clusters.means**2).sum(axis=1)[None]
    )
    score = clusters.log_weight - distance / 2
    best = score.argmax(axis=1)
    rows = np.arange(len(features))
    top = score[rows, best]
    probability = 1 / np.exp(score - top[:, None]).sum(axis=1)
    belongs = distance[rows, best] <= clusters.limit[best]
    labels = np.where(belongs, best, -1).astype(np.int32)
    return labels, np.where(belongs, probability, 0).astype(np.float32)


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
