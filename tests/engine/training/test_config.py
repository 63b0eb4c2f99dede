"""Settings of a run: presets, TOML files, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ncpgui.core.config import from_dict, to_dict
from ncpgui.core.errors import InputError
from ncpgui.engine.networks.registry import build_network
from ncpgui.engine.training.config import TrainConfig, differences
from ncpgui.engine.training.presets import PRESETS, load_config


def test_presets_survive_the_way_to_toml_values_and_back():
    for preset in PRESETS.values():
        assert from_dict(TrainConfig, to_dict(preset.config)) == preset.config


@pytest.mark.parametrize("name", PRESETS)
def test_the_network_of_every_preset_can_be_built(name):
    assert sum(p.numel() for p in build_network(PRESETS[name].config.architecture).parameters()) > 0


def test_the_run_of_the_paper_is_that_of_its_supplement():
    """SM D: 20000 iterations, batches of 32, Adam, learning rate 0.0001."""
    run = PRESETS["paper-spikes-hex7"].config
    assert (run.steps, run.n_datasets, run.learning_rate, run.weight_decay) == (20_000, 32, 1e-4, 0.0)
    assert run.n_points == run.n_points_end == (200, 500)


def test_the_part_that_is_done_is_counted_in_steps_or_in_minutes():
    by_steps, by_clock = TrainConfig(steps=10, minutes=2.0), TrainConfig(minutes=2.0)
    assert by_steps.part_done(5, minutes=100.0) == 0.5
    assert by_clock.part_done(5, minutes=1.0) == 0.5
    assert by_clock.part_done(5, minutes=3.0) == 1.0


def test_points_of_spike_data_are_called_spikes():
    assert PRESETS["spikes"].config.noun == "spike"
    assert PRESETS["gauss2d"].config.noun == "point"


def test_a_run_that_goes_on_may_be_longer_and_save_more_often_and_nothing_else():
    run = TrainConfig()
    longer = replace(run, minutes=500.0, steps=3, save_minutes=2.0, save_steps=1, validate_steps=7)
    assert differences(to_dict(run), longer) == []
    data = replace(run.data, options={"k_rate": 3.0})
    assert differences(to_dict(run), replace(run, n_points=(2, 3), data=data)) == [
        "data.options.k_rate 2.0, now 3.0",
        "n_points [30, 80], now [2, 3]",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minuts = 3\n", "unknown key 'minuts' in run.toml; did you mean 'minutes'"),
        (
            "minutes = -1.0\n",
            "run.toml: training setting 'minutes' must be a finite number above 0, got -1.0",
        ),
        ("minutes = inf\n", "'minutes' must be a finite number above 0, got inf"),
        ("learning_rate = nan\n", "'learning_rate' must be a finite number above 0, got nan"),
        ("weight_decay = -1.0\n", "'weight_decay' must be a finite number, 0 or more"),
        ('minutes = "long"\n', "run.toml.minutes must be of type float"),
        ("steps = 1.5\n", "run.toml.steps must be of type int"),
        ("steps = -1\n", "'steps' must be 0 or more, got -1"),
        ("temperature_datasets = 1\n", "'temperature_datasets' must be 0, or 2 and more, got 1"),
        ("n_datasets = 0\n", "'n_datasets' must be at least 1, got 0"),
        ("n_points = [9, 3]\n", r"must be \(fewest, most\) points"),
        ("n_points_each = 1\n", "run.toml.n_points_each must be of type bool"),
        ("ema_decay = 1.0\n", "'ema_decay' must be at least 0 and below 1"),
        (
            'start_from = "spikes"\nstart_share = 1.0\n',
            "'start_share' must be at least 0 and below 1, got 1.0",
        ),
        (
            "start_fixed = true\n",
            "'start_fixed' is true, but the run begins with no model; give 'start_from'",
        ),
        ("start_share = 0.5\n", "'start_share' is 0.5, but the run begins with no model; give 'start_from'"),
        ("betas = [0.9, 1.0]\n", "'betas' must be two numbers, each at least 0 and below 1"),
        ('schedule = "linear"\n', "'schedule' must be one of cosine, paper, got linear"),
        ('precision = "half"\n', "'precision' must be one of auto, float32, bfloat16, got half"),
        ("[architecture]\nnetwrk = 1\n", "unknown key 'netwrk' in run.toml.architecture"),
        (
            "[data.options]\nk_rat = 1.0\n",
            "unknown key 'k_rat' in options of 'spikes'; did you mean 'k_rate'",
        ),
        (
            '[data]\nmodel = "spike"\n',
            "run.toml: unknown generative model 'spike'; this version has .*spikes",
        ),
        (
            "[data.options]\nk_rate = -1.0\n",
            "'k_rate' must be a finite number that is not negative, got -1.0",
        ),
        ("[data.options]\nk_max = 0\n", "'k_max' must be positive, got 0"),
        ("[data.options]\np_bursting = 1.5\n", "'p_bursting' must be between 0 and 1, got 1.5"),
        ("[data.options]\nburst_part = [0.4, 0.1]\n", r"'burst_part' must be \(lowest, highest\)"),
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
    with pytest.raises(InputError, match=r"presets are .*paper-spikes-hex7, particles, .*spikes"):
        load_config("nothing")
