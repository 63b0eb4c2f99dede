"""Independent samples in a second: a network against collapsed Gibbs sampling (paper, sec. 7).

Both draw side by side: as many chains as draws of the network, all of which visit the same point at a time.
Successive states of a chain are alike, so that its sweeps are counted by what they are worth (the smaller
effective sample size of the number of clusters and of log p(c, x)). The network's draws are independent,
though of q and not of p; what they are worth as draws of p, `importance` says.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch

from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.diagnostics.parallel_gibbs import Labels, effective_sample_size, parallel_sweeps
from ncpgui.engine.diagnostics.posteriors import Posterior, datasets, one
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM


@dataclass(frozen=True)
class Speed:
    """Means over datasets of `n_points`.

    n_samples : draws of the network, and chains, side by side
    gibbs_sweep_s : wall clock of a sweep of one chain, its share of a sweep of all, in numpy
    gibbs_worth : independent draws that a sweep of one chain is worth
    draw_s : wall clock of a draw of the network, its share of all
    """

    n_points: int
    n_samples: int
    gibbs_sweep_s: float
    gibbs_worth: float
    draw_s: float

    @property
    def ratio(self) -> float:
        """Independent draws of the network in the time of one that is worth as much from the chains."""
        return self.gibbs_sweep_s / self.gibbs_worth / self.draw_s


def compare_speed(
    posterior: Posterior,
    model: GaussianDPMM,
    *,
    n_datasets: int,
    n_points: int,
    n_sweeps: int,
    n_samples: int,
    seed: int,
    progress: Progress = silent,
) -> Speed:
    """Time both on the same datasets of the model.

    Chains start at the truth. The first half of their sweeps takes them apart, and is not counted: neither
    its time nor its draws, which favours the chains.

    n_sweeps : of each chain; n_samples : draws of the network, and chains, 2 or more
    """
    batch = datasets(model, n_datasets, n_points, seed, "speed")
    rows = []
    for i in reported(range(n_datasets), progress):
        points = one(batch.points, i)
        start = np.tile(batch.labels[i].numpy(), (n_samples, 1))
        chains = parallel_sweeps(points[0][0].numpy(), model, start, seed=seed)
        for _ in islice(chains, n_sweeps // 2):
            pass
        started = time.perf_counter()
        labels = np.stack(list(islice(chains, n_sweeps - n_sweeps // 2)), axis=1)
        between = time.perf_counter()
        posterior.sample(points, n_samples, stream_seed(seed, "speed draws", i))
        ended = time.perf_counter()
        n_counted = labels.shape[0] * labels.shape[1]
        worth = draws_worth(labels, points[0][0], model)
        rows.append(((between - started) / n_counted, worth / n_counted, (ended - between) / n_samples))
    return Speed(n_points, n_samples, *np.array(rows).mean(axis=0).tolist())


def draws_worth(labels: Labels, x: torch.Tensor, model: GaussianDPMM) -> float:
    """Independent draws that S chains of T clusterings of points x (N, D), labels (S, T, N), are worth.

    The smaller effective sample size of the number of clusters and of log p(c, x).
    """
    flat = labels.reshape(-1, labels.shape[2])
    log_joint = model.log_joint(x, torch.from_numpy(flat)).numpy()
    traces = (flat.max(axis=1).astype(np.float64), log_joint)
    return min(effective_sample_size(trace.reshape(labels.shape[:2])) for trace in traces)
