"""Held-out scores during training, on data that no gradient sees; they choose the weights that are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.metrics import adjusted_rand_score

from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.generative.batch import GenerativeModel
from ncpgui.engine.networks.registry import Network
from ncpgui.engine.sampling.by_network import sample_posteriors
from ncpgui.engine.training.losses import batch_loss

_AT_ONCE = 16
EASY_MARGIN = 0.03
"""Of the index on 48 easy sets, which differs by this between checkpoints that are equally good on more."""


@dataclass(frozen=True)
class Scores:
    """How well a network does on held-out sets.

    nll : nats a point, given the true labels before it; the bound that it is trained by, for a network of
        clusters
    ari : adjusted Rand index of a posterior sample with the truth, a mean
    k_error : K of a posterior sample minus the true K, a mean; negative when the network merges
    easy_ari : the same index on sets that anybody can cluster (`easy_sets`); None where none were asked for
    """

    nll: float
    ari: float
    k_error: float
    easy_ari: float | None = None

    def beats(self, best_nll: float, best_easy_ari: float) -> bool:
        """Whether these weights are kept in place of the best so far.

        They have the lower `nll` and have not lost what is easy, or what is easy is clearly better.
        """
        if self.easy_ari is None:
            return self.nll < best_nll
        gained = self.easy_ari - best_easy_ari
        return gained > EASY_MARGIN or (gained >= -EASY_MARGIN and self.nll < best_nll)


@torch.inference_mode()
def validate(
    network: Network,
    model: GenerativeModel,
    *,
    seed: int,
    n_points: int,
    n_datasets: int = 32,
    n_samples: int = 8,
    importance_samples: int = 16,
    progress: Progress = silent,
) -> Scores:
    """Score a network on the same `n_datasets` sets of `n_points` each time.

    The network is left in evaluation mode. What `progress` raises ends it, with nothing changed.
    """
    network.eval()
    device = next(network.parameters()).device
    generator = torch.Generator(device=device).manual_seed(stream_seed(seed, "validation"))
    nll, ari, k_error = [], [], []
    n_rounds = -(-n_datasets // _AT_ONCE)
    for i in range(n_rounds):
        batch = model.sample(min(_AT_ONCE, n_datasets - i * _AT_ONCE), n_points, generator)
        loss = batch_loss(
            network, batch, seed=stream_seed(seed, "validation", i), importance_samples=importance_samples
        )
        nll += [loss.total.item() / int(batch.n_points.sum())] * len(batch.labels)
        encoding = network.encode(*batch.points)
        sets = [encoding.dataset(j) for j in range(len(batch.labels))]
        drawn = sample_posteriors(
            network,
            sets,
            n_samples=n_samples,
            seeds=[seed] * len(sets),
            progress=portion(progress, i, i + 1, n_rounds),
        )
        for samples, truth in zip(drawn, batch.labels.cpu().numpy(), strict=True):
            ari += [adjusted_rand_score(row, truth) for row in samples.labels]
            k_error += list(samples.n_clusters - (truth.max() + 1))
    return Scores(float(np.mean(nll)), float(np.mean(ari)), float(np.mean(k_error)))
