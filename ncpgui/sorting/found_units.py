"""What matching found, in the filtered traces: units on their contacts, spikes at their troughs."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.left_out import MIN_RATE_HZ, LeftOut
from ncpgui.core.spikes import SpikeEvents
from ncpgui.sorting.chance_spikes import fit_none
from ncpgui.sorting.lost_spikes import lost_share
from ncpgui.sorting.neuron_probability import p_neuron_of_spikes
from ncpgui.sorting.noise_likeness import noise_likeness
from ncpgui.sorting.spike_probability import spike_probability

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed
    from ncpgui.sorting.alike_from_places import AlikePlaces
    from ncpgui.sorting.cleaned_waveforms import ExplainedSpikes
    from ncpgui.sorting.matched import Matched

log = logging.getLogger(__name__)

NEAR_TROUGH_MS = 0.5
SEEN_SHARE = 0.3
"""A contact that sees this part of a unit's depth tells when its spikes are deepest there."""
MIN_SPAN_SD = 0.05
"""Filtered templates are zero on channels where they span less."""


@dataclass(frozen=True)
class FoundUnits:
    """Units in order of their main channel, and their spikes in order of time.

    matched : units and spikes, times at the trough on the main channel
    explained : the same spikes as multiples of templates in the filtered traces
    probability : (n,) float32, P(the spike is of its unit and not of one like it)
    main_channel : (K,) int64, where each unit is deepest
    depth_sd : (K, n_channels) float32, trough (main peak) of each template on each channel, noise sd, > 0
    p_neuron : (n,) float32, P(the unit of each spike is one or more cells, and the spike not what is left of
        one of another unit)
    lost : (K,) float64, expected share of each cell's spikes that were not found; None where that is unknown
    trough : (K, n_channels) int64, samples after a spike's time at which it is deepest on each channel
    left_out : units that matching had and these are without
    alike : which units have a cell in common, where tissue moved and they may not follow it
    """

    matched: Matched
    explained: ExplainedSpikes
    probability: NDArray[np.float32]
    main_channel: NDArray[np.int64]
    depth_sd: NDArray[np.float32]
    p_neuron: NDArray[np.float32]
    lost: NDArray[np.float64] | None
    trough: NDArray[np.int64]
    sampling_frequency_hz: float
    n_samples: int
    left_out: LeftOut = field(default_factory=LeftOut)
    alike: AlikePlaces | None = None

    @property
    def n_units(self) -> int:
        """Number of units K."""
        return len(self.main_channel)

    @property
    def unit(self) -> NDArray[np.int64]:
        """Unit of each spike: (n,)."""
        return self.matched.unit

    def spike_events(self) -> SpikeEvents:
        """The spikes on the main channels of their units, with the amplitudes that were fitted."""
        depth = self.depth_sd[np.arange(self.n_units), self.main_channel]
        return SpikeEvents(
            sample_index=self.matched.sample_index,
            channel=self.main_channel[self.unit].astype(np.int32),
            amplitude=np.where(self.explained.is_positive, 1, -1)[self.unit]
            * self.matched.amplitude
            * depth[self.unit],
            sampling_frequency_hz=self.sampling_frequency_hz,
            n_samples=self.n_samples,
        )


