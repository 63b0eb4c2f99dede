"""A second opinion: the posterior around the units that another program made.

The units are taken as they are given. Their templates are measured in the recording, all their spikes are
taken out of the traces together, and what is in doubt is asked about as after matching (`pipeline`): that a
unit is two, that two are one, that a unit is no neuron. Nothing is found, moved or joined: the sorting that
was given is one of the alternatives of each component, and the one that is in use.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ncpgui.core.errors import RecordingError
from ncpgui.core.given import GivenSorting
from ncpgui.core.one_core import on_one_core
from ncpgui.core.progress import Progress, portion, reported, silent
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.core.steps import NOTHING_KEPT, Steps, step
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys.motion import MOTION, motion_of, places_in
from ncpgui.sorting.alike_from_places import alike_from_places
from ncpgui.sorting.chance_spikes import fit_none
from ncpgui.sorting.components import ComponentDraw, draw_components
from ncpgui.sorting.config import SortingConfig, detection_radius_um, filter_options
from ncpgui.sorting.drift_pieces import drift_pieces, pieces_words
from ncpgui.sorting.executors import Workers
from ncpgui.sorting.found import Found
from ncpgui.sorting.found_twice import twice_words
from ncpgui.sorting.found_units import NEAR_TROUGH_MS, FoundUnits, earlier, point_up, troughs
from ncpgui.sorting.given_spikes import explained
from ncpgui.sorting.matched import Matched, matched_packing
from ncpgui.sorting.matching import MATCHING
from ncpgui.sorting.moved_back import moved_back
from ncpgui.sorting.neuron_probability import p_neuron_of_spikes
from ncpgui.sorting.noise_likeness import noise_likeness
from ncpgui.sorting.parts import Parts, parts_of
from ncpgui.sorting.pipeline import project_of, with_components
from ncpgui.sorting.sampling import ClusterFunction
from ncpgui.sorting.spike_probability import spike_probability
from ncpgui.sorting.without_traces import project_without_traces

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed
    from ncpgui.ephys.recording import Recording

log = logging.getLogger(__name__)


@on_one_core
def given_units(
    recording: Recording,
    sorting: Sorting,
    config: SortingConfig,
    *,
    stimulus: Stimulus | None = None,
    together: Sequence[tuple[int, ...]] = (),
    steps: Steps = NOTHING_KEPT,
    progress: Progress = silent,
) -> Found:
    """Put the units of a finished sorting into components that can be sampled.

    together : groups of units that somebody proposes to merge, which are asked about together

    Raises
    ------
    RecordingError
        The recording cannot be read, or is too short for the sorting.
    """
    from ncpgui.engine import checked_model
    from ncpgui.ephys.preprocessing import preprocess

    model = checked_model(config.model, device=config.device)
    ids, unit = np.unique(sorting.unit_id, return_inverse=True)
    parts = parts_of(sorting, config, n_channels=recording.n_channels, n_samples=recording.n_samples)
    pre = preprocess(
        recording,
        **filter_options(config),
        kept_s=None if parts is None else parts.seconds,
        progress=portion(progress, 0, 10, 100),
    )
    with ExitStack() as opened:
        opened.callback(pre.close)
        if parts is not None:
            log.info("%s", parts.note)
            pre.look_at(parts.stretches)
            _read(pre, parts, portion(progress, 10, 20, 100))
        progress(20, 100, "estimating motion")
        motion = step(
            steps,
            "motion",
            MOTION,
            lambda: motion_of(
                pre,
                config.motion,
                given=sorting.sample_index,
                peak_sign=config.peak_sign,
                stretches=None if parts is None else parts.stretches,
            ),
        )
        log.info("%s", motion.reason)
        places = places_in(pre, motion)
        matched = step(
            steps,
            MATCHING,
            matched_packing(places, recording.reference.clock),
            lambda: explained(
                pre, sorting.sample_index, unit, places, parts, progress, least=config.min_cluster_spikes
            ),
        )
        units = _found(pre, matched, peak_sign=config.peak_sign)
        for sentence in (*pre.blanked(), _inverted(pre, config, parts)):
            if sentence:
                log.warning("%s", sentence)
        counts = matched.n_of_templates
        few = np.flatnonzero(counts < config.min_cluster_spikes)
        pieces = drift_pieces(matched, pre.probe.positions_um[units.main_channel, places.axis])
        for words in (pieces_words(pieces, ids), twice_words(matched, ids)):
            if words:
                log.info("%s", words)
        draws = draw_components(
            units,
            pre.probe,
            config,
            bad_channels=pre.bad_channels,
            apart=set(few.tolist()),
            together=[tuple(np.searchsorted(ids, group).tolist()) for group in together],
            pieces=pieces,
        )
        opened.pop_all()
    aside = {}
    for draw in draws:
        if draw.units[0] in few:
            n = int(counts[draw.units[0]])
            aside[draw.id] = (
                draw,
                (
                    f"unit {ids[draw.units[0]]} has {n} spike{'s' if n != 1 else ''}; the posterior says "
                    f"something of units of {config.min_cluster_spikes} and more (min_cluster_spikes)"
                ),
            )
    progress(100, 100, f"{len(ids)} units in {len(draws)} components")
    kept = tuple(draw for draw in draws if draw.id not in aside)
    return Found(pre, units, kept, config, model, motion, stimulus, unit_ids=ids, aside=aside)


def _inverted(pre: Preprocessed, config: SortingConfig, parts: Parts | None) -> str:
    """A sentence where most spikes of the recording point to the other side than it is reviewed by."""
    from ncpgui.ephys.detection import SEEN_LATE, inverted

    return inverted(
        pre,
        config.threshold_sd,
        exclude_ms=config.exclude_ms,
        radius_um=detection_radius_um(config, pre.probe),
        peak_sign=config.peak_sign,
        then=SEEN_LATE,
        stretches=None if parts is None else parts.stretches,
    )


def given_project(found: Found, recording: Recording, given: GivenSorting) -> Project:
    """Project of the units as they were given; the posterior of no component is sampled yet."""
    assert found.unit_ids is not None
    every = replace(found, draws=tuple(sorted((*found.draws, *_aside(found)), key=lambda draw: draw.id)))
    project = project_of(every, recording.reference)
    return replace(
        project,
        unit_of_spike=found.unit_ids[found.units.unit],
        given=given,
        failed={key: reason for key, (_, reason) in found.aside.items()},
    )


def _aside(found: Found) -> list[ComponentDraw]:
    return [draw for draw, _ in found.aside.values()]


def review_recording(
    recording: Recording,
    sorting: Sorting,
    given: GivenSorting,
    config: SortingConfig,
    *,
    stimulus: Stimulus | None = None,
    progress: Progress = silent,
    cluster: ClusterFunction | None = None,
    workers: Workers | int | None = None,
    steps: Steps = NOTHING_KEPT,
) -> Project:
    """Sample the posterior of each component of a finished sorting (`given_units`).

    Of one that was opened without its recording there is nothing to sample (`project_without_traces`).

    The sorting of the project is the given one, to the spike; what the posterior says of it is in the
    components. Options and errors as of `pipeline.sort_recording`.
    """
    if not recording.reference.has_traces:
        return project_without_traces(recording, sorting, given, config)
    found = given_units(
        recording,
        sorting,
        config,
        stimulus=stimulus,
        together=given.proposed_merges,
        steps=steps,
        progress=portion(progress, 0, 40, 100),
    )
    with closing(found):
        project = given_project(found, recording, given)
        if not found.draws:
            raise RecordingError(
                f"{given.path}: no unit has {config.min_cluster_spikes} spikes, of which the posterior could "
                "say something; give a longer recording, or set min_cluster_spikes lower with --settings"
            )
        project = with_components(
            project,
            found,
            cluster=cluster,
            workers=workers,
            steps=steps,
            progress=portion(progress, 40, 99, 100),
        )
    progress(100, 100, f"{len(found.unit_ids if found.unit_ids is not None else ())} units")
    return project


def _read(pre: Preprocessed, parts: Parts, progress: Progress) -> None:
    """Filter the parts, several pieces at a time: whoever reads them after this finds them on the disk."""
    pieces = np.flatnonzero(parts.pieces).tolist()
    there = pre.ahead(pieces)
    for _ in reported(pieces, progress, "reading parts of the recording"):
        next(there)


def _found(pre: Preprocessed, matched: Matched, *, peak_sign: str) -> FoundUnits:
    """Units and spikes as they were given, back in the filtered traces; times stay, and no unit goes."""
    from ncpgui.sorting.cleaned_waveforms import ExplainedSpikes

    rate = pre.sampling_frequency_hz
    duration_s = pre.n_samples / rate
    none = fit_none(matched, duration_s=duration_s)
    everywhere = np.stack([pre.unwhitened(bank.waveforms) for bank in matched.moving.banks])
    usual = int(matched.moving.share.argmax())
    waveforms = everywhere[usual]
    is_positive = point_up(waveforms, peak_sign)
    upward = np.where(is_positive, np.float32(-1), np.float32(1))[:, None, None] * waveforms
    main = upward.min(axis=1).argmin(axis=1)
    n_before = matched.bank.n_before
    late = upward[np.arange(len(main)), :, main].argmin(axis=1) - n_before
    at_trough = np.stack([earlier(one, int(by)) for one, by in zip(upward, late, strict=True)])
    depth, trough = troughs(at_trough, n_before, round(NEAR_TROUGH_MS * rate / 1000))
    place = matched.places.of(matched.sample_index)
    shown = alike = None
    if matched.places.n_places > 1:
        shown = moved_back(everywhere, main, matched.places, pre.probe.positions_um, usual=usual)
        known = slice(None) if matched.measured is None else matched.measured
        counts = matched.places.counts(place[known], matched.unit[known], matched.n_units)
        alike = alike_from_places(shown, counts, max_lag=round(NEAR_TROUGH_MS * rate / 1000))
    n_spikes = matched.n_of_templates
    nats = noise_likeness(pre, waveforms, n_spikes).nats
    return FoundUnits(
        matched=matched,
        explained=ExplainedSpikes.of(matched, place, everywhere, is_positive, shown),
        probability=spike_probability(matched, none),
        main_channel=main.astype(np.int64),
        depth_sd=depth,
        p_neuron=p_neuron_of_spikes(
            matched, none, duration_s=duration_s, sampling_frequency_hz=rate, nats=nats
        ),
        lost=None,
        trough=trough + late[:, None],
        sampling_frequency_hz=rate,
        n_samples=pre.n_samples,
        alike=alike,
    )
