"""Seconds of beam search (150 x 2000 spikes) and of 200 posterior samples, and what sharing saves.

    python -m benchmarks.speed.sampling [--model NAME] [--spikes 2000]

Two networks: the model that is used for spikes, on spikes of cells that no gradient saw, without times and at
random times; and one with the paper's sizes of g and f. The literal Algorithm 1
runs in the same process on the same network (without times) and the same order of points, held to
one core, where ours walk, and as torch runs it by itself, on all its threads. The ratio that counts is the
smaller one of wall clock and CPU time with both on one core, and all must find the same beams.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.common.made_data import encode_spikes, gaussians, spikes_of
from benchmarks.common.report import SEED, Clock, Origin, begin, keep, options, table, where
from benchmarks.posterior.literal_algorithm_1 import literal_beam
from ncpgui.core.partition import canonical
from ncpgui.core.seeds import stream
from ncpgui.engine.device import one_core
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.model_files import default_model_name
from ncpgui.engine.networks.ncp import NCP
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.networks.registry import NetworkSettings
from ncpgui.engine.sampling.beams import beam_samples
from ncpgui.engine.sampling.posterior import Visit, ancestral_samples
from ncpgui.engine.sampling.sweeps import swept
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.loop import train

WIDTH = 150
N_SAMPLES = 200


def network_of_paper_sizes(steps: int, device: torch.device) -> ClusteringNetwork:
    """Return g and f of `paper-spikes-hex7` over points in the plane, after so few steps of training.

    They are learnt in a minute there, which keeps the number of clusters as it is in the data.
    """
    config = TrainConfig(
        architecture=NetworkSettings(
            "ncp", "points", encoder_options={"h_dim": 256, "scale": 0.1, "skip": True}
        ),
        data=GenerativeSettings("gauss2d"),
        steps=steps,
        n_points=(5, 20),
        n_points_end=(5, 60),
        learning_rate=5e-4,
        warmup_steps=50,
        ema_decay=0.98,
        precision="float32",
        validate_points=50,
    )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "paper-sizes.safetensors"
        for _ in train(config, out=out):
            pass
        return load_checkpoint(out, device=device).network


def beside_literal(network: ClusteringNetwork, encoding: Encoding, device: torch.device) -> dict[str, Any]:
    """Time our beam and Algorithm 1, and compare what they found."""
    with one_core(), Clock(device) as ours:
        found = beam_samples(network, encoding, width=WIDTH, seed=SEED)
    visit = Visit.draw(encoding.features.shape[1], None, stream(SEED, "order", 0))
    visited = encoding.reordered(torch.from_numpy(visit.order).to(device))
    with one_core(), Clock(device) as literal:
        labels, log_prob = literal_beam(network, visited, width=WIDTH)
    with Clock(device) as all_threads:
        literal_beam(network, visited, width=WIDTH)
    times = {
        "beam K": int(found.n_clusters[0]),
        "beam s": ours.wall_s,
        "literal s": literal.wall_s,
        "wall ratio": literal.wall_s / ours.wall_s,
        "CPU ratio": literal.cpu_s / ours.cpu_s,
        "wall ratio, its threads": all_threads.wall_s / ours.wall_s,
        "CPU ratio, its threads": all_threads.cpu_s / ours.cpu_s,
    }
    if isinstance(network, NCP):
        with one_core(), Clock(device) as recomputed:
            literal_beam(network, visited, width=WIDTH, recomputed=True)
        times["CPU ratio, recomputed"] = recomputed.cpu_s / ours.cpu_s
    theirs = {
        row.tobytes(): score
        for row, score in zip(
            canonical(visit.original(labels)).astype(np.int32), log_prob.tolist(), strict=True
        )
    }
    mine = {row.tobytes(): score for row, score in zip(found.labels, found.log_prob.tolist(), strict=True)}
    both = theirs.keys() & mine.keys()
    return {
        **times,
        "same best": next(iter(theirs)) == found.labels[0].tobytes(),
        "beams shared": len(both),
        "log q apart": max((abs(theirs[row] - mine[row]) for row in both), default=float("nan")),
    }


def drawn(
    network: ClusteringNetwork, n_spikes: int, n_cells: int, device: torch.device, *, timed: bool = False
) -> tuple[dict[str, Any], Encoding]:
    """Seconds of posterior samples of some spikes, and their encoding; timed : they are at random times."""
    data = spikes_of(n_cells, n_spikes)
    times_s = np.sort(stream(SEED, "times").uniform(0, 60, n_spikes)) if timed else None
    with Clock(device) as encode:
        encoding = encode_spikes(network, data, times_s)
    with Clock(device) as ancestral:
        samples = ancestral_samples(network, encoding, n_samples=N_SAMPLES, seed=SEED)
    with Clock(device) as sweeping:
        posterior = swept(network, encoding, samples, seed=SEED)
    row = {
        "true K": n_cells,
        "encode s": encode.wall_s,
        "ancestral s": ancestral.wall_s,
        "sweeps s": sweeping.wall_s,
        "sampled K": float(posterior.n_clusters.mean()),
    }
    return row, encoding


def on_spikes(
    network: ClusteringNetwork, n_spikes: int, cells: list[int], device: torch.device
) -> list[dict[str, Any]]:
    """All figures on spikes, a row for each number of cells."""
    rows = []
    for n_cells in cells:
        row, encoding = drawn(network, n_spikes, n_cells, device)
        rows.append(row | beside_literal(network, encoding, device))
    return rows


def on_points(
    network: ClusteringNetwork, n_points: int, clusters: list[int], device: torch.device
) -> list[dict[str, Any]]:
    """Beams of points in the plane, a row for each number of clusters."""
    rows = []
    for n_clusters in clusters:
        points, _ = gaussians(n_clusters, n_points, seed=1)
        with torch.inference_mode():
            encoding = network.encode(points.to(device))
        rows.append({"true K": n_clusters} | beside_literal(network, encoding, device))
    return rows


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--model", default=None, help="for spikes  [the one that is used]")
    parser.add_argument("--spikes", type=int, default=2000)
    parser.add_argument("--cells", type=int, nargs="+", default=[3, 5, 8])
    parser.add_argument("--points", type=int, default=500, help="for the network of the paper's sizes")
    parser.add_argument("--steps", type=int, default=160, help="of its training")
    arguments = parser.parse_args()
    device = begin(arguments)
    if arguments.quick:
        arguments.spikes, arguments.points, arguments.steps, arguments.cells = 60, 40, 2, [3]
    checkpoint = load_checkpoint(arguments.model, device=device)
    spikes = on_spikes(checkpoint.network, arguments.spikes, arguments.cells, device)
    print(table(spikes), flush=True)
    timed = [
        drawn(checkpoint.network, arguments.spikes, n_cells, device, timed=True)[0]
        for n_cells in arguments.cells
    ]
    print(table(timed), flush=True)
    paper = network_of_paper_sizes(arguments.steps, device)
    points = on_points(paper, arguments.points, arguments.cells, device)
    print(table(points))
    page = f"""
