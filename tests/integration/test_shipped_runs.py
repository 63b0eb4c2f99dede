"""Every shipped model can be made again: each stretch of its training is a file with what its card says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ncpgui.core.config import to_dict
from ncpgui.core.resources import data_folder
from ncpgui.engine.generative.motion import MotionSettings
from ncpgui.engine.generative.spike_times import SpikeTimeSettings
from ncpgui.engine.training.presets import load_config

MODELS = data_folder("trained_models")
RUNS = MODELS / "runs"


def flat(values: dict[str, Any], inside: str = "") -> dict[str, Any]:
    """Settings by their dotted names."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        open_options = name.endswith("_options")
        nested = isinstance(value, dict) and not open_options
        found |= flat(value, f"{inside}{name}.") if nested else {inside + name: value}
    return found


LATER = {
    "betas": [0.9, 0.98],
    "schedule": "cosine",
    "validate_points": 250,
    "validate_datasets": 32,
    "order_penalty": 0.0,
    "precision": "auto",
    "importance_samples": 16,
    "validate_steps": 0,
    "save_minutes": 1.0,
    "save_steps": 0,
    "n_points_each": False,
    "temperature_datasets": 0,
    "start_fixed": False,
    "start_share": 0.0,
    "start_from": None,
    "steps": 0,
    "architecture.own_u": False,
    "data.model": "spikes",
    "data.options.units.p_one_type": 0.0,
    "data.options.units.p_alike": 0.0,
    "data.options.units.alike_amplitude": [0.75, 1.35],
    "data.options.noise.measured": None,
    "data.options.p_hash": [0.0, 0.0],
    "data.options.hash_amplitude_sd": [0.5, 4.0],
    "n_beginnings": 0,
    "beginning_points": 40,
    "beginning_weight": 1.0,
    "easy_sets": 0,
    "data.options.p_flat": 0.0,
    "data.options.gamma_flat": 3.0,
    "data.options.smooth_cells": 0,
    "data.options.units.p_apart": 0.0,
    "data.options.units.apart_sd": [5.0, 15.0],
    "data.options.motion.p_moving_untold": None,
    **flat({"data.options.motion": to_dict(MotionSettings())}),
    **flat({"data.options.times": to_dict(SpikeTimeSettings())}),
}
"""What a card may lack, as it could not be set when that stretch ran: what the source had in its place."""


THEN_SHIPPED = {"spikes-times": "runs/spikes-times.safetensors"}
"""Models that a card names as they were shipped, and the files that take their place."""


class Stretch(NamedTuple):
    """One run of the training of a shipped model: the name of its file, and its card."""

    name: str
    card: dict[str, Any]


def stretches(model: Path) -> list[Stretch]:
    """All runs of a model, first one first, each called as its command says."""
    found, card = [], json.loads(model.read_text(encoding="utf-8"))
    while card is not None:
        found.insert(0, Stretch(Path(card["training"]["command"].split()[2]).stem, card))
        card = card.get("started_from")
    return found


ALL = [one for model in sorted(MODELS.glob("*.json")) for one in stretches(model)]


def of_card(card: dict[str, Any]) -> dict[str, Any]:
    """Settings of a stretch by their dotted names; the first cards held the options of spikes as `data`."""
    training = {name: value for name, value in card["training"].items() if name != "command"}
    if "options" not in training["data"]:
        training["data"] = {"options": training["data"]}
    start = training.get("start_from")
    return flat(training | {"start_from": THEN_SHIPPED.get(start, start)})


def test_every_stretch_has_its_file_and_every_file_is_one_of_them() -> None:
    assert {path.stem for path in RUNS.glob("*.toml")} == {stretch.name for stretch in ALL}
    assert [one.name for one in stretches(MODELS / "spikes.json")] == [
        "spikes",
        "spikes-long",
        "spikes-pairs",
        "spikes-components",
        "spikes-wide",
        "spikes-white",
        "spikes-types",
        "spikes-close",
        "spikes-times",
        "spikes-times-all",
        "spikes-times-way",
        "spikes-times-tired",
        "spikes-times-tired-longer",
        "spikes-times-apart",
        "spikes-times-hash",
        "spikes-seeing",
        "spikes-openings",
        "spikes-distances",
        "spikes-heaps",
        "spikes-density",
        "spikes-deep",
        "spikes-bursts",
    ]


@pytest.mark.parametrize("stretch", ALL, ids=lambda stretch: stretch.name)
def test_a_file_has_the_settings_of_its_card(stretch: Stretch) -> None:
    told, found = of_card(stretch.card), flat(to_dict(load_config(str(RUNS / f"{stretch.name}.toml"))))
    reservoir = found.pop("data.options.reservoir", None), told.pop("data.options.reservoir", None)
    assert {name: found[name] for name in told} == told
    assert {name: value for name, value in found.items() if name not in told} == {
        name: LATER[name] for name in found if name not in told
    }
    early = ("spikes", "spikes-long", "spikes-pairs", "spikes-components")
    cells = "runs/parametric_reservoir.npz" if stretch.name in early else None
    assert reservoir == (cells, None)  # no card names a file: it was the one in resources


@pytest.mark.parametrize("path", sorted(RUNS.glob("*.toml")), ids=lambda path: path.stem)
def test_what_a_stretch_begins_with_is_written_by_another(path: Path) -> None:
    start = load_config(str(path)).start_from
    written = {f"runs/{other.stem}.safetensors" for other in RUNS.glob("*.toml") if other != path}
    assert start is None or start in written or (MODELS / f"{start}.safetensors").is_file()


def test_the_model_that_is_used_learnt_the_cells_that_are_shipped() -> None:
    card = json.loads((MODELS / "spikes.json").read_text(encoding="utf-8"))
    learnt = load_config(str(RUNS / "spikes-bursts.toml")).data.build("train")
    assert card["data_sha256"] == learnt.describe()["data_sha256"]
