"""Posterior samples by the sampler that fits the network, for callers that take any."""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.npt import FadingNetwork
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.sampling.clusterwise import clusterwise_samples
from ncpgui.engine.sampling.posterior import ancestral_samples_of_many
from ncpgui.engine.sampling.tracking import track_samples


def sample_posteriors(
    network: nn.Module,
    encodings: Sequence[Encoding],
    *,
    n_samples: int,
    seeds: Sequence[int],
    n_orders: int = 1,
    progress: Progress = silent,
) -> list[PosteriorSamples]:
    """Draw from the posterior of each dataset: of points, of whole clusters, or of points in time.

    Parameters
    ----------
    encodings : of one dataset each, not finished; seeds : one for each
    n_orders : random orders over which the draws are divided, where the network has any; those of CCP come
        without a probability (log_prob is nan), which takes far longer than the samples

    Raises
    ------
    InputError
        A network for which there is no sampler.
    """
    if isinstance(network, ClusteringNetwork) and not isinstance(network, FadingNetwork):
        return ancestral_samples_of_many(
            network, encodings, n_samples=n_samples, seeds=seeds, n_orders=n_orders, progress=progress
        )
    found = []
    for i, (encoding, seed) in enumerate(zip(encodings, seeds, strict=True)):
        part = portion(progress, i, i + 1, len(encodings))
        if isinstance(network, FadingNetwork):
            found.append(track_samples(network, encoding, n_samples=n_samples, seed=seed, progress=part))
        elif isinstance(network, CCP):
            found.append(
                clusterwise_samples(network, encoding, n_samples=n_samples, seed=seed, progress=part)
            )
        else:
            raise InputError(f"no sampler is known for a network of type {type(network).__name__}")
    return found
