"""Band-pass filter, common reference and noise levels, through SpikeInterface, piece by piece.

Filtered traces are computed on a fixed grid of pieces, so that they do not depend on who asks for
what, and are kept as float16 in an anonymous temporary file: detection and waveforms read the
same samples, filtered once, and memory does not grow with the recording.
"""

from __future__ import annotations

import logging
import math
import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, silent
from ncpgui.ephys.recording import Recording, check_range
from ncpgui.ephys.trace_cache import cache_file

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

log = logging.getLogger(__name__)

FILTER_ORDER = 3
MAX_LOWPASS_SHARE = 0.45
MIN_CHANNELS_FOR_REFERENCE = 8
PIECE_S = 4.0
PIECE_BYTES = 32 << 20
DEAD_NOISE_SHARE = 0.01
STILL_SHARE = 1e-9
MIN_SAMPLES = 64
N_NOISE_SLICES = 20
NOISE_SLICE_S = 0.5
NOISE_SEED = 0


@dataclass(frozen=True)
class FilterSettings:
    """Band in Hz, and whether a common median reference was subtracted."""

    highpass_hz: float
    lowpass_hz: float
    reference: str


class Preprocessed:
    """Filtered traces in noise sd, computed when first asked for.

    noise_sd : (n_channels,) float32, of the filtered traces, in the file's unit;
    bad_channels : channels without a signal; their traces are zero.
    """

    def __init__(
        self,
        recording: Recording,
        filtered: BaseRecording,
        *,
        good: NDArray[np.int64],
        noise_sd: NDArray[np.float32],
        settings: FilterSettings,
    ) -> None:
        self.recording = recording
        self.settings = settings
        self.noise_sd = noise_sd
        self.probe: Probe = recording.probe
        self.sampling_frequency_hz = recording.sampling_frequency_hz
        self.n_samples = recording.n_samples
        self.n_channels = recording.n_channels
        self.bad_channels: tuple[int, ...] = tuple(
            int(c) for c in np.setdiff1d(np.arange(recording.n_channels), good)
        )
        self._filtered = filtered
        self._good = good
        self.piece_samples = _piece_samples(recording)
        self._lock = threading.RLock()
        self._file = cache_file(self.n_samples * self.n_channels * 2)
        if self._file is not None:
            weakref.finalize(self, self._file.close)
        self._stored = np.zeros(math.ceil(self.n_samples / self.piece_samples), dtype=bool)
        self._recent: OrderedDict[int, NDArray[np.float16]] = OrderedDict()

    def traces(self, start: int, stop: int) -> NDArray[np.float32]:
        """Filtered samples `start` to `stop`: (stop - start, n_channels), noise sd.

        Raises
        ------
        RecordingError
            A sample is NaN or infinite; the message names it.
        """
        check_range(start, stop, self.n_samples)
        result = np.empty((stop - start, self.n_channels), dtype=np.float32)
        position = start
        while position < stop:
            piece = position // self.piece_samples
            first = piece * self.piece_samples
            end = min(stop, first + self.piece_samples)
            result[position - start : end - start] = self._read(piece, position - first, end - first)
            position = end
        return result

    def padded_traces(self, start: int, stop: int) -> NDArray[np.float32]:
        """Like `traces`, but samples outside the recording repeat the first or last one."""
        inside = self.traces(max(start, 0), min(stop, self.n_samples))
        before, after = max(0, -start), max(0, stop - self.n_samples)
        return np.pad(inside, ((before, after), (0, 0)), mode="edge") if before or after else inside

    def seen_through(self, traces: BaseRecording) -> Preprocessed:
        """The same recording with other traces, in the file's unit, on its good channels."""
        noise_sd = self.noise_sd.copy()
        noise_sd[self._good] = _noise_levels(traces, self.recording)
        return Preprocessed(
            self.recording, traces, good=self._good, noise_sd=noise_sd, settings=self.settings
        )

    def close(self) -> None:
        """Drop the cached traces and their temporary file."""
        with self._lock:
            self._recent.clear()
            if self._file is not None:
                self._file.close()
                self._file = None
            self._stored[:] = False

    def __enter__(self) -> Preprocessed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, piece: int, start: int, stop: int) -> NDArray[np.float16]:
        """Rows `start` to `stop` of a piece, from the file, from memory, or computed."""
        with self._lock:
            if piece in self._recent:
                return self._recent[piece][start:stop]
            if self._file is not None and self._stored[piece]:
                self._file.seek((piece * self.piece_samples + start) * self.n_channels * 2)
                data = self._file.read((stop - start) * self.n_channels * 2)
                return np.frombuffer(data, dtype=np.float16).reshape(-1, self.n_channels)
            values = self._compute(piece)
            self._keep(piece, values)
            return values[start:stop]

    def _keep(self, piece: int, values: NDArray[np.float16]) -> None:
        if self._file is not None:
            try:
                self._file.seek(piece * self.piece_samples * self.n_channels * 2)
                self._file.write(values.tobytes())
                self._file.flush()
                self._stored[piece] = True
                return
            except OSError as error:
                log.warning("filtered traces are no longer kept on disk: %s", error.strerror or error)
                self._file.close()
                self._file = None
        self._recent[piece] = values
        while len(self._recent) > 2:
            self._recent.popitem(last=False)

    def _compute(self, piece: int) -> NDArray[np.float16]:
        start = piece * self.piece_samples
        stop = min(start + self.piece_samples, self.n_samples)
        filtered = _read_filtered(self._filtered, start, stop, self.recording)
        result = np.zeros((stop - start, self.n_channels), dtype=np.float16)
        limit = float(np.finfo(np.float16).max)
        result[:, self._good] = np.clip(filtered / self.noise_sd[self._good], -limit, limit)
        return result


