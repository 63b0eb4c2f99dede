"""``ncpgui train``: runs that go on, several processes, TensorBoard, and what a person reads."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ncpgui.engine.diagnostics import evaluate as evaluation

from .conftest import Command

ROOT = Path(__file__).resolve().parents[2]

TINY = """
steps = 4
n_datasets = 4
n_points = [5, 10]
n_points_end = [5, 10]
warmup_steps = 1
validate_points = 6
validate_datasets = 2
[data]
model = "gauss2d"
[architecture]
encoder = "points"
encoder_options = { hidden = [16], h_dim = 16 }
network_options = { h_dim = 16, metric = 8, hidden = 16 }
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(TINY, encoding="utf-8")
    return path


def test_the_help_names_every_preset_with_what_it_is(ncpgui: Command) -> None:
    from ncpgui.engine.training.presets import PRESETS

    shown = " ".join(ncpgui("train", "--help").out.split())
    assert [name for name, preset in PRESETS.items() if f"{name} {preset.about}" not in shown] == []


def test_a_finished_model_gets_its_temperature_and_the_scores_at_it(
    ncpgui: Command, tmp_path: Path, tiny: Path
) -> None:
    tiny.write_text("temperature_datasets = 4\n" + TINY, encoding="utf-8")
    ran = ncpgui("train", tiny, "--out", tmp_path / "runs", "--device", "cpu")
    assert ran.code == 0, ran.err
    card = json.loads((tmp_path / "runs" / "mine.json").read_text())
    assert f"temperature {card['temperature']:.2f}: probabilities come true best there" in ran.err
    assert card["temperature_fit"]["n_datasets"] == 4
    assert card["scores"]["nll"] > 0


def test_a_finished_model_is_evaluated_when_asked(
    ncpgui: Command, tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "QUICK", evaluation.Amount(8, 2, 2, 3, 4, 6, 10, 4))
    tracks = TINY.replace("gauss2d", "particles").replace(
        "encoder =", 'network = "cluster-aware-npt"\nencoder ='
    )
    tiny.write_text(tracks, encoding="utf-8")
    runs = tmp_path / "runs"
    ran = ncpgui("train", tiny, "--out", runs, "--device", "cpu", "--evaluate", "quick")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[0] == "figure\tvalue\texpected\tgoal"
    result = json.loads((runs / "mine.evaluation.json").read_text(encoding="utf-8"))
    assert (result["model"], result["quick"]) == ("mine", True)


def test_an_earlier_check_of_the_name_is_told_before_the_training(
    ncpgui: Command, tmp_path: Path, tiny: Path
) -> None:
    (tmp_path / "mine.evaluation.png").write_text("mine")
    ran = ncpgui("train", tiny, "--out", tmp_path, "--device", "cpu", "--evaluate", "quick")
    there = tmp_path / "mine.evaluation.png"
    assert ran.error == f"{there} exists; give another name, or --overwrite to replace it"
    assert not (tmp_path / "mine.safetensors").exists()


def test_a_network_without_a_temperature_says_so(ncpgui: Command, tmp_path: Path, tiny: Path) -> None:
    ccp = "temperature_datasets = 4\nimportance_samples = 2\n" + TINY.replace(
        "[architecture]", '[architecture]\nnetwork = "ccp"'
    ).replace("metric = 8, hidden = 16", "hidden = [16]")
    tiny.write_text(ccp, encoding="utf-8")
    ran = ncpgui("train", tiny, "--out", tmp_path / "runs", "--device", "cpu")
    assert ran.code == 2
    assert "draws whole clusters and has no temperature; leave temperature_datasets at 0" in ran.err


def test_a_run_by_steps_writes_a_model_and_can_be_made_longer(
    ncpgui: Command, tmp_path: Path, tiny: Path
) -> None:
    options = ["--out", tmp_path / "runs", "--device", "cpu"]
    ran = ncpgui("train", tiny, *options)
    assert ran.code == 0, ran.err
    assert "training 'mine' on cpu for 4 steps" in ran.err
    assert re.search(r"step 4, held-out data: \d\.\d{4} nats a point, adjusted Rand index", ran.err)
    card = json.loads((tmp_path / "runs" / "mine.json").read_text())
    assert card["steps"] == 4
    assert "has had its 4 steps already" in ncpgui("train", tiny, *options, "--resume").error
    longer = ncpgui("train", tiny, *options, "--resume", "--steps", 6)
    assert longer.code == 0, longer.err
    assert "step 6, held-out data" in longer.err
    assert "step 4, held-out data" not in longer.err


def test_the_line_of_progress_tells_loss_accuracy_held_out_scores_and_time_left(tiny: Path) -> None:
    from dataclasses import replace

    from ncpgui.cli.train import _Report
    from ncpgui.engine.training.loop import TrainStep
    from ncpgui.engine.training.presets import load_config
    from ncpgui.engine.training.validation import Scores

    report = _Report(replace(load_config("spikes"), minutes=90.0))
    step = TrainStep(100, 30.0, 60.4, 0.04321, 0.98765, 1e-3, 0.2, 80)
    done, total, words = report.of_step(step)
    assert (done, total) == (30_000, 90_000)
    assert words == "step 100  0.0432 nats a spike  accuracy 0.988  1 h 00 min left"
    scored = replace(step, validation=Scores(0.05, 0.8765, -0.25))
    assert report.of_validation(scored) == (
        "step 100, held-out data: 0.0500 nats a spike, adjusted Rand index 0.876, number of clusters "
        "off by -0.25"
    )
    assert report.of_step(replace(step, minutes_left=0.5))[2] == (
        "step 100  0.0432 nats a spike  accuracy 0.988  held out 0.0500, ARI 0.876  30 s left"
    )
    clusters = _Report(load_config(str(tiny)))
    assert clusters.of_step(replace(step, step=1, accuracy=None, minutes_left=12.0)) == (
        1,
        4,
        "step 1  0.0432 nats a point  12 min left",
    )


