"""What a second is worth: independent draws of the posterior, by the network and by Gibbs sampling.

    python benchmarks/gibbs.py [--model gauss2d] [--points 100]

Successive sweeps of a chain are alike, and a chain begins away from the posterior; draws of the network are
independent, but of q instead of p. So draws are counted by what they are worth (effective sample size) as
draws of the exact posterior of 2D Gaussians: of chains from their autocorrelations, the first half left out
but paid for; of the network from its importance weights p / q. Seconds of one sweep and of one draw, against
the number of points, are in `scaling.py`.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from made_data import gaussians
from numpy.typing import NDArray
from parallel_gibbs import effective_sample_size, parallel_sweeps
from report import Clock, begin, keep, machine, options, table, where
from torch import Tensor

from ncpgui.engine.diagnostics.gibbs import sweeps
from ncpgui.engine.diagnostics.importance import importance_weights
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.sampling.posterior import ancestral_samples

Labels = NDArray[np.int64]
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
        samples = ancestral_samples(network, encoding, n_samples=n_samples, seed=0, n_orders=1)
    weights = importance_weights(samples, (points,), MODEL)
    share = np.exp(weights.log_weight - weights.log_weight.max())
    mean_k = float((share * samples.n_clusters).sum() / share.sum())
    return row("network", n_samples, clock, weights.ess_share * n_samples, mean_k)


def by_one_chain(points: Tensor, n_sweeps: int, n_split_merge: int) -> dict[str, Any]:
    """Sweeps of one chain that begins with all points in one cluster."""
    chain = sweeps(points[0].double().numpy(), MODEL, seed=0, n_split_merge=n_split_merge)
    with Clock() as clock:
        labels = np.stack(list(islice(chain, n_sweeps)))
    quarters = labels[n_sweeps // 2 :][: n_sweeps // 8 * 4].reshape(4, -1, labels.shape[1])
    name = "Gibbs with split-merge" if n_split_merge else "Gibbs"
    return chain_row(f"{name}, one chain", points, n_sweeps, clock, quarters)


def by_many_chains(points: Tensor, n_chains: int, n_sweeps: int) -> dict[str, Any]:
    """Sweeps of chains side by side; half begin with one cluster, half with ten at random."""
    start = np.random.default_rng(0).integers(10, size=(n_chains, points.shape[1]))
    start[::2] = 0
    chains = parallel_sweeps(points[0].double().numpy(), MODEL, start, seed=0)
    with Clock() as clock:
        labels = np.stack(list(islice(chains, n_sweeps)), axis=1)
    kept = labels[:, n_sweeps // 2 :]
    return chain_row(f"Gibbs, {n_chains} chains", points, n_chains * n_sweeps, clock, kept)


def chain_row(name: str, points: Tensor, n_draws: int, clock: Clock, labels: Labels) -> dict[str, Any]:
    """Count sweeps (S, T, N) by the smaller worth of the number of clusters and of log p(c, x)."""
    flat = labels.reshape(-1, labels.shape[2])
    n_clusters = flat.max(1) + 1.0
    log_joint = MODEL.log_joint(points[0], torch.from_numpy(flat)).numpy()
    traces = [trace.reshape(labels.shape[:2]) for trace in (n_clusters, log_joint)]
    worth = min(effective_sample_size(trace) for trace in traces)
    return row(name, n_draws, clock, worth, float(n_clusters.mean()))


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
    parser.add_argument("--sweeps", type=int, default=1000, help="of one chain")
    parser.add_argument("--chains", type=int, default=200, help="side by side, of a tenth as many sweeps")
    arguments = parser.parse_args()
    device = begin(arguments)
    if arguments.quick:
        arguments.points, arguments.samples, arguments.sweeps, arguments.chains = 20, 20, 80, 4
    network = load_checkpoint(arguments.model, device=device).network
    by_network(network, gaussians(2, 20, seed=0)[0], 20, device)  # what the first call of all costs
    rows = []
    for dataset in DATASETS:
        points, _ = gaussians(dataset.n_clusters, arguments.points, seed=0, apart=dataset.apart)
        found = [
            by_network(network, points, arguments.samples, device),
            by_one_chain(points, arguments.sweeps, 0),
            by_one_chain(points, arguments.sweeps, 1),
            by_many_chains(points, arguments.chains, arguments.sweeps // 10),
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
smaller counts) in their second half. "Gibbs with split-merge" proposes one split or merge a sweep. Gibbs
sampling is in numpy and on the CPU; it needs the exact likelihood, which the network does not. "E[K]" should
agree between samplers, the network's being weighted; where it does not, a chain has not been everywhere or
few draws of the network count, and the worth is not to be trusted.

{table(rows)}

`python benchmarks/gibbs.py`, {machine()["date"]}
"""
    keep("gibbs", {"model": named, "points": arguments.points, "rows": rows}, page=page, folder=arguments.out)


if __name__ == "__main__":
    main()
