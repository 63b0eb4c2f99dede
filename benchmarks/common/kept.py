"""What benchmarks keep between runs, and the option that says where."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from ncpgui.core.files import replaced_file


def add_cache(parser: argparse.ArgumentParser, name: str, what: str) -> None:
    """Add the option that names the folder in which something is kept: `name` in the user's cache, else."""
    folder = Path(platformdirs.user_cache_dir("ncpgui", appauthor=False)) / name
    parser.add_argument(
        "--cache", type=Path, default=folder, help=f"folder that keeps {what}  [user's cache]"
    )


def made_once(told: Path, about: dict[str, Any], make: Callable[[], object], **later: Any) -> None:
    """Make something unless it is there already; the file `told`, written last, says what it is of.

    about : plain values, all that it depends on; later : of these, what older files do not name
    """
    if told.is_file() and later | json.loads(told.read_text(encoding="utf-8")) == about:
        return
    told.parent.mkdir(parents=True, exist_ok=True)
    told.unlink(missing_ok=True)
    make()
    told.write_text(json.dumps(about, sort_keys=True), encoding="utf-8")


def kept_sets(path: Path, kind: Any, make: Callable[[], Iterable[Any]]) -> list[Any]:
    """Named tuples of arrays from the file `path`; made, and kept there, where it is not there yet."""
    if not path.is_file():
        arrays = {f"{i}-{name}": v for i, one in enumerate(make()) for name, v in one._asdict().items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(path) as beside, beside.open("wb") as file:
            np.savez(file, **arrays)
    with np.load(path, allow_pickle=False) as file:
        n_sets = len(file.files) // len(kind._fields)
        return [kind(*(file[f"{i}-{name}"] for name in kind._fields)) for i in range(n_sets)]
