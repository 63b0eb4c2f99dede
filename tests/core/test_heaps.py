"""Two heaps of spikes and one, drawn from known laws: what the valley between them says."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ncpgui.core.heaps import MOST_NATS, _steepest, heap_quantities, two_heaps_nats, weighed_by_heaps
from ncpgui.core.posterior import PosteriorSamples

N = 4000
DIMS = 8


def heap(n: int, seed: int, at: float = 0.0) -> NDArray[np.float64]:
    """Spikes of one neuron: Gaussian, of sd 1 along each coordinate, `at` along the first."""
    spikes = np.random.default_rng(seed).normal(0, 1, (n, DIMS))
    spikes[:, 0] += at
    return spikes


def nats(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    return float(two_heaps_nats(heap_quantities(first, second)))


def test_the_distance_is_in_sd_and_the_valley_as_two_gaussians_have_it() -> None:
    """Two unit Gaussians 4 sd apart, counted within 2/3 sd: the middle has 2 P(4/3 < z < 8/3), an end
    P(|z| < 2/3) and what the other one has beyond 10/3."""
    from scipy.stats import norm

    valley, distance = heap_quantities(heap(N, 1), heap(N, 2, at=4.0))
    middle = 2 * (norm.cdf(8 / 3) - norm.cdf(4 / 3))
    end = norm.cdf(2 / 3) - norm.cdf(-2 / 3) + norm.sf(10 / 3)
    assert distance == pytest.approx(4.0, abs=0.1)
    assert valley == pytest.approx(np.log(middle / end), abs=0.1)


def test_a_gaussian_that_is_cut_in_the_middle_has_no_valley() -> None:
    """The halves are 2 * 0.798 apart, their sd is 0.603: 2.65; the cleanest of cuts tells nothing."""
    spikes = heap(N, 3)
    cut = spikes[:, 0] > 0
    valley, distance = heap_quantities(spikes[~cut], spikes[cut])
    assert distance == pytest.approx(2.65, abs=0.1)
    assert valley > 0
    assert abs(nats(spikes[~cut], spikes[cut])) < 0.5


@pytest.mark.parametrize("seed", range(4))
def test_cuts_as_networks_make_them_speak_for_one(seed: int) -> None:
    """They follow no line on which the halves are furthest apart."""
    spikes = heap(N, seed)
    rng = np.random.default_rng(seed + 20)
    for cut in (
        spikes[:, 0] + rng.normal(0, 1, N) > 0,
        spikes[:, 0] + rng.normal(0, 1, N) > 1.5,  # a tail
        rng.random(N) < 0.3,
    ):
        assert nats(spikes[~cut], spikes[cut]) < -1.5


@pytest.mark.parametrize("seed", range(4))
def test_two_neurons_speak_for_two_the_more_the_further_they_are_apart(seed: int) -> None:
    found = [nats(heap(N, seed), heap(400, seed + 10, at=apart)) for apart in (3.5, 5.0, 8.0)]
    assert 0 < found[0] < found[1] < found[2] <= MOST_NATS


def test_quantities_do_not_depend_on_the_scale_nor_on_which_is_first() -> None:
    first, second = heap(N, 5), heap(300, 6, at=4.0)
    expected = heap_quantities(first, second)
    assert heap_quantities(50 * second + 7, 50 * first + 7) == pytest.approx(expected, rel=1e-3)


def test_single_spikes_and_equal_ones_are_no_error() -> None:
    assert np.isfinite(nats(np.zeros((1, 2)), np.zeros((1, 2))))
    assert np.isfinite(nats(np.zeros((5, 2)), np.ones((1, 2))))


def test_no_verdict_is_surer_than_what_was_fitted_knows() -> None:
    assert two_heaps_nats(np.array([[-50.0, 100.0], [50.0, 0.0]])).tolist() == [MOST_NATS, -MOST_NATS]


def drawn(*labels: NDArray[np.integer]) -> PosteriorSamples:
    return PosteriorSamples(np.array(labels), np.zeros(len(labels)))


def as_waveforms(spikes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Eight numbers of each spike as those of a contact."""
    return spikes[:, :, None]


def test_samples_that_join_two_heaps_lose_against_those_that_part_them() -> None:
    """Of two heaps 10 sd apart the ratio is at its most, e^8, of which a fifth of the nats counts."""
    first, second = heap(300, 1), heap(200, 2, at=10.0)
    parted = np.repeat([0, 1], [300, 200])
    weighed = weighed_by_heaps(drawn(0 * parted, parted), as_waveforms(np.concatenate([first, second])))
    assert np.log(weighed.weight[1] / weighed.weight[0]) == pytest.approx(0.2 * MOST_NATS)
    assert weighed.drawn_weight == pytest.approx([0.5, 0.5])


def test_a_sample_gets_what_each_unit_and_the_nearest_larger_one_say() -> None:
    """Three heaps on a line: the second speaks against the first, the third against the second."""
    heaps = [heap(n, n, at) for n, at in ((400, 0.0), (300, 3.0), (200, 6.0))]
    parted = np.repeat([0, 1, 2], [400, 300, 200])
    weighed = weighed_by_heaps(drawn(0 * parted, parted), as_waveforms(np.concatenate(heaps)))
    expected = nats(heaps[0], heaps[1]) + nats(heaps[1], heaps[2])
    assert np.log(weighed.weight[1] / weighed.weight[0]) == pytest.approx(0.2 * expected, abs=0.02)


def test_units_of_few_spikes_and_sets_of_few_spikes_say_nothing() -> None:
    spikes = np.concatenate([heap(300, 1), heap(19, 2, at=10.0)])
    parted = np.repeat([0, 1], [300, 19])
    assert weighed_by_heaps(drawn(0 * parted, parted), as_waveforms(spikes)).weight == pytest.approx(
        [0.5, 0.5]
    )
    one = drawn(np.zeros(1, int), np.zeros(1, int))
    assert weighed_by_heaps(one, np.zeros((1, 32, 4))).weight == pytest.approx([0.5, 0.5])


def test_the_steepest_direction_goes_by_the_spread_the_less_surely_known_the_less_by_what_spikes_share() -> (
    None
):
    """Products over n - 2 spikes; with d = 2, what coordinates share counts n / (d + n), 1/2 and then 1/3.

    (4, 1; 1, 2) and (2, 4/3; 4/3, 8) have determinants of 7 and 128/9.
    """
    four = np.array([[2.0, 1], [-2, -1], [0, 1], [0, -1]])
    assert _steepest(four, np.array([1.0, 0])) == pytest.approx([2 / 7, -1 / 7], rel=1e-5)
    two = np.array([[1.0, 2], [-1, -2]])
    assert _steepest(two, np.array([1.0, 0])) == pytest.approx([72 / 128, -12 / 128], rel=1e-5)
