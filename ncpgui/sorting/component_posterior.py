"""The posterior of each component, on waveforms from which all other spikes are taken out."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component, ComponentWaveforms
from ncpgui.core.one_core import on_one_core
from ncpgui.core.partition import by_size
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.sampled import Sampled
from ncpgui.core.seeds import stream
from ncpgui.core.steps import NOTHING_KEPT, Steps
from ncpgui.evidence.draws_by_alternative import (
    OTHER,
    alternative_of_sorting,
    distinct,
    ranked,
    with_masses,
)
from ncpgui.evidence.fields import Responses
from ncpgui.evidence.misassigned_spikes import stands_for
from ncpgui.evidence.white_noise import WhiteNoise
from ncpgui.sorting.all_spikes import nearest_sampled, weighed_by_all_spikes
from ncpgui.sorting.component_alternatives import build_alternatives, counted_once, exists_probability
from ncpgui.sorting.component_waveforms import ReadSpikes, read_spikes
from ncpgui.sorting.components import ComponentDraw
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.drift_pieces import with_pieces_joined
from ncpgui.sorting.echoes import with_echoes
from ncpgui.sorting.enough_draws import are_enough, rounds, together
from ncpgui.sorting.executors import Workers, workers_of
from ncpgui.sorting.found import Found
from ncpgui.sorting.found_units import FoundUnits
from ncpgui.sorting.posterior_draws import draw_all, posterior_seed, sets_at_once
from ncpgui.sorting.sampling import ClusterFunction, Sampling
from ncpgui.sorting.second_cells import with_second_cells
from ncpgui.sorting.whole_units import parts_a_unit, with_whole_units

log = logging.getLogger(__name__)

_PROGRESS = ((2, 6), (6, 8), (8, 11))
"""Twelfths of the work that each round of draws is taken to be."""


@on_one_core
def sample_components(
    found: Found,
    draws: Sequence[ComponentDraw],
    *,
    cluster: ClusterFunction | None = None,
    workers: Workers | int = 1,
    steps: Steps = NOTHING_KEPT,
    read: Mapping[int, ReadSpikes] | None = None,
    complete: bool = True,
    progress: Progress = silent,
) -> tuple[dict[int, tuple[Component, ComponentWaveforms]], dict[int, str]]:
    """Sample the posterior of components: by their ids, and the message of each that failed.

    What is sampled of one does not depend on which others are. It gets as many draws as it needs
    (`enough_draws`); those of each round are kept in `steps`. Units that were given are shown first, as they
    are. White noise that was shown weighs draws. Spikes that were `read` before are not read again.

    Where units were measured on parts of a long recording (`parts`), the spikes of a component that were not
    are read only if a sorting of it parts a unit (`parts_a_unit`): all such components in one pass through
    the recording, after all others. Where that is not to be done (`complete`), they are in neither result.
    Other components are without coordinates of their spikes.

    Raises
    ------
    InputError, CheckpointError
        As `posterior_draws.draw_all`.
    """
    pre, units, config = found.pre, found.units, found.config
    known = dict(read or {})
    in_parts = any(draw.measured is not None and not draw.measured.all() for draw in draws)
    may_go_on = complete and in_parts
    then, progress = portion(progress, 1, 2, 2), portion(progress, 0, 1, 2) if may_go_on else progress
    missing = [draw for draw in draws if draw.id not in known]
    reading = portion(progress, 0, 2, 12)
    known.update(read_spikes(pre, units, missing, config, every=False, progress=reading))
    posteriors, features, failed = _posteriors(
        found,
        draws,
        known,
        cluster=cluster,
        workers=workers_of(workers),
        steps=steps,
        progress=progress,
    )
    finished, parting = {}, []
    for done, draw in enumerate(one for one in draws if one.id in posteriors):
        portion(progress, 11, 12, 12)(done, len(draws), "weighing alternatives")
        spikes, there = known[draw.id], known[draw.id].known
        component = finish_component(
            draw, posteriors[draw.id], spikes.coordinates, units, config, given=found.is_given
        )
        waveforms = ComponentWaveforms(spikes.waveforms, features[draw.id], spikes.coordinates)
        if there is not None and not there.all():
            unit = np.searchsorted(draw.units, units.unit[draw.spike_ids])
            if parts_a_unit(component, unit, there):
                parting.append(draw)
                continue
            component = with_whole_units(component, unit, there)
            waveforms = replace(waveforms, coordinates=None)
        finished[draw.id] = component, waveforms
    if parting and complete:
        log.info("reading all spikes of %d components, some sortings of which part a unit", len(parting))
        pre.keep_no_more()
        every = read_spikes(pre, units, parting, config, progress=portion(then, 0, 1, 2))
        more, failed_then = sample_components(
            found,
            parting,
            cluster=cluster,
            workers=workers,
            steps=steps,
            read=every,
            complete=False,
            progress=portion(then, 1, 2, 2),
        )
        finished, failed = finished | more, failed | failed_then
    return finished, failed


def _posteriors(
    found: Found,
    draws: Sequence[ComponentDraw],
    read: Mapping[int, ReadSpikes],
    *,
    cluster: ClusterFunction | None,
    workers: Workers,
    steps: Steps,
    progress: Progress,
) -> tuple[dict[int, PosteriorSamples], dict[int, NDArray[np.float32]], dict[int, str]]:
    """Weighed draws and features of each component, by id, and the message of each that failed."""
    units, config = found.units, found.config
    in_rounds: dict[int, list[Sampled]] = {}
    posteriors: dict[int, PosteriorSamples] = {}
    failed: dict[int, str] = {}
    still, sizes = list(draws), rounds(config)
    for number, (n_draws, (begin, end)) in enumerate(zip(sizes, _PROGRESS, strict=False)):
        if not still:
            break
        asked = replace(config, posterior_samples=n_draws)
        wanted = {
            draw.id: Sampling.of(
                read[draw.id].waveforms,
                found.pre.probe.positions_um[draw.contacts],
                units.matched.fired[draw.spike_ids[draw.sampled]] / units.sampling_frequency_hz,
                posterior_seed(config, draw.id, number),
                asked,
                cluster=cluster,
            )
            for draw in still
        }
        drawn, failed_now = draw_all(
            wanted,
            what="component",
            round_number=number,
            workers=workers,
            at_once=sets_at_once(config),
            steps=steps,
            progress=portion(progress, begin, end, 12),
        )
        if number == 0:
            failed = failed_now  # a component that fails later keeps the draws that it has
        still = [draw for draw in still if draw.id in drawn]
        for draw in still:
            in_rounds.setdefault(draw.id, []).append(drawn[draw.id])
            spikes = read[draw.id]
            posteriors[draw.id] = weighed_draws(
                draw,
                together(in_rounds[draw.id]),
                spikes.coordinates,
                units,
                config,
                found.noise,
                known=spikes.known,
                waveforms=None if found.is_given else spikes.waveforms,
            )
        if number + 1 < len(sizes):
            still = [draw for draw in still if not are_enough(posteriors[draw.id])]
    return posteriors, {number: drawn[0].features for number, drawn in in_rounds.items()}, failed


def weighed_draws(
    draw: ComponentDraw,
    drawn: Sampled,
    coordinates: NDArray[np.float32],
    units: FoundUnits,
    config: SortingConfig,
    noise: WhiteNoise | None = None,
    known: NDArray[np.bool_] | None = None,
    waveforms: NDArray[np.float32] | None = None,
) -> PosteriorSamples:
    """Draws of a component weighed by what all of its spikes, and the white noise that was shown, say.

    waveforms : of the sampled spikes, in which second cells are looked for; None where units are people's own
    """
    sample_index = units.matched.sample_index[draw.spike_ids]
    unit, posterior = units.unit[draw.spike_ids], drawn.posterior
    if draw.pieces and posterior.sampler == "draws":
        rng = stream(config.seed, "pieces", draw.id)
        posterior = with_pieces_joined(posterior, unit[draw.sampled], draw.pieces, rng)
    company, fired = np.searchsorted(draw.units, unit), units.matched.fired[draw.spike_ids]
    responses = None if noise is None else Responses.during(noise, sample_index)
    weighed = weighed_by_all_spikes(
        posterior,
        draw.sampled,
        coordinates,
        company,
        fired,
        sampling_frequency_hz=units.sampling_frequency_hz,
        config=config,
        place=units.matched.places.of(sample_index),
        responses=responses,
        times_read=drawn.knows_times,
        pieces=[
            np.searchsorted(draw.units, [one.first, one.second]).tolist()
            for one in draw.pieces
            if one.is_doubtful
        ],
        known=known,
    )
    if waveforms is None:
        return weighed
    return with_second_cells(
        weighed,
        draw.sampled,
        waveforms,
        company,
        fired,
        sampling_frequency_hz=units.sampling_frequency_hz,
        config=config,
        responses=responses,
    )


def finish_component(
    draw: ComponentDraw,
    posterior: PosteriorSamples,
    coordinates: NDArray[np.float32],
    units: FoundUnits,
    config: SortingConfig,
    *,
    given: bool = False,
) -> Component:
    """Make the component: all its spikes under each alternative, that of matching among them.

    posterior : of its sampled spikes, weighed by all evidence; coordinates : (n, d) of all its spikes
    given : the units are a sorting that people have, which is the first to be shown
    """
    matched = np.searchsorted(draw.units, units.unit[draw.spike_ids])
    probability = units.probability[draw.spike_ids]
    alternatives = build_alternatives(
        posterior, draw.sampled, coordinates, config, company=matched, sure=probability
    )
    if config.echoes and draw.echoes:
        followed = nearest_sampled(draw.sampled, coordinates, matched)
        posterior, alternatives = with_echoes(
            posterior, alternatives, draw.sampled, followed, draw.echoes, config
        )
    proposed = [np.searchsorted(draw.units, group) for group in draw.proposed]
    beside = partial(with_given, proposed=proposed) if given else with_matched
    own, *others = beside(
        alternatives, matched, probability, posterior, draw.sampled, min_spikes=config.min_cluster_spikes
    )
    again = np.flatnonzero(draw.again) if draw.again.any() else None
    return Component(
        id=draw.id,
        contacts=draw.contacts,
        spike_ids=draw.spike_ids,
        sampled=draw.sampled,
        posterior=posterior,
        alternatives=(own, *counted_once(others, again)),
        stands_for=stands_for(matched, draw.sampled).astype(np.float32),
        cut_from=draw.cut_from,
        echoes=draw.echoes,
        again=again,
        elsewhere=draw.elsewhere,
    )


def with_matched(
    alternatives: tuple[Alternative, ...],
    matched: NDArray[np.integer],
    probability: NDArray[np.float32],
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    *,
    min_spikes: int = 0,
) -> tuple[Alternative, ...]:
    """Alternatives, the most probable first, and what matching found among them.

    Of equally probable ones that with the structure of matching's units is first. Where none has it, what
    matching found is added.

    matched, probability : (n,) unit of each spike of the component, 0 .. K-1, and P(it is of that unit)
    min_spikes : sampled spikes below which clusters are no units
    """
    own = as_matched(matched, probability, posterior, sampled)
    found = distinct((*alternatives, own), sampled, min_spikes=min_spikes)
    weighed = with_masses(found, posterior, sampled, min_spikes=min_spikes)
    like = own.labels[sampled]
    is_own = [
        alternative_of_sorting(like, [one.labels[sampled]], min_spikes=min_spikes) != OTHER for one in weighed
    ]
    ranked = sorted(zip(weighed, is_own, strict=True), key=lambda one: (-one[0].mass, not one[1]))
    return tuple(one for one, _ in ranked)


def with_given(
    alternatives: tuple[Alternative, ...],
    given: NDArray[np.integer],
    probability: NDArray[np.float32],
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    *,
    min_spikes: int = 0,
    proposed: Sequence[NDArray[np.integer]] = (),
) -> tuple[Alternative, ...]:
    """Alternatives with a sorting that people have, first, in place of all that are the same.

    given, probability, min_spikes : as `with_matched`
    proposed : groups of its units that somebody proposes to merge; each such sorting becomes an alternative
    """
    own = as_matched(given, probability, posterior, sampled)
    merged = [np.where(np.isin(given, group), group[0], given) for group in proposed]
    asked = [as_matched(one, probability, posterior, sampled) for one in merged]
    every = (own, *alternatives, *asked)
    return ranked(every, posterior, sampled, min_spikes=min_spikes, first_stays=True)


def as_matched(
    matched: NDArray[np.integer],
    probability: NDArray[np.float32],
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
) -> Alternative:
    """Units as they were found or given, as an alternative that no draw has; see `with_matched`."""
    labels = by_size(matched)[0].astype(np.int32)
    exists = exists_probability(posterior, labels[sampled])
    exists = np.pad(exists, (0, int(labels.max()) + 1 - len(exists)), constant_values=0)
    return Alternative(labels, probability, 0.0, 0.0, exists)
