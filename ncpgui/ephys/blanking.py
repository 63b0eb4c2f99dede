"""Stretches in which a recording tells nothing of spikes: artefacts, silence, samples that are no numbers.

Traces are zero there, so that no spike is found and no template is spoilt. An artefact is 50 ms in which most
channels are beyond 2 noise sd for more than two thirds of the time, as no burst of spikes is.
Silence is 50 ms in which most channels are almost still, as where an amplifier is off or at its rail. The
50 ms before and after go too: that is where filters ring. What is blanked depends on the traces within 100 ms
only, not on who asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from ncpgui.core.clock import Clock
from ncpgui.core.counted import some
from ncpgui.core.loops import compiled
from ncpgui.ephys.segments import segments_of
from ncpgui.ephys.spikeinterface_adapter import BasePreprocessor, BasePreprocessorSegment, BaseRecording

BLOCK_S = 0.05
LOUD_SHARE = 2 / 3
STILL_SD, STILL_SHARE = 0.03, 0.5
AROUND_NAN_S = 0.005
STRIDE = 4
"""Of the samples of a block that are looked at."""
MAX_PLACES = 3
_LOUD, _STILL = 1, 2


class Finite(BasePreprocessor):  # type: ignore[misc]
    """A recording whose NaN and infinite samples are one value of their channel."""

    def __init__(self, recording: BaseRecording, fill: Sequence[float]) -> None:
        BasePreprocessor.__init__(self, recording)
        for segment in segments_of(recording):
            self.add_recording_segment(_FiniteSegment(segment, np.asarray(fill, recording.get_dtype())))
        self._kwargs = {"recording": recording, "fill": [float(value) for value in fill]}


class _FiniteSegment(BasePreprocessorSegment):  # type: ignore[misc]
    def __init__(self, parent: Any, fill: NDArray[Any]) -> None:
        super().__init__(parent)
        self._fill = fill

    def get_traces(self, start_frame: int, end_frame: int, channel_indices: Any) -> NDArray[Any]:
        chosen = slice(None) if channel_indices is None else channel_indices
        traces = np.asarray(self.parent_recording_segment.get_traces(start_frame, end_frame, chosen))
        return np.where(np.isfinite(traces), traces, self._fill[chosen])


class Blanked(BasePreprocessor):  # type: ignore[misc]
    """A filtered recording that is zero in artefacts and in silence, when traces are asked for.

    noise_sd : (C,) of the channels; artefact_sd : beyond this, in noise sd, is an artefact
    raw : the same channels unfiltered, NaN or infinite where a channel is to be zero; None if there
        is none
    """

    def __init__(
        self,
        recording: BaseRecording,
        noise_sd: Sequence[float] | NDArray[np.floating],
        *,
        artefact_sd: float,
        raw: BaseRecording | None = None,
    ) -> None:
        BasePreprocessor.__init__(self, recording, dtype="float32")
        rate = recording.get_sampling_frequency()
        raws = [None] * recording.get_num_segments() if raw is None else segments_of(raw)
        for segment, unfiltered in zip(segments_of(recording), raws, strict=True):
            noise = np.asarray(noise_sd, np.float32)
            self.add_recording_segment(_BlankedSegment(segment, unfiltered, noise, artefact_sd, rate))
        self._kwargs = {
            "recording": recording,
            "noise_sd": [float(sd) for sd in noise_sd],
            "artefact_sd": artefact_sd,
            "raw": raw,
        }

    def said(self, clock: Clock) -> list[str]:
        """What was blanked of the traces read so far: a sentence for each reason, seconds by the clock."""
        segment: _BlankedSegment = segments_of(self)[0]
        return segment.said(clock)


class _BlankedSegment(BasePreprocessorSegment):  # type: ignore[misc]
    def __init__(
        self, parent: Any, raw: Any, noise_sd: NDArray[np.float32], artefact_sd: float, rate: float
    ) -> None:
        super().__init__(parent)
        self._raw, self._noise_sd, self._artefact_sd, self._rate = raw, noise_sd, artefact_sd, rate
        self._size = max(1, round(BLOCK_S * rate))
        n_blocks = -(-self.get_num_samples() // self._size)
        self._kind = np.zeros(n_blocks, np.uint8)
        self._nan = np.zeros(n_blocks if raw is not None else 0, np.int32)  # samples of each block
        self._first_nan = self.get_num_samples()

    def get_traces(self, start_frame: int, end_frame: int, channel_indices: Any) -> NDArray[np.float32]:
        size, n_samples = self._size, self.get_num_samples()
        first, last = start_frame // size, max(start_frame, end_frame - 1) // size
        begin, stop = max(0, (first - 1) * size), min(n_samples, (last + 2) * size)
        traces = np.asarray(self.parent_recording_segment.get_traces(begin, stop, slice(None)), np.float32)
        kinds = maximum_filter1d(self._kinds(traces), 3, mode="nearest")
        self._kind[first : last + 1] = kinds[first - begin // size : last + 1 - begin // size]
        if kinds.any() or self._raw is not None:
            traces = traces.copy()
            traces[np.repeat(kinds > 0, size)[: len(traces)]] = 0
        if self._raw is not None:
            traces[self._not_finite(begin, stop)] = 0
        inside = traces[start_frame - begin : end_frame - begin]
        return inside if channel_indices is None else inside[:, channel_indices]

    def _kinds(self, traces: NDArray[np.float32]) -> NDArray[np.int64]:
        """Of each block from the first row on: 0, or why it is blanked."""
        stride = min(STRIDE, self._size)
        looked_at = np.bincount(np.arange(0, len(traces), stride) // self._size)
        loud, still = np.zeros((2, len(looked_at), traces.shape[1]), np.int64)
        loud_from, still_below = (np.float32(sd) * self._noise_sd for sd in (self._artefact_sd, STILL_SD))
        _count(np.ascontiguousarray(traces), self._size, stride, loud_from, still_below, loud, still)
        kinds = np.zeros(len(looked_at), np.int64)
        for kind, counts, share in ((_LOUD, loud, LOUD_SHARE), (_STILL, still, STILL_SHARE)):
            channels = counts > share * looked_at[:, None]
            kinds[channels.mean(axis=1) > 0.5] = kind
        return kinds

    def _not_finite(self, begin: int, stop: int) -> NDArray[np.bool_]:
        """Samples (stop - begin, C) of the raw traces that are no numbers, and those beside them."""
        bad = ~np.isfinite(self._raw.get_traces(begin, stop, slice(None)))
        if not bad.any():
            return bad
        for start in range(begin, stop, self._size):
            rows = np.flatnonzero(bad[start - begin : start - begin + self._size].any(axis=1))
            self._nan[start // self._size] = len(rows)
            if len(rows):
                self._first_nan = min(self._first_nan, start + int(rows[0]))
        width = 2 * round(AROUND_NAN_S * self._rate) + 1
        return np.asarray(maximum_filter1d(bad.astype(np.uint8), width, axis=0), bool)

    def said(self, clock: Clock) -> list[str]:
        sentences = []
        for kind, why in (
            (
                _LOUD,
                f"most channels are beyond {self._artefact_sd:g} noise sd for most of the time (an artefact)",
            ),
            (_STILL, "most channels are still"),
        ):
            blocks = np.flatnonzero(self._kind == kind)
            if len(blocks):
                seconds = len(blocks) * self._size / self._rate
                sentences.append(f"{seconds:.2f} s are blanked, where {why}: {self._places(blocks, clock)}")
        samples, at = int(self._nan.sum()), self._first_nan
        if samples:
            sentences.append(
                f"{samples} samples ({samples / self._rate:.3g} s) are blanked, where a channel is NaN or "
                f"infinite, the first at sample {at} ({clock.seconds(at):.3f} s)"
            )
        return sentences

    def _places(self, blocks: NDArray[np.int64], clock: Clock) -> str:
        """``12.30 to 13.40 s, 20.00 to 20.15 s and 3 more``."""
        ends = np.flatnonzero(np.diff(blocks) > 1)
        firsts = [blocks[i] for i in (0, *(ends + 1))]
        lasts = [blocks[i] for i in (*ends, len(blocks) - 1)]
        begin_s, end_s = (
            clock.seconds(np.array(firsts) * self._size),
            clock.seconds((np.array(lasts) + 1) * self._size),
        )
        places = [f"{a:.2f} to {b:.2f} s" for a, b in zip(begin_s, end_s, strict=True)]
        return some(places, MAX_PLACES)


@compiled()
def _count(traces, size, stride, loud_from, still_below, loud, still):  # type: ignore[no-untyped-def]
    """Count every `stride`-th sample (n, C) by block of `size` (blocks, C): beyond a bound, and below one."""
    for i in range(0, len(traces), stride):
        for c in range(traces.shape[1]):
            value = abs(traces[i, c])
            loud[i // size, c] += value > loud_from[c]
            still[i // size, c] += value < still_below[c]
