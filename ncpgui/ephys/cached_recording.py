"""A recording whose traces are computed once: kept as float16 in an anonymous temporary file.

They are computed on a fixed grid of pieces when first asked for, so that they do not depend on who asks for
what, detection, waveforms and matching read the same samples, and memory does not grow with the recording.
SpikeInterface's own `save` would filter the whole recording before anything is shown, and could not be
cancelled.
"""

from __future__ import annotations

import logging
import math
import threading
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.ahead import ahead
from ncpgui.core.errors import RecordingError
from ncpgui.ephys.half_floats import narrowed, widen
from ncpgui.ephys.recording import Recording
from ncpgui.ephys.segments import segments_of
from ncpgui.ephys.spikeinterface_adapter import BasePreprocessor, BasePreprocessorSegment, BaseRecording
from ncpgui.ephys.stretches import PART_S
from ncpgui.ephys.trace_cache import BYTES_A_SAMPLE, cache_file

log = logging.getLogger(__name__)

PIECE_S = 4.0
PIECE_BYTES = 32 << 20
N_RECENT = 6
"""Pieces that are in memory where they are not on the disk."""


class KeptRecording(BasePreprocessor):  # type: ignore[misc]
    """The traces of a recording of one segment, float32, rounded to float16.

    source : what is filtered, to say what is wrong with it
    on_disk : whether they are kept; a few pieces are in memory otherwise, and others are computed anew
    kept_s : seconds that will be read of a recording of which only parts are; pieces are of a second then
    """

    def __init__(
        self,
        recording: BaseRecording,
        source: Recording,
        *,
        on_disk: bool = True,
        kept_s: float | None = None,
    ) -> None:
        BasePreprocessor.__init__(self, recording, dtype="float32")
        rate = source.sampling_frequency_hz
        self.is_in_parts = kept_s is not None
        self.piece_samples = piece_samples(source) if kept_s is None else round(PART_S * rate)
        n_kept = source.n_samples if kept_s is None else min(source.n_samples, round(kept_s * rate))
        self._kept = _KeptSegment(
            segments_of(recording)[0],
            source,
            self.piece_samples,
            recording.get_num_channels(),
            n_kept if on_disk else 0,
        )
        self.add_recording_segment(self._kept)
        self._kwargs = {"recording": recording, "source": source, "on_disk": on_disk, "kept_s": kept_s}
        self._serializability.update(memory=True, json=False, pickle=False)  # for threads

    def drop(self) -> None:
        """Close the temporary file; traces are computed anew if they are asked for."""
        self._kept.drop()

    def keep_no_more(self) -> None:
        """Keep on the disk what is there, and nothing that is read from now on."""
        self._kept.is_full = True

    def ahead(self, pieces: Iterable[int]) -> Iterator[int]:
        """Yield pieces in order, each when its traces are there; the next ones are computed meanwhile."""
        return ahead(self._kept.prepare, pieces)


