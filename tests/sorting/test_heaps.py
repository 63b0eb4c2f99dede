"""Where all spikes lie weighs draws: those that cut one heap lose, those that part two gain."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.all_spikes import weighed_by_all_spikes
from ncpgui.sorting.config import SortingConfig

HEAPS_ALONE = SortingConfig(firing_times=False)
N = 3000
EVERY = 5


def spikes(apart: float, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Coordinates of two cells of equal size that are so many sd apart, and the cell of each spike."""
    cell = np.arange(N) % 2
    coordinates = np.random.default_rng(seed).normal(0, 1, (N, 4))
    coordinates[:, 0] += apart * cell
    return coordinates.astype(np.float32), cell


def weights(
    coordinates: NDArray[np.float32],
    company: NDArray[np.integer],
    *draws: NDArray[np.integer],
    config: SortingConfig = HEAPS_ALONE,
    seen: NDArray[np.bool_] | None = None,
    place: NDArray[np.integer] | None = None,
) -> PosteriorSamples:
    """Draws of every fifth spike, equally probable as drawn."""
    sampled = np.arange(0, N, EVERY)
    posterior = PosteriorSamples(np.stack([row[sampled] for row in draws]), np.zeros(len(draws)))
    return weighed_by_all_spikes(
        posterior,
        sampled,
        coordinates,
        company,
        600 * np.arange(N),
        sampling_frequency_hz=2e4,
        config=config,
        place=place,
        seen=seen,
    )


def uneven(place: NDArray[np.floating]) -> NDArray[np.int64]:
    """Cut along a coordinate, as a network does: not by that alone."""
    return (place + np.random.default_rng(9).normal(0, 1, len(place)) > 0).astype(np.int64)


ONE = np.zeros(N, dtype=np.int64)


def test_a_draw_that_cuts_one_neuron_loses_and_one_that_parts_two_gains() -> None:
    for apart, whole in ((0.0, (0.9, 1.0)), (6.0, (0.0, 0.1))):
        coordinates, _ = spikes(apart)
        cut = uneven(coordinates[:, 0] - apart / 2)
        found = weights(coordinates, ONE, ONE, cut)
        assert whole[0] <= found.weight[0] <= whole[1]
        assert found.drawn_weight.tolist() == [0.5, 0.5]


def test_a_draw_that_joins_two_units_of_two_heaps_loses_as_much_as_parting_them_gains() -> None:
    coordinates, cell = spikes(4.0)
    as_one, as_two = weights(coordinates, ONE, ONE, cell), weights(coordinates, cell, ONE, cell)
    odds = [one.weight[1] / one.weight[0] for one in (as_one, as_two)]
    assert odds[0] > 3
    assert odds[1] == pytest.approx(odds[0], rel=0.05)


def test_units_that_are_two_halves_of_one_heap_may_be_joined() -> None:
    coordinates, _ = spikes(0.0)
    halves = uneven(coordinates[:, 1])
    assert weights(coordinates, halves, ONE, halves).weight[0] > 0.9


def test_a_needless_part_beside_two_neurons_is_told_from_the_right_cut() -> None:
    """The second cell is cut once more: the part lies in a heap with the rest of its own cell."""
    coordinates, cell = spikes(8.0)
    more = np.where((cell == 1) & (uneven(coordinates[:, 1]) == 1), 2, cell)
    found = weights(coordinates, ONE, cell, more)
    assert found.weight[0] > 0.9


def test_parts_of_few_sampled_spikes_say_nothing() -> None:
    coordinates, _ = spikes(0.0)
    few = ONE.copy()
    few[: 10 * EVERY] = 1  # ten of 600 sampled spikes
    assert weights(coordinates, ONE, ONE, few).weight.tolist() == [0.5, 0.5]


def test_heaps_can_be_left_out() -> None:
    coordinates, cell = spikes(6.0)
    neither = SortingConfig(heaps=False, firing_times=False)
    found = weights(coordinates, ONE, ONE, cell, config=neither)
    assert found.weight.tolist() == [0.5, 0.5]
    assert found.drawn_weight is None


def test_spikes_whose_coordinates_are_made_up_are_in_no_heap() -> None:
    """Those that were not sampled stand in the middle of two cells, and would fill the valley."""
    coordinates, cell = spikes(6.0)
    sampled = np.isin(np.arange(N), np.arange(0, N, EVERY))
    coordinates[~sampled] = coordinates.mean(axis=0)
    filled = weights(coordinates, ONE, ONE, cell)
    left_out = weights(coordinates, ONE, ONE, cell, seen=sampled)
    assert filled.weight[1] < 0.95
    assert left_out.weight[1] > 0.99


def test_spikes_of_no_unit_are_in_no_heap() -> None:
    coordinates, cell = spikes(6.0)
    assert weights(coordinates, ONE - 1, ONE, cell).weight.tolist() == [0.5, 0.5]


def test_parts_that_take_turns_over_the_places_of_the_tissue_are_five_times_less_probable() -> None:
    """Two heaps in any case; at places of their own, they may be what motion leaves of one neuron."""
    coordinates, cell = spikes(apart=4.0)
    together = weights(coordinates, ONE, ONE, cell, place=np.arange(N) // 2 % 2).weight
    turns = weights(coordinates, ONE, ONE, cell, place=cell).weight
    expected = np.log(0.5 / 0.1) + np.log(0.9 / 0.5)
    found = np.log(together[1] / together[0]) - np.log(turns[1] / turns[0])
    assert found == pytest.approx(expected, abs=0.2)
