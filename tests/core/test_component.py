"""What a component, an alternative and a clamp say of themselves."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.component import (
    Alternative,
    Clamp,
    Component,
    ComponentWaveforms,
    WaitingComponent,
    masses_by_evidence,
)
from ncpgui.core.posterior import PosteriorSamples


def component(n: int, sampled: list[int], stands_for: list[float] | None = None) -> Component:
    labels = np.zeros((2, len(sampled)), np.int32)
    return Component(
        id=4,
        contacts=np.array([7, 2]),
        spike_ids=np.arange(n),
        sampled=np.array(sampled, np.int64),
        posterior=PosteriorSamples(labels, np.zeros(2)),
        alternatives=(),
        stands_for=None if stands_for is None else np.array(stands_for, np.float32),
    )


def test_spikes_that_were_drawn_alike_stand_for_equally_many() -> None:
    assert component(9, [0, 4]).spikes_each.tolist() == [4.5, 4.5]
    assert component(9, [8]).spikes_each.tolist() == [9.0]
    assert component(9, []).spikes_each.tolist() == []
    assert component(9, [0, 4], [2.5, 6.5]).spikes_each.tolist() == [2.5, 6.5]


def test_the_reference_contact_is_the_first_also_before_the_component_is_sampled() -> None:
    assert component(2, [0]).channel == 7
    assert WaitingComponent(1, np.array([5, 3]), np.arange(2)).channel == 5


@pytest.mark.parametrize(("labels", "n_units"), [([-1, -1], 0), ([0, -1], 1), ([2, 0, 1], 3), ([], 0)])
def test_an_alternative_counts_its_units_and_not_the_spikes_of_none(labels: list[int], n_units: int) -> None:
    one = np.array(labels, np.int32)
    assert Alternative(one, np.ones(len(one), np.float32), 1.0, 0.0, np.ones(n_units)).n_units == n_units


def test_masses_are_told_by_the_evidence_that_came_to_those_before() -> None:
    assert masses_by_evidence(0.9, None, None) == {}
    assert masses_by_evidence(0.9, 0.2, None) == {"waveforms": 0.2, "times": 0.9}
    assert masses_by_evidence(0.9, 0.2, 0.4) == {"waveforms": 0.2, "times": 0.4, "stimulus": 0.9}
    assert masses_by_evidence(0.9, 0.2, None, 0.5) == {"waveforms": 0.2, "times": 0.5, "echoes": 0.9}
    every = masses_by_evidence(0.9, 0.2, 0.4, 0.5)
    assert every == {"waveforms": 0.2, "times": 0.4, "stimulus": 0.5, "echoes": 0.9}


def test_a_clamp_is_of_all_spikes_if_none_is_free() -> None:
    assert Clamp(np.array([0, 2], np.int32)).is_all
    assert not Clamp(np.array([0, -1], np.int32)).is_all


def test_waveforms_that_are_in_memory_are_at_hand() -> None:
    assert ComponentWaveforms(np.zeros((1, 32, 2), np.float32), np.zeros((1, 3), np.float32)).is_at_hand
