"""Posterior samples of one dataset: ancestral, beam, clamped, over one or several orders.

q depends a little on the order in which points are visited; `ancestral_samples` divides its
draws over several random orders, which averages the dependence out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.engine.device import torch_generator
from ncpgui.engine.networks.ncp import ClusteringNetwork, Encoding
from ncpgui.engine.sampling import rules
from ncpgui.engine.sampling.sequential import walk


@dataclass(frozen=True)
class Visit:
    """An order in which points are visited: held points first, the rest at random."""

    order: NDArray[np.int64]
    held: NDArray[np.int64]

    @staticmethod
    def draw(n_points: int, clamped: NDArray[np.integer] | None, generator: np.random.Generator) -> Visit:
        """Draw an order of `n_points`; `clamped` (N,) holds labels >= 0, or -1 where free."""
        order = generator.permutation(n_points)
        if clamped is None:
            return Visit(order, np.zeros(0, dtype=np.int64))
        if clamped.shape != (n_points,):
            raise InputError(f"clamped must be one label for each of {n_points} spikes, got {clamped.shape}")
        order = order[np.argsort(clamped[order] < 0, kind="stable")]
        return Visit(order, canonical(clamped[order][clamped[order] >= 0]))

    def original(self, labels: Tensor) -> NDArray[np.int64]:
        """Labels (S, N) in the order visited, put back into the order of the points."""
        result = np.empty(labels.shape, dtype=np.int64)
        result[:, self.order] = labels.cpu().numpy()
        return result


def ancestral_samples(
    network: ClusteringNetwork,
    encoding: Encoding,
    *,
    n_samples: int,
    seed: int,
    n_orders: int = 4,
    clamped: NDArray[np.integer] | None = None,
    max_rows: int = 512,
    progress: Progress = silent,
) -> PosteriorSamples:
    """Draw from q(c | x), or from q(c_free | c_clamped, x).

    Parameters
    ----------
    encoding : of one dataset, not finished (any order)
    n_orders : random orders over which the draws are divided
    clamped : (N,) int, label of each held point, -1 where free
    max_rows : hypotheses walked at once; bounds the memory

    Raises
    ------
    InputError
        No samples asked for, or clamped labels that do not fit.
    """
    if n_samples < 1:
        raise InputError(f"at least one posterior sample must be drawn, got {n_samples}")
    n_points = encoding.features.shape[1]
    device = encoding.features.device
    visits = [
        Visit.draw(n_points, clamped, stream(seed, "order", i)) for i in range(min(n_orders, n_samples))
    ]
    visited = _visiting(network, encoding, visits)
    held_labels = torch.from_numpy(np.stack([visit.held for visit in visits])).to(device)
    row_order = torch.arange(n_samples, device=device) % len(visits)  # which order each draw takes
    n_parts = -(-n_samples // max_rows)
    labels = np.empty((n_samples, n_points), dtype=np.int64)
    log_prob = np.empty(n_samples)
    for part, rows in enumerate(np.array_split(np.arange(n_samples), n_parts)):
        dataset = row_order[rows[0] : rows[-1] + 1]
        generator = torch_generator(stream_seed(seed, "ancestral", part), device)
        found, score = walk(
            network,
            visited,
            rules.held(held_labels[dataset], rules.ancestral(generator)),
            dataset=dataset,
            keep_rows=True,
            progress=portion(progress, part, part + 1, n_parts),
        )
        for i, visit in enumerate(visits):
            mine = (dataset == i).cpu().numpy()
            labels[rows[mine]] = visit.original(found[mine])
        log_prob[rows] = score.double().cpu().numpy()
    return PosteriorSamples(labels, log_prob)


def beam_samples(
    network: ClusteringNetwork,
    encoding: Encoding,
    *,
    width: int,
    seed: int,
    clamped: NDArray[np.integer] | None = None,
    progress: Progress = silent,
) -> PosteriorSamples:
    """Return the `width` most probable label vectors that beam search finds, the best first.

    Their weights are their probabilities, normalised over the beam: near the mode, not a posterior.
    """
    device = encoding.features.device
    visit = Visit.draw(encoding.features.shape[1], clamped, stream(seed, "order", 0))
    found, score = walk(
        network,
        _visiting(network, encoding, [visit]),
        rules.held(torch.from_numpy(visit.held)[None].to(device), rules.beam(width)),
        dataset=torch.zeros(1, dtype=torch.int64, device=device),
        keep_rows=False,
        progress=progress,
    )
    log_prob = score.double().cpu().numpy()
    order = np.argsort(-log_prob, kind="stable")
    weight = np.exp(log_prob[order] - log_prob.max())
    return PosteriorSamples(visit.original(found)[order], log_prob[order], weight)


def _visiting(network: ClusteringNetwork, encoding: Encoding, visits: list[Visit]) -> Encoding:
    order = torch.from_numpy(np.stack([visit.order for visit in visits])).to(encoding.features.device)
    with torch.inference_mode():
        return network.finish(encoding.reordered(order))
