"""All spikes weigh draws: which spike goes with which, and which pairs of parts are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.heaps import heap_quantities, two_heaps_nats
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence import drift_jumps, drift_turns
from ncpgui.evidence.refractory import two_trains_nats
from ncpgui.sorting import all_spikes
from ncpgui.sorting.all_spikes import SAID_TWICE, Compared, Spikes, _groups, nearest_sampled, parted_nats
from ncpgui.sorting.config import SortingConfig

QUIET = SortingConfig(heaps=False, firing_times=False)


# -- which spike goes with which -------------------------------------------------------------------


def nearest(sampled: list[int], x: list[float], company: list[int]) -> list[int]:
    return nearest_sampled(np.array(sampled), np.array(x, np.float32)[:, None], np.array(company)).tolist()


def test_a_spike_goes_with_the_nearest_sampled_one_of_its_company_and_a_sampled_one_with_itself() -> None:
    assert nearest([0, 3, 4], [0, 1, 8, 9, 2], [0, 0, 0, 0, 1]) == [0, 0, 1, 1, 2]
    assert nearest([0, 1], [5, 5, 5], [0, 0, 0]) == [0, 1, 0]


def test_a_spike_none_of_whose_company_was_sampled_goes_with_the_nearest_of_all() -> None:
    assert nearest([0, 1], [0, 9, 8, 1], [0, 0, 1, 1]) == [0, 1, 1, 0]
    assert nearest([0, 2], [0, 6, 9], [0, -1, -1]) == [0, 1, 1]


def test_many_spikes_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_spikes, "SPIKES_AT_ONCE", 2)
    assert nearest([0, 6], [0, 1, 8, 2, 7, 3, 9], [0] * 7) == [0, 0, 1, 0, 1, 0, 1]


# -- two sets of spikes ------------------------------------------------------------------------------


def spikes(n: int = 8, config: SortingConfig = QUIET, place: list[int] | None = None) -> Spikes:
    """Spikes 1 s apart, the second half 9 away from the first."""
    coordinates = (np.repeat([0.0, 9.0], n // 2) + np.tile([0.0, 0.5], n // 2))[:, None].astype(np.float32)
    fired = 20_000 * np.arange(n)
    return Spikes(
        coordinates,
        fired,
        None if place is None else np.array(place),
        np.ones(n, bool),
        20_000.0,
        config,
    )


FIRST = np.repeat([True, False], 4)


def test_nothing_is_said_of_what_does_not_count() -> None:
    assert spikes(place=[0] * 8).two_neurons_nats(FIRST, ~FIRST).tolist() == [0, 0, 0]


def test_shapes_are_compared_by_the_spikes_whose_coordinates_are_their_own() -> None:
    heaps = replace(QUIET, heaps=True)
    one = spikes(config=heaps)
    of_all = float(two_heaps_nats(heap_quantities(one.coordinates[:4], one.coordinates[4:])))
    assert one.two_neurons_nats(FIRST, ~FIRST) == pytest.approx([of_all, 0, 0])
    seen = np.array([True] * 3 + [False] + [True] * 4)
    odd = one.coordinates.copy()
    odd[3] = 1e3
    hidden = replace(one, seen=seen, coordinates=odd)
    expected = float(two_heaps_nats(heap_quantities(one.coordinates[:3], one.coordinates[4:])))
    assert hidden.two_neurons_nats(FIRST, ~FIRST)[0] == pytest.approx(expected)


def test_places_of_the_tissue_come_to_the_shapes() -> None:
    heaps = replace(QUIET, heaps=True)
    place = [0, 0, 0, 1, 1, 1, 1, 2]
    shapes = spikes(config=heaps).two_neurons_nats(FIRST, ~FIRST)[0]
    turns = drift_turns.two_neurons_nats(np.array([3, 1, 0]), np.array([0, 3, 1]))
    found = spikes(config=heaps, place=place).two_neurons_nats(FIRST, ~FIRST)
    assert found == pytest.approx([shapes + turns, 0, 0])


def test_times_count_by_half_where_the_network_has_read_them() -> None:
    times = replace(QUIET, firing_times=True)
    one = spikes(n=8, config=times, place=[0] * 8)
    one = replace(one, fired=20 * np.array([0, 1, 5, 100, 101, 102, 110, 200]))  # ms
    counts = one.pairs.counts(FIRST, ~FIRST)
    assert counts.tolist() == [[1, 1, 2], [2, 2, 1]]
    nats = two_trains_nats(counts, one.pairs.ratio)
    assert nats != 0
    assert one.two_neurons_nats(FIRST, ~FIRST) == pytest.approx([0, nats, 0])
    read = replace(one, times_read=True)
    assert read.two_neurons_nats(FIRST, ~FIRST) == pytest.approx([0, SAID_TWICE * nats, 0])
    assert SAID_TWICE == 0.5


def test_where_nobody_knows_the_places_one_may_end_when_the_other_begins() -> None:
    times = replace(QUIET, firing_times=True)
    one = spikes(n=40, config=times)
    first = np.arange(40) < 20
    trains = two_trains_nats(one.pairs.counts(first, ~first), one.pairs.ratio)
    jump = drift_jumps.two_neurons_nats(first, ~first, one.fired)
    assert jump != 0
    assert one.two_neurons_nats(first, ~first)[1] == pytest.approx(trains + jump)
    known = replace(one, place=np.zeros(40, int))
    assert known.two_neurons_nats(first, ~first)[1] == pytest.approx(trains)


def test_some_spikes_come_with_all_that_is_known_of_them() -> None:
    one = spikes(place=[0, 0, 1, 1, 2, 2, 3, 3])
    some = one.of(np.array([1, 4]))
    assert some.coordinates[:, 0].tolist() == [0.5, 9.0]
    assert some.fired.tolist() == [20_000, 80_000]
    assert some.place is not None
    assert some.place.tolist() == [0, 2]
    assert some.seen.tolist() == [True, True]
    assert spikes().of(np.array([1])).place is None


# -- which parts are compared -------------------------------------------------------------------------


class Sizes:
    """Says of two sets what their sizes are; and which sets were compared."""

    def __init__(self) -> None:
        self.pairs: list[tuple[int, int]] = []

    def two_neurons_nats(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        self.pairs.append((int(first.sum()), int(second.sum())))
        return np.array([first.sum(), 10 * second.sum(), 100.0])

    def of(self, rows: np.ndarray) -> Sizes:
        return self


def test_each_part_is_compared_with_every_larger_one_and_the_nearest_speaks() -> None:
    """Six spikes go with six points; parts of 3, 2 and 1 points."""
    sizes = Sizes()
    compared = Compared(sizes, np.arange(6))  # type: ignore[arg-type]
    parts = [np.isin(np.arange(6), one) for one in ([0, 1, 2], [3, 4], [5])]
    assert compared.parted(parts).tolist() == [3 + 2, 20 + 10, 200]
    assert sizes.pairs == [(3, 2), (3, 1), (2, 1)]
    compared.parted(parts)
    assert len(sizes.pairs) == 3  # the same ones once
    assert compared.parted(parts[:1]).tolist() == [0, 0, 0]
    assert compared.parted([]).tolist() == [0, 0, 0]


def test_points_stand_for_the_spikes_that_go_with_them() -> None:
    sizes = Sizes()
    compared = Compared(sizes, np.array([0, 0, 0, 1, 1]))  # type: ignore[arg-type]
    compared.parted([np.array([True, False]), np.array([False, True])])
    assert sizes.pairs == [(3, 2)]


def test_where_shapes_of_any_pair_were_said_all_others_are_one_and_shapes_say_nothing() -> None:
    sizes = Sizes()
    compared = Compared(sizes, np.arange(6))  # type: ignore[arg-type]
    parts = [np.isin(np.arange(6), one) for one in ([0, 1, 2], [3, 4], [5])]
    assert compared.nearest(parts[:2], parts[2], [False, True]).tolist() == [0, 10, 100]
    assert sizes.pairs == [(5, 1)]
    assert compared.nearest(parts[:2], parts[2], [False, False]).tolist() == [2, 10, 100]


def parted(
    rows: list[list[int]], company: list[int], pieces: set[frozenset[int]] | None = None
) -> tuple[list[list[float]], list[tuple[int, int]]]:
    """What draws of all spikes say, and which sets were compared."""
    sizes = Sizes()
    n = len(company)
    found = parted_nats(
        PosteriorSamples(np.array(rows), np.zeros(len(rows))),
        np.arange(n),
        sizes,  # type: ignore[arg-type]
        np.array(company),
        np.arange(n),
        pieces or set(),
    )
    return found.tolist(), sizes.pairs


def test_a_draw_is_weighed_by_what_it_parts_and_what_it_joins() -> None:
    whole, cut = [0] * 9, [0] * 5 + [1] * 4
    nats, pairs = parted([whole, cut, whole], [0] * 9)
    assert nats == [[0, 0, 0], [5, 40, 100], [0, 0, 0]]
    assert pairs == [(5, 4)]
    two = [0] * 5 + [1] * 4
    nats, pairs = parted([two, [0] * 9], two)
    assert nats == [[0, 0, 0], [-5, -40, -100]]


def test_single_spikes_that_a_draw_parts_say_nothing() -> None:
    nats, pairs = parted([[0] * 8 + [1]], [0] * 9)
    assert (nats, pairs) == ([[0, 0, 0]], [])
    assert parted([[0] * 7 + [1, 1]], [0] * 9)[0] == [[7, 20, 100]]


def test_spikes_of_no_unit_say_nothing() -> None:
    nats, pairs = parted([[0] * 5 + [1] * 4], [-1] * 9)
    assert (nats, pairs) == ([[0, 0, 0]], [])


def test_a_unit_is_at_home_where_most_of_it_is_and_joins_the_larger_ones_there() -> None:
    """Units of 4, 3 and 2 spikes; all in one cluster: each is compared with the larger ones."""
    company = [0] * 4 + [1] * 3 + [2] * 2
    nats, pairs = parted([[0] * 9], company)
    assert pairs == [(4, 3), (4, 2), (3, 2)]
    # the unit of 2 is nearer to that of 3, by the sum of all
    assert nats == [[-4 - 3, -30 - 20, -200]]
    nats, pairs = parted([[0] * 4 + [1] * 5], company)
    assert pairs == [(3, 2)]


def test_pieces_of_which_shapes_were_said_before_are_compared_by_the_rest() -> None:
    company = [0] * 5 + [1] * 4
    assert parted([[0] * 9], company, {frozenset((0, 1))})[0] == [[0, -40, -100]]
    assert parted([[0] * 9], company, {frozenset((0, 2))})[0] == [[-5, -40, -100]]


def test_units_of_matching_and_clusters_of_the_finest_draw_may_have_fields() -> None:
    """Points 0 to 3 stand for six spikes; the second draw has most clusters."""
    draws = PosteriorSamples(np.array([[0, 0, 1, 1], [0, 1, 2, 2], [0, 0, 0, 0]]), np.zeros(3))
    company, followed = np.array([4, 4, 4, -1, 0, 0]), np.array([0, 1, 1, 2, 2, 3])
    found = [np.flatnonzero(one).tolist() for one in _groups(draws, company, followed)]
    assert found == [[4, 5], [0, 1, 2], [0], [1, 2], [3, 4, 5]]
