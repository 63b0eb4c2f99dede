"""Calls of the engine from other people's scripts: their types, and what they set torch to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ncpgui import engine
from ncpgui.core.errors import InputError
from ncpgui.engine.diagnostics.evaluate import evaluate
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.torch_defaults import usual_defaults
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.presets import load_config

RNG = np.random.default_rng(0)
WAVEFORMS = RNG.normal(0, 1, (30, 32, 2)).astype(np.float32)
WAVEFORMS[:15, 10, 0] -= 20
FEW: dict[str, Any] = {"samples": 3, "beam": 2, "sweeps": 1}


@pytest.fixture
def float64() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture
def meta() -> Iterator[None]:
    torch.set_default_device("meta")
    yield
    torch.set_default_device("cpu")


def same(one: Any, other: Any) -> bool:
    return bool(
        np.array_equal(one.labels, other.labels) and np.array_equal(one.beam_log_prob, other.beam_log_prob)
    )


@pytest.mark.parametrize("how", [{}, {"times_s": np.arange(30) / 100}, {"must_link": [(0, 1)]}])
def test_a_script_that_computes_in_float64_gets_the_same_posterior(
    how: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    usual = engine.cluster(WAVEFORMS, **FEW, **how)
    request.getfixturevalue("float64")
    assert same(engine.cluster(WAVEFORMS, **FEW, **how), usual)
    assert torch.get_default_dtype() == torch.float64
    assert load_checkpoint("gauss2d").network.log_temperature.dtype == torch.float32


def test_a_script_whose_tensors_are_elsewhere_gets_the_same_posterior(request: pytest.FixtureRequest) -> None:
    usual = engine.cluster(WAVEFORMS, **FEW)
    request.getfixturevalue("meta")
    assert same(engine.cluster(WAVEFORMS, **FEW), usual)
    assert torch.get_default_device().type == "meta"


@pytest.mark.usefixtures("float64")
def test_defaults_stay_usual_until_the_last_of_several_threads_is_done() -> None:
    began, go_on = threading.Event(), threading.Event()

    def other() -> None:
        with usual_defaults():
            began.set()
            go_on.wait(30)

    thread = threading.Thread(target=other)
    with usual_defaults():
        thread.start()
        began.wait(30)
    assert torch.get_default_dtype() == torch.float32  # the other one still computes
    go_on.set()
    thread.join()
    assert torch.get_default_dtype() == torch.float64


@pytest.mark.usefixtures("float64")
def test_training_and_evaluation_ask_for_the_usual_defaults(tmp_path: Path) -> None:
    words = r"networks need float32 .* defaults are torch.float64, cpu; call torch.set_default_dtype"
    with pytest.raises(InputError, match=words):
        next(train(load_config("gauss2d"), out=tmp_path / "a.safetensors"))
    with pytest.raises(InputError, match=words):
        evaluate(load_checkpoint("gauss2d"))


def test_numbers_of_numpy_and_lists_are_what_python_s_are() -> None:
    usual = engine.cluster(WAVEFORMS, samples=3, beam=2, sweeps=1, seed=5, clamped=np.r_[0, np.full(29, -1)])
    other = engine.cluster(
        WAVEFORMS.tolist(),
        samples=np.int64(3),
        beam=np.uint8(2),
        sweeps=np.array(1),
        seed=np.int32(5),
        clamped=[0.0, *[-1] * 29],
        sampling_frequency=np.float32(20_000),
        model=Path("spikes"),
        device=torch.device("cpu"),
        must_link=None,
        cannot_link=np.zeros((0, 2)),
        progress=None,
    )
    assert same(usual, other)


def test_spikes_that_are_all_held_stay_where_they_are() -> None:
    held = np.arange(30) % 2
    found = engine.cluster(WAVEFORMS, **FEW, clamped=held.astype(np.uint8))
    assert found.labels.tolist() == [held.tolist()] * 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"samples": 3.5}, r"samples must be a whole number, got 3.5"),
        ({"samples": 0, "beam": 0}, "samples must be a whole number from 1 on, got 0"),
        ({"beam": None}, "beam must be a whole number, got None"),
        ({"beam": -1}, "beam must be a whole number from 0 on, got -1"),
        ({"sweeps": "1"}, "sweeps must be a whole number, got '1'"),
        ({"sweeps": -1}, "sweeps must be a whole number from 0 on, got -1"),
        ({"seed": None}, "seed must be a whole number, got None"),
        ({"device": None}, "unknown device 'None'; use auto, cpu, cuda or cuda:0"),
        ({"model": 3}, "the model must be given as text or a path, got 3"),
        ({"progress": "bar"}, "progress must be a function of"),
        ({"sampling_frequency": "20000"}, "sampling_frequency must be a number, got '20000'"),
        ({"channel_positions": "tetrode"}, "channel_positions must be an array of numbers, got 'tetrode'"),
        ({"channel_mask": ["a", "b"]}, "channel_mask must be an array of numbers, got an array of <U1"),
        ({"times_s": [[1], [1, 2]]}, "times_s must be an array of numbers"),
        ({"times_s": ["1"] * 30}, "times_s must be an array of numbers, got an array of <U1"),
        ({"clamped": np.full(30, 0.5)}, "clamped must be whole numbers, got 0.5"),
        ({"clamped": [0]}, r"clamped must be one label for each of 30 spikes, got \(1,\)"),
        ({"must_link": "ab"}, r"must_link must be pairs of spikes, such as \[\(0, 1\)\], got 'ab'"),
        ({"cannot_link": [(0.5, 1)]}, "cannot_link must be whole numbers, got 0.5"),
    ],
)
def test_an_option_that_does_not_fit_is_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        engine.cluster(WAVEFORMS, **{**FEW, **options})


@pytest.mark.parametrize(
    "wrong", [None, "waveforms.npz", [[1, 2], [3]], WAVEFORMS > 0, WAVEFORMS.astype(complex)]
)
def test_waveforms_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="waveforms must be an array of numbers"):
        engine.cluster(wrong)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda out: train("gauss2d", out=out),
            "the settings of a training run must be a TrainConfig, got 'gauss2d'",
        ),
        (
            lambda out: train(load_config("gauss2d"), out=None),
            "out must be given as text or a path, got None",
        ),
        (lambda out: train(load_config("gauss2d"), out=out, progress=True), "progress must be a function"),
        (
            lambda out: train(load_config("gauss2d"), out=out, processes=2),
            "processes must be a Processes, got 2",
        ),
    ],
)
def test_training_names_what_does_not_fit(call: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        next(call(tmp_path / "a.safetensors"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": "a"}, "seed must be a whole number, got 'a'"),
        ({"amount": 3}, "amount must be a Amount, got 3"),
        ({"progress": True}, "progress must be a function"),
    ],
)
def test_evaluation_names_what_does_not_fit(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        evaluate(load_checkpoint("gauss2d"), **options)
    with pytest.raises(InputError, match="checkpoint must be a Checkpoint, got 'gauss2d'"):
        evaluate("gauss2d")  # type: ignore[arg-type]


def test_settings_of_a_training_run_have_their_types() -> None:
    config = load_config("gauss2d")
    assert replace(config, n_datasets=np.int64(4), n_points=[5, 10]).n_points == (5, 10)
    for wrong in (
        {"learning_rate": "a"},
        {"n_points": 5},
        {"steps": 1.5},
        {"precision": 32},
        {"data": "spikes"},
    ):
        with pytest.raises(InputError, match=f"{next(iter(wrong))} must be"):
            replace(config, **wrong)  # type: ignore[arg-type]
    for wrong in (3, None, ["gauss2d"]):
        with pytest.raises(InputError, match="the training run must be given as text or a path"):
            load_config(wrong)  # type: ignore[arg-type]