def preprocess(
    recording: Recording,
    *,
    highpass_hz: float = 300.0,
    lowpass_hz: float = 6000.0,
    reference: str = "median",
    progress: Progress = silent,
) -> Preprocessed:
    """Filter a recording and measure its noise; traces are filtered when they are asked for.

    The median of the other channels is subtracted only on probes of at least
    `MIN_CHANNELS_FOR_REFERENCE` good channels: on a tetrode it would subtract the spikes themselves.

    Raises
    ------
    InputError
        A band that the sampling frequency does not allow, or an unknown reference.
    RecordingError
        NaN or infinite samples, no channel with a signal, or a recording too short to filter.
    """
    lowpass_hz = min(lowpass_hz, MAX_LOWPASS_SHARE * recording.sampling_frequency_hz)
    if not 0 < highpass_hz < lowpass_hz:
        raise InputError(
            f"the band-pass needs 0 < high-pass < low-pass, got {highpass_hz:g} and {lowpass_hz:g} Hz "
            f"at {recording.sampling_frequency_hz:g} Hz sampling; lower highpass_hz"
        )
    if recording.n_samples < MIN_SAMPLES:
        raise RecordingError(
            f"the recording has only {recording.n_samples} samples; filtering needs at least {MIN_SAMPLES}"
        )
    if reference not in ("median", "none"):
        raise InputError(f"reference must be 'median' or 'none', got {reference!r}")
    from spikeinterface.preprocessing import bandpass_filter

    from ncpgui.ephys.reference import MedianReferenced

    progress(0, 3, "measuring noise")
    source = recording.extractor()
    band = bandpass_filter(
        source, freq_min=highpass_hz, freq_max=lowpass_hz, filter_order=FILTER_ORDER, dtype="float32"
    )
    noise = _noise_levels(band, recording)
    progress(1, 3, "measuring noise")
    good = _good_channels(source, noise, recording)
    if len(good) < recording.n_channels:
        bad = sorted(set(range(recording.n_channels)) - set(good.tolist()))
        log.warning("channels without a signal are left out: %s", ", ".join(map(str, bad)))
        band = band.select_channels(source.channel_ids[good])
    progress(2, 3, "measuring noise")
    if reference == "median" and len(good) >= MIN_CHANNELS_FOR_REFERENCE:
        band = MedianReferenced(band)
        noise[good] = _noise_levels(band, recording)
    elif reference == "median":
        reference = "none"
    progress(3, 3, "measuring noise")
    return Preprocessed(
        recording,
        band,
        good=good,
        noise_sd=noise.astype(np.float32),
        settings=FilterSettings(highpass_hz, lowpass_hz, reference),
    )


