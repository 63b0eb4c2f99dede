"""A run that takes a fraction of a second."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.registry import NetworkSettings
from ncpgui.engine.training.config import TrainConfig

POINTS = {"hidden": [16], "h_dim": 16, "scale": 0.1, "skip": True}


@pytest.fixture
def tiny() -> TrainConfig:
    """Our network, tiny, on 2D Gaussians; its datasets differ in their number of points."""
    return TrainConfig(
        architecture=NetworkSettings(
            encoder="points",
            encoder_options=POINTS,
            network_options={"h_dim": 16, "metric": 8, "hidden": 16},
        ),
        data=GenerativeSettings("gauss2d"),
        steps=6,
        n_datasets=4,
        n_points=(5, 20),
        n_points_end=(5, 20),
        n_points_each=True,
        n_orders=2,
        warmup_steps=2,
        validate_points=8,
        validate_minutes=1000.0,
        save_minutes=1000.0,
    )


@pytest.fixture
def one_thread() -> Iterator[None]:
    """One thread, as in the processes that tests start: sums are then the same to the last bit."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
