"""Whether two parts respond to white noise as one cell: against literal integrals, and on simulated cells."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from ncpgui.core.heaps import MOST_NATS
from ncpgui.core.stimulus import Stimulus
from ncpgui.evidence import fields
from ncpgui.evidence.fields import Pair, Responses, compared
from ncpgui.evidence.white_noise import N_LAGS, WhiteNoise
from tests.retina_spikes import FRAME_HZ, N_FRAMES, OFF, frame_of, noise, times_s

NOISE = noise()
FRAMES = NOISE.frames


def nats(*parts: NDArray[np.float64]) -> float:
    """Two cells against one, of two sets of times."""
    frame = np.concatenate([frame_of(part) for part in parts])
    first = np.arange(len(frame)) < len(parts[0])
    return Responses(NOISE, frame).two_cells_nats(first, ~first)


def small_pair(seed: int, overlap: float, n: int = 4, v: float = 0.04) -> tuple[Pair, NDArray[np.float64]]:
    """Few elements of known law, and the four values of each: (n, 4)."""
    rng = np.random.default_rng(seed)
    noise_covariance = 0.01 * np.array(
        [[1.0, 0.1, 0.3, 0.1], [0.1, 1.0, 0.1, 0.3], [0.3, 0.1, 1.5, 0.1], [0.1, 0.3, 0.1, 1.5]]
    )
    shared = np.kron([[1, overlap], [overlap, 1]], np.eye(2))
    values = rng.multivariate_normal(np.zeros(4), noise_covariance + v * shared, n)
    products = (values.T @ values)[None]
    return Pair(np.array([v]), np.array([float(n)]), products, noise_covariance, 30), values


def test_the_density_given_gain_and_overlap_is_the_integral_over_all_fields() -> None:
    pair, values = small_pair(1, 0.5)
    gain, overlap = 0.4, 0.7
    a = np.linspace(-1.6, 1.6, 401)
    fields_there = np.stack(np.meshgrid(a, a, indexing="ij"), axis=-1)
    g = np.exp([-gain / 2, gain / 2])
    prior = multivariate_normal.pdf(
        fields_there, cov=0.04 * np.outer(g, g) * np.array([[1, overlap], [overlap, 1]])
    )
    of_both = pair.noise[np.ix_([0, 2], [0, 2])]
    slow = 0.0
    for value in values[:, [0, 2]]:
        seen = multivariate_normal.pdf(value - fields_there, cov=of_both)
        slow += np.log((prior * seen).sum() * (a[1] - a[0]) ** 2)
    found = pair.likelihood(np.array([gain]), np.zeros(1), np.array([overlap]))[0, 0, 0]
    assert found - len(values) * np.log(2 * np.pi) == pytest.approx(slow, abs=1e-6)


def test_a_later_part_is_compared_with_the_other_one_mixed_with_the_lag_before() -> None:
    pair, values = small_pair(2, 0.9)
    for delay, mix in (
        (0.3, [[0.7, 0.3, 0, 0], [0, 0, 1, 0]]),
        (-0.6, [[1, 0, 0, 0], [0, 0, 0.4, 0.6]]),
    ):
        mixed = values @ np.array(mix).T
        covariance = np.array(mix) @ pair.noise @ np.array(mix).T + 0.04 * np.array([[1, 0.5], [0.5, 1]])
        slow = multivariate_normal.logpdf(mixed, cov=covariance).sum() + len(values) * np.log(2 * np.pi)
        found = pair.likelihood(np.zeros(1), np.array([delay]), np.array([0.5]))[0, 0, 0]
        assert found == pytest.approx(slow)


@pytest.mark.parametrize("overlap", [1.0, 0.6, -0.8])
def test_the_log_odds_are_those_of_a_literal_sum_over_gains_delays_and_every_overlap(overlap: float) -> None:
    pair, values = small_pair(3, overlap, n=6)
    overlaps = np.append((np.arange(40) + 0.5) / 20 - 1, [1.0, 0.99, 0.0])
    gains = np.linspace(-2, 2, 41)
    delays = np.linspace(-1, 1, 21)
    p_gain = np.exp(-0.5 * (gains / 0.5) ** 2)
    p_delay = np.where(delays == 0, 0.5, np.where(np.abs(delays) == 1, 0.5, 1) * 0.5 / 19)

    def densities(gain: float, delay: float) -> NDArray[np.float64]:
        """Of each overlap."""
        later, sooner = max(delay, 0), max(-delay, 0)
        mix = np.array([[1 - later, later, 0, 0], [0, 0, 1 - sooner, sooner]])
        g = np.exp([-gain / 2, gain / 2])
        of_fields = np.ones((len(overlaps), 2, 2))
        of_fields[:, 0, 1] = of_fields[:, 1, 0] = overlaps
        covariance = mix @ pair.noise @ mix.T + 0.04 * np.outer(g, g) * of_fields
        product = values @ mix.T
        errors = np.einsum("na,rab,nb->r", product, np.linalg.inv(covariance), product)
        return -0.5 * (len(values) * np.linalg.slogdet(covariance)[1] + errors)

    terms = []
    for gain, p in zip(gains, p_gain / p_gain.sum(), strict=True):
        in_time = densities(gain, 0.0)[-1]
        for delay, q in zip(delays, p_delay, strict=True):
            told = densities(gain, delay)
            terms.append(told - told[-1] + in_time + np.log(p * q))
    of_overlap = logsumexp(terms, axis=0)
    one = np.logaddexp(np.log(0.8) + of_overlap[-3], np.log(0.2) + of_overlap[-2])
    two = logsumexp(of_overlap[:40]) - np.log(40)
    same = 1 / (1 + 30**2)
    expected = np.logaddexp(two + np.log1p(-same), one + np.log(same)) - one
    assert pair.two_cells_nats() == pytest.approx(expected, abs=0.1)


def test_parts_drawn_at_random_from_one_cell_differ_by_chance_only() -> None:
    """The sum of squares of their difference is the noise that white noise says, in and around the field."""
    misfit, told = [], []
    for seed in range(10):
        times = times_s(FRAMES, seed=seed)
        half = np.random.default_rng(seed).random(len(times)) < 0.5
        counts = [NOISE.counts(frame_of(times[part])) for part in (half, ~half)]
        averages = [NOISE.average(count) for count in counts]
        pair = compared(counts, averages)
        assert pair is not None
        of_difference = pair.noise[0, 0] + pair.noise[2, 2] - 2 * pair.noise[0, 2]
        misfit.append(float(((averages[0] - averages[1])[1:] ** 2).mean() / of_difference))
        told.append(nats(times[half], times[~half]))
    assert np.mean(misfit) == pytest.approx(1.0, abs=0.03)
    assert max(told) < 0
    assert np.mean(told) < -2


def test_bursts_that_change_gain_and_delay_make_no_second_cell() -> None:
    """Half of the spikes, or a fifth, are followed by one 12 ms later, a third of a frame."""
    for seed in range(4):
        first = times_s(FRAMES, rate_hz=8, seed=seed)
        rng = np.random.default_rng(seed)
        for share in (0.5, 0.2):
            assert nats(first, first[rng.random(len(first)) < share] + 0.012) < 0


def test_parts_that_fire_in_the_same_frames_are_told_by_nothing_but_say_one() -> None:
    """Each spike twice, and a spike in every frame: no noise is left that could tell the parts apart."""
    times = times_s(FRAMES, seed=1)
    assert -MOST_NATS <= nats(times, times) < 0
    every = (np.arange(N_FRAMES) + 0.5) / FRAME_HZ
    assert np.isfinite(nats(times, every))
    assert np.isfinite(nats(every, every + 0.001))


def test_a_cell_split_by_amplitude_is_one() -> None:
    """Amplitudes fall within bursts, so that small spikes follow others and respond more strongly."""
    for seed in range(4):
        times = times_s(FRAMES, seed=seed)
        gap_s = np.diff(times, prepend=-1.0)
        small = np.random.default_rng(seed).normal(0, 0.1, len(times)) + np.exp(-gap_s / 0.015) > 0.15
        assert nats(times[small], times[~small]) < 0


def test_cells_of_one_field_and_other_gains_may_be_one() -> None:
    """A part that responds half as strongly is no second cell; that would be another shape."""
    strong, weak = (times_s(FRAMES, gain=gain, rate_hz=12, seed=5) for gain in (1.3, 0.65))
    assert nats(strong, weak) < 0


def test_an_on_and_an_off_cell_at_one_place_are_two() -> None:
    assert nats(times_s(FRAMES, seed=1), times_s(FRAMES, kind=OFF, seed=2)) == MOST_NATS


def test_neighbours_are_two_the_more_surely_the_less_their_fields_overlap() -> None:
    one = times_s(FRAMES, seed=3)
    apart = [
        nats(one, times_s(FRAMES, centre_px=(5.5 + away, 5.5), rate_hz=6, seed=4)) for away in (0.7, 1.5, 4)
    ]
    assert apart[-1] == MOST_NATS
    assert all(less <= more for less, more in pairwise(apart))
    assert apart[1] > 3


def test_the_order_of_the_parts_does_not_matter() -> None:
    for one, other in (
        (times_s(FRAMES, seed=6), times_s(FRAMES, centre_px=(6.0, 6.5), rate_hz=4, seed=7)),
        (times_s(FRAMES, seed=6)[::2], times_s(FRAMES, seed=6)[1::2]),
    ):
        assert nats(one, other) == pytest.approx(nats(other, one), abs=1e-9)


def test_nothing_is_said_of_few_spikes_or_of_none_during_the_stimulus() -> None:
    one, other = times_s(FRAMES, seed=8), times_s(FRAMES, kind=OFF, seed=9)
    late = other[other > 2 * N_LAGS / FRAME_HZ]
    assert nats(one, late[: fields.FEWEST - 1]) == 0
    assert nats(one, late[: fields.FEWEST + 5]) != 0
    frame = np.full(400, -1)
    before = np.arange(400) < 200
    assert Responses(NOISE, frame).two_cells_nats(before, ~before) == 0


def test_nothing_is_said_of_spikes_that_do_not_care_for_the_stimulus() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, other = (np.sort(rng.uniform(0, N_FRAMES / FRAME_HZ, n)) for n in (600, 150))
        assert nats(one, other) == 0


def test_a_silent_field_beside_a_clear_one_is_a_second_cell() -> None:
    """Many spikes without a field, and as many with one: no gain of a burst is that small."""
    rng = np.random.default_rng(1)
    assert nats(times_s(FRAMES, seed=2), np.sort(rng.uniform(0, 60, 600))) == MOST_NATS


def test_only_the_part_of_the_frames_with_fields_is_looked_at() -> None:
    """Fields of the groups, also of an ON and an OFF cell whose sum has none."""
    one, other = times_s(FRAMES, seed=1), times_s(FRAMES, kind=OFF, seed=2)
    frame = np.concatenate([frame_of(one), frame_of(other)])
    first = np.arange(len(frame)) < len(one)
    near = Responses(NOISE, frame).near_fields([first, ~first])
    assert near is not None
    height, width = near.noise.frames.shape[1:]
    assert 4 <= height < 12
    assert 4 <= width < 12
    assert near.two_cells_nats(first, ~first) == MOST_NATS
    silent = Responses(NOISE, np.random.default_rng(0).integers(0, N_FRAMES, 500))
    assert silent.near_fields([np.ones(500, bool)]) is None


# -- a pixel that decides -----------------------------------------------------------------------------


BINARY = (np.random.default_rng(0).integers(0, 2, (900, 8, 10)) * 2 - 1).astype(np.int8)


def to_pixels(*places: tuple[int, int], n: int = 200) -> Responses:
    """Spikes in the first n frames, after the lags, in which each of these pixels is bright."""
    white = WhiteNoise(BINARY, Stimulus(BINARY, 100 * np.arange(900)))
    frames = [np.flatnonzero(BINARY[:, row, column] > 0) for row, column in places]
    chosen = [one[(one >= N_LAGS) & (one < 899)][:n] for one in frames]
    return Responses(white, np.concatenate(chosen))


def looked_at(responses: Responses, *groups: NDArray[np.bool_]) -> NDArray[np.generic] | None:
    near = responses.near_fields(groups or [np.ones(len(responses.frame), bool)])
    return None if near is None else near.noise.frames


@pytest.mark.parametrize(
    ("place", "rows", "columns"),
    [
        ((3, 4), slice(1, 6), slice(2, 7)),
        ((0, 0), slice(0, 3), slice(0, 3)),
        ((7, 9), slice(5, 8), slice(7, 10)),
    ],
)
def test_what_is_looked_at_is_a_field_with_its_neighbours_and_the_pixels_around_these(
    place: tuple[int, int], rows: slice, columns: slice
) -> None:
    found = looked_at(to_pixels(place))
    assert found is not None
    assert np.array_equal(found, BINARY[:, rows, columns])


def test_the_fields_of_all_groups_are_looked_at_and_groups_of_fewer_than_20_spikes_have_none() -> None:
    both = to_pixels((1, 2), (3, 5))
    first = np.arange(len(both.frame)) < 200
    found = looked_at(both, first, ~first)
    assert found is not None
    assert np.array_equal(found, BINARY[:, 0:6, 0:8])
    assert looked_at(both, np.arange(len(both.frame)) < 19) is None


def test_spikes_of_one_part_of_fewer_than_20_say_nothing() -> None:
    both = to_pixels((1, 2), (5, 7), n=20)
    first = np.arange(40) < 20
    assert both.two_cells_nats(first, ~first) != 0
    assert both.two_cells_nats(np.arange(40) < 19, ~first) == 0
    assert both.of(np.arange(20)).frame.tolist() == both.frame[:20].tolist()


def test_gains_and_delays_are_told_apart_as_finely_as_the_noise_of_the_difference_lets_them() -> None:
    """64 elements of variance 0.04, noise of 0.01 + 0.015 - 2 * 0.003: steps of 1.5 / sqrt(135) at most."""
    pair, _ = small_pair(4, 0.5, n=64)
    step = 1.5 / np.sqrt(64 * 0.04 / (0.01 + 0.015 - 2 * 0.003))
    gain, delay = pair._grid()
    for found, most in ((gain, 1.5), (delay, 1.0)):
        assert (found[0], found[len(found) // 2], found[-1]) == (-most, 0, most)
        assert len(found) == 2 * np.ceil(most / step) + 1
