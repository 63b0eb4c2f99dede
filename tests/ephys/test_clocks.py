"""The clock of a recording that SpikeInterface has open."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, NumpyRecording, load

from ncpgui.core.clock import Clock
from ncpgui.ephys import clocks
from ncpgui.ephys.clocks import clock_of, known_rows

RATE = 10_000.0


def recording(*lengths: int, starts: list[float] | None = None) -> BaseRecording:
    return NumpyRecording([np.zeros((n, 2), np.int16) for n in lengths], RATE, t_starts=starts)


def stamped(stamps: NDArray[np.float64]) -> BaseRecording:
    made = recording(len(stamps))
    made.set_times(stamps)
    return made


def test_a_recording_without_times_counts_from_its_first_sample() -> None:
    assert clock_of(recording(1000), "x") == Clock(RATE)


def test_a_start_time_is_that_of_the_clock() -> None:
    assert clock_of(recording(1000, starts=[100.0]), "x") == Clock(RATE, [0], [100.0])


def test_even_time_stamps_are_known_at_both_ends_only() -> None:
    clock = clock_of(stamped(7.0 + np.arange(5000) / RATE), "x")
    assert clock.sample.tolist() == [0, 4999]
    np.testing.assert_allclose(clock.seconds(np.arange(5000)), 7.0 + np.arange(5000) / RATE, atol=1e-9)


def test_seconds_far_from_zero_are_straight_though_their_last_digits_are_not() -> None:
    """Two numbers next to each other are 0.05 samples apart there; the recording began at zero."""
    even = np.arange(500) / 200_000.0
    assert known_rows(np.concatenate([even, 2e9 + even]), 200_000.0).tolist() == [0, 499, 500, 999]


@pytest.mark.parametrize("at_once", [1 << 20, 1000, 999])
def test_time_stamps_with_gaps_that_run_fast_come_back(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(clocks, "AT_ONCE", at_once)
    stamps = 1.6e9 + np.arange(5000) / RATE * 1.0003
    stamps[2000:] += 30.0
    stamps[4200:] += 0.002 * np.linspace(0, 1, 800) ** 2
    clock = clock_of(stamped(stamps), "x")
    assert np.abs(clock.seconds(np.arange(5000)) - stamps).max() < 0.02 / RATE
    assert clock.gaps(5000).tolist() == [2000]
    assert len(clock.sample) < 100


def test_time_stamps_that_jitter_are_followed_roughly_and_do_not_fill_the_memory() -> None:
    jitter = np.random.default_rng(0).uniform(-0.3, 0.3, 20_000) / RATE
    stamps = np.arange(20_000) / RATE + jitter
    clock = clock_of(stamped(stamps), "x")
    assert len(clock.sample) <= clocks.MOST_KNOWN + 2
    assert np.abs(clock.seconds(np.arange(20_000)) - stamps).max() < 1.0 / RATE


@pytest.mark.parametrize(
    ("stamps", "words"),
    [
        (
            np.full(100, -1.0),
            "do not increase: sample 1 is at second -1, the one before at -1)",
        ),
        (
            np.append(np.arange(99), 5) / RATE,
            "do not increase: sample 99 is at second 0.0005, the one before at 0.0098)",
        ),
        (np.append(np.arange(99) / RATE, np.nan), "(sample 99 is at second nan)"),
        (np.append(np.arange(99) / RATE, np.inf), "(sample 99 is at second inf)"),
        (np.arange(100) * 1000 / RATE, "usually 0.1 s apart, at 10000 Hz"),
    ],
)
def test_time_stamps_that_are_none_are_said_and_not_used(
    stamps: NDArray[np.float64], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert clock_of(stamped(stamps), "probe A") == Clock(RATE)
    assert words in caplog.text
    assert "probe A: its time stamps cannot be used" in caplog.text
    assert "seconds count from the first" in caplog.text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n", [1, 99])
def test_fewer_time_stamps_than_samples_are_said_and_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, n: int
) -> None:
    """SpikeInterface reads them with a saved recording, and counts neither of both."""
    recording(100).save(folder=tmp_path / "r", verbose=False)
    np.save(tmp_path / "r" / "times_cached_seg0.npy", 5.0 + np.arange(n) / RATE)
    assert clock_of(load(tmp_path / "r"), "x") == Clock(RATE)
    assert "x: its time stamps cannot be used (there are fewer than samples" in caplog.text


@pytest.mark.parametrize("start", [1e300, -1e13, np.inf])
def test_a_start_time_so_far_away_that_samples_have_the_same_is_said_and_not_used(
    caplog: pytest.LogCaptureFixture, start: float
) -> None:
    assert clock_of(recording(1000, starts=[start]), "x") == Clock(RATE)
    assert f"x: its clock begins at second {start}; seconds count from the first sample" in caplog.text


@pytest.mark.parametrize("first", [40, 49])  # 49 is the last stamp of the piece before
def test_time_stamps_that_go_back_where_they_are_read_in_pieces_are_noticed(
    first: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(clocks, "AT_ONCE", 50)
    stamps = np.append(np.arange(50), np.arange(first, first + 50)) / RATE
    assert clock_of(stamped(stamps), "x") == Clock(RATE)
    assert (
        f"do not increase: sample 50 is at second {first / RATE:g}, the one before at 0.0049" in caplog.text
    )


def test_segments_with_clocks_of_their_own_keep_them() -> None:
    clock = clock_of(recording(100, 50, starts=[3.0, 60.0]), "x")
    np.testing.assert_allclose(clock.seconds([0, 99, 100, 149]), [3.0, 3.0099, 60.0, 60.0049])
    assert clock.n_segments == 2


@pytest.mark.parametrize("starts", [None, [0.0, 0.0], [9.0, 2.0]])
def test_segments_whose_clocks_do_not_follow_each_other_count_on(
    starts: list[float] | None, caplog: pytest.LogCaptureFixture
) -> None:
    clock = clock_of(recording(100, 50, starts=starts), "x")
    first = starts[0] if starts else 0.0
    np.testing.assert_allclose(clock.seconds([0, 100, 149]), first + np.array([0, 0.01, 0.0149]))
    assert ("do not follow each other" in caplog.text) == (starts == [9.0, 2.0])


def test_a_part_that_spikeinterface_cut_out_keeps_its_seconds() -> None:
    stamps = np.arange(1000) / RATE
    stamps[500:] += 2.0
    part = stamped(stamps).frame_slice(start_frame=400, end_frame=600)
    np.testing.assert_allclose(clock_of(part, "x").seconds(np.arange(200)), stamps[400:600], atol=1e-9)
    late = recording(1000, starts=[5.0]).frame_slice(start_frame=100, end_frame=200)
    assert clock_of(late, "x").start_s == pytest.approx(5.01)
