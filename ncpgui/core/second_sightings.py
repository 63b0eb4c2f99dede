"""Spikes that two components have, kept in one of them.

Where components are the spikes of one main channel each, one spike may be detected on two channels. A sorting
of the whole recording then leaves one of the two unassigned, although its component has a cluster for it: it
is a *second sighting*. Its component goes on without it: it is in no cluster of any alternative, and not
among the spikes that the posterior is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component, ComponentWaveforms
from ncpgui.core.posterior import PosteriorSamples


def second_sightings(component: Component, unit_of_spike: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(n,) spikes that a sorting of the recording leaves in no unit although the first alternative has one.

    unit_of_spike : (n_spikes,) before any curation
    """
    if not component.alternatives:
        return np.zeros(len(component.spike_ids), dtype=bool)
    return (unit_of_spike[component.spike_ids] < 0) & (component.alternatives[0].labels >= 0)


def without(component: Component, gone: NDArray[np.bool_]) -> Component:
    """The component with its spikes `gone`, (n,), in no cluster, and out of the posterior.

    The posterior stays where it is of nothing else.
    """
    if not gone.any():
        return component
    kept = ~gone[component.sampled]
    return replace(
        component,
        sampled=component.sampled[kept] if kept.any() else component.sampled,
        posterior=posterior_without(component.posterior, kept),
        stands_for=component.stands_for[kept]
        if component.stands_for is not None and kept.any()
        else component.stands_for,
        alternatives=alternatives_without(component.alternatives, gone),
    )


def posterior_without(posterior: PosteriorSamples, kept: NDArray[np.bool_]) -> PosteriorSamples:
    """Posterior over the points `kept`, (m,); all of it where none is."""
    if kept.all() or not kept.any():
        return posterior
    return posterior.at_points(kept)


def alternatives_without(ways: Iterable[Alternative], gone: NDArray[np.bool_]) -> tuple[Alternative, ...]:
    """Alternatives with the spikes `gone`, (n,), in none of their clusters; as many, in the same order."""
    return tuple(_way_without(way, gone) for way in ways)


def _way_without(way: Alternative, gone: NDArray[np.bool_]) -> Alternative:
    labels = np.where(gone, -1, way.labels)
    there = np.bincount(labels[labels >= 0], minlength=len(way.p_exists)) > 0
    number = np.append(np.where(there, np.cumsum(there) - 1, -1), -1)
    return replace(
        way,
        labels=number[labels].astype(np.int32),
        probability=np.where(gone, 0, way.probability).astype(np.float32),
        p_exists=way.p_exists[there],
    )


def kept_once(
    components: Iterable[Component],
    waveforms: Mapping[int, ComponentWaveforms],
    unit_of_spike: NDArray[np.int64],
) -> tuple[tuple[Component, ...], dict[int, ComponentWaveforms]]:
    """Components and their waveforms without second sightings."""
    all_kept, kept_waveforms = [], dict(waveforms)
    for component in components:
        again = without(component, second_sightings(component, unit_of_spike))
        if component.id in kept_waveforms and len(again.sampled) < len(component.sampled):
            rows = np.isin(component.sampled, again.sampled)
            old = kept_waveforms[component.id]
            kept_waveforms[component.id] = replace(
                old, waveforms=old.waveforms[rows], features=old.features[rows]
            )
        all_kept.append(again)
    return tuple(all_kept), kept_waveforms
