"""The files of trained networks: where they are, and their cards. None of this needs PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ncpgui.core import arguments
from ncpgui.core.errors import CheckpointError
from ncpgui.core.files import finish_files
from ncpgui.core.json_text import parse_json
from ncpgui.core.nearest import did_you_mean
from ncpgui.core.regular_files import regular
from ncpgui.core.resources import data_folder

CARD_FORMAT = 1


def files_of(path: Path) -> tuple[Path, Path]:
    """Weights and card."""
    return path, path.with_suffix(".json")


def find_model(model: str | Path | None) -> Path:
    """Path of a shipped model by name, or of a file.

    Raises
    ------
    CheckpointError
        Neither a file nor a shipped model; the known names are listed.
    InputError
        It is no name at all.
    """
    shipped = sorted(data_folder("trained_models").glob("*.safetensors"))
    if model is None:
        return find_model(default_model_name())
    path = arguments.path(model, "the model")
    for candidate in (path, path.with_suffix(".safetensors")) if path.name else ():
        if candidate.suffix == ".safetensors":
            finish_files(files_of(candidate))  # of a training that was killed while it kept a model
            if candidate.is_file():
                return candidate
    for candidate in shipped:
        if candidate.stem == str(model):
            return candidate
    names = [path.stem for path in shipped]
    raise CheckpointError(
        f"no model '{model}': not a .safetensors file, and the shipped models are "
        f"{', '.join(names) or 'none'}{did_you_mean(path.name.removesuffix('.safetensors'), names)}"
    )


def default_model_name() -> str:
    """Name of the model used where none is asked for: one for spikes with times and without."""
    return "spikes"


def load_card(path: Path) -> dict[str, Any]:
    """Read the card beside a weights file.

    Raises
    ------
    CheckpointError
        The card is missing, damaged or of a newer format.
    """
    place = path.with_suffix(".json")
    try:
        card = parse_json(regular(place).read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(f"model {path} has no card {place.name} beside it; copy both files") from error
    except ValueError as error:
        raise CheckpointError(f"card {place} is damaged: {error}; fetch the model again") from error
    version = card.get("card_format") if isinstance(card, dict) else None
    if version != CARD_FORMAT:
        raise CheckpointError(
            f"card {place} is of format {version!r}, this version reads {CARD_FORMAT}; update ncpgui"
        )
    if not isinstance(card.get("name"), str) or not isinstance(card.get("architecture"), dict):
        raise CheckpointError(
            f"card {place} is damaged: name or architecture is missing; fetch the model again"
        )
    if not isinstance(card.get("input", {}), dict):
        raise CheckpointError(f"card {place} is damaged: input has no names; fetch the model again")
    return card
