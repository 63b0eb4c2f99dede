"""``ncpgui models mix``: what it writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncpgui.cli.models import _scores
from ncpgui.engine import mixed_model
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.training.validation import Scores

from .conftest import Command


@pytest.fixture(autouse=True)
def no_scoring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held-out scores that cost nothing."""
    monkeypatch.setattr(mixed_model, "validate", lambda *given, **more: Scores(0.25, 0.5, 0.0))


def test_scores_of_a_card_are_its_fractions_but_for_the_time_that_they_took() -> None:
    scores = {"nll": 0.25, "ari": 1.23456, "minutes": 7.5, "datasets": 12, "of": "spikes"}
    assert _scores({"scores": scores}) == "nll 0.25, ari 1.23"
    assert _scores({}) == ""


def test_a_mixed_model_loads_and_its_scores_are_told(ncpgui: Command, tmp_path: Path) -> None:
    out = tmp_path / "between.safetensors"
    ran = ncpgui("models", "mix", "gauss2d", "gauss2d-alpha07", "--share", 0.5, "--out", out)
    assert ran.code == 0, ran.err
    assert f"wrote {out}; held-out scores: nll 0.25, ari 0.5" in ran.err
    card = load_checkpoint(out).card
    assert (card["name"], card["mixed"]["share"]) == ("between", 0.5)


def test_models_that_cannot_be_mixed_are_one_line(ncpgui: Command, tmp_path: Path) -> None:
    out = tmp_path / "between.safetensors"
    assert "have different architectures" in ncpgui("models", "mix", "gauss2d", "digits", "--out", out).error
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken_or_no_weights_file_is_refused(ncpgui: Command, tmp_path: Path) -> None:
    taken = tmp_path / "a.safetensors"
    taken.with_suffix(".json").write_text("{}")
    mix = ("models", "mix", "gauss2d", "gauss2d-alpha07", "--out")
    assert "a.json exists; give another name" in ncpgui(*mix, taken).error
    assert "must end in .safetensors" in ncpgui(*mix, tmp_path / "a.npz").error


def test_a_share_beyond_both_models_is_refused(ncpgui: Command, tmp_path: Path) -> None:
    ran = ncpgui(
        "models", "mix", "gauss2d", "gauss2d-alpha07", "--share", 1.5, "--out", tmp_path / "a.safetensors"
    )
    assert ran.code == 2
    assert "1.5 is not in the range" in ran.err


@pytest.mark.parametrize(
    ("name", "near"), [("spike", "spikes"), ("Digits", "digits"), ("gauss2d-cp", "gauss2d-ccp")]
)
def test_a_mistyped_model_suggests_the_nearest(name: str, near: str, ncpgui: Command) -> None:
    assert ncpgui("evaluate", name).error.endswith(f"; did you mean '{near}'?")


def test_a_model_like_no_other_lists_them_all(ncpgui: Command) -> None:
    assert "did you mean" not in ncpgui("evaluate", "kilosort").error
