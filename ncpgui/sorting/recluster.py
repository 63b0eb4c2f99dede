"""The rest of a component sampled again, given what a person has decided."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Clamp, Component, ComponentWaveforms
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project
from ncpgui.core.sampled import Sampled
from ncpgui.ephys.motion import places_in_project
from ncpgui.evidence.draws_by_alternative import OTHER, alternative_of_draw, distinct, ranked, with_masses
from ncpgui.evidence.fields import Responses
from ncpgui.evidence.white_noise import white_noise
from ncpgui.sorting.all_spikes import nearest_sampled, weighed_by_all_spikes
from ncpgui.sorting.assignment import fit_features
from ncpgui.sorting.component_alternatives import build_alternatives, counted_once, exists_probability
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.echoes import with_echoes
from ncpgui.sorting.enough_draws import rounds_left, together
from ncpgui.sorting.posterior_draws import posterior_seed
from ncpgui.sorting.sampling import ClusterFunction, Sampling
from ncpgui.sorting.second_cells import with_second_cells


def resample_rest(
    project: Project,
    component: Component,
    waveforms: ComponentWaveforms,
    held: Clamp,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None = None,
    progress: Progress = silent,
) -> Component:
    """Sample the posterior of a component again under what was decided, or search it by beam.

    When all its spikes were fired, where the tissue was then, and white noise that was shown weigh the draws.

    Parameters
    ----------
    waveforms : those of the sampled spikes; with `coordinates` of all spikes where there are spikes
        that were not sampled (without them these follow the sampled ones they were sorted with)

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
    of_sampled = Clamp(labels[component.sampled], held.must_link, held.cannot_link)
    sampling = _sampling(project, component, waveforms, config, cluster, held=of_sampled)
    drawn = sampling(portion(progress, 0, 18, 20))
    progress(18, 20, "weighing by all spikes")
    company = component.alternatives[0].labels
    decided = np.where(labels >= 0, company.max(initial=-1) + 1 + labels, company)
    evidence = _Evidence(project, component, waveforms, config)
    free = labels < 0
    free[component.sampled[np.array(held.must_link, dtype=np.int64).reshape(-1)]] = False
    posterior = evidence.weighs(drawn, decided, free)
    progress(19, 20, "weighing alternatives")
    alternatives = build_alternatives(
        posterior, component.sampled, evidence.coordinates, config, company=company, held=labels
    )
    if config.echoes and component.echoes:
        followed = nearest_sampled(component.sampled, evidence.coordinates, company)
        posterior, alternatives = with_echoes(
            posterior, alternatives, component.sampled, followed, component.echoes, config
        )
        alternatives = ranked(
            alternatives, posterior, component.sampled, min_spikes=config.min_cluster_spikes
        )
    again = None if component.again is None else component.again[labels[component.again] < 0]
    return replace(component, posterior=posterior, alternatives=counted_once(alternatives, again))


def with_all_draws(
    project: Project,
    component: Component,
    waveforms: ComponentWaveforms,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None = None,
    progress: Progress = silent,
) -> Component:
    """A component that was settled by the first rounds of draws (`enough_draws`) with those of all rounds.

    They are the draws that it would have had at once, so that it does not matter when, where and after which
    others they are made. Its sortings stay, the first one first, and new ones come to them. Parameters as of
    `resample_rest`.
    """
    before, left = component.posterior, rounds_left(component.posterior, config)
    if not left:
        return component
    known = PosteriorSamples(
        before.rows,
        before.log_prob,
        before.weight if before.drawn_weight is None else before.drawn_weight,
        before.order,
    )
    more: list[Sampled] = []
    n_left = sum(n_draws for _, n_draws in left)
    for number, n_draws in left:
        asked = replace(config, posterior_samples=n_draws, sampler="draws")
        sampling = _sampling(project, component, waveforms, asked, cluster, round_number=number)
        done = sum(one.posterior.n_samples for one in more)
        more.append(sampling(portion(portion(progress, 0, 18, 20), done, done + n_draws, n_left)))
    progress(18, 20, "weighing by all spikes")
    company = component.alternatives[0].labels
    evidence = _Evidence(project, component, waveforms, config)
    first = replace(more[0], posterior=known)
    posterior = evidence.weighs(together([first, *more]), company)
    progress(19, 20, "weighing alternatives")
    own = [_seen_in(posterior, one, component.sampled) for one in component.alternatives]
    new = build_alternatives(posterior, component.sampled, evidence.coordinates, config, company=company)
    new = counted_once(new, component.again)
    least = config.min_cluster_spikes
    alternatives = ranked((*own, *new), posterior, component.sampled, min_spikes=least, first_stays=True)
    return replace(component, posterior=posterior, alternatives=alternatives)


