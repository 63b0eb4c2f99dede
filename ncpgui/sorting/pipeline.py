"""From a recording to a Project: the steps in order, each usable alone."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.config import to_dict
from ncpgui.core.errors import CheckpointError, InputError, NcpguiError
from ncpgui.core.group import ChannelGroup, GroupWaveforms
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.stimulus import Stimulus
from ncpgui.engine import shared_cores
from ncpgui.sorting.channel_partition import GroupDraw, draw_groups
from ncpgui.sorting.cluster_channels import (
    SampledGroup,
    coordinates_of_sampled,
    finish_group,
    sampled_group,
    sampling_of_group,
)
from ncpgui.sorting.config import SortingConfig, detection_radius_um
from ncpgui.sorting.deduplication import combine, group_templates
from ncpgui.sorting.executors import Workers, run_all, workers_of
from ncpgui.sorting.sampling import ClusterFunction, Sampled

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed
    from ncpgui.ephys.recording import Recording

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Detected:
    """A filtered recording and its spikes; close `pre` when done with it."""

    pre: Preprocessed
    spikes: SpikeEvents
    probe: Probe
    noise_sd: NDArray[np.float32]


def sort_recording(
    recording: Recording,
    config: SortingConfig,
    *,
    stimulus: Stimulus | None = None,
    progress: Progress = silent,
    cluster: ClusterFunction | None = None,
    workers: Workers | int | None = None,
) -> Project:
    """Detect spikes, sample the posterior of every channel group, and combine the groups.

    The same seed gives the same result, wherever the groups are sampled (`workers`: see `executors`;
    as many threads as there are cores, up to four, when None). A group that fails is named in
    `Project.failed`; its spikes are left unassigned and all other groups are kept. `cluster` is
    `ncpgui.engine.cluster` unless given.

    Raises
    ------
    InputError
        No spikes were found, or a setting does not fit the recording.
    RecordingError
        The recording cannot be read.
    CheckpointError
        The model cannot be loaded.
    """
    found = detect(recording, config, progress=portion(progress, 0, 15, 100))
    with closing(found.pre):
        draws = draw_groups(found.spikes, found.probe, config, bad_channels=found.pre.bad_channels)
        waveforms = _sampled_waveforms(found, draws, progress=portion(progress, 15, 20, 100))
        sampled, failed = _sample_all(
            draws,
            waveforms,
            found.probe,
            config,
            cluster=cluster,
            workers=workers_of(workers),
            progress=portion(progress, 20, 90, 100),
        )
        coordinates = _all_coordinates(found, sampled, progress=portion(progress, 90, 95, 100))
        groups: list[ChannelGroup] = []
        kept: dict[int, GroupWaveforms] = {}
        inner = portion(progress, 95, 99, 100)
        for i, one in enumerate(sampled):
            inner(i, len(sampled), "assigning the remaining spikes")
            group, kept[one.draw.channel] = finish_group(one, coordinates[one.draw.channel], config)
            groups.append(group)
    progress(99, 100, "joining what several channels saw")
    templates = {group.channel: group_templates(group, kept[group.channel].waveforms) for group in groups}
    unit_of_spike, probability = combine(groups, templates, found.spikes, found.probe, config)
    progress(100, 100, f"{unit_of_spike.max(initial=-1) + 1} units on {len(groups)} channels")
    return Project(
        recording=recording.reference,
        probe=found.probe,
        spikes=found.spikes,
        noise_sd=found.noise_sd,
        groups=tuple(groups),
        unit_of_spike=unit_of_spike,
        probability=probability,
        settings=to_dict(config),
        model=sampled[0].model,
        failed=failed,
        stimulus=stimulus,
        waveforms=kept,
    )


def detect(recording: Recording, config: SortingConfig, progress: Progress = silent) -> Detected:
    """Filter the recording and find its spikes.

    Raises
    ------
    InputError
        No spikes were found.
    """
    from ncpgui.ephys.detection import detect_spikes
    from ncpgui.ephys.preprocessing import preprocess

    pre = preprocess(
        recording,
        highpass_hz=config.highpass_hz,
        lowpass_hz=config.lowpass_hz,
        reference=config.reference,
        progress=portion(progress, 0, 1, 5),
    )
    try:
        spikes = detect_spikes(
            pre,
            threshold_sd=config.threshold_sd,
            exclude_ms=config.exclude_ms,
            radius_um=detection_radius_um(config, recording.probe),
            progress=portion(progress, 1, 5, 5),
        )
        if len(spikes) == 0:
            levels = pre.noise_sd[pre.noise_sd > 0]
            raise InputError(
                f"no spikes found under -{config.threshold_sd:g} noise sd on {recording.n_channels} channels "
                f"(noise sd {levels.min():.3g} to {levels.max():.3g} in the unit of the file); lower "
                "threshold_sd, or check dtype, channel count and polarity of the recording"
            )
    except BaseException:
        pre.close()
        raise
    return Detected(pre=pre, spikes=spikes, probe=recording.probe, noise_sd=pre.noise_sd)


def _sampled_waveforms(
    found: Detected, draws: list[GroupDraw], *, progress: Progress
) -> dict[int, NDArray[np.float32]]:
    from ncpgui.ephys.waveforms import extract_many

    ids = np.concatenate([draw.spike_ids[draw.sampled] for draw in draws])
    spikes = found.spikes
    neighbours = {draw.channel: draw.neighbours for draw in draws}
    return extract_many(
        found.pre, spikes.sample_index[ids], spikes.channel[ids], neighbours, progress=progress
    )


def _sample_all(
    draws: list[GroupDraw],
    waveforms: dict[int, NDArray[np.float32]],
    probe: Probe,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None,
    workers: Workers,
    progress: Progress,
) -> tuple[list[SampledGroup], dict[int, str]]:
    """Posterior of each group, and the message of each that failed."""
    n_workers = min(workers.n_workers, len(draws))
    with shared_cores(n_workers) if cluster is None and n_workers > 1 else nullcontext():
        outcomes = run_all(
            [
                sampling_of_group(draw, waveforms[draw.channel], probe, config, cluster=cluster)
                for draw in draws
            ],
            names=[f"clustering {len(draw.sampled)} spikes of channel {draw.channel}" for draw in draws],
            sizes=[len(draw.sampled) for draw in draws],
            workers=workers,
            progress=progress,
            fatal=(CheckpointError,),
        )
    sampled = [
        sampled_group(draw, waveforms[draw.channel], outcome, config)
        for draw, outcome in zip(draws, outcomes, strict=True)
        if isinstance(outcome, Sampled)
    ]
    errors = {
        draw.channel: outcome
        for draw, outcome in zip(draws, outcomes, strict=True)
        if isinstance(outcome, Exception)
    }
    failed = {channel: str(error) or type(error).__name__ for channel, error in errors.items()}
    for channel, message in failed.items():
        log.warning("channel %d could not be sampled: %s", channel, message)
    if not sampled:
        first = next(iter(errors.values()))
        if isinstance(first, NcpguiError):
            raise first
        raise InputError(
            f"none of the {len(draws)} channel groups could be sampled; the first said: {first}"
        ) from first
    return sampled, failed


def _all_coordinates(
    found: Detected, sampled: list[SampledGroup], *, progress: Progress
) -> dict[int, NDArray[np.float32]]:
    """Coordinates of every spike of every group; only a piece of waveforms is in memory at a time."""
    result = {one.draw.channel: coordinates_of_sampled(one) for one in sampled}
    rest = [(one, one.draw.rest) for one in sampled]
    rest = [(one, positions) for one, positions in rest if len(positions)]
    if not rest:
        return result
    ids = np.concatenate([one.draw.spike_ids[positions] for one, positions in rest])
    positions = np.concatenate([positions for _, positions in rest])
    by_channel = {one.draw.channel: one for one, _ in rest}
    for channel, rows, waveforms in _pieces(found, ids, by_channel, progress=progress):
        result[channel][positions[rows]] = by_channel[channel].space.project(waveforms)
    return result


def _pieces(
    found: Detected, ids: NDArray[np.int64], by_channel: dict[int, SampledGroup], *, progress: Progress
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.float32]]]:
    from ncpgui.ephys.waveforms import iterate_waveforms

    neighbours = {channel: one.draw.neighbours for channel, one in by_channel.items()}
    spikes = found.spikes
    return iterate_waveforms(
        found.pre, spikes.sample_index[ids], spikes.channel[ids], neighbours, progress=progress
    )
