"""Options that several commands share."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ncpgui.core.counted import count
from ncpgui.core.errors import ExportError, InputError, SessionError, SessionLockedError
from ncpgui.core.files import too_long
from ncpgui.core.names import refused_name
from ncpgui.core.nearest import did_you_mean
from ncpgui.core.posterior import NOT_A_POSTERIOR, SAMPLERS

if TYPE_CHECKING:
    from ncpgui.core.project import Project
    from ncpgui.sorting.config import SortingConfig
    from ncpgui.sorting.executors import Workers

Settings = TypeVar("Settings")
Decorator = Callable[[Any], Any]

PATH = click.Path(path_type=Path)
"""A path that the command checks itself, so that every error reads the same."""

seed = click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="The same seed gives the same result."
)
device = click.option(
    "--device", default="auto", show_default=True, metavar="D", help="auto, cpu, cuda or cuda:N."
)
model = click.option(
    "--model",
    default=None,
    metavar="NAME|FILE",
    show_default="the one that 'ncpgui models' marks",
    help="A shipped model (see 'ncpgui models') or a .safetensors file.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def _together(*options: Decorator) -> Decorator:
    """Several options as one decorator; help shows them in this order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


class Choice(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """One of a few words; the nearest is suggested."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word itself, if it is one of them."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            hint = did_you_mean(str(value), self.choices)
            raise click.BadParameter(error.message.removesuffix(".") + hint, ctx, param) from error


of_traces = _together(
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
of_sampling = _together(
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


def default_session(source: Path, *, replaces: bool) -> Path:
    """Where the window keeps the session of a recording or folder: beside it, or at home.

    replaces : the first name, also where a session has it; else one that no file has
    """
    from ncpgui.app.work.recognition import unused_session

    return unused_session(source.absolute(), replaces=replaces)


def check_name(path: Path, *beside: Path) -> None:
    """Raise ExportError if the system takes no such name of an output, or of what is written `beside` it."""
    problem = too_long(path, *beside) or refused_name(path)
    if problem:
        raise ExportError(f"cannot write {path}: {problem}")


def check_output_place(path: Path) -> None:
    """Refuse an output whose folder is missing or not writable, before hours of work are spent on it.

    Raises
    ------
    ExportError
        The folder does not exist, is no folder, or cannot be written, or the name is too long.
    """
    check_name(path)
    folder = path.resolve().parent
    above = next(place for place in (folder, *folder.parents) if place.exists())
    if not above.is_dir():
        raise ExportError(f"cannot write {path}: {above} is a file, not a folder; choose another place")
    if above != folder:
        raise ExportError(f"cannot write {path}: the folder {folder} does not exist; create it first")
    try:
        with tempfile.TemporaryFile(dir=folder):  # root may by its permissions, and still not be able to
            pass
    except OSError as error:
        raise ExportError(
            f"cannot write {path}: the folder {folder} is not writable ({error.strerror}); choose another one"
        ) from error


def check_free(*files: Path, overwrite: bool) -> None:
    """Refuse to replace files that somebody may need.

    Raises
    ------
    ExportError
        One is there, and `overwrite` is not given.
    """
    there = next((file for file in files if file.exists()), None)
    if there is not None and not overwrite:
        raise ExportError(f"{there} exists; give another name, or --overwrite to replace it")


def check_output_file(path: Path, *inputs: Path) -> None:
    """Refuse an output file that is a folder or one of the inputs, or that cannot be written.

    Raises
    ------
    ExportError
        As said.
    """
    check_name(path)
    if path.is_dir():
        raise ExportError(f"cannot write {path}: it is a folder; give the name of a file")
    for source in inputs:
        if path.exists() and source.exists() and path.samefile(source):
            raise ExportError(f"cannot write {path}: it is the input; give another name")
    check_output_place(path)


def check_new_session(path: Path, overwrite: bool, *inputs: Path) -> None:
    """Refuse to replace what somebody may have worked on; --overwrite replaces sessions and nothing else.

    Raises
    ------
    ExportError
        Something is at `path` that must not be replaced, or it cannot be written.
    SessionLockedError
        The session at `path` is open in another program.
    """
    from ncpgui.session.schema import SessionPaths

    check_name(path, SessionPaths.of(path).waveforms)
    check_output_file(path, *inputs)
    if not path.exists():
        return
    check_free(path, overwrite=overwrite)

    from ncpgui.session.session_file import open_session

    try:
        open_session(path, waveforms=False).close()
    except SessionLockedError:
        raise
    except SessionError as error:
        raise ExportError(
            f"--overwrite replaces sessions only ({error}); give another name, or delete {path} yourself"
        ) from error


def check_new_folder(path: Path, overwrite: bool, *, ours: str) -> None:
    """Refuse to replace a folder that holds something; --overwrite replaces those that hold a file `ours`.

    Raises
    ------
    ExportError
        As said, or `path` cannot be written.
    """
    check_name(path)
    if path.exists() and not path.is_dir():
        raise ExportError(f"cannot write {path}: it is a file; give the name of a folder")
    if path.is_dir() and any(path.iterdir()):
        if not overwrite:
            raise ExportError(f"{path} holds files; give another folder, or --overwrite to replace it")
        if not (path / ours).is_file():
            raise ExportError(
                f"{path} holds files that ncpgui did not write (there is no {ours}), which --overwrite does "
                "not replace; give another folder"
            )
    check_output_place(path)


def ready_workers(
    config: SortingConfig, *, jobs: int | None, parallel: str | None, dask: str | None
) -> Workers:
    """Workers for a sorting whose device and model are there: what is wrong is said before any work.

    Raises
    ------
    InputError, CheckpointError, WorkerError
        The device, the model or the workers cannot be had.
    """
    from ncpgui.engine.device import resolve_device
    from ncpgui.engine.networks.checkpoint import load_checkpoint
    from ncpgui.sorting.chosen_workers import chosen_workers

    resolve_device(config.device)
    load_checkpoint(config.model)
    return chosen_workers(jobs, parallel=parallel, dask=dask)


def sorting_config(
    settings: Path | None,
    *,
    device: str,
    blank_nan: bool,
    no_firing_times: bool,
    beam: int | None,
    stimulus: Path | None,
    **given: Any,
) -> SortingConfig:
    """Settings of 'sort' and 'review': those of the file, if any, and options that are `given` and not None.

    Raises
    ------
    InputError
        As `read_settings`; `--beam` is the width of a beam where none is searched; there is no `stimulus`.
    """
    from ncpgui.sorting.config import SortingConfig

    given |= {
        "device": None if device == "auto" else device,
        "blank_nan": blank_nan or None,
        "firing_times": False if no_firing_times else None,
        "beam": beam,
    }
    config = read_settings(SortingConfig, settings, given)
    if beam is not None and config.sampler != "beam":
        raise InputError(
            f"--beam {beam} is the width of a beam, and this samples {config.sampler}; "
            "add --sampler beam, or leave it out"
        )
    if stimulus is not None and not stimulus.is_file():
        raise InputError(f"stimulus {stimulus} does not exist; give an .npz with frames and trigger_sample")
    return config


def beam_note(project: Project) -> str:
    """What a person must know of a project whose components were searched by beam, '' of any other."""
    n = sum(component.posterior.sampler == "beam" for component in project.components)
    return f"the probabilities of {count(n, 'component')} are over a beam: {NOT_A_POSTERIOR}" if n else ""


def read_settings(kind: type[Settings], path: Path | None, given: dict[str, Any]) -> Settings:
    """Build the dataclass `kind` from a TOML file, if any; what is `given` and not None wins.

    Raises
    ------
    InputError
        The file is missing or no TOML, or a setting is unknown or impossible; the file is named.
    """
    from ncpgui.core.config import from_dict, read_toml

    values = read_toml(path) if path is not None else {}
    values |= {name: value for name, value in given.items() if value is not None}
    try:
        return from_dict(kind, values)
    except InputError as error:
        raise InputError(f"{path}: {error}" if path is not None else str(error)) from error
