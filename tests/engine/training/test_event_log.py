"""The TensorBoard log: what is written can be read back."""

from __future__ import annotations

import sys

import pytest

from ncpgui.core.errors import InputError
from ncpgui.engine.training.event_log import EventLog, require_tensorboard
from ncpgui.engine.training.loop import TrainStep
from ncpgui.engine.training.validation import Scores


def step(number: int, loss: float, validation: Scores | None = None) -> TrainStep:
    return TrainStep(number, 0.1 * number, 1.0, loss, 0.5, 1e-3, 0.25, 20, validation)


def scalars(folder):
    event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    log = event_accumulator.EventAccumulator(str(folder))
    log.Reload()
    return {
        tag: [(e.step, pytest.approx(e.value)) for e in log.Scalars(tag)] for tag in log.Tags()["scalars"]
    }


def test_losses_are_means_over_ten_steps_and_scores_are_there_when_they_were_taken(tmp_path):
    pytest.importorskip("tensorboard")
    log = EventLog(tmp_path / "log")
    for number in range(1, 13):
        log.write(step(number, float(number), Scores(0.3, 0.8, -0.1) if number == 5 else None))
    log.close()
    found = scalars(tmp_path / "log")
    assert found["training/loss"] == [(5, 3.0), (10, 8.0), (12, 11.5)]  # means of 1-5, 6-10, 11-12
    assert found["training/accuracy"] == [(5, 0.5), (10, 0.5), (12, 0.5)]
    assert found["training/learning_rate"] == [(5, 1e-3), (10, 1e-3), (12, 1e-3)]
    assert found["training/seconds_per_step"] == [(5, 0.25), (10, 0.25), (12, 0.25)]
    assert found["held_out/nll"] == [(5, 0.3)]
    assert found["held_out/ari"] == [(5, 0.8)]
    assert found["held_out/k_error"] == [(5, -0.1)]


def test_a_run_that_goes_on_hides_the_steps_that_it_does_again(tmp_path):
    pytest.importorskip("tensorboard")
    first = EventLog(tmp_path / "log")
    for number in range(1, 31):
        first.write(step(number, 1.0))
    first.close()
    again = EventLog(tmp_path / "log", first_step=16)
    for number in range(16, 31):
        again.write(step(number, 2.0))
    again.close()
    assert scalars(tmp_path / "log")["training/loss"] == [(10, 1.0), (20, 2.0), (30, 2.0)]


def test_without_tensorboard_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(InputError, match=r"pip install tensorboard, or leave --tensorboard out"):
        require_tensorboard()
