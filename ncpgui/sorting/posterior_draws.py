"""Draws of the posterior over the clusterings of some spikes, of one set of waveforms or of many."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import CheckpointError, InputError, NcpguiError
from ncpgui.core.progress import Progress, silent
from ncpgui.engine import shared_cores
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Workers, run_all
from ncpgui.sorting.sampling import ClusterFunction, Sampled, Sampling

log = logging.getLogger(__name__)

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class ToDraw:
    """Waveforms (m, 32, C) whose posterior is wanted, where their contacts are (C, 2) in µm, and a seed.

    sweeps : over the draws (`engine.cluster`)
    """

    waveforms: NDArray[np.float32]
    positions_um: NDArray[np.float64]
    seed: int
    name: str = ""
    sweeps: int = 2


def draw_posterior(
    wanted: ToDraw,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None = None,
    held: NDArray[np.integer] | None = None,
    progress: Progress = silent,
) -> Sampled:
    """Run the network; `held` and `cluster` as in `Sampling`."""
    return _task(wanted, config, cluster, held)(progress)


def _task(
    wanted: ToDraw,
    config: SortingConfig,
    cluster: ClusterFunction | None,
    held: NDArray[np.integer] | None = None,
) -> Sampling:
    return Sampling(
        wanted.waveforms,
        wanted.positions_um,
        n_draws=config.posterior_samples,
        seed=wanted.seed,
        model=config.model,
        device=config.device,
        held=held,
        cluster=cluster,
        both_signs=config.peak_sign != "neg",
        sweeps=wanted.sweeps,
    )


def draw_all(
    wanted: Mapping[Key, ToDraw],
    config: SortingConfig,
    *,
    what: str,
    cluster: ClusterFunction | None,
    workers: Workers,
    progress: Progress,
) -> tuple[dict[Key, Sampled], dict[Key, str]]:
    """Draws of each, and the message of each that failed; the same with any number of `workers`.

    what : word for one of them, in messages

    Raises
    ------
    InputError
        All of them failed; or what the first raised, if that is for people.
    CheckpointError
        The model cannot be loaded.
    """
    n_workers = min(workers.n_workers, len(wanted))
    with shared_cores(n_workers) if cluster is None and n_workers > 1 else nullcontext():
        outcomes = run_all(
            [_task(one, config, cluster) for one in wanted.values()],
            names=[f"clustering {len(one.waveforms)} spikes of {one.name}" for one in wanted.values()],
            sizes=[len(one.waveforms) for one in wanted.values()],
            workers=workers,
            progress=progress,
            fatal=(CheckpointError,),
        )
    drawn = {
        key: outcome for key, outcome in zip(wanted, outcomes, strict=True) if isinstance(outcome, Sampled)
    }
    errors = {
        key: outcome for key, outcome in zip(wanted, outcomes, strict=True) if isinstance(outcome, Exception)
    }
    failed = {key: str(error) or type(error).__name__ for key, error in errors.items()}
    for key, message in failed.items():
        log.warning("%s could not be sampled: %s", wanted[key].name, message)
    if failed and not drawn:
        first = next(iter(errors.values()))
        if isinstance(first, NcpguiError) or len(wanted) == 1:
            raise first
        raise InputError(
            f"none of the {len(wanted)} {what}s could be sampled; the first said: {first}"
        ) from first
    return drawn, failed