class _KeptSegment(BasePreprocessorSegment):  # type: ignore[misc]
    def __init__(self, parent: Any, source: Recording, n_samples: int, n_channels: int, n_kept: int) -> None:
        super().__init__(parent)
        self._source, self._piece, self._n_channels = source, n_samples, n_channels
        total = self.get_num_samples()
        self._lock = threading.RLock()
        self._file = cache_file(n_kept * n_channels * BYTES_A_SAMPLE) if n_kept else None
        if self._file is not None:
            weakref.finalize(self, self._file.close)
        self._stored = np.zeros(math.ceil(total / n_samples), dtype=bool)
        self._recent: OrderedDict[int, NDArray[np.float16]] = OrderedDict()
        self._computing: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)
        self.is_full = False

    def get_traces(
        self, start_frame: int, end_frame: int, channel_indices: Any = None
    ) -> NDArray[np.float32]:
        result = np.empty((end_frame - start_frame, self._n_channels), dtype=np.float32)
        for rows, halves in self._read_all(start_frame, end_frame):
            widen(halves, result[rows])
        return result if channel_indices is None else result[:, channel_indices]

    def get_halves(self, start_frame: int, end_frame: int) -> NDArray[np.float16]:
        """Traces (n, C) as they are kept: who widens them piece by piece goes through memory less often."""
        result = np.empty((end_frame - start_frame, self._n_channels), dtype=np.float16)
        for rows, halves in self._read_all(start_frame, end_frame):
            result[rows] = halves
        return result

    def _read_all(self, start: int, end: int) -> Iterator[tuple[slice, NDArray[np.float16]]]:
        """Samples `start` to `end`, piece by piece, and which rows of all of them each has."""
        for piece in range(start // self._piece, math.ceil(end / self._piece)):
            first = piece * self._piece
            low, high = max(start, first), min(end, first + self._piece)
            if low < high:
                yield slice(low - start, high - start), self._read(piece, low - first, high - first)

    def drop(self) -> None:
        with self._lock:
            self._recent.clear()
            if self._file is not None:
                self._file.close()
                self._file = None
            self._stored[:] = False

    def _read(self, piece: int, start: int, stop: int) -> NDArray[np.float16]:
        """Rows `start` to `stop` of a piece, from the file, from memory, or computed."""
        with self._lock:
            computing = self._computing[piece]
        with computing:
            with self._lock:
                if piece in self._recent:
                    return self._recent[piece][start:stop]
                if self._file is not None and self._stored[piece]:
                    self._file.seek((piece * self._piece + start) * self._n_channels * 2)
                    data = self._file.read((stop - start) * self._n_channels * 2)
                    return np.frombuffer(data, dtype=np.float16).reshape(-1, self._n_channels)
            values = self._compute(piece)
            with self._lock:
                self._keep(piece, values)
            return values[start:stop]

    def prepare(self, piece: int) -> int:
        """Compute a piece that is not there yet, and return its number."""
        self._read(piece, 0, 1)
        return piece

    def _keep(self, piece: int, values: NDArray[np.float16]) -> None:
        if self._file is not None and not self.is_full:
            try:
                self._file.seek(piece * self._piece * self._n_channels * 2)
                self._file.write(values.tobytes())
                self._file.flush()
                self._stored[piece] = True
                return
            except OSError as error:
                log.warning("filtered traces are no longer kept on disk: %s", error.strerror or error)
                self._file.close()
                self._file = None
        self._recent[piece] = values
        while len(self._recent) > N_RECENT:
            self._recent.popitem(last=False)

    def _compute(self, piece: int) -> NDArray[np.float16]:
        start = piece * self._piece
        stop = min(start + self._piece, self.get_num_samples())
        try:
            with np.errstate(invalid="ignore", over="ignore"):
                values = self.parent_recording_segment.get_traces(start, stop, slice(None))
                finite = bool(np.isfinite(values.sum()))
        except (OSError, ValueError) as error:
            raise RecordingError(
                f"{self._source.reference.path} cannot be read at samples {start} to {stop}: {error}; "
                "check that the file is still there and complete"
            ) from error
        if not finite:
            margin = int(self._source.sampling_frequency_hz)
            raise_first_not_finite(
                self._source, max(0, start - margin), min(self._source.n_samples, stop + margin)
            )
        return narrowed(values)


def raise_first_not_finite(source: Recording, start: int, stop: int) -> None:
    """Raise RecordingError naming the first NaN or infinite sample between `start` and `stop`."""
    step = piece_samples(source)
    for first in range(start, stop, step):
        bad = ~np.isfinite(source.traces(first, min(first + step, stop)))
        if bad.any():
            row, channel = (int(i) for i in np.argwhere(bad)[0])
            second = float(source.reference.clock.seconds(first + row))
            raise RecordingError(
                f"channel {channel} is NaN or infinite at sample {first + row} ({second:.3f} s); "
                "check the dtype, or have such samples blanked (--blank-nan): they are zero then"
            )
    raise RecordingError(
        f"values between samples {start} and {stop} are too large to filter; check the dtype and the unit"
    )


def piece_samples(source: Recording) -> int:
    """Samples of a piece."""
    by_memory = PIECE_BYTES // (8 * source.n_channels)
    return max(1000, int(min(PIECE_S * source.sampling_frequency_hz, by_memory)))
