"""A few draws of each of several sets of spikes, or a beam of each, walked together.

A step of a walk costs little more for the draws of several sets than for those of one, as long as they are
few; on a GPU, where there are many too. Each set gets what it gets alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress, silent
from ncpgui.core.sampled import Sampled
from ncpgui.engine.checked_times import checked_times
from ncpgui.engine.networks.as_arrays import tells_times
from ncpgui.engine.sampling.beams import beam_samples_of_many
from ncpgui.engine.sampling.posterior import ancestral_samples_of_many
from ncpgui.engine.sampling.sweeps import swept
from ncpgui.engine.torch_defaults import usual_defaults
from ncpgui.engine.waveform_clustering import encoded, opened_model


@usual_defaults()
def draws_side_by_side(
    sets: Sequence[NDArray[np.floating]],
    *,
    channel_positions: Sequence[ArrayLike],
    times_s: Sequence[ArrayLike | None] | None = None,
    seeds: Sequence[int],
    samples: int,
    beam: int = 0,
    sweeps: int | None = None,
    model: str | Path | None = None,
    device: str = "auto",
    progress: Progress = silent,
) -> list[Sampled]:
    """Draw from the posterior of each of several sets, or search the beam of each, as `cluster`.

    Parameters
    ----------
    sets : (n_spikes, 32, n_channels) each, noise sd, main channel first
    channel_positions : (n_channels, 2) µm of each; times_s : (n_spikes,) s of each, None where nobody knows
    seeds : of the draws of each
    samples, beam, sweeps, model, device : as there, but draws or a beam; so are the errors

    Raises
    ------
    InputError
        Both draws and a beam are asked for, or neither.
    """
    if bool(samples) == bool(beam):
        raise InputError(f"sets are drawn from or searched by beam, got samples={samples} and beam={beam}")
    checkpoint = opened_model(model, device, beam=bool(beam))
    seen = [
        encoded(
            checkpoint,
            waveforms,
            channel_positions=places,
            times=None if times is None else checked_times(times, len(waveforms)),
        )
        for waveforms, places, times in zip(
            sets, channel_positions, times_s or [None] * len(sets), strict=True
        )
    ]
    if not seen:
        return []
    network, encodings = seen[0].network, [one.encoding for one in seen]
    if beam:
        drawn = beam_samples_of_many(network, encodings, width=beam, seeds=seeds, progress=progress)
    else:
        drawn = ancestral_samples_of_many(
            network, encodings, n_samples=samples, seeds=seeds, progress=progress
        )
    if samples and sweeps != 0:
        drawn = [
            swept(one.network, one.encoding, posterior, seed=seed, n_sweeps=sweeps)
            for posterior, one, seed in zip(drawn, seen, seeds, strict=True)
        ]
    return [
        Sampled(
            posterior,
            one.encoding.features[0].float().cpu().numpy(),
            checkpoint.name,
            tells_times(one.encoding),
        )
        for posterior, one in zip(drawn, seen, strict=True)
    ]
