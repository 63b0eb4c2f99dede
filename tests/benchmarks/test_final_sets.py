"""Roles never mix, recordings hold what they say, and figures are right where known by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.clustering import final_recordings
from benchmarks.clustering.final_recordings import FinalSet, FinalSettings, sets_of_recording
from benchmarks.clustering.final_scores import Source, judged, pair_rows, row
from benchmarks.clustering.final_sets import given_times, sources

SMALL = FinalSettings(duration_s=8.0, fewest=60, n_spikes=200)


def test_no_seed_has_two_roles():
    for n in (1, 10):
        final, development = (
            {source.seed for source in sources(role, n)} for role in ("final", "development")
        )
        assert not final & development
        assert max(final) < 100 <= min(development)


def test_more_recordings_of_the_end_than_it_has_seeds_are_refused():
    with pytest.raises(ValueError, match="101 recordings of the end would be some of the development"):
        sources("final", 101)


@pytest.fixture(scope="module")
def made() -> list[FinalSet]:
    return list(sets_of_recording("tetrode", "zigzag", SMALL, seed=100))


def test_sets_are_in_order_of_time_in_noise_sd_and_hold_what_is_not_scored(made: list[FinalSet]):
    assert len(made) == 1
    one = made[0]
    n_spikes = len(one.times_s)
    assert 60 <= n_spikes <= 200
    assert one.waveforms.shape == (n_spikes, 32, 4)
    assert (np.diff(one.times_s) >= 0).all()
    assert one.times_s[0] >= 0
    assert one.times_s[-1] < 8.1
    assert (one.waveforms[:, 9:14, 0].min(axis=1) < -4).all()
    assert 0 < one.known.sum() <= n_spikes
    assert (one.unit[one.known] >= 0).all()


def test_the_same_seed_gives_the_same_set(made: list[FinalSet]):
    again = next(sets_of_recording("tetrode", "zigzag", SMALL, seed=100))
    assert (again.waveforms == made[0].waveforms).all()
    assert (again.unit == made[0].unit).all()


def test_amplitudes_fall_after_short_intervals_only():
    """One bursting unit that loses half of its amplitude right after a spike and has it back after 20 ms."""
    settings = FinalSettings(
        duration_s=200.0,
        p_bursting=1.0,
        burst_gap_ms=(3.0, 3.2),
        burst_loss=(0.5, 0.5),
        recovery_ms=(5.0, 5.0),
        amplitude_spread=(0.0, 0.0),
    )
    cells = final_recordings.Cells(np.zeros((1, 3)), {}, np.ones(1), np.array([5.0]), 1, np.array([0]))
    sample, unit, amplitude = final_recordings._fire(cells, settings, 20_000.0, np.random.default_rng(0))
    gap_ms = np.diff(sample) / 20
    assert (unit == 0).all()
    assert amplitude[1:][gap_ms < 5].max() < 0.95
    assert amplitude[1:][gap_ms > 30].min() > 0.999
    # 3.1 ms after a rested spike: tired by 0.7 exp(-3.1 / 5), which costs half of that
    after_rest = (gap_ms[1:] < 3.3) & (gap_ms[:-1] > 50)
    assert amplitude[2:][after_rest].mean() == pytest.approx(1 - 0.5 * 0.7 * np.exp(-0.62), abs=0.01)


@pytest.mark.parametrize("motion", ["slow", "zigzag", "sudden"])
def test_ways_lie_between_their_ends(motion: str):
    part = np.linspace(0, 1, 400, endpoint=False)
    way = final_recordings._way(motion, np.random.default_rng(3))(part)
    assert way.min() >= 0
    assert way.max() <= 1
    assert np.ptp(way) > 0.4
    jumps = np.abs(np.diff(way)).max()
    assert jumps > 0.4 if motion == "sudden" else jumps < 0.05


def test_the_deepest_of_the_spikes_that_are_there_is_the_one_detected():
    found = final_recordings._deepest(
        np.array([100, 200, 300]),
        np.array([98, 103, 197, 290]),
        np.array([0, 1, 2, 3]),
        np.array([4.0, 9.0, 5.0, 6.0]),
        5.0,
    )
    assert found.tolist() == [1, 2, -1]


def test_pairs_are_told_apart_by_what_the_first_alternative_says_of_them():
    """Two units of two spikes, and a spike of noise that is not scored; of four draws one joins all."""
    waveforms = np.zeros((5, 32, 1), np.float32)
    waveforms[2:4, 0] = 8.0
    one = FinalSet(
        waveforms,
        np.zeros((1, 2)),
        np.arange(5.0),
        np.array([7, 7, 3, 3, -1]),
        np.array([1, 1, 1, 1, 0], bool),
    )
    first = np.array([0, 0, 1, 1, 2])
    samples = np.array([[0, 0, 1, 1, 2]] * 3 + [[0, 0, 0, 0, 1]])
    found = judged(Source("tetrode", "none", 100), one, first, samples)
    assert found.true_k == found.k_first == 2
    assert found.k.tolist() == [2, 2, 2, 1]
    assert found.p[found.joined].tolist() == [1.0, 1.0]
    assert found.p[~found.joined].tolist() == [0.25] * 4
    assert found.apart_sd[~found.joined].tolist() == [8.0] * 4
    assert found.ami_first == pytest.approx(1.0)
    told = row("both", [found])
    assert told["bias joined"] == pytest.approx(0.0)
    assert told["bias parted"] == pytest.approx(0.25)
    assert told["K error"] == pytest.approx(-0.25)
    pairs = {one["pairs"]: one for one in pair_rows([found])}
    assert set(pairs) == {"joined, of 2 or 3", "parted by 6 to 12 sd"}
    assert pairs["parted by 6 to 12 sd"]["ECE of all"] == pytest.approx(0.25)


def test_few_sets_have_an_error_by_chance_though_their_probabilities_are_right():
    """Two spikes that half of the draws join: of one set the error is a half whatever is true."""
    waveforms = np.zeros((2, 32, 1), np.float32)
    one = FinalSet(waveforms, np.zeros((1, 2)), np.arange(2.0), np.array([4, 4]), np.ones(2, bool))
    samples = np.array([[0, 0], [0, 1]] * 10)
    found = judged(Source("tetrode", "none", 100), one, samples[0], samples)
    assert found.drawn.tolist() == [[True], [False]] * 10
    alone, many = row("one", [found]), row("many", [found] * 1000)
    assert alone["ECE hard"] == alone["by chance hard"] == pytest.approx(0.5)
    assert 0 < many["by chance hard"] < 0.1
    assert many["ECE hard"] == pytest.approx(0.5)
    assert alone["by chance parted"] == ""


def test_units_that_lie_together_and_clusters_that_are_no_units_home_are_counted():
    """Units 0 and 1 are joined, unit 2 is cut; a cluster of one spike is too small to count."""
    truth, first = np.repeat([0, 1, 2], 40), np.repeat([0, 0, 1], 40)
    first[100:119], first[119] = 2, 3
    one = FinalSet(
        np.random.default_rng(0).normal(size=(120, 32, 1)).astype(np.float32),
        np.zeros((1, 2)),
        np.arange(120.0),
        truth,
        np.ones(120, bool),
    )
    told = row("one", [judged(Source("tetrode", "none", 100), one, first, first[None])])
    assert told["merged"] == 1
    assert told["split"] == 1


def test_draws_that_break_a_refractory_period_less_often_than_chance_are_there_more_often():
    """Spikes of one neuron, 5 ms apart and more, which six of eight draws part at random."""
    rng = np.random.default_rng(0)
    times, parted = np.cumsum(0.005 + rng.exponential(0.02, 800)), rng.integers(0, 2, 800)
    parted[0] = 0
    samples = np.array([parted] * 6 + [np.zeros(800, int)] * 2)
    nothing = np.zeros(0)
    one = FinalSet(nothing, nothing, times, np.zeros(800, int), np.ones(800, bool))
    first, drawn = given_times(one, samples, known=False)
    assert first.max() == 0
    assert drawn.shape == samples.shape
    assert drawn.max() == 0
