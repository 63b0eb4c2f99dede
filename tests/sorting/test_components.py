"""The graph of doubts: what is asked about together, on which contacts, with which spikes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ncpgui.core.motion import Places
from ncpgui.core.probe import Probe
from ncpgui.sorting import components
from ncpgui.sorting.components import connected, contacts_of, draw_components, drawn_fairly
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.drift_pieces import Pieces

LINE = Probe(np.column_stack([np.zeros(8), 25.0 * np.arange(8)]))


def test_units_hang_together_over_others_and_one_without_doubts_is_alone() -> None:
    doubts = connected(5, [(3, 4), (0, 3)], fits=lambda _: True)
    assert doubts.components == [[0, 3, 4], [1], [2]]
    assert doubts.cut == []


def test_what_would_be_too_large_is_cut_where_the_doubt_is_least_and_said() -> None:
    """Pairs come with the closest first: the last of the chain is the one to go."""
    chain = [(1, 2), (3, 4), (0, 1), (2, 3)]
    doubts = connected(5, chain, fits=lambda members: len(members) <= 3)
    assert doubts.components == [[0, 1, 2], [3, 4]]
    assert doubts.cut == [(2, 3)]


def test_a_pair_that_is_in_doubt_for_two_reasons_is_cut_once() -> None:
    doubts = connected(3, [(0, 1), (1, 2), (1, 2)], fits=lambda members: len(members) <= 2)
    assert doubts.cut == [(1, 2)]


def test_a_pair_that_comes_together_over_others_is_not_cut() -> None:
    doubts = connected(3, [(0, 1), (1, 2), (0, 2)], fits=lambda _: True)
    assert doubts.components == [[0, 1, 2]]
    assert doubts.cut == []


def _units(depth: list[list[float]]) -> SimpleNamespace:
    depth_sd = np.array(depth)
    return SimpleNamespace(
        depth_sd=depth_sd,
        main_channel=depth_sd.argmax(axis=1),
        matched=SimpleNamespace(measured=None, again=None),
        alike=None,
        sampling_frequency_hz=20_000.0,
        n_samples=1_000_000,
    )


def test_the_first_contact_is_where_the_units_are_deepest_by_their_own_measure() -> None:
    deep, shallow = [0, 30, 36, 40, 10, 0, 0, 0], [0, 5, 10, 7, 0, 0, 0, 0]
    found = contacts_of([0, 1], _units([deep, shallow]), LINE, SortingConfig())
    assert found is not None
    assert found.tolist() == [2, 1, 3]  # 36/40 + 1 there, 1 + 7/10 on contact 3


def test_units_that_no_contacts_see_together_have_none() -> None:
    above, below = [20, 8, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 8, 20, 5]
    assert contacts_of([0, 1], _units([above, below]), LINE, SortingConfig()) is None


def test_dead_contacts_are_not_among_them() -> None:
    found = contacts_of([0], _units([[0, 30, 36, 20, 0, 0, 0, 0]]), LINE, SortingConfig(), bad_channels=(1,))
    assert found is not None
    assert found.tolist() == [2, 3]


def test_every_unit_is_drawn_evenly_for_a_half_and_in_proportion_for_the_rest() -> None:
    units = np.repeat([4, 9, 7], [9000, 900, 10])
    drawn = drawn_fairly(units, 600, np.random.default_rng(0))
    assert (np.diff(drawn) > 0).all()
    counts = [int((units[drawn] == unit).sum()) for unit in (4, 9, 7)]
    # 100 each but for the ten of the smallest; 390 left, of 8900 and 800 spikes
    assert counts == [100 + 357, 100 + 33, 10]


def test_half_as_many_spikes_are_drawn_from_a_unit_without_doubts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "distances", lambda *_, **__: [(1.0, 0, 1), (9.0, 1, 2)])
    monkeypatch.setattr(components, "echo_pairs", lambda *_, **__: [])
    units = _units([[0, 30, 36, 20, 0, 0, 0, 0]] * 3)
    units.unit, units.n_units = np.repeat([0, 1, 2], 300), 3
    drawn = draw_components(units, LINE, SortingConfig(spikes_per_group=200))
    assert [(one.units.tolist(), len(one.sampled)) for one in drawn] == [([0, 1], 200), ([2], 100)]


def test_a_component_has_all_spikes_of_its_units_in_order_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "distances", lambda *_, **__: [(1.0, 0, 2)])
    monkeypatch.setattr(components, "echo_pairs", lambda *_, **__: [])
    units = _units([[0, 30, 36, 20, 0, 0, 0, 0]] * 3)
    units.unit, units.n_units = np.array([2, 1, 0, 0, 1, 2, 0]), 3
    drawn = draw_components(units, LINE, SortingConfig())
    assert [one.spike_ids.tolist() for one in drawn] == [[0, 2, 3, 5, 6], [1, 4]]


def test_spikes_that_were_found_twice_follow_the_other_one_and_are_not_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other one of spike 5 is in another component: it follows the nearest of its own unit."""
    monkeypatch.setattr(components, "distances", lambda *_, **__: [(1.0, 0, 2)])
    monkeypatch.setattr(components, "echo_pairs", lambda *_, **__: [])
    units = _units([[0, 30, 36, 20, 0, 0, 0, 0]] * 3)
    units.unit, units.n_units = np.array([2, 1, 0, 0, 1, 2, 0]), 3
    units.matched.again = np.array([-1, -1, 0, -1, -1, 4, -1])
    units.matched.sample_index = 100 * np.arange(7)
    first, second = draw_components(units, LINE, SortingConfig())
    assert first.spike_ids.tolist() == [0, 2, 3, 5, 6]
    assert first.follows is not None
    assert first.follows.tolist() == [0, 0, 2, 0, 4]
    assert first.again.tolist() == [False, True, False, True, False]
    assert first.sampled.tolist() == [0, 2, 4]
    assert first.rest().tolist() == []
    assert second.follows is None
    assert second.again.tolist() == [False, False]


