"""The named runs of ``ncpgui train NAME``, and runs from TOML files; a preset is an entry of `PRESETS`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ncpgui.core import arguments
from ncpgui.core.config import from_dict, read_toml
from ncpgui.core.errors import InputError
from ncpgui.core.nearest import did_you_mean
from ncpgui.core.resources import data_folder
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.model_files import find_model, load_card
from ncpgui.engine.networks.registry import NetworkSettings
from ncpgui.engine.training.config import TrainConfig


@dataclass(frozen=True)
class Preset:
    """A run with a name; `about` is what the help of ``ncpgui train`` says of it."""

    about: str
    config: TrainConfig


def _run(name: str, **other: Any) -> TrainConfig:
    """A run that a shipped model was trained by (`trained_models/runs`), with other settings."""
    path = data_folder("trained_models") / "runs" / f"{name}.toml"
    return replace(from_dict(TrainConfig, read_toml(path), place=path.name), **other)


_GAUSS2D = _run("gauss2d", minutes=60.0)

_DIGITS = _run("digits", minutes=20.0)

_PAPER = TrainConfig(  # Adam as in SM D and G; what the paper does not state is ours
    learning_rate=1e-4,
    betas=(0.9, 0.999),
    weight_decay=0.0,
    warmup_steps=1,
    schedule="paper",
)

_PAPER_CCP = {
    "pooling": "sum",
    "sees_first": False,
    "z_dim": 128,
    "g_hidden": [256, 256, 256],
    "g_dim": 256,
    "hidden": [256, 256, 256],
    "rho_hidden": [256, 256, 256],
}

_PAPER_SETS = replace(_PAPER, n_datasets=64, n_points=(5, 100), n_points_end=(5, 100), validate_points=50)

_PAPER_DIGITS = replace(
    _PAPER_SETS,
    architecture=replace(_DIGITS.architecture, network="ccp", own_u=True, network_options=_PAPER_CCP),
    data=GenerativeSettings("digits", {"shared_labels": True}),
)

_PAPER_GAUSS2D = replace(
    _PAPER_SETS,
    architecture=NetworkSettings(network="ccp", encoder="points", own_u=True, network_options=_PAPER_CCP),
    data=GenerativeSettings("gauss2d", {"shared_labels": True}),
    minutes=60.0,
    precision="float32",
)


def _paper_ncp(config: TrainConfig, **options: Any) -> TrainConfig:
    """The same sets for the NCP of the paper."""
    return replace(config, architecture=replace(config.architecture, network="ncp", network_options=options))


def _spikes() -> TrainConfig:
    """The network and the data of the model `spikes`, from nothing: those of its last stretch."""
    last = _run("spikes-bursts")
    return TrainConfig(
        architecture=last.architecture,
        data=last.data,
        n_points_each=True,
        n_beginnings=last.n_beginnings,
        beginning_weight=last.beginning_weight,
        validate_points=400,
        validate_datasets=48,
        easy_sets=48,
        validate_minutes=15.0,
    )


_SPIKES = _spikes()

PRESETS: dict[str, Preset] = {
    "spikes": Preset("any layout of up to 12 contacts, with and without times", _SPIKES),
    "spikes-gpu": Preset(
        "the same on a GPU, in half an hour",
        replace(
            _SPIKES,
            minutes=25.0,
            n_datasets=64,
            n_points=(40, 400),
            n_points_end=(40, 900),
            ema_decay=0.998,
            precision="float32",
            validate_points=250,
            validate_datasets=16,
            easy_sets=0,
            validate_minutes=6.0,
        ),
    ),
    "spikes-long": Preset(
        "goes on from the model 'spikes', with larger sets",  # as large as those of a recording
        replace(
            _SPIKES,
            start_from="spikes",
            minutes=30.0,
            n_datasets=8,
            n_points=(150, 500),
            n_points_end=(250, 900),
            learning_rate=3e-4,
            ema_decay=0.985,
            validate_points=700,
            validate_datasets=32,
            temperature_datasets=32,
        ),
    ),
    "paper-spikes-hex7": Preset(
        "the network and the run of the paper, 7 contacts of a hexagonal array",
        replace(
            _PAPER,
            architecture=NetworkSettings(network="ncp", encoder="resnet1d"),
            data=GenerativeSettings(options={"geometries": ["hex7"]}),
            steps=20_000,
            n_datasets=32,
            n_points=(200, 500),
            n_points_end=(200, 500),
        ),
    ),
    "gauss2d": Preset("points of 2D Gaussians (sec. 5 of the paper), our network", _GAUSS2D),
    "gauss2d-orders": Preset(
        "goes on from the model 'gauss2d' until the order of the points matters less",
        replace(
            _GAUSS2D,
            start_from="gauss2d",
            minutes=10.0,
            n_points=(5, 100),
            learning_rate=5e-4,
            n_orders=2,
            order_penalty=0.1,
        ),
    ),
    "gauss2d-alpha07": Preset(
        "goes on from the model 'gauss2d' with the prior of the paper's Geweke test",
        _run("gauss2d-alpha07", start_from="gauss2d", minutes=15.0),
    ),
    "gauss2d-ccp": Preset(
        "points of 2D Gaussians, our network that draws whole clusters",
        _run("gauss2d-ccp", minutes=45.0, validate_datasets=256),
    ),
    "digits": Preset("handwritten digits, 8 x 8 pixels, our network", _DIGITS),
    "digits-ccp": Preset(
        "handwritten digits, our network that draws whole clusters",
        _run("digits-ccp", minutes=20.0),
    ),
    "particles": Preset(
        "tracks of particles that appear, drift and vanish, our network", _run("particles", minutes=20.0)
    ),
    "particles-npt": Preset(
        "tracks of particles, the NPT of the paper (SM F)",
        replace(
            _PAPER,
            architecture=NetworkSettings(network="npt", encoder="points", own_u=True),
            data=GenerativeSettings("particles"),
            n_datasets=64,
            n_points=(20, 100),
            n_points_end=(20, 100),
            validate_points=60,
        ),
    ),
    "paper-digits-ncp": Preset(
        "handwritten digits, the NCP of the paper with its layers for 28 x 28 pixels on 8 x 8",
        _paper_ncp(_PAPER_DIGITS, h_dim=128, g_hidden=[128, 128, 128, 128], g_dim=256),
    ),
    "paper-digits-ccp": Preset(
        "handwritten digits, the CCP of the paper; sizes that it does not give are ours", _PAPER_DIGITS
    ),
    "paper-gauss2d-ccp": Preset(
        "points of 2D Gaussians, the CCP of the paper; sizes that it does not give are ours", _PAPER_GAUSS2D
    ),
    "paper-gauss2d-ncp": Preset(
        "points of 2D Gaussians, the NCP of the paper",
        _paper_ncp(_PAPER_GAUSS2D, h_dim=128, g_hidden=[256, 256, 256], g_dim=256),
    ),
}


def load_config(name_or_path: str | Path, *, start_from: str | None = None) -> TrainConfig:
    """Return a preset by name, or a configuration from a TOML file.

    start_from : takes the place of the model that the run begins with. A file that names no network gets
    that of the model it begins with.

    Raises
    ------
    InputError
        Neither a preset nor a file; unknown keys or impossible values, with the file's name.
    CheckpointError
        There is no such model to begin with.
    """
    path = arguments.path(name_or_path, "the training run")
    if str(name_or_path) in PRESETS:
        config = PRESETS[str(name_or_path)].config
        return config if start_from is None else replace(config, start_from=start_from)
    if path.suffix != ".toml" and not path.is_file():
        raise InputError(
            f"no training preset '{name_or_path}' and no such TOML file; presets are "
            f"{', '.join(sorted(PRESETS))}{did_you_mean(path.name.removesuffix('.toml'), PRESETS)}"
        )
    values = read_toml(path)
    if start_from is not None:
        values = {**values, "start_from": start_from}
    try:
        config = from_dict(TrainConfig, values, place=path.name)
    except InputError as error:
        place = "" if path.name in str(error) else f"{path.name}: "
        raise InputError(f"{place}{error}") from error
    if config.start_from is None or "architecture" in values:
        return config
    card = load_card(find_model(config.start_from))
    return replace(config, architecture=from_dict(NetworkSettings, card["architecture"], place="the card"))
