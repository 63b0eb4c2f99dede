"""Echoes: spikes at a fixed lag from another train's, told from neurons that are in synchrony."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.evidence.echoes import (
    LEAST_SHARE,
    MOST_LAG_MS,
    Locked,
    echo_probability,
    locked,
    may_be_locked,
    near_samples,
)

RATE_HZ = 20_000.0
N_SAMPLES = 60 * int(RATE_HZ)
MS = int(RATE_HZ / 1000)


def fires(rate_hz: float, rng: np.random.Generator) -> np.ndarray:
    """A train of a minute that keeps a refractory period of 3 ms."""
    free = np.sort(rng.choice(N_SAMPLES, int(60 * rate_hz), replace=False))
    return free[np.diff(free, prepend=-N_SAMPLES) > 3 * MS]


def asked(train: np.ndarray, other: np.ndarray, **options: int) -> Locked | None:
    return locked(train, other, sampling_frequency_hz=RATE_HZ, n_samples=N_SAMPLES, **options)


def followed(
    source: np.ndarray, share: float, lag_ms: float, jitter_ms: float, own_hz: float, rng: np.random.Generator
) -> np.ndarray:
    """A train that follows a share of another's spikes, and fires by itself."""
    some = source[rng.random(len(source)) < share]
    late = np.round((lag_ms + jitter_ms * rng.normal(size=len(some))) * MS).astype(int)
    return np.unique(np.append(some + late, fires(own_hz, rng)) if own_hz else some + late)


@pytest.mark.parametrize("lag_ms", [-1.9, -0.1, 0.0, 0.6, 2.4])
@pytest.mark.parametrize(("share", "own_hz"), [(1.0, 0.0), (0.8, 2.5)])
def test_a_train_at_a_fixed_lag_from_another_is_its_echo(lag_ms, share, own_hz) -> None:
    rng = np.random.default_rng(0)
    source = fires(12.0, rng)
    echo = followed(source, share, lag_ms, 0.04, own_hz, rng)
    found = asked(echo, source, n_pairs=400)
    assert found is not None
    assert found.p_echo > 0.99
    assert abs(found.lag - lag_ms * MS) <= 1
    assert len(found.spikes) == pytest.approx(share * len(source), rel=0.06)
    assert np.abs(echo[found.spikes] - source[found.sources] - found.lag).max() <= 3


def test_a_peak_and_the_trough_of_the_same_spikes_are_echo_and_source_whichever_is_asked() -> None:
    troughs = fires(2.2, np.random.default_rng(1))[:127]
    peaks = troughs + np.random.default_rng(2).integers(5, 8, 127)
    for found in (asked(peaks, troughs), asked(troughs, peaks)):
        assert found is not None
        assert len(found.spikes) == 127
        assert found.p_echo > 0.999


@pytest.mark.parametrize(
    ("share", "lag_ms", "jitter_ms"),
    [
        (0.03, 1.5, 0.3),  # a synapse
        (0.2, 2.0, 0.3),  # a strong one
        (0.4, 0.0, 0.5),  # a gap junction
        (0.6, 0.3, 0.8),  # a common input that drives most spikes
    ],
)
@pytest.mark.parametrize("own_hz", [4.0, 12.0])
def test_synchrony_of_two_neurons_is_no_echo(share, lag_ms, jitter_ms, own_hz) -> None:
    rng = np.random.default_rng(3)
    source = fires(12.0, rng)
    other = followed(source, share, lag_ms, jitter_ms, own_hz, rng)
    for found in (asked(other, source), asked(source, other)):
        assert found is None or found.p_echo < 0.01


