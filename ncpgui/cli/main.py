"""``ncpgui``: the command group, its default command and its exit codes.

0 done; 1 a fault of the program; 2 wrong usage or input (one line on stderr); 130 cancelled.
"""

from __future__ import annotations

import errno
import logging
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from ncpgui import __version__
from ncpgui.cli.cluster import cluster
from ncpgui.cli.commands import HELP
from ncpgui.cli.demo import demo
from ncpgui.cli.doctor import doctor
from ncpgui.cli.evaluate import evaluate
from ncpgui.cli.export import export
from ncpgui.cli.findings import findings
from ncpgui.cli.gui import gui
from ncpgui.cli.info import info
from ncpgui.cli.models import models
from ncpgui.cli.propose import propose
from ncpgui.cli.read_back import read_back
from ncpgui.cli.report import report
from ncpgui.cli.review import review
from ncpgui.cli.simulate import simulate
from ncpgui.cli.sort import sort
from ncpgui.cli.streams import lost_output
from ncpgui.cli.templates import templates
from ncpgui.cli.terminal import one_line, tell
from ncpgui.cli.train import train
from ncpgui.cli.write_back import write_back
from ncpgui.core.errors import InputError, NcpguiError
from ncpgui.core.files import DISK_FULL, too_long
from ncpgui.core.nearest import nearest
from ncpgui.core.progress import Cancelled

EXIT_FAULT, EXIT_INPUT, EXIT_CANCELLED = 1, 2, 130
SETTINGS = {"max_content_width": 100, "help_option_names": list(HELP)}
COMMANDS = (
    gui,
    demo,
    sort,
    review,
    write_back,
    propose,
    read_back,
    cluster,
    export,
    findings,
    report,
    templates,
    train,
    evaluate,
    simulate,
    models,
    info,
    doctor,
)


class CommandGroup(click.Group):
    """A group that opens the application when no command, or a path, is given."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Commands in the order of a user's day, not of the alphabet."""
        return [command.name or "" for command in COMMANDS]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take ``ncpgui PATH`` for ``ncpgui gui PATH``; suggest the nearest command otherwise."""
        word = args[0]
        if word in self.commands:
            return super().resolve_command(ctx, args)
        if Path(word).exists() or Path(word).suffix or len(Path(word).parts) > 1:
            return "gui", gui, args
        near = nearest(word, self.commands)
        hint = f"did you mean 'ncpgui {near}'?" if near else "see 'ncpgui --help'"
        raise click.UsageError(f"'{word}' is neither a command nor a file; {hint}", ctx)


@click.group(cls=CommandGroup, invoke_without_command=True, context_settings=SETTINGS)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__, prog_name="ncpgui", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Spike sorting that shows the alternatives, each with a probability.

    Without a command the application opens; with a path it opens that recording or session.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(gui)


for command in COMMANDS:
    cli.add_command(command)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; errors become one line on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]  # allowed anywhere
    warnings = _Warnings(logging.WARNING)
    logging.getLogger("ncpgui").addHandler(warnings)
    try:
        _check_working_folder()
        result = cli.main(args=words, prog_name="ncpgui", standalone_mode=False)
        if lost := lost_output():
            raise lost
        return result if isinstance(result, int) else 0
    except click.Abort:
        return _cancelled()
    except click.ClickException as error:
        return _misused(error)
    except (Cancelled, KeyboardInterrupt):
        return _cancelled()
    except BrokenPipeError:
        return EXIT_FAULT  # the reader of our output has gone; nobody to tell
    except Exception as error:
        if debug:
            _print_traceback()
        return _failed(error, debug)
    finally:
        logging.getLogger("ncpgui").removeHandler(warnings)


def _check_working_folder() -> None:
    """Refuse to work in a folder that was removed: torch would end the program without a word."""
    try:
        Path.cwd()
    except OSError as error:
        raise InputError(
            f"the working folder cannot be read any more ({error.strerror}); change to another one with cd"
        ) from error


class _Warnings(logging.Handler):
    """Shows what the engine logs as one line on stderr, a repeated one once."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        text = one_line(record.getMessage())
        if text not in self._said:
            self._said.add(text)
            tell(f"{record.levelname.lower()}: {text}")


def _misused(error: click.ClickException) -> int:
    """One line for a wrong option or argument, with the place where help is."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "ncpgui"
    help_hint = "" if "--help" in error.format_message() else f"; see '{command} --help'"
    tell(f"error: {one_line(error.format_message()).rstrip('.')}{help_hint}")
    return EXIT_INPUT


def _cancelled() -> int:
    tell("cancelled")
    return EXIT_CANCELLED


def _failed(error: Exception, debug: bool) -> int:
    if isinstance(error, NcpguiError):
        tell(f"error: {one_line(error)}")
        return EXIT_INPUT
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        problem = too_long(error.filename or "") or "the name or the path is too long; give a shorter one"
        tell(f"error: {error.filename}: {problem}")
        return EXIT_INPUT
    if isinstance(error, OSError) and error.errno in _OUTSIDE:
        place = f" ({error.filename})" if error.filename else ""
        tell(f"error: {error.strerror}{place}; free space or choose another folder")
        return EXIT_INPUT
    if isinstance(error, MemoryError):
        said = one_line(error) or "no more can be had"
        tell(f"error: there is not enough memory ({said}); ask for less at once")
        return EXIT_INPUT
    if isinstance(error, FileNotFoundError) and "temporary directory" in str(error):
        tell("error: no folder for temporary files can be written; set TMPDIR to one of yours")
        return EXIT_INPUT
    if not debug:
        _print_traceback()
    tell(
        f"error: this is a fault of ncpgui {__version__}, not yours ({type(error).__name__}); "
        "please report it with the lines above"
    )
    return EXIT_FAULT


def _print_traceback() -> None:
    for line in traceback.format_exc().splitlines():
        tell(line)


_OUTSIDE = {*DISK_FULL, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
