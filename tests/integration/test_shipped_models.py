"""Every shipped model loads and scores what its card says, on the same held-out data."""

from __future__ import annotations

import json

import pytest

from ncpgui.core.resources import data_folder
from ncpgui.engine.diagnostics.evaluate import trained_on
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.training.validation import validate

CARDS = sorted(data_folder("trained_models").glob("*.json"))


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_a_shipped_model_is_small_and_its_card_complete(path):
    card = json.loads(path.read_text(encoding="utf-8"))
    assert path.with_suffix(".safetensors").stat().st_size < 6e6
    for key in ("training", "input", "architecture", "scores", "curve", "minutes", "date", "weights_sha256"):
        assert card[key], key
    assert card["training"]["command"].startswith("ncpgui train ")
    assert " /" not in card["training"]["command"]  # no path of the machine it was trained on


@pytest.mark.slow
@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_a_shipped_model_reproduces_the_scores_of_its_card(path):
    checkpoint = load_checkpoint(path.stem)
    run = checkpoint.card["training"]
    scores = validate(
        checkpoint.network,
        trained_on(checkpoint.card).build("test"),
        seed=run["seed"],
        n_points=run["validate_points"],
        n_datasets=run.get("validate_datasets", 32),
        importance_samples=run.get("importance_samples", 16),
    )
    assert scores.nll == pytest.approx(checkpoint.card["scores"]["nll"], rel=0.01)
    assert scores.ari == pytest.approx(checkpoint.card["scores"]["ari"], abs=0.03)
