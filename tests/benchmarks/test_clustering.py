"""The sets of the clustering benchmark are what they say, and its scores are right where known by hand."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.clustering import clustering, clustering_outcomes, clustering_promises
from benchmarks.clustering.clustering_methods import METHODS, ORACLE, VGMM, oracle
from benchmarks.clustering.clustering_sets import (
    Kind,
    SpikeSet,
    foreign_sets,
    own_sets,
    unit_distances,
    unit_troughs_sd,
)
from benchmarks.clustering.generated_recordings import RecordingSettings, Truth, generate, true_units
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE

TETRODE = Kind("spikeinterface", "tetrode", "6-12", "static")
N_SPIKES = 120


@pytest.fixture(scope="module")
def cut_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def cut(cut_cache: Path) -> SpikeSet:
    return foreign_sets(TETRODE, N_SPIKES, 1, cache=cut_cache, seed=3)[0]


def test_scores_of_other_methods_are_kept_for_the_same_set_and_for_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waveforms, labels = apart()
    asked: list[int] = []

    def method(given: NDArray[np.float32]) -> NDArray[np.int64]:
        asked.append(len(given))
        return np.zeros(len(given), np.int64)

    monkeypatch.setattr(clustering_outcomes, "METHODS", {VGMM: method})
    places = np.zeros((4, 2))
    first, again = (
        clustering_outcomes.by_others(SpikeSet(waveforms, places, labels), tmp_path) for _ in range(2)
    )
    assert first == again
    assert first[VGMM]["K error"] == -2
    other = clustering_outcomes.by_others(SpikeSet(waveforms[:80], places, labels[:80]), tmp_path)
    assert set(other) == {VGMM, ORACLE}
    assert asked == [120, 80]


@pytest.fixture(scope="module")
def truth() -> Truth:
    return generate("tetrode", "6-12", N_SPIKES, RecordingSettings(), drifting=False, seed=3)


def apart(n_each: int = 40) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Three units of unlike shapes and 30 noise sd on a tetrode."""
    rng = np.random.default_rng(0)
    templates = 10 * rng.standard_normal((3, N_SAMPLES, 4))
    labels = np.arange(3 * n_each) % 3
    return (templates[labels] + rng.standard_normal((3 * n_each, N_SAMPLES, 4))).astype(np.float32), labels


def test_a_cut_set_has_the_shape_that_clustering_takes(cut: SpikeSet) -> None:
    assert cut.waveforms.shape == (N_SPIKES, N_SAMPLES, 4)
    assert cut.waveforms.dtype == np.float32
    assert cut.channel_positions[0].tolist() == [0, 0]
    gaps = np.linalg.norm(cut.channel_positions, axis=1)
    assert gaps[1:] == pytest.approx([25.03, 25.03, 35.4], abs=0.01)  # a square of 17.7 µm radius
    assert cut.labels[0] == 0
    assert 2 <= cut.n_units <= 8


def test_the_trough_is_on_the_main_channel_at_its_sample(cut: SpikeSet) -> None:
    for unit in range(cut.n_units):
        mean = cut.waveforms[cut.labels == unit].mean(axis=0)
        sample, channel = np.unravel_index(mean.argmin(), mean.shape)
        assert (sample, channel) == (TROUGH_SAMPLE, 0)


def test_troughs_are_those_asked_for_in_noise_sd(cut: SpikeSet) -> None:
    """6 to 12 in the noise alone; spikes of others raise what counts as noise, drawn troughs are deeper."""
    troughs = unit_troughs_sd(cut)
    assert troughs.min() > 5
    assert troughs.max() < 13.5


def test_noise_off_the_spike_has_sd_one(cut: SpikeSet) -> None:
    """By quartiles, which the few overlapping spikes do not move much (sd of normal noise = IQR / 1.349)."""
    low, high = np.quantile(cut.waveforms[:, :4], [0.25, 0.75])
    assert (high - low) / 1.349 == pytest.approx(1.0, abs=0.15)


