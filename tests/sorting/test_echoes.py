"""Units that may be echoes: found over the whole recording, asked about together, and weighed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.component import Alternative, Clamp, Component, Echoes
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.evidence.draws_by_alternative import alternative_of_draw
from ncpgui.evidence.same_neuron import same_neuron
from ncpgui.evidence.support import unit_support
from ncpgui.evidence.unit_accuracy import Overlaps
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.echo_notes import echo_notes
from ncpgui.sorting.echoes import EchoPair, echo_pairs, with_echoes
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.neuron_probability import p_neuron_of_spikes
from ncpgui.sorting.pipeline import sort_recording
from ncpgui.sorting.recluster import resample_rest
from ncpgui.sorting.review import given_units, review_recording

from .planted import SAMPLING_FREQUENCY_HZ, Cell, leader_clustering, planted_recording, regular_times
from .test_neuron_probability import units_by_hand

RATE_HZ = 20_000.0
N_SAMPLES = 2_000_000
SOURCE = [19_000 * i + 1000 for i in range(100)]
FOOT = [spike - 38 for spike in SOURCE[:80]] + [spike + 9000 for spike in SOURCE[80:]]


def pairs_of(matched: Matched) -> list[EchoPair]:
    return echo_pairs(matched, sampling_frequency_hz=RATE_HZ, n_samples=N_SAMPLES)


def test_the_smaller_of_two_locked_units_is_the_echo() -> None:
    for heights in ([20.0, 8.0], [8.0, 20.0]):
        matched, _ = units_by_hand([SOURCE, FOOT], heights, 6.0)
        (pair,) = pairs_of(matched)
        assert (pair.echo, pair.source) == ((1, 0) if heights[0] > heights[1] else (0, 1))
        assert len(pair.spikes) == 80
        assert np.abs(matched.sample_index[pair.spikes] - matched.sample_index[pair.sources]).tolist() == (
            [38] * 80
        )
        assert pair.probability > 0.99


def test_a_unit_of_another_place_is_no_echo_and_each_is_one_of_the_unit_that_has_most_of_it() -> None:
    second = [spike + 8 for spike in SOURCE[:60]] + [spike + 7000 for spike in SOURCE[60:]]
    matched, _ = units_by_hand([SOURCE, second, FOOT], [20.0, 12.0, 8.0], 6.0)
    assert [(one.echo, one.source) for one in pairs_of(matched)] == [(2, 0), (1, 0)]
    elsewhere = np.concatenate([matched.bank.waveforms, np.zeros_like(matched.bank.waveforms)], axis=2)
    elsewhere[1:] = elsewhere[1:, :, ::-1]  # two channels; the largest is on the first alone
    moved = replace(matched, moving=replace(matched.moving, waveforms=elsewhere[None]))
    assert [one.source for one in pairs_of(moved)] == [1]


def test_a_unit_of_the_feet_of_two_cells_is_an_echo_of_both() -> None:
    second = [spike + 9000 for spike in SOURCE]
    feet = [spike - 38 for spike in SOURCE[:70]] + [spike - 30 for spike in second[:50]]
    matched, _ = units_by_hand([SOURCE, second, feet], [20.0, 24.0, 8.0], 6.0)
    found = pairs_of(matched)
    assert [(one.echo, one.source, len(one.spikes)) for one in found] == [(2, 1, 50), (2, 0, 70)]
    assert min(one.p_all for one in found) > 0.99
    assert len(np.unique(np.concatenate([one.spikes for one in found]))) == 120


def p_neuron(trains: list[list[int]]) -> NDArray[np.float64]:
    """Mean P(neuron) of a large unit and of a smaller one, and of the smaller one's last 20 spikes."""
    matched, none = units_by_hand(trains, [20.0, 14.0], 6.0)
    p = p_neuron_of_spikes(matched, none, duration_s=100.0, sampling_frequency_hz=RATE_HZ)
    own = p[matched.unit == 1]
    late = np.sort(matched.sample_index[matched.unit == 1])
    rest = np.isin(late, [spike + 9000 for spike in SOURCE])
    return np.array([p[matched.unit == 0].mean(), own.mean(), own[rest].mean() if rest.any() else np.nan])