def test_a_stimulus_that_drives_two_neurons_to_high_rates_locks_nothing() -> None:
    """Both fire at 150 Hz in bursts of 100 ms, which each explain a third of all bins of a lag."""
    rng = np.random.default_rng(4)
    on = (np.arange(N_SAMPLES) // (100 * MS)) % 10 == 0
    first, second = (np.flatnonzero(on & (rng.random(N_SAMPLES) < 150 / RATE_HZ)) for _ in range(2))
    assert asked(first, second) is None
    assert asked(second, first) is None


def test_trains_that_share_nothing_are_locked_in_none_of_many_pairs() -> None:
    rng = np.random.default_rng(5)
    trains = [fires(rate, rng) for rate in (0.3, 1.0, 5.0, 30.0, 80.0)]
    pairs = [(a, b) for a in trains for b in trains if a is not b]
    assert [asked(a, b, n_pairs=len(pairs)) for a, b in pairs] == [None] * len(pairs)


def test_echoes_among_the_spikes_of_a_neuron_are_echoes_and_the_neuron_is_none() -> None:
    """A rare large cell whose foot was taken for spikes of a small one that fires by itself, at 15 Hz."""
    rng = np.random.default_rng(8)
    source = fires(2.0, rng)
    found = asked(followed(source, 0.9, -1.2, 0.04, 15.0, rng), source)
    assert found is not None
    assert len(found.spikes) == pytest.approx(0.9 * len(source), abs=12)
    assert found.by_chance == pytest.approx(900 * len(source) * 7 / N_SAMPLES, rel=0.3)
    assert found.p_echo > 0.99
    assert echo_probability(900, len(found.spikes), found.by_chance / 900) < 0.01


def test_a_rare_cell_that_drives_another_strongly_has_no_echo() -> None:
    """A synapse that works with every third spike, 1.5 ms later with a jitter of 0.3 ms."""
    rng = np.random.default_rng(9)
    source = fires(1.5, rng)
    found = asked(followed(source, 0.33, 1.5, 0.3, 15.0, rng), source)
    assert found is None or found.p_echo < 0.01


def test_bursts_of_one_neuron_are_no_echo_unless_their_interval_is_fixed() -> None:
    """The second spikes of bursts come 2.2 ms later with a jitter of 0.4 ms: a bin has a quarter of them."""
    rng = np.random.default_rng(6)
    source = fires(5.0, rng)
    found = asked(followed(source, 1.0, 2.2, 0.4, 0.0, rng), source)
    assert found is None or found.p_echo < 0.01


def test_what_is_locked_at_longer_lags_is_not_looked_at() -> None:
    source = fires(5.0, np.random.default_rng(7))
    assert asked(source + round((MOST_LAG_MS + 0.5) * MS), source) is None


def test_a_few_spikes_say_nothing_and_no_spike_has_two_echoes() -> None:
    source = 5000 * np.arange(1, 9)
    assert asked(source + 10, source) is None
    source = 5000 * np.arange(1, 41)
    found = asked(np.sort(np.append(source + 10, source + 11)), source)
    assert found is not None
    assert found.sources.tolist() == list(range(40))
    assert len(found.spikes) == 40


@pytest.mark.parametrize("chance", [0.0, 0.05])
def test_the_odds_turn_where_about_half_of_the_spikes_are_locked(chance: float) -> None:
    found = [echo_probability(500, k, chance) for k in (50, 150, 225, 300, 400, 500)]
    assert found == sorted(found)
    assert found[2] < 0.5 < found[3]
    assert found[0] == pytest.approx(np.exp(-8), rel=0.001)
    assert found[-1] == pytest.approx(1 - np.exp(-8), rel=0.001)


def test_the_odds_of_one_spike_are_those_of_the_two_laws() -> None:
    """A spike is locked with the mean share: three quarters of an echo's, one in eleven of two neurons'."""
    expected = 0.02 / 0.98 * 0.75 * 11
    assert echo_probability(1, 1, 0.0) == pytest.approx(expected / (1 + expected), rel=1e-4)


# -- by hand, at 10 samples a ms: lags up to 25, bins of 5 samples ---------------------------------------


def regular(n: int) -> np.ndarray:
    return 5000 * np.arange(1, n + 1)


def by_hand(train: np.ndarray, other: np.ndarray, **options: int) -> Locked | None:
    return locked(train, other, sampling_frequency_hz=10_000.0, n_samples=200_000, **options)


def test_the_tail_is_that_of_all_pairs_in_a_bin_of_the_lags_up_to_12_5_ms_times_the_bins() -> None:
    """All 20 pairs are in a bin of 5 samples, none in the 98 on either side of the lags looked at."""
    found = by_hand(regular(20) + 7, regular(20))
    assert found is not None
    assert found.lag == 7
    assert found.p_chance == pytest.approx((5 / 201) ** 20 * 51, rel=1e-6, abs=0)
    assert found.by_chance == pytest.approx(20 * 20 * 5 / 200_000)
    many = by_hand(regular(20) + 7, regular(20), n_pairs=30)
    assert many is not None
    assert many.p_chance == pytest.approx(30 * found.p_chance, rel=1e-6, abs=0)
    assert found.p_echo == pytest.approx(echo_probability(20, 20, found.by_chance / 20))


@pytest.mark.parametrize(("lag", "is_seen"), [(25, True), (-25, True), (27, True), (28, False), (-28, False)])
def test_lags_are_looked_at_up_to_2_5_ms_and_half_a_bin(lag: int, is_seen: bool) -> None:
    found = by_hand(regular(20) + lag, regular(20))
    assert (found is not None) is is_seen


def test_ten_spikes_are_enough_and_nine_are_not() -> None:
    assert by_hand(regular(10) + 7, regular(10)) is not None
    assert by_hand(regular(9) + 7, regular(20)) is None
    assert by_hand(regular(20) + 7, regular(9)) is None


@pytest.mark.parametrize(("n", "is_asked"), [(6, True), (5, False)])
def test_less_than_three_of_ten_spikes_are_not_asked_about(n: int, is_asked: bool) -> None:
    train = np.sort(np.append(regular(20)[:n] + 7, regular(20)[n:] + 1000))
    assert (by_hand(train, regular(20)) is not None) is is_asked


def test_pairs_beside_the_lags_that_are_looked_at_make_chance_more_probable() -> None:
    source = regular(20)
    late = source[:6] + np.array([30, 60, 90, 120, 124, 125])  # three to twelve and a half ms
    found = by_hand(np.sort(np.append(source + 7, late)), source)
    assert found is not None
    # six pairs in 196 samples: 6 * 5 / 196 of them in a bin
    assert found.by_chance == pytest.approx(6 * 5 / 196)
    past = by_hand(np.sort(np.append(source + 7, source[:6] + 126)), source)
    assert past is not None
    assert past.by_chance == pytest.approx(26 * 20 * 5 / 200_000)


def test_a_spike_goes_with_the_nearer_of_two_and_with_the_first_of_two_as_near() -> None:
    source = np.sort(np.append(regular(20), regular(20) + 4))
    found = by_hand(regular(20) + 11, source)
    assert found is not None
    assert len(set((found.sources % 2).tolist())) == 1
    assert found.spikes.tolist() == list(range(20))


def test_trains_that_are_locked_have_as_many_pairs_near_each_other_as_it_takes() -> None:
    """Else nobody would look at them. Echoes at the largest lag, with jitter, count too."""
    rng = np.random.default_rng(5)
    source = fires(12.0, rng)
    for lag_ms in (-2.5, 0.0, 2.5):
        echo = followed(source, 0.4, lag_ms, 0.05, 2.5, rng)
        assert asked(echo, source) is not None
        apart = np.abs(np.subtract.outer(echo, source)) <= near_samples(RATE_HZ)
        assert may_be_locked(int(apart.sum()), len(echo), len(source))


def test_few_pairs_and_few_spikes_are_not_looked_at() -> None:
    assert may_be_locked(30, 100, 5000)
    assert not may_be_locked(29, 100, 5000)
    assert not may_be_locked(9, 9, 5000)
    assert LEAST_SHARE * 100 == 30


@pytest.mark.parametrize(
    ("rate_hz", "samples"), [(20_000.0, 50 + 3), (30_000.0, 75 + 4), (5000.0, 12 + 1), (2000.0, 5 + 1)]
)
def test_how_near_spikes_may_be_is_the_largest_lag_and_half_a_bin_of_a_sample_at_least(
    rate_hz: float, samples: int
) -> None:
    """2.5 ms and 0.15 ms."""
    assert near_samples(rate_hz) == samples
