"""What sampling the posterior of one set of spikes gives, whoever asks for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples


@dataclass(frozen=True)
class Sampled:
    """Draws of the clusterings of n spikes, or a beam of them, and the network that made them.

    features : (n, d) float32, the network's encoding of each spike
    model : name of the network
    knows_times : whether the network was told the times and reads them
    """

    posterior: PosteriorSamples
    features: NDArray[np.float32]
    model: str
    knows_times: bool = False
