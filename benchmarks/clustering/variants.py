"""What each part of the network is worth: variants trained from nothing for the same core time, side by side.

    python -m benchmarks.clustering.variants [NAME ...] [--minutes 10] [--jobs 2]

Every run has the same data, learning rate and seed, on one core; the held-out sets are the same. The table
has the held-out loss, and the AMI of the first alternative on our test sets (those of `clustering.py`). A run
of the same source that was done is kept, so that one that was stopped goes on; name it to run it again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.clustering.clustering_outcomes import ami_of
from benchmarks.clustering.clustering_sets import own_sets
from benchmarks.common.report import (
    RESULTS,
    REVISION,
    SEED,
    Origin,
    add_jobs,
    begin,
    keep,
    options,
    side_by_side,
    table,
    where,
)
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.registry import NetworkSettings
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.loop import train

GEOMETRIES = ("hex7", "tetrode")
N_SAMPLES = 80

NCP = NetworkSettings(network="ncp", network_options={"h_dim": 128})
OURS = NetworkSettings()


@dataclass(frozen=True)
class Variant:
    """A network and its run; `about` is what differs."""

    about: str
    architecture: NetworkSettings
    run: dict[str, Any]


def _ncp(**more: Any) -> NetworkSettings:
    return replace(NCP, network_options={**NCP.network_options, **more})


def _ours(**parts: Any) -> NetworkSettings:
    return replace(OURS, network_options=parts)


VARIANTS = {
    "paper, sums": Variant("f(G_k, U) of the paper, sums", NCP, {}),
    "paper, own u": Variant("the same, u another encoder", replace(NCP, own_u=True), {}),
    "paper, h_n to f": Variant("the same, f sees h_n", _ncp(f_sees_point=True), {}),
    "paper, means": Variant("means and log n in place of sums", _ncp(pooling="mean"), {}),
    "paper, means, h_n": Variant("both", _ncp(pooling="mean", f_sees_point=True), {}),
    "ours": Variant("f sees the candidate's own state", _ours(), {}),
    "ours, two orders": Variant("two orders scored on each encoding", _ours(), {"n_orders": 2}),
    "ours, order penalty": Variant(
        "and their variance penalised", _ours(), {"n_orders": 2, "order_penalty": 0.1}
    ),
    "ours, pairs": Variant("U as seen from each spike", _ours(pairs=16), {}),
    "ours, components": Variant("and axes of the dataset", _ours(pairs=16, components=6), {}),
    "ours, white": Variant("and these in white noise", _ours(pairs=16, components=6, whitened=True), {}),
}


def trained(variant: Variant, minutes: float, folder: Path) -> tuple[Path, dict[str, Any]]:
    """Train a variant: its model, and what is known of the run."""
    config = TrainConfig(
        architecture=variant.architecture,
        data=GenerativeSettings(options={"geometries": list(GEOMETRIES)}),
        minutes=minutes,
        n_points=(50, 150),
        n_points_end=(100, 250),
        validate_points=250,
        validate_datasets=32,
        validate_minutes=minutes / 4,
        **variant.run,
    )
    out = folder / "variant.safetensors"
    steps, scores = 0, None
    for step in train(config, out=out):
        steps, scores = step.step, step.validation or scores
    assert scores is not None
    return out, {"steps": steps, "nats a spike": scores.nll, "K error": scores.k_error}


def scored(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Train a variant and sort our test sets with it: what its row in the table says."""
    with tempfile.TemporaryDirectory() as folder:
        model, row = trained(VARIANTS[name], arguments.minutes, Path(folder))
        asked = argparse.Namespace(**vars(arguments), samples=N_SAMPLES, beam=0, cache=Path(folder))
        found = [
            ami_of(one, model, asked)
            for geometry in GEOMETRIES
            for one in own_sets(geometry, arguments.spikes, arguments.sets)
            if one.n_units > 1
        ]
    error = float(np.std(found, ddof=1) / np.sqrt(len(found)))
    return {
        **row,
        "AMI": float(np.mean(found)),
        "± se": error,
        "minutes": arguments.minutes,
    }


def parsed() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(VARIANTS)}  [those not done]"
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="of each training  [10]")
    parser.add_argument("--spikes", type=int, default=300)
    parser.add_argument("--sets", type=int, default=10, help="of each of two geometries  [10]")
    add_jobs(parser)
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in VARIANTS]
    if unknown:
        parser.error(f"no variant {', '.join(unknown)}; there are {', '.join(VARIANTS)}")
    return arguments


def main() -> None:
    arguments = parsed()
    arguments.threads = arguments.threads or 1
    device = begin(arguments)
    if arguments.quick:
        arguments.minutes, arguments.spikes, arguments.sets = 0.02, 40, 1
    kept = RESULTS / "variants.json"
    done: dict[str, Any] = {}
    if kept.is_file() and not arguments.quick:
        before = json.loads(kept.read_text(encoding="utf-8"))
        same = before.get("origin", {}).get("git_revision") == REVISION.commit and not REVISION.changed
        done = before["rows"] if same else {}
    names = arguments.names or [name for name in VARIANTS if name not in done]
    with side_by_side(arguments.jobs) as in_turn:
        for name, row in zip(names, in_turn(partial(scored, arguments=arguments), names), strict=True):
            done[name] = row
            write(done, device, arguments)


def write(done: dict[str, Any], device: torch.device, arguments: argparse.Namespace) -> None:
    """Keep and print the table of the variants that are done."""
    rows = [
        {"variant": name, "what": VARIANTS[name].about, **done[name]} for name in VARIANTS if name in done
    ]
    page = f"""
# What each part of the network is worth

Each variant trained from nothing for {arguments.minutes:g} minutes on one core, on hexagons and tetrodes of
up to 250 spikes; loss on 32 held-out sets of 250 spikes; AMI of the first alternative on {arguments.sets}
sets of {arguments.spikes} spikes of each. {where(device)}

{table(rows)}
"""
    origin = Origin(SEED, N_SAMPLES)
    keep("variants", {"rows": done}, page=page, origin=origin, folder=arguments.out)
    print(table(rows), flush=True)


if __name__ == "__main__":
    main()
