"""P(neuron): a planted cell against clusters of threshold crossings, and each quantity by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.sorting.chance_spikes import NoneFit, fit_none
from ncpgui.sorting.gain_noise import GainNoise
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.neuron_probability import (
    QUANTITIES,
    left_over,
    neuron_evidence,
    neuron_probability,
    p_neuron_of_spikes,
    shown_label,
    unit_label,
)
from ncpgui.sorting.template_distance import likeness
from tests.sorting.two_units import matched_of

RATE_HZ = 20_000.0


def test_a_small_cell_is_a_neuron_and_crossings_of_the_threshold_are_none() -> None:
    """A cell of trough 7 sd at 4 Hz; on each of eight contacts, noise that crosses 4 sd is a proposal too."""
    rng = np.random.default_rng(0)
    duration_s = 60.0
    n_samples = int(duration_s * RATE_HZ)
    traces = rng.normal(0, 1, (n_samples, 8))
    time = np.arange(60) - 20
    shape = -np.exp(-((time / 4) ** 2)) + 0.3 * np.exp(-(((time - 10) / 8) ** 2))
    cell = 5 * shape[:, None] * np.exp(-np.abs(np.arange(8) - 2.2) / 1.0)
    spikes = np.sort(rng.permutation(n_samples // 100 - 4)[:240]) * 100 + 150
    for spike in spikes:
        traces[spike - 20 : spike + 40] += rng.normal(1, 0.07) * cell
    probe = Probe(np.column_stack([np.zeros(8), 25.0 * np.arange(8)]))
    recording = ArrayRecording((traces * 50).astype(np.int16), sampling_frequency_hz=RATE_HZ, probe=probe)
    with preprocess(recording, reference="none") as pre:
        crossings = detect_spikes(pre, threshold_sd=4.0, radius_um=30.0)
        free = (np.abs(crossings.sample_index[:, None] - spikes[None]) > 20).all(axis=1)
        matched = match_units(
            pre,
            np.append(spikes, crossings.sample_index[free]),
            np.append(np.zeros(240, int), crossings.channel[free] + 1),
        )
    none = fit_none(matched, duration_s=duration_s)
    evidence = neuron_evidence(matched, none, duration_s=duration_s, sampling_frequency_hz=RATE_HZ)
    found = neuron_probability(evidence)
    of_cell = np.array(
        [
            (np.abs(matched.sample_index[matched.unit == k][:, None] - spikes[None]) < 8).any(axis=1).mean()
            for k in range(matched.n_units)
        ]
    )
    assert (of_cell > 0.9).sum() == 1
    assert (of_cell < 0.2).sum() >= 4
    assert found[of_cell > 0.9][0] > 0.95
    assert found[of_cell < 0.2].mean() < 0.2
    assert unit_label(float(found[int(of_cell.argmax())])) == "good"


def units_by_hand(trains: list[list[int]], heights: list[float], least: float) -> tuple[Matched, NoneFit]:
    """Units with these spikes, seen in two samples of one channel, in noise of sd 1, in 100 s."""
    waveforms = np.zeros((len(trains), 10, 1), np.float32)
    for unit, height in enumerate(heights):
        waveforms[unit, 4:6, 0] = -height / np.sqrt(2)
    like = likeness(waveforms, max_lag=2)
    sample = np.concatenate(trains)
    unit = np.repeat(np.arange(len(trains)), [len(train) for train in trains])
    order = np.argsort(sample, kind="stable")
    count = len(sample)
    nothing = np.zeros(like.candidates.shape)
    k = len(trains)
    noise = GainNoise(np.ones(k), np.ones(k), nothing, nothing)
    gain = np.ones((count, like.candidates.shape[1]), np.float32)
    matched = matched_of(
        sample[order], unit[order], gain, waveforms, like, noise, n_before=4, n_samples=2_000_000
    )
    zeros = np.zeros(k)
    none = NoneFit(
        np.zeros(count), np.ones(count), zeros, np.asarray(heights), zeros + 1, zeros + least, zeros + 9
    )
    return matched, none


def by_hand(trains: list[list[int]], heights: list[float], least: float) -> np.ndarray:
    """Evidence of such units."""
    matched, none = units_by_hand(trains, heights, least)
    return neuron_evidence(matched, none, duration_s=100.0, sampling_frequency_hz=RATE_HZ)


def test_each_quantity_is_what_its_definition_says() -> None:
    """99 spikes 1 s apart, of length 8 over a least one of 6; 9 chance spikes; two samples are seen."""
    train = [20_000 * i + 1000 for i in range(99)]
    row = dict(zip(QUANTITIES, by_hand([train], [8.0], 6.0)[0], strict=True))
    assert row["chance"] == pytest.approx(np.log10(10 / 100))
    assert row["above"] == pytest.approx(np.log(2))
    assert row["left over"] == 0
    assert row["refractory"] == pytest.approx(np.log(0.5 / (99**2 / 100 * 0.0013 + 0.5)))
    assert row["template"] == pytest.approx(np.log((2 / 99 + 1) / 64))


def test_a_unit_beside_the_spikes_of_a_larger_one_is_left_over() -> None:
    larger = [20_000 * i + 1000 for i in range(90)]
    beside = [spike + 10 for spike in larger[:60]] + [spike + 9000 for spike in larger[60:]]
    left_over = by_hand([larger, beside], [20.0, 8.0], 6.0)[:, QUANTITIES.index("left over")]
    chance = 1 - np.exp(-0.9 * 0.002)
    assert left_over == pytest.approx([0, (60 / 90 - chance) / (1 - chance)])


def test_spikes_beside_those_of_a_larger_unit_are_left_over_and_the_others_of_the_unit_are_not() -> None:
    """Of 90 spikes 30 lie beside a larger unit's, of which chance explains one in six hundred."""
    larger = [20_000 * i + 1000 for i in range(90)]
    train = [spike + 10 for spike in larger[:30]] + [spike + 9000 for spike in larger[30:]]
    matched, none = units_by_hand([larger, train], [20.0, 8.0], 6.0)
    left = left_over(matched, duration_s=100.0, sampling_frequency_hz=RATE_HZ)
    second, is_beside = matched.unit == 1, (matched.sample_index - 1000) % 20_000 == 10
    assert (left.p_own[~second] == 1).all()
    assert (left.p_own[second & ~is_beside] == 1).all()
    assert (left.p_own[second & is_beside] < 0.06).all()
    p_neuron = p_neuron_of_spikes(matched, none, duration_s=100.0, sampling_frequency_hz=RATE_HZ)
    assert p_neuron[second & is_beside] == pytest.approx(p_neuron[second & ~is_beside][0] * left.p_own.min())


