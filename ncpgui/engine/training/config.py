"""TrainConfig: every number that a training run depends on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from ncpgui.core.config import from_dict, read_toml
from ncpgui.core.errors import InputError
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.registry import NetworkSettings


@dataclass(frozen=True)
class TrainConfig:
    """Settings of a training run.

    Parameters
    ----------
    architecture : the network
    data : the generative model and its options
    minutes : wall-clock length of the run; the learning rate falls to zero by its end
    n_datasets : datasets of a step, each with its own labels
    n_points : (fewest, most) spikes of a dataset at the start of the run
    n_points_end : the same at the end; the range moves in between
    learning_rate, weight_decay, clip_norm, warmup_steps : AdamW, gradient clipping, linear warm-up
    ema_decay : decay of the averaged weights, which are the ones that are kept
    n_orders : spike orders scored for each encoding
    validate_minutes : wall clock between validations (and checkpoints when better)
    validate_points : spikes of the held-out datasets
    start_from : model whose weights the run begins with, a shipped name or a file
    seed : of the weights and of all data
    """

    architecture: NetworkSettings = field(default_factory=NetworkSettings)
    data: GenerativeSettings = field(default_factory=GenerativeSettings)
    minutes: float = 90.0
    n_datasets: int = 16
    n_points: tuple[int, int] = (30, 80)
    n_points_end: tuple[int, int] = (80, 300)
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    clip_norm: float = 1.0
    warmup_steps: int = 200
    ema_decay: float = 0.999
    n_orders: int = 1
    validate_minutes: float = 5.0
    validate_points: int = 250
    start_from: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("minutes", "learning_rate", "clip_norm", "validate_minutes"):
            if getattr(self, name) <= 0:
                raise InputError(f"training setting '{name}' must be positive, got {getattr(self, name)}")
        for name in ("n_datasets", "n_orders", "warmup_steps", "validate_points"):
            if getattr(self, name) < 1:
                raise InputError(f"training setting '{name}' must be at least 1, got {getattr(self, name)}")
        for name in ("n_points", "n_points_end"):
            bounds = getattr(self, name)
            if len(bounds) != 2 or not 1 <= bounds[0] <= bounds[1]:
                raise InputError(f"training setting '{name}' must be (fewest, most) spikes, got {bounds}")
        if not 0 <= self.ema_decay < 1:
            raise InputError(f"training setting 'ema_decay' must be in [0, 1), got {self.ema_decay}")


def presets() -> dict[str, TrainConfig]:
    """Return the named configurations of ``ncpgui train NAME``."""
    return {
        "spikes": TrainConfig(),
        "spikes-long": replace(  # what the first run learnt, on sets as large as those of a recording
            TrainConfig(),
            start_from="spikes",
            minutes=30.0,
            n_datasets=8,
            n_points=(150, 500),
            n_points_end=(250, 900),
            learning_rate=3e-4,
            validate_points=700,
        ),
        "paper-spikes-hex7": replace(
            TrainConfig(),
            architecture=NetworkSettings(network="ncp", encoder="resnet1d"),
            n_points=(200, 500),
            n_points_end=(200, 500),
            learning_rate=1e-4,
            data=GenerativeSettings(options={"geometries": ["hex7"]}),
        ),
        "gauss2d": _gauss2d(),
        "gauss2d-alpha07": replace(  # the prior of the paper's Geweke test
            _gauss2d(),
            data=GenerativeSettings("gauss2d", {"alpha": 0.7, "alpha_drawn": False}),
            start_from="gauss2d",
            minutes=15.0,
            learning_rate=5e-4,
        ),
        "paper-gauss2d-ncp": replace(
            _gauss2d(),
            architecture=NetworkSettings(
                network="ncp",
                encoder="points",
                own_u=True,
                network_options={"h_dim": 128, "g_hidden": [256, 256, 256], "g_dim": 256},
            ),
            data=GenerativeSettings("gauss2d", {"shared_labels": True}),
            n_points=(5, 100),
            learning_rate=1e-4,
        ),
    }


def _gauss2d() -> TrainConfig:
    """The 2D Gaussian model of the paper (sec. 5) with our network."""
    architecture = NetworkSettings(
        encoder="points",
        encoder_options={"hidden": [128, 128], "h_dim": 64, "scale": 0.1, "skip": True},
        network_options={"h_dim": 64, "metric": 32, "hidden": 128},
    )
    return TrainConfig(
        architecture=architecture,
        data=GenerativeSettings("gauss2d"),
        minutes=60.0,
        n_datasets=64,
        n_points=(5, 30),
        n_points_end=(5, 100),
        learning_rate=2e-3,
        validate_points=50,
    )


def load_config(name_or_path: str) -> TrainConfig:
    """Return a preset by name, or a configuration from a TOML file.

    Raises
    ------
    InputError
        Neither a preset nor a file; unknown keys or impossible values.
    """
    known = presets()
    if name_or_path in known:
        return known[name_or_path]
    path = Path(name_or_path)
    if path.suffix == ".toml" or path.is_file():
        return from_dict(TrainConfig, read_toml(path), place=path.name)
    raise InputError(
        f"no training preset '{name_or_path}' and no such TOML file; presets are {', '.join(sorted(known))}"
    )