def test_units_of_a_set_differ_in_their_waveforms(cut: SpikeSet) -> None:
    assert unit_distances(cut).shape == (cut.n_units * (cut.n_units - 1) // 2,)
    assert unit_distances(cut).min() > 1


def test_the_same_seed_cuts_the_same_set_with_and_without_cache(cut: SpikeSet, cut_cache: Path) -> None:
    fresh, again = (foreign_sets(TETRODE, N_SPIKES, 1, cache=cache, seed=3)[0] for cache in (None, cut_cache))
    for other in (fresh, again):
        assert np.array_equal(other.waveforms, cut.waveforms)
        assert np.array_equal(other.labels, cut.labels)


def test_units_of_a_group_have_their_trough_on_its_contact(truth: Truth) -> None:
    assert set(truth.trough_sd.argmax(axis=1)) == set(truth.contacts)
    assert truth.trough_sd.max(axis=1).min() >= 6
    assert truth.trough_sd.max(axis=1).max() <= 12


def test_a_detected_spike_belongs_to_the_deepest_true_spike_there(truth: Truth) -> None:
    """Of unit 0 (10 sd) and 1 (5 sd) at one time it is 0's; unit 2 has its trough elsewhere."""
    hand = Truth(
        truth.recording,
        np.array([0]),
        sample_index=np.array([100, 103, 500, 900]),
        unit=np.array([1, 0, 1, 2]),
        trough_sd=np.array([[10.0, 2.0], [5.0, 5.2], [4.0, 9.0]]),
    )
    spikes = SpikeEvents(
        np.array([101, 300, 498, 500, 902]), np.array([0, 0, 0, 1, 0]), -np.full(5, 6.0), 30_000.0, 1000
    )
    rows, unit = true_units(spikes, 0, hand, match_ms=0.3)
    assert rows.tolist() == [0, 2]
    assert unit.tolist() == [0, 1]


def test_our_sets_come_with_those_of_one_unit_beside() -> None:
    sets = own_sets("single", 30, 3)
    assert sum(one.n_units > 1 for one in sets) == 3
    assert sets[-1].n_units > 1


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_finds_units_that_are_far_apart(
    method: Callable[[NDArray[np.float32]], NDArray[np.int64]],
) -> None:
    waveforms, labels = apart()
    found = method(waveforms)
    assert found.shape == labels.shape
    assert found.min() == 0
    assert clustering_outcomes.score(found, labels, 0.0)["AMI"] > 0.9


def test_the_oracle_tells_apart_what_differs_and_nothing_else() -> None:
    waveforms, labels = apart()
    assert clustering_outcomes.score(oracle(waveforms, labels), labels, 0.0)["AMI"] == 1
    shuffled = np.random.default_rng(1).permutation(labels)
    assert abs(clustering_outcomes.score(oracle(waveforms, shuffled), shuffled, 0.0)["AMI"]) < 0.1
    assert oracle(waveforms, np.zeros_like(labels)).max() == 0


def test_scores_known_by_hand() -> None:
    truth = np.array([0, 0, 1, 1])
    same = clustering_outcomes.score(np.array([5, 5, 2, 2]), truth, 3.0)
    assert same == {"AMI": 1, "AMI max": 1, "ARI": 1, "K error": 0, "|K error|": 0, "seconds": 3}
    merged = clustering_outcomes.score(np.zeros(4, int), truth, 0.0)
    assert (merged["AMI"], merged["ARI"], merged["K error"], merged["|K error|"]) == (0, 0, -1, 1)


def test_gain_and_gap_known_by_hand() -> None:
    """0.5 of the mixture, 0.9 of the oracle: 0.7 is 40 % above the first and half of the way."""

    def sets(*ami: float) -> list[dict[str, float]]:
        return [dict.fromkeys(("AMI max", "ARI"), 0.0) | {"AMI": one} for one in ami]

    found = {"ours": sets(0.6, 0.8), VGMM: sets(0.4, 0.6), ORACLE: sets(0.9, 0.9)}
    rows = {row["method"]: row for row in clustering.agreement_rows(found)}
    assert rows["ours"]["above vGMM %"] == pytest.approx(40)
    assert rows["ours"]["of the gap %"] == pytest.approx(50)
    assert rows["ours"]["± se"] == pytest.approx(0.1)
    assert (rows[VGMM]["of the gap %"], rows[ORACLE]["of the gap %"]) == (0, 100)


def test_a_posterior_that_knows_the_truth_is_calibrated() -> None:
    truth = np.array([0, 0, 1, 2])
    row = clustering_promises.calibration_row(
        [clustering_promises.promise(np.tile(truth, (10, 1)), truth)] * 2
    )
    assert (row["sets"], row["ECE"], row["ECE, hard"], row["K covered"], row["K error"]) == (2, 0, "", 1, 0)


def test_a_posterior_that_halves_its_bets_is_not() -> None:
    """Two sortings, half each, the first true: pairs 01 and 23 at 1/2, of which one is together."""
    draws = np.repeat([[0, 0, 1, 2], [0, 1, 2, 2]], 5, axis=0)
    row = clustering_promises.calibration_row([clustering_promises.promise(draws, np.array([0, 0, 1, 2]))])
    assert row["hard pairs %"] == pytest.approx(100 * 2 / 6)
    assert row["bias, hard"] == pytest.approx(0)
    assert row["if right"] == pytest.approx(0.5)  # either draw has one of the two pairs together
    assert row["K, exactly 90 %"] == pytest.approx(0.9)  # three units in every draw
    merged = np.repeat([[0, 0, 0, 0], [0, 0, 1, 1]], 5, axis=0)
    row = clustering_promises.calibration_row([clustering_promises.promise(merged, np.array([0, 1, 2, 3]))])
    assert (row["K covered"], row["K error"]) == (0, -2.5)
    assert row["bias, hard"] == pytest.approx(0.5)  # four pairs at 1/2, none together


def test_the_error_of_a_right_posterior_falls_with_the_number_of_sets() -> None:
    rng = np.random.default_rng(0)
    draws = np.repeat([[0, 0, 1, 2], [0, 1, 2, 2]], 50, axis=0)
    promises = [clustering_promises.promise(rng.permutation(draws), draws[0]) for _ in range(400)]
    few, many = (clustering_promises.calibration_row(promises[:n])["if right"] for n in (1, 400))
    assert many < 0.1 < few


def test_numbers_of_sets_are_those_of_each_n(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def parsed(*given: str) -> argparse.Namespace:
        monkeypatch.setattr(sys, "argv", ["clustering.py", "--spikes", "500", "2000", *given])
        return clustering.parsed()

    ours, theirs = Kind("ours", "hex7"), Kind("spikeinterface", "hex7", "3-6", "static")
    arguments = parsed("--sets", "20", "10", "--own-sets", "60")
    assert [clustering.n_sets(theirs, n, arguments) for n in (500, 2000)] == [20, 10]
    assert [clustering.n_sets(ours, n, arguments) for n in (500, 2000)] == [60, 60]
    assert clustering.n_sets(ours, 500, parsed("--sets", "5")) == 5
    with pytest.raises(SystemExit):
        parsed("--sets", "20", "10", "5")
    assert "one number of sets, or one for each of the 2 of --spikes" in capsys.readouterr().err


def test_what_was_sampled_is_kept_until_the_question_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = own_sets("tetrode", 40, 1)[0]
    arguments = argparse.Namespace(samples=4, beam=2, device="cpu", cache=tmp_path)
    found = clustering.by_model(one, "ours", "spikes", arguments)
    assert set(found[0]) == {"ours, first alternative", "ours, single samples", "ours, best of the beam"}

    def asked(*_: object, **__: object) -> None:
        raise AssertionError("sampled again")

    monkeypatch.setattr(clustering_outcomes, "cluster", asked)
    again = clustering.by_model(one, "ours", "spikes", arguments)
    assert again[0] == found[0]
    assert isinstance(again[0]["ours, best of the beam"]["seconds"], float)
    np.testing.assert_array_equal(again[1].p, found[1].p)
    for change in ({"samples": 5}, {"beam": 0}):
        with pytest.raises(AssertionError, match="sampled again"):
            clustering_outcomes.posterior(one, "spikes", argparse.Namespace(**(vars(arguments) | change)))
    with pytest.raises(AssertionError, match="sampled again"):
        clustering_outcomes.posterior(one._replace(waveforms=one.waveforms + 1), "spikes", arguments)
    monkeypatch.setattr(clustering_outcomes, "code_digest", lambda: b"other code")
    with pytest.raises(AssertionError, match="sampled again"):
        clustering_outcomes.posterior(one, "spikes", arguments)


def test_models_are_named_by_their_files_unless_two_share_a_name() -> None:
    assert clustering.named(["a/one.safetensors", "two"]) == {"one": "a/one.safetensors", "two": "two"}
    assert list(clustering.named(["a/one.safetensors", "one"])) == ["a/one.safetensors", "one"]