def test_a_few_spikes_beside_those_of_a_larger_unit_are_there_by_chance() -> None:
    larger = [1000 * i + 500 for i in range(1990)]  # beside them are 3.9 % of all times
    train = [spike + 10 for spike in larger[:4]] + [spike + 400 for spike in larger[50:136]]
    matched, _ = units_by_hand([larger, train], [20.0, 8.0], 6.0)
    assert (left_over(matched, duration_s=100.0, sampling_frequency_hz=RATE_HZ).p_own == 1).all()


def test_what_is_left_over_of_many_units_is_what_pairs_of_trains_say_one_by_one() -> None:
    """Ten units of any size; every third spike of the smallest lies beside one of the largest."""
    rng = np.random.default_rng(0)
    trains = [np.sort(rng.permutation(1_900_000)[:400] + 500).tolist() for _ in range(10)]
    trains[9] = sorted([spike + 7 for spike in trains[0][::3]] + trains[9][:266])
    heights = np.linspace(30, 8, 10).tolist()
    matched, _ = units_by_hand(trains, heights, 6.0)
    left = left_over(matched, duration_s=100.0, sampling_frequency_hz=RATE_HZ)
    reach, expected = 20, np.zeros(10)
    for unit, train in enumerate(trains):
        for larger in trains[:unit]:
            near = (np.abs(np.subtract.outer(train, larger)).min(axis=1) <= reach).mean()
            chance = 1 - np.exp(-len(larger) / 100 * 0.002)
            expected[unit] = max(expected[unit], (near - chance) / (1 - chance))
    assert left.share == pytest.approx(expected)
    assert expected[9] > 0.3
    assert (left.p_own[matched.unit == 9] < 0.1).sum() >= 134
    assert (left.p_own[matched.unit == 0] == 1).all()


