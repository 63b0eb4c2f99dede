"""Python files that lie outside the package, as modules: scripts, and extensions of the documentation."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]


def module_at(path: Path) -> ModuleType:
    """Return a file as a module, read anew."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def script(name: str) -> ModuleType:
    """Return `scripts/NAME.py` as a module."""
    return module_at(ROOT / "scripts" / f"{name}.py")
