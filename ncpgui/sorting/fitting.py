"""All spikes of a recording fitted together, and then dropped, moved to another unit or joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.ahead import ahead
from ncpgui.core.motion import Places
from ncpgui.sorting.least_gain import LeastGain
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.moving_templates import MovingBank, MovingSums
from ncpgui.sorting.template_distance import likeness
from ncpgui.sorting.templates import MIN_SPIKES

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording


GHOST_SHARE = 0.5
GHOST_AMPLITUDE = 0.4
MOVE_GAIN = 6.0
SAME_SPIKE_MS = 0.3
PIECE_S, PIECE_BYTES = 10.0, 80 << 20
"""Traces that are fitted at a time, at most: they are gone through several times."""
MARGIN_MS = 20.0
MAX_LAG_MS = 0.5
N_LAID = 1000
"""Times at which templates are laid over what is left, to measure the noise of gains."""


def without_ghosts(matched: Matched, least_gain: LeastGain) -> Matched:
    """Drop spikes that do not save enough of the squared error beside the others."""
    if matched.n_units == 0:
        return matched
    least = least_gain.of(matched.moving.waveforms)[matched.places.of(matched.sample_index), matched.unit]
    return matched.of((matched.gain[:, 0] > GHOST_SHARE * least) & (matched.amplitude > GHOST_AMPLITUDE))


def moved(matched: Matched, rate: float) -> Matched:
    """Move spikes to the template that explains them best, of those that spikes were found with.

    A template with hardly a spike of its own goes (`pruned`), and what had moved to it would go with it.
    """
    n_spikes = np.bincount(matched.unit, minlength=matched.n_units)
    others = matched.like.candidates[matched.unit]
    gain = np.where(np.append(n_spikes, 0)[others] >= MIN_SPIKES, matched.gain, -np.inf)
    gain[:, 0] = matched.gain[:, 0]
    rows, best = np.arange(len(gain)), gain.argmax(axis=1)
    best = np.where(gain[rows, best] > gain[:, 0] + MOVE_GAIN, best, 0)
    to = others[rows, best]
    later = matched.like.lag[matched.unit, to]
    return _in_order(replace(matched, unit=to, sample_index=matched.sample_index + later), rate)


def together(matched: Matched, partner: NDArray[np.int64], rate: float) -> Matched:
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
    traces: BaseRecording,
    spikes: NDArray[np.int64],
    units: NDArray[np.int64],
    bank: MovingBank,
    places: Places,
    least_gain: LeastGain,
    *,
    with_noise: bool = True,
    with_sums: bool = True,
    stretches: NDArray[np.integer] | None = None,
) -> tuple[Matched, MovingSums]:
    """Fit all spikes together, piece by piece, and sum the cleaned waveforms of each unit at each place.

    Spikes whose template passes an end of the recording are left out, and those outside `stretches` (m, 2) of
    it, where they are given. What noise does to gains is measured `with_noise`; it counts as white otherwise.
    The sums are of no place where nobody needs them (`with_sums`).
    """
    from ncpgui.ephys.by_channel import read_by_channel
    from ncpgui.sorting.gain_noise import LaidTemplates
    from ncpgui.sorting.peeling import Fits, peel

    rate, n_samples = traces.sampling_frequency, traces.get_num_samples()
    n_times = bank.waveforms.shape[2]
    max_lag = round(MAX_LAG_MS * rate / 1000)
    like = likeness(bank.side_by_side, max_lag=max_lag)
    inside_of = np.array([[0, n_samples]]) if stretches is None else np.asarray(stretches, np.int64)
    start = spikes - bank.n_before - max_lag
    inside = within(start, start + n_times + 2 * max_lag, inside_of)
    spikes, units = spikes[inside], units[inside]
    amplitude, shift = np.zeros(len(spikes), np.float32), np.zeros(len(spikes), np.float32)
    gain = np.zeros((len(spikes), like.candidates.shape[1]), np.float32)
    sums = MovingSums.none_yet(bank, traces.get_channel_locations()) if with_sums else MovingSums([])
    laid = LaidTemplates(bank.usual, like.candidates, like.candidate_lags)
    usual = int(bank.share.argmax())
    every = max(1, int(np.diff(inside_of, axis=1).sum()) // N_LAID)
    looked = np.concatenate(
        [np.arange(low + max_lag, high - n_times - max_lag - 1, every) for low, high in inside_of.tolist()]
    )
    margin = round(MARGIN_MS * rate / 1000)

    def peeled(piece: _Piece) -> tuple[_Piece, int, slice, NDArray[np.float32], Fits]:
        rows = slice(*np.searchsorted(spikes, [piece.first - margin, piece.last + margin]))
        begin = max(piece.begins, piece.first - margin - n_times - max_lag)
        end = min(piece.ends, piece.last + margin + n_times + max_lag)
        left = read_by_channel(traces, begin, end)
        first, its_bank = spikes[rows] - bank.n_before - begin, bank.banks[piece.place]
        fits = peel(left, first, units[rows], its_bank, like.candidates, like.candidate_lags)
        return piece, begin, rows, left, fits

    pieces = _pieces(places, piece_samples(traces), inside_of)
    with_spikes = (one for one in pieces if len(set(np.searchsorted(spikes, [one.first, one.last]))) > 1)
    for piece, begin, around, left, fits in ahead(peeled, with_spikes):
        own = slice(*np.searchsorted(spikes, [piece.first, piece.last]))
        those = slice(own.start - around.start, own.stop - around.start)
        amplitude[own], shift[own] = fits.amplitude[those], fits.shift_samples[those]
        gain[own] = fits.gain[those]
        if with_sums:
            sums.of_place[piece.place].add(
                left,
                spikes[own] - bank.n_before - begin,
                units[own],
                amplitude[own],
                shift[own],
                bank.banks[piece.place],
            )
        if with_noise and piece.place == usual:
            laid.add(left, looked[(looked >= piece.first) & (looked < piece.last)] - begin)
    noise = laid.measured(rate)
    matched = Matched(
        spikes,
        units,
        amplitude,
        shift,
        gain,
        bank,
        places,
        like,
        noise,
        least_gain.of(bank.usual.waveforms),
        least_gain.level_of(bank.usual.waveforms),
    )
    return matched, sums


def piece_samples(traces: BaseRecording) -> int:
    """Samples of a piece."""
    by_memory = PIECE_BYTES // (4 * traces.get_num_channels())
    return min(round(PIECE_S * traces.sampling_frequency), max(by_memory, round(traces.sampling_frequency)))


def within(
    first: NDArray[np.integer], last: NDArray[np.integer], stretches: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Whether samples from `first` up to `last` (n,) lie in one of the stretches (m, 2), in order."""
    row = np.searchsorted(stretches[:, 0], first, side="right") - 1
    return np.asarray((row >= 0) & (last <= stretches[np.maximum(row, 0), 1]))


class _Piece(NamedTuple):
    """Samples of the traces at a place: the first, and the one after the last; those of their stretch."""

    first: int
    last: int
    place: int
    begins: int
    ends: int


def _pieces(places: Places, step: int, stretches: NDArray[np.int64]) -> Iterator[_Piece]:
    """Pieces of at most `step` samples."""
    for (first, last), place in zip(places.stretches.tolist(), places.place.tolist(), strict=True):
        from_, to = np.searchsorted(stretches[:, 1], first, "right"), np.searchsorted(stretches[:, 0], last)
        for low, high in stretches[from_:to].tolist():
            for begin in range(max(first, low), min(last, high), step):
                yield _Piece(begin, min(begin + step, last, high), place, low, high)
