"""Components of one unit, of forty, of 12 spikes and of 300 000: weighed, shown, decided on, taken back."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tiny_project import tiny_project

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.queue import present_queue
from ncpgui.core.component import Component
from ncpgui.core.motion import Places
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.core.sampled import Sampled
from ncpgui.core.spikes import SpikeEvents
from ncpgui.sorting.component_posterior import finish_component, weighed_draws
from ncpgui.sorting.components import ComponentDraw, drawn_fairly
from ncpgui.sorting.config import SortingConfig

RATE_HZ = 20_000.0
APART_SD = 12.0
"""Of the units from each other: sorted right, but for what the draws below do."""
DRAWS = 40
MERGED = 10
"""Draws that have the first two units as one, or cut the only one in halves."""
SIZES = {"one unit": (1, 400), "forty units": (40, 1200), "twelve spikes": (2, 12), "300 000": (3, 300_000)}


def draws_of(unit: NDArray[np.int64], n_units: int) -> PosteriorSamples:
    """Draws of sampled spikes: their units, and in a quarter of them the first two as one, or one in two."""
    rows = np.repeat(unit[None], DRAWS, axis=0)
    if n_units > 1:
        rows[:MERGED][rows[:MERGED] == 1] = 0
    else:
        rows[:MERGED, ::2] = 1
    return PosteriorSamples(rows, np.zeros(DRAWS))


def times_of(n_spikes: int) -> NDArray[np.int64]:
    """Times of spikes that come by chance, ten a second."""
    gaps = np.random.default_rng(1).exponential(RATE_HZ / 10, n_spikes)
    return np.cumsum(np.ceil(gaps)).astype(np.int64)


def component_of(n_units: int, n_spikes: int) -> tuple[Component, NDArray[np.int64]]:
    """A component as sorting makes it of such draws, and the unit of each spike."""
    rng = np.random.default_rng(0)
    unit = np.arange(n_spikes) % n_units
    centres = APART_SD * np.eye(max(n_units, 2), dtype=np.float32)[:n_units]
    coordinates = centres[unit] + rng.standard_normal((n_spikes, centres.shape[1]), dtype=np.float32)
    sampled = drawn_fairly(unit, 600, rng)
    draw = ComponentDraw(0, np.arange(n_units), np.array([0]), np.arange(n_spikes), sampled)
    times = times_of(n_spikes)
    units: Any = SimpleNamespace(
        unit=unit,
        probability=np.ones(n_spikes, np.float32),
        matched=SimpleNamespace(sample_index=times, fired=times, places=Places.one(int(times[-1]) + 1)),
        sampling_frequency_hz=RATE_HZ,
    )
    drawn = Sampled(draws_of(unit[sampled], n_units), coordinates[sampled], "made by hand")
    posterior = weighed_draws(draw, drawn, coordinates, units, SortingConfig())
    return finish_component(draw, posterior, coordinates, units, SortingConfig()), unit


def project_of(component: Component, unit: NDArray[np.int64]) -> Project:
    n = len(unit)
    times = times_of(n)
    spikes = SpikeEvents(times, np.zeros(n, np.int32), np.full(n, -10.0), RATE_HZ, int(times[-1]) + 200)
    return replace(
        tiny_project({0: [[0, 0]]}),
        spikes=spikes,
        components=(component,),
        waveforms={},
        unit_of_spike=unit,
        probability=np.ones(n, np.float32),
    )


def bits(workspace: Workspace) -> list[bytes]:
    component, current = workspace.component(0), workspace.current()
    assert component is not None
    assert current is not None
    masses = np.array([way.mass for way in component.alternatives])
    arrays = (component.posterior.weight, masses, current.p_exists, workspace.state.clustering.unit_of_spike)
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize(("n_units", "n_spikes"), SIZES.values(), ids=SIZES)
def test_a_component_of_any_size_is_shown_decided_on_and_taken_back(n_units: int, n_spikes: int) -> None:
    component, unit = component_of(n_units, n_spikes)
    assert sum(way.mass for way in component.alternatives) <= 1 + 1e-9
    assert np.array_equal(canonical(component.alternatives[0].labels), canonical(unit))
    workspace = Workspace(project_of(component, unit))
    before = bits(workspace)
    (row,) = present_queue(workspace)
    assert len(row.units or ()) == n_units
    (in_use,) = [card for card in present_alternatives(workspace).cards if card.is_in_use]
    assert len(in_use.units) == n_units
    adopt(workspace)
    assert workspace.questions.status(0).is_settled
    workspace.undo()
    if n_units > 1:
        workspace.link((0, 1), same=False)
        given = workspace.state.components.given_of(0)
        assert given is not None
        assert given.n_effective <= DRAWS - MERGED + 1e-9
        assert np.array_equal(workspace.state.clustering.unit_of_spike, unit)
        workspace.undo()
        workspace.merge((0, 1))
        assert len(workspace.state.clustering.unit_ids) == n_units - 1
        workspace.undo()
    assert bits(workspace) == before


def test_of_many_spikes_all_weigh_the_draws_and_of_few_the_draws_stay_in_doubt() -> None:
    """That two heaps 12 sd apart are one: no chance with 300 000 spikes, some with six each."""
    found = {name: component_of(*SIZES[name])[0].posterior for name in ("300 000", "twelve spikes")}
    p_merged = {name: float(posterior.weight[:MERGED].sum()) for name, posterior in found.items()}
    assert p_merged["300 000"] < 1e-3
    assert p_merged["300 000"] < p_merged["twelve spikes"]
