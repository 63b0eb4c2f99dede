"""Gains that noise gives: of a template where there is no spike, and of its rivals where there is one.

`peel` leaves traces without spikes. Their noise is white between channels but not in time, so that what
likelihoods of white noise say is wrong by a factor that differs between templates. Here it is measured: the
templates are laid over what is left at many times that know nothing of spikes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.loops import compiled
from ncpgui.sorting.peeling import AMPLITUDE_SD, SHIFT_SD, TemplateBank, dots, slope_of

MIN_SD = 1e-3


@dataclass(frozen=True)
class GainNoise:
    """What noise does to the gains of K templates and their J candidates (`sorting.template_distance`).

    sd : (K,) of a template of length 1 laid over the noise; 1 for white noise
    peaks_hz : (K,) how often its value rises through its mean
    lead, lead_sd : (K, J) mean and sd of the gain of the own template less that of the candidate, where a
        spike of the own template lies in noise
    """

    sd: NDArray[np.float64]
    peaks_hz: NDArray[np.float64]
    lead: NDArray[np.float64]
    lead_sd: NDArray[np.float64]


class LaidTemplates:
    """Collects templates laid over what is left of traces, stretch by stretch."""

    def __init__(
        self, bank: TemplateBank, candidates: NDArray[np.integer], lags: NDArray[np.integer]
    ) -> None:
        self._bank = bank
        self._candidates = np.ascontiguousarray(candidates, np.int64)
        self._lags = np.ascontiguousarray(lags, np.int64)
        self._values: list[NDArray[np.float32]] = []

    def add(self, left: NDArray[np.float32], first: NDArray[np.integer]) -> None:
        """Lay all templates at samples `first` (m,) of traces (C, n); all windows, with lags, lie inside."""
        self._values.append(
            _laid(
                left,
                np.ascontiguousarray(first, np.int64),
                self._bank.seen,
                self._bank.waveforms.shape[1],
                self._candidates,
                self._lags,
            )
        )

    def measured(self, sampling_frequency_hz: float) -> GainNoise:
        """What all of them say; for a template that was never laid, noise of sd 1."""
        bank, lags = self._bank, self._lags
        n_units = len(bank.waveforms)
        if not self._values or not n_units:
            nothing = np.zeros(self._candidates.shape)
            return GainNoise(np.ones(n_units), np.zeros(n_units), nothing, nothing)
        values = np.concatenate(self._values)
        length = np.sqrt(np.maximum(bank.grams[:, 0], 1e-12))
        along = values[:, :, 0, 0] / length
        rate = (values[:, :, 0, 2] - values[:, :, 0, 0]) / length * sampling_frequency_hz
        sd = np.maximum(np.sqrt((along**2).mean(axis=0)), MIN_SD)
        peaks_hz = np.sqrt((rate**2).mean(axis=0)) / sd / (2 * np.pi)
        lead, lead_sd = np.zeros(self._candidates.shape), np.zeros(self._candidates.shape)
        for unit in range(n_units):
            own = bank.waveforms[unit]
            gains = []
            for place, other in enumerate(self._candidates[unit]):
                if other < 0:
                    continue
                on = np.flatnonzero(bank.waveforms[other].any(axis=0))
                wave, there = bank.waveforms[other][:, on], _later(own[:, on], -int(lags[unit, place]))
                planted = values[:, unit, place, :2] + [(there * wave).sum(), (there * slope_of(wave)).sum()]
                gains.append(gain_of(planted[:, 0], planted[:, 1], bank.grams[other]))
                lead[unit, place] = (gains[0] - gains[-1]).mean()
                lead_sd[unit, place] = (gains[0] - gains[-1]).std()
        return GainNoise(sd, peaks_hz, lead, lead_sd)


def gain_of(
    dot: NDArray[np.floating], dot_slope: NDArray[np.floating], gram: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Gain of a template from its products with a waveform, best amplitude and shift under their priors."""
    pa, pb = 1 / AMPLITUDE_SD**2, 1 / SHIFT_SD**2
    aa, ab, bb = gram[0] + pa, gram[1], gram[2] + pb
    ya, yb = np.asarray(dot, np.float64) + pa, np.asarray(dot_slope, np.float64)
    return np.asarray((ya**2 * bb - 2 * ya * yb * ab + yb**2 * aa) / (aa * bb - ab * ab) - pa)


def _later(waveform: NDArray[np.float32], samples: int) -> NDArray[np.float32]:
    """The waveform (T, C) so many samples later, zero where nothing is known."""
    result = np.zeros_like(waveform)
    if samples >= 0:
        result[samples:] = waveform[: len(waveform) - samples]
    else:
        result[:samples] = waveform[-samples:]
    return result


@compiled()
def _laid(left, first, seen, n_times, candidates, lags):  # type: ignore[no-untyped-def]
    n_units, n_candidates = candidates.shape
    result = np.zeros((len(first), n_units, n_candidates, 3), np.float32)
    for m in range(len(first)):
        for unit in range(n_units):
            for place in range(n_candidates):
                k = candidates[unit, place]
                if k < 0:
                    continue
                start = first[m] + lags[unit, place]
                result[m, unit, place, 0], result[m, unit, place, 1] = dots(left, start, seen, n_times, k)
                if place == 0:
                    result[m, unit, place, 2] = dots(left, start + 1, seen, n_times, k)[0]
    return result
