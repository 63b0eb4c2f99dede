"""The weights between two trained models; they may serve other data better than either.

Wortsman et al., Robust fine-tuning of zero-shot models, CVPR 2022.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from ncpgui.core.config import from_dict, to_dict
from ncpgui.core.errors import CheckpointError
from ncpgui.core.progress import Progress, silent
from ncpgui.core.source_revision import source_revision
from ncpgui.engine.diagnostics.evaluate import trained_on
from ncpgui.engine.networks.checkpoint import Checkpoint, load_checkpoint, made_with, save_checkpoint
from ncpgui.engine.networks.registry import NetworkSettings
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.validation import validate

_TOLD = ("name", "training", "steps", "minutes", "scores", "weights_sha256")
_OF_THE_FIRST = ("training", "input", "data_sha256", "steps", "minutes", "curve", "started_from")


def mix_models(
    first: str | Path,
    second: str | Path,
    *,
    out: Path,
    share: float = 0.5,
    command: str = "",
    progress: Progress = silent,
) -> dict[str, Any]:
    """Write (1 - share) first + share second to `out` (.safetensors), and return its card.

    Counts of batches are those of the first; the temperature is 1, since those of both were fitted to them as
    they are. The card is that of the first with what was mixed, scored on the held-out data of its training.

    Parameters
    ----------
    first, second : names of shipped models or files; share : of the second, 0 .. 1

    Raises
    ------
    CheckpointError
        A model cannot be loaded, its card does not name its data, or the two are of different architectures.
    """
    one, other = load_checkpoint(first), load_checkpoint(second)
    settings = _common_architecture(one, other)
    data = trained_on(one.card)
    weights, theirs = one.network.state_dict(), other.network.state_dict()
    for name, value in weights.items():
        if value.is_floating_point():
            weights[name] = torch.lerp(value, theirs[name], share)
    if "log_temperature" in weights:
        weights["log_temperature"] = torch.zeros_like(weights["log_temperature"])
    one.network.load_state_dict(weights)
    run = one.card["training"]
    scores = validate(
        one.network,
        data.build("test"),
        seed=run["seed"],
        n_points=run["validate_points"],
        n_datasets=run.get("validate_datasets", TrainConfig.validate_datasets),
        importance_samples=run.get("importance_samples", TrainConfig.importance_samples),
        progress=progress,
    )
    card = {
        **{key: one.card[key] for key in _OF_THE_FIRST if key in one.card},
        "mixed": {
            "command": command,
            "share": share,
            "first": {key: one.card.get(key) for key in ("name", "weights_sha256")},
            "second": {key: other.card[key] for key in _TOLD if key in other.card},
        },
        "temperature": 1.0,
        **made_with(source_revision()),
        "scores": to_dict(scores),
    }
    save_checkpoint(out, one.network, settings, card)
    return card


def _common_architecture(one: Checkpoint, other: Checkpoint) -> NetworkSettings:
    """Architecture of both, defaults filled in."""
    first, second = (
        from_dict(NetworkSettings, model.card["architecture"], place=model.name) for model in (one, other)
    )
    if first != second:
        raise CheckpointError(
            f"models '{one.name}' and '{other.name}' have different architectures, so there is "
            "nothing between their weights; mix a model with one that went on from it"
        )
    return first
