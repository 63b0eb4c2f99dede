"""What the doubt about the sorting does to a result, against closed forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from spikeinterface.core import NumpySorting

import ncpgui
from ncpgui.analysis.receptive_field import receptive_field
from ncpgui.core.errors import InputError
from ncpgui.core.project import Project
from ncpgui.core.stimulus import Stimulus
from ncpgui.findings.analyses import Psth, Rates, ReceptiveFields, Tuning
from ncpgui.findings.finding import Collected, bootstrapped, finding
from ncpgui.findings.population import CorrelogramPeaks, Decoding
from ncpgui.findings.propagate import Train, propagate
from ncpgui.findings.recorded import recorded_of
from tests.tiny_project import RATE, tiny_project

TWO_WAYS = [[0, 0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]]
"""Unit 0 has six spikes, with 3 in 10 four."""


def doubtful() -> Project:
    return tiny_project({0: TWO_WAYS}, masses={0: [0.7, 0.3]})


def sorting_of(trains: dict[int, Any], duration_s: float = 100.0) -> NumpySorting:
    """A sorting of trains in seconds."""
    samples = {unit: np.round(np.asarray(train) * RATE).astype(np.int64) for unit, train in trains.items()}
    sorting = NumpySorting.from_unit_dict([samples], RATE)
    sorting.annotate(duration_s=duration_s)
    return sorting


def poisson(rate_hz: float, duration_s: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.sort(rng.uniform(0, duration_s, rng.poisson(rate_hz * duration_s)))


def n_spikes(sorting: Any) -> dict[int, int]:
    return {unit: len(sorting.get_unit_spike_train(unit)) for unit in sorting.unit_ids.tolist()}


def test_mean_and_variance_over_draws_are_those_of_the_weights() -> None:
    """Six spikes with 0.7, four with 0.3: mean 5.4, variance 0.7 x 0.3 x 2 x 2."""
    found = propagate(doubtful(), n_spikes, 10)
    one = found[0, "value"]
    assert one.mean == pytest.approx(5.4)
    assert one.sd == pytest.approx(np.sqrt(0.84))
    assert (one.low, one.high, one.in_use) == (4, 6, 6)
    assert np.isnan(one.from_sorting)  # nobody said what the data do
    assert one.p_there == 1


def test_the_variance_of_data_and_sorting_is_that_of_the_law_of_total_variance() -> None:
    """Inside a draw the data have a variance of their own: 0.25 and 2.25, in the mean 0.85."""

    class Noisy:
        def __call__(self, sorting: Any) -> dict[int, int]:
            return n_spikes(sorting)

        def resampled(self, sorting: Any, rng: np.random.Generator) -> dict[int, float]:
            n = n_spikes(sorting)[0]
            return {0: n + rng.choice([-1, 1]) * (0.5 if n == 6 else 1.5)}

    one = propagate(doubtful(), Noisy(), 500, bootstraps=5000)[0, "value"]
    by_data = 0.7 * 0.25 + 0.3 * 2.25
    assert one.sd**2 == pytest.approx(0.84 + by_data, rel=0.03)
    assert one.from_sorting == pytest.approx(0.84 / (0.84 + by_data), abs=0.02)


def test_a_rate_has_the_variance_of_sorting_and_of_stretches() -> None:
    """One train of known counts a stretch: n s^2 / T^2, s^2 with n - 1 in the denominator."""
    counts = np.array([0, 1, 2, 3, 4] * 10)
    train = np.repeat(np.arange(50) * 2.0 + 0.5, counts) + 0.01 * np.arange(counts.sum()) % 0.3
    one = propagate([sorting_of({3: np.sort(train)})], Rates(50), bootstraps=200)[3, "rate_hz"]
    assert one.mean == 1.0  # 100 spikes in 100 s
    assert one.sd**2 == pytest.approx(50 * counts.var(ddof=1) / 100**2, rel=0.25)
    assert one.from_sorting == 0


def test_the_interval_of_a_rate_covers_what_poisson_spikes_have() -> None:
    """Of 200 trains of 5 Hz the intervals of 90 % miss the true rate in 20, but for 4 sd."""
    trains = {unit: poisson(5.0, 100.0, unit) for unit in range(200)}
    found = propagate([sorting_of(trains)], Rates(), bootstraps=100, level=0.9)
    covered = np.mean([float(one.low) <= 5.0 <= float(one.high) for one in found.values()])
    assert covered == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 200))


def test_missed_spikes_raise_rates_and_widen_their_interval() -> None:
    project = doubtful()
    one = propagate(replace(project, lost=np.full(8, 0.5, np.float32)), Rates(), 400)[0, "rate_hz"]
    found = propagate(project, Rates(), 400)[0, "rate_hz"]
    assert one.in_use == pytest.approx(1.5 * found.in_use)
    assert one.mean == pytest.approx(found.mean * (1 + 0.5 * np.exp(0.7**2 / 2)), rel=0.05)
    assert one.from_sorting > found.from_sorting


def test_a_train_that_many_draws_have_is_looked_at_once() -> None:
    looked = []

    class Counting(Rates):
        def of_train(self, train: Train) -> dict[str, Any]:
            looked.append(len(train.samples))
            return super().of_train(train)

    propagate(doubtful(), Counting(), 100, units=[0])
    assert sorted(looked) == [4, 6, 6]  # one more of the sorting in use


def test_a_unit_that_is_in_some_draws_says_how_often() -> None:
    project = tiny_project({0: [[0] * 4 + [1] * 4, [0] * 8]}, masses={0: [0.6, 0.4]})
    found = propagate(project, n_spikes, 10)
    assert found[1, "value"].p_there == pytest.approx(0.6)
    assert found[1, "value"].mean == 4  # where it is there
    assert found.n_not_there == pytest.approx(0.4)
    assert found.n_new == 0


def test_a_result_on_a_circle_has_its_interval_around_its_mean() -> None:
    """170, 175, 5 and 10 of 180 lie around 0, not around 90."""
    collected = Collected([np.array(value) for value in (170.0, 175.0, 5.0, 10.0)])
    one = finding(collected, 175.0, n=4, level=0.9, period=180.0)
    mean = float(one.mean)
    assert min(mean % 180, 180 - mean % 180) == pytest.approx(0, abs=1e-9)
    assert float(one.high - one.low) < 20.1
    assert float(one.sd) == pytest.approx(np.sqrt((100 + 25 + 25 + 100) / 4))


def test_what_varies_with_nothing_has_no_share_of_the_sorting() -> None:
    """Two draws: of 5 and 5 nothing is to be shared; of 4 and 6 all comes from the sorting."""
    inside = [(np.zeros(2), 1.0)]
    found = finding(
        Collected([np.array([5.0, 4.0]), np.array([5.0, 6.0])], inside), [5.0, 5.0], n=2, level=0.9
    )
    assert found.sd.tolist() == [0.0, 1.0]
    np.testing.assert_array_equal(found.from_sorting, [np.nan, 1.0])


def test_the_interval_is_that_of_normal_laws_around_the_draws() -> None:
    """One value with the variance 4 inside: mean +- 1.645 x 2."""
    collected = Collected([np.array(10.0)], [(np.array(4.0), 1.0)])
    one = finding(collected, 10.0, n=1, level=0.9)
    assert (one.low, one.high) == (pytest.approx(10 - 3.29, abs=0.05), pytest.approx(10 + 3.29, abs=0.05))


def test_variances_inside_draws_count_by_how_many_draws_they_are_of() -> None:
    inside = [(np.array([1.0, np.nan]), 3.0), (np.array([5.0, np.nan]), 1.0)]
    variance = Collected([np.zeros(2)], inside).variance_inside()
    assert variance[0] == 2
    assert np.isnan(variance[1])


def test_bootstrapped_values_that_are_nan_are_left_out_and_a_circle_is_closed() -> None:
    assert bootstrapped([1.0, np.nan, 3.0]) == 2
    assert np.isnan(bootstrapped([1.0, np.nan]))
    assert bootstrapped([179.0, 1.0], 180.0) == pytest.approx(2)


def test_what_is_nan_in_some_draws_is_found_in_the_others() -> None:
    collected = Collected([np.array([1.0, np.nan]), np.array([3.0, np.nan])])
    one = finding(collected, [1.0, np.nan], n=2, level=0.5)
    assert one.mean[0] == 2
    assert np.isnan(one.mean[1])
    assert np.isnan(one.high[1])


def test_a_psth_counts_spikes_around_events() -> None:
    """Ten events, at each a spike 105 ms later, and one in ten 55 ms before."""
    events = 5.0 + 2.0 * np.arange(10)
    train = np.sort(np.concatenate([events + 0.105, events[:1] - 0.055]))
    psth = Psth(events, before_s=0.1, after_s=0.2, bin_s=0.05)
    found = propagate([sorting_of({0: train})], psth, bootstraps=50)
    assert found[0, "psth_hz"].mean.tolist() == pytest.approx([2, 0, 0, 0, 20, 0])
    assert found[0, "latency_s"].mean == pytest.approx(0.125)
    assert found[0, "peak_hz"].sd == pytest.approx(0, abs=1e-9)  # in every event once
    assert found[0, "psth_hz"].sd[0] > 0


@pytest.mark.parametrize(("period", "peak"), [(180.0, 40.0), (180.0, 178.0), (None, 70.0)])
def test_a_tuning_curve_without_noise_has_the_peak_that_it_was_made_with(
    period: float | None, peak: float
) -> None:
    values = np.tile(np.arange(0, 180, 15.0), 10)
    tuning = Tuning(np.arange(len(values)) * 1.0, 1.0, values, period)
    apart = values - peak
    if period is None:
        width = 25.0 * np.sqrt(2 * np.log(2))
        rates = 2 + 30 * np.exp(-0.5 * (apart / 25) ** 2)
    else:
        width = np.degrees(np.arccos(1 - np.log(2) / 2.0)) / 2
        rates = 2 + 30 * np.exp(2.0 * (np.cos(2 * np.radians(apart)) - 1))
    counts = np.round(1000 * rates).astype(int)
    found = tuning._of(counts)
    assert found["base_hz"] == pytest.approx(2000, abs=400)
    assert found["peak_hz"] == pytest.approx(32_000, rel=0.03)
    assert found["peak"] == pytest.approx(peak, abs=1.5)
    assert found["width"] == pytest.approx(width, rel=0.1)


def test_the_peak_of_a_tuning_curve_is_covered_by_its_interval() -> None:
    """Poisson cells of known orientation: intervals of 90 % miss in one of ten, but for 4 sd."""
    n, rng = 60, np.random.default_rng(1)
    values = np.tile(np.arange(0, 180, 15.0), 10)
    trains, peaks = {}, rng.uniform(0, 180, n)
    for unit, peak in enumerate(peaks):
        rates = 1 + 25 * np.exp(2 * (np.cos(2 * np.radians(values - peak)) - 1))
        trials = [start + np.sort(rng.uniform(0, 1, rng.poisson(r))) for start, r in enumerate(rates)]
        trains[unit] = np.concatenate(trials)
    tuning = Tuning(np.arange(len(values)) * 1.0, 1.0, values, 180.0)
    found = propagate([sorting_of(trains, 120.0)], tuning, bootstraps=50)
    off = [float(found[k, "peak"].mean) - peaks[k] for k in range(n)]
    assert np.abs((np.array(off) + 90) % 180 - 90).mean() < 4
    covered = []
    for unit, peak in enumerate(peaks):
        one = found[unit, "peak"]
        turns = peak + 180 * np.arange(-1, 2)
        covered.append(bool(((float(one.low) <= turns) & (turns <= float(one.high))).any()))
    assert np.mean(covered) == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / n))


def test_a_unit_of_two_cells_has_two_peaks_of_the_width_of_each() -> None:
    """A single peak between the two, or as wide as both, would be no cell's."""
    rng, values = np.random.default_rng(2), np.tile(np.arange(0, 180, 15.0), 10)
    first = 1 + 30 * np.exp(2 * (np.cos(2 * np.radians(values - 30)) - 1))
    second = 1 + 18 * np.exp(2 * (np.cos(2 * np.radians(values - 82)) - 1))
    trains = {
        unit: np.concatenate(
            [start + np.sort(rng.uniform(0, 1, rng.poisson(r))) for start, r in enumerate(of)]
        )
        for unit, of in enumerate((first, first + second))
    }
    tuning = Tuning(np.arange(len(values)) * 1.0, 1.0, values, 180.0)
    found = propagate([sorting_of(trains, 120.0)], tuning, bootstraps=50)
    width = np.degrees(np.arccos(1 - np.log(2) / 2)) / 2
    for unit in (0, 1):
        assert found[unit, "peak"].mean == pytest.approx(30, abs=4)
        assert found[unit, "width"].low < width < found[unit, "width"].high
        assert found[unit, "width"].high < 45  # a single peak on both is wider
    assert np.isnan(found[0, "second_peak_hz"].mean)
    assert found[1, "second_peak_hz"].mean == pytest.approx(20, abs=4)


