"""The method "grid_convolution" of SpikeInterface, places of peaks, with less to look at for each peak.

A peak is compared with what a source at each point of a grid around its channel gives to the contacts nearby.
SpikeInterface looks these up among the points and contacts of the whole probe, for each channel in each piece
of the traces. Here they are looked up once for each channel. What is computed with them is the same.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.sortingcomponents.peak_localization.grid import LocalizeGridConvolution
from spikeinterface.sortingcomponents.peak_localization.method_list import peak_localization_methods


class GridPlaces(LocalizeGridConvolution):  # type: ignore[misc]
    """`LocalizeGridConvolution` that knows the surroundings of each channel."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._known: dict[int, tuple[NDArray[np.intp], GridPlaces]] = {}

    def compute(
        self, traces: NDArray[np.float32], peaks: NDArray[np.void], waveforms: NDArray[np.float32]
    ) -> NDArray[Any]:
        """Places of peaks, by their waveforms (n, T, C)."""
        result = np.zeros(peaks.size, dtype=self._dtype)
        for channel in np.unique(peaks["channel_index"]).tolist():
            rows = np.flatnonzero(peaks["channel_index"] == channel)
            if channel not in self._known:
                self._known[channel] = self._surroundings(channel)
            seen, near = self._known[channel]
            some = waveforms[rows][:, :, seen]
            result[rows] = LocalizeGridConvolution.compute(near, traces, peaks[rows], some)
        return result

    def _surroundings(self, channel: int) -> tuple[NDArray[np.intp], GridPlaces]:
        """Contacts near a channel, and the same method for a probe of these alone and for near points."""
        points = np.flatnonzero(self.nearest_template_mask[channel])
        weights = self.weights[:, :, points]
        seen = np.flatnonzero((weights > 0).any(axis=(0, 2)))
        near = copy(self)
        near.weights = np.ascontiguousarray(weights[:, seen])
        near.weights_sparsity_mask = near.weights > 0
        near.template_positions = self.template_positions[points]
        near.nearest_template_mask = np.broadcast_to(True, (len(self.nearest_template_mask), len(points)))
        return seen, near


def use_grid_places() -> None:
    """Let SpikeInterface find places of peaks so."""
    peak_localization_methods[GridPlaces.name] = GridPlaces
