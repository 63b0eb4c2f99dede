"""What matching asks of a spike of each template: more than the noise of the template's own filter gives.

In white noise a template's score varies alike whatever its shape, and one gain suits all. In coloured noise
the filter of a template that looks like the noise is louder: its variance, a'Ca over a'a
(`ephys.noise_covariance`), is larger than that of any template in white noise through the same band. The gain
that is asked grows by that factor, so that the log likelihood ratio along the template is the same. Scores of
Gaussian noise pass it at most as often as Rice's formula says of white noise: e^(-g/2) of all rises of the
score through its mean, where g is the gain over the variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

    from ncpgui.ephys.noise_covariance import NoiseCovariance
    from ncpgui.ephys.preprocessing import Preprocessed


@dataclass(frozen=True)
class LeastGain:
    """Gain in squared error that a spike of a template must bring.

    in_white : in white noise
    densest : variance of the score of a template of length 1 in white noise of sd 1, at most
    noise : of the traces; white where None
    """

    in_white: float
    densest: float = 1.0
    noise: NoiseCovariance | None = None

    def of(self, waveforms: NDArray[np.floating]) -> NDArray[np.float64]:
        """Least gain of each of the templates (..., T, C): (...)."""
        flat = waveforms.reshape(-1, *waveforms.shape[-2:])
        factor = np.ones(len(flat))
        if self.noise is not None:
            energy = (flat.astype(np.float64) ** 2).sum(axis=(1, 2))
            factor = np.maximum(self.noise.variance_of(flat) / np.maximum(energy, 1e-12) / self.densest, 1)
        return self.in_white * factor.reshape(waveforms.shape[:-2])

    def level_of(self, waveforms: NDArray[np.floating]) -> NDArray[np.float64]:
        """Level of the noise that templates (K, T, C) see in slices of the traces, over its mean: (S, K)."""
        return np.ones((1, len(waveforms))) if self.noise is None else self.noise.level_of(waveforms)


def measured_least_gain(
    traces: BaseRecording, pre: Preprocessed, *, in_white: float, n_times: int
) -> LeastGain:
    """Least gain in the noise of whitened traces of a recording, for templates of `n_times` samples."""
    from ncpgui.ephys.noise_covariance import measured_covariance

    noise = measured_covariance(traces, n_times)
    return LeastGain(in_white, pre.settings.white_density(pre.sampling_frequency_hz), noise)