def test_a_unit_that_is_locked_to_a_larger_one_is_no_neuron_and_the_larger_one_is() -> None:
    """What is not at the lag is as probably an echo of a spike that was not found: 80 of 100."""
    alone = p_neuron([SOURCE, [spike + 9000 for spike in SOURCE]])
    found = p_neuron([SOURCE, FOOT])
    assert alone.min() > 0.9
    assert found[0] == pytest.approx(alone[0], abs=0.01)
    assert found[1] < 0.25
    assert found[2] == pytest.approx(0.2, abs=0.03)


def test_neurons_that_are_in_synchrony_are_neurons() -> None:
    """Twelve spikes of a hundred follow those of the other 1.5 to 2.5 ms later."""
    late = np.random.default_rng(0).integers(30, 51, 100)
    driven = [
        s + int(d) if i % 8 == 0 else s + 9000 for i, (s, d) in enumerate(zip(SOURCE, late, strict=True))
    ]
    matched, _ = units_by_hand([SOURCE, driven], [20.0, 14.0], 6.0)
    assert pairs_of(matched) == []
    assert p_neuron([SOURCE, driven])[1] > 0.9


# Three units of a component: 0 the source, 1 its echoes and two other spikes, 2 another neuron. Every second
# spike is sampled, those of the first draw as they are; the second has the last two units as one.
UNITS = np.repeat([0, 1, 2], [40, 40, 30])
SAMPLED = np.arange(0, 110, 2)
ECHOES = Echoes(np.arange(40, 78), np.arange(38), 0.9)
FOLLOWED = np.arange(110) // 2
CONFIG = SortingConfig(min_cluster_spikes=3)


def given_draws(*weight: float) -> tuple[PosteriorSamples, tuple[Alternative, ...]]:
    draws = [UNITS, np.minimum(UNITS, 1)]
    sure = np.ones(110, np.float32)
    ways = tuple(
        Alternative(draw.astype(np.int32), sure, mass, 0.1, np.ones(draw.max() + 1, np.float32), 0.5)
        for draw, mass in zip(draws, weight, strict=True)
    )
    rows = np.stack([draw[SAMPLED] for draw in draws])
    drawn = np.array([0.5, 0.5])
    return PosteriorSamples(rows, np.zeros(2), np.array(weight), drawn_weight=drawn), ways


def copied(*weight: float, echoes: tuple[Echoes, ...] = (ECHOES,)) -> Any:
    return with_echoes(*given_draws(*weight), SAMPLED, FOLLOWED, echoes, CONFIG)


def test_echoes_are_one_neuron_with_their_source_with_the_probability_of_their_times() -> None:
    posterior, _ = copied(0.7, 0.3)
    assert posterior.weight == pytest.approx([0.07, 0.03, 0.63, 0.27])
    assert posterior.weight_without_echoes == pytest.approx([0.7, 0.3, 0, 0])
    assert posterior.drawn_weight == pytest.approx([0.5, 0.5, 0, 0])
    same = same_neuron(posterior, UNITS[SAMPLED])
    assert same[0, 1] == pytest.approx(0.9)
    assert same[0, 2] == pytest.approx(0.0)
    assert np.flatnonzero(posterior.is_echo).tolist() == list(range(20, 39))
    assert posterior.echo_of[20:39].tolist() == list(range(19))


