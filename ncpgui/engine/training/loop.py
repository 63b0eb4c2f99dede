"""Teacher-forced training of a clustering network on an endless generative model.

The loss is the mean over points of -log q(c_n | c_<n, x) for labels drawn with the data (paper,
eq. 8); all points, clusters and datasets of a step are scored in one pass. `train` is a generator
of `TrainStep`: the command line prints them, a window plots them, a test takes three.
"""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ncpgui import __version__
from ncpgui.core.config import from_dict, to_dict
from ncpgui.core.errors import CheckpointError
from ncpgui.core.files import replaced_file
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.generative.batch import Batch, GenerativeModel, canonical_labels
from ncpgui.engine.networks.checkpoint import load_checkpoint, save_checkpoint
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.validation import Scores, validate

_SPOILT = 20.0  # nats a spike; an untrained network starts near 1


@dataclass(frozen=True)
class TrainStep:
    """What one step did: step and minutes so far, loss in nats a spike, step accuracy, speed.

    `validation` is there on the steps after which held-out data were scored.
    """

    step: int
    minutes: float
    loss: float
    accuracy: float
    learning_rate: float
    n_points: int
    validation: Scores | None = None


def mean_loss(network: ClusteringNetwork, batch: Batch, *, n_orders: int) -> tuple[Tensor, Tensor]:
    """Mean -log q in nats a spike, and share of spikes whose label got a probability above 1/2.

    The spikes are encoded once and scored in `n_orders` random orders (the first as drawn).
    """
    encoding = network.encode(*batch.points, n_points=batch.n_points)
    losses, hits = [], []
    n_points = batch.labels.shape[1]
    for i in range(n_orders):
        labels = batch.labels
        visited = encoding
        if i:
            order = torch.randperm(n_points, device=labels.device)
            visited = encoding.reordered(order)
            labels = canonical_labels(labels[:, order])
        log_prob = network.log_prob(network.finish(visited), labels)
        losses.append(-log_prob.mean())
        hits.append((log_prob > math.log(0.5)).float().mean())
    return torch.stack(losses).mean(), torch.stack(hits).mean()


def train(
    config: TrainConfig,
    *,
    out: Path,
    device: torch.device | str = "cpu",
    resume: bool = False,
    command: str = "",
) -> Iterator[TrainStep]:
    """Train for ``config.minutes``; the best averaged weights go to ``out`` (.safetensors + card).

    Parameters
    ----------
    out : path of the weights file; ``out`` with suffix .resume.pt beside it holds what is needed
        to go on (model, optimiser, averaged weights, random state) and is written at validations
    resume : go on from that file

    Raises
    ------
    CheckpointError
        `resume` without a readable state, or one of another configuration.
    """
    torch.manual_seed(stream_seed(config.seed, "weights"))
    network = build_network(config.architecture).to(device)
    parent = _parent_card(config, network)
    average = deepcopy(network).eval()
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay, betas=(0.9, 0.98)
    )
    generator = torch.Generator(device=device).manual_seed(stream_seed(config.seed, "data"))
    model, held_out = config.data.build("train"), config.data.build("test")
    run = _Run(network, average, optimiser, generator)
    if resume:
        run.load(_resume_path(out), config)
    started = time.monotonic() - 60 * run.minutes
    next_validation = run.minutes + config.validate_minutes
    network.train()
    while run.minutes < config.minutes:
        part = run.minutes / config.minutes
        rate = config.learning_rate * min(1.0, (run.step + 1) / config.warmup_steps)
        rate *= 0.5 * (1 + math.cos(math.pi * min(part, 1.0))) * 0.98 + 0.02
        for group in optimiser.param_groups:
            group["lr"] = rate
        n_points = _n_points(config, part, generator)
        batch = model.sample(config.n_datasets, n_points, generator)
        loss, accuracy = mean_loss(network, batch, n_orders=config.n_orders)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(network.parameters(), config.clip_norm)
        if torch.isfinite(norm) and loss < _SPOILT:  # one freak batch must not spoil the weights
            optimiser.step()
            _follow(average, network, min(config.ema_decay, (1 + run.step) / (10 + run.step)))
        run.step += 1
        run.minutes = (time.monotonic() - started) / 60
        scores = None
        if run.minutes >= next_validation or run.minutes >= config.minutes:
            next_validation = run.minutes + config.validate_minutes
            scores = validate(average, held_out, seed=config.seed, n_points=config.validate_points)
            run.curve.append({"step": run.step, "minutes": round(run.minutes, 2), **to_dict(scores)})
            if scores.nll < run.best_nll:
                run.best_nll = scores.nll
                card = _card(config, run, model, command) | parent
                save_checkpoint(out, average, config.architecture, card)
            run.save(_resume_path(out), config)
        yield TrainStep(
            run.step, run.minutes, loss.item(), accuracy.item(), rate, batch.labels.shape[1], scores
        )


