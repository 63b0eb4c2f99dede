"""Options of 'sort' and 'review' that say how to sort, and their values as one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ncpgui.cli.options import PATH, Choice, device, model, read_settings, together
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import SAMPLERS

if TYPE_CHECKING:
    from ncpgui.sorting.config import SortingConfig
    from ncpgui.sorting.executors import Workers

of_traces = together(
    click.option("--stimulus", type=PATH, metavar="FILE.npz", help="White noise: frames and trigger_sample."),
    click.option(
        "--peak-sign",
        type=Choice(["neg", "pos", "both"]),
        show_default="neg",
        help="Sign of the spikes: troughs, positive peaks, or both.",
    ),
    click.option(
        "--blank-nan",
        is_flag=True,
        help="Accept samples that are NaN or infinite; the traces are set to zero there.",
    ),
    click.option(
        "--settings",
        type=PATH,
        metavar="FILE.toml",
        help="Settings, as docs/reference/settings.md lists them.",
    ),
    click.option(
        "--motion",
        metavar="auto|off|PRESET",
        show_default="auto",
        help="Follow tissue that moves along the probe; presets of SpikeInterface, such as dredge_fast.",
    ),
)
"""What 'sort' and 'review' make of the recording."""
of_sampling = together(
    click.option(
        "--no-firing-times",
        is_flag=True,
        help="Weigh sortings by waveforms alone, without refractory periods.",
    ),
    click.option(
        "--sampler",
        type=Choice(SAMPLERS),
        show_default="draws",
        help="Draw sortings by their probability (draws), or search the most probable ones, whose shares are "
        "not probabilities (beam).",
    ),
    click.option(
        "--beam",
        type=click.IntRange(min=1),
        metavar="N",
        show_default="150",
        help="Sortings that '--sampler beam' keeps for each question.",
    ),
    model,
    device,
    click.option(
        "--seed",
        type=int,
        metavar="N",
        show_default="0",
        help="Seed of the draws; the same seed gives the same result.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        show_default="cores, at most 4",
        help="Channels or questions that are sampled at the same time; the result is the same.",
    ),
    click.option(
        "--parallel",
        metavar="HOW",
        show_default="threads",
        help="Sample with threads or processes; the result is the same.",
    ),
    click.option("--dask", metavar="ADDRESS", help="Sample on a Dask cluster: the address of its scheduler."),
    click.option(
        "--overwrite",
        is_flag=True,
        help="Replace the session at SESSION.h5; without --resume, steps of a stopped run too.",
    ),
    click.option(
        "--resume",
        is_flag=True,
        help="Go on with a run that was stopped, from its finished steps in SESSION.h5.steps.",
    ),
)
"""How 'sort' and 'review' sample, and whether they replace a session."""


@dataclass(frozen=True)
class SortingOptions:
    """What was said by `of_traces` and `of_sampling`; None where nothing was."""

    stimulus: Path | None
    peak_sign: str | None
    blank_nan: bool
    settings: Path | None
    motion: str | None
    no_firing_times: bool
    sampler: str | None
    beam: int | None
    model: str | None
    device: str
    seed: int | None
    jobs: int | None
    parallel: str | None
    dask: str | None
    overwrite: bool
    resume: bool

    def config(self, **more: Any) -> SortingConfig:
        """Settings of the file, if any, and what was said; `more` : what other options said.

        Raises
        ------
        InputError
            As `read_settings`; `--beam` is the width of a beam where none is searched; there is no stimulus.
        """
        from ncpgui.sorting.config import SortingConfig

        same = ("model", "seed", "peak_sign", "motion", "sampler", "beam")
        said = {
            **{name: getattr(self, name) for name in same},
            "device": None if self.device == "auto" else self.device,
            "blank_nan": self.blank_nan or None,
            "firing_times": False if self.no_firing_times else None,
            **more,
        }
        config = read_settings(SortingConfig, self.settings, said)
        if self.beam is not None and config.sampler != "beam":
            raise InputError(
                f"--beam {self.beam} is the width of a beam, and this samples {config.sampler}; "
                "add --sampler beam, or leave it out"
            )
        if self.stimulus is not None and not self.stimulus.is_file():
            raise InputError(
                f"stimulus {self.stimulus} does not exist; give an .npz with frames and trigger_sample"
            )
        return config

    def workers(self, config: SortingConfig) -> Workers:
        """Workers for a sorting whose device and model are there: what is wrong is said before any work.

        Raises
        ------
        InputError, CheckpointError, WorkerError
            The device, the model or the workers cannot be had.
        """
        from ncpgui.engine import checked_model
        from ncpgui.sorting.chosen_workers import chosen_workers

        checked_model(config.model, device=config.device)
        return chosen_workers(self.jobs, parallel=self.parallel, dask=self.dask)


def as_one(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the values of these options as one, `chosen`."""

    @functools.wraps(command)
    def run(**values: Any) -> Any:
        own = {field.name: values.pop(field.name) for field in fields(SortingOptions)}
        return command(chosen=SortingOptions(**own), **values)

    return run
