"""Every named run works: it takes steps, and writes a model that loads."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from ncpgui.core.config import to_dict
from ncpgui.core.errors import CheckpointError
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.model_files import find_model, load_card
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.presets import PRESETS, load_config


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_takes_steps_and_writes_a_model_that_loads(name, tmp_path):
    small = {
        "steps": 2,
        "n_datasets": 2,
        "n_points": (5, 8),
        "n_points_end": (5, 8),
        "validate_points": 6,
        "validate_datasets": 2,
        "easy_sets": 0,
        "start_from": None,
        "start_fixed": False,
        "start_share": 0.0,
    }
    config = replace(PRESETS[name].config, **small)
    out = tmp_path / "run.safetensors"
    steps = list(train(config, out=out))
    assert [step.step for step in steps] == [1, 2]
    assert all(math.isfinite(step.loss) for step in steps)
    assert load_checkpoint(out).card["training"]["data"]["model"] == config.data.model


def test_a_file_that_goes_on_from_a_model_gets_its_network_unless_it_names_one(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('start_from = "gauss2d"\n[data]\nmodel = "gauss2d"\n', encoding="utf-8")
    shipped = load_card(find_model("gauss2d"))["architecture"]
    assert to_dict(load_config(str(path)).architecture) == shipped
    other = load_card(find_model("gauss2d-ccp"))["architecture"]
    config = load_config(str(path), start_from="gauss2d-ccp")  # as the command line says
    assert (config.start_from, to_dict(config.architecture)) == ("gauss2d-ccp", other)
    with path.open("a", encoding="utf-8") as file:
        file.write('[architecture]\nnetwork = "ncp"\nencoder = "points"\n')
    named = load_config(str(path))
    assert (named.architecture.network, named.architecture.encoder) == ("ncp", "points")


def test_a_preset_keeps_its_network_wherever_it_begins(tmp_path):
    config = load_config("spikes-long", start_from="gauss2d")
    assert config.architecture == PRESETS["spikes-long"].config.architecture
    assert config.start_from == "gauss2d"


def test_a_model_that_is_not_there_is_said_before_anything_is_drawn(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('start_from = "spykes"\n', encoding="utf-8")
    with pytest.raises(CheckpointError, match="no model 'spykes'"):
        load_config(str(path))


def test_the_digits_of_the_paper_have_its_layers() -> None:
    options = PRESETS["paper-digits-ncp"].config.architecture.network_options
    assert options == {"h_dim": 128, "g_hidden": [128, 128, 128, 128], "g_dim": 256}


RUNS = {
    "spikes": (16, (30, 80), (80, 300), 400, 90, 0, 1e-3, "auto"),
    "spikes-gpu": (64, (40, 400), (40, 900), 250, 25, 0, 1e-3, "float32"),
    "spikes-long": (8, (150, 500), (250, 900), 700, 30, 0, 3e-4, "auto"),
    "paper-spikes-hex7": (32, (200, 500), (200, 500), 250, 90, 20_000, 1e-4, "auto"),
    "gauss2d": (64, (5, 20), (5, 100), 50, 60, 0, 2e-3, "float32"),
    "gauss2d-orders": (64, (5, 100), (5, 100), 50, 10, 0, 5e-4, "float32"),
    "gauss2d-alpha07": (64, (5, 20), (5, 100), 50, 15, 0, 5e-4, "float32"),
    "gauss2d-ccp": (16, (5, 50), (5, 100), 50, 45, 0, 2e-3, "float32"),
    "digits": (32, (5, 30), (5, 100), 50, 20, 0, 1e-3, "auto"),
    "digits-ccp": (16, (5, 30), (5, 100), 50, 20, 0, 1e-3, "auto"),
    "particles": (16, (20, 60), (20, 120), 60, 20, 0, 1e-3, "auto"),
    "particles-npt": (64, (20, 100), (20, 100), 60, 90, 0, 1e-4, "auto"),
    "paper-digits-ncp": (64, (5, 100), (5, 100), 50, 90, 0, 1e-4, "auto"),
    "paper-digits-ccp": (64, (5, 100), (5, 100), 50, 90, 0, 1e-4, "auto"),
    "paper-gauss2d-ccp": (64, (5, 100), (5, 100), 50, 60, 0, 1e-4, "float32"),
    "paper-gauss2d-ncp": (64, (5, 100), (5, 100), 50, 60, 0, 1e-4, "float32"),
}
"""Datasets of a step, points at first, at the end and that are scored, minutes, steps, rate, precision."""


def test_the_ready_runs_have_the_sizes_that_were_chosen_for_them() -> None:
    found = {}
    for name, preset in PRESETS.items():
        run = preset.config
        points = run.n_points, run.n_points_end, run.validate_points
        found[name] = (run.n_datasets, *points, run.minutes, run.steps, run.learning_rate, run.precision)
    assert found == RUNS


def test_the_clusterwise_network_of_the_paper_has_its_layers() -> None:
    for name in ("paper-digits-ccp", "paper-gauss2d-ccp"):
        assert PRESETS[name].config.architecture.network_options == {
            "pooling": "sum", "sees_first": False, "z_dim": 128, "g_hidden": [256] * 3, "g_dim": 256,
            "hidden": [256] * 3, "rho_hidden": [256] * 3,
        }  # fmt: skip
