"""Seconds of beam search (150 x 2000 spikes) and of 200 ancestral samples, and what sharing saves.

    python benchmarks/sampling.py [--model NAME] [--spikes 2000] [--literal-spikes 2000]

Spikes come from the model's own generative model, cells that it was not trained on. The literal
Algorithm 1 runs in the same process on the same network and the same order of spikes; the ratio
is its CPU time over ours, and both must find the same beams.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from literal_algorithm_1 import literal_beam
from report import Clock, keep, machine, table

from ncpgui.core.partition import canonical
from ncpgui.core.seeds import stream
from ncpgui.core.waveform_format import SAMPLING_FREQUENCY_HZ
from ncpgui.engine.generative.spike_mixture import sample_dataset
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.ncp import ClusteringNetwork, Encoding
from ncpgui.engine.sampling.posterior import Visit, ancestral_samples, beam_samples
from ncpgui.engine.waveform_clustering import checked_input


def encoded(network: ClusteringNetwork, waveforms: np.ndarray, positions: np.ndarray) -> Encoding:
    """Encode one dataset as `ncpgui.engine.cluster` does."""
    arrays = checked_input(waveforms, positions, None, SAMPLING_FREQUENCY_HZ)
    return network.encode(*(torch.from_numpy(array)[None] for array in arrays))


def distinct(labels: np.ndarray) -> set[bytes]:
    """Rows of (S, N) labels as a set."""
    return {row.astype(np.int32).tobytes() for row in labels}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=None)
    parser.add_argument("--spikes", type=int, default=2000)
    parser.add_argument("--literal-spikes", type=int, default=2000, help="spikes of the side-by-side run")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    arguments = parser.parse_args()
    if arguments.threads is not None:
        torch.set_num_threads(arguments.threads)
    checkpoint = load_checkpoint(arguments.model)
    network = checkpoint.network
    rows = []
    for seed in arguments.seeds:
        data = sample_dataset(seed, arguments.spikes, geometry="hex7", split="test")
        with torch.inference_mode(), Clock() as encode:
            encoding = encoded(network, data.waveforms, data.channel_positions)
        with Clock() as ancestral:
            samples = ancestral_samples(network, encoding, n_samples=200, seed=0)
        with Clock() as beam:
            found = beam_samples(network, encoding, width=150, seed=0)
        row = {
            "seed": seed,
            "true K": int(data.labels.max()) + 1,
            "sampled K": float(samples.n_clusters.mean()),
            "encode s": encode.wall_s,
            "ancestral 200 s": ancestral.wall_s,
            "beam 150 s": beam.wall_s,
            "beam K": int(found.n_clusters[0]),
        }
        n = min(arguments.literal_spikes, arguments.spikes)
        visit = Visit.draw(n, None, stream(0, "order", 0))
        with torch.inference_mode():
            part = encoded(network, data.waveforms[:n], data.channel_positions)
        with Clock() as ours:
            best = beam_samples(network, part, width=150, seed=0)
        with Clock() as literal:
            labels, _ = literal_beam(network, part.reordered(torch.from_numpy(visit.order)), width=150)
        theirs = canonical(visit.original(labels))
        row |= {
            "literal s": literal.wall_s,
            "CPU ratio": literal.cpu_s / ours.cpu_s,
            "same best": bool((theirs[0] == best.labels[0]).all()),
            "beams shared": len(
                {r.tobytes() for r in theirs.astype(np.int32)} & {r.tobytes() for r in best.labels}
            ),
        }
        rows.append(row)
    print(table(rows))
    here = machine()
    page = f"""
# Sampling

{arguments.spikes} spikes of unseen cells, model `{checkpoint.name}`, {here["threads"]} threads on
{here["cores"]} cores. "literal" is the paper's Algorithm 1 on the same network, its hypotheses in one
batch, with {n} spikes and the same order of visits; "CPU ratio" is its CPU time over that of our beam.

{table(rows)}

`python benchmarks/sampling.py`, {here["date"]}
"""
    keep("sampling", {"model": checkpoint.name, "spikes": arguments.spikes, "rows": rows}, page=page)


if __name__ == "__main__":
    main()
