"""A trained model on disk gets the temperature at which its probabilities come true best."""

from __future__ import annotations

from pathlib import Path

from ncpgui.core.config import to_dict
from ncpgui.core.errors import CheckpointError
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.engine.diagnostics.temperature import TemperatureFit, fit_temperature
from ncpgui.engine.networks.checkpoint import load_checkpoint, save_checkpoint
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.validation import validate


def calibrate_model(path: Path, config: TrainConfig, *, progress: Progress = silent) -> TemperatureFit:
    """Fit the temperature of the model that the run `config` wrote, on held-out data.

    These are the cells that also chose which weights of the run are kept.

    The weights file then holds the temperature, and every sampler applies it. The card tells what was found,
    and its scores are those at this temperature. Both files are swapped in whole at the end.

    Raises
    ------
    CheckpointError
        The model cannot be loaded, or is a network that has no temperature.
    """
    checkpoint = load_checkpoint(path)
    network, card = checkpoint.network, checkpoint.card
    if not isinstance(network, ClusteringNetwork):
        raise CheckpointError(
            f"temperature_datasets: model '{checkpoint.name}' draws whole clusters and has no temperature; "
            "leave temperature_datasets at 0"
        )
    held_out = config.data.build("test")
    fit = fit_temperature(
        network,
        held_out,
        n_datasets=config.temperature_datasets,
        n_points=config.validate_points,
        seed=config.seed,
        progress=portion(progress, 0, 9, 10),
    )
    scores = validate(
        network,
        held_out,
        seed=config.seed,
        n_points=config.validate_points,
        n_datasets=config.validate_datasets,
        progress=portion(progress, 9, 10, 10),
    )
    found = {"temperature": fit.temperature, "temperature_fit": to_dict(fit), "scores": to_dict(scores)}
    save_checkpoint(path, network, config.architecture, {**card, **found})
    return fit
