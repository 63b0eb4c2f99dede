"""A mixture whose clusters overlap, so that posteriors are uncertain, and three known posteriors of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from faint_spikes import drawn_faint_spikes

from ncpgui.engine.diagnostics.evaluate import Amount
from ncpgui.engine.diagnostics.posteriors import ExactPosterior
from ncpgui.engine.generative.finite_spikes import FiniteSpikes
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM, GaussianDPMMSettings
from ncpgui.engine.networks.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from ncpgui.engine.networks.registry import NetworkSettings, build_network

FEW = Amount(
    n_points=6,
    orders=3,
    order_datasets=4,
    order_samples=5,
    calibration_datasets=6,
    calibration_samples=20,
    rank_datasets=12,
    rank_samples=9,
    exact_datasets=3,
    exact_points=5,
    exact_orders=2,
    line_positions=5,
    last_point_datasets=4,
    last_point_points=(4, 6),
    geweke=((5, 20), (30, 20)),
    weight_datasets=3,
    weight_points=6,
    weight_samples=40,
    speed_datasets=1,
    speed_sweeps=20,
)


@pytest.fixture(scope="session")
def model() -> GaussianDPMM:
    return GaussianDPMM(GaussianDPMMSettings(alpha=0.7, alpha_drawn=False, sigma_mu=2.0))


@pytest.fixture(scope="session")
def right(model: GaussianDPMM) -> ExactPosterior:
    return ExactPosterior(model)


@pytest.fixture(scope="session")
def too_sure(model: GaussianDPMM) -> ExactPosterior:
    return ExactPosterior(model, temperature=0.4)


@pytest.fixture(scope="session")
def too_unsure(model: GaussianDPMM) -> ExactPosterior:
    return ExactPosterior(model, temperature=2.5)


@pytest.fixture(scope="session")
def faint_spikes() -> FiniteSpikes:
    return drawn_faint_spikes()


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


@pytest.fixture(scope="session")
def few() -> Amount:
    """The fewest datasets with which every diagnostic runs."""
    return FEW


@pytest.fixture(scope="session")
def gaussian_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of an untrained network for 2D Gaussians."""
    path = tmp_path_factory.mktemp("models") / "plane.safetensors"
    settings = NetworkSettings(
        encoder="points",
        encoder_options={"hidden": [8], "h_dim": 8},
        network_options={"h_dim": 8, "metric": 4, "hidden": 8},
    )
    torch.manual_seed(0)
    data = {"model": "gauss2d", "options": {"alpha": 0.7, "alpha_drawn": False}}
    save_checkpoint(path, build_network(settings), settings, {"training": {"data": data}})
    return path


@pytest.fixture(scope="session")
def gaussian_checkpoint(gaussian_model: Path) -> Checkpoint:
    return load_checkpoint(gaussian_model)
