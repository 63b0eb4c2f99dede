"""The temperature at which the probabilities of a network come true best.

A network learns one choice at a time. Over hundreds of points small doubts add up, and the probability that
two points share a cluster can be too modest although each choice is right on average. All choices are made
sharper, or flatter,

    q_T(c_n = k | c_<n, x) ~ q(c_n = k | c_<n, x)^(1 / T),

with the T whose draws, over several orders and swept as people see them, give the probabilities of sharing a
cluster the best log score on held-out datasets: a proper score (Gneiting & Raftery, JASA 2007), the best
where these probabilities are true. Few datasets tell temperatures apart only by chance: T stays 1 unless the
best gains more than twice the standard error of the gain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

from ncpgui.core.order_agreement import N_ORDERS
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.diagnostics.calibration import co_assignment, log_score
from ncpgui.engine.diagnostics.posteriors import PointwisePosterior, datasets, draw
from ncpgui.engine.generative.batch import GenerativeModel
from ncpgui.engine.networks.pointwise import ClusteringNetwork

TRIED = (0.5, 0.6, 0.72, 0.85, 1.0, 1.2, 1.4)


@dataclass(frozen=True)
class TemperatureFit:
    """What was found, and on what.

    temperature : the best, or 1 where the gain may be chance
    gain, gain_se : log score at 1 minus that at the best of those tried, a mean over datasets, nats
    tried, log_score : temperatures, and the mean -log p of what is true of all pairs at each, nats
    """

    temperature: float
    gain: float
    gain_se: float
    tried: tuple[float, ...]
    log_score: tuple[float, ...]
    n_datasets: int
    n_points: int
    n_samples: int


def fit_temperature(
    network: ClusteringNetwork,
    model: GenerativeModel,
    *,
    n_datasets: int = 100,
    n_points: int = 200,
    n_samples: int = 50,
    seed: int = 0,
    progress: Progress = silent,
) -> TemperatureFit:
    """Find the best temperature of a network, and leave it there.

    All temperatures meet the same datasets and the same random numbers. The best lies where a parabola
    through the best of `TRIED` and its neighbours is lowest. What `progress` raises ends it with the
    temperature as it was.
    """
    before = network.log_temperature.clone()
    posterior = PointwisePosterior(network, n_orders=N_ORDERS, n_sweeps=None)
    batch = datasets(model, n_datasets, n_points, seed, "calibration")
    truth = [co_assignment(row[None]) > 0.5 for row in batch.labels.numpy()]
    floor = 0.5 / n_samples  # the least that so many draws can tell from 0
    scores = np.empty((len(TRIED), n_datasets))
    try:
        for i, temperature in enumerate(TRIED):
            network.log_temperature.fill_(math.log(temperature))
            part = portion(progress, i, i + 1, len(TRIED))
            drawn = draw(posterior, batch, n_samples, stream_seed(seed, "calibration draws"), part)
            scores[i] = [
                log_score(co_assignment(labels), together, floor=floor)
                for labels, together in zip(drawn, truth, strict=True)
            ]
    except BaseException:
        network.log_temperature.copy_(before)
        raise
    mean = scores.mean(axis=1)
    gains = scores[TRIED.index(1.0)] - scores[mean.argmin()]
    gain, gain_se = float(gains.mean()), float(gains.std(ddof=1) / math.sqrt(n_datasets))
    best = math.exp(_lowest(np.log(TRIED), mean)) if gain > 2 * gain_se else 1.0
    network.log_temperature.copy_(torch.tensor(math.log(best)))
    return TemperatureFit(
        round(best, 4), gain, gain_se, TRIED, tuple(mean.tolist()), n_datasets, n_points, n_samples
    )


def _lowest(x: np.ndarray, y: np.ndarray) -> float:
    """Where the parabola through the lowest value and its neighbours is lowest; an end when that is it.

    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> float(round(_lowest(x, (x - 1.3) ** 2), 6))
    1.3
    """
    i = int(y.argmin())
    if i in (0, len(x) - 1):
        return float(x[i])
    a, b, _ = np.polyfit(x[i - 1 : i + 2], y[i - 1 : i + 2], 2)
    return float(-b / (2 * a))
