"""Traces are computed once, piece by piece, and are the same from the disk, from memory and anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.ahead import N_THREADS
from ncpgui.core.errors import RecordingError
from ncpgui.core.probe import Probe
from ncpgui.ephys import cached_recording as module
from ncpgui.ephys.cached_recording import KeptRecording, piece_samples, raise_first_not_finite
from ncpgui.ephys.segments import segments_of
from ncpgui.ephys.spikeinterface_adapter import BasePreprocessor, BasePreprocessorSegment

RATE = 5_000.0
N = 3_500
TRACES = np.random.default_rng(0).normal(0, 3, (N, 2)).astype(np.float32)
HALF = TRACES.astype(np.float16).astype(np.float32)


class _Counted(BasePreprocessorSegment):  # type: ignore[misc]
    def __init__(self, parent: Any, read: list[tuple[int, int]]) -> None:
        super().__init__(parent)
        self.read, self.error = read, None

    def get_traces(self, start_frame: int, end_frame: int, channel_indices: Any) -> np.ndarray:
        self.read.append((start_frame, end_frame))
        if self.error is not None:
            raise self.error
        return self.parent_recording_segment.get_traces(start_frame, end_frame, channel_indices)


class Counted(BasePreprocessor):  # type: ignore[misc]
    """Traces that say when they are asked for."""

    def __init__(self, source: ArrayRecording) -> None:
        BasePreprocessor.__init__(self, source.extractor(), dtype="float32")
        self.read: list[tuple[int, int]] = []
        self.segment = _Counted(source.extractor()._recording_segments[0], self.read)
        self.add_recording_segment(self.segment)
        self._kwargs = {"source": source}


def source(traces: np.ndarray = TRACES) -> ArrayRecording:
    probe = Probe(np.column_stack([np.zeros(traces.shape[1]), 20.0 * np.arange(traces.shape[1])]))
    return ArrayRecording(traces, sampling_frequency_hz=RATE, probe=probe)


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces have 1000 samples."""
    monkeypatch.setattr(module, "PIECE_S", 0.2)


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("on_disk", [True, False])
def test_traces_of_any_range_are_those_of_the_recording_as_float16(on_disk: bool) -> None:
    counted = Counted(source())
    kept = KeptRecording(counted, source(), on_disk=on_disk)
    for start, stop in ((0, N), (999, 1001), (1000, 2000), (3400, 3500), (1234, 1234), (10, 20)):
        found = kept.get_traces(start_frame=start, end_frame=stop)
        assert found.dtype == np.float32
        assert np.array_equal(found, HALF[start:stop])
        halves = segments_of(kept)[0].get_halves(start, stop)
        assert halves.dtype == np.float16
        assert np.array_equal(halves, HALF[start:stop])
    one = kept.get_traces(start_frame=5, end_frame=9, channel_ids=[kept.channel_ids[1]])
    assert np.array_equal(one, HALF[5:9, 1:])


@pytest.mark.usefixtures("pieces")
def test_on_the_disk_each_piece_is_computed_once_on_a_fixed_grid() -> None:
    counted = Counted(source())
    kept = KeptRecording(counted, source())
    for _ in range(2):
        kept.get_traces(start_frame=1500, end_frame=3500)
        kept.get_traces(start_frame=1999, end_frame=2001)
    assert counted.read == [(1000, 2000), (2000, 3000), (3000, 3500)]


@pytest.mark.usefixtures("pieces")
def test_in_memory_the_last_pieces_are_kept_more_than_are_computed_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert module.N_RECENT > N_THREADS + 1
    monkeypatch.setattr(module, "N_RECENT", 2)
    counted = Counted(source())
    kept = KeptRecording(counted, source(), on_disk=False)
    for start in (0, 1000, 0, 1000, 2000, 1000, 0):
        kept.get_traces(start_frame=start, end_frame=start + 10)
    # of three pieces the one computed first goes
    assert counted.read == [(0, 1000), (1000, 2000), (2000, 3000), (0, 1000)]


@pytest.mark.usefixtures("pieces")
def test_what_was_dropped_is_computed_anew() -> None:
    for on_disk in (True, False):
        counted = Counted(source())
        kept = KeptRecording(counted, source(), on_disk=on_disk)
        kept.get_traces(start_frame=0, end_frame=10)
        kept.drop()
        kept.drop()
        assert np.array_equal(kept.get_traces(start_frame=0, end_frame=10), HALF[:10])
        assert counted.read == [(0, 1000)] * 2


@pytest.mark.usefixtures("pieces")
def test_a_disk_that_gets_full_is_said_once_and_traces_stay_right(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(source())
    kept = KeptRecording(counted, source())

    class Full:
        closed = False

        def seek(self, place: int) -> None: ...

        def write(self, data: bytes) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            self.closed = True

    full = Full()
    monkeypatch.setattr(kept._kept, "_file", full)
    assert np.array_equal(kept.get_traces(start_frame=0, end_frame=N), HALF)
    assert caplog.messages == ["filtered traces are no longer kept on disk: No space left on device"]
    assert full.closed


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("error", [OSError("gone"), ValueError("gone")])
def test_a_file_that_cannot_be_read_is_named_with_the_piece(error: Exception) -> None:
    counted = Counted(source())
    counted.segment.error = error
    with pytest.raises(
        RecordingError, match="cannot be read at samples 3000 to 3500: gone; check that the file"
    ):
        KeptRecording(counted, source()).get_traces(start_frame=3100, end_frame=3200)


@pytest.mark.usefixtures("pieces")
def test_the_first_sample_that_is_no_number_is_named_up_to_a_second_from_the_piece() -> None:
    """Filters spread it: the source is looked at a second around."""
    bad = TRACES.copy()
    bad[1700, 1] = np.inf
    bad[1800, 0] = np.nan
    words = r"channel 1 is NaN or infinite at sample 1700 \(0\.340 s\); check the dtype"
    kept = KeptRecording(Counted(source(bad)), source(bad))
    with pytest.raises(RecordingError, match=words):
        kept.get_traces(start_frame=1000, end_frame=1001)
    with pytest.raises(RecordingError, match=words):
        raise_first_not_finite(source(bad), 0, N)


def test_where_the_source_is_finite_its_values_are_too_large_to_filter() -> None:
    with pytest.raises(
        RecordingError, match="values between samples 5 and 99 are too large to filter; check"
    ):
        raise_first_not_finite(source(), 5, 99)


def test_a_sample_outside_the_range_is_not_the_one() -> None:
    bad = TRACES.copy()
    bad[[4, 99], 0] = np.nan
    with pytest.raises(RecordingError, match="too large to filter"):
        raise_first_not_finite(source(bad), 5, 99)
    with pytest.raises(RecordingError, match="channel 0 is NaN or infinite at sample 99"):
        raise_first_not_finite(source(bad), 5, 100)


def test_a_piece_is_4_s_or_what_32_mib_hold_but_at_least_1000_samples() -> None:
    assert piece_samples(source(np.zeros((1, 2), np.int16))) == 20_000
    assert piece_samples(source(np.zeros((1, 420), np.int16))) == 9_986  # 32 * 2**20 / 3360
    assert piece_samples(source(np.zeros((1, 5000), np.int16))) == 1_000