def test_in_an_alternative_with_echoes_they_are_in_no_unit_and_the_source_has_its_spikes_once() -> None:
    _, ways = copied(0.7, 0.3)
    assert [way.mass for way in ways] == pytest.approx([0.63, 0.27, 0.07, 0.03])
    first = ways[0]
    assert np.flatnonzero(first.labels == 0).tolist() == list(range(40))
    assert (first.labels[40:80] == -1).all()  # of the two that are left none is a unit
    assert first.n_units == 2
    assert first.by_evidence == pytest.approx({"waveforms": 0, "times": 0, "echoes": 0.63})
    assert ways[2].by_evidence == pytest.approx({"waveforms": 0.5, "times": 0.7, "echoes": 0.07})
    assert [way.n_units for way in ways] == [2, 2, 3, 2]


def test_each_alternative_is_found_again_in_the_draws_that_are_it() -> None:
    posterior, ways = copied(0.7, 0.3)
    found = alternative_of_draw(posterior, [way.labels[SAMPLED] for way in ways])
    assert found.tolist() == [2, 3, 0, 1]


def test_an_echo_is_missed_by_no_unit_and_spoils_none_but_its_own() -> None:
    """The neuron is complete whether its echoes are a unit or in none; as a unit these are a part of it."""
    posterior, (first, *_) = copied(1.0, 0.0)
    as_used, as_found = first.labels[SAMPLED].astype(int), UNITS[SAMPLED]
    for labels in (as_used, as_found):
        support = unit_support(posterior, labels)
        assert support.p_pure[0] == pytest.approx(1)
        assert support.p_complete[0] == pytest.approx(1)
        assert support.misses[0] == pytest.approx(0)
        assert Overlaps.of(posterior, labels).p_right()[0] == pytest.approx(1)
    assert unit_support(posterior, as_found).p_complete[1] == pytest.approx(0.1)


def test_of_two_pairs_each_has_its_probability() -> None:
    other = Echoes(np.arange(80, 110), np.arange(30), 0.6)
    posterior, _ = copied(1.0, 0.0, echoes=(ECHOES, other))
    same = same_neuron(posterior, UNITS[SAMPLED])
    assert same[0, 1] == pytest.approx(0.9)
    assert same[0, 2] == pytest.approx(0.6)
    assert posterior.n_samples == 6


SORT = SortingConfig(spikes_per_group=700, posterior_samples=16, motion="off")
LENGTH = 30 * int(SAMPLING_FREQUENCY_HZ)
LARGE = regular_times(300, LENGTH, seed=1)
LAG = 45
RINGS = LARGE + LAG + np.random.default_rng(3).integers(-1, 2, 300)
"""What is left of each spike 2.25 ms later, give or take a sample."""


@pytest.fixture(scope="module")
def recording() -> ArrayRecording:
    """A large cell that rings, and another cell."""
    cells = [
        Cell([40.0, 12.0, 12.0, 0.0], LARGE),
        Cell([12.0, 0.0, 0.0, 0.0], RINGS),
        Cell([4.0, 12.0, 4.0, 14.0], regular_times(260, LENGTH, seed=2)),
    ]
    return planted_recording(cells, LENGTH)


@pytest.fixture(scope="module")
def given() -> Sorting:
    trains = [LARGE, RINGS]
    order = np.argsort(np.concatenate(trains), kind="stable")
    times, units = np.concatenate(trains)[order], np.repeat([5, 9], 300)[order]
    return Sorting(times, units, SAMPLING_FREQUENCY_HZ, LENGTH)


@pytest.fixture(scope="module")
def reviewed(recording: ArrayRecording, given: Sorting) -> Project:
    folder = GivenSorting("/data/phy", PHY, np.arange(len(given)), "d", {})
    return review_recording(recording, given, folder, SORT, cluster=leader_clustering)


