"""Units of a whole recording: templates of proposed units, found again everywhere, cleaned, and joined.

Proposals come from the channels, one by one; they may be too many. One round is:

1. *Templates* are means of the whitened traces around the spikes of each unit, on the channels where they
   are seen.
2. *Matching* finds the spikes of all templates at once, in collisions and under the threshold too.
3. *Fitting* takes all spikes out of the traces together (`ephys.peeling`). A spike whose own part of the
   traces does not pay for it is dropped; one that another template explains better moves there.
4. *Joining*: two units whose spikes cannot be told apart are one (`one_neuron`).

Templates of the next round are means of cleaned waveforms, so that a collision spoils no template.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.progress import Progress, portion, silent
from ncpgui.sorting.one_neuron import joined
from ncpgui.sorting.template_distance import Likeness, likeness

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

    from ncpgui.ephys.peeling import CleanedSums, TemplateBank
    from ncpgui.ephys.preprocessing import Preprocessed

BEFORE_MS = 1.0
AFTER_MS = 2.5
TEMPLATE_RADIUS_UM = 100.0
SEEN_SD = 1.0
"""A template is seen on channels where it spans more than this, in noise sd."""
MIN_SPAN_SD = 3.5
"""Templates that span less on their largest channel are not looked for."""
GAIN_A_HZ = 1.5e-3
"""Squared error that a spike must save, for each Hz of the sampling frequency (30 at 20 kHz)."""
GHOST_SHARE = 0.5
GHOST_AMPLITUDE = 0.4
MOVE_GAIN = 6.0
SAME_SPIKE_MS = 0.3
MIN_SPIKES = 10
N_ROUNDS = 2
MAX_JOINS = 8
PIECE_S = 10.0
MARGIN_MS = 20.0
MAX_LAG_MS = 0.5


@dataclass(frozen=True)
class Matched:
    """Units of a recording and their spikes, in order of time.

    sample_index, unit : (n,) int64; units are rows of the bank
    amplitude : (n,) float32, relative to the template
    gain : (n, J) float32, squared error that each candidate saves on the cleaned spike; its own one first
    bank, like : templates, and which are candidates for the spikes of each
    """

    sample_index: NDArray[np.int64]
    unit: NDArray[np.int64]
    amplitude: NDArray[np.float32]
    gain: NDArray[np.float32]
    bank: TemplateBank
    like: Likeness

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.bank.waveforms)

    def of(self, rows: NDArray[np.bool_]) -> Matched:
        """Only the spikes of `rows`."""
        return replace(
            self,
            sample_index=self.sample_index[rows],
            unit=self.unit[rows],
            amplitude=self.amplitude[rows],
            gain=self.gain[rows],
        )


def match_units(
    pre: Preprocessed,
    sample_index: NDArray[np.integer],
    unit: NDArray[np.integer],
    *,
    n_rounds: int = N_ROUNDS,
    n_jobs: int = 1,
    progress: Progress = silent,
) -> Matched:
    """Find the spikes of proposed units in the whole recording.

    Parameters
    ----------
    sample_index, unit : (n,) spikes of the proposals; -1 belongs to none
    n_jobs : pieces of traces matched at a time; the result is the same with any
    """
    from ncpgui.ephys.spikeinterface_adapter import find_spikes, whitened

    traces = whitened(pre)
    spikes = np.asarray(sample_index, np.int64)[np.asarray(unit) >= 0]
    units = np.asarray(unit, np.int64)[np.asarray(unit) >= 0]
    matched: Matched | None = None
    for number in range(n_rounds):
        report = portion(progress, number, number + 1, n_rounds)
        report(0, 3, "matching templates")
        if matched is None:
            bank, units = templates_of(traces, spikes, units)
        else:
            bank = matched.bank
        threshold = GAIN_A_HZ * traces.sampling_frequency
        spikes, units = find_spikes(
            traces, bank.waveforms, n_before=bank.n_before, threshold=threshold, n_jobs=n_jobs
        )
        report(1, 3, "joining units")
        matched = _cleaned(traces, spikes, units, bank, threshold)
        spikes, units = matched.sample_index, matched.unit
    assert matched is not None
    progress(1, 1, f"{matched.n_units} units")
    return matched


def templates_of(
    traces: BaseRecording, spikes: NDArray[np.int64], units: NDArray[np.int64]
) -> tuple[TemplateBank, NDArray[np.int64]]:
    """Templates of units as their spikes are in the traces; the units of spikes are rows of the bank."""
    from ncpgui.ephys.peeling import TemplateBank
    from ncpgui.ephys.spikeinterface_adapter import mean_waveforms

    rate = traces.sampling_frequency
    before, after = round(BEFORE_MS * rate / 1000), round(AFTER_MS * rate / 1000)
    means = mean_waveforms(
        traces, spikes, units, n_units=int(units.max(initial=-1)) + 1, n_before=before, n_after=after
    )
    return _pruned(TemplateBank(means, before), units, traces.get_channel_locations())


def _pruned(
    bank: TemplateBank, units: NDArray[np.int64], places_um: NDArray[np.float64]
) -> tuple[TemplateBank, NDArray[np.int64]]:
    """Templates where they are seen; those that are not seen go, with their spikes (unit -1)."""
    span = np.ptp(bank.waveforms, axis=1)
    main = span.argmax(axis=1)
    near = np.linalg.norm(places_um[main][:, None] - places_um[None], axis=2) <= TEMPLATE_RADIUS_UM
    seen = near & (span > SEEN_SD)
    kept = (span.max(axis=1) >= MIN_SPAN_SD) & (
        np.bincount(units[units >= 0], minlength=len(span)) >= MIN_SPIKES
    )
    row = np.where(kept, np.cumsum(kept) - 1, -1)
    waveforms = (bank.waveforms * seen[:, None])[kept]
    return replace(bank, waveforms=waveforms), np.where(units >= 0, row[units], -1)


def _cleaned(
    traces: BaseRecording,
    spikes: NDArray[np.int64],
    units: NDArray[np.int64],
    bank: TemplateBank,
    threshold: float,
) -> Matched:
    """Fit the spikes together, drop what is none, move what is of another unit, and join units."""
    rate = traces.sampling_frequency
    places_um = traces.get_channel_locations()
    matched, sums = fitted(traces, spikes, units, bank)
    if matched.n_units == 0:
        return matched
    matched = _moved(_without_ghosts(matched, threshold), rate)
    for _ in range(MAX_JOINS):
        bank, units = _pruned(replace(bank, waveforms=sums.means()), matched.unit, places_um)
        matched, sums = fitted(traces, matched.sample_index[units >= 0], units[units >= 0], bank)
        matched = _without_ghosts(matched, threshold)
        partner = joined(matched, sampling_frequency_hz=rate)
        if (partner == np.arange(matched.n_units)).all():
            break
        sums = _summed(sums, partner, matched.like)
        matched = _together(matched, partner, rate)
    return replace(matched, bank=replace(bank, waveforms=sums.means() * (bank.waveforms != 0)))


def _summed(sums: CleanedSums, partner: NDArray[np.int64], like: Likeness) -> CleanedSums:
    """Sums of joined units, each at its partner's time; zero for those that are gone."""
    from ncpgui.ephys.peeling import CleanedSums

    result = CleanedSums(np.zeros_like(sums.waveforms), np.zeros_like(sums.amplitude))
    for unit, other in enumerate(partner):
        earlier = np.roll(sums.waveforms[unit], like.lag[other, unit], axis=0)
        result.waveforms[other] += earlier
        result.amplitude[other] += sums.amplitude[unit]
    return result


