"""The rest of a component sampled again, given what a person has decided."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.clock import Clock
from ncpgui.core.component import Alternative, Clamp, Component, ComponentWaveforms
from ncpgui.core.errors import InputError
from ncpgui.core.motion import Places
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.stimulus import Stimulus
from ncpgui.evidence.draws_by_alternative import OTHER, alternative_of_draw, distinct, ranked, with_masses
from ncpgui.evidence.fields import Responses
from ncpgui.evidence.white_noise import white_noise
from ncpgui.sorting.all_spikes import nearest_sampled, weighed_by_all_spikes
from ncpgui.sorting.assignment import fit_features
from ncpgui.sorting.component_alternatives import build_alternatives
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.echoes import with_echoes
from ncpgui.sorting.posterior_draws import ToDraw, draw_posterior
from ncpgui.sorting.sampling import ClusterFunction


def resample_rest(
    component: Component,
    waveforms: ComponentWaveforms,
    held: Clamp,
    probe: Probe,
    config: SortingConfig,
    *,
    spikes: SpikeEvents,
    clock: Clock | None = None,
    places: Places | None = None,
    stimulus: Stimulus | None = None,
    cluster: ClusterFunction | None = None,
    progress: Progress = silent,
) -> Component:
    """Sample the posterior of a component again under what was decided, or search it by beam.

    Parameters
    ----------
    waveforms : those of the sampled spikes; with `coordinates` of all spikes where there are spikes
        that were not sampled (without them these follow the sampled ones they were sorted with)
    spikes : of the recording: when those of the component were fired weighs the draws too
    clock : of the recording; None where seconds count from its first sample
    places : of the tissue, whose turns weigh them as well; one for all when left out
    stimulus : shown during the recording; white noise weighs them too

    Raises
    ------
    InputError
        The labels of `held` have another length than the component, or no spike is free.
    """
    labels = np.asarray(held.labels)
    if labels.shape != component.spike_ids.shape:
        raise InputError(
            f"held labels must be one a spike of the component around contact {component.channel}: "
            f"{len(component.spike_ids)}, got shape {labels.shape}"
        )
    if held.is_all:
        raise InputError(
            f"every spike around contact {component.channel} belongs to an accepted unit; "
            "take the acceptance of one back to sample again"
        )
    sample_index = spikes.sample_index[component.spike_ids]
    fired = sample_index if clock is None else clock.apart(sample_index)
    drawn = draw_posterior(
        ToDraw(
            waveforms.waveforms,
            probe.positions_um[component.contacts],
            fired[component.sampled] / spikes.sampling_frequency_hz,
            stream_seed(config.seed, "posterior", component.id),
        ),
        config,
        cluster=cluster,
        held=Clamp(labels[component.sampled], held.must_link, held.cannot_link),
        progress=portion(progress, 0, 18, 20),
    )
    progress(18, 20, "weighing by all spikes")
    coordinates, seen = waveforms.coordinates, None
    if coordinates is None:
        seen = np.isin(np.arange(len(component.spike_ids)), component.sampled)
        space = fit_features(waveforms.waveforms, config.assignment_dims)
        coordinates = _from_company(component, space.project(waveforms.waveforms))
    company = component.alternatives[0].labels
    noise = white_noise(stimulus) if config.stimulus else None
    posterior = weighed_by_all_spikes(
        drawn.posterior,
        component.sampled,
        coordinates,
        np.where(labels >= 0, company.max(initial=-1) + 1 + labels, company),
        fired,
        sampling_frequency_hz=spikes.sampling_frequency_hz,
        config=config,
        place=None if places is None else places.of(sample_index),
        seen=seen,
        responses=None if noise is None else Responses.during(noise, sample_index),
        times_read=drawn.knows_times,
    )
    progress(19, 20, "weighing alternatives")
    alternatives = build_alternatives(
        posterior, component.sampled, coordinates, config, company=company, held=labels
    )
    if config.echoes and component.echoes:
        followed = nearest_sampled(component.sampled, coordinates, company)
        posterior, alternatives = with_echoes(
            posterior, alternatives, component.sampled, followed, component.echoes, config
        )
        alternatives = ranked(
            alternatives, posterior, component.sampled, min_spikes=config.min_cluster_spikes
        )
    return replace(component, posterior=posterior, alternatives=alternatives)


def rarer_sortings(
    component: Component, waveforms: ComponentWaveforms | None, config: SortingConfig
) -> tuple[Alternative, ...]:
    """Sortings of the draws that are none of a component's alternatives, the most probable first.

    Their masses are shares of all draws. Without waveforms the spikes that were not sampled follow the
    sampled ones that they are sorted with.
    """
    posterior, shown = component.posterior, component.alternatives
    alternative_of = alternative_of_draw(
        posterior,
        [alternative.labels[component.sampled] for alternative in shown],
        min_spikes=config.min_cluster_spikes,
    )
    rows = np.flatnonzero((alternative_of == OTHER) & (posterior.weight > 0))
    if len(rows) == 0 or not shown:
        return ()
    coordinates = None if waveforms is None else waveforms.coordinates
    if coordinates is None:
        coordinates = _from_company(component, np.zeros((posterior.n_points, 1), np.float32))
    share = posterior.subset(rows)
    found = build_alternatives(share, component.sampled, coordinates, config, company=shown[0].labels)
    least = config.min_cluster_spikes
    every = distinct((*shown, *found), component.sampled, min_spikes=least)
    new = [
        alternative
        for alternative in every
        if alternative.n_units and not any(alternative is one for one in shown)
    ]
    weighed = with_masses(new, posterior, component.sampled, beside=shown, min_spikes=least)
    return tuple(
        sorted(
            (alternative for alternative in weighed if alternative.mass > 0),
            key=lambda alternative: -alternative.mass,
        )
    )


def _from_company(component: Component, sampled: NDArray[np.float32]) -> NDArray[np.float32]:
    """Coordinates (n, d) where only those of the sampled spikes are known.

    Another spike is put at the mean of the sampled spikes of its cluster in the first alternative,
    or far away from all when it has none.
    """
    labels = component.alternatives[0].labels
    far = 1e3 * (1 + np.abs(sampled).max(initial=0))
    coordinates = np.full((len(labels), sampled.shape[1]), far, dtype=np.float32)
    for label in np.unique(labels[labels >= 0]):
        company = labels[component.sampled] == label
        if company.any():
            coordinates[labels == label] = sampled[company].mean(axis=0)
    coordinates[component.sampled] = sampled
    return coordinates
