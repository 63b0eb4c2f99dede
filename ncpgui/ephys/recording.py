"""Recording: traces of all channels, read piece by piece, with the probe and where they came from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

SAMPLING_HZ = (5_000.0, 1_000_000.0)


NO_RAW_DATA = (
    "this sorting was opened without its raw data; to see traces, and the posterior, review its folder "
    "again with the recording"
)


class Recording:
    """What every part that needs traces asks of a recording.

    probe : where the contacts are, in the order of the channels
    reference : how to open the same recording again
    notes : what was chosen or repaired when it was opened, a sentence each

    Parameters
    ----------
    extractor : the traces, one segment; None for a finished sorting whose recording is not at hand: all but
        the traces is known then

    Raises
    ------
    InputError
        Traces that are no real numbers or do not fit the probe, or a sampling frequency that is none for
        spikes.
    """

    def __init__(
        self,
        extractor: BaseRecording | None,
        *,
        probe: Probe,
        reference: RecordingReference,
        notes: tuple[str, ...] = (),
    ) -> None:
        check_sampling(reference.sampling_frequency_hz, reference.path or "the recording")
        if extractor is not None:
            check_probe_fits(probe, extractor.get_num_channels())
            check_traces(extractor.get_dtype())
        self._extractor = extractor
        self.probe, self.reference, self.notes = probe, reference, notes
        self.sampling_frequency_hz = reference.sampling_frequency_hz
        self.n_samples, self.n_channels = reference.n_samples, reference.n_channels

    def traces(self, start: int, stop: int) -> NDArray[np.float32]:
        """Samples `start` to `stop`: (stop - start, n_channels) float32, in the file's unit.

        Raises
        ------
        MissingRecordingError
            The recording is not at hand.
        RecordingError
            They cannot be read.
        """
        extractor = self.extractor()
        check_range(start, stop, self.n_samples)
        try:
            piece = extractor.get_traces(segment_index=0, start_frame=start, end_frame=stop)
        except (OSError, ValueError) as error:
            raise RecordingError(
                f"{self.reference.path} cannot be read at samples {start} to {stop}: {error}; "
                "check that the file is still there and complete"
            ) from error
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is named by `preprocess`
            return np.array(piece, dtype=np.float32)

    def extractor(self) -> BaseRecording:
        """Return the same traces as a SpikeInterface recording; MissingRecordingError without them."""
        if self._extractor is None:
            raise MissingRecordingError(NO_RAW_DATA)
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
    if not 0 < sampling_frequency_hz < math.inf:
        raise InputError(
            f"{place}: its sampling frequency is {sampling_frequency_hz:.9g} Hz, which cannot be; write it "
            "again with its own or, where time stamps stand for that, with time stamps that increase"
        )
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
