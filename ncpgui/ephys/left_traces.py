"""Filtered traces without the spikes that are explained: what is left is a recording as any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.ephys.spikeinterface_adapter import BasePreprocessor, BasePreprocessorSegment

if TYPE_CHECKING:
    from ncpgui.ephys.cleaned_waveforms import ExplainedSpikes
    from ncpgui.ephys.preprocessing import Preprocessed


class WithoutSpikes(BasePreprocessor):  # type: ignore[misc]
    """The good channels of filtered traces in noise sd, less the spikes, when traces are asked for."""

    def __init__(self, pre: Preprocessed, spikes: ExplainedSpikes) -> None:
        BasePreprocessor.__init__(self, pre.in_noise_sd, dtype="float32")
        self.add_recording_segment(_WithoutSpikesSegment(pre, spikes))
        self._kwargs = {"pre": pre, "spikes": spikes}
        self._serializability.update(memory=True, json=False, pickle=False)  # for threads


class _WithoutSpikesSegment(BasePreprocessorSegment):  # type: ignore[misc]
    def __init__(self, pre: Preprocessed, spikes: ExplainedSpikes) -> None:
        super().__init__(pre.in_noise_sd.segments[0])
        self._pre, self._spikes = pre, spikes

    def get_traces(
        self, start_frame: int, end_frame: int, channel_indices: Any = None
    ) -> NDArray[np.float32]:
        left = self._spikes.residual(self._pre, start_frame, end_frame)[:, self._pre.good_channels]
        return left if channel_indices is None else left[:, channel_indices]
