"""Waveforms of spikes with every other spike taken out of the traces, as the networks see them.

Matching says which spikes there are, of which template, how large and by how much of a sample late
(`sorting.peeling`). Taken out of the filtered traces together they leave noise; a spike's own part put back
on it is its cleaned waveform, which is then cut and resampled as any other (`ephys.waveforms`). Where tissue
moved, what is put back is the part that it would have at one place: networks know nothing of the motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.loops import compiled
from ncpgui.core.progress import Progress, silent
from ncpgui.ephys.by_channel import by_channel
from ncpgui.ephys.waveforms import cut_plan, piece_by_piece, resampled
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.peeling import TemplateBank, add

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


@dataclass(frozen=True)
class ExplainedSpikes:
    """All spikes of a recording as multiples of templates, in order of time.

    sample_index, row : (n,) int64, the sample `bank.n_before` after the template's first; row of the bank
    amplitude, shift_samples : (n,) float32: the spike is amplitude * template + shift * slope
    bank : templates in the filtered traces, noise sd, on all channels of the probe
    is_positive : (K,) whether the main peak of a template is positive
    shown : (n,) int64, row of the template that its waveform is shown with, where tissue moved: as it would
        be at one place, so that spikes of a neuron look alike; `row` when None
    """

    sample_index: NDArray[np.int64]
    row: NDArray[np.int64]
    amplitude: NDArray[np.float32]
    shift_samples: NDArray[np.float32]
    bank: TemplateBank
    is_positive: NDArray[np.bool_]
    shown: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        matched: Matched,
        place: NDArray[np.integer],
        templates: NDArray[np.float32],
        is_positive: NDArray[np.bool_],
        shown: NDArray[np.float32] | None = None,
    ) -> ExplainedSpikes:
        """What matching found, fired at places (n,), by filtered templates (P, K, T, C) there.

        Of spikes that were found twice, each is taken out once.

        shown : (P, K, T, C) what spikes of each place are shown with; the templates of their unit where the
            tissue was for most of the time when left out
        """
        n_places, n_units = templates.shape[:2]
        row = place * n_units + matched.unit
        amplitude, bank = matched.amplitude, templates
        if matched.again is not None:
            amplitude = np.where(matched.again < 0, amplitude, np.float32(0))
        if shown is None:
            shown_row = int(matched.moving.share.argmax()) * n_units + matched.unit
        else:
            bank, shown_row = np.concatenate([templates, shown]), n_places * n_units + row
        return cls(
            matched.sample_index,
            row,
            amplitude,
            matched.shift_samples,
            TemplateBank(bank.reshape(-1, *bank.shape[2:]), matched.moving.n_before),
            np.tile(is_positive, len(bank)),
            shown_row,
        )

    def residual(self, pre: Preprocessed, start: int, stop: int) -> NDArray[np.float32]:
        """Filtered traces of samples `start` to `stop` without the spikes; ends repeat outside."""
        left = by_channel(pre.padded_traces(start, stop))
        first = self.sample_index - self.bank.n_before
        low, high = np.searchsorted(first, [start - self.bank.waveforms.shape[1], stop])
        _take_out(
            left,
            first[low:high] - start,
            self.row[low:high],
            self.bank.seen,
            self.bank.waveforms.shape[1],
            self.amplitude[low:high],
            self.shift_samples[low:high],
        )
        return left.T


def iterate_cleaned(
    pre: Preprocessed,
    spikes: ExplainedSpikes,
    rows: NDArray[np.integer],
    trough: NDArray[np.integer],
    group: NDArray[np.integer],
    contacts: Mapping[int, NDArray[np.integer]],
    *,
    progress: Progress = silent,
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.float32]]]:
    """Yield (group, positions in `rows`, cleaned waveforms of those) piece by piece through the recording.

    Parameters
    ----------
    rows : (m,) rows of `spikes` whose waveforms are wanted
    trough : (m,) sample at which each is expected to be deepest on the first contact of its group
    group : (m,) a key of `contacts`; spikes of other groups are skipped
    contacts : group -> (C,) channels of its waveforms; they are aligned on the first
    """
    times = np.clip(np.asarray(trough, dtype=np.int64), 0, pre.n_samples - 1)
    plan = cut_plan(pre.sampling_frequency_hz)
    for chosen, start, stop in piece_by_piece(
        pre, times, group, contacts, doing="cleaning waveforms", progress=progress
    ):
        traces = spikes.residual(pre, start, stop)
        for key in np.unique(group[chosen]):
            members = chosen[group[chosen] == key]
            channels = np.asarray(contacts[int(key)], dtype=np.int64)
            begin = times[members] - plan.before
            windows = traces[:, channels][(begin - start)[:, None] + np.arange(plan.window)]
            own = rows[members]
            shown = (spikes.row if spikes.shown is None else spikes.shown)[own]
            _put_back(
                windows,
                spikes.sample_index[own] - spikes.bank.n_before - begin,
                shown,
                spikes.bank.seen,
                spikes.bank.waveforms.shape[1],
                channels,
                spikes.amplitude[own],
                spikes.shift_samples[own],
            )
            waveforms = resampled(windows, plan, is_positive=spikes.is_positive[shown])
            yield int(key), members, pre.in_white_noise(waveforms, channels)


@compiled()
def _take_out(left, first, unit, seen, n_times, amplitude, shift):  # type: ignore[no-untyped-def]
    for n in range(len(first)):
        add(left, first[n], seen, n_times, unit[n], -amplitude[n], -shift[n])


@compiled()
def _put_back(windows, first, unit, seen, n_times, channels, amplitude, shift):  # type: ignore[no-untyped-def]
    for n in range(len(first)):
        u = unit[n]
        for i in range(len(channels)):
            place = np.searchsorted(seen.channels[u, : seen.n_channels[u]], channels[i])
            if place == seen.n_channels[u] or seen.channels[u, place] != channels[i]:
                continue
            for t in range(max(0, -first[n]), min(n_times, windows.shape[1] - first[n])):
                at = seen.begin[u] + place * n_times + t
                windows[n, first[n] + t, i] += amplitude[n] * seen.waves[at] + shift[n] * seen.slopes[at]