def test_minutes_and_steps_together_are_refused(ncpgui: Command, tiny: Path) -> None:
    assert "give one of them" in ncpgui("train", tiny, "--steps", 3, "--minutes", 1).error


def test_going_on_with_other_settings_is_refused_with_what_differs(
    ncpgui: Command, tmp_path: Path, tiny: Path
) -> None:
    options = ["--out", tmp_path / "runs", "--device", "cpu"]
    assert ncpgui("train", tiny, *options).code == 0
    error = ncpgui("train", tiny, *options, "--resume", "--seed", 7).error
    assert "is of a run with other settings: seed 0, now 7; give the same settings" in error


def test_a_run_that_was_stopped_before_its_first_model_is_not_replaced_unasked(
    ncpgui: Command, tmp_path: Path
) -> None:
    (tmp_path / "spikes.resume.pt").write_bytes(b"an hour of training")
    error = ncpgui("train", "spikes", "--out", tmp_path).error
    assert "spikes.resume.pt exists; --resume goes on with that run, --overwrite starts over" in error
    assert (tmp_path / "spikes.resume.pt").read_bytes() == b"an hour of training"


def test_tensorboard_reads_the_curves(ncpgui: Command, tmp_path: Path, tiny: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    ran = ncpgui("train", tiny, "--out", tmp_path / "runs", "--device", "cpu", "--tensorboard")
    assert ran.code == 0, ran.err
    log = EventAccumulator(str(tmp_path / "runs" / "mine.tensorboard"))
    log.Reload()
    assert set(log.Tags()["scalars"]) == {
        "training/loss",
        "training/accuracy",
        "training/learning_rate",
        "training/seconds_per_step",
        "held_out/nll",
        "held_out/ari",
        "held_out/k_error",
    }
    card = json.loads((tmp_path / "runs" / "mine.json").read_text())
    (nll,) = log.Scalars("held_out/nll")
    assert (nll.step, nll.value) == (4, pytest.approx(card["scores"]["nll"]))


def test_tensorboard_that_is_not_installed_is_said_before_work_begins(
    ncpgui: Command, tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    options = ["--out", tmp_path / "runs", "--device", "cpu"]
    assert "pip install tensorboard" in ncpgui("train", tiny, *options, "--tensorboard").error
    assert not (tmp_path / "runs").exists()
    assert ncpgui("train", tiny, *options).code == 0


def start(*words: object, folder: Path) -> subprocess.Popen[str]:
    """Start ``python WORDS`` with this checkout."""
    return subprocess.Popen(
        [sys.executable, *(str(word) for word in words)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_by_a_signal_exits_130_and_goes_on(
    ncpgui: Command, tmp_path: Path, tiny: Path, signum: int
) -> None:
    tiny.write_text(TINY.replace("steps = 4", "steps = 100000"), encoding="utf-8")
    with start("-m", "ncpgui", "train", tiny, "--device", "cpu", folder=tmp_path) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "nats a point" in line:
                break
        process.send_signal(signum)
        rest = process.stdout.read()
        assert process.wait(timeout=30) == 130
    assert rest.endswith("stopped; the run in runs goes on with --resume\ncancelled\n")
    assert "Traceback" not in rest
    from ncpgui.engine.training.resume import read_state

    done = read_state(tmp_path / "runs" / "mine.resume.pt")["step"]
    assert done > 1
    options = ["--device", "cpu", "--out", tmp_path / "runs", "--resume", "--steps", done + 1]
    ran = ncpgui("train", tiny, *options)
    assert ran.code == 0, ran.err
    assert f"step {done + 1}, held-out data" in ran.err


@pytest.mark.slow
def test_torchrun_trains_in_two_processes_that_speak_with_one_voice(tmp_path: Path, tiny: Path) -> None:
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    process = start(*torchrun, "-m", "ncpgui", "train", tiny, "--device", "cpu", folder=tmp_path)
    told, _ = process.communicate(timeout=110)
    assert process.returncode == 0, told
    assert told.count("training 'mine' on cpu in 2 processes for 4 steps") == 1
    assert told.count("step 4, held-out data") == 1
    assert told.count("wrote runs/mine.safetensors") == 1
    assert json.loads((tmp_path / "runs" / "mine.json").read_text())["device"] == "2 x cpu"


@pytest.mark.slow
def test_torchrun_with_datasets_that_do_not_divide_is_refused(tmp_path: Path, tiny: Path) -> None:
    tiny.write_text(TINY.replace("n_datasets = 4", "n_datasets = 5"), encoding="utf-8")
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    process = start(*torchrun, "-m", "ncpgui", "train", tiny, "--device", "cpu", folder=tmp_path)
    told, _ = process.communicate(timeout=110)
    assert process.returncode != 0
    assert "got 5 datasets for 2 processes; set it to 4, or start another number of processes" in told
    assert not (tmp_path / "runs").exists()
