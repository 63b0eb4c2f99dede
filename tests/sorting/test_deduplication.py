"""One neuron on several channels is one unit; different neurons are not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.spikes import SpikeEvents
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.deduplication import combine

from .planted import SQUARE, template

FS = 20_000.0
N_SAMPLES = 20_000_00
CONFIG = SortingConfig()
ALL = np.arange(4)


def _times(n: int, seed: int) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(N_SAMPLES // 100, n, replace=False)) * 100


def _combined(
    *units: tuple[int, NDArray[np.int64], NDArray[np.float32]],
    far: bool = False,
    shank: tuple[int, ...] = (0, 0, 0, 0),
) -> tuple[list[NDArray[np.int64]], NDArray[np.float32]]:
    """Combine units given as (channel, times, template on ALL); returns the unit ids of each one's spikes.

    far : channel 3 lies so far from the others that it has no channel in common with them
    shank : of each channel
    """
    times = np.concatenate([unit[1] for unit in units])
    order = np.argsort(times, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    owner = np.repeat(np.arange(len(units)), [len(unit[1]) for unit in units])
    channel = np.array([unit[0] for unit in units])[owner]
    spikes = SpikeEvents(times[order], channel[order], -10 * np.ones(len(order)), FS, N_SAMPLES)
    groups, templates = [], {}
    for main in sorted({unit[0] for unit in units}):
        neighbours = np.concatenate([[main], ALL[main != ALL]])
        if far:
            neighbours = neighbours[(neighbours == 3) == (main == 3)]
        members = [k for k, unit in enumerate(units) if unit[0] == main]
        ids = np.sort(place[np.isin(owner, members)])
        labels = np.searchsorted(members, owner[order][ids]).astype(np.int32)
        n = len(ids)
        alternative = Alternative(labels, np.full(n, 0.9, np.float32), 1.0, 0.0, np.ones(len(members)))
        posterior = PosteriorSamples(labels[None], np.zeros(1))
        groups.append(Component(main, neighbours, ids, np.arange(n), posterior, (alternative,)))
        templates[main] = np.stack([units[k][2][:, neighbours] for k in members])
    probe = Probe(SQUARE.positions_um, np.array(shank))
    unit_of_spike, probability = combine(groups, templates, spikes, probe, CONFIG)
    return [unit_of_spike[place[owner == k]] for k in range(len(units))], probability


def test_a_spike_seen_on_two_channels_is_kept_on_the_larger_one() -> None:
    times = _times(400, 0)
    wave = template([20, 8, 3, 1])
    late = np.roll(wave, -5, axis=0)
    late[-5:] = 0
    (first, second), probability = _combined((0, times, wave), (1, times[::2] + 5, late))
    assert set(first.tolist()) == {0}
    assert set(second.tolist()) == {-1}
    assert (probability == 0).sum() == 200


def test_what_is_left_of_a_second_sighting_stays_when_it_is_a_unit_of_its_own() -> None:
    times = _times(400, 0)
    others = _times(150, 1) + 50
    wave = template([20, 8, 3, 1])
    seen = np.sort(np.concatenate([times[:200] + 2, others]))
    (first, second), _ = _combined((0, times, wave), (1, seen, wave))
    assert set(first.tolist()) == {0}
    assert (second == -1).sum() == 200
    assert (second == 1).sum() == 150


@pytest.mark.parametrize(("share", "kept"), [(0.9, False), (0.5, True)])
def test_a_spike_seen_again_along_the_axon_is_kept_on_the_larger_channel(share: float, kept: bool) -> None:
    times = _times(400, 0)
    together = int(100 * share)
    seen = np.sort(np.concatenate([times[:together] + 4, _times(100 - together, 1) + 50]))
    big, small = template([20, 0, 0, 0]), template([0, 0, 0, 6])
    (first, second), _ = _combined((0, times, big), (3, seen, small), far=True)
    assert set(first.tolist()) == {0}
    assert set(second.tolist()) == ({1} if kept else {-1})


def test_units_of_different_shanks_are_never_one_neuron() -> None:
    times = _times(400, 0)
    (first, second), _ = _combined(
        (0, times, template([20, 0, 0, 0])),
        (3, times[:100] + 4, template([0, 0, 0, 6])),
        far=True,
        shank=(0, 0, 0, 1),
    )
    assert set(first.tolist()) == {0}
    assert set(second.tolist()) == {1}


def test_a_neuron_of_two_groups_is_recognised_when_a_third_sees_it_again() -> None:
    times = _times(400, 0)
    (first, second, third), _ = _combined(
        (0, times[::2], template([20.6, 19.4, 3, 0])),
        (1, times[1::2], template([19.4, 20.6, 3, 0])),
        (3, np.sort(np.concatenate([times[:100:2], times[101:200:2]])) + 4, template([0, 0, 0, 6])),
        far=True,
    )
    assert set(first.tolist()) == set(second.tolist()) == {0}
    assert set(third.tolist()) == {-1}


def test_units_of_the_same_size_far_from_each_other_stay_though_they_fire_together() -> None:
    times = _times(400, 0)
    (first, second), _ = _combined(
        (0, times, template([9, 0, 0, 0])), (3, times + 4, template([0, 0, 0, 8])), far=True
    )
    assert set(first.tolist()) == {0}
    assert set(second.tolist()) == {1}


def test_two_neurons_that_fire_together_by_chance_stay() -> None:
    # 1000 spikes in 100 s each: 0.8 % coincide within 0.4 ms.
    (first, second), _ = _combined(
        (0, _times(1000, 0), template([20, 8, 3, 1])), (1, _times(1000, 1) + 3, template([8, 20, 1, 3]))
    )
    assert set(first.tolist()) == {0}
    assert set(second.tolist()) == {1}


def test_a_neuron_between_two_contacts_is_one_unit() -> None:
    times = _times(1000, 0)
    on_first = template([10.6, 9.4, 3, 3])
    on_second = template([9.4, 10.6, 3, 3])
    (first, second), _ = _combined((0, times[::2], on_first), (1, times[1::2], on_second))
    assert set(first.tolist()) == set(second.tolist()) == {0}


def test_a_flip_is_found_though_the_second_channel_sees_the_spike_later() -> None:
    times = _times(1000, 0)
    wave = template([10.5, 10, 3, 3])
    wave[3:, 1] = wave[:-3, 1]
    earlier = np.roll(wave, -3, axis=0)
    earlier[-3:] = earlier[-4]
    (first, second), _ = _combined((0, times[::2], wave), (1, times[1::2] + 3, earlier))
    assert set(first.tolist()) == set(second.tolist()) == {0}


def test_similar_neurons_at_different_contacts_stay_apart() -> None:
    times = _times(1000, 0)
    (first, second), _ = _combined(
        (0, times[::2], template([20, 12, 3, 3])), (1, times[1::2], template([12, 20, 3, 3]))
    )
    assert set(first.tolist()) != set(second.tolist())


def test_different_shapes_stay_apart() -> None:
    times = _times(1000, 0)
    (first, second), _ = _combined(
        (0, times[::2], template([10, 9.5, 3, 3])), (1, times[1::2], template([9.5, 10, 3, 3], width=2.2))
    )
    assert set(first.tolist()) != set(second.tolist())


def test_units_that_ignore_each_others_refractory_period_stay_apart() -> None:
    # 6000 spikes each in 100 s: 720 pairs expected within 0.5 to 1.5 ms, as many are seen.
    (first, second), _ = _combined(
        (0, _times(6000, 0), template([10.6, 9.4, 3, 3])),
        (1, _times(6000, 1) + 15, template([9.4, 10.6, 3, 3])),
    )
    assert set(first.tolist()) != set(second.tolist())


def test_units_of_one_group_are_never_joined_through_another() -> None:
    times = _times(1500, 0)
    (a, b, c), _ = _combined(
        (0, times[::3], template([10.4, 9.6, 3, 3])),
        (0, times[1::3], template([11.2, 10.4, 3, 3])),
        (1, times[2::3], template([9.6, 10.4, 3, 3])),
    )
    assert set(a.tolist()) == set(c.tolist())
    assert set(a.tolist()) != set(b.tolist())


def test_no_groups_give_an_empty_sorting() -> None:
    spikes = SpikeEvents(np.zeros(0), np.zeros(0), np.zeros(0), FS, 100)
    unit_of_spike, probability = combine([], {}, spikes, SQUARE, CONFIG)
    assert len(unit_of_spike) == len(probability) == 0


@pytest.mark.parametrize("n", [1, 5])
def test_a_unit_of_few_spikes_survives_untouched(n: int) -> None:
    (first,), _ = _combined((2, _times(n, 0), template([1, 1, 9, 1])))
    assert set(first.tolist()) == {0}
