"""The posterior of each component, on waveforms from which all other spikes are taken out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import same_sorting
from ncpgui.core.group import Alternative, ChannelGroup, GroupWaveforms
from ncpgui.core.partition import cluster_sizes
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.sorting.assignment import fit_features
from ncpgui.sorting.components import ComponentDraw
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.found_units import FoundUnits
from ncpgui.sorting.group_posterior import build_alternatives, exists_probability
from ncpgui.sorting.posterior_draws import ClusterFunction, Draws, ToDraw, draw_all

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


def sample_components(
    pre: Preprocessed,
    units: FoundUnits,
    draws: list[ComponentDraw],
    probe: Probe,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None = None,
    workers: int = 1,
    progress: Progress = silent,
) -> tuple[dict[int, tuple[ChannelGroup, GroupWaveforms]], dict[int, str]]:
    """Sample the posterior of each component: by its number, and the message of each that failed.

    Raises
    ------
    InputError, CheckpointError
        As `posterior_draws.draw_all`.
    """
    from ncpgui.ephys.cleaned_waveforms import cleaned_waveforms, iterate_cleaned

    contacts = {number: draw.contacts for number, draw in enumerate(draws)}
    rows, group = _rows([draw.spike_ids[draw.sampled] for draw in draws])
    waveforms = cleaned_waveforms(
        pre,
        units.explained,
        rows,
        _expected_trough(units, rows, group, contacts),
        group,
        contacts,
        progress=portion(progress, 0, 1, 12),
    )
    wanted = {
        number: ToDraw(
            waveforms[number],
            probe.positions_um[draw.contacts],
            stream_seed(config.seed, "posterior", number),
            f"component {number}",
        )
        for number, draw in enumerate(draws)
    }
    drawn, failed = draw_all(
        wanted,
        config,
        what="component",
        cluster=cluster,
        workers=workers,
        progress=portion(progress, 1, 10, 12),
    )
    spaces = {number: fit_features(waveforms[number], config.assignment_dims) for number in drawn}
    coordinates = {}
    for number, space in spaces.items():
        draw = draws[number]
        coordinates[number] = np.zeros((len(draw.spike_ids), space.basis.shape[1]), dtype=np.float32)
        coordinates[number][draw.sampled] = space.project(waveforms[number])
    rest = {
        number: np.setdiff1d(np.arange(len(draws[number].spike_ids)), draws[number].sampled)
        for number in drawn
    }
    rows, group = _rows([draws[number].spike_ids[rest[number]] for number in drawn], names=list(drawn))
    places = np.concatenate([rest[number] for number in drawn]) if drawn else rows
    for number, chosen, piece in iterate_cleaned(
        pre,
        units.explained,
        rows,
        _expected_trough(units, rows, group, contacts),
        group,
        contacts,
        progress=portion(progress, 10, 11, 12),
    ):
        coordinates[number][places[chosen]] = spaces[number].project(piece)
    sampled = {}
    for done, (number, one) in enumerate(drawn.items()):
        portion(progress, 11, 12, 12)(done, len(drawn), "weighing alternatives")
        sampled[number] = finish_component(
            number, draws[number], one, waveforms[number], coordinates[number], units, config
        )
    return sampled, failed


def finish_component(
    number: int,
    draw: ComponentDraw,
    drawn: Draws,
    waveforms: NDArray[np.float32],
    coordinates: NDArray[np.float32],
    units: FoundUnits,
    config: SortingConfig,
) -> tuple[ChannelGroup, GroupWaveforms]:
    """Make the component: all its spikes under each alternative, that of matching among them."""
    matched = np.searchsorted(draw.units, units.unit[draw.spike_ids])
    alternatives = build_alternatives(drawn.posterior, draw.sampled, coordinates, config, company=matched)
    group = ChannelGroup(
        channel=number,
        neighbours=draw.contacts,
        spike_ids=draw.spike_ids,
        sampled=draw.sampled,
        posterior=drawn.posterior,
        alternatives=with_matched(
            alternatives, matched, units.probability[draw.spike_ids], drawn.posterior, draw.sampled
        ),
    )
    return group, GroupWaveforms(waveforms, drawn.features, coordinates)


def with_matched(
    alternatives: tuple[Alternative, ...],
    matched: NDArray[np.integer],
    probability: NDArray[np.float32],
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
) -> tuple[Alternative, ...]:
    """Alternatives with what matching found in place of the one that is the same, or added.

    matched, probability : (n,) unit of each spike of the component, 0 .. K-1, and P(it is of that unit)
    """
    order = np.argsort(-cluster_sizes(matched), kind="stable")
    labels = np.argsort(order)[matched].astype(np.int32)
    same = [same_sorting(other.labels[sampled], labels[sampled]) for other in alternatives]
    mass, error = 0.0, 0.0
    if any(same):
        place = same.index(True)
        mass, error = alternatives[place].mass, alternatives[place].mass_se
        alternatives = alternatives[:place] + alternatives[place + 1 :]
    exists = exists_probability(posterior, labels[sampled])
    own = Alternative(labels, probability, mass, error, exists)
    return tuple(sorted([own, *alternatives], key=lambda one: -one.mass))


def _rows(
    ids: list[NDArray[np.int64]], names: list[int] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Spikes of several components one after the other, and the component of each."""
    names = list(range(len(ids))) if names is None else names
    if not ids:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate(ids), np.repeat(names, [len(one) for one in ids]).astype(np.int64)


def _expected_trough(
    units: FoundUnits,
    rows: NDArray[np.int64],
    group: NDArray[np.int64],
    contacts: dict[int, NDArray[np.int64]],
) -> NDArray[np.int64]:
    """Sample at which each spike is deepest on the first contact of its component."""
    first = np.array([contacts[number][0] for number in range(len(contacts))], dtype=np.int64)
    times, unit = units.matched.sample_index[rows], units.unit[rows]
    return np.asarray(times + units.trough[unit, first[group]] if len(rows) else times)