# Sampling

Seconds are wall clock. {where(device)}

"ancestral s" and "sweeps s" are of {N_SAMPLES} posterior samples, drawn and then moved as `ncpgui sort` and
`ncpgui cluster` do; "encode s" comes once. "literal" is the paper's Algorithm 1 on the same network
(`literal_algorithm_1.py`), its {WIDTH} hypotheses in one batch, on the same points in the same order of
visits, on one core, as our beam of {WIDTH}. "wall ratio", "CPU ratio": its time over that of our beam, both
on one core. "its threads": the same with Algorithm 1 on all threads as torch runs it by itself, our beam
still on one core; "recomputed": one core, with g of all clusters at each k, as the public samplers do. "beams
shared": configurations that both found, of {WIDTH}; "log q apart": the largest difference of their
log-probabilities, which are sums over all points in single precision.

## Model `{checkpoint.name}`, {arguments.spikes} spikes of cells that no gradient saw

{table(spikes)}

## The same model, which is told times of these spikes

{table(timed)}

## The paper's sizes, {arguments.points} points

g and f of the preset `paper-spikes-hex7` (256-256-256-256-256, 512-256-256-256-1), over points of 2D
Gaussians and trained on those for {arguments.steps} steps, which keeps the number of clusters near the true
one; for spikes the paper takes 20 000 steps. The cost of a step depends on these sizes and on K, not on what
a point is.

{table(points)}
"""
    content = {
        "model": checkpoint.name,
        "spikes": arguments.spikes,
        "rows": spikes,
        "timed_rows": timed,
        "paper_sizes": {"points": arguments.points, "steps": arguments.steps, "rows": points},
    }
    models = {checkpoint.name: arguments.model or default_model_name()}
    origin = Origin(SEED, N_SAMPLES, models=models)
    keep("sampling", content, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
