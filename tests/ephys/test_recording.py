"""Recordings in memory and of SpikeInterface give float32 traces of a range, and refuse what is none."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.ephys.recording import Recording, check_range, check_sampling, check_traces

TWO = Probe(np.array([(0.0, 0.0), (0.0, 20.0)]))
TRACES = np.arange(24, dtype=np.int16).reshape(12, 2)


def recording(traces: np.ndarray = TRACES, rate: float = 20_000, probe: Probe = TWO) -> ArrayRecording:
    return ArrayRecording(traces, sampling_frequency_hz=rate, probe=probe)


def test_traces_of_a_range_are_float32_of_their_own() -> None:
    one = recording()
    piece = one.traces(2, 4)
    assert (piece.dtype, piece.tolist()) == (np.float32, [[4, 5], [6, 7]])
    floats = TRACES.astype(np.float32)
    recording(floats).traces(0, 1)[:] = 99
    assert floats[0, 0] == 0
    assert one.traces(12, 12).shape == (0, 2)
    assert (one.n_samples, one.n_channels, one.sampling_frequency_hz, one.notes) == (12, 2, 20_000.0, ())
    assert np.array_equal(one.extractor().get_traces(), TRACES)


@pytest.mark.parametrize(("start", "stop"), [(-1, 3), (3, 2), (11, 13)])
def test_a_range_lies_inside_the_recording(start: int, stop: int) -> None:
    for read in (lambda *ends: check_range(*ends, 12), recording().traces):
        read(0, 12)
        read(3, 3)
        with pytest.raises(
            InputError, match=rf"samples {start} to {stop} lie outside the recording of 12 samples"
        ):
            read(start, stop)


@pytest.mark.parametrize("kind", ["?", "c8", "U1", "O"])
def test_traces_that_are_no_real_numbers_are_refused(kind: str) -> None:
    with pytest.raises(InputError, match="traces must be integers or floats, got dtype"):
        check_traces(np.dtype(kind))
    with pytest.raises(InputError, match="traces must be integers or floats"):
        recording(TRACES.astype(kind))


def test_spikes_are_sorted_from_5_khz_to_1_mhz() -> None:
    for rate in (5_000.0, 1e6):
        check_sampling(rate, "a")
    for rate in (4_999.0, 1.01e6):
        with pytest.raises(
            InputError, match=r"the recording: spikes, .* at a sampling frequency of 5000 to 1000000"
        ):
            recording(rate=rate)


@pytest.mark.parametrize("rate", [0.0, -20_000.0, float("nan"), float("inf")])
def test_what_is_no_sampling_frequency_is_said_to_be_none(rate: float) -> None:
    with pytest.raises(
        InputError,
        match=rf"the recording: its sampling frequency is {rate:g} Hz, which cannot be; write it again",
    ):
        recording(rate=rate)


def test_a_probe_has_a_contact_for_each_channel() -> None:
    with pytest.raises(
        InputError, match="probe has 2 contacts but the recording has 3 channels; pass a probe"
    ):
        recording(np.zeros((4, 3)))


def test_an_array_is_known_by_its_first_10_000_samples() -> None:
    traces = np.random.default_rng(0).integers(-99, 99, (10_001, 2)).astype(np.int16)
    reference = recording(traces).reference
    assert reference.fingerprint == hashlib.sha256(traces[:10_000].tobytes()).hexdigest()
    assert (reference.path, reference.n_channels, reference.n_samples) == ("", 2, 10_001)
    assert reference.sampling_frequency_hz == 20_000
    known = ArrayRecording(TRACES, sampling_frequency_hz=2e4, probe=TWO, reference=reference)
    assert known.reference is reference


class Extractor:
    """Traces of SpikeInterface that may not be readable."""

    def __init__(self, values: np.ndarray = TRACES, error: Exception | None = None) -> None:
        self._values, self._error = values, error

    def get_num_channels(self) -> int:
        return self._values.shape[1]

    def get_num_samples(self, segment_index: int) -> int:
        assert segment_index == 0
        return len(self._values)

    def get_sampling_frequency(self) -> float:
        return 20_000.0

    def get_dtype(self) -> Any:
        return self._values.dtype

    def get_traces(self, segment_index: int, start_frame: int, end_frame: int) -> np.ndarray:
        assert segment_index == 0
        if self._error is not None:
            raise self._error
        return self._values[start_frame:end_frame]


def of_file(extractor: Extractor, **changes: Any) -> Recording:
    reference = replace(recording().reference, path="/data/a.raw", **changes)
    return Recording(extractor, probe=TWO, reference=reference, notes=("a note",))  # type: ignore[arg-type]


def test_a_recording_of_spikeinterface_gives_the_same() -> None:
    one = of_file(Extractor())
    assert one.traces(2, 4).tolist() == [[4, 5], [6, 7]]
    assert one.traces(2, 4).dtype == np.float32
    assert (one.n_samples, one.n_channels, one.sampling_frequency_hz) == (12, 2, 20_000.0)
    assert one.notes == ("a note",)
    with pytest.raises(InputError, match="outside"):
        one.traces(0, 13)


@pytest.mark.parametrize("error", [OSError("gone"), ValueError("gone")])
def test_a_file_that_cannot_be_read_is_named_with_the_samples(error: Exception) -> None:
    with pytest.raises(
        RecordingError, match=r"/data/a\.raw cannot be read at samples 2 to 4: gone; check that"
    ):
        of_file(Extractor(error=error)).traces(2, 4)


def test_values_too_large_for_float32_are_infinite_without_a_warning() -> None:
    assert np.isinf(of_file(Extractor(np.full((3, 2), 1e300))).traces(0, 3)).all()


def test_a_recording_of_spikeinterface_is_checked_as_one_in_memory() -> None:
    with pytest.raises(InputError, match="probe has 2 contacts"):
        of_file(Extractor(np.zeros((4, 3))))
    with pytest.raises(InputError, match="integers or floats"):
        of_file(Extractor(np.zeros((4, 2), bool)))
    with pytest.raises(InputError, match=r"^/data/a\.raw: spikes"):
        of_file(Extractor(), sampling_frequency_hz=100.0)
    with pytest.raises(InputError, match=r"^the recording: spikes"):
        Recording(
            Extractor(),  # type: ignore[arg-type]
            probe=TWO,
            reference=replace(recording().reference, sampling_frequency_hz=100.0),
        )
