"""What every file of the repository keeps to."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ncpgui

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "ncpgui").rglob("*.py"))
TEXT = {".py", ".md", ".toml", ".txt", ".sh", ".json", ".yaml", ".cfg", ".in", ""}
CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?: |$)", re.M)
# Places of one person's machine; a tool's usual folders (/usr, /tmp) are not among them.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home/\w|Users/\w|root/|work/)|[A-Z]:\\\\Users")


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """What each file of the package says."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


def tracked() -> list[Path]:
    """Files that git tracks or would track."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def public_without_docstring(tree: ast.Module) -> list[str]:
    """Public classes and functions of a module that say nothing; overrides of Qt (camelCase) may."""
    silent = [] if ast.get_docstring(tree) else ["the module"]
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            if not ast.get_docstring(node):
                silent.append(node.name)
            if isinstance(node, ast.ClassDef):
                silent += [f"{node.name}.{method.name}" for method in node.body if _silent_method(method)]
    return silent


def _silent_method(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or re.search("[A-Z]", node.name):
        return False
    setter = any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in node.decorator_list)
    return not setter and not ast.get_docstring(node)


def test_what_is_public_says_what_it_is(trees: dict[Path, ast.Module]) -> None:
    silent = {
        path.relative_to(ROOT).as_posix(): public_without_docstring(tree)
        for path, tree in trees.items()
        if tree.body
    }
    assert {path: names for path, names in silent.items() if names} == {}


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    found = []
    for path in tracked():
        if path.suffix in TEXT and path.name not in ("LICENSE", "test_house.py"):
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if MACHINE_PATH.search(line):
                    found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert found == []


def test_a_file_has_400_lines_at_most() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines()) for path in SOURCES
    }
    assert {path: n for path, n in lengths.items() if n > 400} == {}


def test_nothing_is_printed_below_the_command_line(trees: dict[Path, ast.Module]) -> None:
    found = []
    for path in SOURCES:
        if "cli" in path.relative_to(ROOT).parts:
            continue
        for node in ast.walk(trees[path]):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []


def test_text_reaches_terminal_and_labels_in_one_way(trees: dict[Path, ast.Module]) -> None:
    """`terminal.echo` writes control characters out, `plain_text.Label` shows text as it is written."""
    ways = {"click.echo": "terminal.py", "click.secho": "terminal.py", "QtWidgets.QLabel": "plain_text.py"}
    found = []
    for path in SOURCES:
        for node in ast.walk(trees[path]):
            if isinstance(node, ast.Call) and ways.get(ast.unparse(node.func), path.name) != path.name:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node.func)}")
    assert found == []


def test_the_newest_entry_of_the_changelog_is_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(.+?)\]", text, flags=re.MULTILINE)
    assert ncpgui.__version__ in versions[:2]


def test_setup_py_states_the_version_of_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "setup.py", "--version"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 or "setuptools" in done.stderr, done.stderr
    if done.returncode == 0:
        assert done.stdout.split()[-1] == ncpgui.__version__


def test_constraints_pin_every_requirement_once() -> None:
    """Two pins of one package must be for different Pythons or systems."""
    seen: dict[str, list[str]] = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition("==")
            assert rest, f"not a pin: {line}"
            seen.setdefault(name.lower(), []).append(rest.partition(";")[2].strip())
    assert [name for name, markers in seen.items() if len(markers) != len(set(markers))] == []
    assert "torch==2.13.0" in (ROOT / "constraints.txt").read_text(encoding="utf-8")


def test_no_merge_is_left_half_done() -> None:
    left = [
        f"{path.relative_to(ROOT)}:{text[: found.start()].count(chr(10)) + 1}"
        for path in tracked()
        if path.suffix in TEXT
        for text in [path.read_text(encoding="utf-8", errors="replace")]
        for found in CONFLICT.finditer(text)
    ]
    assert left == []
