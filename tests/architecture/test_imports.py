"""Who may import whom, and what a fresh interpreter loads."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ncpgui"
PLUG_INS = ("ncpgui.spikeinterface_gui_view",)
"""Imported by programs that not everybody has, with what they bring."""
HEAVY = ("torch", "PyQt5", "pyqtgraph", "spikeinterface", "h5py", "sklearn", "scipy", "numba")
PROGRAM = """
import importlib, json, sys
for name in sys.argv[1].split(","):
    importlib.import_module(name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def modules(*parts: str) -> list[str]:
    """Dotted names of the modules of some rooms of the package."""
    names = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if not parts or any(name == f"ncpgui.{part}" or name.startswith(f"ncpgui.{part}.") for part in parts):
            names.append(name)
    return [name for name in names if name not in ("ncpgui.__main__", *PLUG_INS)]


def loaded_by(*names: str) -> set[str]:
    """Top-level packages that a new interpreter has loaded after importing `names`."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, ",".join(names)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_every_import_contract_is_kept() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def known_modules(name: str) -> set[str]:
    """Modules of the package that a module imports, in functions and for types too."""
    path = ROOT / Path(*name.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_no_imports_go_in_a_circle_not_even_those_for_types() -> None:
    """A window and its parts know each other: `Commands` is made by the window that it is part of."""
    names = {name for name in modules() if not (PACKAGE.parent / Path(*name.split("."))).is_dir()}
    known = {name: known_modules(name) & names - {name} for name in names}
    known["ncpgui.gui.commands"] -= {"ncpgui.gui.main_window"}
    TopologicalSorter(known).prepare()  # raises CycleError, which names the circle


def test_the_command_line_starts_without_anything_heavy() -> None:
    assert not loaded_by(*modules("cli"), "ncpgui") & set(HEAVY)


def test_the_application_without_a_window_starts_without_torch_qt_or_readers() -> None:
    assert not loaded_by(*modules("app")) & {
        "torch",
        "PyQt5",
        "pyqtgraph",
        "spikeinterface",
        "sklearn",
        "numba",
    }


def test_the_window_starts_without_torch_and_spikeinterface() -> None:
    assert not loaded_by(*modules("gui")) & {"torch", "spikeinterface", "sklearn", "numba"}


def test_nothing_but_the_window_loads_qt() -> None:
    rest = [name for name in modules() if not name.startswith("ncpgui.gui")]
    assert not loaded_by(*rest) & {"PyQt5", "pyqtgraph"}


def test_torch_is_loaded_by_the_engine_only() -> None:
    """But for the matcher, which SpikeInterface's own brings with it: it is imported when it matches."""
    matcher = "ncpgui.sorting.wobble"
    rest = [name for name in modules() if not name.startswith("ncpgui.engine.") and name != matcher]
    assert "torch" not in loaded_by(*rest)


@pytest.mark.slow
@pytest.mark.parametrize("name", modules())
def test_every_module_can_be_imported_first(name: str) -> None:
    """A module that only imports after another one hides a cycle."""
    loaded_by(name)
