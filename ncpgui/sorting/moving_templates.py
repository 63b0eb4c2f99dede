"""Templates of units at each place of the tissue: means of the spikes there, helped by those at other places.

The traces stay as they are; templates follow the tissue. Where a unit has fired n times, its mean waveform
has noise of variance 1 / n. The templates of other places, moved along the probe by interpolation between
contacts, have less, and are wrong by what interpolation does: a part `MOVED_ERROR` of their power for a move
of `SCALE_UM` and more. How much of each to believe is *ordinary kriging* over displacement. With one place
this is the mean itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.motion import Places
from ncpgui.core.padded_rows import padded
from ncpgui.ephys.moved_waveforms import Mover
from ncpgui.sorting.peeling import CleanedSums, TemplateBank

SCALE_UM = 8.0
MOVED_ERROR = 0.03
LARGEST = 4
"""Channels on which the power of a template is measured."""
NO_SPIKE = 1e-3
"""Spikes that a place without any counts as, so that its mean has a variance."""
LEAST_WEIGHT = 1e-3
NEAR_UM = 100.0
"""How far from where its template is seen the waveforms of a unit are summed."""


@dataclass(frozen=True)
class MovingBank:
    """Templates of K units at P places.

    waveforms : (P, K, T, C) float32, zero on channels where a template is not seen at a place
    n_before : samples before the one that a spike's time names
    share : (P,) part of the time at each place
    """

    waveforms: NDArray[np.float32]
    n_before: int
    share: NDArray[np.float64]

    @cached_property
    def banks(self) -> tuple[TemplateBank, ...]:
        """The templates of each place."""
        return tuple(TemplateBank(np.ascontiguousarray(one), self.n_before) for one in self.waveforms)

    @property
    def usual(self) -> TemplateBank:
        """The templates where the tissue was for most of the time."""
        return self.banks[int(self.share.argmax())]

    @property
    def side_by_side(self) -> NDArray[np.float32]:
        """Templates of all places as if they were on channels of their own: (K, T, P C).

        Squared distances of these are means over time of those at each place.
        """
        weighted = self.waveforms * np.sqrt(self.share, dtype=np.float32)[:, None, None, None]
        n_places, n_units, n_times, n_channels = weighted.shape
        return weighted.transpose(1, 2, 0, 3).reshape(n_units, n_times, n_places * n_channels)

    @property
    def n_units(self) -> int:
        """Number of units K."""
        return self.waveforms.shape[1]

    def channels_near(self, channels_um: NDArray[np.floating]) -> NDArray[np.int32]:
        """Channels at most `NEAR_UM` from one on which a unit is seen at any place: (K, most), then -1.

        channels_um : (C, 2) where the contacts are
        """
        is_seen = (self.waveforms != 0).any(axis=(0, 2))
        close = np.linalg.norm(channels_um[:, None] - channels_um, axis=2) <= NEAR_UM
        return padded([np.flatnonzero(close[seen].any(axis=0)) for seen in is_seen])


def smoothed(
    means: NDArray[np.float32],
    n_spikes: NDArray[np.floating],
    places: Places,
    channels_um: NDArray[np.floating],
) -> NDArray[np.float32]:
    """Templates at each place from the mean waveforms there: (P, K, T, C), from the same.

    n_spikes : (P, K) that each mean is of; channels_um : (C, 2) where the contacts are
    """
    n_places, n_units = n_spikes.shape
    if n_places == 1:
        return means
    depth_um = depth_of(means, n_spikes, channels_um[:, places.axis])
    result = np.zeros_like(means)
    at_um = places.at_depth(depth_um)
    move = Mover(channels_um, places.axis)
    for unit in range(n_units):
        at, n = at_um[:, unit], n_spikes[:, unit]
        power = MOVED_ERROR * _power(means[:, unit], n)
        for place, weights in enumerate(kriging_weights(at, n, power)):
            for other, weight in enumerate(weights):
                if n[other] > 0 and abs(weight) > LEAST_WEIGHT:
                    moved = move(means[other, unit], at[place] - at[other])
                    result[place, unit] += np.float32(weight) * moved
    return result


def kriging_weights(
    at_um: NDArray[np.floating], n_spikes: NDArray[np.floating], power: float
) -> NDArray[np.float64]:
    """Weight of the mean of each place (columns) in the template of each (rows): (P, P), rows sum to 1.

    power : variance of what moving does to a template's samples; the noise of a spike has variance 1
    """
    gap = at_um[:, None] - at_um[None]
    signal = power * np.exp(-0.5 * (gap / SCALE_UM) ** 2)
    inverse = np.linalg.inv(signal + np.diag(1 / np.maximum(n_spikes, NO_SPIKE)))
    ones = np.ones(len(at_um))
    constant = ones @ inverse / (ones @ inverse @ ones)
    around = np.eye(len(at_um)) - constant[None]
    return np.asarray(constant[None] + signal @ inverse @ around)


def known_best(
    waveforms: NDArray[np.float32], n_spikes: NDArray[np.integer], at_um: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Variance of the template of each unit at each place, by the mean that tells most of it: (P, K).

    That mean is of n spikes at another place, moved from there; the noise of a spike has variance 1.

    waveforms : (P, K, T, C); n_spikes : (P, K); at_um : (P, K) displacement at the depth of each unit
    """
    result = np.empty(n_spikes.shape)
    for unit, (n, at) in enumerate(zip(n_spikes.T, at_um.T, strict=True)):
        power = MOVED_ERROR * _power(waveforms[:, unit], n)
        moved = 2 * power * (1 - np.exp(-0.5 * ((at[:, None] - at[None]) / SCALE_UM) ** 2))
        result[:, unit] = (1 / np.maximum(n, NO_SPIKE)[None] + moved).min(axis=1)
    return result


