"""Teacher-forced training of a clustering network on an endless generative model.

All points, clusters and datasets of a step are scored in one pass (see `losses`). `train` is a generator of
`TrainStep`: the command line prints them, a window plots them, a test takes three. It may be left after
any of them: what a resume needs is then saved.

A step is a function of the weights, the settings and its number: its data and orders come from streams of
random numbers of its own. By the clock, the learning rate and the range of the number of points depend on
the time too.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from ncpgui.core.arguments import instance, path, reporting
from ncpgui.core.config import to_dict
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.progress import Cancelled, Progress, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.core.source_revision import Revision, source_revision
from ncpgui.engine.generative.batch import GenerativeModel
from ncpgui.engine.networks.checkpoint import load_checkpoint, made_with, save_checkpoint
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.networks.registry import Network, build_network
from ncpgui.engine.torch_defaults import check_defaults
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.easy_sets import easy_ari
from ncpgui.engine.training.losses import batch_loss
from ncpgui.engine.training.precision import encode_in_bfloat16, uses_bfloat16
from ncpgui.engine.training.processes import Processes
from ncpgui.engine.training.resume import RunState, resume_path
from ncpgui.engine.training.validation import Scores, validate


@dataclass(frozen=True)
class TrainStep:
    """What one step did.

    step, minutes : done so far, with those before a resume; minutes_left : of the run, as far as known
    loss : nats a point, over the datasets of all processes; accuracy : share of points whose label got a
        probability above 1/2, None for networks of clusters
    learning_rate, seconds : of this step; n_points : of its largest dataset
    validation : there on the steps after which held-out data were scored
    """

    step: int
    minutes: float
    minutes_left: float
    loss: float
    accuracy: float | None
    learning_rate: float
    seconds: float
    n_points: int
    validation: Scores | None = None


def train(
    config: TrainConfig,
    *,
    out: Path,
    processes: Processes | None = None,
    resume: bool = False,
    command: str = "",
    progress: Progress = silent,
) -> Generator[TrainStep, None, None]:
    """Train as long as `config` says; the best averaged weights go to ``out`` (.safetensors + card).

    Parameters
    ----------
    out : path of the weights file; ``out`` with suffix .resume.pt beside it holds what is needed to go on
    processes : this process among those of the run, with its device; when left out, one on the CPU
    resume : go on from that file
    command : for the card
    progress : told how far the scoring of held-out data is; may raise `Cancelled`, and the state is saved

    Raises
    ------
    InputError
        Network and data do not fit each other, or the datasets cannot be divided over the processes; torch
        has other defaults than float32 on the CPU.
    CheckpointError
        `resume` without a readable state, or one of other settings; `start_from` another architecture.
    Cancelled
        Another process has stopped; the state is saved.
    """
    instance(config, TrainConfig, "the settings of a training run", "make one, or load_config(...) a preset")
    out, progress = path(out, "out"), reporting(progress)
    check_defaults()
    processes = instance(processes or Processes(), Processes, "processes", "leave it out for this one")
    processes.share(config.n_datasets)  # refused before any work
    revision = source_revision()  # of what runs, whatever is committed in the meantime
    model, held_out = config.data.build("train"), config.data.build("test")
    run, saved = _begin(config, processes, model, resume=resume, out=out), resume_path(out)
    session = _Session(run)
    if processes.is_first and not resume:
        saved.unlink(missing_ok=True)  # of a run that this one replaces: nobody should go on with it

    def save() -> None:
        if processes.is_first:
            run.save(saved, config)
            session.saved_minutes = run.minutes

    while True:
        try:
            run.minutes = processes.agreed(run.minutes)
        except Cancelled:
            save()
            raise
        part = config.part_done(run.step, run.minutes)
        if part >= 1:
            break
        rate, began = learning_rate(config, run.step, part), time.monotonic()
        for group in run.optimiser.param_groups:
            group["lr"] = rate
        found = _step(config, run, model, processes, part)
        run.step += 1
        run.minutes, seconds = session.minutes(), time.monotonic() - began
        try:
            scores = None
            if processes.is_first and session.validation_is_due(config):
                kept = _kept(config, run)
                scores = _score(config, run, kept, held_out, progress)
                if scores.beats(run.best_nll, run.best_easy_ari):
                    run.best_nll = scores.nll
                    run.best_easy_ari = -math.inf if scores.easy_ari is None else scores.easy_ari
                    card = _card(config, run, model, processes, command, revision)
                    save_checkpoint(out, kept, config.architecture, card)
            if scores is not None or session.save_is_due(config):
                save()
            yield TrainStep(
                run.step,
                run.minutes,
                session.minutes_left(config),
                found.loss,
                found.accuracy,
                rate,
                seconds,
                found.n_points,
                scores,
            )
        except (GeneratorExit, Cancelled, KeyboardInterrupt):
            save()
            processes.stop_others()
            raise


@dataclass
class _Session:
    """What is counted from the beginning of this session, after a resume."""

    run: RunState

    def __post_init__(self) -> None:
        self.started = time.monotonic()
        self.steps_before, self.minutes_before = self.run.step, self.run.minutes
        self.saved_minutes = self.run.minutes

    def minutes(self) -> float:
        """Minutes of the run, those before this session too."""
        return self.minutes_before + (time.monotonic() - self.started) / 60

    def minutes_left(self, config: TrainConfig) -> float:
        """Minutes to the end; by steps, if they take as long as so far."""
        if not config.steps:
            return max(0.0, config.minutes - self.run.minutes)
        pace = (self.run.minutes - self.minutes_before) / (self.run.step - self.steps_before)
        return pace * (config.steps - self.run.step)

    def validation_is_due(self, config: TrainConfig) -> bool:
        """Whether held-out data should be scored after this step; always after the last."""
        run = self.run
        waited = run.minutes - run.scored_minutes >= config.validate_minutes
        return waited or _is_turn(run.step, config.validate_steps) or self._is_over(config)

    def save_is_due(self, config: TrainConfig) -> bool:
        """Whether the state should be saved after this step."""
        waited = self.run.minutes - self.saved_minutes >= config.save_minutes
        return waited or _is_turn(self.run.step, config.save_steps) or self._is_over(config)

    def _is_over(self, config: TrainConfig) -> bool:
        return config.part_done(self.run.step, self.run.minutes) >= 1


class _Figures(NamedTuple):
    """What a step found, over the datasets of all processes; see `TrainStep`."""

    loss: float
    accuracy: float | None
    n_points: int


def _step(
    config: TrainConfig, run: RunState, model: GenerativeModel, processes: Processes, part: float
) -> _Figures:
    """Draw a batch, score this process's share of it, and move the weights by the gradient of all."""
    seed = stream_seed(config.seed, "step", run.step)
    generator = torch.Generator(device=processes.device).manual_seed(seed)
    n_points = _n_points(config, part, generator)
    try:
        batch = model.sample(config.n_datasets, n_points, generator)
        n_all = int(batch.n_points.sum())
        loss = batch_loss(
            run.network.train(),
            batch,
            seed=seed,
            n_orders=config.n_orders,
            importance_samples=config.importance_samples,
            own=processes.share(config.n_datasets),
            n_beginnings=config.n_beginnings,
            beginning_points=config.beginning_points,
        )
        run.optimiser.zero_grad(set_to_none=False)
        asked = loss.total + config.order_penalty * loss.disagreement
        asked = asked + config.beginning_weight * loss.beginnings
        (asked / n_all).backward()
    except torch.OutOfMemoryError as error:
        raise InputError(
            f"{processes.device} is out of memory with {config.n_datasets} datasets of {n_points} points; "
            "lower n_datasets or n_points_end, or divide the datasets over more GPUs with torchrun"
        ) from error
    right = loss.total.new_tensor(math.nan) if loss.n_right is None else loss.n_right
    figures = torch.stack([loss.total.detach(), right])
    parameters = [p for p in run.network.parameters() if p.requires_grad]
    processes.add_up([figures, *(p.grad for p in parameters if p.grad is not None)])
    norm = nn.utils.clip_grad_norm_(parameters, config.clip_norm)
    if torch.isfinite(norm):  # one freak batch must not spoil the weights
        run.optimiser.step()
        _follow(run.average, run.network, min(config.ema_decay, (1 + run.step) / (10 + run.step)))
    mean_loss, part_right = (figures / n_all).tolist()
    accuracy = None if loss.n_right is None else part_right
    return _Figures(mean_loss, accuracy, batch.labels.shape[1])


