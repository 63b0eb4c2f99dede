"""First pass: the spikes of each channel are clustered apart, and propose units.

Few draws of few spikes do: what they propose may be too much, and a neuron that several channels see is
proposed by each. Matching finds the spikes of all proposals and joins what is one neuron (`matching`).
It does not part what was proposed as one. So draws are weighed by the heaps in which the spikes lie: of ten
draws, five may join two neurons that are 24 noise sd apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.heaps import weighed_by_heaps
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.steps import NOTHING_KEPT, Packing, Steps, text_array, text_of
from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.sorting.channel_partition import draw_groups
from ncpgui.sorting.component_alternatives import first_clusters
from ncpgui.sorting.config import SortingConfig, detection_radius_um
from ncpgui.sorting.executors import Workers, workers_of
from ncpgui.sorting.posterior_draws import draw_all
from ncpgui.sorting.sampling import ClusterFunction, Sampling

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed

PROPOSING_DRAWS = 10
PROPOSING_SPIKES = 1000
"""Draws and spikes of a channel from which on the units that are found in the end no longer change.

Without sweeps over the draws two neurons of one channel may stay one.
"""


MOST_AT_ONCE = 4
FEWEST_BATCHES = 8
"""So many channels are sampled side by side, as long as there are batches for all workers."""


@dataclass(frozen=True)
class Detected:
    """A filtered recording and its spikes."""

    pre: Preprocessed
    spikes: SpikeEvents


@dataclass(frozen=True)
class Proposals:
    """Spikes of proposed units: sample_index, unit (n,) int64; and the name of the network."""

    sample_index: NDArray[np.int64]
    unit: NDArray[np.int64]
    model: str


PROPOSALS = Packing[Proposals](
    pack=lambda one: {"sample_index": one.sample_index, "unit": one.unit, "model": text_array(one.model)},
    unpack=lambda values: Proposals(values["sample_index"], values["unit"], text_of(values["model"])),
)


def detect(pre: Preprocessed, config: SortingConfig, progress: Progress = silent) -> Detected:
    """Find the spikes of a filtered recording.

    Raises
    ------
    InputError
        No spikes were found.
    """
    from ncpgui.ephys.detection import detect_spikes

    spikes = detect_spikes(
        pre,
        threshold_sd=config.threshold_sd,
        exclude_ms=config.exclude_ms,
        radius_um=detection_radius_um(config, pre.probe),
        peak_sign=config.peak_sign,
        progress=progress,
    )
    if len(spikes) == 0:
        levels = pre.noise_sd[pre.noise_sd > 0]
        raise InputError(
            f"no spikes found {_beyond(config)} noise sd on {pre.n_channels} channels "
            f"(noise sd {levels.min():.3g} to {levels.max():.3g} in the unit of the file); lower "
            "threshold_sd, or check dtype, channel count and polarity (peak_sign) of the recording"
        )
    return Detected(pre, spikes)


def _beyond(config: SortingConfig) -> str:
    """``under -4.5``."""
    size = f"{config.threshold_sd:g}"
    return {"neg": f"under -{size}", "pos": f"over {size}", "both": f"beyond {size}"}[config.peak_sign]


def propose(
    found: Detected,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None = None,
    workers: Workers | int = 1,
    most_draws: int = PROPOSING_DRAWS,
    most_spikes: int = PROPOSING_SPIKES,
    steps: Steps = NOTHING_KEPT,
    progress: Progress = silent,
) -> Proposals:
    """Cluster spikes of each channel: the units of its most probable sorting, as far as they were drawn.

    Units are proposed by draws, whichever sampler the components get. A channel that fails proposes nothing
    (said in the log). What was drawn of channels is kept in `steps`.

    Raises
    ------
    InputError, CheckpointError
        As `posterior_draws.draw_all`.
    """
    from ncpgui.ephys.waveforms import extract_many

    config = replace(
        config,
        sampler="draws",
        posterior_samples=min(config.posterior_samples, most_draws),
        spikes_per_group=min(config.spikes_per_group, most_spikes),
    )
    spikes = found.spikes
    draws = draw_groups(spikes, found.pre.probe, config, bad_channels=found.pre.bad_channels)
    ids = np.concatenate([draw.spike_ids for draw in draws])
    waveforms = extract_many(
        found.pre,
        spikes.sample_index[ids],
        spikes.channel[ids],
        {draw.channel: draw.neighbours for draw in draws},
        progress=portion(progress, 0, 1, 10),
    )
    fired = found.pre.recording.reference.clock.apart(spikes.sample_index)
    wanted = {
        draw.channel: Sampling.of(
            waveforms[draw.channel],
            found.pre.probe.positions_um[draw.neighbours],
            fired[draw.spike_ids] / found.pre.sampling_frequency_hz,
            stream_seed(config.seed, "first pass", draw.channel),
            config,
            cluster=cluster,
        )
        for draw in draws
    }
    drawn, _ = draw_all(
        wanted,
        what="channel",
        workers=workers_of(workers),
        progress=portion(progress, 1, 10, 10),
        at_once=max(1, min(MOST_AT_ONCE, len(draws) // FEWEST_BATCHES)),
        steps=steps,
    )
    times, units, n_units, model = [spikes.sample_index[:0]], [np.zeros(0, np.int64)], 0, ""
    for draw in draws:
        if draw.channel not in drawn:
            continue
        depth_sd = np.abs(waveforms[draw.channel][:, TROUGH_SAMPLE, 0])
        posterior = weighed_by_heaps(drawn[draw.channel].posterior, waveforms[draw.channel])
        labels = first_clusters(posterior, config, depth_sd=depth_sd)
        times.append(spikes.sample_index[draw.spike_ids[labels >= 0]])
        units.append(labels[labels >= 0] + n_units)
        n_units += int(labels.max(initial=-1)) + 1
        model = drawn[draw.channel].model
    return Proposals(np.concatenate(times), np.concatenate(units), model)
