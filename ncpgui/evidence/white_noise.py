"""White noise that was shown during a recording, and the averages of it that spikes trigger.

White noise makes such an average easy to judge: a pixel knows nothing of another one, nor of itself in
another frame. So what chance does to an average follows from when the spikes were fired, whatever they
respond to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.stimulus import Stimulus

N_LAGS = 12
"""Frames before a spike that averages look at, the one on screen among them."""
FEWEST_FRAMES = 100
MOST_CORRELATION = 0.05
"""Of a pixel with its neighbour, and with itself in another frame, beyond `BY_CHANCE` standard errors."""
BY_CHANCE = 6.0
MOST_PIXELS = 64
"""That are looked at to tell whether noise is white, evenly over the image."""
AT_ONCE = 1 << 22
"""Values of frames that are in memory as numbers with a point at a time."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WhiteNoise:
    """Frames that were shown, or the same part of each of them.

    frames : (F, H, W) contrast, whatever its unit; stimulus : they are of, which knows when they were shown
    """

    frames: NDArray[np.generic]
    stimulus: Stimulus

    @cached_property
    def n_frames(self) -> int:
        """Number of frames F."""
        return len(self.frames)

    @cached_property
    def _sd(self) -> Floats:
        """(H, W) of each pixel, infinite where it never changes: such a pixel says nothing."""
        sd = np.stack([row.std(axis=0, dtype=np.float64) for row in self.frames.swapaxes(0, 1)])
        return np.where(sd > 0, sd, np.inf)

    def part(self, rows: slice, columns: slice) -> WhiteNoise:
        """The same frames, only some rows and columns of them, as numbers that are added up fast."""
        return replace(self, frames=np.ascontiguousarray(self.frames[:, rows, columns], dtype=np.float32))

    def counts(self, frame: NDArray[np.integer]) -> Floats:
        """Spikes in each frame: (F,), without those that have no `N_LAGS` frames before and one after them.

        frame : (n,) of each spike, -1 = none (`Stimulus.frame_at`)
        """
        inside = frame[(frame >= N_LAGS) & (frame < self.n_frames - 1)]
        return np.bincount(inside, minlength=self.n_frames).astype(np.float64)

    def average(self, counts: Floats) -> Floats:
        """Mean of the frames around each spike, in sd of each pixel about its mean: (N_LAGS + 1, H, W).

        Row 0 is the frame after the spike, row 1 that on screen, row 2 the one before, and so on.
        counts : (F,) as of `counts`, at least one spike
        """
        total = np.zeros((N_LAGS + 1, *self.frames.shape[1:]))
        used = np.flatnonzero(counts)
        weight = (counts[used] / counts.sum()).astype(np.float32)
        step = max(1, AT_ONCE // max(self._sd.size, 1))
        for first in range(0, len(used), step):
            some, share = used[first : first + step], weight[first : first + step]
            for row in range(N_LAGS + 1):
                total[row] += np.tensordot(share, self.frames[some + 1 - row].astype(np.float32), axes=1)
        return (total - self._mean) / self._sd

    @cached_property
    def _mean(self) -> Floats:
        return self.frames.mean(axis=0, dtype=np.float64)


def white_noise(stimulus: Stimulus | None) -> WhiteNoise | None:
    """The frames of a stimulus; None where there is none, or `not_white` says why it is of no use."""
    if stimulus is None or not_white(stimulus.frames):
        return None
    return WhiteNoise(stimulus.frames, stimulus)


def not_white(frames: NDArray[np.generic]) -> str:
    """Why frames (F, H, W) are no white noise, '' where they are.

    What is looked at are 64 pixels and their neighbours, over all frames: noise that is shown again after a
    while is not white either, since each frame tells of another one.
    """
    n_frames, height, width = frames.shape
    if n_frames < FEWEST_FRAMES:
        return f"it has {n_frames} frames, {FEWEST_FRAMES} are needed"
    if frames.dtype.kind == "f" and not np.isfinite(frames).all():
        return "it has values that are not finite"
    every = max(1, int(np.ceil(np.sqrt(height * width / MOST_PIXELS))))
    some = _scaled(frames[:, ::every, ::every])
    if not some.any():
        return "it never changes"
    chance = BY_CHANCE / np.sqrt(max((np.abs(some).max(axis=0) > 0).sum(), 1) * n_frames)
    for one, other, words in (
        (frames[:, :-1:every, ::every], frames[:, 1::every, ::every], "below"),
        (frames[:, ::every, :-1:every], frames[:, ::every, 1::every], "beside"),
    ):
        pair = _scaled(one), _scaled(other)
        found = float((pair[0] * pair[1]).sum() / max((pair[0] ** 2).sum(), 1e-12))
        if abs(found) > MOST_CORRELATION + chance:
            return f"pixels have a correlation of {found:.2f} with those {words} them"
    flat = some.reshape(n_frames, -1)
    spectrum = np.fft.rfft(flat, n=2 * n_frames, axis=0)
    shared = np.fft.irfft((np.abs(spectrum) ** 2).sum(axis=1), n=2 * n_frames)[: n_frames // 2 + 1]
    later = shared[1:] / shared[0] * n_frames / (n_frames - np.arange(1, len(shared)))
    worst = int(np.abs(later).argmax())
    if abs(later[worst]) > MOST_CORRELATION + np.sqrt(2) * chance:
        return (
            f"frames have a correlation of {later[worst]:.2f} with those {worst + 1} frames later"
            if worst
            else f"frames have a correlation of {later[worst]:.2f} with the next ones"
        )
    return ""


def _scaled(frames: NDArray[np.generic]) -> Floats:
    """Of mean zero and variance one in each pixel, zero where it never changes."""
    values = frames.astype(np.float64)
    values -= values.mean(axis=0)
    sd = values.std(axis=0)
    return np.asarray(np.divide(values, sd, out=np.zeros_like(values), where=sd > 0))
