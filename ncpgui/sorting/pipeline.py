"""From a recording to a Project: the steps in order, each usable alone."""

from __future__ import annotations

from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.config import to_dict
from ncpgui.core.group import ChannelGroup
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys.recording import Recording
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.components import draw_components
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import default_workers
from ncpgui.sorting.first_pass import detect, propose
from ncpgui.sorting.found_units import FoundUnits, found_units
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.posterior_draws import ClusterFunction


def sort_recording(
    recording: Recording,
    config: SortingConfig,
    *,
    posterior: bool = True,
    stimulus: Stimulus | None = None,
    progress: Progress = silent,
    cluster: ClusterFunction | None = None,
    workers: int | None = None,
) -> Project:
    """Propose units channel by channel, find them everywhere, and sample the posterior of what is in doubt.

    The spikes of the project are those that matching found; all are of a unit. The same seed gives the same
    result, with any number of `workers` (channels or components sampled at a time; as many as there are
    cores, up to four, when None). A component that fails is named in `Project.failed`; its units stay as
    they were matched. Without `posterior` no component is sampled. `cluster` is `ncpgui.engine.cluster`
    unless given.

    Raises
    ------
    InputError
        No spikes were found, or a setting does not fit the recording.
    RecordingError
        The recording cannot be read.
    CheckpointError
        The model cannot be loaded.
    """
    workers = workers or default_workers()
    matched_at = 60 if posterior else 99
    found = detect(recording, config, progress=portion(progress, 0, 10, 100))
    with closing(found.pre) as pre:
        proposals = propose(
            found, config, cluster=cluster, workers=workers, progress=portion(progress, 10, 40, 100)
        )
        matched = match_units(
            pre, proposals.sample_index, proposals.unit, progress=portion(progress, 40, matched_at, 100)
        )
        units = found_units(pre, matched)
        components, waveforms, failed = {}, {}, {}
        if posterior and units.n_units:
            draws = draw_components(units, found.probe, config, bad_channels=pre.bad_channels)
            sampled, failed = sample_components(
                pre,
                units,
                draws,
                found.probe,
                config,
                cluster=cluster,
                workers=workers,
                progress=portion(progress, matched_at, 99, 100),
            )
            components = {number: group for number, (group, _) in sampled.items()}
            waveforms = {number: cache for number, (_, cache) in sampled.items()}
    unit_of_spike, probability = shown_first(units, list(components.values()))
    project = Project(
        recording=recording.reference,
        probe=found.probe,
        spikes=units.spike_events(),
        noise_sd=pre.noise_sd,
        groups=tuple(components.values()),
        unit_of_spike=unit_of_spike,
        probability=probability,
        settings=to_dict(config),
        model=proposals.model,
        failed=failed,
        stimulus=stimulus,
        waveforms=waveforms,
    )
    n_units = int(unit_of_spike.max(initial=-1)) + 1
    progress(100, 100, f"{n_units} units" + (f" in {len(components)} components" if posterior else ""))
    return project


def shown_first(
    units: FoundUnits, components: list[ChannelGroup]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Unit of every spike, and P(it is of that unit): the first alternatives, else what matching found.

    Units keep the numbers of matching where an alternative has them as they are there.
    """
    unit_of_spike, probability = units.unit.copy(), units.probability.copy()
    n_units = units.n_units
    for component in components:
        shown = component.alternatives[0]
        ids = component.spike_ids
        matched = np.unique(units.unit[ids], return_inverse=True)
        table = np.append(np.arange(shown.n_units) + n_units, UNASSIGNED)
        for cluster in range(shown.n_units):
            inside = np.unique(matched[1][shown.labels == cluster])
            if len(inside) == 1 and (shown.labels[matched[1] == inside[0]] == cluster).all():
                table[cluster] = matched[0][inside[0]]
        n_units += shown.n_units
        unit_of_spike[ids] = table[shown.labels]
        probability[ids] = shown.probability
    _, numbers = np.unique(np.append(unit_of_spike, UNASSIGNED), return_inverse=True)
    return numbers[:-1] - 1, probability
