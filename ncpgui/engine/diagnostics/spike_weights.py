"""Draws of a network beside the exact posterior of spikes whose templates are a finite set.

`weights_of` weighs the draws of one posterior by the exact joint of `finite_spikes`,
w_s = p(c_s, x) / q(c_s | x): the effective sample size says how many of them count, and the Pareto shape k
whether that can be believed (`importance.PARETO_LIMIT`). For spikes of a recording p is the model's, not
nature's: a small k says that the network's draws stand for the model's posterior.

`check_against_finite_spikes` does so for datasets of the model, and compares q with the enumerated posterior
where there are few spikes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.engine.diagnostics import importance
from ncpgui.engine.diagnostics.exact_posterior import DistanceToExact, distance_to_exact
from ncpgui.engine.diagnostics.posteriors import MOST_ENUMERATED, Posterior
from ncpgui.engine.generative.finite_spikes import FiniteSpikes


@dataclass(frozen=True)
class FiniteSpikesCheck:
    """Of datasets of `n_points` spikes.

    importance : of draws in one order of the spikes
    one_order, over_orders : distance of q from the enumerated posterior, in one order of the spikes and
        averaged over several; None where the partitions are too many
    """

    n_points: int
    importance: importance.ImportanceSummary
    one_order: DistanceToExact | None
    over_orders: DistanceToExact | None


def weights_of(
    samples: PosteriorSamples,
    waveforms: Tensor | NDArray[np.floating],
    model: FiniteSpikes,
    *,
    progress: Progress = silent,
) -> importance.ImportanceWeights:
    """Weigh draws of a posterior by the exact joint of the model.

    Parameters
    ----------
    samples : independent draws with their log-probability, in one order of the spikes or over several
    waveforms : (N, 32, C), noise sd, in the contacts of the model

    Raises
    ------
    InputError
        Draws without a probability, that are weighted already or that the prior rules out, or waveforms
        that do not fit.
    """
    if not np.isfinite(samples.log_prob).all():
        raise InputError(
            "draws without a log-probability cannot be weighed; take those of 'ancestral_samples' of a "
            "pointwise network, not swept"
        )
    if not np.allclose(samples.weight, samples.weight[0]):
        raise InputError(
            "draws that have weights already cannot be weighed; draw without links between spikes"
        )
    if samples.n_points != len(waveforms):
        raise InputError(f"draws are of {samples.n_points} spikes, but there are {len(waveforms)} waveforms")
    labels = torch.from_numpy(samples.labels.astype(np.int64))
    log_joint = model.log_joint(torch.as_tensor(waveforms), labels, progress=progress).cpu().numpy()
    if not np.isfinite(log_joint).any():
        raise InputError(
            f"every draw has more than the {model.prior.k_max} clusters that the model can have; "
            "raise its k_max"
        )
    return importance.weights_of(log_joint - samples.log_prob)


def check_against_finite_spikes(
    posterior: Posterior,
    model: FiniteSpikes,
    *,
    n_points: Sequence[int] = (6, 7, 8),
    n_datasets: int = 50,
    n_samples: int = 1000,
    n_orders: int = 4,
    seed: int = 0,
    progress: Progress = silent,
) -> list[FiniteSpikesCheck]:
    """Weigh draws for datasets of the model, and compare q with enumeration: one result for each size.

    Parameters
    ----------
    n_points : spikes of a dataset; up to 9 are enumerated
    n_orders : orders over which q is averaged as well
    """
    checks = []
    for i, n in enumerate(n_points):
        part = portion(progress, i, i + 1, len(n_points))
        weights = importance.importance_summary(
            posterior,
            model,
            n_datasets=n_datasets,
            n_points=n,
            n_samples=n_samples,
            seed=seed,
            progress=portion(part, 0, 1, 3),
        )
        distances: list[DistanceToExact | None] = [
            distance_to_exact(
                posterior,
                model,
                n_datasets=n_datasets,
                n_points=n,
                n_orders=orders,
                seed=seed,
                progress=portion(part, 1 + j, 2 + j, 3),
            )
            if n <= MOST_ENUMERATED
            else None
            for j, orders in enumerate((1, n_orders))
        ]
        checks.append(FiniteSpikesCheck(n, weights, *distances))
    return checks
