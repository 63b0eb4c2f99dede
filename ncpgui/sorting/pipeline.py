"""From a recording to a Project: the steps in order, each usable alone."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component, WaitingComponent, units_of_alternative
from ncpgui.core.config import to_dict
from ncpgui.core.errors import InputError
from ncpgui.core.motion import Motion
from ncpgui.core.one_core import on_one_core
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.core.steps import NOTHING_KEPT, Steps, step
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys.motion import MOTION, motion_of, places_in
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.components import draw_components
from ncpgui.sorting.config import SortingConfig, filter_options
from ncpgui.sorting.executors import Workers, workers_of
from ncpgui.sorting.first_pass import PROPOSALS, Proposals, detect, propose
from ncpgui.sorting.found import Found
from ncpgui.sorting.found_units import found_units
from ncpgui.sorting.lost_spikes import for_each_found
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.sampling import ClusterFunction

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed
    from ncpgui.ephys.recording import Recording


log = logging.getLogger(__name__)


@on_one_core
def find_units(
    recording: Recording,
    config: SortingConfig,
    *,
    stimulus: Stimulus | None = None,
    progress: Progress = silent,
    cluster: ClusterFunction | None = None,
    workers: Workers | int | None = None,
    steps: Steps = NOTHING_KEPT,
) -> Found:
    """Propose units channel by channel, find them everywhere, and put those in doubt together.

    Parameters and errors as of `sort_recording`.
    """
    from ncpgui.engine import checked_model
    from ncpgui.ephys.preprocessing import preprocess

    if cluster is None:
        checked_model(config.model, device=config.device)
    pre = preprocess(recording, **filter_options(config), progress=portion(progress, 0, 2, 100))
    with ExitStack() as opened:
        opened.callback(pre.close)
        progress(2, 100, "estimating motion")
        motion = step(steps, "motion", MOTION, lambda: motion_of(pre, config.motion))
        log.info("%s", motion.reason)
        proposals = step(
            steps,
            "proposals",
            PROPOSALS,
            lambda: _proposals(
                pre, motion, config, cluster, workers_of(workers), steps, portion(progress, 5, 60, 100)
            ),
        )
        steps.drop("channel-*")
        matched = match_units(
            pre,
            proposals.sample_index,
            proposals.unit,
            places=places_in(pre, motion),
            matcher=config.matcher,
            n_jobs=workers_of(workers).n_workers,
            steps=steps,
            progress=portion(progress, 60, 100, 100),
        )
        units = found_units(pre, matched, peak_sign=config.peak_sign)
        draws = draw_components(units, pre.probe, config, bad_channels=pre.bad_channels)
        opened.pop_all()
    return Found(pre, units, tuple(draws), config, proposals.model, motion, stimulus)


def _proposals(
    pre: Preprocessed,
    motion: Motion,
    config: SortingConfig,
    cluster: ClusterFunction | None,
    workers: Workers,
    steps: Steps,
    progress: Progress,
) -> Proposals:
    """Units that the channels propose, one by one, in traces that are moved back where the tissue moved."""
    with ExitStack() as opened:
        steady = opened.enter_context(pre.moved_back(motion)) if motion.applied else pre
        try:
            found = detect(steady, config, progress=portion(progress, 0, 10, 55))
        except InputError:
            steps.drop("*")  # what was asked for cannot be done: there is nothing to go on with
            raise
        return propose(
            found,
            config,
            cluster=cluster,
            workers=workers,
            steps=steps,
            progress=portion(progress, 10, 55, 55),
        )


def sort_recording(
    recording: Recording,
    config: SortingConfig,
    *,
    posterior: bool = True,
    stimulus: Stimulus | None = None,
    progress: Progress = silent,
    cluster: ClusterFunction | None = None,
    workers: Workers | int | None = None,
    steps: Steps = NOTHING_KEPT,
) -> Project:
    """Find the units of a recording (`find_units`), and sample the posterior of each component of them.

    The spikes of the project are those that matching found; all are of a unit. The same seed gives the same
    result, with any number of `workers` (channels or components sampled at a time; as many as there are
    cores, up to four, when None). A component that fails is named in `Project.failed`; its units stay as
    they were matched. White noise that was shown, `stimulus`, weighs the draws. Without `posterior` no
    component is sampled. `cluster` is `ncpgui.engine.cluster` unless given.

    Steps that are done are kept in `steps`, and those that it has are not done again: what comes out is what
    would have come out without a stop.

    Raises
    ------
    InputError
        No spikes were found, or a setting does not fit the recording.
    RecordingError
        The recording cannot be read.
    CheckpointError
        The model cannot be loaded.
    """
    found_at = 60 if posterior else 100
    found = find_units(
        recording,
        config,
        stimulus=stimulus,
        cluster=cluster,
        workers=workers,
        steps=steps,
        progress=portion(progress, 0, found_at, 100),
    )
    with closing(found):
        project = project_of(found, recording.reference)
        if not posterior:
            return project
        project = with_components(
            project,
            found,
            cluster=cluster,
            workers=workers,
            steps=steps,
            progress=portion(progress, found_at, 99, 100),
        )
    unit_of_spike, probability = shown_first(project.unit_of_spike, project.probability, project.components)
    n_units = int(unit_of_spike.max(initial=-1)) + 1
    progress(100, 100, f"{n_units} units in {len(found.draws)} components")
    return replace(project, unit_of_spike=unit_of_spike, probability=probability)


def project_of(found: Found, reference: RecordingReference) -> Project:
    """Project of what matching found; the posterior of no component is sampled yet."""
    return Project(
        recording=reference,
        probe=found.pre.probe,
        spikes=found.units.spike_events(),
        noise_sd=found.pre.noise_sd,
        components=(),
        waiting=tuple(WaitingComponent(draw.id, draw.contacts, draw.spike_ids) for draw in found.draws),
        unit_of_spike=found.units.unit,
        probability=found.units.probability,
        p_neuron=found.units.p_neuron,
        lost=None if found.units.lost is None else for_each_found(found.units.lost)[found.units.unit],
        left_out=found.units.left_out if found.unit_ids is None else None,
        motion=found.motion,
        settings=to_dict(found.config),
        model=found.model,
        stimulus=found.stimulus,
    )


def with_components(
    project: Project,
    found: Found,
    *,
    cluster: ClusterFunction | None,
    workers: Workers | int | None,
    steps: Steps,
    progress: Progress,
) -> Project:
    """The project with the posteriors of its components; those that were not sampled go on waiting."""
    sampled, failed = sample_components(
        found, found.draws, cluster=cluster, workers=workers_of(workers), steps=steps, progress=progress
    )
    return replace(
        project,
        components=tuple(component for component, _ in sampled.values()),
        waiting=tuple(one for one in project.waiting if one.id not in sampled),
        failed={**project.failed, **failed},
        waveforms={number: waveforms for number, (_, waveforms) in sampled.items()},
    )


def shown_first(
    unit_of_spike: NDArray[np.int64], probability: NDArray[np.float32], components: Sequence[Component]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Unit of every spike (0 .. K-1, -1 = none) and P(it is of that unit), by the first alternatives.

    Units that an alternative has as they are in `unit_of_spike` (n_spikes,) keep their place; those that it
    makes come after them. Spikes of no component stay as they are.
    """
    units, probability = unit_of_spike.copy(), probability.copy()
    n_units = int(units.max(initial=-1)) + 1
    for component in components:
        shown, ids = component.alternatives[0], component.spike_ids
        table = units_of_alternative(unit_of_spike[ids], shown, n_units)
        n_units = max(n_units, int(table.max(initial=-1)) + 1)
        units[ids] = table[shown.labels]
        probability[ids] = shown.probability
    _, numbers = np.unique(np.append(units, UNASSIGNED), return_inverse=True)
    return numbers[:-1] - 1, probability
