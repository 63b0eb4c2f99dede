"""A set of spikes that was clustered by itself, given when its spikes were fired."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.engine.waveform_clustering import ClusterResult
from ncpgui.evidence import drift_jumps
from ncpgui.sorting.timed_clusters import given_firing_times


def drawn(labels: np.ndarray) -> ClusterResult:
    """What `engine.cluster` returns of draws (S, n); the alternatives are not looked at."""
    n_samples, n = labels.shape
    return ClusterResult(
        posterior=PosteriorSamples(labels, np.full(n_samples, np.nan), order=np.arange(n_samples) % 8),
        modes=(),
        features=np.zeros((n, 2), np.float32),
        model="spikes",
    )


def train(rate_hz: float, refractory_s: float, n: int, seed: int) -> np.ndarray:
    """Times of a neuron, or of none if there is no refractory period."""
    gaps = np.random.default_rng(seed).exponential(1 / rate_hz - refractory_s, n)
    return np.cumsum(refractory_s + gaps)


def halves(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Eight draws, of which the first six part the spikes in two at random and the last two do not."""
    parted = np.random.default_rng(1).integers(0, 2, n)
    parted[0] = 0
    labels = np.zeros((8, n), int)
    labels[:6] = parted
    return labels, parted


def test_a_neuron_that_is_cut_at_random_is_put_together_by_its_refractory_period():
    labels, _ = halves(800)
    given = given_firing_times(drawn(labels), train(40.0, 0.003, 800, seed=0))
    assert given.result.map_labels.max() == 0
    assert given.result.alternative_mass[0] > 0.95
    assert given.mass_alone[0] == pytest.approx(2 / 8)
    assert given.weight_alone.tolist() == [1 / 8] * 8
    assert given.result.weight.sum() == pytest.approx(1)
    assert (given.result.labels == labels).all()


def test_two_neurons_that_fire_by_chance_within_each_others_period_stay_apart():
    first, second = train(20.0, 0.003, 400, seed=2), train(20.0, 0.003, 400, seed=3)
    times = np.concatenate([first, second])
    order = np.argsort(times)
    labels = np.zeros((8, 800), int)
    labels[:2] = (order >= 400) != (order[0] >= 400)  # canonical: the first spike is in cluster 0
    given = given_firing_times(drawn(labels), times[order])
    assert given.result.map_labels.max() == 1
    assert given.result.alternative_mass[0] > 0.9
    assert given.mass_alone[0] == pytest.approx(2 / 8)


@pytest.mark.parametrize("jumps_too", [False, True], ids=["cut at random", "jumps"])
def test_refractory_periods_count_by_half_where_times_are_known_and_jumps_in_full(jumps_too: bool):
    """Odds of one neuron against its two parts, of draws that have both or get one beside them."""
    times = train(40.0, 0.003, 800, seed=0)
    labels, parted = halves(800)
    if jumps_too:
        parted = (times > times[400]).astype(int)
        labels = np.tile(parted, (8, 1))
    of_jumps = drift_jumps.two_neurons_nats(parted == 0, parted == 1, np.round(times * 1e6).astype(np.int64))
    nats = []
    for known in (False, True):
        result = given_firing_times(replace(drawn(labels), knows_times=known), times).result
        of_one = (result.labels == 0).all(axis=1)
        before = 1.0 if jumps_too else 2 / 6
        nats.append(-np.log(result.weight[of_one].sum() / result.weight[~of_one].sum() / before))
    assert (of_jumps < -2) == jumps_too
    assert nats[0] < -2
    assert nats[1] - of_jumps == pytest.approx(0.5 * (nats[0] - of_jumps))


def test_a_neuron_that_jumps_is_put_together_and_two_that_come_and_go_by_themselves_are_not():
    """The second part begins when the first one ends, or after a pause; 8 draws, of which 6 part them."""
    masses = []
    for pause_s in (0.0, 4.0):
        generator = np.random.default_rng(4)
        times = np.sort(generator.uniform(0, 40, 200))
        second = times > 20
        labels = np.zeros((8, 200), int)
        labels[:6] = second
        given = given_firing_times(drawn(labels), times + pause_s * second)
        one = [mode.max() == 0 for mode in given.result.alternatives]
        masses.append(given.result.alternative_mass[one].sum())
    assert masses[0] > 0.8
    assert masses[1] < 0.5


def test_few_spikes_far_apart_in_time_say_nothing():
    labels, _ = halves(60)
    given = given_firing_times(drawn(labels), np.arange(60) * 0.5)
    assert given.result.alternative_mass[0] == pytest.approx(6 / 8, abs=0.05)
    assert given.mass_alone[0] == pytest.approx(6 / 8)


def test_a_neuron_that_every_draw_parts_where_it_jumps_is_whole_in_the_first_alternative():
    """Waveforms alone give that no mass at all, and the samples as drawn stay the first ones."""
    times = np.sort(np.random.default_rng(4).uniform(0, 40, 200))
    labels = np.tile((times > 20).astype(int), (8, 1))
    given = given_firing_times(drawn(labels), times)
    assert given.result.labels.shape == (16, 200)
    assert (given.result.labels[:8] == labels).all()
    assert given.result.map_labels.max() == 0
    assert given.result.alternative_mass[0] > 0.9
    assert given.mass_alone.tolist() == pytest.approx([0, 1])
    assert given.weight_alone.tolist() == pytest.approx([1 / 8] * 8 + [0] * 8)
    assert given.result.order.tolist() == [*range(8), *range(8)]
