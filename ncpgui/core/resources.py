"""Finds ``resources/`` and ``trained_models/``: in the wheel, an editable install or a checkout."""

from __future__ import annotations

from pathlib import Path

from ncpgui.core.errors import InputError

_PACKAGE = Path(__file__).resolve().parents[1]


def data_folder(name: str) -> Path:
    """Folder `name` inside the installed package, else beside the package (checkout, editable).

    Raises
    ------
    InputError
        The folder is in neither place: the installation is incomplete.
    """
    for root in (_PACKAGE, _PACKAGE.parent):
        if (root / name).is_dir():
            return root / name
    raise InputError(
        f"folder '{name}' is missing from the installation at {_PACKAGE.parent}; "
        "install ncpgui again with pip"
    )


def resource(name: str) -> Path:
    """Path of a file of ``resources/``."""
    path = data_folder("resources") / name
    if not path.exists():
        raise InputError(f"resource '{name}' is missing from {path.parent}; install ncpgui again")
    return path
