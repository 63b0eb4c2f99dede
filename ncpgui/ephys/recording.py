"""Recording: traces of all channels, read piece by piece, with the probe and where they came from."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

SAMPLING_HZ = (5_000.0, 1_000_000.0)


class Recording(Protocol):
    """What every part that needs traces asks of a recording."""

    @property
    def probe(self) -> Probe:
        """Where the contacts are, in the order of the channels."""

    @property
    def sampling_frequency_hz(self) -> float:
        """Samples a second."""

    @property
    def n_samples(self) -> int:
        """Length in samples."""

    @property
    def n_channels(self) -> int:
        """Number of channels."""

    @property
    def reference(self) -> RecordingReference:
        """How to open the same recording again."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was chosen or repaired when it was opened, a sentence each."""

    def traces(self, start: int, stop: int) -> NDArray[np.float32]:
        """Samples `start` to `stop`: (stop - start, n_channels), in the file's unit."""

    def extractor(self) -> BaseRecording:
        """Return the same traces as a SpikeInterface recording, one segment."""


class ArrayRecording:
    """A recording held as one array of (n_samples, n_channels), in memory or memory-mapped.

    Raises
    ------
    InputError
        The array is not 2-D, empty, not real numbers, or does not fit the probe; or the sampling
        frequency is none for spikes.
    """

    def __init__(
        self,
        traces: NDArray[Any],
        *,
        sampling_frequency_hz: float,
        probe: Probe,
        reference: RecordingReference | None = None,
    ) -> None:
        if traces.ndim != 2 or traces.size == 0:
            raise InputError(
                f"traces must be (n_samples, n_channels) and not empty, got shape {traces.shape}"
            )
        check_traces(traces.dtype)
        check_sampling(sampling_frequency_hz, "these traces" if reference is None else reference.path)
        check_probe_fits(probe, traces.shape[1])
        self.array = traces
        self.probe = probe
        self.sampling_frequency_hz = float(sampling_frequency_hz)
        self._reference = reference
        self.notes: tuple[str, ...] = ()

    @property
    def n_samples(self) -> int:
        """Length in samples."""
        return int(self.array.shape[0])

    @property
    def n_channels(self) -> int:
        """Number of channels."""
        return int(self.array.shape[1])

    @property
    def reference(self) -> RecordingReference:
        """How to open it again; an array in memory has no path and cannot be opened again."""
        if self._reference is None:
            self._reference = RecordingReference(
                path="",
                options={},
                fingerprint=hashlib.sha256(np.ascontiguousarray(self.array[:10_000]).tobytes()).hexdigest(),
                n_channels=self.n_channels,
                sampling_frequency_hz=self.sampling_frequency_hz,
                n_samples=self.n_samples,
            )
        return self._reference

    def traces(self, start: int, stop: int) -> NDArray[np.float32]:
        """Samples `start` to `stop`: (stop - start, n_channels) float32."""
        check_range(start, stop, self.n_samples)
        return np.array(self.array[start:stop], dtype=np.float32)

    def extractor(self) -> BaseRecording:
        """Return the same traces as a SpikeInterface recording."""
        from spikeinterface.core import NumpyRecording

        return NumpyRecording([self.array], self.sampling_frequency_hz)


class ExtractorRecording:
    """A recording that SpikeInterface reads from files, one segment.

    notes : what was chosen or repaired when it was opened, a sentence each
    """

    def __init__(
        self,
        extractor: BaseRecording,
        *,
        probe: Probe,
        reference: RecordingReference,
        notes: tuple[str, ...] = (),
    ) -> None:
        check_probe_fits(probe, extractor.get_num_channels())
        check_sampling(reference.sampling_frequency_hz, reference.path or "the recording")
        check_traces(extractor.get_dtype())
        self._extractor = extractor
        self.probe = probe
        self.reference = reference
        self.notes = notes
        self.sampling_frequency_hz = float(extractor.get_sampling_frequency())
        self.n_samples = int(extractor.get_num_samples(segment_index=0))
        self.n_channels = int(extractor.get_num_channels())

    def traces(self, start: int, stop: int) -> NDArray[np.float32]:
        """Samples `start` to `stop`: (stop - start, n_channels) float32, in the file's unit."""
        check_range(start, stop, self.n_samples)
        try:
            piece = self._extractor.get_traces(segment_index=0, start_frame=start, end_frame=stop)
        except (OSError, ValueError) as error:
            raise RecordingError(
                f"{self.reference.path} cannot be read at samples {start} to {stop}: {error}; "
                "check that the file is still there and complete"
            ) from error
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is named by `preprocess`
            return np.array(piece, dtype=np.float32)

    def extractor(self) -> BaseRecording:
        """Return the SpikeInterface recording itself."""
        return self._extractor


def check_range(start: int, stop: int, n_samples: int) -> None:
    """Raise InputError unless 0 <= start <= stop <= n_samples."""
    if not 0 <= start <= stop <= n_samples:
        raise InputError(f"samples {start} to {stop} lie outside the recording of {n_samples} samples")


def check_traces(dtype: np.dtype[Any]) -> None:
    """Raise InputError unless traces of this dtype are integers or floats."""
    if np.dtype(dtype).kind not in "iuf":
        raise InputError(f"traces must be integers or floats, got dtype {dtype}")


def check_sampling(sampling_frequency_hz: float, place: str) -> None:
    """Raise InputError unless spikes can be sorted at this sampling frequency.

    Slower than `SAMPLING_HZ`, a trough falls between two samples; faster, the filter is lost in rounding.
    """
    lowest, highest = SAMPLING_HZ
    if not lowest <= sampling_frequency_hz <= highest:
        raise InputError(
            f"{place}: spikes, which last a millisecond, can be sorted at a sampling frequency of "
            f"{lowest:.0f} to {highest:.0f} Hz, got {sampling_frequency_hz:.9g} Hz; check the sampling "
            "frequency, or give the recording as it was before it was downsampled"
        )


def check_probe_fits(probe: Probe, n_channels: int) -> None:
    """Raise InputError unless the probe has one contact a channel."""
    if probe.n_channels != n_channels:
        raise InputError(
            f"probe has {probe.n_channels} contacts but the recording has {n_channels} channels; "
            "pass a probe with one contact a channel, or the right number of channels"
        )
