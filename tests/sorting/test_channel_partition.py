"""Spikes drawn from a main channel: as many as are asked for, the same ones for the same seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ncpgui.core.probe import Probe
from ncpgui.core.spikes import SpikeEvents
from ncpgui.sorting.channel_partition import contacts_around, draw_group, draw_groups
from ncpgui.sorting.config import SortingConfig

PROBE = Probe(np.column_stack([np.zeros(5), 20.0 * np.arange(5)]))
CONFIG = replace(SortingConfig(), spikes_per_group=3, neighbour_radius_um=45.0)


def spikes(*channels: int) -> SpikeEvents:
    n = len(channels)
    return SpikeEvents(10 * np.arange(n), np.array(channels), np.zeros(n), 20_000.0, 10 * n)


def test_up_to_the_number_that_is_asked_for_all_spikes_are_drawn() -> None:
    drawn = draw_group(spikes(1, 0, 1, 1), 1, PROBE, CONFIG)
    assert (drawn.channel, drawn.spike_ids.tolist()) == (1, [0, 2, 3])
    assert drawn.spike_ids.dtype == np.int64


def test_of_more_spikes_so_many_are_drawn_in_order_by_seed_and_channel() -> None:
    many = spikes(*[0, 1] * 50)
    first, again = (draw_group(many, 1, PROBE, CONFIG).spike_ids for _ in range(2))
    assert len(set(first.tolist())) == 3
    assert (np.diff(first) > 0).all()
    assert (first % 2 == 1).all()
    assert np.array_equal(first, again)
    other_seed = draw_group(many, 1, PROBE, replace(CONFIG, seed=CONFIG.seed + 1)).spike_ids
    assert not np.array_equal(first, other_seed)
    assert not np.array_equal(first - 1, draw_group(many, 0, PROBE, CONFIG).spike_ids)


def test_each_channel_with_spikes_has_a_draw() -> None:
    assert [one.channel for one in draw_groups(spikes(3, 0, 3), PROBE, CONFIG)] == [0, 3]


def test_contacts_are_the_neighbours_that_are_not_bad_the_channel_first() -> None:
    assert contacts_around(2, PROBE, CONFIG, ()).tolist() == [2, 1, 3, 0, 4]
    assert contacts_around(2, PROBE, CONFIG, (1, 4)).tolist() == [2, 3, 0]
    assert contacts_around(2, PROBE, replace(CONFIG, max_neighbours=3), ()).tolist() == [2, 1, 3]
    assert draw_group(spikes(2), 2, PROBE, CONFIG, bad_channels=(1,)).neighbours.tolist() == [2, 3, 0, 4]
    assert draw_groups(spikes(2), PROBE, CONFIG, bad_channels=(1,))[0].neighbours.tolist() == [2, 3, 0, 4]
