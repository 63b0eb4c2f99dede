"""The matcher "wobble" of SpikeInterface, its objective computed with fewer Fourier transforms.

The objective is the product of traces and templates at each lag. Templates are sums of a few ranks (a filter
over channels times a course in time). SpikeInterface convolves each rank apart and sums what comes out; here
ranks are summed as spectra, so that one inverse transform does for a template, and spectra of templates are
kept. What is found is the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from spikeinterface.sortingcomponents.matching.base import _base_matching_dtype
from spikeinterface.sortingcomponents.matching.wobble import WobbleMatch

MIN_BLOCK = 512
"""Samples of a transform, at least; four times as many as a template has, where that is more."""
UNITS_AT_ONCE = 16


class Wobble(WobbleMatch):  # type: ignore[misc]
    """`WobbleMatch` with a faster `objective`; use it with the engine "numpy"."""

    def compute_matching(
        self, traces: NDArray[np.float32], start_frame: int, end_frame: int, segment_index: int
    ) -> NDArray[np.void]:
        """Spikes in a stretch of traces (n_samples, C), as SpikeInterface's matchers return them."""
        settings, data, about = self.params, self.template_data, self.template_meta
        objective = self.objective(traces)
        gain = 2 * objective - data.norm_squared[:, np.newaxis]
        found: list[NDArray[Any]] = []
        for _ in range(settings.max_iter):
            before = np.concatenate(found) if found else np.zeros(0)
            spikes, scale, _ = self.find_peaks(objective, gain, before, settings, data, about)
            if len(spikes) == 0:
                break
            found.append(spikes)
            objective, gain = self.subtract_spike_train(
                spikes, scale, data, objective, gain, settings, about, self.sparsity
            )
        if not found:
            return np.zeros(0, dtype=_base_matching_dtype)
        train = np.concatenate(found)
        train = train[np.argsort(train[:, 0])]
        result = np.zeros(len(train), dtype=_base_matching_dtype)
        result["sample_index"] = train[:, 0] + self.nbefore
        result["cluster_index"] = train[:, 1] // settings.jitter_factor
        height = np.abs(traces[result["sample_index"]])
        result["channel_index"] = height.argmax(axis=1)
        result["amplitude"] = height.max(axis=1)
        return result

    def objective(self, traces: NDArray[np.float32]) -> NDArray[np.float32]:
        """Product of traces (n_samples, C) and each of K templates: (K, n_samples + T - 1)."""
        temporal, singular, spatial, _ = self.template_data.compressed_templates
        n_ranks, n_units, n_times = temporal.shape
        n_samples, block = len(traces), self._block
        step = block - n_times + 1
        n_blocks = -(-(n_samples + n_times - 1) // step)
        result = np.empty((n_units, n_samples + n_times - 1), np.float32)
        for first in range(0, n_units, UNITS_AT_ONCE):
            rows = slice(first, first + UNITS_AT_ONCE)
            n_rows = singular[:, rows].shape[1]
            filters = (spatial[:, rows] * singular[:, rows]).reshape(n_ranks * n_rows, -1)
            over_channels = (filters @ traces.T).reshape(n_ranks, n_rows, n_samples)
            cut = np.zeros((n_ranks, n_rows, n_blocks * step), np.float32)
            cut[:, :, :n_samples] = over_channels
            spectra = fft.rfft(cut.reshape(n_ranks, n_rows, n_blocks, step), block, axis=3)
            spectra *= self._spectra[:, rows, None]
            pieces = fft.irfft(spectra.sum(axis=0), block, axis=2)
            whole = np.zeros((n_rows, (n_blocks + 1) * step), np.float32)
            whole[:, : n_blocks * step] = pieces[:, :, :step].reshape(n_rows, -1)
            tails = whole[:, step:].reshape(n_rows, n_blocks, step)
            tails[:, :, : block - step] += pieces[:, :, step:]
            result[rows] = whole[:, : result.shape[1]]
        return result

    @cached_property
    def _block(self) -> int:
        n_times = self.template_data.compressed_templates[0].shape[2]
        return max(MIN_BLOCK, 1 << int(np.ceil(np.log2(4 * n_times))))

    @cached_property
    def _spectra(self) -> NDArray[np.complex64]:
        return np.asarray(fft.rfft(self.template_data.compressed_templates[0], self._block, axis=2))