def test_a_unit_that_a_draw_divides_may_hold_two_peaks_that_are_not_clear() -> None:
    """Cells prefer 30 and 62 degrees: one peak between them is as good if they are not known to be two."""
    rng, values = np.random.default_rng(2), np.tile(np.arange(0, 180, 15.0), 10)
    rates = sum(2 + 20 * np.exp(2.5 * (np.cos(2 * np.radians(values - peak)) - 1)) for peak in (30.0, 62.0))
    train = np.concatenate(
        [k + np.sort(rng.uniform(0, 1, rng.poisson(rate))) for k, rate in enumerate(rates)]
    )
    tuning = Tuning(np.arange(len(values)) * 1.0, 1.0, values, 180.0)
    whole, divided = sorting_of({0: train}, 120.0), sorting_of({0: train}, 120.0)
    divided.set_property("is_divided", [True])
    one = propagate([whole], tuning)[0, "peak"]
    two = propagate([divided], tuning)[0, "peak"]
    assert 30 < one.low < one.high < 62
    assert two.low < 30 < two.high
    both = propagate([whole, divided], tuning)[0, "peak"]
    assert both.values.tolist() == pytest.approx([float(one.mean), float(two.mean)])


def test_the_bootstrap_of_a_field_doubles_what_stretches_change_that_are_added_to_all_spikes() -> None:
    """Stretches alone have the noise of the data twice: centres of weak fields seem too doubtful."""
    rng = np.random.default_rng(0)
    frames = rng.choice(np.array([-1, 1], np.int8), (1500, 8, 10))
    stimulus = Stimulus(frames, np.round(np.arange(1500) * RATE / 30).astype(np.int64))
    bright = np.flatnonzero((frames[:, 3, 5:7].sum(axis=1) + frames[:, 4, 5]) == 3)
    fired = rng.choice(bright[bright > 12], 60, replace=False)
    train = Train(
        np.sort(np.round((fired + 0.5) * RATE / 30).astype(np.int64)), recorded_of(sorting_of({0: [1]}, 50.0))
    )
    analysis = ReceptiveFields(stimulus)
    again = analysis.resampled_train(train, np.random.default_rng(7))
    drawn = np.bincount(np.random.default_rng(7).integers(0, 50, 50), minlength=50)
    added = receptive_field(
        stimulus, np.repeat(train.samples, 1 + drawn[(train.samples // RATE).astype(int)])
    )
    whole = receptive_field(stimulus, train.samples)
    assert again["x_px"] == pytest.approx(2 * added.center_px[0] - whole.center_px[0])
    assert again["peak_z"] == pytest.approx(2 * added.peak_z - whole.peak_z)
    assert again["polarity"] == 1
    assert again["x_px"] != whole.center_px[0]


def test_a_receptive_field_is_where_it_was_planted() -> None:
    """Spikes at every frame in which pixel (5, 3) is bright, an ON cell of one pixel."""
    rng = np.random.default_rng(0)
    frames = rng.choice(np.array([-1, 1], np.int8), (1500, 8, 10))
    stimulus = Stimulus(frames, np.round(np.arange(1500) * RATE / 30).astype(np.int64))
    bright = np.flatnonzero(frames[:, 3, 5] > 0)
    bright = bright[bright > 12]
    train = (bright + 0.5) / 30
    sortings = [sorting_of({0: train, 1: poisson(5, 50, 3)}, 50.0)]
    found = propagate(sortings, ReceptiveFields(stimulus), bootstraps=20)
    place = [float(found[0, name].mean) for name in ("x_px", "y_px", "polarity")]
    assert place == pytest.approx([5, 3, 1], abs=0.1)
    assert np.isnan(found[1, "x_px"].mean)  # no field: nothing to say


def test_the_peak_of_a_correlogram_is_where_one_unit_follows_the_other() -> None:
    first = np.arange(1.0, 99.0)
    peaks = CorrelogramPeaks([(0, 1), (0, 9)], window_ms=10, bin_ms=1)
    found = propagate([sorting_of({0: first, 1: first + 0.0035})], peaks, bootstraps=20)
    assert list(found) == [((0, 1), "lag_ms"), ((0, 1), "height")]  # 9 is not there
    assert found[(0, 1), "lag_ms"].mean == pytest.approx(3.5)
    by_chance = 98 * 98 / 100 * 0.001
    assert found[(0, 1), "height"].mean == pytest.approx(98 / by_chance)


def test_decoding_tells_two_stimuli_from_units_that_answer_to_them() -> None:
    """One unit fires twenty spikes to one stimulus and none to the other; a second one tells nothing."""
    values = np.tile([0, 1], 20)
    starts = np.arange(40) * 1.0
    told = np.sort(np.concatenate([start + np.linspace(0.1, 0.9, 20) for start in starts[values == 1]]))
    decoding = Decoding(starts, 1.0, values)
    clear = propagate([sorting_of({0: told, 1: poisson(5, 40, 0)}, 40.0)], decoding)
    assert clear[None, "accuracy"].mean == 1
    assert clear[None, "accuracy"].sd == 0
    blind = propagate([sorting_of({1: poisson(5, 40, 0)}, 40.0)], decoding, bootstraps=40)
    assert float(blind[None, "accuracy"].mean) < 0.8
    assert float(blind[None, "accuracy"].sd) > 0
    assert propagate([sorting_of({})], decoding)[None, "accuracy"].mean == 0.5


def test_rows_are_a_table_of_what_are_numbers() -> None:
    psth = Psth([0.01], before_s=0.0, after_s=0.02, bin_s=0.01)
    rows = ncpgui.propagate(doubtful(), psth, 10).rows()
    assert [(row["of"], row["name"]) for row in rows] == [
        (unit, name) for unit in (0, 1) for name in ("peak_hz", "latency_s")
    ]
    assert set(rows[0]) == {"of", "name", "in_use", "mean", "low", "high", "sd", "from_sorting", "p_there"}


def test_the_same_seed_gives_the_same_findings() -> None:
    first, again, other = (propagate(doubtful(), Rates(), 20, seed=seed).rows() for seed in (1, 1, 2))
    assert str(first) == str(again)
    assert str(first) != str(other)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: propagate(doubtful(), 3), "an analysis is a function of a sorting, or one of"),
        (lambda: propagate(doubtful(), Rates(), 0), "n must be a whole number from 1 on, got 0"),
        (lambda: propagate(doubtful(), Rates(), level=1.0), "level is the probability of an interval"),
        (lambda: propagate(doubtful(), Rates(), bootstraps=1), "bootstraps must be a whole number from 2"),
        (
            lambda: propagate(doubtful(), lambda sorting: "high"),
            "gives a number or an array, or a dictionary",
        ),
        (lambda: propagate([3], Rates()), "must have sortings of SpikeInterface, at least one"),
        (lambda: Tuning([0, 1], 1.0, [1]), "needs a value for each trial, got 2 trials, 1 values"),
        (lambda: Tuning([0, 1, 2], 1.0, [1, 2, 3]), "needs at least 4 different values, got 3"),
        (lambda: Tuning(range(4), 0.0, range(4)), "duration_s of a trial must be more than 0"),
        (lambda: Psth([], 0.1), "events_s must be a list of finite numbers, at least one"),
        (
            lambda: Psth([1.0], bin_s=0),
            "a window around events needs seconds before and after it",
        ),
        (lambda: Decoding([0, 1], 1.0, [0, 1]), "needs two values at least, and 5 trials of each"),
        (lambda: Decoding(range(4), 1.0, [0, 0, 1, 1], n_folds=2), "more trials to learn from than values"),
        (lambda: Decoding([0, 1], 1.0, [0]), "decoding needs a value for each trial"),
        (lambda: CorrelogramPeaks([(0, 1)], bin_ms=50), "bins must be smaller than the window"),
        (lambda: ReceptiveFields(None), "stimulus is a Stimulus of frames and triggers, got None"),
    ],
)
def test_what_makes_no_sense_is_refused(call: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()
