"""Independent samples in a second: a network against collapsed Gibbs sampling (paper, sec. 7).

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

from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.device import torch_generator
from ncpgui.engine.diagnostics.gibbs import effective_sample_size, sweeps
from ncpgui.engine.diagnostics.posteriors import Posterior, one
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM


@dataclass(frozen=True)
class Speed:
    """Means over datasets of `n_points`.

    gibbs_sweep_s : wall clock of a sweep, in numpy; gibbs_worth : independent draws that a sweep is worth
    draw_s : wall clock of a draw of the network, of `n_samples` side by side
    """

    n_points: int
    n_samples: int
    gibbs_sweep_s: float
    gibbs_worth: float
    draw_s: float

    @property
    def ratio(self) -> float:
        """Independent draws of the network in the time of one that is worth as much from the chain."""
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
    """Time both on the same datasets of the model; chains start at the truth and need no burn-in."""
    generator = torch_generator(stream_seed(seed, "speed"), torch.device("cpu"))
    batch = model.sample(n_datasets, n_points, generator)
    rows = []
    for i in range(n_datasets):
        progress(i, n_datasets)
        points = one(batch.points, i)
        chain = sweeps(points[0][0].numpy(), model, seed=seed, start=batch.labels[i].numpy())
        started = time.perf_counter()
        labels = np.stack(list(islice(chain, n_sweeps)))
        between = time.perf_counter()
        posterior.sample(points, n_samples, stream_seed(seed, "speed draws", i))
        ended = time.perf_counter()
        log_joint = model.log_joint(points[0][0], torch.from_numpy(labels)).numpy()
        worth = min(effective_sample_size(labels.max(axis=1)), effective_sample_size(log_joint))
        rows.append(((between - started) / n_sweeps, worth / n_sweeps, (ended - between) / n_samples))
    progress(n_datasets, n_datasets)
    return Speed(n_points, n_samples, *np.array(rows).mean(axis=0).tolist())
