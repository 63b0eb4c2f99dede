"""Draws of the posterior over the clusterings of some spikes, or beams, of one set of waveforms or many."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext
from typing import TypeVar

import numpy as np

from ncpgui.core.errors import CheckpointError, InputError, NcpguiError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress
from ncpgui.core.sampled import Sampled
from ncpgui.core.seeds import stream_seed
from ncpgui.core.steps import NOTHING_KEPT, Arrays, Packing, Steps, inside, kept, part, text_array, text_of
from ncpgui.engine import beams_at_once, shared_cores
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Workers, run_all
from ncpgui.sorting.sampling import Sampling, SideBySide

log = logging.getLogger(__name__)

Key = TypeVar("Key", bound=Hashable)


def posterior_seed(config: SortingConfig, component_id: int, round_number: int = 0) -> int:
    """Seed of a round of draws of a component."""
    return stream_seed(config.seed, "posterior", component_id, *([round_number] if round_number else []))


def sets_at_once(config: SortingConfig) -> int:
    """Sets that the sampler of `config` takes side by side: beams on a GPU, draws one after the other."""
    return beams_at_once(config.device, config.beam) if config.sampler == "beam" else 1


def _words(batch: Sequence[Hashable], n_spikes: int, what: str) -> str:
    """What is being done, for progress and messages."""
    several = "s" if len(batch) > 1 else ""
    return f"clustering {n_spikes} spikes of {what}{several} {', '.join(map(str, batch))}"


def _step(what: str, round_number: int, batch: Sequence[Hashable]) -> str:
    """Name of the step that keeps a batch."""
    return f"{what}-{batch[0]}" + (f"-round-{round_number}" if round_number else "")


def batch_packing(batch: Sequence[Hashable]) -> Packing[list[Sampled]]:
    """Packing of the draws of a batch."""

    def pack(drawn: list[Sampled]) -> Arrays:
        parts = [inside(str(key), _packed(one)) for key, one in zip(batch, drawn, strict=True)]
        return {name: array for arrays in parts for name, array in arrays.items()}

    return Packing(pack, lambda values: [_unpacked(part(str(key), values)) for key in batch])


def _packed(drawn: Sampled) -> Arrays:
    posterior = drawn.posterior
    optional = {"order": posterior.order, "drawn_weight": posterior.drawn_weight}
    return {
        "rows": posterior.rows,
        "log_prob": posterior.log_prob,
        "weight": posterior.weight,
        **{name: array for name, array in optional.items() if array is not None},
        "sampler": text_array(posterior.sampler),
        "features": drawn.features,
        "model": text_array(drawn.model),
        "knows_times": np.array(drawn.knows_times),
    }


def _unpacked(values: Arrays) -> Sampled:
    posterior = PosteriorSamples(
        values["rows"],
        values["log_prob"],
        values["weight"],
        values.get("order"),
        values.get("drawn_weight"),
        text_of(values["sampler"]),
    )
    return Sampled(posterior, values["features"], text_of(values["model"]), bool(values["knows_times"]))


def draw_all(
    wanted: Mapping[Key, Sampling],
    *,
    what: str,
    round_number: int = 0,
    workers: Workers,
    progress: Progress,
    at_once: int = 1,
    steps: Steps = NOTHING_KEPT,
) -> tuple[dict[Key, Sampled], dict[Key, str]]:
    """Draws of each, and the message of each that failed; the same with any number of `workers`.

    what : word for one of them, in messages; each is named by it and its key
    round_number : of these draws, where more are made of some of the sets
    at_once : that a worker samples side by side, which pays where draws are few
    steps : where draws are kept as soon as they are there, each batch as a step that `what` names: one that
        was kept is not drawn again. What failed is, as it may be for want of memory or of a worker

    Raises
    ------
    InputError
        All of them failed in the first round; or what the first raised, if that is for people.
    CheckpointError
        The model cannot be loaded.
    """
    by_size = sorted(wanted, key=lambda key: -len(wanted[key].waveforms))
    batches = [by_size[first : first + at_once] for first in range(0, len(by_size), at_once)]
    sizes = [sum(len(wanted[key].waveforms) for key in batch) for batch in batches]
    known: dict[int, list[Sampled | Exception]] = {}
    for number, batch in enumerate(batches):
        before = kept(steps, _step(what, round_number, batch), batch_packing(batch))
        if before is not None:
            known[number] = list(before)

    def finished(number: int, outcome: list[Sampled | Exception]) -> None:
        drawn = [one for one in outcome if isinstance(one, Sampled)]
        if len(drawn) == len(outcome):
            batch = batches[number]
            steps.keep(_step(what, round_number, batch), batch_packing(batch).pack(drawn))

    n_workers = min(workers.n_workers, len(batches))
    is_ours = all(one.cluster is None for one in wanted.values())
    with shared_cores(n_workers) if is_ours and n_workers > 1 else nullcontext():
        outcomes = run_all(
            [SideBySide(tuple(wanted[key] for key in batch)) for batch in batches],
            names=[_words(batch, size, what) for batch, size in zip(batches, sizes, strict=True)],
            sizes=sizes,
            workers=workers,
            progress=progress,
            fatal=(CheckpointError,),
            known=known,
            finished=finished,
        )
    found: dict[Key, Sampled | Exception] = {}
    for batch, outcome in zip(batches, outcomes, strict=True):
        several = [outcome] * len(batch) if isinstance(outcome, Exception) else outcome
        found.update(zip(batch, several, strict=True))
    drawn = {key: one for key in wanted if isinstance(one := found[key], Sampled)}
    errors = {key: one for key in wanted if isinstance(one := found[key], Exception)}
    failed = {key: str(error) or type(error).__name__ for key, error in errors.items()}
    for key, message in failed.items():
        log.warning("%s %s could not be sampled: %s", what, key, message)
    if failed and not drawn and round_number == 0:
        first = next(iter(errors.values()))
        if isinstance(first, NcpguiError) or len(wanted) == 1:
            raise first
        raise InputError(
            f"none of the {len(wanted)} {what}s could be sampled; the first said: {first}"
        ) from first
    return drawn, failed
