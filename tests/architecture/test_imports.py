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
for names in sys.argv[1:]:
    for name in names.split(","):
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


def loaded_by(*steps: list[str]) -> list[set[str]]:
    """Top-level packages that a new interpreter has loaded after importing the modules of each step."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *(",".join(names) for names in steps)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [set(json.loads(line)) for line in done.stdout.splitlines()[-len(steps) :]]


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


def test_a_sort_enters_the_adapter_of_spikeinterface_from_one_place() -> None:
    """Outside `ephys`, where the adapter is; other recordings and arrays go through `ephys`."""
    adapter = "ncpgui.ephys.spikeinterface_adapter"
    outside = [name for name in modules() if not name.startswith("ncpgui.ephys.")]
    assert [name for name in outside if adapter in known_modules(name)] == ["ncpgui.sorting.matching"]


@pytest.fixture(scope="module")
def loaded() -> dict[str, set[str]]:
    """What is loaded by the commands, then by the application too, by more and more.

    One interpreter imports one after the other: what is not there after more is not there after less.
    """
    matcher = "ncpgui.sorting.wobble"  # SpikeInterface's own brings torch: it is imported when it matches
    no_window = [name for name in modules() if not name.startswith("ncpgui.gui")]
    no_torch = [name for name in no_window if not name.startswith("ncpgui.engine.") and name != matcher]
    steps = {
        "commands": [*modules("cli"), "ncpgui"],
        "application": modules("app"),
        "without engine and window": no_torch,
        "without window": no_window,
    }
    return dict(zip(steps, loaded_by(*steps.values()), strict=True))


def test_the_command_line_starts_without_anything_heavy(loaded: dict[str, set[str]]) -> None:
    assert not loaded["commands"] & set(HEAVY)


def test_the_application_without_a_window_starts_without_torch_qt_or_readers(
    loaded: dict[str, set[str]],
) -> None:
    heavy = {"torch", "PyQt5", "pyqtgraph", "spikeinterface", "sklearn", "numba"}
    assert not loaded["application"] & heavy


def test_the_window_starts_without_torch_and_spikeinterface() -> None:
    (window,) = loaded_by(modules("gui"))
    assert "PyQt5" in window
    assert not window & {"torch", "spikeinterface", "sklearn", "numba"}


def test_nothing_but_the_window_loads_qt(loaded: dict[str, set[str]]) -> None:
    assert not loaded["without window"] & {"PyQt5", "pyqtgraph"}


def test_torch_is_loaded_by_the_engine_only(loaded: dict[str, set[str]]) -> None:
    """But for the matcher."""
    assert "torch" not in loaded["without engine and window"]
    assert "torch" in loaded["without window"]


@pytest.mark.slow
@pytest.mark.parametrize("name", modules())
def test_every_module_can_be_imported_first(name: str) -> None:
    """A module that only imports after another one hides a cycle."""
    loaded_by([name])
