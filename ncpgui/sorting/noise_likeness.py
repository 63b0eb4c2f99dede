"""Is a unit what stationary noise looks like where it crosses the threshold?

Where Gaussian noise crosses a threshold on a channel, its mean is its own covariance with that channel over
time and contacts, scaled to the height that it reaches (`ephys.noise_covariance`). Heights fall off by e in
1 / l above a threshold of l sd: crossings of 4.5 sd are 4.7 sd high on average, and none of a recording is
much higher than 6. A cell has a shape of its own.

So of each unit the part q of its mean waveform's energy is measured that is not of the shape of crossings.
Of units up to 6 sd high, q is 0.3 to 0.8 for 95 % of the cells and 0 to 0.4 for 90 % of the noise, in white
noise and in coloured (`docs/notes/2026-11-26-coloured-noise.md`). That is evidence against a neuron of
`NATS` log(q / `UNLIKE`), none from `UNLIKE` on, and as much as at `LEAST` at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.sorting.neuron_probability import NOISE_BELOW

if TYPE_CHECKING:
    from ncpgui.ephys.noise_covariance import NoiseCovariance
    from ncpgui.ephys.preprocessing import Preprocessed

NATS = 2.0
LEAST, UNLIKE = 0.1, 0.4
HIGHEST_SD = 6.0
"""Nothing counts against a unit that is higher: no noise reaches so far."""
NOISE_SHAPE = 0.5
"""Part q up to which most of a unit is of the shape of noise."""


@dataclass(frozen=True)
class NoiseLikeness:
    """How far K units are from what crossings by noise look like.

    unlike : (K,) part of the energy of each mean waveform that is not of their shape, 0 to 1
    height_sd : (K,) largest value of each, noise sd of its channel
    """

    unlike: NDArray[np.float64]
    height_sd: NDArray[np.float64]

    @property
    def shape(self) -> NDArray[np.float64]:
        """log(q / `UNLIKE`) as far as it counts: (K,), at most 0."""
        shape = np.log(np.clip(self.unlike, LEAST, UNLIKE) / UNLIKE)
        return np.where(self.height_sd < HIGHEST_SD, shape, 0.0)

    @property
    def nats(self) -> NDArray[np.float64]:
        """Log likelihood ratio of a neuron, against noise: (K,), at most 0."""
        return NATS * self.shape

    def are_noise(self, p_neuron: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Which units are of the shape of noise, no higher than it, and would be labelled noise: (K,)."""
        like = (self.unlike < NOISE_SHAPE) & (self.height_sd < HIGHEST_SD)
        return np.asarray(like & (p_neuron < NOISE_BELOW))


def noise_likeness(
    pre: Preprocessed, waveforms: NDArray[np.floating], n_spikes: NDArray[np.integer]
) -> NoiseLikeness:
    """Compare units with the noise of a recording.

    waveforms : (K, T, C) mean waveforms in the filtered traces, noise sd, zero on channels where not seen
    n_spikes : (K,) that they are means of
    """
    from ncpgui.ephys.noise_covariance import measured_covariance

    if len(waveforms) == 0:
        return NoiseLikeness(np.zeros(0), np.zeros(0))
    noise = measured_covariance(pre.looked_at, waveforms.shape[1])
    good = waveforms[:, :, pre.good_channels]
    found = [unlike_noise(wave, noise, n_spikes=int(n)) for wave, n in zip(good, n_spikes, strict=True)]
    return NoiseLikeness(*np.array(found).T)


def unlike_noise(
    waveform: NDArray[np.floating], noise: NoiseCovariance, *, n_spikes: int
) -> tuple[float, float]:
    """Part of the energy of a mean waveform (T, C) that is not of the shape of crossings, and its height.

    Crossings are those of the channel and at the time of its largest value, scaled as fits best. The noise of
    a mean of `n_spikes` is taken off. The part is 1 where nothing but that is left.
    """
    n_times, n_channels = waveform.shape
    at, channel = divmod(int(np.abs(waveform).argmax()), n_channels)
    variance = noise.variance_of_channels()
    height_sd = abs(float(waveform[at, channel])) / float(np.sqrt(np.maximum(variance[channel], 1e-12)))
    seen = (waveform != 0).any(axis=0)
    shape = noise.crossing(channel, n_times, n_channels, at)[:, seen]
    wave = waveform[:, seen].astype(np.float64)
    of_mean = len(wave) * float(variance[seen].sum()) / max(n_spikes, 1)
    energy = float((wave**2).sum())
    if energy <= of_mean:
        return 1.0, height_sd
    along = float((wave * shape).sum()) / np.sqrt(float((shape**2).sum()))
    return float(np.clip((energy - along**2 - of_mean) / (energy - of_mean), 0, 1)), height_sd
