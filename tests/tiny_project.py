"""Projects of a dozen spikes, written out by hand: what is expected of them is known by counting."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ncpgui.core.component import Alternative, Component, ComponentWaveforms, WaitingComponent
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.curation.curated_sorting import CuratedSorting

RATE = 20_000.0
Ways = dict[int, list[list[int]]]


def tiny_project(
    ways: Ways, *, masses: dict[int, list[float]] | None = None, sampled: bool = True, rows: int = 10
) -> Project:
    """A project whose components can be sorted in these ways.

    ways : component -> label vectors of its spikes, the most probable first; masses : component -> their
    probabilities (all of it on the first when left out); sampled : whether the components are there, or
    wait to be sampled; rows : posterior samples a component.

    Each component is on the contact of its id. Spikes are numbered component by component, 5 ms apart. The
    waveform of a spike of cluster k in the first way is -10 (k + 1) at the trough.
    """
    n_channels = max(ways) + 1
    sizes = [len(ways[c][0]) if c in ways else 0 for c in range(n_channels)]
    channel = np.repeat(np.arange(n_channels), sizes)
    n = len(channel)
    unit = np.full(n, -1, dtype=np.int64)
    probability = np.zeros(n, dtype=np.float32)
    components, waveforms, depth = [], {}, np.full(n, -10.0)
    for c, vectors in ways.items():
        ids = np.flatnonzero(channel == c)
        first = np.array(vectors[0])
        depth[ids] = -10.0 * (first + 1)
        component = tiny_component(
            c, ids, vectors, (masses or {}).get(c, [1.0] + [0.0] * (len(vectors) - 1)), rows=rows
        )
        components.append(component)
        if not sampled:
            continue
        waveforms[c] = tiny_waveforms(vectors[0])
        unit[ids] = np.where(first >= 0, first + unit.max(initial=-1) + 1, -1)
        probability[ids] = 1.0
    spikes = SpikeEvents(100 * np.arange(1, n + 1), channel, depth, RATE, 100 * n + 200)
    return Project(
        recording=RecordingReference("/data/tiny.raw", {}, "0" * 64, n_channels, RATE, 100 * n + 200),
        probe=Probe(np.column_stack([np.zeros(n_channels), 30.0 * np.arange(n_channels)])),
        spikes=spikes,
        noise_sd=np.ones(n_channels, np.float32),
        components=tuple(components) if sampled else (),
        waiting=() if sampled else tuple(map(waiting, components)),
        unit_of_spike=unit,
        probability=probability,
        settings={},
        model="tiny",
        waveforms=waveforms,
    )


def unsampled(project: Project, *kept: int) -> Project:
    """The project before any component but those `kept` was sampled."""
    return replace(
        project,
        components=tuple(c for c in project.components if c.id in kept),
        waiting=tuple(waiting(c) for c in project.components if c.id not in kept),
    )


def waiting(component: Component) -> WaitingComponent:
    """The component before it was sampled."""
    return WaitingComponent(component.id, component.contacts, component.spike_ids)


def tiny_component(
    channel: int, ids: np.ndarray, vectors: list[list[int]], masses: list[float], *, rows: int = 10
) -> Component:
    """A component all of whose spikes are sampled; its posterior has the ways as their masses say."""
    counts = np.maximum(np.round(np.array(masses) * rows).astype(int), 0)
    counts[0] += max(rows - counts.sum(), 0)
    posterior = PosteriorSamples(
        np.maximum(np.repeat(np.array(vectors), counts, axis=0), 0), np.zeros(int(counts.sum()))
    )
    alternatives = tuple(
        Alternative(
            np.array(vector, dtype=np.int32),
            np.ones(len(vector), np.float32),
            mass,
            0.0,
            np.ones(max(vector) + 1, np.float32),
        )
        for vector, mass in zip(vectors, masses, strict=True)
    )
    return Component(channel, np.array([channel]), ids, np.arange(len(ids)), posterior, alternatives)


def tiny_waveforms(labels: list[int]) -> ComponentWaveforms:
    """Waveforms of one channel that are zero but at the trough; features of two dimensions."""
    waveforms = np.zeros((len(labels), N_SAMPLES, 1), dtype=np.float32)
    waveforms[:, TROUGH_SAMPLE, 0] = -10.0 * (np.array(labels) + 1)
    features = np.column_stack([np.array(labels), np.arange(len(labels)) / 100]).astype(np.float32)
    return ComponentWaveforms(waveforms, features)


def curated(project: Project, **changes: Any) -> CuratedSorting:
    """The sorting of a project, with other units or what a person says of them."""
    units = changes.pop("unit_of_spike", project.unit_of_spike)
    return replace(CuratedSorting(units, project.probability, {}, frozenset(), units), **changes)
