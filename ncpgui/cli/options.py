"""Options that several commands share."""

from __future__ import annotations

import os
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
from ncpgui.core.posterior import NOT_A_POSTERIOR

if TYPE_CHECKING:
    from ncpgui.core.project import Project

Settings = TypeVar("Settings")
Decorator = Callable[[Any], Any]


class _Path(click.Path):
    """A path; without a name, as an unset variable of a shell leaves it, none."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """The path, unless it is empty: that would be the working folder."""
        if value == "":
            self.fail("it is empty; give a path", param, ctx)
        return super().convert(value, param, ctx)


class Between(click.FloatRange):
    """A number in a range, in which NaN is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, if it is in the range."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


PATH = _Path(path_type=Path)
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
session = click.argument("session", type=PATH, metavar="SESSION.h5")
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator; help shows them in this order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def of_raw(file: str, *, rate_of: str = "") -> Decorator:
    """What has to be said of a raw binary `file`, in words of help; rate_of : of what else the rate is."""
    rate = f"Samples a second of a raw binary {file}{rate_of}."
    return together(
        click.option("--sampling-frequency", type=float, metavar="HZ", help=rate),
        click.option(
            "--n-channels", type=int, metavar="N", help=f"Number of channels of a raw binary {file}."
        ),
        click.option(
            "--dtype", metavar="T", show_default="int16", help=f"Type of the samples of a raw binary {file}."
        ),
    )


class Choice(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """One of a few words; the nearest is suggested."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word itself, if it is one of them."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            hint = did_you_mean(str(value), self.choices)
            raise click.BadParameter(error.message.removesuffix(".") + hint, ctx, param) from error


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
