"""Amortized clustering: sample the posterior over clusterings of spikes with a trained network.

PyTorch is loaded on the first public call that computes, not on import, and tensors never leave this package.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.allocator import map_large_blocks
from ncpgui.core.shared_libraries import load_libraries_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ncpgui.engine.side_by_side import draws_side_by_side
    from ncpgui.engine.waveform_clustering import cluster

__all__ = [
    "beams_at_once",
    "checked_model",
    "cluster",
    "default_model",
    "draws_side_by_side",
    "in_white_noise",
    "models",
    "shared_cores",
]

# Threads of OpenMP wait without spinning. Spinning ones starve each other where anything else runs: on
# a busy machine of two cores a second of sampling takes more than a minute. Read when torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """`cluster` and `draws_side_by_side`, which are imported when somebody asks for them."""
        module = {"cluster": "waveform_clustering", "draws_side_by_side": "side_by_side"}.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        _load_torch()
        map_large_blocks()
        return getattr(import_module(f"{__name__}.{module}"), name)


def beams_at_once(device: str, width: int) -> int:
    """Beams of a width that a device had better search side by side (`draws_side_by_side`)."""
    _load_torch()
    from ncpgui.engine.device import resolve_device
    from ncpgui.engine.sampling.beams import sets_at_once

    return sets_at_once(resolve_device(device), width)


def in_white_noise(waveforms: NDArray[np.floating]) -> NDArray[np.float32]:
    """Waveforms (n, T, C), noise sd, turned so that their noise is about white: (n, T, C).

    The noise is judged by the differences of waveforms that are near each other, but for the largest fifth.
    """
    _load_torch()
    import torch

    from ncpgui.engine.device import one_core
    from ncpgui.engine.networks.principal_components import in_white_noise as whitened

    points = torch.from_numpy(np.ascontiguousarray(waveforms, dtype=np.float32))[None]
    with one_core():
        return np.asarray(whitened(points, torch.ones(1, len(waveforms), dtype=torch.bool))[0])


def shared_cores(n_calls: int) -> AbstractContextManager[None]:
    """While `n_calls` calls of `cluster` run side by side on threads: each takes its share of the cores."""
    _load_torch()
    from ncpgui.engine.device import shared_cores as shared

    return shared(n_calls)


def models() -> list[dict[str, Any]]:
    """Cards of the shipped models, by name."""
    from ncpgui.core.resources import data_folder
    from ncpgui.engine.networks.model_files import load_card

    return [load_card(path) for path in sorted(data_folder("trained_models").glob("*.safetensors"))]


def default_model() -> str:
    """Name of the model used where none is asked for."""
    from ncpgui.engine.networks.model_files import default_model_name

    return default_model_name()


def checked_model(model: str | Path | None = None, *, device: str = "auto") -> str:
    """Name of a model that can be loaded, clusters spikes and has a device: asked before any work.

    Raises
    ------
    CheckpointError
        It cannot be loaded, or clusters something else.
    InputError
        There is no such device.
    """
    _load_torch()
    from ncpgui.engine.device import resolve_device
    from ncpgui.engine.networks.checkpoint import name_of_spike_model

    resolve_device(device)
    return name_of_spike_model(model)


def _load_torch() -> None:
    """Load the libraries of PyTorch, which its import then finds there: see `core.shared_libraries`."""
    load_libraries_of("torch")
