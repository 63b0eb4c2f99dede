"""A run that was stopped or killed goes on as if it had not been."""

from __future__ import annotations

import itertools
import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from ncpgui.core.config import to_dict
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.progress import Cancelled
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks import registry
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.training import loop
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.resume import read_state, resume_path
from tests.forked import run_forked

# Trains, tells every loss in full, and is killed after step 6.
PROGRAM = """
import json, os, signal, sys
from pathlib import Path
from ncpgui.core.config import from_dict
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.loop import train
config = from_dict(TrainConfig, json.loads(sys.argv[1]))
for step in train(config, out=Path(sys.argv[2])):
    print(step.step, step.loss.hex(), flush=True)
    if step.step == 6:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def weights_of(out: Path) -> dict[str, torch.Tensor]:
    state = read_state(resume_path(out))
    return {f"{part}.{name}": t for part in ("network", "average") for name, t in state[part].items()}


def test_a_run_that_is_killed_goes_on_with_the_losses_of_one_that_was_not(tmp_path, tiny, one_thread):
    config = replace(tiny, steps=12, save_steps=4, n_points_end=(5, 30))
    whole = list(train(config, out=tmp_path / "whole.safetensors"))
    out = tmp_path / "killed.safetensors"
    killed = run_forked(PROGRAM, json.dumps(to_dict(config)), out, needs="training")
    assert killed.returncode == -signal.SIGKILL
    told = [line.split() for line in killed.stdout.splitlines()]
    assert [(int(n), float.fromhex(loss)) for n, loss in told] == [(s.step, s.loss) for s in whole[:6]]
    rest = list(train(config, out=out, resume=True))
    assert rest[0].step == 5  # after the save at step 4
    assert [(s.step, s.loss, s.learning_rate) for s in rest] == [
        (s.step, s.loss, s.learning_rate) for s in whole[rest[0].step - 1 :]
    ]
    expected, found = weights_of(tmp_path / "whole.safetensors"), weights_of(out)
    assert all(torch.equal(found[name], value) for name, value in expected.items())
    assert rest[-1].validation == whole[-1].validation


def test_a_run_that_is_stopped_loses_no_step(tmp_path, tiny, one_thread):
    whole = [step.loss for step in train(tiny, out=tmp_path / "whole.safetensors")]
    out = tmp_path / "run.safetensors"
    run = train(tiny, out=out)
    first = [step.loss for step in itertools.islice(run, 3)]
    run.close()
    rest = [step.loss for step in train(tiny, out=out, resume=True)]
    assert first + rest == whole


def test_a_run_that_is_stopped_while_held_out_data_are_scored_loses_no_step(
    tmp_path, tiny, one_thread, monkeypatch
):
    whole = [step.loss for step in train(tiny, out=tmp_path / "whole.safetensors")]
    out = tmp_path / "run.safetensors"

    def stop(done, total, message=""):
        raise Cancelled

    with pytest.raises(Cancelled):
        list(train(replace(tiny, validate_steps=2), out=out, progress=stop))
    rest = list(train(tiny, out=out, resume=True))
    assert [step.step for step in rest] == [3, 4, 5, 6]
    assert [step.loss for step in rest] == whole[2:]


def test_the_best_score_and_the_curve_outlive_a_stop(tmp_path, tiny, monkeypatch):
    scores = iter([0.5, 0.4, 0.6, 0.3])
    monkeypatch.setattr(loop, "validate", lambda *_, **__: loop.Scores(next(scores), 0.0, 0.0))
    out, config = tmp_path / "run.safetensors", replace(tiny, steps=4, validate_steps=1)
    run = train(config, out=out)
    assert [next(run).step for _ in range(2)] == [1, 2]
    run.close()
    (third, fourth) = train(config, out=out, resume=True)
    card = json.loads(out.with_suffix(".json").read_text())
    assert (third.validation.nll, fourth.validation.nll) == (0.6, 0.3)
    assert [point["nll"] for point in card["curve"]] == [0.5, 0.4, 0.6, 0.3]
    assert third.minutes > 0


def test_a_run_that_has_ended_can_be_made_longer(tmp_path, tiny):
    out = tmp_path / "run.safetensors"
    list(train(tiny, out=out))
    assert list(train(tiny, out=out, resume=True)) == []
    assert [step.step for step in train(replace(tiny, steps=8), out=out, resume=True)] == [7, 8]


def test_what_the_run_began_with_is_remembered_even_if_that_model_is_gone(tmp_path, tiny):
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    list(train(tiny, out=first))
    config = replace(tiny, start_from=str(first))
    run = train(config, out=second)
    next(run)
    run.close()
    first.unlink()
    list(train(config, out=second, resume=True))
    assert json.loads(second.with_suffix(".json").read_text())["started_from"]["name"] == "first"


def test_a_new_run_in_the_place_of_another_is_never_mistaken_for_it(tmp_path, tiny):
    out = tmp_path / "run.safetensors"
    list(train(tiny, out=out))
    with pytest.raises(InputError):
        next(train(replace(tiny, data=GenerativeSettings("spikes")), out=out))
    assert resume_path(out).exists()  # a run that cannot begin replaces nothing
    next(run := train(tiny, out=out))
    assert not resume_path(out).exists()
    run.close()
    assert read_state(resume_path(out))["step"] == 1


def test_a_network_of_clusters_goes_on_with_the_draws_that_it_would_have_made(
    tmp_path, tiny, one_thread, monkeypatch
):
    monkeypatch.setitem(registry.NETWORKS, "ccp", CCP)
    small = {"h_dim": 16, "z_dim": 4, "g_hidden": [16], "g_dim": 16, "hidden": [16], "rho_hidden": [16]}
    ccp = replace(tiny.architecture, network="ccp", network_options=small)
    config = replace(tiny, architecture=ccp, importance_samples=4)
    whole = list(train(config, out=tmp_path / "whole.safetensors"))
    assert {step.accuracy for step in whole} == {None}
    assert whole[-1].validation.nll > 0
    run = train(config, out=tmp_path / "run.safetensors")
    first = [next(run).loss for _ in range(2)]
    run.close()
    rest = [step.loss for step in train(config, out=tmp_path / "run.safetensors", resume=True)]
    assert first + rest == [step.loss for step in whole]


def test_resuming_without_a_state_is_refused(tmp_path, tiny):
    with pytest.raises(CheckpointError, match=r"run.resume.pt is missing; start without --resume"):
        next(train(tiny, out=tmp_path / "run.safetensors", resume=True))


@pytest.mark.parametrize("contents", [b"", b"rubbish"])
def test_resuming_a_damaged_state_is_refused(tmp_path, tiny, contents):
    out = tmp_path / "run.safetensors"
    resume_path(out).write_bytes(contents)
    with pytest.raises(CheckpointError, match="damaged or no training run; start without --resume"):
        next(train(tiny, out=out, resume=True))


def test_resuming_with_other_settings_is_refused_with_what_differs(tmp_path, tiny):
    out = tmp_path / "run.safetensors"
    list(train(tiny, out=out))
    before = resume_path(out).read_bytes()
    wider = {**tiny.architecture.network_options, "hidden": 32}
    other = replace(tiny, architecture=replace(tiny.architecture, network_options=wider))
    with pytest.raises(CheckpointError, match=r"learning_rate 0.001, now 0.5; give the same settings"):
        next(train(replace(tiny, learning_rate=0.5), out=out, resume=True))
    with pytest.raises(CheckpointError, match=r"architecture.network_options.hidden 16, now 32"):
        next(train(other, out=out, resume=True))
    assert resume_path(out).read_bytes() == before


@pytest.mark.parametrize(("version", "age"), [(None, "an older"), (1, "an older"), (99, "a newer")])
def test_a_state_of_another_version_is_refused_with_a_way_to_go_on(tmp_path, tiny, version, age):
    out = tmp_path / "run.safetensors"
    list(train(tiny, out=out))
    state = read_state(resume_path(out))
    state.pop("format")
    torch.save(state if version is None else {**state, "format": version}, resume_path(out))
    with pytest.raises(CheckpointError, match=f"written by {age} version of ncpgui.*--start-from"):
        next(train(tiny, out=out, resume=True))
