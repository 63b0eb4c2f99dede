"""Draws that part a neuron where the tissue jumps get one beside them in which it is whole."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.jumped_units import with_jumps_joined

RATE_HZ = 5.0


def spikes(*trains: list[tuple[float, float]], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels and times in µs of trains that fire at random within some spans, s, in order of time."""
    generator = np.random.default_rng(seed)
    times = [
        np.concatenate([generator.uniform(a, b, round(RATE_HZ * (b - a))) for a, b in spans])
        for spans in trains
    ]
    labels = np.repeat(np.arange(len(times)), [len(one) for one in times])
    order = np.argsort(np.concatenate(times))
    return labels[order], np.round(1e6 * np.concatenate(times)[order]).astype(np.int64)


def drawn(*labels: np.ndarray) -> PosteriorSamples:
    order = np.arange(len(labels))
    return PosteriorSamples(np.stack(labels), np.full(len(labels), -7.0), None, order)


def test_a_draw_that_parts_a_neuron_where_it_jumps_gets_one_that_does_not() -> None:
    labels, times = spikes([(0, 20)], [(20, 45)])
    both = with_jumps_joined(drawn(labels, np.zeros_like(labels)), times)
    assert both.n_clusters.tolist() == [2, 1, 1]
    assert both.weight == pytest.approx([0.25, 0.5, 0.25])
    assert both.order is not None
    assert both.order.tolist() == [0, 1, 0]
    assert both.log_prob[:2].tolist() == [-7.0, -7.0]
    assert np.isnan(both.log_prob[2])
    assert both.drawn_weight is not None
    assert both.drawn_weight == pytest.approx([0.5, 0.5, 0.0])


def test_a_neuron_that_jumps_twice_is_one_and_the_neuron_that_stays_beside_it_another() -> None:
    labels, times = spikes([(0, 15)], [(15, 25)], [(25, 45)], [(0, 45)])
    whole = with_jumps_joined(drawn(labels), times).labels[1]
    expected = labels == 3
    assert (whole == (expected if not expected[0] else ~expected)).all()


def test_of_two_neurons_that_jump_at_once_the_larger_parts_are_one_and_the_smaller_parts_another() -> None:
    """Twice as many spikes of the first before the jump as of the second, and after it too."""
    labels, times = spikes([(0, 20)], [(0, 20)], [(20, 45)], [(20, 45)])
    rank = np.arange(len(labels))
    kept = (labels % 2 == 0) | (rank % 2 == 0)
    labels, times = labels[kept], times[kept]
    expected = PosteriorSamples((labels % 2)[None], np.zeros(1)).labels[0]
    assert (with_jumps_joined(drawn(labels), times).labels[1] == expected).all()


def test_noise_that_shares_a_cluster_with_a_part_of_a_neuron_stays_a_cluster() -> None:
    """A spike of noise every two seconds, which the draw has in the second part."""
    labels, times = spikes([(0, 20)], [(20, 45)], [(0, 20)])
    kept = (labels < 2) | (np.cumsum(labels == 2) % 10 == 0)
    labels, times = labels[kept], times[kept]
    whole = with_jumps_joined(drawn(np.minimum(labels, 1)), times).labels[1]
    neuron = labels < 2
    assert len(np.unique(whole[neuron])) == 1
    assert len(np.unique(whole[~neuron])) == 1
    assert whole.max() == 1


def test_neurons_that_come_and_go_by_themselves_or_stay_are_left_alone() -> None:
    for trains in (([(0, 20)], [(26, 45)]), ([(0, 26)], [(18, 45)]), ([(0, 45)], [(0, 45)])):
        labels, times = spikes(*trains)
        posterior = drawn(labels)
        assert with_jumps_joined(posterior, times) is posterior


def test_a_sparse_cluster_among_the_spikes_of_a_neuron_that_leaves_is_not_its_other_part() -> None:
    """Noise goes on at a spike a second when the neuron has gone: nothing took over."""
    labels, times = spikes([(0, 30)], [(18, 45)])
    noise = np.flatnonzero(labels == 1)
    some = np.sort(np.concatenate([np.flatnonzero(labels == 0), noise[::4]]))
    assert with_jumps_joined(drawn(labels[some]), times[some]).n_samples == 1


def test_weights_as_drawn_are_those_before_any_evidence() -> None:
    labels, times = spikes([(0, 20)], [(20, 45)])
    weighed = drawn(labels, np.zeros_like(labels)).weighed(np.array([0.0, np.log(3)]))
    both = with_jumps_joined(weighed, times)
    assert both.weight == pytest.approx([1 / 8, 3 / 4, 1 / 8])
    assert both.drawn_weight == pytest.approx([0.5, 0.5, 0.0])