def _without_ghosts(matched: Matched, threshold: float) -> Matched:
    """Drop spikes that do not save enough of the squared error beside the others."""
    return matched.of((matched.gain[:, 0] > GHOST_SHARE * threshold) & (matched.amplitude > GHOST_AMPLITUDE))


def _moved(matched: Matched, rate: float) -> Matched:
    """Move spikes to the template that explains them best."""
    best = matched.gain.argmax(axis=1)
    rows = np.arange(len(best))
    best = np.where(matched.gain[rows, best] > matched.gain[:, 0] + MOVE_GAIN, best, 0)
    to = matched.like.candidates[matched.unit, best]
    later = matched.like.lag[matched.unit, to]
    return _in_order(replace(matched, unit=to, sample_index=matched.sample_index + later), rate)


def _together(matched: Matched, partner: NDArray[np.int64], rate: float) -> Matched:
    """Give the spikes of each unit to its partner, at the partner's time."""
    lag = matched.like.lag[partner, np.arange(len(partner))]  # by which the unit's template begins later
    moved = replace(
        matched, unit=partner[matched.unit], sample_index=matched.sample_index - lag[matched.unit]
    )
    return _in_order(moved, rate)


def _in_order(matched: Matched, rate: float) -> Matched:
    """Sort by time; of two spikes of a unit at one time, the first stays."""
    order = np.lexsort((matched.sample_index, matched.unit))
    close = np.diff(matched.sample_index[order]) < SAME_SPIKE_MS * rate / 1000
    again = np.append(False, close & (np.diff(matched.unit[order]) == 0))
    order = order[~again]
    order = order[np.lexsort((matched.unit[order], matched.sample_index[order]))]
    return matched.of(order)


def fitted(
    traces: BaseRecording, spikes: NDArray[np.int64], units: NDArray[np.int64], bank: TemplateBank
) -> tuple[Matched, CleanedSums]:
    """Fit all spikes together, piece by piece, and sum the cleaned waveforms of each unit.

    Spikes whose template passes an end of the recording are left out.
    """
    from ncpgui.ephys.peeling import CleanedSums, peel

    rate, n_samples = traces.sampling_frequency, traces.get_num_samples()
    n_times = bank.waveforms.shape[1]
    max_lag = round(MAX_LAG_MS * rate / 1000)
    like = likeness(bank.waveforms, max_lag=max_lag)
    start = spikes - bank.n_before
    inside = (start >= max_lag) & (start + n_times + max_lag <= n_samples)
    spikes, units = spikes[inside], units[inside]
    amplitude = np.zeros(len(spikes), np.float32)
    gain = np.zeros((len(spikes), like.candidates.shape[1]), np.float32)
    sums = CleanedSums.none_yet(bank)
    step, margin = round(PIECE_S * rate), round(MARGIN_MS * rate / 1000)
    for first in range(0, n_samples, step):
        low, high = np.searchsorted(spikes, [first - margin, first + step + margin])
        own = (spikes[low:high] >= first) & (spikes[low:high] < first + step)
        if not own.any():
            continue
        begin = max(0, first - margin - n_times - max_lag)
        end = min(n_samples, first + step + margin + n_times + max_lag)
        fits = peel(
            np.ascontiguousarray(traces.get_traces(start_frame=begin, end_frame=end), np.float32),
            spikes[low:high] - bank.n_before - begin,
            units[low:high],
            bank,
            like.candidates,
            like.candidate_lags,
            counted=own,
            sums=sums,
        )
        rows = np.arange(low, high)[own]
        amplitude[rows], gain[rows] = fits.amplitude[own], fits.gain[own]
    return Matched(spikes, units, amplitude, gain, bank, like), sums
