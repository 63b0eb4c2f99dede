"""A trained network on disk: NAME.safetensors (weights) and NAME.json (its card). Never a pickle.

The card says what the network is (names and sizes), what it was trained on, with which command,
and how well it scored; `weights_sha256` ties the two files together.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from ncpgui import __version__
from ncpgui.core.config import from_dict, to_dict
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.file_stamp import file_stamp
from ncpgui.core.files import replaced_files
from ncpgui.core.regular_files import regular
from ncpgui.core.source_revision import Revision
from ncpgui.engine.networks.model_files import CARD_FORMAT, files_of, find_model, load_card
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.networks.registry import Network, NetworkSettings, build_network
from ncpgui.engine.torch_defaults import usual_defaults

MOST_BYTES = 2**31
"""Size up to which weights are read; those of the largest shipped model have some MB."""


@dataclass(frozen=True)
class Checkpoint:
    """A network in evaluation mode with its card (a plain dictionary)."""

    network: Network
    card: dict[str, Any]

    @property
    def name(self) -> str:
        """Name in the card."""
        return str(self.card["name"])


def save_checkpoint(path: Path, network: Network, settings: NetworkSettings, card: dict[str, Any]) -> None:
    """Write ``path`` (.safetensors) and its card beside it, both swapped in as one."""
    with replaced_files(files_of(path)) as (weights, description):
        weights.write_bytes(save({n: value.contiguous() for n, value in network.state_dict().items()}))
        whole = {
            "card_format": CARD_FORMAT,
            "name": path.stem,
            **card,
            "architecture": to_dict(settings),
            "n_parameters": sum(p.numel() for p in network.parameters()),
            "weights_sha256": _sha256(weights),
        }
        description.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")


def made_with(revision: Revision) -> dict[str, Any]:
    """When something was made and with which programs, as cards and evaluations say it."""
    return {
        "date": date.today().isoformat(),
        "git_revision": revision.commit,
        "git_changed": revision.changed,
        "ncpgui": __version__,
        "torch": torch.__version__,
    }


def load_checkpoint(model: str | Path | None = None, *, device: torch.device | str = "cpu") -> Checkpoint:
    """Load a network by shipped name or path, ready to sample (evaluation mode).

    Raises
    ------
    CheckpointError
        Not found, damaged, of another architecture, or card and weights that do not belong together.
    """
    path = find_model(model)
    card = load_card(path)
    if card.get("weights_sha256") != _sha256(path):
        raise CheckpointError(
            f"model {path} is damaged or not the one of its card {path.with_suffix('.json').name} "
            "(checksums differ); fetch both files again"
        )
    try:
        settings = from_dict(NetworkSettings, card["architecture"], place=f"{path.stem}.architecture")
        with usual_defaults():
            network = build_network(settings)
        network.load_state_dict(load_file(path))
    except (KeyError, RuntimeError, SafetensorError, InputError) as error:
        reason = str(error).splitlines()[0]
        raise CheckpointError(f"model {path} does not fit this version of ncpgui: {reason}") from error
    return Checkpoint(network.eval().to(device), card)


def network_of_spikes(checkpoint: Checkpoint) -> ClusteringNetwork:
    """The network of a model that clusters spikes one after the other.

    Raises
    ------
    CheckpointError
        It clusters something else.
    """
    kind = checkpoint.card.get("input", {}).get("kind", "spikes")
    if kind != "spikes" or not isinstance(checkpoint.network, ClusteringNetwork):
        raise CheckpointError(
            f"model '{checkpoint.name}' clusters {kind}, not spikes; 'ncpgui models' lists those for spikes"
        )
    return checkpoint.network


def name_of_spike_model(model: str | Path | None = None) -> str:
    """Name of a model that can be loaded and clusters spikes.

    Raises
    ------
    CheckpointError
        It cannot be loaded, or clusters something else.
    """
    checkpoint = kept_checkpoint(find_model(model), "cpu")
    network_of_spikes(checkpoint)
    return checkpoint.name


def kept_checkpoint(path: Path, device: str) -> Checkpoint:
    """The model of a weights file on a device, loaded once as long as its files stay as they are."""
    return _kept_checkpoint(path, device, *map(file_stamp, files_of(path)))


@lru_cache(maxsize=4)
def _kept_checkpoint(path: Path, device: str, *_stamps: object) -> Checkpoint:
    return load_checkpoint(path, device=device)


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(regular(path, most_bytes=MOST_BYTES).read_bytes()).hexdigest()
    except OSError as error:
        raise CheckpointError(
            f"model {path} cannot be read: {error.strerror or error}; fetch both files again"
        ) from error
