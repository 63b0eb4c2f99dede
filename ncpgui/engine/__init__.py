"""Amortized clustering: sample the posterior over clusterings of spikes with a trained network.

Public calls: `cluster`, `draws_side_by_side`, `beams_at_once`, `shared_cores`, `models`, `default_model`,
`checked_model`.
PyTorch is loaded on the first of them that computes, not on import, and tensors never leave this package.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncpgui.core.heap import map_large_blocks
from ncpgui.core.shared_libraries import load_libraries_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ncpgui.core.progress import Progress
    from ncpgui.engine.side_by_side import SetDraws
    from ncpgui.engine.waveform_clustering import ClusterResult

# Threads of OpenMP wait without spinning. Spinning ones starve each other where anything else runs: on
# a busy machine of two cores a second of sampling takes more than a minute. Read when torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def cluster(
    waveforms: NDArray[np.floating],
    *,
    channel_positions: ArrayLike | None = None,
    channel_mask: ArrayLike | None = None,
    sampling_frequency: float = 20_000.0,
    times_s: ArrayLike | None = None,
    model: str | Path | None = None,
    samples: int = 200,
    beam: int = 150,
    sweeps: int | None = None,
    seed: int = 0,
    device: str = "auto",
    progress: Progress | None = None,
    clamped: ArrayLike | None = None,
    must_link: Iterable[tuple[int, int]] = (),
    cannot_link: Iterable[tuple[int, int]] = (),
) -> ClusterResult:
    """Sample the posterior over clusterings of spikes; see `waveform_clustering.cluster_waveforms`."""
    _load_torch()
    map_large_blocks()
    from ncpgui.engine.torch_defaults import usual_defaults
    from ncpgui.engine.waveform_clustering import cluster_waveforms

    with usual_defaults():
        return cluster_waveforms(
            waveforms,
            channel_positions=channel_positions,
            channel_mask=channel_mask,
            sampling_frequency=sampling_frequency,
            times_s=times_s,
            model=model,
            samples=samples,
            beam=beam,
            sweeps=sweeps,
            seed=seed,
            device=device,
            progress=progress,
            clamped=clamped,
            must_link=must_link,
            cannot_link=cannot_link,
        )


def draws_side_by_side(
    sets: Sequence[NDArray[np.floating]],
    *,
    channel_positions: Sequence[ArrayLike],
    times_s: Sequence[ArrayLike | None] | None = None,
    seeds: Sequence[int],
    samples: int,
    beam: int = 0,
    sweeps: int | None = None,
    model: str | Path | None = None,
    device: str = "auto",
    progress: Progress | None = None,
) -> list[SetDraws]:
    """Draws, or the beam, of each of several sets of spikes; see `side_by_side.draws_side_by_side`."""
    _load_torch()
    map_large_blocks()
    from ncpgui.core.progress import silent
    from ncpgui.engine.side_by_side import draws_side_by_side as drawn
    from ncpgui.engine.torch_defaults import usual_defaults

    with usual_defaults():
        return drawn(
            sets,
            channel_positions=channel_positions,
            times_s=times_s,
            seeds=seeds,
            samples=samples,
            beam=beam,
            sweeps=sweeps,
            model=model,
            device=device,
            progress=progress or silent,
        )


def beams_at_once(device: str, width: int) -> int:
    """Beams of a width that a device had better search side by side (`draws_side_by_side`)."""
    _load_torch()
    from ncpgui.engine.device import resolve_device
    from ncpgui.engine.sampling.beams import sets_at_once

    return sets_at_once(resolve_device(device), width)


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


def checked_model(model: str | Path | None = None) -> str:
    """Name of a network, shipped or a file, once it was loaded; raises CheckpointError if it cannot be."""
    _load_torch()
    from ncpgui.engine.networks.checkpoint import load_checkpoint

    return load_checkpoint(model).name


def _load_torch() -> None:
    """Load the libraries of PyTorch, which its import then finds there: see `core.shared_libraries`."""
    load_libraries_of("torch")