def _seen_in(
    posterior: PosteriorSamples, alternative: Alternative, sampled: NDArray[np.int64]
) -> Alternative:
    """An alternative whose clusters exist as often as these draws have them."""
    exists = exists_probability(posterior, alternative.labels[sampled])
    exists = np.pad(exists, (0, alternative.n_units - len(exists)), constant_values=0)
    return replace(alternative, p_exists=exists.astype(np.float32))


def _sampling(
    project: Project,
    component: Component,
    waveforms: ComponentWaveforms,
    config: SortingConfig,
    cluster: ClusterFunction | None,
    *,
    held: Clamp | None = None,
    round_number: int = 0,
) -> Sampling:
    """The sampled spikes of a component, to be drawn with the seed of a round."""
    fired = project.fired[component.spike_ids[component.sampled]]
    return Sampling.of(
        waveforms.waveforms,
        project.probe.positions_um[component.contacts],
        fired / project.spikes.sampling_frequency_hz,
        posterior_seed(config, component.id, round_number),
        config,
        held=held,
        cluster=cluster,
    )


class _Evidence:
    """What all spikes of a component say of its draws; `coordinates` (n, d) of them all."""

    def __init__(
        self, project: Project, component: Component, waveforms: ComponentWaveforms, config: SortingConfig
    ) -> None:
        self._component, self._config, self._fired = component, config, project.fired[component.spike_ids]
        self._is_given, self._waveforms = project.given is not None, waveforms.waveforms
        self._sampling_frequency_hz = project.spikes.sampling_frequency_hz
        self._seen: NDArray[np.bool_] | None = None
        if waveforms.coordinates is None:
            self._seen = np.isin(np.arange(len(component.spike_ids)), component.sampled)
            space = fit_features(waveforms.waveforms, config.assignment_dims)
            self.coordinates = _from_company(component, space.project(waveforms.waveforms))
        else:
            self.coordinates = waveforms.coordinates
        sample_index, places = project.spikes.sample_index[component.spike_ids], places_in_project(project)
        noise = white_noise(project.stimulus) if config.stimulus else None
        self._place = None if places is None else places.of(sample_index)
        self._responses = None if noise is None else Responses.during(noise, sample_index)

    def weighs(
        self, drawn: Sampled, company: NDArray[np.integer], free: NDArray[np.bool_] | None = None
    ) -> PosteriorSamples:
        """Draws as they are weighed; company : (n,) unit of each spike, with which those not sampled go.

        free : (n,) spikes whose unit nobody decided; all when left out
        """
        weighed = weighed_by_all_spikes(
            drawn.posterior,
            self._component.sampled,
            self.coordinates,
            company,
            self._fired,
            sampling_frequency_hz=self._sampling_frequency_hz,
            config=self._config,
            place=self._place,
            seen=self._seen,
            responses=self._responses,
            times_read=drawn.knows_times,
        )
        if self._is_given:
            return weighed
        return with_second_cells(
            weighed,
            self._component.sampled,
            self._waveforms,
            company,
            self._fired,
            sampling_frequency_hz=self._sampling_frequency_hz,
            config=self._config,
            free=free,
            responses=self._responses,
        )


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
    found = counted_once(found, component.again)
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
