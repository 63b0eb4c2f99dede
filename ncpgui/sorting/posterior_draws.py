"""Draws of the posterior over the clusterings of some spikes, of one set of waveforms or of many."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import CheckpointError, InputError, NcpguiError
from ncpgui.core.heap import give_back
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, silent
from ncpgui.engine import shared_cores
from ncpgui.sorting.both_signs import by_sign
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import run_all

log = logging.getLogger(__name__)

ClusterFunction = Callable[..., Any]
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Draws:
    """Posterior of m spikes, the network's features (m, d) of them, and the name of the network."""

    posterior: PosteriorSamples
    features: NDArray[np.float32]
    model: str


@dataclass(frozen=True)
class ToDraw:
    """Waveforms (m, 32, C) whose posterior is wanted, where their contacts are (C, 2) in µm, and a seed."""

    waveforms: NDArray[np.float32]
    positions_um: NDArray[np.float64]
    seed: int
    name: str = ""


def draw_posterior(
    wanted: ToDraw,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None = None,
    held: NDArray[np.integer] | None = None,
    progress: Progress = silent,
) -> Draws:
    """Run the network.

    held : as `engine.cluster`'s clamped; cluster : `ncpgui.engine.cluster` unless given
    """
    cluster = cluster or _engine_cluster()
    result = (cluster if config.peak_sign == "neg" else by_sign(cluster))(
        wanted.waveforms,
        channel_positions=wanted.positions_um,
        model=config.model,
        samples=config.posterior_samples,
        beam=0,
        seed=wanted.seed,
        device=config.device,
        progress=progress,
        clamped=held,
    )
    posterior = PosteriorSamples(result.labels, result.log_prob, order=result.order)
    return Draws(posterior, result.features, result.model)


def draw_all(
    wanted: Mapping[Key, ToDraw],
    config: SortingConfig,
    *,
    what: str,
    cluster: ClusterFunction | None,
    workers: int,
    progress: Progress,
) -> tuple[dict[Key, Draws], dict[Key, str]]:
    """Draws of each, and the message of each that failed; the same with any number of `workers`.

    what : word for one of them, in messages

    Raises
    ------
    InputError
        All of them failed; or what the first raised, if that is for people.
    CheckpointError
        The model cannot be loaded.
    """

    def task(one: ToDraw) -> Callable[[Progress], Draws]:
        def draw(report: Progress) -> Draws:
            try:
                return draw_posterior(one, config, cluster=cluster, progress=report)
            finally:
                give_back()

        return draw

    workers = min(workers, len(wanted))
    with shared_cores(workers) if cluster is None and workers > 1 else nullcontext():
        outcomes = run_all(
            [task(one) for one in wanted.values()],
            names=[f"clustering {len(one.waveforms)} spikes of {one.name}" for one in wanted.values()],
            sizes=[len(one.waveforms) for one in wanted.values()],
            workers=workers,
            progress=progress,
            fatal=(CheckpointError,),
        )
    drawn = {
        key: outcome for key, outcome in zip(wanted, outcomes, strict=True) if isinstance(outcome, Draws)
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


def _engine_cluster() -> ClusterFunction:
    from ncpgui.engine import cluster

    return cluster
