"""The rest of a component sampled again, and the sortings of its draws that are too rare to be shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.clock import Clock
from ncpgui.core.component import Alternative, Clamp, Component, ComponentWaveforms
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import SpikeEvents
from ncpgui.sorting import recluster
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.posterior_draws import posterior_seed
from ncpgui.sorting.recluster import rarer_sortings, resample_rest, with_all_draws
from tests.sorting.planted import SQUARE, FakeResult, template
from tests.sorting.test_second_cells import spikes, train

CONFIG = SortingConfig(
    min_cluster_spikes=1, posterior_samples=10, heaps=False, firing_times=False, stimulus=False, echoes=False
)
RATE = 20_000.0
A = [0, 0, 0, 0, 1, 1, 1, 1]
ONE = [0] * 8
CROSSED = [0, 0, 1, 1, 0, 0, 1, 1]


def way(labels: list[int], mass: float = 0.5) -> Alternative:
    n_units = max(labels) + 1
    ones = np.ones(len(labels), np.float32)
    return Alternative(np.array(labels, np.int32), ones, mass, 0.0, np.ones(n_units, np.float32))


def component(rows: list[list[int]], *ways: list[int], id: int = 3) -> Component:
    """Ten spikes on contacts 2 and 0, of which the first eight were sampled."""
    posterior = PosteriorSamples(np.array(rows), np.zeros(len(rows)))
    return Component(
        id, np.array([2, 0]), np.arange(10, 20), np.arange(8), posterior, tuple(way(one) for one in ways)
    )


# -- too rare to be shown --------------------------------------------------------------------------


def test_sortings_of_few_draws_come_with_their_share_of_all_draws_the_most_probable_first() -> None:
    one = component([CROSSED, *[A] * 10, ONE, ONE], [*A, 0, 1])
    first, second = rarer_sortings(one, None, CONFIG)
    assert (first.mass, second.mass) == pytest.approx((2 / 13, 1 / 13))
    assert first.labels.tolist() == [0] * 10
    assert second.labels[:8].tolist() in (CROSSED, [1 - label for label in CROSSED])
    assert first.p_exists.tolist() == [1]


def test_spikes_that_were_not_sampled_follow_those_that_they_are_sorted_with() -> None:
    """Spike 8 goes with the first four, which the rare sorting has with no other, spike 9 with the others."""
    rare = [0, 0, 0, 0, 1, 1, 2, 2]
    _, found = rarer_sortings(component([*[ONE] * 10, rare], [*A, 0, 1]), None, CONFIG)
    assert found.labels[8] == found.labels[0]
    assert np.bincount(found.labels)[found.labels[0]] == 5


def test_where_all_draws_are_shown_or_nothing_is_there_are_no_rarer_ones() -> None:
    assert rarer_sortings(component([A] * 5, [*A, 0, 1]), None, CONFIG) == ()
    assert rarer_sortings(component([A] * 5 + [ONE]), None, CONFIG) == ()


def test_draws_without_weight_are_no_sortings() -> None:
    one = component([A] * 5 + [ONE], [*A, 0, 1])
    weight = np.array([1.0, 1, 1, 1, 1, 0])
    assert rarer_sortings(replace(one, posterior=one.posterior.changed(weight=weight)), None, CONFIG) == ()


def test_a_sorting_that_differs_in_clusters_too_small_for_the_sorting_is_none() -> None:
    small = [0, 0, 0, 0, 1, 1, 1, 2]
    one = component([A] * 5 + [small], [*A, 0, 1])
    assert rarer_sortings(one, None, replace(CONFIG, min_cluster_spikes=2)) == ()


def test_with_coordinates_each_spike_goes_to_the_nearest_cluster() -> None:
    one = component([*[ONE] * 10, A], [*ONE, 0, 0])
    place = np.array([0, 0.1, 0, 0.1, 9, 9.1, 9, 9.1, 9.05, 0.05], np.float32)
    waveforms = ComponentWaveforms(np.zeros((8, 32, 2), np.float32), np.zeros((8, 1)), place[:, None])
    (found,) = rarer_sortings(one, waveforms, CONFIG)
    assert found.labels[8] == found.labels[4]
    assert found.labels[9] == found.labels[0]


# -- sampled again -----------------------------------------------------------------------------------


class Network:
    """Draws what it is told to, and keeps what it was asked; it tells that half of it is done."""

    def __init__(self, *draws: list[int]) -> None:
        self.draws = draws
        self.asked: list[dict[str, Any]] = []

    def __call__(self, waveforms: np.ndarray, *, samples: int, beam: int = 0, **options: Any) -> FakeResult:
        self.asked.append({"waveforms": waveforms, "samples": samples, "beam": beam, **options})
        options["progress"](1, 2)
        n = samples or beam
        rows = np.array([self.draws[k % len(self.draws)] for k in range(n)])
        features = np.zeros((len(waveforms), 2), np.float32)
        return FakeResult(rows, np.zeros(n), features, np.arange(n), sampler="draws" if samples else "beam")


PROJECT = Project(
    RecordingReference("", {}, "", 4, RATE, 40_000),
    SQUARE,
    SpikeEvents(1000 * np.arange(30), np.zeros(30), np.zeros(30), RATE, 40_000),
    np.ones(4, np.float32),
    components=(),
    unit_of_spike=np.zeros(30, np.int64),
    probability=np.ones(30, np.float32),
    settings={},
    model="",
)
COORDINATES = np.array([0, 0.1, 0, 0.1, 9, 9.1, 9, 9.1, 9.05, 0.05], np.float32)[:, None]


def waves(coordinates: np.ndarray | None = COORDINATES) -> ComponentWaveforms:
    """The first four spikes are deep on one contact, the other four on the other."""
    shapes = np.stack([template([20.0, 2.0])] * 4 + [template([2.0, 20.0])] * 4)
    return ComponentWaveforms(shapes, np.zeros((8, 2), np.float32), coordinates)


def sampled_again(
    network: Network,
    held: Clamp | None = None,
    *,
    config: SortingConfig = CONFIG,
    project: Project = PROJECT,
    **options: Any,
) -> Component:
    free = Clamp(np.full(10, -1, np.int32))
    one = component([ONE] * 10, [*ONE, 0, 0])
    return resample_rest(project, one, waves(), held or free, config, cluster=network, **options)


def test_the_network_is_asked_for_the_sampled_spikes_where_they_are_and_when_they_fired() -> None:
    network = Network(A)
    sampled_again(network)
    (asked,) = network.asked
    assert (asked["samples"], asked["beam"]) == (10, 0)
    assert np.array_equal(asked["waveforms"], waves().waveforms)
    assert asked["channel_positions"].tolist() == [[0, 50], [0, 0]]
    assert asked["times_s"] == pytest.approx(0.05 * np.arange(10, 18))
    assert asked["seed"] == posterior_seed(CONFIG, 3)
    assert posterior_seed(CONFIG, 3) != posterior_seed(CONFIG, 3, 1) != posterior_seed(CONFIG, 4, 1)


def test_times_are_those_of_the_clock() -> None:
    network = Network(A)
    clock = Clock(RATE, [0, 14_999, 15_000], [0.0, 14_999 / RATE, 2.75])  # 2 s are missing after spike 14
    sampled_again(network, project=replace(PROJECT, recording=replace(PROJECT.recording, own_clock=clock)))
    expected = 0.05 * np.arange(10, 18) + 2.0 * (np.arange(10, 18) >= 15)
    assert network.asked[0]["times_s"] == pytest.approx(expected)


def test_sortings_are_those_of_the_new_draws_of_all_spikes() -> None:
    found = sampled_again(Network(A, A, A, ONE))
    first, second = found.alternatives
    assert (first.mass, second.mass) == pytest.approx((0.8, 0.2))  # 8 and 2 of ten draws
    assert found.posterior.n_samples == 10
    assert first.labels[8] == first.labels[4]
    assert first.labels[9] == first.labels[0]
    assert (found.id, found.spike_ids.tolist()) == (3, list(range(10, 20)))


def test_without_coordinates_spikes_go_with_those_that_they_were_sorted_with() -> None:
    before = component([A] * 10, [*A, 0, 1])
    found = resample_rest(
        PROJECT, before, waves(None), Clamp(np.full(10, -1, np.int32)), CONFIG, cluster=Network(A)
    )
    labels = found.alternatives[0].labels
    assert (labels[8], labels[9]) == (labels[0], labels[4])


def test_without_coordinates_a_spike_is_at_the_mean_of_those_it_was_sorted_with_or_far_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[np.ndarray] = []

    def weighed(posterior: PosteriorSamples, *given: Any, **_: Any) -> PosteriorSamples:
        seen.append(given[1])
        return posterior

    monkeypatch.setattr(recluster, "weighed_by_all_spikes", weighed)
    before = component([A] * 10, [*A, 1, 2])
    resample_rest(PROJECT, before, waves(None), Clamp(np.full(10, -1, np.int32)), CONFIG, cluster=Network(A))
    assert seen[0][8] == pytest.approx(seen[0][4:8].mean(axis=0))
    assert (seen[0][9] >= 1000).all()


def test_decisions_are_held_by_the_network_and_in_every_sorting() -> None:
    held = Clamp(np.array([0, 0, -1, -1, 1, -1, -1, -1, 0, -1], np.int32), ((2, 3),), ((2, 5),))
    network = Network(A)
    found = sampled_again(network, held)
    assert network.asked[0]["clamped"].tolist() == [0, 0, -1, -1, 1, -1, -1, -1]
    assert network.asked[0]["must_link"] == ((2, 3),)
    assert network.asked[0]["cannot_link"] == ((2, 5),)
    labels = found.alternatives[0].labels
    assert labels[0] == labels[1] == labels[8] != labels[4]


def test_spikes_that_were_found_twice_are_in_no_unit_of_new_sortings_unless_they_are_held() -> None:
    before = replace(component([ONE] * 10, [*ONE, 0, 0]), again=np.array([8, 9]))
    held = Clamp(np.array([0, 0, -1, -1, -1, -1, -1, -1, 0, -1], np.int32))
    found = resample_rest(PROJECT, before, waves(), held, CONFIG, cluster=Network(A))
    for one in found.alternatives:
        assert one.labels[8] == one.labels[0]
        assert one.labels[9] == -1
    rare = replace(component([*[A] * 12, ONE], [*A, 0, 1]), again=np.array([8]))
    (other,) = rarer_sortings(rare, None, CONFIG)
    assert other.labels.tolist() == [0] * 8 + [-1, 0]


def test_a_beam_is_searched_where_it_is_wanted() -> None:
    network = Network(A)
    found = sampled_again(network, config=replace(CONFIG, sampler="beam", beam=6))
    assert (network.asked[0]["samples"], network.asked[0]["beam"]) == (0, 6)
    assert found.posterior.sampler == "beam"


def test_progress_is_told_until_the_weighing() -> None:
    told: list[tuple[float, str]] = []
    sampled_again(Network(A), progress=lambda done, total, message="": told.append((done / total, message)))
    assert told == [(0.45, ""), (0.9, "weighing by all spikes"), (0.95, "weighing alternatives")]


def test_what_cannot_be_sampled_again_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"must be one a spike of the component around contact 2: 10, got shape \(9,\)"
    ):
        sampled_again(Network(A), Clamp(np.full(9, -1, np.int32)))
    with pytest.raises(InputError, match="every spike around contact 2 belongs to an accepted unit; take "):
        sampled_again(Network(A), Clamp(np.zeros(10, np.int32)))


# -- the other half of the draws ---------------------------------------------------------------------


def test_the_draws_of_the_second_round_come_to_those_of_the_first() -> None:
    """50 of 100 draws were made; two of three of the other 50 have both units as one."""
    config = replace(CONFIG, posterior_samples=100)
    network = Network(A, ONE, ONE)
    told: list[tuple[int, int, str]] = []
    before = component([A] * 50, [*A, 0, 1])
    after = with_all_draws(
        PROJECT,
        before,
        waves(),
        config,
        cluster=network,
        progress=lambda done, total, message="": told.append((done, total, message)),
    )
    assert [asked["samples"] for asked in network.asked] == [50]
    assert network.asked[0]["seed"] == posterior_seed(config, 3, 1)
    assert after.posterior.n_samples == 100
    first, second = after.alternatives
    assert first.labels.tolist() == [*A, 0, 1]  # that in use stays, as it is
    assert (first.mass, second.mass) == pytest.approx((0.67, 0.33))
    assert first.p_exists == pytest.approx([0.67 + 0.33] * 2)  # half of a cluster is a partner
    assert told[-2:] == [(18, 20, "weighing by all spikes"), (19, 20, "weighing alternatives")]


def test_spikes_that_were_found_twice_stay_in_the_sorting_in_use_alone_when_more_draws_come() -> None:
    before = replace(component([A] * 50, [*A, 0, 1]), again=np.array([9]))
    config = replace(CONFIG, posterior_samples=100)
    first, second = with_all_draws(PROJECT, before, waves(), config, cluster=Network(ONE)).alternatives
    assert first.labels.tolist() == [*A, 0, 1]
    assert second.labels.tolist() == [0] * 9 + [-1]


def test_both_rounds_come_to_a_quarter_of_the_draws_and_a_component_that_has_all_stays() -> None:
    config = replace(CONFIG, posterior_samples=200)
    network = Network(A)
    told: list[float] = []
    before = component([A] * 50, [*A, 0, 1])
    after = with_all_draws(
        PROJECT,
        before,
        waves(),
        config,
        cluster=network,
        progress=lambda done, total, message="": told.append(done / total),
    )
    assert [asked["samples"] for asked in network.asked] == [50, 100]
    assert [asked["seed"] for asked in network.asked] == [posterior_seed(config, 3, n) for n in (1, 2)]
    assert after.posterior.n_samples == 200
    assert told == pytest.approx([0.15, 0.6, 0.9, 0.95]), "in the middle of the first 50, of the other 100"
    assert with_all_draws(PROJECT, after, waves(), config, cluster=network) is after
    assert len(network.asked) == 2


def test_the_sorting_in_use_stays_first_though_others_are_more_probable_and_these_come_by_mass() -> None:
    config = replace(CONFIG, posterior_samples=100)
    before = component([CROSSED] * 2 + [A] * 48, [*CROSSED, 0, 1])
    after = with_all_draws(PROJECT, before, waves(), config, cluster=Network(A, ONE))
    masses = [one.mass for one in after.alternatives]
    assert masses == pytest.approx([0.02, 0.73, 0.25])
    assert after.alternatives[0].labels.tolist() == [*CROSSED, 0, 1]


def test_draws_that_evidence_weighed_before_are_weighed_anew() -> None:
    config = replace(CONFIG, posterior_samples=100)
    one = component([A] * 25 + [ONE] * 25, [*A, 0, 1])
    drawn = one.posterior.weight
    weighed = one.posterior.changed(weight=drawn * np.repeat([3.0, 1.0], 25), drawn_weight=drawn)
    before = replace(one, posterior=weighed)
    after = with_all_draws(PROJECT, before, waves(), config, cluster=Network(A, ONE))
    assert after.posterior.weight == pytest.approx(np.full(100, 0.01))


def test_held_spikes_are_units_of_their_own_where_the_others_are_weighed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Units of matching are 0 and 1; those held get the numbers above."""
    seen: list[list[int]] = []

    def weighed(posterior: PosteriorSamples, *given: Any, **_: Any) -> PosteriorSamples:
        seen.append(given[2].tolist())
        return posterior

    monkeypatch.setattr(recluster, "weighed_by_all_spikes", weighed)
    held = Clamp(np.array([0, 0, -1, -1, 1, -1, -1, -1, 0, -1], np.int32))
    one = component([A] * 50, [*A, 0, 1])
    resample_rest(PROJECT, one, waves(), held, CONFIG, cluster=Network(A))
    assert seen == [[2, 2, 0, 0, 3, 1, 1, 1, 2, 1]]
    with_all_draws(PROJECT, one, waves(), replace(CONFIG, posterior_samples=100), cluster=Network(A))
    assert seen[1] == [*A, 0, 1]


