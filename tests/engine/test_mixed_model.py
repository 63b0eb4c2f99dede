"""The weights between two models are their mean, and the card tells of both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from ncpgui.core.errors import CheckpointError
from ncpgui.core.source_revision import Revision
from ncpgui.engine import mixed_model
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.mixed_model import mix_models
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.registry import NetworkSettings
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.loop import train

TINY = TrainConfig(
    architecture=NetworkSettings(
        encoder="points",
        encoder_options={"hidden": [16], "h_dim": 16, "scale": 0.1, "skip": True},
        network_options={"h_dim": 16, "metric": 8, "hidden": 16},
    ),
    data=GenerativeSettings("gauss2d"),
    steps=2,
    n_datasets=2,
    n_points=(5, 8),
    n_points_end=(5, 8),
    warmup_steps=1,
    learning_rate=0.05,
    validate_points=6,
    validate_datasets=2,
)


def trained(path: Path, config: TrainConfig = TINY) -> Path:
    """A model of two steps."""
    for _ in train(config, out=path, command="ncpgui train tiny"):
        pass
    return path


@pytest.fixture
def models(tmp_path: Path) -> tuple[Path, Path]:
    """Two models of one architecture, from different seeds."""
    return (
        trained(tmp_path / "first.safetensors"),
        trained(tmp_path / "second.safetensors", replace(TINY, seed=1)),
    )


@pytest.mark.parametrize("share", [0.5, 0.25, 0.0, 1.0])
def test_every_weight_is_the_weighted_mean_of_both(models: tuple[Path, Path], tmp_path: Path, share: float):
    out = tmp_path / "mixed.safetensors"
    mix_models(*models, out=out, share=share)
    first, second, mixed = (dict(load_checkpoint(path).network.named_parameters()) for path in (*models, out))
    assert any((first[name] - second[name]).abs().max() > 1e-3 for name in first)
    for name, value in mixed.items():
        torch.testing.assert_close(value, (1 - share) * first[name] + share * second[name])


def test_a_temperature_that_was_fitted_to_one_of_them_is_not_kept(models: tuple[Path, Path], tmp_path: Path):
    first = load_checkpoint(models[0])
    first.network.log_temperature.fill_(0.3)
    hot = tmp_path / "hot.safetensors"
    card = {key: first.card[key] for key in ("training", "input")}
    mixed_model.save_checkpoint(hot, first.network, TINY.architecture, {**card, "temperature": 1.35})
    mix_models(hot, models[1], out=tmp_path / "mixed.safetensors")
    mixed = load_checkpoint(tmp_path / "mixed.safetensors")
    assert float(mixed.network.log_temperature) == 0.0
    assert mixed.card["temperature"] == 1.0


def test_the_card_says_what_was_mixed_by_which_source_and_scores_it(
    models: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(mixed_model, "source_revision", lambda: Revision("c" * 40, False))
    out = tmp_path / "mixed.safetensors"
    mix_models(*models, out=out, share=0.25, command="ncpgui models mix first second")
    first, second, card = (load_checkpoint(path).card for path in (*models, out))
    assert card["name"] == "mixed"
    assert card["mixed"]["command"] == "ncpgui models mix first second"
    assert card["mixed"]["share"] == 0.25
    assert card["mixed"]["first"]["weights_sha256"] == first["weights_sha256"]
    assert card["mixed"]["second"]["weights_sha256"] == second["weights_sha256"]
    assert card["mixed"]["second"]["training"]["seed"] == 1
    assert card["training"] == first["training"]
    assert card["git_revision"] == "c" * 40
    mix_models(out, models[0], out=tmp_path / "again.safetensors", share=1.0)  # that is: the first again
    again = load_checkpoint(tmp_path / "again.safetensors").card["scores"]
    assert again["nll"] == pytest.approx(first["scores"]["nll"])
    assert card["scores"]["nll"] != pytest.approx(first["scores"]["nll"])


def test_models_of_different_architectures_are_refused(models: tuple[Path, Path], tmp_path: Path):
    options = {**TINY.architecture.network_options, "pairs": 4}
    grown = replace(TINY.architecture, network_options=options)
    other = trained(tmp_path / "grown.safetensors", replace(TINY, architecture=grown))
    with pytest.raises(CheckpointError, match=r"'first' and 'grown' have different architectures.*went on"):
        mix_models(models[0], other, out=tmp_path / "mixed.safetensors")
    assert not (tmp_path / "mixed.safetensors").exists()