def _parent_card(config: TrainConfig, network: ClusteringNetwork) -> dict[str, Any]:
    """Give `network` the weights of ``config.start_from``; return what the card says of that model."""
    if config.start_from is None:
        return {}
    parent = load_checkpoint(config.start_from)
    if from_dict(NetworkSettings, parent.card["architecture"]) != config.architecture:
        raise CheckpointError(
            f"start_from: model '{parent.name}' has another architecture than this run; give the run the "
            "architecture in its card"
        )
    network.load_state_dict(parent.network.state_dict())
    kept = ("name", "training", "steps", "minutes", "scores", "curve", "weights_sha256", "started_from")
    return {"started_from": {key: parent.card[key] for key in kept if key in parent.card}}


def _n_points(config: TrainConfig, part: float, generator: torch.Generator) -> int:
    """Spikes of the datasets of one step: the range moves from `n_points` to `n_points_end`."""
    low, high = (
        round(a + (b - a) * min(1.0, 1.25 * part))
        for a, b in zip(config.n_points, config.n_points_end, strict=True)
    )
    return int(torch.randint(low, high + 1, (), generator=generator, device=generator.device))


def _follow(average: nn.Module, network: nn.Module, decay: float) -> None:
    with torch.no_grad():
        for kept, new in zip(average.parameters(), network.parameters(), strict=True):
            kept.data.lerp_(new, 1 - decay)
        for buffer, value in zip(average.buffers(), network.buffers(), strict=True):
            buffer.copy_(value)


def _resume_path(out: Path) -> Path:
    return out.with_suffix(".resume.pt")


@dataclass
class _Run:
    """The state of a run: what a resume needs to go on."""

    network: ClusteringNetwork
    average: ClusteringNetwork
    optimiser: torch.optim.Optimizer
    generator: torch.Generator
    step: int = 0
    minutes: float = 0.0
    best_nll: float = math.inf

    def __post_init__(self) -> None:
        self.curve: list[dict[str, Any]] = []

    def save(self, path: Path, config: TrainConfig) -> None:
        with replaced_file(path) as beside:
            torch.save(
                {
                    "config": to_dict(config),
                    "network": self.network.state_dict(),
                    "average": self.average.state_dict(),
                    "optimiser": self.optimiser.state_dict(),
                    "data_random": self.generator.get_state(),
                    "random": torch.get_rng_state(),
                    "step": self.step,
                    "minutes": self.minutes,
                    "best_nll": self.best_nll,
                    "curve": self.curve,
                },
                beside,
            )

    def load(self, path: Path, config: TrainConfig) -> None:
        try:
            state = torch.load(path, weights_only=True)
        except FileNotFoundError as error:
            raise CheckpointError(
                f"there is no run to resume, {path} is missing; start without --resume"
            ) from error
        except Exception as error:  # torch stumbles over damaged files in many ways
            raise CheckpointError(
                f"cannot resume from {path}, it is damaged or no training run; start without --resume"
            ) from error
        if not isinstance(state, dict) or "config" not in state:
            raise CheckpointError(f"cannot resume from {path}, it is no training run; start without --resume")
        if state["config"]["architecture"] != to_dict(config)["architecture"]:
            raise CheckpointError(f"{path} is a run of another architecture; start without --resume")
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.generator.set_state(state["data_random"])
        torch.set_rng_state(state["random"])
        self.step, self.minutes = state["step"], state["minutes"]
        self.best_nll, self.curve = state["best_nll"], state["curve"]


def _revision() -> str | None:
    """Commit of the source that trains, None where it is no checkout."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _card(config: TrainConfig, run: _Run, model: GenerativeModel, command: str) -> dict[str, Any]:
    return {
        "training": {"command": command, **to_dict(config)},
        **model.describe(),
        "steps": run.step,
        "minutes": round(run.minutes, 1),
        "torch": torch.__version__,
        "temperature": 1.0,
        "date": date.today().isoformat(),
        "ncpgui": __version__,
        "git_revision": _revision(),
        "scores": run.curve[-1],
        "curve": list(run.curve),
    }
