"""A spike that two components have stays in one; the other goes on without it."""

from __future__ import annotations

import numpy as np

from ncpgui.core.component import Alternative, Component, ComponentWaveforms
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.second_sightings import kept_once, second_sightings, without
from ncpgui.evidence.units import component_numbers
from ncpgui.evidence.ways import way_of_draw

IDS = np.array([1, 3, 5, 7, 9, 11])


def component(ways: list[list[int]], sampled: list[int]) -> Component:
    """Component 4 of six spikes; its posterior has each way once."""
    rows = np.array(ways)[:, sampled]
    return Component(
        4,
        np.array([2, 0]),
        IDS,
        np.array(sampled),
        PosteriorSamples(np.maximum(rows, 0), -np.arange(len(rows), dtype=float), order=np.arange(len(rows))),
        tuple(
            Alternative(
                np.array(way, np.int32),
                np.ones(6, np.float32),
                0.5,
                0.1,
                np.arange(max(way) + 1, dtype=np.float32),
            )
            for way in ways
        ),
    )


def initial(*units: int) -> np.ndarray:
    """Units of the whole recording, those of the component as given."""
    result = np.full(12, 99)
    result[IDS] = units
    return result


def test_spikes_with_a_cluster_that_the_sorting_leaves_out_are_second_sightings() -> None:
    one = component([[0, 0, 1, 1, -1, 2]], [0, 1, 2])
    assert second_sightings(one, initial(7, -1, 8, 8, -1, -1)).tolist() == [
        False,
        True,
        False,
        False,
        False,
        True,
    ]


def test_the_component_goes_on_without_them() -> None:
    one = component([[0, 0, 1, 1, 1, 2], [0, 0, 0, 0, 0, 1]], [0, 1, 2, 3, 5])
    left = without(one, np.array([False, True, True, True, True, False]))
    assert [way.labels.tolist() for way in left.alternatives] == [
        [0, -1, -1, -1, -1, 1],
        [0, -1, -1, -1, -1, 1],
    ]
    assert [way.p_exists.tolist() for way in left.alternatives] == [[0, 2], [0, 1]]
    assert left.alternatives[0].probability.tolist() == [1, 0, 0, 0, 0, 1]
    assert left.sampled.tolist() == [0, 5]
    assert left.posterior.labels.tolist() == [[0, 1], [0, 1]]
    assert left.posterior.log_prob.tolist() == [0, -1]
    assert left.posterior.order is not None
    assert (left.id, left.spike_ids.tolist()) == (4, IDS.tolist())


def test_units_are_supported_as_if_the_second_sightings_had_never_been() -> None:
    """Half of the only cluster is seen elsewhere: the other half is a whole unit, not half of one."""
    one, units = component([[0] * 6], list(range(6))), np.array([0, 0, 0, -1, -1, -1])
    assert component_numbers(one, units, np.ones(6)).p_exists.tolist() == [0.0]
    left = without(one, units < 0)
    assert component_numbers(left, units, np.ones(6)).p_exists.tolist() == [1.0]
    assert way_of_draw(left.posterior, [units[left.sampled]]).tolist() == [0]


def test_waveforms_stay_beside_the_spikes_that_are_still_sampled() -> None:
    one = component([[0, 0, 1, 1, 1, 1]], [0, 2, 4])
    shapes = np.arange(3, dtype=np.float32)[:, None, None] + np.zeros((3, 32, 2), np.float32)
    cached = ComponentWaveforms(
        shapes, np.arange(3.0, dtype=np.float32)[:, None], np.zeros((6, 3), np.float32)
    )
    (left,), waveforms = kept_once([one], {4: cached}, initial(5, 5, -1, 6, 6, 6))
    assert left.sampled.tolist() == [0, 4]
    assert waveforms[4].waveforms[:, 0, 0].tolist() == [0, 2]
    assert waveforms[4].features[:, 0].tolist() == [0, 2]
    assert waveforms[4].coordinates is cached.coordinates


def test_a_component_of_nothing_else_keeps_its_posterior_and_has_no_units() -> None:
    one = component([[0, 0, 0, 1, 1, 1]], [0, 3])
    left = without(one, np.ones(6, bool))
    assert (left.alternatives[0].n_units, left.sampled.tolist()) == (0, [0, 3])


def test_without_any_the_component_is_the_same() -> None:
    one = component([[0, 0, 1, 1, -1, 2]], [0, 1, 2])
    assert kept_once([one], {}, initial(5, 5, 6, 6, -1, 7))[0][0] is one