def _slices(recording: Recording) -> dict[str, Any]:
    """Where noise is measured: the same seeded places on every run."""
    samples = int(min(NOISE_SLICE_S * recording.sampling_frequency_hz, recording.n_samples))
    return {
        "num_chunks_per_segment": max(1, min(N_NOISE_SLICES, recording.n_samples // max(samples, 1))),
        "chunk_size": samples,
        "seed": NOISE_SEED,
    }


def _noise_levels(traces: BaseRecording, recording: Recording) -> NDArray[np.float64]:
    """Noise sd of each channel by the median absolute deviation, in the file's unit."""
    from spikeinterface.core import get_noise_levels

    with np.errstate(invalid="ignore", over="ignore"):
        levels = get_noise_levels(
            traces,
            return_in_uV=False,
            method="mad",
            force_recompute=True,
            random_slices_kwargs=_slices(recording),
            n_jobs=1,
            progress_bar=False,
        )
    if not np.isfinite(levels).all():
        _raise_first_not_finite(recording, 0, recording.n_samples)
    return np.array(levels, dtype=np.float64)


def _good_channels(
    source: BaseRecording, noise: NDArray[np.float64], recording: Recording
) -> NDArray[np.int64]:
    """Channels that vary: neither constant (but for jumps) nor with less than 1 % of the usual noise."""
    from spikeinterface.core import get_random_data_chunks

    raw = get_random_data_chunks(source, return_in_uV=False, concatenated=True, **_slices(recording))
    varies = (raw != raw[0]).any(axis=0)  # the range itself may not fit into the file's integers
    where = recording.reference.path or "these traces"
    if not varies.any():
        raise RecordingError(
            f"all {recording.n_channels} channels of {where} are constant; "
            "check the dtype and the number of channels, or that the electrodes were connected"
        )
    span = raw.max(axis=0).astype(np.float64) - raw.min(axis=0)
    noisy = varies & (noise > STILL_SHARE * span)
    if not noisy.any():
        raise RecordingError(
            f"the channels of {where} stay at one value but for a few jumps, as those of a saturated "
            "amplifier; check the gain of the recording, the dtype and the number of channels"
        )
    return np.flatnonzero(noisy & (noise > DEAD_NOISE_SHARE * np.median(noise[noisy])))


def _read_filtered(
    filtered: BaseRecording, start: int, stop: int, recording: Recording
) -> NDArray[np.float32]:
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            values: NDArray[np.float32] = filtered.get_traces(
                segment_index=0, start_frame=start, end_frame=stop
            )
            finite = bool(np.isfinite(values.sum()))
    except (OSError, ValueError) as error:
        raise RecordingError(
            f"{recording.reference.path} cannot be read at samples {start} to {stop}: {error}; "
            "check that the file is still there and complete"
        ) from error
    if not finite:
        margin = int(recording.sampling_frequency_hz)
        _raise_first_not_finite(recording, max(0, start - margin), min(recording.n_samples, stop + margin))
    return values


def _raise_first_not_finite(recording: Recording, start: int, stop: int) -> None:
    """Raise RecordingError naming the first NaN or infinite sample between `start` and `stop`."""
    step = _piece_samples(recording)
    for first in range(start, stop, step):
        bad = ~np.isfinite(recording.traces(first, min(first + step, stop)))
        if bad.any():
            row, channel = (int(i) for i in np.argwhere(bad)[0])
            second = (first + row) / recording.sampling_frequency_hz
            raise RecordingError(
                f"channel {channel} is NaN or infinite at sample {first + row} ({second:.3f} s); "
                "check the dtype, or replace such samples (for example by zero) before sorting"
            )
    raise RecordingError(
        f"values between samples {start} and {stop} are too large to filter; check the dtype and the unit"
    )


def _piece_samples(recording: Recording) -> int:
    by_memory = PIECE_BYTES // (8 * recording.n_channels)
    return max(1000, int(min(PIECE_S * recording.sampling_frequency_hz, by_memory)))
