"""Correlograms, intervals and close pairs against values known by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.analysis.correlograms import close_pairs, correlograms, intervals_ms

RATE_HZ = 10_000.0  # ten samples a millisecond


def test_the_time_of_a_pair_is_positive_where_the_second_fires_later() -> None:
    found = correlograms([np.array([1000]), np.array([1073])], sampling_frequency_hz=RATE_HZ)
    assert found.edges_ms[[0, -1]].tolist() == [-25, 25]
    assert found.counts[0, 1].sum() == found.counts[1, 0].sum() == 1
    at = [found.edges_ms[found.counts[i, j].argmax()] for i, j in ((0, 1), (1, 0))]
    assert at == [7, -8]  # 7.3 ms from the first to the second, -7.3 ms the other way
    assert found.counts[0, 0].sum() == 0


def test_an_autocorrelogram_is_even_and_a_spike_does_not_count_itself() -> None:
    train = np.array([0, 52, 205])
    counts = correlograms([train], sampling_frequency_hz=RATE_HZ).counts[0, 0]
    assert counts.sum() == 6
    assert np.array_equal(counts, counts[::-1])


@pytest.mark.parametrize(("window_ms", "bin_ms"), [(50.0, 1.0), (50.0, 0.25), (7.0, 2.0), (1000.0, 10.0)])
def test_counts_are_those_of_spikeinterface(window_ms: float, bin_ms: float) -> None:
    """Its counts of (i, j) are ours of (j, i): spikes that coincide, and those at the edges of bins, too."""
    from spikeinterface.core import NumpySorting
    from spikeinterface.postprocessing import compute_correlograms

    rng = np.random.default_rng(0)
    trains = [np.sort(rng.integers(0, 30_000, n)) for n in (300, 200, 0, 100)]
    trains[3] = np.sort(np.r_[trains[0][:50], trains[0][50:100] + 10])
    found = correlograms(trains, sampling_frequency_hz=RATE_HZ, window_ms=window_ms, bin_ms=bin_ms)
    labels = np.repeat(np.arange(4), [len(train) for train in trains])
    sorting = NumpySorting.from_samples_and_labels(
        [np.concatenate(trains)], [labels], RATE_HZ, unit_ids=np.arange(4)
    )
    counts, edges_ms = compute_correlograms(sorting, window_ms=window_ms, bin_ms=bin_ms, method="numpy")
    assert np.array_equal(found.counts, counts.swapaxes(0, 1))
    assert np.array_equal(found.edges_ms, edges_ms)


@pytest.mark.parametrize("window_ms", [0.5, 8.0, 60.0])
def test_counts_are_those_of_all_pairs_counted_one_by_one(window_ms: float) -> None:
    """At 1000 samples a second a bin of 2 ms is two samples; many spikes are simultaneous or on an edge."""
    rng = np.random.default_rng(4)
    trains = [np.sort(rng.integers(0, 200, n)) for n in (40, 25, 0)]
    found = correlograms(trains, sampling_frequency_hz=1000.0, window_ms=window_ms, bin_ms=2.0)
    n_half = int(window_ms / 2) // 2
    literal = np.zeros((3, 3, 2 * n_half), int)
    for one, other in np.ndindex(3, 3):
        for i, first in enumerate(trains[one]):
            for j, second in enumerate(trains[other]):
                lag = int(second - first)
                if (one, i) != (other, j) and -2 * n_half <= lag < 2 * n_half:
                    literal[one, other, lag // 2 + n_half] += 1
    assert found.counts.tolist() == literal.tolist()


def test_close_pairs_are_counted_once_and_expected_from_longer_distances() -> None:
    train = np.array([0, 10, 4000, 4100, 4200])  # 1 ms; three pairs 10, 10 and 20 ms apart
    found = correlograms([train, np.array([12])], sampling_frequency_hz=RATE_HZ)
    assert found.close.tolist() == [[1, 1], [1, 0]]  # 1.2 ms from the other's spike; 0.2 ms is too near
    assert found.expected[0, 0] == pytest.approx(2 * 1.3 / 10)
    assert found.expected[1, 1] == 0


def test_close_pairs_are_those_of_all_pairs_counted_one_by_one() -> None:
    rng = np.random.default_rng(1)
    trains = [np.sort(rng.integers(0, 20_000, n)) for n in (150, 90)]
    close, expected = close_pairs(trains, sampling_frequency_hz=RATE_HZ)
    for table, (low, high) in ((close, (7, 20)), (np.rint(expected * 10 / 1.3), (30, 130))):
        for i in range(2):
            for j in range(2):
                apart = np.abs(trains[j][None] - trains[i][:, None])
                assert table[i, j] == ((apart > low) & (apart <= high)).sum() // (2 if i == j else 1)


def test_intervals_are_those_of_spikes_that_follow_each_other() -> None:
    counts, edges = intervals_ms(np.array([0, 21, 33, 9000]), sampling_frequency_hz=RATE_HZ)
    assert {float(edges[k]): int(counts[k]) for k in np.flatnonzero(counts)} == {1.0: 1, 2.0: 1}


def test_a_train_without_spikes_has_none() -> None:
    nothing = np.zeros(0, np.int64)
    found = correlograms([nothing, np.array([5, 500])], sampling_frequency_hz=RATE_HZ)
    assert found.counts[0].sum() == 0
    assert intervals_ms(nothing, sampling_frequency_hz=RATE_HZ)[0].sum() == 0
