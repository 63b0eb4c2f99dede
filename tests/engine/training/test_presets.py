"""Every named run works: it takes steps, and writes a model that loads."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.presets import PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_takes_steps_and_writes_a_model_that_loads(name, tmp_path):
    small = {
        "steps": 2,
        "n_datasets": 2,
        "n_points": (5, 8),
        "n_points_end": (5, 8),
        "validate_points": 6,
        "validate_datasets": 2,
        "start_from": None,
        "start_share": 0.0,
    }
    config = replace(PRESETS[name].config, **small)
    out = tmp_path / "run.safetensors"
    steps = list(train(config, out=out))
    assert [step.step for step in steps] == [1, 2]
    assert all(math.isfinite(step.loss) for step in steps)
    assert load_checkpoint(out).card["training"]["data"]["model"] == config.data.model