def test_units_are_called_noise_mua_or_good() -> None:
    assert [unit_label(p) for p in (0.05, 0.5, 0.99, np.nan)] == ["noise", "mua", "good", "unsorted"]
    assert [unit_label(0.99, p_pure) for p_pure in (0.49, 0.51, np.nan)] == ["mua", "good", "good"]
    edges = [unit_label(0.299), unit_label(0.3), unit_label(0.799), unit_label(0.8), unit_label(0.8, 0.5)]
    assert edges == ["noise", "mua", "mua", "good", "good"]
    assert unit_label(0.99, is_beyond_cards=True) == "mua"
    assert unit_label(0.05, 0.1) == "noise"


def test_shown_are_the_labels_of_exports_but_that_good_is_for_a_person_to_say() -> None:
    known = [(0.05, 1.0), (0.5, 1.0), (0.99, 0.2), (0.99, 0.9), (0.99, np.nan), (np.nan, 0.2)]
    assert [shown_label("unsorted", *one) for one in known] == [
        "noise",
        "mua",
        "mua",
        "unsorted",
        "unsorted",
        "unsorted",
    ]
    assert [shown_label("good", *one) for one in known] == ["good"] * 6


def test_a_probability_at_the_limit_of_a_label_is_above_it() -> None:
    assert [unit_label(p) for p in (0.29, 0.3, 0.79, 0.8)] == ["noise", "mua", "mua", "good"]
    assert [unit_label(0.9, p_pure) for p_pure in (0.49, 0.5)] == ["mua", "good"]
    assert unit_label(0.9, 0.9, is_beyond_cards=True) == "mua"
    assert unit_label(0.1, 0.9, is_beyond_cards=True) == "noise"
    assert [shown_label("unsorted", p) for p in (0.1, 0.5, 0.9, np.nan)] == [
        "noise", "mua", "unsorted", "unsorted",
    ]  # fmt: skip
    assert shown_label("good", 0.1) == "good"
    assert shown_label("unsorted", 0.9, 0.9, is_beyond_cards=True) == "mua"


def test_the_odds_are_those_of_the_evidence_times_those_of_what_else_is_known() -> None:
    evidence = np.zeros((2, 5))
    assert neuron_probability(evidence) == pytest.approx([1 / (1 + np.exp(8.804))] * 2)
    even = neuron_probability(evidence, np.array([8.804, 0.0]))
    assert even == pytest.approx([0.5, 1 / (1 + np.exp(8.804))])


def test_pairs_of_spikes_between_0_7_and_2_ms_break_the_refractory_period() -> None:
    """14 and 40 samples are just outside; of 8 spikes in 100 s hardly a pair is expected."""
    train = [1000, 1014, 21_000, 21_015, 41_000, 41_039, 61_000, 61_040]
    column = by_hand([train], [8.0], 6.0)[0, QUANTITIES.index("refractory")]
    assert column == pytest.approx(np.log(2.5 / (8**2 / 100 * 0.0013 + 0.5)))


def test_a_length_at_the_least_one_counts_as_a_tenth_of_the_noise_above_it() -> None:
    column = by_hand([[1000] * 3], [6.0], 6.0)[0, QUANTITIES.index("above")]
    assert column == pytest.approx(np.log(0.1))


def test_a_spike_just_1_ms_from_one_of_a_larger_unit_is_beside_it() -> None:
    larger = [20_000 * i + 1000 for i in range(90)]
    for late, beside in ((20, True), (21, False), (-20, True), (-21, False)):
        train = sorted([spike + late for spike in larger[:60]] + [spike + 9000 for spike in larger[60:]])
        matched, _ = units_by_hand([larger, train], [20.0, 8.0], 6.0)
        left = left_over(matched, duration_s=100.0, sampling_frequency_hz=RATE_HZ)
        assert bool(left.share[1] > 0.5) is beside
