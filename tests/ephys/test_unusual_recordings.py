"""One contact, many contacts, shanks, half a minute, ten hours: each goes the same way."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from spikeinterface.core import BaseRecording, BaseRecordingSegment

from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.recording import Recording
from tests.ephys.planted_recording import planted


def _evenly(n_samples: int, n_channels: int) -> list[tuple[float, int, float]]:
    return [(float(s), s // 700 % n_channels, 25.0) for s in range(350, n_samples - 300, 700)]


@pytest.mark.parametrize(
    "probe",
    [
        load_probe("single"),
        load_probe("linear-384-20"),
        Probe(np.tile([[0.0, 0], [0, 25], [0, 50], [0, 75]], (3, 1)), np.repeat([0, 1, 2], 4)),
    ],
    ids=["one contact", "384 contacts", "three shanks at one place"],
)
def test_spikes_are_found_on_probes_of_any_size(probe: Probe) -> None:
    n_samples = 60_000 if probe.n_channels < 100 else 20_000
    spikes = _evenly(n_samples, probe.n_channels)
    with preprocess(planted(n_samples=n_samples, spikes=spikes, probe=probe)) as pre:
        events = detect_spikes(pre, threshold_sd=9, radius_um=60)
        white = pre.whitened().get_traces(start_frame=0, end_frame=2000)
    assert events.channel.tolist() == [channel for _, channel, _ in spikes]
    assert np.abs(events.sample_index - [sample for sample, _, _ in spikes]).max() <= 1
    assert white.shape == (2000, probe.n_channels)
    assert np.isfinite(white).all()


def test_half_a_minute_is_enough_to_measure_its_noise() -> None:
    recording = planted(n_samples=600_000, spikes=_evenly(600_000, 4))
    with preprocess(recording) as pre:
        events = detect_spikes(pre, threshold_sd=9, radius_um=100)
        deviation = np.median(np.abs(pre.traces(0, 600_000)), axis=0) / 0.6745
    assert deviation == pytest.approx(1.0, abs=0.02)
    assert len(events) == len(_evenly(600_000, 4))


class Endless(BaseRecording):
    """Noise of a seed for each second, made when it is asked for; counts the samples that are."""

    def __init__(self, n_samples: int, rate_hz: float, n_channels: int) -> None:
        super().__init__(rate_hz, np.arange(n_channels), np.dtype(np.int16))
        self.segment = _EndlessSegment(n_samples, rate_hz, n_channels)
        self.add_recording_segment(self.segment)


class _EndlessSegment(BaseRecordingSegment):
    def __init__(self, n_samples: int, rate_hz: float, n_channels: int) -> None:
        super().__init__(sampling_frequency=rate_hz)
        self._n, self._rate, self._channels = n_samples, int(rate_hz), n_channels
        self.read = 0

    def get_num_samples(self) -> int:
        return self._n

    def get_traces(self, start_frame: int, end_frame: int, channel_indices: Any = None) -> np.ndarray:
        self.read += end_frame - start_frame
        first, last = start_frame // self._rate, -(-end_frame // self._rate)
        seconds = [self._second(second) for second in range(first, last)]
        traces = np.concatenate(seconds)[start_frame - first * self._rate : end_frame - first * self._rate]
        return traces if channel_indices is None else traces[:, channel_indices]

    def _second(self, second: int) -> np.ndarray:
        """Noise of sd 20 with a spike on channel 0 in the middle of every hundredth second."""
        rng = np.random.default_rng(second % 7)
        noise = rng.integers(-35, 36, (self._rate, self._channels), dtype=np.int16)
        if second % 100 == 50:
            noise[self._rate // 2 : self._rate // 2 + 3, 0] -= 600
        return noise


def endless(hours: float, rate_hz: float, n_channels: int) -> tuple[Recording, _EndlessSegment]:
    n_samples = int(hours * 3600 * rate_hz)
    extractor = Endless(n_samples, rate_hz, n_channels)
    reference = RecordingReference("", {}, "0", n_channels, rate_hz, n_samples)
    probe = load_probe(f"linear-{n_channels}")
    return Recording(extractor, probe=probe, reference=reference), extractor.segment


def test_ten_hours_are_opened_by_reading_seconds_of_them() -> None:
    recording, segment = endless(10, 20_000.0, 8)
    with preprocess(recording) as pre:
        assert segment.read < 60 * 20_000  # three times 20 slices of half a second, and margins
        before = segment.read
        last = pre.traces(recording.n_samples - 1000, recording.n_samples)
        assert segment.read - before < 10 * 20_000
    assert last.std() == pytest.approx(1, abs=0.1)


@pytest.mark.slow
def test_an_hour_is_searched_in_hardly_more_memory_than_six_minutes() -> None:
    peaks = []
    detect_spikes(preprocess(endless(0.01, 5_000.0, 1)[0]), threshold_sd=12)  # compiled, imported
    for hours in (0.1, 1.0):
        recording, _ = endless(hours, 5_000.0, 1)
        with preprocess(recording) as pre:
            tracemalloc.start()
            events = detect_spikes(pre, threshold_sd=12)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        seconds = np.arange(50, 3600 * hours, 100)
        assert np.array_equal(events.sample_index // 5000, seconds)
    assert peaks[1] - peaks[0] < 2 << 20  # the traces have 65 MB more as float32
