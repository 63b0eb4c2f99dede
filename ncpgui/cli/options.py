"""Options that several commands share."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ncpgui.core.errors import ExportError

PATH = click.Path(path_type=Path)
"""A path that the command checks itself, so that every error reads the same."""

seed = click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same result.")
device = click.option(
    "--device", default="auto", show_default=True, metavar="D", help="auto, cpu, cuda or cuda:N."
)
model = click.option(
    "--model",
    default=None,
    metavar="NAME|FILE",
    help="A shipped model (see 'ncpgui models') or a .safetensors file.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def check_output_place(path: Path) -> None:
    """Refuse an output whose folder is missing or not writable, before hours of work are spent on it.

    Raises
    ------
    ExportError
        The folder does not exist, is no folder, or cannot be written.
    """
    folder = path.resolve().parent
    if not folder.is_dir():
        raise ExportError(f"cannot write {path}: the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK):
        raise ExportError(f"cannot write {path}: the folder {folder} is not writable; choose another one")


def check_new_file(path: Path, overwrite: bool) -> None:
    """Refuse to replace a file that somebody may have worked on, unless told to."""
    if path.is_dir():
        raise ExportError(f"cannot write {path}: it is a folder; give the name of a file")
    if path.exists() and not overwrite:
        raise ExportError(f"{path} exists; give another name, or --overwrite to replace it")
    check_output_place(path)


def check_new_folder(path: Path, overwrite: bool) -> None:
    """Refuse to replace a folder that holds something, unless told to."""
    if path.is_file():
        raise ExportError(f"cannot write {path}: it is a file; give the name of a folder")
    if path.is_dir() and any(path.iterdir()) and not overwrite:
        raise ExportError(f"{path} holds files; give another folder, or --overwrite to replace it")
    check_output_place(path)
