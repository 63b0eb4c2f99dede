"""Training: the loss falls, the best weights are kept with their card, a run goes on where it stopped."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
import torch

from ncpgui.core.config import from_dict, to_dict
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.registry import NetworkSettings
from ncpgui.engine.training import loop
from ncpgui.engine.training.config import TrainConfig, load_config, presets
from ncpgui.engine.training.loop import mean_loss, train
from ncpgui.engine.training.validation import Scores

TINY = TrainConfig(
    architecture=NetworkSettings(
        encoder_options={"h_dim": 32, "temporal": 32, "depth": 1},
        network_options={"h_dim": 32, "metric": 16, "hidden": 32},
    ),
    n_datasets=8,
    n_points=(20, 30),
    n_points_end=(20, 30),
    learning_rate=3e-3,
    warmup_steps=10,
    validate_minutes=1e-6,
)


@pytest.fixture
def steps_as_minutes(monkeypatch):
    """A clock on which every step takes one minute, and validation that costs nothing."""
    ticks = itertools.count()
    monkeypatch.setattr(loop.time, "monotonic", lambda: 60.0 * next(ticks))
    scores = iter([0.5, 0.4, 0.6] + [0.7] * 1000)
    monkeypatch.setattr(loop, "validate", lambda *_, **__: Scores(next(scores), 0.0, 0.0))


def test_the_loss_falls_within_a_hundred_steps(tmp_path, monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(loop.time, "monotonic", lambda: 60.0 * next(ticks))
    config = replace(TINY, minutes=100.0, validate_minutes=1e9)
    monkeypatch.setattr(loop, "validate", lambda *_, **__: Scores(0.0, 0.0, 0.0))
    losses = [step.loss for step in train(config, out=tmp_path / "run.safetensors")]
    assert sum(losses[-10:]) < 0.6 * sum(losses[:10])


def test_the_best_averaged_weights_are_kept_with_a_card_that_tells_how(tmp_path, steps_as_minutes):
    out = tmp_path / "run.safetensors"
    steps = list(train(replace(TINY, minutes=4.0), out=out, command="ncpgui train mine.toml"))
    assert [round(step.validation.nll, 1) for step in steps] == [0.5, 0.4, 0.6, 0.7]
    card = load_checkpoint(out).card
    assert card["steps"] == 2
    assert card["scores"]["nll"] == 0.4
    assert card["training"]["command"] == "ncpgui train mine.toml"
    assert len(card["data_sha256"]) == 64


def test_a_run_goes_on_where_it_stopped(tmp_path, steps_as_minutes):
    out = tmp_path / "run.safetensors"
    config = replace(TINY, minutes=6.0)
    first = list(itertools.islice(train(config, out=out), 3))
    (again, *_) = train(config, out=out, resume=True)
    assert again.step == first[-1].step + 1
    assert again.minutes == first[-1].minutes + 1


def test_resuming_without_a_state_or_with_another_architecture_is_refused(tmp_path, steps_as_minutes):
    out = tmp_path / "run.safetensors"
    with pytest.raises(CheckpointError, match="start without --resume"):
        next(train(TINY, out=out, resume=True))
    list(train(replace(TINY, minutes=1.0), out=out))
    other = replace(TINY, architecture=replace(TINY.architecture, network_options={"h_dim": 32, "metric": 8}))
    with pytest.raises(CheckpointError, match="another architecture"):
        next(train(other, out=out, resume=True))


def test_a_run_begins_with_the_weights_of_another_model_and_its_card_says_so(tmp_path, steps_as_minutes):
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    list(train(replace(TINY, minutes=2.0), out=first, command="ncpgui train first.toml"))
    frozen = replace(TINY, minutes=1.0, learning_rate=1e-12, weight_decay=0.0, start_from=str(first))
    list(train(frozen, out=second))
    parent, child = load_checkpoint(first), load_checkpoint(second)
    for name, value in parent.network.state_dict().items():
        torch.testing.assert_close(child.network.state_dict()[name], value, atol=1e-5, rtol=0)
    assert child.card["started_from"]["training"]["command"] == "ncpgui train first.toml"
    assert child.card["started_from"]["steps"] == 2


def test_a_run_cannot_begin_with_a_model_of_another_architecture(tmp_path, steps_as_minutes):
    out = tmp_path / "first.safetensors"
    list(train(replace(TINY, minutes=1.0), out=out))
    with pytest.raises(CheckpointError, match="'first' has another architecture"):
        next(train(replace(TrainConfig(), start_from=str(out)), out=tmp_path / "second.safetensors"))


def test_several_orders_of_one_encoding_are_scored_in_one_step():
    from ncpgui.engine.networks.registry import build_network

    torch.manual_seed(0)
    network = build_network(TINY.architecture)
    batch = TINY.data.build().sample(2, 15, torch.Generator().manual_seed(0))
    one, _ = mean_loss(network, batch, n_orders=1)
    three, _ = mean_loss(network, batch, n_orders=3)
    assert torch.isfinite(three)
    assert abs(three - one) > 1e-6


def test_presets_survive_the_way_to_toml_values_and_back():
    for config in presets().values():
        assert from_dict(TrainConfig, to_dict(config)) == config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minuts = 3\n", "unknown key 'minuts' in run.toml; did you mean 'minutes'"),
        ("minutes = -1.0\n", "'minutes' must be positive"),
        ('minutes = "long"\n', "run.toml.minutes must be of type float"),
        ("n_points = [9, 3]\n", "must be \\(fewest, most\\)"),
        (
            "[data.options]\nk_rat = 1.0\n",
            "unknown key 'k_rat' in options of 'spikes'; did you mean 'k_rate'",
        ),
        ('[data]\nmodel = "spike"\n', "unknown generative model 'spike'; this version has gauss2d, spikes"),
        (
            "[data.options]\nk_rate = -1.0\n",
            "'k_rate' must be a finite number that is not negative, got -1.0",
        ),
        ("[data.options]\nk_max = 0\n", "'k_max' must be positive, got 0"),
        ("[data.options]\np_bursting = 1.5\n", "'p_bursting' must be between 0 and 1, got 1.5"),
        ("[data.options]\nburst_part = [0.4, 0.1]\n", "'burst_part' must be \\(lowest, highest\\)"),
        ("[data.options.units]\ndepth_um = [-5.0, 10.0]\n", "'depth_um' must be a finite number"),
        ("minutes = \n", "cannot be read as TOML"),
    ],
)
def test_configurations_that_cannot_be_are_refused(tmp_path, text, message):
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_config(str(path))


def test_an_unknown_preset_lists_the_known_ones():
    with pytest.raises(InputError, match="presets are paper-spikes-hex7, spikes"):
        load_config("nothing")
