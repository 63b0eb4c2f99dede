"""Parts of a long recording: units are measured on them, and what needs only times uses all spikes.

Filtering an hour of 384 channels takes half an hour of one core. Templates, noise and amplitudes are known
long before. So a second is read here and there, `measured_s` of them evenly from the first to the last.
Where they hold fewer than `ENOUGH` spikes of a unit, seconds that hold most of those that are missing come to
them, up to as many again; beyond that only until something can be said of each unit (`min_cluster_spikes`).

What is measured of a spike, its amplitude and its gains, is known in these parts. Each other spike stands
for itself with the values of the spike of its unit that is nearest in time and was measured: so they are
distributed as those that were measured, and numbers of spikes are those of the whole recording.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.partition import rows_of_clusters
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.ephys.stretches import PART_S
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.reopened import settings_of, sorting_given

if TYPE_CHECKING:
    from ncpgui.sorting.matched import Matched

EDGE_MS = 8.0
"""Of the ends of a part nothing is measured: whitening in time and templates reach so far."""
SHORT_CHANNEL_S = 64 * 1800.0
"""Channels times seconds up to which "auto" reads everything."""
LEAST_TIMES = 2.0
"""A recording is read in parts where it is longer than this times `measured_s`."""
ENOUGH = 100
"""Spikes of each unit in the parts, or all where it has fewer, as far as twice `measured_s` holds them."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Which pieces of a recording are read.

    pieces : (P,) bool, of `piece_samples` each
    """

    pieces: NDArray[np.bool_]
    piece_samples: int
    n_samples: int
    sampling_frequency_hz: float

    @property
    def n_read(self) -> int:
        """Samples that are read."""
        return int(self.pieces.sum()) * self.piece_samples

    @property
    def seconds(self) -> float:
        """How much is read."""
        return self.n_read / self.sampling_frequency_hz

    @cached_property
    def stretches(self) -> NDArray[np.int64]:
        """First sample of what is measured, and the one after its last, in order, without edges: (m, 2)."""
        change = np.flatnonzero(np.diff(np.concatenate([[False], self.pieces, [False]]).astype(np.int8)))
        runs = change.reshape(-1, 2) * self.piece_samples
        edge = round(EDGE_MS * self.sampling_frequency_hz / 1000)
        first = np.where(runs[:, 0] > 0, runs[:, 0] + edge, 0)
        last = np.where(runs[:, 1] < self.n_samples, runs[:, 1] - edge, self.n_samples)
        return np.column_stack([first, last]).astype(np.int64)

    @property
    def words(self) -> str:
        """How much of the recording it is."""
        return f"{self.seconds:.0f} of {self.n_samples / self.sampling_frequency_hz:.0f} s of the traces"

    @property
    def note(self) -> str:
        """What comes of it, a sentence."""
        return (
            f"units are measured on {self.words} (measured_s), and times are those of all spikes; questions "
            "whether a unit is two come last, since they need all traces"
        )


def parts_of_project(project: Project) -> Parts | None:
    """The parts of its recording that the units of a project were measured on; None where on all of it."""
    if project.given is None or not project.recording.has_traces:
        return None
    given, config = sorting_given(project), settings_of(project)
    return parts_of(
        given, config, n_channels=project.recording.n_channels, n_samples=project.recording.n_samples
    )


def parts_of(given: Sorting, config: SortingConfig, *, n_channels: int, n_samples: int) -> Parts | None:
    """The parts to read of a recording that was sorted like this; None for all of it.

    n_samples : of the recording; the sorting may say that it is shorter
    """
    sampling_frequency_hz = given.sampling_frequency_hz
    duration_s = n_samples / sampling_frequency_hz
    is_short = config.measured == "auto" and duration_s * n_channels <= SHORT_CHANNEL_S
    if config.measured == "all" or is_short or duration_s <= LEAST_TIMES * config.measured_s:
        return None
    size = round(PART_S * sampling_frequency_hz)
    n_pieces = n_samples // size  # what is left over at the end is in none
    n_even = min(n_pieces, max(2, round(config.measured_s / PART_S)))
    pieces = np.zeros(n_pieces, bool)
    pieces[np.linspace(0, n_pieces - 1, n_even).round().astype(np.int64)] = True
    edge = round(EDGE_MS * sampling_frequency_hz / 1000)
    names, unit = np.unique(given.unit_id, return_inverse=True)
    piece, inside = np.divmod(given.sample_index, size)
    counted = (piece < n_pieces) & (inside >= 2 * edge) & (inside < size - 2 * edge)
    counts = np.zeros((len(names), n_pieces), np.int32)
    np.add.at(counts, (unit[counted], piece[counted]), 1)
    for wanted, most in ((ENOUGH, n_even), (config.min_cluster_spikes, n_pieces)):
        _add_pieces(pieces, counts, wanted, most)
    return Parts(pieces, size, n_samples, sampling_frequency_hz)


def _add_pieces(pieces: NDArray[np.bool_], counts: NDArray[np.int32], wanted: int, most: int) -> None:
    """Add at most so many pieces (P,), in place, that hold most of what units lack of the `wanted` spikes."""
    least = np.minimum(counts.sum(axis=1), wanted)
    for _ in range(most):
        lacks = least - counts[:, pieces].sum(axis=1)
        rows = np.flatnonzero(lacks > 0)
        if len(rows) == 0:
            return
        gain = np.minimum(counts[rows], lacks[rows, None]).sum(axis=0)
        gain[pieces] = 0
        pieces[int(gain.argmax())] = True


def filled(
    found: Matched, sample_index: NDArray[np.int64], unit: NDArray[np.int64], measured: NDArray[np.bool_]
) -> Matched:
    """What was found of the measured spikes, with all others (n,) as the nearest of these.

    Gains are as if templates were means of all spikes (`without_own_noise`).
    """
    found = replace(found, gain=without_own_noise(found, np.bincount(unit)))
    return replace(spread(found, sample_index, unit, measured), measured=measured)


def spread(
    found: Matched, sample_index: NDArray[np.int64], unit: NDArray[np.int64], fitted: NDArray[np.bool_]
) -> Matched:
    """What was found of the fitted spikes, with all others (n,) as the nearest of their unit, at their time.

    Those of a unit without a fitted spike have amplitude 1, and a gain of 0.
    """
    row = np.cumsum(fitted) - 1
    like = nearest_measured(sample_index, unit, fitted)
    of, none = row[like], like < 0
    return replace(
        found,
        sample_index=sample_index,
        unit=unit,
        amplitude=np.where(none, np.float32(1), found.amplitude[of]),
        shift_samples=np.where(fitted, found.shift_samples[of], np.float32(0)),
        gain=np.where(none[:, None], np.float32(0), found.gain[of]),
    )


def without_own_noise(found: Matched, n_spikes: NDArray[np.integer]) -> NDArray[np.float32]:
    """Gains (m, J) of measured spikes as if each template were a mean of all spikes of its unit, (K,) many.

    A template that is a mean of n spikes holds a part 1 / n of the noise of each, which adds the energy of a
    spike's noise over n to its product with the template. Of few spikes noise alone looks like a cell.
    """
    from ncpgui.sorting.peeling import AMPLITUDE_SD

    prior = 1 / AMPLITUDE_SD**2
    seen = (found.bank.waveforms != 0).sum(axis=(1, 2))
    measured = np.bincount(found.unit, minlength=found.n_units)
    excess = seen * (1 / np.maximum(measured, 1) - 1 / np.maximum(n_spikes, 1))
    energy = found.bank.grams[found.unit, 0] + prior
    along = np.sqrt(np.maximum(found.gain[:, 0] + prior, 0) * energy) - excess[found.unit]
    gain = found.gain.copy()
    gain[:, 0] = np.maximum(along, 0) ** 2 / energy - prior
    return gain


def nearest_measured(
    sample_index: NDArray[np.integer], unit: NDArray[np.integer], measured: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Row of the measured spike of its unit that is nearest in time, for each spike: (n,); -1 for none.

    sample_index : (n,) not decreasing
    """
    result = np.full(len(unit), -1, np.int64)
    for rows in rows_of_clusters(unit, int(unit.max(initial=-1)) + 1):
        known = rows[measured[rows]]
        if len(known) == 0:
            continue
        right = np.clip(np.searchsorted(known, rows), 0, len(known) - 1)
        left = np.maximum(right - 1, 0)
        times = sample_index[rows]
        closer = times - sample_index[known[left]] < np.abs(sample_index[known[right]] - times)
        result[rows] = known[np.where(closer, left, right)]
    result[measured] = np.flatnonzero(measured)
    return result
