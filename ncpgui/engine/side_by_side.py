"""A few draws of each of several sets of spikes, walked together.

A step of a walk costs little more for the draws of several sets than for those of one, as long as they are
few. Each set gets what it gets alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, silent
from ncpgui.engine.sampling.posterior import ancestral_samples_of_many
from ncpgui.engine.sampling.sweeps import swept
from ncpgui.engine.waveform_clustering import encoded, opened_model


@dataclass(frozen=True)
class SetDraws:
    """Draws of a set, the (n, d) float32 features of its spikes, and the name of the network."""

    posterior: PosteriorSamples
    features: NDArray[np.float32]
    model: str


def draws_side_by_side(
    sets: Sequence[NDArray[np.floating]],
    *,
    channel_positions: Sequence[ArrayLike],
    seeds: Sequence[int],
    samples: int,
    sweeps: int | None = None,
    model: str | Path | None = None,
    device: str = "auto",
    progress: Progress = silent,
) -> list[SetDraws]:
    """Draw from the posterior of each of several sets, as `cluster_waveforms` without beam.

    Parameters
    ----------
    sets : (n_spikes, 32, n_channels) each, noise sd, main channel first
    channel_positions : (n_channels, 2) µm of each; seeds : of the draws of each
    samples, sweeps, model, device : as there; so are the errors
    """
    checkpoint = opened_model(model, device)
    seen = [
        encoded(checkpoint, waveforms, channel_positions=places)
        for waveforms, places in zip(sets, channel_positions, strict=True)
    ]
    if not seen:
        return []
    drawn = ancestral_samples_of_many(
        seen[0].network,
        [one.encoding for one in seen],
        n_samples=samples,
        seeds=seeds,
        progress=progress,
    )
    if sweeps != 0:
        drawn = [
            swept(one.network, one.encoding, posterior, seed=seed, n_sweeps=sweeps)
            for posterior, one, seed in zip(drawn, seen, seeds, strict=True)
        ]
    return [
        SetDraws(posterior, one.encoding.features[0].float().cpu().numpy(), checkpoint.name)
        for posterior, one in zip(drawn, seen, strict=True)
    ]