def learning_rate(config: TrainConfig, step: int, part: float) -> float:
    """Learning rate of step `step` (from 0), when `part` (0 .. 1) of the run is over."""
    rate = config.learning_rate * min(1.0, (step + 1) / config.warmup_steps)
    if config.schedule == "paper":  # SM D: halved at 10 000 and 17 000 of 20 000 iterations
        return rate * (0.25 if part >= 0.85 else 0.5 if part >= 0.5 else 1.0)
    return rate * (0.5 * (1 + math.cos(math.pi * part)) * 0.98 + 0.02)


def _begin(
    config: TrainConfig, processes: Processes, model: GenerativeModel, *, resume: bool, out: Path
) -> RunState:
    """Build everything that a run consists of: new, from another model, or from where it was."""
    torch.manual_seed(stream_seed(config.seed, "weights"))
    network = build_network(config.architecture).to(processes.device)
    _check_fit(network, model, config)
    average = deepcopy(network).eval()
    processes.share_normalisation(network)
    if uses_bfloat16(config.precision, processes.device):
        encode_in_bfloat16(network, processes.device)
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay, betas=config.betas
    )
    hashes = {name: value for name, value in model.describe().items() if name.endswith("_sha256")}
    run = RunState(network, average, optimiser, data=hashes)
    if resume:
        run.load(resume_path(out), config)
    elif config.start_from is not None:
        run.parent = _start_from(config.start_from, config, run)
    for name, parameter in network.named_parameters():
        if config.start_fixed and name in run.start:
            parameter.requires_grad_(False)
        else:  # all have a gradient, whichever share of a batch needs them
            parameter.grad = torch.zeros_like(parameter)
    return run


