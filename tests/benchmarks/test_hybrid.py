"""What is inserted into a hybrid recording is there, at its times and in its size, and nothing else is."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.recordings import hybrid
from benchmarks.recordings.ground_truth import GroundTruth, made
from benchmarks.recordings.hybrid_recordings import AMPLITUDE_SD, Hybrid, RealHost, chosen_units, made_hybrid

DONOR = GroundTruth("tetrode50", 15_000.0, 12, 20.0, seed=901)
N_INSERTED = 2


def inserted(donor: GroundTruth, host: GroundTruth | RealHost, cache: Path) -> Hybrid:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return made_hybrid(donor, host, N_INSERTED, cache)


def traces_of(made_one: Hybrid) -> NDArray[np.float64]:
    return np.fromfile(made_one.recording.traces, np.int16).reshape(-1, 4).astype(float)


def test_units_that_are_large_and_frequent_enough_are_chosen() -> None:
    snr, counts = np.array([2.9, 3.0, 8.0, 9.0, 20.0]), np.array([500, 30, 29, 100, 40])
    assert chosen_units(snr, counts, 3, seed=1).tolist() == [1, 3, 4]


def test_too_few_units_to_insert_are_refused() -> None:
    with pytest.raises(ValueError, match="3 units are to be inserted, but 2 of 3 have an SNR of 3"):
        chosen_units(np.array([1.0, 5.0, 6.0]), np.full(3, 100), 3, seed=1)


def test_a_hybrid_recording_is_its_host_and_the_inserted_spikes(tmp_path: Path) -> None:
    host = DONOR.with_seed(902)
    mixed = inserted(DONOR, host, tmp_path)
    background = made(host, tmp_path)[0].get_traces().astype(float)
    difference = traces_of(mixed) - background
    near = np.zeros(len(difference), bool)
    spikes = mixed.truth.to_spike_vector()["sample_index"]
    for spike in spikes:
        near[max(spike - 23, 0) : spike + 46] = True
    assert np.abs(difference[~near]).max() == 0
    unit = int(mixed.peak_to_peak.argmax())
    train = mixed.truth.get_unit_spike_train(unit)
    other = np.setdiff1d(spikes, train)
    alone = [
        at for at in train[1:-1] if np.abs(other - at).min() > 70 and np.sort(np.abs(train - at))[1] > 70
    ]
    mean = np.mean([difference[at - 22 : at + 45] for at in alone], axis=0)
    noise = np.median(np.abs(background - np.median(background, axis=0)), axis=0) / 0.6745
    size = (np.ptp(mean, axis=0) / noise).max()
    assert size == pytest.approx(mixed.peak_to_peak[unit], rel=5 * AMPLITUDE_SD / np.sqrt(len(alone)) + 0.01)
    assert mixed.rate_hz[unit] == pytest.approx(len(train) / 20.0)


def test_the_same_hybrid_recording_is_not_made_again_and_another_is(tmp_path: Path) -> None:
    host = DONOR.with_seed(902)
    first = inserted(DONOR, host, tmp_path)
    before = first.recording.traces.stat().st_mtime_ns
    assert inserted(DONOR, host, tmp_path).recording.traces.stat().st_mtime_ns == before
    other = inserted(DONOR, DONOR.with_seed(903), tmp_path)
    assert other.recording.traces.stat().st_mtime_ns > before


@pytest.mark.shared_data
def test_units_go_into_the_real_tetrode_recording_as_large_in_its_noise(
    locust_recording: Path, tmp_path: Path
) -> None:
    donor = GroundTruth("tetrode50", 15_000.0, 12, 28.7, seed=901)
    mixed = inserted(donor, RealHost(locust_recording, "tetrode50", 15_000.0), tmp_path)
    real = np.fromfile(locust_recording, np.int16).reshape(-1, 4).astype(float)
    difference = traces_of(mixed) - real
    assert difference.shape == (431_548, 4)
    assert np.abs(difference[-1000:]).max() == 0  # the donor ends before
    simulated = inserted(donor, donor.with_seed(902), tmp_path / "simulated")
    ratio = mixed.peak_to_peak / simulated.peak_to_peak
    assert ratio == pytest.approx(1.0, abs=0.35)  # by how channels differ in their noise


def test_rows_of_the_real_recording_are_shown_as_one() -> None:
    def row(name: str, accuracy: list[float]) -> dict[str, object]:
        n = len(accuracy)
        return {
            "recording": name,
            "sorter": "one",
            "inserted": n,
            "recovered": sum(a >= 0.8 for a in accuracy),
            "mean accuracy": float(np.mean(accuracy)),
            "CPU s": 3,
            "failure": None,
            "accuracy": accuracy,
            "peak to peak": [9.0] * n,
            "Hz": [1.0] * n,
        }

    rows = [row("simulated", [0.9]), row("real 1", [0.9, 0.0]), row("real 2", [1.0, 0.1])]
    simulated, real = hybrid.together(rows)
    assert simulated["recovered"] == 1
    assert (real["recording"], real["inserted"], real["recovered"], real["CPU s"]) == ("real", 4, 2, 6)
    assert real["mean accuracy"] == pytest.approx(0.5)
    assert real["accuracy"] == [0.9, 0.0, 1.0, 0.1]
    assert rows[1]["accuracy"] == [0.9, 0.0]


def test_the_real_recording_is_the_one_asked_for_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NCPGUI_SHARED_DATA", str(tmp_path))
    assert hybrid.real_recording(None) is None
    (tmp_path / "locust").mkdir()
    (tmp_path / hybrid.REAL).touch()
    assert hybrid.real_recording(None) == tmp_path / hybrid.REAL
    assert hybrid.real_recording(tmp_path / "elsewhere.raw") is None


def test_recordings_of_development_have_other_seeds() -> None:
    shown = range(hybrid.SEED, hybrid.SEED + hybrid.HOST + hybrid.REAL_TIMES + 1)
    assert max(shown) < 100 < hybrid.DEVELOPMENT_SEED
