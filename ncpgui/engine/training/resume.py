"""What a run needs to go on after it was stopped or killed, in one file that is swapped in whole.

Random numbers are not among it: those of a step are drawn from streams that are functions of the seed and
the step's number, so a run that goes on draws what it would have drawn, on any number of processes. On a
CPU the losses are then equal to the last bit; on a GPU up to the order in which it adds.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ncpgui.core.config import to_dict
from ncpgui.core.errors import CheckpointError
from ncpgui.core.files import replaced_file
from ncpgui.engine.networks.registry import Network
from ncpgui.engine.training.config import TrainConfig, differences

FORMAT = 4


def resume_path(weights: Path) -> Path:
    """Where the state of the run lies that writes the model `weights`."""
    return weights.with_suffix(".resume.pt")


@dataclass
class RunState:
    """How far a run is.

    network, average : the weights that are trained, and their average over time, which is kept
    step, minutes : that are done, with those before a resume
    scored_minutes : when held-out data were scored last
    best_nll, best_easy_ari : scores of the weights that are kept so far; curve : all scores
    parent : what the card says of the model that the run began with
    start : its weights, where `start_share` or `start_fixed` asks for them
    data : hashes of the files that its data are drawn from, by name
    """

    network: Network
    average: Network
    optimiser: torch.optim.Optimizer
    step: int = 0
    minutes: float = 0.0
    scored_minutes: float = 0.0
    best_nll: float = math.inf
    best_easy_ari: float = -math.inf
    curve: list[dict[str, Any]] = field(default_factory=list)
    parent: dict[str, Any] = field(default_factory=dict)
    start: dict[str, torch.Tensor] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)

    _PLAIN = ("step", "minutes", "scored_minutes", "best_nll", "best_easy_ari", "curve", "parent", "start")
    _MODULES = ("network", "average", "optimiser")

    def save(self, path: Path, config: TrainConfig) -> None:
        """Write the state; whatever happens meanwhile, the file is whole."""
        state = {"format": FORMAT, "config": to_dict(config), "data": self.data}
        state |= {name: getattr(self, name) for name in self._PLAIN}
        state |= {name: getattr(self, name).state_dict() for name in self._MODULES}
        buffer = io.BytesIO()
        torch.save(state, buffer)  # which does not say in so many words that a disk is full
        with replaced_file(path) as beside:
            beside.write_bytes(buffer.getbuffer())

    def load(self, path: Path, config: TrainConfig) -> None:
        """Go on from a state.

        Raises
        ------
        CheckpointError
            There is none, it cannot be read, it is of another version of the format, or of a run with
            other settings or other data.
        """
        state = read_state(path)
        differs = differences(state["config"], config)
        if differs:
            raise CheckpointError(
                f"{path} is of a run with other settings: {'; '.join(differs[:6])}"
                f"{' and more' if len(differs) > 6 else ''}; give the same settings to go on with it, or "
                "start a new run with --overwrite, or in another folder with --out"
            )
        if state.get("data") != self.data:
            raise CheckpointError(
                f"{path} is of a run on other data: the contents of a file that it draws from have changed; "
                "go on with the file as it was, or start a new run with --overwrite, or in another folder "
                "with --out"
            )
        try:
            for name in self._MODULES:
                getattr(self, name).load_state_dict(state[name])
            for name in self._PLAIN:
                setattr(self, name, state[name])
        except (KeyError, RuntimeError, ValueError) as error:
            raise CheckpointError(
                f"{path} does not fit this version of ncpgui: {str(error).splitlines()[0]}; go on with the "
                "version that wrote it, or start without --resume"
            ) from error


def read_state(path: Path) -> dict[str, Any]:
    """Read the file of a run, tensors on the CPU.

    Raises
    ------
    CheckpointError
        It is missing, damaged, or of another version of the format.
    """
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise CheckpointError(
            f"there is no run to resume, {path} is missing; start without --resume"
        ) from error
    except Exception as error:  # torch stumbles over damaged files in many ways
        raise CheckpointError(
            f"cannot resume from {path}, it is damaged or no training run; start without --resume"
        ) from error
    if not isinstance(state, dict) or "config" not in state:
        raise CheckpointError(f"cannot resume from {path}, it is not a training run; start without --resume")
    version = state.get("format", 1)
    if version != FORMAT:
        age = "a newer" if isinstance(version, int) and version > FORMAT else "an older"
        raise CheckpointError(
            f"cannot resume from {path}, it was written by {age} version of ncpgui (format {version}, this "
            f"one has {FORMAT}); go on with that version, or begin a new run with its weights: --start-from "
            "NAME.safetensors --out ANOTHER_FOLDER"
        )
    return state
