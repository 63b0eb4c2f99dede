"""Held-out scores during training: likelihood and agreement on cells that were never trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from ncpgui.core.agreement import adjusted_rand_index
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.generative.spike_mixture import SpikeMixture, SpikeMixtureSettings
from ncpgui.engine.generative.template_reservoir import TemplateReservoir
from ncpgui.engine.networks.ncp import ClusteringNetwork
from ncpgui.engine.sampling.posterior import ancestral_samples


@dataclass(frozen=True)
class Scores:
    """nll : nats a spike given the true prefix; ari : mean adjusted Rand index of single posterior
    samples; k_error : mean of (sampled K - true K), negative when the network merges.
    """

    nll: float
    ari: float
    k_error: float


@torch.inference_mode()
def validate(
    network: ClusteringNetwork,
    settings: SpikeMixtureSettings,
    *,
    seed: int,
    n_datasets: int = 32,
    n_points: int = 250,
    n_samples: int = 8,
) -> Scores:
    """Score a network on the same `n_datasets` sets of unseen cells each time."""
    network.eval()
    model = SpikeMixture(settings, TemplateReservoir.load().subset("test"))
    device = next(network.parameters()).device
    generator = torch.Generator(device=device).manual_seed(stream_seed(seed, "validation"))
    nll, ari, k_error = [], [], []
    for _ in range(max(1, n_datasets // 16)):
        batch = model.sample(min(16, n_datasets), n_points, generator)
        encoding = network.encode(batch.waveforms, batch.positions, batch.channel_mask)
        nll.append(-network.log_prob(network.finish(encoding), batch.labels).mean().item())
        for i, truth in enumerate(batch.labels.cpu().numpy()):
            own = slice(i, i + 1)
            one = network.encode(batch.waveforms[own], batch.positions[own], batch.channel_mask[own])
            samples = ancestral_samples(network, one, n_samples=n_samples, seed=seed, n_orders=1)
            ari += [adjusted_rand_index(row, truth) for row in samples.labels]
            k_error += list(samples.n_clusters - (truth.max() + 1))
    return Scores(float(np.mean(nll)), float(np.mean(ari)), float(np.mean(k_error)))
