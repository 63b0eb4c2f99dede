"""Principal axes, the same each time: eigenvectors have no sign of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def principal_axes(scatter: NDArray[np.floating], n_axes: int) -> NDArray[np.float64]:
    """Axes (d, n_axes or d) of the largest variance, the largest first, each with its largest entry positive.

    scatter : (d, d), sum of the products of centred values
    """
    _, vectors = np.linalg.eigh(scatter.astype(np.float64))
    axes = vectors[:, ::-1][:, :n_axes]
    largest = np.abs(axes).argmax(axis=0)
    return np.asarray(axes * np.sign(axes[largest, np.arange(axes.shape[1])]))


def principal_scores(points: NDArray[np.floating], n_axes: int) -> NDArray[np.floating]:
    """Scores of points (n, d) on their largest principal axes, of the points' type: (n, `n_axes` or d)."""
    centred = points - points.mean(axis=0, dtype=np.float64).astype(points.dtype)
    axes = principal_axes(centred.T @ centred, n_axes).astype(points.dtype)
    return np.asarray(centred @ axes)