def found_units(pre: Preprocessed, matched: Matched, *, peak_sign: str = "neg") -> FoundUnits:
    """Take what matching found back to the filtered traces, without units that hardly fire or are noise.

    peak_sign : as of `SortingConfig`; the main peak of "both" is the larger one
    """
    from ncpgui.sorting.cleaned_waveforms import ExplainedSpikes

    rate = pre.sampling_frequency_hz
    duration_s = pre.n_samples / rate
    none = fit_none(matched, duration_s=duration_s)
    probability = spike_probability(matched, none)
    lost = lost_share(matched, none)
    n_spikes = np.bincount(matched.unit, minlength=matched.n_units)
    everywhere = np.stack([pre.unwhitened(bank.waveforms) for bank in matched.moving.banks])
    usual = int(matched.moving.share.argmax())
    waveforms = everywhere[usual]
    likeness = noise_likeness(pre, waveforms, n_spikes)
    p_neuron = p_neuron_of_spikes(
        matched, none, duration_s=duration_s, sampling_frequency_hz=rate, nats=likeness.nats
    )
    is_positive = point_up(waveforms, peak_sign)
    upward = np.where(is_positive, np.float32(-1), np.float32(1))[:, None, None]
    main = (upward * waveforms).min(axis=1).argmin(axis=1)
    often = n_spikes >= max(1, MIN_RATE_HZ * pre.n_samples / rate)
    p_of_unit = np.zeros(matched.n_units)
    np.maximum.at(p_of_unit, matched.unit, p_neuron)
    is_noise = often & likeness.are_noise(p_of_unit)
    is_rare = ~often & (n_spikes > 0)
    left_out = LeftOut(
        faint=matched.n_faint,
        like_noise=int(is_noise.sum()),
        like_noise_spikes=int(n_spikes[is_noise].sum()),
        rare=int(is_rare.sum()),
        rare_spikes=int(n_spikes[is_rare].sum()),
    )
    for sentence in left_out.sentences:
        log.info("%s", sentence)
    is_kept = often & ~is_noise
    kept = np.flatnonzero(is_kept)
    kept = kept[np.lexsort((-n_spikes[kept], main[kept]))]
    spikes = is_kept[matched.unit]
    matched, probability = matched.of(spikes).with_units(kept), probability[spikes]
    p_neuron = p_neuron[spikes]
    main, upward, is_positive, everywhere = main[kept], upward[kept], is_positive[kept], everywhere[:, kept]
    everywhere *= (np.ptp(everywhere, axis=2) >= MIN_SPAN_SD)[:, :, None]
    waveforms = everywhere[usual]

    n_before = matched.bank.n_before
    late = (upward * waveforms)[np.arange(len(kept)), :, main].argmin(axis=1) - n_before
    for unit, by in enumerate(late):
        everywhere[:, unit] = earlier(everywhere[:, unit], int(by))
    place = matched.places.of(matched.sample_index)
    times = np.clip(matched.sample_index + late[matched.unit], 0, pre.n_samples - 1)
    order = np.lexsort((matched.unit, times))
    matched = replace(matched, sample_index=times).of(order)
    depth, trough = troughs(upward * waveforms, n_before, round(NEAR_TROUGH_MS * rate / 1000))
    return FoundUnits(
        matched=matched,
        explained=ExplainedSpikes.of(matched, place[order], everywhere, is_positive),
        probability=probability[order],
        main_channel=main.astype(np.int64),
        depth_sd=depth,
        p_neuron=p_neuron[order],
        lost=lost[kept],
        trough=trough,
        sampling_frequency_hz=rate,
        n_samples=pre.n_samples,
        left_out=left_out,
    )


def point_up(waveforms: NDArray[np.float32], peak_sign: str) -> NDArray[np.bool_]:
    """Whether the main peak of each template (K, T, C) is positive: (K,), by size if both are looked for."""
    if peak_sign != "both":
        return np.full(len(waveforms), peak_sign == "pos")
    low, high = waveforms.min(axis=(1, 2), initial=0), waveforms.max(axis=(1, 2), initial=0)
    return np.asarray(high > -low)


def earlier(waveforms: NDArray[np.float32], by: int) -> NDArray[np.float32]:
    """Templates (..., T, C) that come so many samples earlier, zero where they are not known."""
    result = np.zeros_like(waveforms)
    n = waveforms.shape[-2]
    result[..., max(0, -by) : n - max(0, by), :] = waveforms[..., max(0, by) : n - max(0, -by), :]
    return result


def troughs(
    waveforms: NDArray[np.float32], n_before: int, reach: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Depth of each template on each channel near its own trough, and how much later it is: (K, C) both."""
    first = max(0, n_before - reach)
    near = waveforms[:, first : n_before + reach + 1]
    depth = np.maximum(-near.min(axis=1), 0)
    seen = depth >= SEEN_SHARE * depth.max(axis=1, keepdims=True, initial=0)
    return depth, np.where(seen, near.argmin(axis=1) + first - n_before, 0)
