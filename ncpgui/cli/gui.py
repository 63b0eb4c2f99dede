"""``ncpgui gui``: the application."""

from __future__ import annotations

from pathlib import Path

import click

from ncpgui.cli import options
from ncpgui.core.errors import InputError


@click.command()
@click.argument("path", type=options.PATH, required=False)
def gui(path: Path | None = None) -> int:
    """Open the application, with a recording, a session or another sorter's folder if PATH is given."""
    if path is not None and not path.exists():
        raise InputError(f"{path} does not exist; give a recording, a session or a sorting folder")

    from ncpgui.gui.application import run

    return run(path) or 0