def check_asked(component: Component, fired: NDArray[np.int64], n: int) -> None:
    """The component has n rings, and says that they are the large cell's."""
    (pair,) = component.echoes
    assert len(pair.spikes) >= n
    apart = fired[component.spike_ids[pair.spikes]] - fired[component.spike_ids[pair.sources]]
    assert np.abs(apart - LAG).max() <= 4
    best = max(component.alternatives, key=lambda way: way.mass)
    assert list(best.by_evidence) == ["waveforms", "times", "echoes"]
    assert component.posterior.weight[component.posterior.weight_without_echoes == 0].sum() > 0.99
    assert best.mass > 0.6  # the network has the first two clusters as one in a quarter of its draws
    assert best.mass_without_echoes == pytest.approx(0, abs=0.01)  # a draw may have both in one cluster
    assert (best.labels[pair.spikes] == -1).all()


def test_a_sort_asks_about_an_echo_with_its_source_and_uses_the_neuron_once(recording) -> None:
    project = sort_recording(recording, replace(SORT, peak_sign="both"), cluster=leader_clustering)
    fired, unit, p = project.spikes.sample_index, project.unit_of_spike, project.p_neuron
    (component,) = (one for one in project.components if one.echoes)
    check_asked(component, fired, 50)
    is_ring, is_large = (np.abs(fired[:, None] - times[None]).min(axis=1) < 5 for times in (RINGS, LARGE))
    assert p is not None
    assert (p[is_ring] < 0.01).mean() > 0.95  # a spike of the other cell may be there by chance
    assert (p[is_large] > 0.9).mean() > 0.95
    assert (unit[is_ring] == -1).mean() > 0.95
    assert np.count_nonzero(is_large & (unit >= 0)) >= 295


def test_a_review_asks_the_same_of_units_that_were_given_and_leaves_them_as_they_are(reviewed, given) -> None:
    (component,) = reviewed.components
    check_asked(component, reviewed.spikes.sample_index, 300)
    assert (reviewed.unit_of_spike == given.unit_id).all()
    assert reviewed.p_neuron is not None
    assert reviewed.p_neuron[given.unit_id == 9].max() < 0.01
    assert reviewed.p_neuron[given.unit_id == 5].min() > 0.9


def test_a_note_says_which_spikes_are_probably_echoes_of_which_unit(reviewed) -> None:
    assert echo_notes(reviewed) == (
        "300 of 300 spikes of unit 9 are probably echoes of unit 5, 2.2 ms after its own",
    )
    none = np.where(reviewed.unit_of_spike == 9, -1, reviewed.unit_of_spike)
    assert echo_notes(replace(reviewed, unit_of_spike=none)) == (
        "300 spikes are probably echoes of unit 5, 2.2 ms after its own; they are in no unit",
    )


def test_units_that_are_in_synchrony_are_not_asked_about_together(recording, given) -> None:
    """Every tenth spike of the second follows the first; the others are as far from it as chance has them."""
    late = np.where(np.arange(300) % 10 == 0, RINGS, RINGS + 150 + np.arange(300) % 97)
    apart = replace(given, sample_index=np.sort(np.append(LARGE, late)))
    order = np.argsort(np.append(LARGE, late), kind="stable")
    apart = replace(apart, unit_id=np.repeat([5, 9], 300)[order])
    with closing(given_units(recording, apart, SORT)) as found:
        assert [draw.echoes for draw in found.draws] == [(), ()]


def test_sampled_again_the_echo_is_still_asked_about(reviewed) -> None:
    (component,) = reviewed.components
    held = Clamp(np.full(len(component.spike_ids), -1))
    waveforms = reviewed.waveforms[component.id]
    again = resample_rest(reviewed, component, waveforms, held, SORT, cluster=leader_clustering)
    check_asked(again, reviewed.spikes.sample_index, 300)


def test_the_setting_leaves_draws_as_they_are(recording, given) -> None:
    with closing(given_units(recording, given, replace(SORT, echoes=False))) as found:
        sampled, _ = sample_components(found, found.draws, cluster=leader_clustering)
    ((component, _),) = sampled.values()
    assert len(component.echoes) == 1
    assert component.posterior.weight_without_echoes is None
    assert component.posterior.n_samples == 16
