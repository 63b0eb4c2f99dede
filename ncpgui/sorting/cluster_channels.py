"""The posterior of one channel group: the network on the sampled spikes, the rest assigned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.group import ChannelGroup, GroupWaveforms
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.sorting.assignment import FeatureSpace, fit_features
from ncpgui.sorting.channel_partition import GroupDraw, draw_group
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.group_posterior import build_alternatives
from ncpgui.sorting.sampling import ClusterFunction, Sampled, Sampling

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


@dataclass(frozen=True)
class SampledGroup:
    """A group whose sampled spikes the network has clustered; the others are still to be assigned.

    waveforms : (m, 32, C) of the sampled spikes; features : (m, d) of the network;
    space : where the other spikes are compared with them; model : name of the network.
    """

    draw: GroupDraw
    waveforms: NDArray[np.float32]
    posterior: PosteriorSamples
    features: NDArray[np.float32]
    space: FeatureSpace
    model: str


def cluster_group(
    pre: Preprocessed,
    spikes: SpikeEvents,
    channel: int,
    config: SortingConfig,
    *,
    progress: Progress = silent,
    cluster: ClusterFunction | None = None,
) -> tuple[ChannelGroup, GroupWaveforms]:
    """Sample the posterior of the spikes of one main channel.

    `cluster` is `ncpgui.engine.cluster` unless given.
    """
    from ncpgui.ephys.waveforms import extract_waveforms, iterate_waveforms

    draw = draw_group(spikes, channel, pre.probe, config, bad_channels=pre.bad_channels)
    times = spikes.sample_index[draw.spike_ids]
    waveforms = extract_waveforms(
        pre, times[draw.sampled], draw.neighbours, progress=portion(progress, 0, 1, 10)
    )
    sampled = sample_group(
        draw, waveforms, pre.probe, config, cluster=cluster, progress=portion(progress, 1, 9, 10)
    )
    rest = draw.rest
    coordinates = coordinates_of_sampled(sampled)
    pieces = iterate_waveforms(
        pre,
        times[rest],
        np.full(len(rest), draw.channel),
        {draw.channel: draw.neighbours},
        progress=portion(progress, 9, 10, 10),
    )
    if len(rest):
        for _, rows, piece in pieces:
            coordinates[rest[rows]] = sampled.space.project(piece)
    return finish_group(sampled, coordinates, config)


def sample_group(
    draw: GroupDraw,
    waveforms: NDArray[np.float32],
    probe: Probe,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None = None,
    held: NDArray[np.integer] | None = None,
    progress: Progress = silent,
) -> SampledGroup:
    """Run the network on the waveforms of the sampled spikes; `held` as in `engine.cluster`'s clamped."""
    task = sampling_of_group(draw, waveforms, probe, config, cluster=cluster, held=held)
    return sampled_group(draw, waveforms, task(progress), config)


def sampling_of_group(
    draw: GroupDraw,
    waveforms: NDArray[np.float32],
    probe: Probe,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None = None,
    held: NDArray[np.integer] | None = None,
) -> Sampling:
    """The task of sampling the posterior of a group, for any process."""
    return Sampling(
        waveforms,
        probe.positions_um[draw.neighbours],
        n_draws=config.posterior_samples,
        seed=stream_seed(config.seed, "posterior", draw.channel),
        model=config.model,
        device=config.device,
        held=held,
        cluster=cluster,
    )


def sampled_group(
    draw: GroupDraw, waveforms: NDArray[np.float32], sampled: Sampled, config: SortingConfig
) -> SampledGroup:
    """A group with the posterior that `sampling_of_group` found."""
    return SampledGroup(
        draw=draw,
        waveforms=waveforms,
        posterior=sampled.posterior,
        features=sampled.features,
        space=fit_features(waveforms, config.assignment_dims),
        model=sampled.model,
    )


def depth_sd(waveforms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Trough of each of (m, 32, C) waveforms on its main channel: (m,), noise sd, positive."""
    return -waveforms[:, TROUGH_SAMPLE, 0]


def coordinates_of_sampled(sampled: SampledGroup) -> NDArray[np.float32]:
    """(n, d) coordinates with the rows of the sampled spikes filled in, zeros elsewhere."""
    d = sampled.space.basis.shape[1]
    coordinates = np.zeros((len(sampled.draw.spike_ids), d), dtype=np.float32)
    coordinates[sampled.draw.sampled] = sampled.space.project(sampled.waveforms)
    return coordinates


def finish_group(
    sampled: SampledGroup, coordinates: NDArray[np.float32], config: SortingConfig
) -> tuple[ChannelGroup, GroupWaveforms]:
    """Assign all spikes under each alternative, from their coordinates (n, d) in `sampled.space`."""
    draw = sampled.draw
    group = ChannelGroup(
        channel=draw.channel,
        neighbours=draw.neighbours,
        spike_ids=draw.spike_ids,
        sampled=draw.sampled,
        posterior=sampled.posterior,
        alternatives=build_alternatives(
            sampled.posterior,
            draw.sampled,
            coordinates,
            config,
            depth_sd=depth_sd(sampled.waveforms),
        ),
    )
    return group, GroupWaveforms(sampled.waveforms, sampled.features, coordinates)
