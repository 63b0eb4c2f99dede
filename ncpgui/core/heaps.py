"""Whether spikes that a draw parts lie in two heaps or in one: over all of them, in coordinates of waveforms.

Two neurons leave a valley between their spikes: along the line on which the two parts are furthest apart
for their spread, fewer spikes lie in the middle than at either end. A part that was cut from one neuron
leaves none. A logistic regression says how much more probable the *valley* and the *distance* of the parts
are under two neurons than under one: a likelihood ratio, since both were given the same weight where it was
fitted (`benchmarks/probabilities/heaps.py`, which says on what, and fits it again).

The draws of a set that is clustered by itself are weighed by it with a small power (`weighed_by_heaps`): the
network has seen the same waveforms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.principal_axes import principal_scores

QUANTITIES = ("valley", "distance")
WEIGHTS = (-0.51, 2.26)
INTERCEPT = -5.95
MOST_NATS = 8.0
"""Neither verdict is surer than this: what was fitted knows no more."""
MANY_SPIKES = 10_000
"""Of more spikes so many are looked at, evenly drawn: a valley that these do not show is none."""
SAID_TWICE = 0.2
"""Power of the likelihood of heaps where the network has seen all of the same waveforms. Of 0.1, 0.2, 0.3,
0.5 and 1 the one that serves easy sets and those of the development of `final_sets` together."""
N_COORDINATES = 8
"""Principal components in which the spikes of a set that is clustered by itself lie."""


def heap_quantities(first: NDArray[np.floating], second: NDArray[np.floating]) -> NDArray[np.float64]:
    """What tells two heaps from one, in the order of `QUANTITIES`: (2,).

    valley : log of the spikes in the middle over those at the end that has fewer, one added to each, within a
        sixth of the distance of the means on either side; spikes of both parts count everywhere
    distance : of the means, in sd of the parts along the line

    Parameters
    ----------
    first, second : (n, d), (m, d) coordinates, at least one spike each
    """
    parts = [_some(part).astype(np.float64) for part in (first, second)]
    means = [part.mean(axis=0) for part in parts]
    residual = np.concatenate([part - mean for part, mean in zip(parts, means, strict=True)])
    line = _steepest(residual, means[1] - means[0])
    along = np.concatenate(parts) @ line
    start, end = (float(mean @ line) for mean in means)
    place = (along - start) / max(end - start, 1e-12)
    at = [int((np.abs(place - where) < 1 / 6).sum()) for where in (0.0, 0.5, 1.0)]
    return np.array(
        [
            np.log((at[1] + 1) / (min(at[0], at[2]) + 1)),
            (end - start) / (float((residual @ line).std()) + 1e-12),
        ]
    )


def two_heaps_nats(quantities: NDArray[np.floating]) -> NDArray[np.float64]:
    """Log likelihood ratio, two neurons against one, of quantities (..., 2): (...), nats."""
    return np.asarray(np.clip(quantities @ np.asarray(WEIGHTS) + INTERCEPT, -MOST_NATS, MOST_NATS))


def _some(part: NDArray[np.floating]) -> NDArray[np.floating]:
    return part[:: -(-len(part) // MANY_SPIKES)]


def _steepest(residual: NDArray[np.float64], apart: NDArray[np.float64]) -> NDArray[np.float64]:
    """Direction (d,) along which means that are `apart` are furthest apart for the spread of the spikes.

    The covariance of few spikes is shrunk towards its diagonal.
    """
    n, d = max(len(residual) - 2, 1), len(apart)
    covariance = residual.T @ residual / n
    shrink = d / (d + n)
    covariance = (1 - shrink) * covariance + shrink * np.diag(np.diag(covariance))
    covariance += 1e-6 * (np.trace(covariance) / d + 1e-12) * np.eye(d)
    return np.asarray(np.linalg.solve(covariance, apart))


def weighed_by_heaps(drawn: PosteriorSamples, waveforms: NDArray[np.floating]) -> PosteriorSamples:
    """Samples of n spikes, weighed by whether what each parts lies in two heaps or in one.

    A sample gets the ratio, to the power `SAID_TWICE`, of each of its units but the largest, against the
    nearest larger one. Units of few spikes say nothing.

    Parameters
    ----------
    drawn : (S, n); waveforms : (n, n_samples, n_channels), noise sd
    """
    coordinates = principal_scores(waveforms.reshape(len(waveforms), -1), N_COORDINATES)
    known: dict[tuple[bytes, bytes], float] = {}
    rows, which = np.unique(drawn.labels, axis=0, return_inverse=True)
    nats = np.array([_parted(labels, coordinates, known) for labels in rows])
    return drawn.weighed(SAID_TWICE * nats[which.reshape(-1)])


def _parted(
    labels: NDArray[np.integer], coordinates: NDArray[np.floating], known: dict[tuple[bytes, bytes], float]
) -> float:
    """Log likelihood of the parts (n,) that a sample makes, against one neuron; `known` of parts compared."""
    sizes = np.bincount(labels)
    units = [k for k in np.argsort(-sizes, kind="stable") if sizes[k] >= min_unit_size(len(labels))]
    parts = [labels == k for k in units]
    means = np.array([coordinates[part].mean(axis=0) for part in parts])
    nats = 0.0
    for k in range(1, len(parts)):
        nearest = int(((means[:k] - means[k]) ** 2).sum(axis=1).argmin())
        key = parts[nearest].tobytes(), parts[k].tobytes()
        if key not in known:
            quantities = heap_quantities(coordinates[parts[nearest]], coordinates[parts[k]])
            known[key] = float(two_heaps_nats(quantities))
        nats += known[key]
    return nats