def _power(means: NDArray[np.float32], n_spikes: NDArray[np.floating]) -> float:
    """Mean square of a unit's template on the channels where it is largest, less that of its noise."""
    share = n_spikes / max(float(n_spikes.sum()), 1e-9)
    by_channel = np.tensordot(share, (means.astype(np.float64) ** 2).mean(axis=1), axes=1)
    largest = np.sort(by_channel)[-LARGEST:]
    noise = float((n_spikes > 0).sum()) / max(float(n_spikes.sum()), 1.0)
    return max(float(largest.mean()) - noise, 1e-6)


@dataclass
class MovingSums:
    """Sums of cleaned waveforms and amplitudes by unit, at each place."""

    of_place: list[CleanedSums]

    @classmethod
    def none_yet(cls, bank: MovingBank, channels_um: NDArray[np.floating]) -> MovingSums:
        """Sums of no spike, on the channels near each unit (`MovingBank.channels_near`)."""
        channels = bank.channels_near(channels_um)
        return cls([CleanedSums.none_yet(one, channels) for one in bank.banks])

    def joined(self, partner: NDArray[np.int64], lag: NDArray[np.int64]) -> MovingSums:
        """Sums of joined units, each at its partner's time; zero for those that are gone."""
        result = [
            CleanedSums(np.zeros_like(s.waveforms), np.zeros_like(s.amplitude), s.channels)
            for s in self.of_place
        ]
        for into, sums in zip(result, self.of_place, strict=True):
            for unit, other in enumerate(partner):
                into.waveforms[other] += np.roll(sums.waveforms[unit], lag[other, unit], axis=1)
                into.amplitude[other] += sums.amplitude[unit]
        return MovingSums(result)

    @property
    def n_spikes(self) -> NDArray[np.float64]:
        """Spikes of each unit at each place, as far as amplitudes count them: (P, K)."""
        return np.stack([sums.amplitude for sums in self.of_place])

    def means(self, places: Places, channels_um: NDArray[np.floating]) -> NDArray[np.float32]:
        """Templates of amplitude 1 at each place: (P, K, T, C)."""
        means = np.stack([sums.means() for sums in self.of_place])
        return smoothed(means, self.n_spikes, places, channels_um)


def depth_of(
    means: NDArray[np.float32], n_spikes: NDArray[np.floating], channel_depth_um: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Depth of the channel where each unit is largest over all places: (K,)."""
    size = np.einsum("pk,pkc->kc", n_spikes, np.ptp(means, axis=2))
    return np.asarray(channel_depth_um, np.float64)[size.argmax(axis=1)]
