"""TrainConfig: every number that a training run depends on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ncpgui.core.config import check_types, to_dict
from ncpgui.core.errors import InputError
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.registry import NetworkSettings

SCHEDULES = ("cosine", "paper")
PRECISIONS = ("auto", "float32", "bfloat16")


@dataclass(frozen=True)
class TrainConfig:
    """Settings of a training run.

    Parameters
    ----------
    architecture : the network
    data : the generative model and its options
    minutes : wall-clock length of the run, when `steps` is 0
    steps : length of the run in steps; 0 for a run by the clock. By steps the run can be repeated: all that
        changes in its course is a function of the step
    n_datasets : datasets of a step, each with its own labels; divided over the processes
    n_points : (fewest, most) points of a dataset at the start of the run
    n_points_end : the same at the end; the range moves in between
    n_points_each : every dataset draws its own number of points; else one number is drawn for a step
    learning_rate, weight_decay, betas, clip_norm : AdamW and gradient clipping
    warmup_steps : steps of linear warm-up
    schedule : "cosine", to 2 % of `learning_rate` at the end; or "paper", halved after 1/2 and 17/20
    ema_decay : decay of the averaged weights, which are the ones that are kept
    n_orders : orders of the points that are scored for each encoding; networks of clusters (CCP) and of
        points in time (NPT) have one
    order_penalty : weight of the variance of -log q(c | x) over these orders in the loss, per nat
    n_beginnings, beginning_points, beginning_weight : further orders of which the first points are scored,
        how many points, and the weight of their mean in the loss. Which cluster a point opens or joins is
        decided there at first, and is a small part of the loss of all points
    importance_samples : draws of the latent by which a network of clusters (CCP) is scored
    precision : of the encoder: "float32", "bfloat16", or "auto" for bfloat16 on a GPU that has it
    validate_minutes, validate_steps : how often held-out data are scored (and the model is kept when
        better), by the clock and in steps (0: by the clock only)
    validate_points, validate_datasets : size and number of the held-out datasets
    easy_sets : sets of spikes that anybody can cluster, scored beside the held-out ones: weights that lose
        them are not kept; 0 for none
    temperature_datasets : held-out datasets, of `validate_points`, on which the temperature of the finished
        model is fitted; 0 leaves it at 1, one dataset tells nothing of chance
    save_minutes, save_steps : how often what a resume needs is saved
    start_from : model whose weights the run begins with, a shipped name or a file
    start_fixed : these weights stay as they are: only parts that the run adds to the network are trained
    start_share : share of these weights in what is scored and kept, the rest being those of the run: what
        lies between serves other data better than either end (Wortsman et al., CVPR 2022)
    seed : of the weights and of all data

    Raises
    ------
    InputError
        An impossible value, with its rule.
    """

    architecture: NetworkSettings = field(default_factory=NetworkSettings)
    data: GenerativeSettings = field(default_factory=GenerativeSettings)
    minutes: float = 90.0
    steps: int = 0
    n_datasets: int = 16
    n_points: tuple[int, int] = (30, 80)
    n_points_end: tuple[int, int] = (80, 300)
    n_points_each: bool = False
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    betas: tuple[float, float] = (0.9, 0.98)
    clip_norm: float = 1.0
    warmup_steps: int = 200
    schedule: str = "cosine"
    ema_decay: float = 0.999
    n_orders: int = 1
    order_penalty: float = 0.0
    n_beginnings: int = 0
    beginning_points: int = 40
    beginning_weight: float = 1.0
    importance_samples: int = 16
    precision: str = "auto"
    validate_minutes: float = 5.0
    validate_steps: int = 0
    validate_points: int = 250
    validate_datasets: int = 32
    easy_sets: int = 0
    temperature_datasets: int = 0
    save_minutes: float = 1.0
    save_steps: int = 0
    start_from: str | None = None
    start_fixed: bool = False
    start_share: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_types(self)
        for name in ("minutes", "learning_rate", "clip_norm", "validate_minutes", "save_minutes"):
            self._require(name, "a finite number above 0", lambda x: x > 0 and math.isfinite(x))
        for name in ("weight_decay", "order_penalty", "beginning_weight"):
            self._require(name, "a finite number, 0 or more", lambda x: x >= 0 and math.isfinite(x))
        for name in (
            "n_datasets",
            "n_orders",
            "importance_samples",
            "warmup_steps",
            "beginning_points",
            "validate_points",
            "validate_datasets",
        ):
            self._require(name, "at least 1", lambda x: x >= 1)
        for name in ("steps", "validate_steps", "save_steps", "easy_sets", "n_beginnings"):
            self._require(name, "0 or more", lambda x: x >= 0)
        self._require("temperature_datasets", "0, or 2 and more", lambda x: x == 0 or x >= 2)
        for name in ("n_points", "n_points_end"):
            self._require(name, "(fewest, most) points", lambda x: len(x) == 2 and 1 <= x[0] <= x[1])
        self._require("start_share", "at least 0 and below 1", lambda x: 0 <= x < 1)
        if self.start_fixed and self.start_from is None:
            raise InputError(
                "training setting 'start_fixed' is true, but the run begins with no model; give "
                "'start_from', or leave 'start_fixed' false"
            )
        if self.start_share and self.start_from is None:
            raise InputError(
                f"training setting 'start_share' is {self.start_share}, but the run begins with no model; "
                "give 'start_from', or leave 'start_share' at 0"
            )
        self._require("ema_decay", "at least 0 and below 1", lambda x: 0 <= x < 1)
        self._require("betas", "two numbers, each at least 0 and below 1", lambda x: _all_decays(x))
        self._require("schedule", f"one of {', '.join(SCHEDULES)}", lambda x: x in SCHEDULES)
        self._require("precision", f"one of {', '.join(PRECISIONS)}", lambda x: x in PRECISIONS)

    def _require(self, name: str, rule: str, holds: Any) -> None:
        value = getattr(self, name)
        if not holds(value):
            raise InputError(f"training setting '{name}' must be {rule}, got {value}")

    @property
    def noun(self) -> str:
        """What a point is called: "spike", or "point" where the data are something else."""
        return "spike" if self.data.model.endswith("spikes") else "point"

    def part_done(self, step: int, minutes: float) -> float:
        """Part of the run that is over, 0 .. 1, after `step` steps and `minutes` of wall clock."""
        return min(1.0, step / self.steps if self.steps else minutes / self.minutes)


MAY_CHANGE = (
    "minutes",
    "steps",
    "validate_minutes",
    "validate_steps",
    "temperature_datasets",
    "save_minutes",
    "save_steps",
)
"""Settings that may be others when a run goes on: how long it is, and how often something is written."""


def differences(before: dict[str, Any], now: TrainConfig) -> list[str]:
    """Say in what a run that goes on differs from one with the settings `before`, as of `to_dict`.

    >>> differences(to_dict(TrainConfig()), TrainConfig(learning_rate=0.1, minutes=5.0))
    ['learning_rate 0.001, now 0.1']
    """
    old, new = _flat(before), _flat(to_dict(now))
    names = [name for name in dict.fromkeys([*old, *new]) if name not in MAY_CHANGE]
    return [
        f"{name} {old.get(name)}, now {new.get(name)}" for name in names if old.get(name) != new.get(name)
    ]


def _flat(values: dict[str, Any], inside: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= _flat(value, f"{inside}{name}.") if isinstance(value, dict) else {inside + name: value}
    return flat


def _all_decays(values: tuple[float, ...]) -> bool:
    return len(values) == 2 and all(0 <= value < 1 for value in values)
