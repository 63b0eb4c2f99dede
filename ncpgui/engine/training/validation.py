"""Held-out scores during training: likelihood and agreement on data that were never trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from ncpgui.core.agreement import adjusted_rand_index
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.generative.batch import GenerativeModel
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.sampling.posterior import ancestral_samples_of_many


@dataclass(frozen=True)
class Scores:
    """nll : nats a point given the true prefix; ari : mean adjusted Rand index of single posterior
    samples; k_error : mean of (sampled K - true K), negative when the network merges.
    """

    nll: float
    ari: float
    k_error: float


@torch.inference_mode()
def validate(
    network: ClusteringNetwork,
    model: GenerativeModel,
    *,
    seed: int,
    n_points: int,
    n_datasets: int = 32,
    n_samples: int = 8,
) -> Scores:
    """Score a network on the same `n_datasets` sets of `n_points` each time."""
    network.eval()
    device = next(network.parameters()).device
    generator = torch.Generator(device=device).manual_seed(stream_seed(seed, "validation"))
    nll, ari, k_error = [], [], []
    for _ in range(max(1, n_datasets // 16)):
        batch = model.sample(min(16, n_datasets), n_points, generator)
        encoding = network.encode(*batch.points)
        nll.append(-network.log_prob(network.finish(encoding), batch.labels).mean().item())
        sets = [encoding.dataset(i) for i in range(len(batch.labels))]
        drawn = ancestral_samples_of_many(
            network, sets, n_samples=n_samples, seeds=[seed] * len(sets), n_orders=1
        )
        for samples, truth in zip(drawn, batch.labels.cpu().numpy(), strict=True):
            ari += [adjusted_rand_index(row, truth) for row in samples.labels]
            k_error += list(samples.n_clusters - (truth.max() + 1))
    return Scores(float(np.mean(nll)), float(np.mean(ari)), float(np.mean(k_error)))
