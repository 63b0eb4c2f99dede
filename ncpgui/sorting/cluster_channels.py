"""The posterior of one channel group: the network on the sampled spikes, the rest assigned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component, ComponentWaveforms
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

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed

ClusterFunction = Callable[..., Any]


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
) -> tuple[Component, ComponentWaveforms]:
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
    result = (cluster or _engine_cluster())(
        waveforms,
        channel_positions=probe.positions_um[draw.neighbours],
        model=config.model,
        samples=config.posterior_samples,
        beam=0,
        seed=stream_seed(config.seed, "posterior", draw.channel),
        device=config.device,
        progress=progress,
        clamped=held,
    )
    return SampledGroup(
        draw=draw,
        waveforms=waveforms,
        posterior=PosteriorSamples(result.labels, result.log_prob, order=result.order),
        features=result.features,
        space=fit_features(waveforms, config.assignment_dims),
        model=result.model,
    )


def depth_sd(waveforms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Trough of each of (m, 32, C) waveforms on its main channel: (m,), noise sd, positive."""
    return -waveforms[:, TROUGH_SAMPLE, 0]


def _engine_cluster() -> ClusterFunction:
    from ncpgui.engine import cluster

    return cluster


def coordinates_of_sampled(sampled: SampledGroup) -> NDArray[np.float32]:
    """(n, d) coordinates with the rows of the sampled spikes filled in, zeros elsewhere."""
    d = sampled.space.basis.shape[1]
    coordinates = np.zeros((len(sampled.draw.spike_ids), d), dtype=np.float32)
    coordinates[sampled.draw.sampled] = sampled.space.project(sampled.waveforms)
    return coordinates


def finish_group(
    sampled: SampledGroup, coordinates: NDArray[np.float32], config: SortingConfig
) -> tuple[Component, ComponentWaveforms]:
    """Assign all spikes under each alternative, from their coordinates (n, d) in `sampled.space`."""
    draw = sampled.draw
    group = Component(
        id=draw.channel,
        contacts=draw.neighbours,
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
    return group, ComponentWaveforms(sampled.waveforms, sampled.features, coordinates)
