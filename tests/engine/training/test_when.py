"""When held-out data are scored, when the state is kept, and how long a run still takes."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ncpgui.engine.training import loop
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.loop import Scores, _Session, train
from ncpgui.engine.training.resume import read_state, resume_path

NEVER = {"validate_minutes": 1000.0, "save_minutes": 1000.0}


def session(**run: Any) -> _Session:
    return _Session(SimpleNamespace(**{"step": 0, "minutes": 0.0, "scored_minutes": 0.0, **run}))


def test_what_is_left_by_steps_follows_from_the_pace_since_the_run_went_on() -> None:
    """Six steps in two minutes: ten more take ten thirds of a minute, whatever the steps before took."""
    now = session(step=10, minutes=50.0)
    now.run.step, now.run.minutes = 16, 52.0
    assert now.minutes_left(TrainConfig(steps=26)) == pytest.approx(10 / 3)


def test_what_is_left_by_the_clock_is_the_rest_of_its_minutes() -> None:
    now = session(minutes=52.0)
    assert now.minutes_left(TrainConfig(minutes=60.0)) == 8.0
    assert now.minutes_left(TrainConfig(minutes=50.0)) == 0.0


@pytest.mark.parametrize(
    ("run", "config", "is_due"),
    [
        ({"step": 3, "minutes": 9.0, "scored_minutes": 4.0}, {"validate_minutes": 5.0}, True),
        ({"step": 3, "minutes": 8.9, "scored_minutes": 4.0}, {"validate_minutes": 5.0}, False),
        ({"step": 6, "minutes": 1.0}, {"validate_steps": 3}, True),
        ({"step": 7, "minutes": 1.0}, {"validate_steps": 3}, False),
        ({"step": 7, "minutes": 1.0}, {"validate_steps": 0}, False),
        ({"step": 8, "minutes": 1.0}, {"steps": 8}, True),  # the last
        ({"step": 3, "minutes": 90.0}, {"minutes": 90.0}, True),
    ],
)
def test_held_out_data_are_scored_by_the_clock_by_steps_and_at_the_end(
    run: dict[str, float], config: dict[str, Any], is_due: bool
) -> None:
    assert session(**run).validation_is_due(TrainConfig(**{**NEVER, **config})) is is_due


@pytest.mark.parametrize(
    ("step", "minutes", "config", "is_due"),
    [
        (3, 12.0, {"save_minutes": 2.0}, True),  # kept at 10 minutes, where the session began
        (3, 11.9, {"save_minutes": 2.0}, False),
        (8, 10.5, {"save_steps": 4}, True),
        (9, 10.5, {"save_steps": 4}, False),
        (9, 10.5, {"steps": 9}, True),
    ],
)
def test_the_state_is_kept_by_the_clock_by_steps_and_at_the_end(
    step: int, minutes: float, config: dict[str, Any], is_due: bool
) -> None:
    now = session(minutes=10.0)
    now.run.step, now.run.minutes = step, minutes
    assert now.save_is_due(TrainConfig(**{**NEVER, **config})) is is_due


def test_the_state_is_kept_with_every_score(tmp_path, tiny, monkeypatch) -> None:
    """A run that is killed after a model was kept goes on from there, and not from before it."""
    monkeypatch.setattr(loop, "validate", lambda *_, **__: Scores(0.5, 0.0, 0.0))
    out = tmp_path / "run.safetensors"
    run = train(replace(tiny, validate_steps=2), out=out)
    next(run)
    assert not resume_path(out).exists()
    next(run)
    assert read_state(resume_path(out))["step"] == 2
    next(run)
    assert read_state(resume_path(out))["step"] == 2
    run.close()
