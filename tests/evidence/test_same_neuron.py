"""P(two units are one neuron), counted in draws by hand, and what firing times say of a pair."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.refractory import two_trains_nats
from ncpgui.evidence.same_neuron import pair_nats, same_neuron

DRAWS = [
    [0, 0, 0, 1, 1, 1, 2, 2],  # three neurons
    [0, 0, 0, 0, 0, 0, 1, 1],  # the first two units are one
    [0, 0, 0, 0, 0, 1, 2, 2],  # so are they, but for a spike
    [0, 0, 0, 1, 1, 1, 1, 1],  # the last two are one
]
UNITS = np.array([0, 0, 0, 1, 1, 1, 2, 2])


def posterior(weight: list[float]) -> PosteriorSamples:
    return PosteriorSamples(np.array(DRAWS), np.zeros(4), np.array(weight))


def test_two_units_are_one_neuron_in_the_draws_in_which_one_cluster_has_most_of_both() -> None:
    found = same_neuron(posterior([0.4, 0.3, 0.2, 0.1]), UNITS)
    np.testing.assert_allclose(found, [[1, 0.5, 0], [0.5, 1, 0.1], [0, 0.1, 1]])


def test_weights_of_the_draws_count() -> None:
    assert same_neuron(posterior([0, 0, 0, 1]), UNITS)[1, 2] == 1


def test_nothing_is_known_of_a_unit_without_a_sampled_spike() -> None:
    found = same_neuron(posterior([0.4, 0.3, 0.2, 0.1]), UNITS, n_units=4)
    assert np.isnan(found[3, :3]).all()
    assert np.isnan(found[:3, 3]).all()
    assert found[0, 1] == pytest.approx(0.5)


def test_spikes_that_were_drawn_more_densely_count_less() -> None:
    """By spikes the second unit is mostly in the cluster of the first, by what they stand for it is not."""
    draws = PosteriorSamples(np.array([[0, 0, 0, 0, 1]]), np.zeros(1))
    units = np.array([0, 0, 1, 1, 1])
    assert same_neuron(draws, units)[0, 1] == 1
    assert same_neuron(draws, units, stands_for=np.array([1, 1, 1, 1, 5]))[0, 1] == 0


def test_spikes_in_no_unit_are_passed_over() -> None:
    found = same_neuron(posterior([1, 0, 0, 0]), np.array([0, 0, -1, 1, 1, -1, -1, -1]))
    np.testing.assert_allclose(found, np.eye(2))


def test_times_of_a_pair_are_those_of_its_pairs_of_spikes() -> None:
    first, second = np.array([0, 30, 1000, 1100]), np.array([20, 1050, 3000, 3200])
    # at 20 kHz refractory pairs are 15 to 40 samples apart, chance pairs 61 to 260
    # first: (0, 30); chance: (1000, 1100). second: chance (3000, 3200). between: (0, 20);
    # (20, 30) is too close, (1000, 1050) and (1050, 1100) are neither
    expected = -two_trains_nats(np.array([[1, 0, 1], [1, 1, 0]]), 0.13)
    assert pair_nats(first, second, sampling_frequency_hz=20_000) == pytest.approx(expected)


def test_times_speak_for_two_neurons_that_meet_at_refractory_distances_and_against_those_that_never_do() -> (
    None
):
    rng = np.random.default_rng(0)
    times = np.cumsum(rng.integers(80, 400, 4000))  # never within 4 ms at 20 kHz
    half = rng.random(len(times)) < 0.5
    assert pair_nats(times[half], times[~half], sampling_frequency_hz=20_000) > 3
    other = np.sort(rng.integers(0, times[-1], 2000))
    assert pair_nats(times[half], other, sampling_frequency_hz=20_000) < -3