def _start_from(name: str, config: TrainConfig, run: RunState) -> dict[str, Any]:
    """Take the weights of another model; return what the card says of it."""
    parent = load_checkpoint(name)
    weights, own = parent.network.state_dict(), run.network.state_dict()
    same_kind = type(parent.network) is type(run.network)
    if not same_kind or any(key not in own or own[key].shape != weights[key].shape for key in weights):
        raise CheckpointError(
            f"start_from: model '{parent.name}' has another architecture than this run; give the run the "
            "architecture in its card, to which parts may be added"
        )
    if "log_temperature" in weights:  # which was fitted to the other model as it is
        weights["log_temperature"] = torch.zeros_like(weights["log_temperature"])
    run.network.load_state_dict(weights, strict=False)
    run.average.load_state_dict(run.network.state_dict())
    if config.start_share or config.start_fixed:
        run.start = weights
    kept = ("name", "training", "steps", "minutes", "scores", "curve", "weights_sha256", "started_from")
    return {"started_from": {key: parent.card[key] for key in kept if key in parent.card}}


def _check_fit(network: Network, model: GenerativeModel, config: TrainConfig) -> None:
    """Refuse a network that cannot take the points of the data, before any work."""
    device = next(network.parameters()).device
    batch = model.sample(2, 3, torch.Generator(device=device).manual_seed(0))
    try:
        with torch.no_grad():
            batch_loss(network.eval(), batch, seed=0, importance_samples=1)
    except InputError:
        raise
    except (TypeError, ValueError, IndexError, AttributeError, RuntimeError) as error:
        if isinstance(error, torch.OutOfMemoryError):
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        names = f"network '{config.architecture.network}' with encoder '{config.architecture.encoder}'"
        raise InputError(
            f"{names} cannot take the points of the generative model '{config.data.model}' ({reason}); give "
            "[architecture] an encoder and sizes that fit [data]"
        ) from error


def _n_points(config: TrainConfig, part: float, generator: torch.Generator) -> int | tuple[int, int]:
    """Points of the datasets of one step: the range moves from `n_points` to `n_points_end`."""
    low, high = (
        round(a + (b - a) * min(1.0, 1.25 * part))
        for a, b in zip(config.n_points, config.n_points_end, strict=True)
    )
    if config.n_points_each:
        return low, high
    return int(torch.randint(low, high + 1, (), generator=generator, device=generator.device))


def _is_turn(step: int, every: int) -> bool:
    return every > 0 and step % every == 0


def _follow(average: nn.Module, network: nn.Module, decay: float) -> None:
    with torch.no_grad():
        for kept, new in zip(average.parameters(), network.parameters(), strict=True):
            kept.data.lerp_(new, 1 - decay)
        for buffer, value in zip(average.buffers(), network.buffers(), strict=True):
            buffer.copy_(value)


def _kept(config: TrainConfig, run: RunState) -> Network:
    """The averaged weights, with the share that `start_share` gives those that the run began with."""
    if not config.start_share:
        return run.average
    kept = deepcopy(run.average)
    with torch.no_grad():
        for name, value in kept.named_parameters():
            if name in run.start:
                value.lerp_(run.start[name].to(value.device), config.start_share)
    return kept


def _score(
    config: TrainConfig, run: RunState, kept: Network, held_out: GenerativeModel, progress: Progress
) -> Scores:
    """Score the weights that are kept on held-out data, and put it on the curve."""
    scores = validate(
        kept,
        held_out,
        seed=config.seed,
        n_points=config.validate_points,
        n_datasets=config.validate_datasets,
        importance_samples=config.importance_samples,
        progress=progress,
    )
    if config.easy_sets and isinstance(kept, ClusteringNetwork):
        scores = replace(scores, easy_ari=easy_ari(kept, n_sets=config.easy_sets, seed=config.seed))
    run.scored_minutes = run.minutes
    run.curve.append({"step": run.step, "minutes": round(run.minutes, 2), **to_dict(scores)})
    return scores


def _card(
    config: TrainConfig,
    run: RunState,
    model: GenerativeModel,
    processes: Processes,
    command: str,
    revision: Revision,
) -> dict[str, Any]:
    return {
        "training": {"command": command, **to_dict(config)},
        **model.describe(),
        "steps": run.step,
        "minutes": round(run.minutes, 1),
        "device": f"{processes.count} x {processes.device.type}",
        "temperature": 1.0,
        **made_with(revision),
        "scores": run.curve[-1],
        "curve": list(run.curve),
        **run.parent,
    }
