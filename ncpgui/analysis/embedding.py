"""A map of spikes in two dimensions: t-SNE of the network's features (van der Maaten & Hinton, 2008)."""

from __future__ import annotations

import io
import warnings
from contextlib import redirect_stderr
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream

MAX_POINTS = 2000
PERPLEXITY = 30.0
STAGES = 2
STAGE_ITERATIONS = 250
EARLY_EXAGGERATION = 12.0
ANGLE = 0.8
MAX_DIMENSIONS = 30
_FEWEST_FOR_TSNE = 8


def tsne(
    features: NDArray[np.floating],
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> NDArray[np.float32]:
    """Place points in the plane so that neighbours in feature space stay neighbours.

    Runs in stages, between which it can be cancelled. Fewer than eight points are shown by their
    first two principal components.

    Parameters
    ----------
    features : (n, d), at most `MAX_POINTS` points; all finite

    Returns
    -------
    (n, 2) float32, centred at zero

    Raises
    ------
    InputError
        Too many points, or values that are not finite.
    """
    points = np.asarray(features, dtype=np.float64)
    if points.ndim != 2:
        raise InputError(f"features must be (n, d), got shape {points.shape}")
    if len(points) > MAX_POINTS:
        raise InputError(
            f"an embedding takes at most {MAX_POINTS} points, got {len(points)}; pass a sample of them"
        )
    if not np.isfinite(points).all():
        bad = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise InputError(f"features of point {bad} are not finite")
    progress(0, STAGES, "embedding")
    components = _principal_components(points)
    plane = components[:, :2]
    spread = float(plane[:, 0].std()) if len(points) else 0.0
    if len(points) < _FEWEST_FOR_TSNE or spread == 0:
        progress(STAGES, STAGES, "embedding")
        return plane.astype(np.float32)
    from sklearn.manifold import TSNE

    _count_cores()
    # Identical points would have no direction to part in: a tiny seeded noise gives them one.
    noise = stream(seed, "embedding").normal(0, 1e-6, plane.shape)
    layout = ((plane / spread + noise) * 1e-4).astype(np.float32)
    for stage in range(STAGES):
        exaggeration = EARLY_EXAGGERATION if stage == 0 else 1.0
        model = TSNE(
            n_components=2,
            perplexity=min(PERPLEXITY, (len(points) - 1) / 3),
            init=layout,
            early_exaggeration=exaggeration,
            learning_rate=max(len(points) / exaggeration / 4, 50.0),
            angle=ANGLE,
            max_iter=STAGE_ITERATIONS,
            random_state=0,
            n_jobs=1,
        )
        layout = np.asarray(model.fit_transform(components[:, :MAX_DIMENSIONS].astype(np.float32)))
        progress(stage + 1, STAGES, "embedding")
    centred: NDArray[np.float32] = layout - layout.mean(axis=0, dtype=np.float64).astype(np.float32)
    return centred


@lru_cache(maxsize=1)
def _count_cores() -> None:
    """Have the cores counted once, before scikit-learn does: where that fails, it prints a traceback."""
    from joblib import cpu_count

    with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        cpu_count(only_physical_cores=True)


def _principal_components(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores on all principal components, the largest first, each with a fixed sign: (n, >= 2)."""
    centred = points - points.mean(axis=0) if len(points) else points
    if len(points) == 0:
        return np.zeros((0, 2))
    u, size, axes = np.linalg.svd(centred, full_matrices=False)
    flip = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    scores = u * size * flip
    return np.pad(scores, ((0, 0), (0, max(0, 2 - scores.shape[1]))))
