"""The channel groups of an array, sampled one after the other and side by side.

    python -m benchmarks.speed.groups [--groups 49] [--most 2000] [--device cuda]

Groups have from 300 spikes to --most, of cells that the model was not trained on. On a GPU a step over the
points is a fixed number of small kernels, whatever the number of hypotheses: groups side by side share it.
Both ways draw the same samples. A profile of a short walk says how many operations a point takes and which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

from benchmarks.common.made_data import encode_spikes, sample_dataset
from benchmarks.common.report import SEED, Clock, Origin, begin, keep, options, table, where
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.engine import default_model
from ncpgui.engine.generative.template_reservoir import TemplateReservoir
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.sampling.memory import rows_at_once
from ncpgui.engine.sampling.posterior import ancestral_samples, ancestral_samples_of_many

PROFILED_POINTS = 200


def encode_groups(network: ClusteringNetwork, n_groups: int, fewest: int, most: int) -> list[Encoding]:
    """Encode groups of different sizes."""
    sizes = np.random.default_rng(0).integers(fewest, most, size=n_groups, endpoint=True)
    reservoir = TemplateReservoir.load()
    return [
        encode_spikes(network, sample_dataset(seed, int(size), reservoir=reservoir))
        for seed, size in enumerate(sizes)
    ]


def one_after_the_other(
    network: ClusteringNetwork, groups: Sequence[Encoding], n_samples: int
) -> list[PosteriorSamples]:
    """Sample each group by itself, its number being its seed."""
    return [
        ancestral_samples(network, group, n_samples=n_samples, seed=seed) for seed, group in enumerate(groups)
    ]


def side_by_side(
    network: ClusteringNetwork, groups: Sequence[Encoding], n_samples: int
) -> list[PosteriorSamples]:
    """Sample all groups at once."""
    return ancestral_samples_of_many(network, groups, n_samples=n_samples, seeds=range(len(groups)))


def first_points(group: Encoding, n_points: int) -> Encoding:
    """Return a group that ends early."""
    tables = {name: values[:, :n_points] for name, values in group.tables.items()}
    return Encoding(group.features[:, :n_points], tables, group.n_points.clamp(max=n_points))


def profiled(
    network: ClusteringNetwork, groups: Sequence[Encoding], n_samples: int, device: torch.device
) -> tuple[float, list[dict[str, Any]]]:
    """Operations a step, and those that take most of the time: kernels of a GPU, or what torch calls.

    A step is one point of all hypotheses that are walked at once.
    """
    part = [first_points(group, PROFILED_POINTS) for group in groups]
    on_gpu = device.type == "cuda"
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]
    with profile(activities=activities) as profiler:
        side_by_side(network, part, n_samples)
    count: Counter[str] = Counter()
    time: Counter[str] = Counter()
    for event in profiler.events():
        if on_gpu and event.device_type == DeviceType.CUDA:
            count[event.name] += 1
            time[event.name] += event.device_time_total
        elif not on_gpu and event.name.startswith("aten::"):
            count[event.name] += 1
            time[event.name] += event.self_cpu_time_total
    n_walks = -(-len(groups) * n_samples // rows_at_once(device))
    n_steps = n_walks * max(group.features.shape[1] for group in part)
    rows = [
        {"operation": name[:60], "a step": count[name] / n_steps, "part of the time": one / time.total()}
        for name, one in time.most_common(12)
    ]
    return count.total() / n_steps, rows


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--model", default=None)
    parser.add_argument("--groups", type=int, default=49)
    parser.add_argument("--fewest", type=int, default=300, help="spikes of a group")
    parser.add_argument("--most", type=int, default=2000, help="spikes of a group")
    parser.add_argument("--samples", type=int, default=None, help="of each group  [200 on a GPU, else 40]")
    arguments = parser.parse_args()
    device = begin(arguments)
    n_samples = arguments.samples or (200 if device.type == "cuda" else 40)
    if arguments.quick:
        arguments.groups, arguments.fewest, arguments.most, n_samples = 3, 20, 40, 4
    checkpoint = load_checkpoint(arguments.model, device=device)
    network = checkpoint.network
    with Clock(device) as encode:
        groups = encode_groups(network, arguments.groups, arguments.fewest, arguments.most)
    n_spikes = sum(group.features.shape[1] for group in groups)
    side_by_side(
        network, [first_points(group, 20) for group in groups], n_samples
    )  # the first call costs more
    with Clock(device) as alone:
        theirs = one_after_the_other(network, groups, n_samples)
    with Clock(device) as together:
        ours = side_by_side(network, groups, n_samples)
    same = np.mean([(a.labels == b.labels).all(axis=1).mean() for a, b in zip(ours, theirs, strict=True)])
    rows = [
        {"way": name, "s": clock.wall_s, "CPU s": clock.cpu_s, "spikes a s": n_spikes / clock.wall_s}
        for name, clock in (("one after the other", alone), ("side by side", together))
    ]
    print(table(rows))
    n_operations, slowest = profiled(network, groups, n_samples, device)
    print(table(slowest))
    kind = "kernels" if device.type == "cuda" else "operators of torch, views among them,"
    page = f"""
# {len(groups)} channel groups

{n_spikes} spikes in groups of {arguments.fewest} to {arguments.most}, {n_samples} posterior samples each,
model `{checkpoint.name}`. {where(device)}

{table(rows)}

Making and encoding the groups took {encode.wall_s:.1f} s. Of the samples, {100 * same:.1f} % are the same
both ways; others differ where rounding meets a random number.

## Where the time goes

{n_operations:.0f} {kind} a step, which is one point of up to {rows_at_once(device)} hypotheses of several
groups. Over the first {PROFILED_POINTS} spikes of the groups:

{table(slowest)}
"""
    content = {
        "model": checkpoint.name,
        "groups": len(groups),
        "spikes": n_spikes,
        "samples": n_samples,
        "device": str(device),
        "same_samples": float(same),
        "rows": rows,
        "operations_a_point": n_operations,
        "slowest": slowest,
    }
    origin = Origin(SEED, n_samples, models={checkpoint.name: arguments.model or default_model()})
    keep("groups", content, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
