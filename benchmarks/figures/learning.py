"""Global permutation invariance while a network learns (paper, SM C): NLL over 8 orders, and its spread.

The stages of the shipped models are not kept: a short run of its own is trained for this figure, and its
curve is kept in results/learning.json. All stages are scored on the same datasets.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.common.report import Origin, machine
from ncpgui.core.errors import InputError
from ncpgui.engine.diagnostics.exchangeability import Exchangeability
from ncpgui.engine.generative.batch import Batch, canonical_labels
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.networks.registry import build_network
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.losses import random_order
from ncpgui.engine.training.presets import PRESETS
from ncpgui.engine.training.resume import read_state, resume_path

from .base import INK, MODEL, Made, Source, canvas, data_of, plain_ticks

MODELS = ("gauss2d",)

KEPT = Path(__file__).parents[1] / "results" / "learning.json"
N_DATASETS, N_POINTS, N_ORDERS = 64, 50, 8
STEPS, STAGE = 600, 10

Stage = dict[str, float]
"""step, minutes; nll in nats a point; ratio, ratio_each: sd over mean, of all datasets and of single ones."""


def make(source: Source) -> Made:
    """Draw the curve that is kept; without one, or when asked to, train."""
    checkpoint = source.load("gauss2d")
    if not isinstance(checkpoint.network, ClusteringNetwork):
        raise InputError("model 'gauss2d' does not visit the points in any order")
    batch = data_of(checkpoint).sample(N_DATASETS, N_POINTS, torch.Generator().manual_seed(source.seed))
    if KEPT.is_file() and not source.retrain:
        stages: list[Stage] = json.loads(KEPT.read_text(encoding="utf-8"))["stages"]
    elif source.quick:
        stages = list(_stages(batch, steps=20, stage=5))
    else:
        stages = list(_stages(batch, steps=STEPS, stage=STAGE))
        origin = Origin(PRESETS["gauss2d"].config.seed).told()
        content = {"origin": origin, "machine": machine(), "preset": "gauss2d", "stages": stages}
        KEPT.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    shipped = _score(checkpoint.network, batch)

    figure = canvas(5.4, width=7.6)
    above, below = figure.subplots(2, 1, sharex=True)
    step = [stage["step"] for stage in stages]
    for ax, key, dashes, name in (
        (above, "nll", (0, ()), f"{N_DATASETS} datasets together"),
        (below, "ratio", (0, ()), ""),
        (below, "ratio_each", (0, (4, 2)), "single datasets"),
    ):
        ax.plot(step, [s[key] for s in stages], color=MODEL, linewidth=1.6, linestyle=dashes, label=name)
        ax.axhline(shipped[key], color=INK, linewidth=1.1, linestyle=(0, (1, 2)))
    below.plot([], [], color=INK, linewidth=1.1, linestyle=(0, (1, 2)), label="shipped model")
    above.set(ylabel="NLL, nats a point", xscale="log", yscale="log", xlim=(step[0], step[-1]))
    below.set(xlabel="training step", ylabel="sd / mean over 8 orders", yscale="log")
    plain_ticks(above.yaxis, (0.05, 0.1, 0.2, 0.5, 1))
    plain_ticks(below.yaxis, (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5))
    plain_ticks(below.xaxis, (10, 20, 50, 100, 200, 500, 1000))
    figure.legend(loc="outside lower center", ncols=3, handlelength=2.2)
    measured: dict[str, Any] = {
        "n_datasets": N_DATASETS,
        "n_points": N_POINTS,
        "n_orders": N_ORDERS,
        "steps": stages[-1]["step"],
        "minutes": stages[-1]["minutes"],
        "first": stages[0],
        "last": stages[-1],
        "shipped": {**shipped, "steps": checkpoint.card["steps"]},
        "largest_ratio": max(stage["ratio"] for stage in stages),
    }
    return Made(figure, measured)


def _stages(batch: Batch, *, steps: int, stage: int) -> Iterator[Stage]:
    """Train from fresh weights, and score the averaged weights as the run goes on."""
    config: TrainConfig = replace(
        PRESETS["gauss2d"].config, steps=steps, save_steps=stage, save_minutes=1e6, validate_minutes=1e6
    )
    network = build_network(config.architecture).eval()
    assert isinstance(network, ClusteringNetwork)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.safetensors"
        for done in train(config, out=out):
            if done.step % stage == 0:
                network.load_state_dict(read_state(resume_path(out))["average"])
                yield {"step": done.step, "minutes": done.minutes, **_score(network, batch)}


@torch.inference_mode()
def _score(network: ClusteringNetwork, batch: Batch) -> Stage:
    """NLL of the true clusterings over several orders of the points, and its spread."""
    encoding = network.encode(*batch.points)
    generator = torch.Generator().manual_seed(1)
    nll = np.empty((len(batch.labels), N_ORDERS))
    for i in range(N_ORDERS):
        order = random_order(batch.labels, generator)
        labels = canonical_labels(batch.labels.gather(1, order))
        log_prob = network.log_prob(network.finish(encoding.reordered(order)), labels)
        nll[:, i] = -log_prob.double().sum(1)
    found = Exchangeability(N_POINTS, nll, np.full(len(nll), math.nan), np.full(len(nll), math.nan))
    return {"nll": found.nll_per_point, "ratio": found.sd_over_mean, "ratio_each": found.sd_over_mean_each}
