"""How time and memory of posterior samples grow with points, samples and clusters.

    python -m benchmarks.speed.scaling [--model gauss2d] [--ccp gauss2d-ccp]

Points in the plane, clusters of equal size on a ring. Memory is that of a process of its own, which gives
freed blocks back to the system at once (on Linux): otherwise the allocator's gaps would be measured. Against
the number of points, beside NCP: CCP, and collapsed Gibbs sampling with as many sweeps (the paper's figure of
clock times, SM A).
"""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.common.made_data import gaussians
from benchmarks.common.report import SEED, Clock, Origin, begin, keep, options, peak_memory_mib, table, where
from ncpgui.core.errors import CheckpointError
from ncpgui.engine.diagnostics.parallel_gibbs import parallel_sweeps
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.model_files import find_model
from ncpgui.engine.networks.registry import Network
from ncpgui.engine.sampling.by_network import sample_posteriors

N_SAMPLES = 200
CCP_COLUMNS = (("s", "s"), ("MiB", "MiB"), ("K", "sampled K"))


@dataclass(frozen=True)
class Job:
    """What is sampled: `n_samples` of the posterior of `n_points` in `n_clusters`."""

    model: str
    n_points: int = 1000
    n_samples: int = N_SAMPLES
    n_clusters: int = 5
    device: str = "cpu"
    threads: int = 1


def sampled(job: Job, network: Network, n_points: int, n_samples: int) -> tuple[Clock, float, float]:
    """Sample once: times, memory beyond what the process held before, and the mean number of clusters."""
    device = torch.device(job.device)
    points, _ = gaussians(job.n_clusters, n_points, seed=SEED)
    with torch.inference_mode():
        encoding = network.encode(points.to(device))
    before = peak_memory_mib(device)
    with Clock(device) as clock:
        samples = sample_posteriors(network, [encoding], n_samples=n_samples, seeds=[SEED])[0]
    return clock, peak_memory_mib(device) - before, float(samples.n_clusters.mean())


def memory(job: Job) -> float:
    """MiB that sampling takes, in a process that does nothing else."""
    torch.set_num_threads(job.threads)
    network = load_checkpoint(job.model, device=job.device).network
    sampled(job, network, 50, 1)  # what the first call of all takes
    return sampled(job, network, job.n_points, job.n_samples)[1]


def measure(job: Job) -> dict[str, float]:
    """Seconds here, memory in a fresh process, clusters sampled."""
    network = load_checkpoint(job.model, device=job.device).network
    sampled(job, network, 50, 1)
    clock, _, n_clusters = sampled(job, network, job.n_points, job.n_samples)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        mib = pool.apply(memory, (job,))
    return {"s": clock.wall_s, "MiB": mib, "sampled K": n_clusters}


def gibbs_seconds(n_points: int, n_clusters: int) -> float:
    """Seconds of a sweep of each of `N_SAMPLES` chains side by side."""
    points, labels = gaussians(n_clusters, n_points, seed=SEED)
    start = np.tile(labels.numpy(), (N_SAMPLES, 1))
    chains = parallel_sweeps(points[0].double().numpy(), GaussianDPMM(), start, seed=SEED)
    next(chains)  # with what is computed once
    with Clock() as clock:
        next(chains)
    return clock.wall_s


def against_points(job: Job, ccp: str | None, sizes: list[int], ccp_most: int) -> list[dict[str, Any]]:
    """All samplers, a row for each number of points."""
    rows = []
    for n_points in sizes:
        ncp = measure(replace(job, n_points=n_points))
        row: dict[str, Any] = {"points": n_points}
        row |= {"NCP s": ncp["s"], "NCP MiB": ncp["MiB"], "NCP K": ncp["sampled K"]}
        other = None
        if ccp is not None and n_points <= ccp_most:
            other = measure(replace(job, model=ccp, n_points=n_points))
        row |= {f"CCP {name}": other[key] if other else "" for name, key in CCP_COLUMNS}
        gibbs = gibbs_seconds(n_points, job.n_clusters)
        rows.append(row | {f"Gibbs, {N_SAMPLES} chains s": gibbs, "NCP draws a sweep": gibbs / ncp["s"]})
    return rows


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--model", default="gauss2d", help="an NCP of points in the plane  [gauss2d]")
    parser.add_argument(
        "--ccp", default="gauss2d-ccp", help="a CCP of the same; left out where there is none"
    )
    parser.add_argument("--points", type=int, nargs="+", default=[250, 500, 1000, 2000, 8000])
    parser.add_argument("--ccp-most", type=int, default=2000, help="points of the largest set for CCP")
    parser.add_argument("--samples", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--clusters", type=int, nargs="+", default=[3, 10, 30])
    arguments = parser.parse_args()
    device = begin(arguments)
    os.environ["MALLOC_MMAP_THRESHOLD_"] = "65536"  # bytes; of the processes that `memory` runs in
    job = Job(str(find_model(arguments.model)), device=device.type, threads=torch.get_num_threads())
    if arguments.quick:
        job = replace(job, n_points=50)
        arguments.points, arguments.samples, arguments.clusters = [40], [1], [3]
    try:
        ccp = str(find_model(arguments.ccp))
    except CheckpointError as error:
        print(f"without CCP: {error}")
        ccp = None
    points = against_points(job, ccp, arguments.points, arguments.ccp_most)
    print(table(points), flush=True)
    samples = [{"samples": n} | measure(replace(job, n_samples=n)) for n in arguments.samples]
    print(table(samples), flush=True)
    clusters = [{"clusters": k} | measure(replace(job, n_clusters=k)) for k in arguments.clusters]
    print(table(clusters))
    named, named_ccp = Path(arguments.model).stem, "none" if ccp is None else Path(ccp).stem
    page = f"""
# Growth with points, samples and clusters

Points of 2D Gaussians, means on a ring, {job.n_clusters} clusters, {job.n_samples} samples and
{job.n_points} points unless a table says otherwise. "MiB": memory beyond what a process with the
encoded points holds. "K": clusters sampled, a mean; the networks were trained on fewer points.
{where(device)}

## Points

Seconds for {N_SAMPLES} samples of NCP (`{named}`) and CCP (`{named_ccp}`), and for {N_SAMPLES} sweeps of
collapsed Gibbs sampling in numpy, one each of {N_SAMPLES} chains side by side. "NCP draws a sweep": in the
time of a chain's part of a sweep of all. Sweeps are no independent samples: see `gibbs.md`.

{table(points)}

## Samples

{table(samples)}

## Clusters

{table(clusters)}
"""
    content = {
        "job": asdict(replace(job, model=named)) | {"ccp": named_ccp},
        "points": points,
        "samples": samples,
        "clusters": clusters,
    }
    models = {named: arguments.model} | ({} if ccp is None else {named_ccp: ccp})
    origin = Origin(SEED, N_SAMPLES, models=models)
    keep("scaling", content, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
