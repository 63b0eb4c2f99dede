"""What a second is worth: independent draws of the posterior, by the network and by Gibbs sampling.

    python -m benchmarks.posterior.gibbs [--model gauss2d] [--points 100]

Successive sweeps of a chain are alike, and a chain begins away from the posterior; draws of the network are
independent, but of q instead of p. So draws are counted by what they are worth (effective sample size) as
draws of the exact posterior of 2D Gaussians: of chains side by side from their autocorrelations, the first
half left out but paid for; of the network from its importance weights p / q. Seconds of one sweep and of one
draw, against the number of points, are in `scaling.py`.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from benchmarks.common.made_data import gaussians
from benchmarks.common.report import SEED, Clock, Origin, begin, keep, options, table, where
from ncpgui.engine.diagnostics.importance import importance_weights
from ncpgui.engine.diagnostics.parallel_gibbs import parallel_sweeps
from ncpgui.engine.diagnostics.speed import draws_worth
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.sampling.posterior import ancestral_samples

MODEL = GaussianDPMM()


class Dataset(NamedTuple):
    """Clusters of equal size on a ring, neighbours `apart` sd from each other."""

    name: str
    n_clusters: int
    apart: float


DATASETS = (Dataset("apart", 4, 6.0), Dataset("two overlap", 2, 3.0), Dataset("four overlap", 4, 3.0))
"""Where clusters overlap, sortings with one more or one less are about as probable, and single points that
move cannot go from one to the other but through improbable ones."""


def by_network(
    network: ClusteringNetwork, points: Tensor, n_samples: int, device: torch.device
) -> dict[str, Any]:
    """Draws of the network, weighed by the exact posterior."""
    with Clock(device) as clock:
        with torch.inference_mode():
            encoding = network.encode(points.to(device))
        samples = ancestral_samples(network, encoding, n_samples=n_samples, seed=SEED, n_orders=1)
    weights = importance_weights(samples, (points,), MODEL)
    share = np.exp(weights.log_weight - weights.log_weight.max())
    mean_k = float((share * samples.n_clusters).sum() / share.sum())
    return row("network", n_samples, clock, weights.ess_share * n_samples, mean_k)


def by_chains(points: Tensor, n_chains: int, n_sweeps: int) -> dict[str, Any]:
    """Sweeps of chains side by side; half begin with one cluster, half with ten at random."""
    start = np.random.default_rng(SEED).integers(10, size=(n_chains, points.shape[1]))
    start[::2] = 0
    chains = parallel_sweeps(points[0].double().numpy(), MODEL, start, seed=SEED)
    with Clock() as clock:
        labels = np.stack(list(islice(chains, n_sweeps)), axis=1)
    kept = labels[:, n_sweeps // 2 :]
    worth = draws_worth(kept, points[0], MODEL)
    return row(f"Gibbs, {n_chains} chains", n_chains * n_sweeps, clock, worth, float(kept.max(2).mean()) + 1)


def row(name: str, n_draws: int, clock: Clock, worth: float, mean_k: float) -> dict[str, Any]:
    """Figures of one sampler."""
    return {
        "sampler": name,
        "draws": n_draws,
        "s": clock.wall_s,
        "draws a s": n_draws / clock.wall_s,
        "worth of a draw": worth / n_draws,
        "independent draws a s": worth / clock.wall_s,
        "E[K]": mean_k,
    }


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--model", default="gauss2d", help="an NCP of points in the plane  [gauss2d]")
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--samples", type=int, default=2000, help="of the network")
    parser.add_argument("--chains", type=int, default=200, help="of Gibbs sampling, side by side")
    parser.add_argument("--sweeps", type=int, default=100, help="of each chain")
    arguments = parser.parse_args()
    device = begin(arguments)
    if arguments.quick:
        arguments.points, arguments.samples, arguments.sweeps, arguments.chains = 20, 20, 8, 4
    network = load_checkpoint(arguments.model, device=device).network
    by_network(network, gaussians(2, 20, seed=SEED)[0], 20, device)  # what the first call of all costs
    rows = []
    for dataset in DATASETS:
        points, _ = gaussians(dataset.n_clusters, arguments.points, seed=SEED, apart=dataset.apart)
        found = [
            by_network(network, points, arguments.samples, device),
            by_chains(points, arguments.chains, arguments.sweeps),
        ]
        rows += [{"data": dataset.name} | one for one in found]
    print(table(rows))
    named = Path(arguments.model).stem
    data = "; ".join(
        f'"{d.name}": {d.n_clusters} clusters, {d.apart:g} sd between neighbours' for d in DATASETS
    )
    page = f"""
# Independent draws in a second: `{named}` and Gibbs sampling

{arguments.points} points of 2D Gaussians on a ring. {data}. {where(device)}

A draw is a sample of the network or a sweep of a chain. It is worth its part of the effective sample size:
of the network by its importance weights, of chains by the autocorrelations of K and of log p(c, x) (the
smaller counts) in their second half. All chains visit the same point at a time, as draws of the network
do, so that both share the cost of an operation. Gibbs sampling is in numpy and on the CPU; it needs the
exact likelihood, which the network does not. "E[K]" should agree between samplers, the network's being
weighted; where it does not, a chain has not been everywhere or few draws of the network count, and the
worth is not to be trusted.

{table(rows)}
"""
    origin = Origin(SEED, arguments.samples, models={named: arguments.model})
    keep(
        "gibbs",
        {"model": named, "points": arguments.points, "rows": rows},
        page=page,
        origin=origin,
        folder=arguments.out,
    )


if __name__ == "__main__":
    main()