# -- units that hide a second cell ----------------------------------------------------------------

HEAPS, _ = spikes(4.5, n=400)
HIDING = replace(
    PROJECT,
    spikes=SpikeEvents(
        train(400, two_cells=True), np.zeros(400, np.int64), np.zeros(400, np.float32), RATE, 400_000
    ),
    unit_of_spike=np.zeros(400, np.int64),
    probability=np.ones(400, np.float32),
)


def hiding_sampled_again(held: Clamp, config: SortingConfig) -> Component:
    """400 spikes of one unit in two heaps, which the network has as one in ten draws."""
    coordinates = HEAPS.reshape(400, -1)[:, 42:54]
    one = [0] * 400
    before = Component(
        3, np.arange(3), np.arange(400), np.arange(400), PosteriorSamples([one], [0.0]), (way(one),)
    )
    waveforms = ComponentWaveforms(HEAPS, np.zeros((400, 2), np.float32), coordinates)
    return resample_rest(HIDING, before, waveforms, held, config, cluster=Network(one))


def test_a_unit_that_hides_a_second_cell_is_two_in_draws_beside_the_new_ones() -> None:
    found = hiding_sampled_again(Clamp(np.full(400, -1, np.int32)), replace(CONFIG, heaps=True))
    assert found.posterior.n_samples == 20
    assert found.alternatives[0].n_units == 2
    assert found.alternatives[0].mass > 0.9


@pytest.mark.parametrize(
    ("held", "heaps"),
    [
        (Clamp(np.full(400, -1, np.int32)), False),
        (Clamp(np.where(np.arange(400) < 2, 0, -1).astype(np.int32)), True),
        (Clamp(np.full(400, -1, np.int32), must_link=((3, 7),)), True),
    ],
    ids=["heaps are not looked at", "spikes are accepted", "spikes are one by decision"],
)
def test_it_is_not_where_heaps_do_not_count_or_somebody_decided(held: Clamp, heaps: bool) -> None:
    found = hiding_sampled_again(held, replace(CONFIG, heaps=heaps))
    assert found.posterior.n_samples == 10
    assert (found.posterior.rows == 0).all()
