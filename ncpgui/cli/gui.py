"""``ncpgui gui``: the application."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.core.errors import InputError, RecordingError


@command(
    short_help="Open the application, with PATH if one is given.",
    epilog=examples(
        "ncpgui gui",
        "ncpgui gui session.h5",
    ),
)
@click.argument("path", type=options.PATH, required=False)
def gui(path: Path | None = None) -> int:
    """Open the application, on a recording, a session or another sorter's folder if PATH is given."""
    if path is not None:
        check_path(path)
    check_display()
    return open_window(path)


def check_path(path: Path) -> None:
    """Refuse what the window could only say of that it cannot be opened.

    Raises
    ------
    InputError
        Nothing is there.
    RecordingError, SessionError
        It is no session, recording or sorting, or a damaged one. A recording that has to be described is
        none of these: the window asks for what is missing.
    """
    from ncpgui.app.work.recognition import recognize
    from ncpgui.session import store

    if not path.exists():
        raise InputError(f"{path} does not exist; give a recording or a session")
    if path.is_file() and path.stat().st_size == 0:
        raise RecordingError(f"{path} is empty (0 bytes); copy the recording again")
    try:
        found = recognize(path)
    except InputError:
        return
    except RecordingError as error:
        raise error.__cause__ or error from None  # without what menu to use
    if isinstance(found, Path):
        with store.opened(found) as file:
            store.read_header(file)


def check_display() -> None:
    """Refuse to open a window where there is no display: Qt would abort without a word of advice.

    Raises
    ------
    InputError
        As said.
    """
    if sys.platform.startswith("linux") and not any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    ):
        raise InputError(
            "the window needs a display and there is none (DISPLAY is not set); log in with one (ssh -X), or "
            "work without: 'ncpgui sort', 'ncpgui export', 'ncpgui demo --headless'"
        )


def open_window(path: Path | None) -> int:
    """Open the window and return its exit code when it closes.

    Raises
    ------
    InputError
        Qt cannot be loaded.
    """
    try:
        from ncpgui.gui.application import run
    except ImportError as error:
        if (error.name or "").startswith("ncpgui"):
            raise
        raise InputError(f"the window cannot start: {error}; 'ncpgui doctor' says what to install") from error
    return run(path) or 0
