"""Motion: where along the probe the tissue was, over time, and why it was or was not corrected."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

RANGE_QUANTILES = (0.01, 0.99)
MOTION_PRESETS = (
    "dredge_fast",
    "dredge",
    "nonrigid_fast_and_accurate",
    "nonrigid_accurate",
    "rigid_fast",
    "kilosort_like",
)
"""Of SpikeInterface's `compute_motion`; the first is what "auto" takes."""


def _empty() -> NDArray[np.float64]:
    return np.zeros(0)


@dataclass(frozen=True)
class Motion:
    """Displacement of the tissue along the probe.

    time_s : (B,) float64, middles of bins of time, ascending
    depth_um : (D,) float64, places along the axis, ascending
    displacement_um : (B, D) float64, from the place that the recording is told for
    axis : of the probe, 0 = x, 1 = y
    preset : how it was estimated; "" where it was not
    applied : whether it counts; otherwise the tissue is taken to stand still
    reason : a sentence: what was found, or why nothing was looked for
    peak_time_s, peak_depth_um : (P,) float64, some of the spikes that it was estimated from
    """

    time_s: NDArray[np.float64] = field(default_factory=_empty)
    depth_um: NDArray[np.float64] = field(default_factory=_empty)
    displacement_um: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    axis: int = 1
    preset: str = ""
    applied: bool = False
    reason: str = ""
    peak_time_s: NDArray[np.float64] = field(default_factory=_empty)
    peak_depth_um: NDArray[np.float64] = field(default_factory=_empty)

    @property
    def range_um(self) -> float:
        """Largest displacement of any depth from its smallest, without the last 1 % on either side."""
        if self.displacement_um.size == 0:
            return 0.0
        low, high = np.quantile(self.displacement_um, RANGE_QUANTILES, axis=0)
        return float((high - low).max())

    def at(self, time_s: NDArray[np.floating], depth_um: NDArray[np.floating]) -> NDArray[np.float64]:
        """Displacement at times and depths, (n,) each: linear between bins, level beyond the last ones."""
        if self.displacement_um.size == 0:
            return np.zeros(len(time_s))
        by_depth = [np.interp(time_s, self.time_s, column) for column in self.displacement_um.T]
        if len(by_depth) == 1:
            return by_depth[0]
        right = np.clip(np.searchsorted(self.depth_um, depth_um), 1, len(self.depth_um) - 1)
        gap = self.depth_um[right] - self.depth_um[right - 1]
        share = np.clip((depth_um - self.depth_um[right - 1]) / gap, 0, 1)
        values = np.stack(by_depth)
        rows = np.arange(len(time_s))
        return np.asarray((1 - share) * values[right - 1, rows] + share * values[right, rows])

    def told(self) -> dict[str, object]:
        """What is no array, as plain values; with `arrays`, all that `restored` needs."""
        return {"axis": self.axis, "preset": self.preset, "applied": self.applied, "reason": self.reason}

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """The arrays, by name."""
        return {
            name: getattr(self, name)
            for name in ("time_s", "depth_um", "displacement_um", "peak_time_s", "peak_depth_um")
        }

    @classmethod
    def restored(cls, told: dict[str, object], arrays: dict[str, NDArray[np.float64]]) -> Motion:
        """The motion that `told` and `arrays` were taken from."""
        return cls(**told, **arrays)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Places:
    """Stretches of a recording in which the tissue stands still, as far as templates can tell.

    stretches : (n, 2) int64, first sample and the one after the last, in order and without gaps
    place : (n,) int64, row of `displacement_um` of each stretch
    displacement_um : (P, D), displacement of each place at depths `depth_um` (D,)
    axis : of the probe
    """

    stretches: NDArray[np.int64]
    place: NDArray[np.int64]
    displacement_um: NDArray[np.float64]
    depth_um: NDArray[np.float64]
    axis: int = 1

    @classmethod
    def one(cls, n_samples: int) -> Places:
        """All of the recording at one place."""
        return cls(np.array([[0, n_samples]]), np.zeros(1, np.int64), np.zeros((1, 1)), np.zeros(1))

    @property
    def n_places(self) -> int:
        """Number of places P."""
        return len(self.displacement_um)

    @property
    def share(self) -> NDArray[np.float64]:
        """Part of the time at each place: (P,), sum 1."""
        length = np.bincount(self.place, np.diff(self.stretches, axis=1)[:, 0], self.n_places)
        return length / length.sum()

    def of(self, sample_index: NDArray[np.integer]) -> NDArray[np.int64]:
        """Place at each sample."""
        row = np.searchsorted(self.stretches[:, 0], sample_index, side="right") - 1
        return self.place[np.clip(row, 0, len(self.place) - 1)]

    def counts(
        self, place: NDArray[np.integer], unit: NDArray[np.integer], n_units: int
    ) -> NDArray[np.int64]:
        """Spikes of each unit at each place: (P, K), by place (`of`) and unit, 0 .. K-1, of each (n,)."""
        row = place * n_units + unit
        return np.bincount(row, minlength=self.n_places * n_units).reshape(self.n_places, n_units)

    def at_depth(self, depth_um: NDArray[np.floating]) -> NDArray[np.float64]:
        """Displacement of each place at depths (K,): (P, K)."""
        return np.stack([np.interp(depth_um, self.depth_um, row) for row in self.displacement_um])


def places_of(
    motion: Motion, *, n_samples: int, sampling_frequency_hz: float, reach_um: float, most: int
) -> Places:
    """Cut a recording where the tissue has moved by more than `reach_um` at any depth.

    Places come back: each bin of time goes to the nearest of those that were opened. `reach_um` doubles
    until there are at most `most` of them.
    """
    moved = motion.displacement_um
    if not motion.applied or moved.size == 0 or n_samples == 0:
        return Places.one(n_samples)
    while True:
        opened = [moved[0]]
        for row in moved[1:]:
            if min(float(np.abs(row - other).max()) for other in opened) > reach_um:
                opened.append(row)
        if len(opened) <= most:
            break
        reach_um *= 2
    place = np.abs(moved[:, None] - np.stack(opened)[None]).max(axis=2).argmin(axis=1)
    edges = np.round((motion.time_s[1:] + motion.time_s[:-1]) / 2 * sampling_frequency_hz).astype(np.int64)
    inside = np.r_[True, edges < n_samples]
    place, moved = place[inside], moved[inside]
    _, place = np.unique(place, return_inverse=True)
    at = np.stack([moved[place == one].mean(axis=0) for one in range(place.max() + 1)])
    changes = np.flatnonzero(np.diff(place)) + 1
    starts = np.r_[0, edges[changes - 1]]
    stretches = np.column_stack([starts, np.r_[starts[1:], n_samples]])
    return Places(stretches, place[np.r_[0, changes]], at, motion.depth_um, motion.axis)