def test_all_spikes_are_drawn_where_there_are_few() -> None:
    assert drawn_fairly(np.zeros(5, int), 5, np.random.default_rng(0)).tolist() == [0, 1, 2, 3, 4]


def test_components_between_which_a_doubt_was_cut_know_of_each_other() -> None:
    """0-1-2, 3-4 and 5 alone; 2-3 and 1-4 are cut, which is one thing to know, and 4-5 too."""
    chain = [(1, 2), (3, 4), (0, 1), (2, 3), (1, 4), (4, 5)]
    doubts = connected(6, chain, fits=lambda members: len(members) <= 3 and 5 not in members)
    assert doubts.components == [[0, 1, 2], [3, 4], [5]]
    assert [doubts.cut_from(number) for number in range(3)] == [(1,), (0, 2), (1,)]


def test_units_that_somebody_proposes_to_merge_are_asked_about_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(components, "distances", lambda *_, **__: [(9.0, 0, 2)])
    monkeypatch.setattr(components, "echo_pairs", lambda *_, **__: [])
    units = _units([[0, 30, 36, 20, 0, 0, 0, 0]] * 4)
    units.unit, units.n_units = np.repeat([0, 1, 2, 3], 300), 4
    drawn = draw_components(units, LINE, SortingConfig(), together=[(2, 0), (1, 3)], apart=[3])
    assert [(one.units.tolist(), one.proposed) for one in drawn] == [
        ([0, 2], ((2, 0),)),
        ([1], ()),
        ([3], ()),
    ]


def test_pieces_of_a_cell_that_moved_are_asked_about_together_before_units_that_are_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of three there is room for two: the alike ones are cut."""
    monkeypatch.setattr(components, "distances", lambda *_, **__: [(1.0, 0, 1)])
    monkeypatch.setattr(components, "echo_pairs", lambda *_, **__: [])
    monkeypatch.setattr(components, "MAX_UNITS", 2)
    units = _units([[0, 30, 36, 20, 0, 0, 0, 0]] * 3)
    units.unit, units.n_units = np.repeat([0, 1, 2], 300), 3
    pieces = [Pieces(0, 2, 2.0), Pieces(1, 2, -0.5)]  # 88 % and 38 %
    drawn = draw_components(units, LINE, SortingConfig(), pieces=pieces)
    assert [(one.units.tolist(), one.pieces, one.cut_from) for one in drawn] == [
        ([0, 2], (Pieces(0, 2, 2.0),), (1,)),
        ([1], (), (0,)),
    ]


def test_units_with_a_cell_in_common_come_before_those_that_are_close_and_what_was_cut_is_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At two places of the tissue. There is room for two units, and a cell of 0 and 2 goes on in 1."""
    monkeypatch.setattr(components, "distances", lambda *_, **__: [(1.0, 1, 2)])
    monkeypatch.setattr(components, "echo_pairs", lambda *_, **__: [])
    monkeypatch.setattr(components, "MAX_UNITS", 2)
    units = _units([[0, 30, 36, 20, 0, 0, 0, 0]] * 3)
    units.unit, units.n_units = np.repeat([0, 1, 2], 300), 3
    units.matched.sample_index = np.arange(900)
    units.matched.places = Places(
        np.array([[0, 600], [600, 900]]), np.arange(2), np.array([[0.0], [20.0]]), np.zeros(1)
    )
    share = {0: 0.0, 1: 0.8, 2: 0.5}

    def elsewhere(members: list[int]) -> np.ndarray:
        return np.array([[share[unit] if members == [1] else 0.0 for unit in range(3)]] * 2)

    units.alike = SimpleNamespace(pairs=[(0, 2)], elsewhere=elsewhere)
    together, alone = draw_components(units, LINE, SortingConfig())
    assert (together.units.tolist(), together.elsewhere, together.cut_from) == ([0, 2], None, (1,))
    assert alone.units.tolist() == [1]
    assert alone.elsewhere is not None
    assert alone.elsewhere.tolist() == pytest.approx([0.8] * 300)
