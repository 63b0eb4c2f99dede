"""Change the program at random in small ways, one at a time, and see whether the tests notice.

    python scripts/mutants.py [--package evidence ...] [--n 20] [--seed 0] [--least 0.9] [--timeout 120]

A mutant is one change of one place: a comparison turned or its edge moved, a whole number one more, a sum a
difference, min for max, a statement taken out. As many are drawn as asked for, the same ones for the same
seed and source. Tests that mirror the module are run on each: those of its name, and those that import it
from the folder of its package, else from any folder. Where these notice nothing, the other tests that reach
the module by imports are run, the nearest first, while there is time. A mutant that no test notices is
printed with its place and the change: it wants a test, or changes nothing that can be seen.

Everything happens in a copy in a temporary folder; the checkout is only read.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("ncpgui", "tests")
ABSENT = shutil.ignore_patterns(".git", ".venv", ".peers", ".hypothesis", ".*_cache", "build", "dist")
"""What no test reads, and what tools write."""
TURNED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
SWAPPED = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
SWAPPED |= {"argmin": "argmax", "argmax": "argmin", "any": "all", "all": "any"}
COMPILED = re.compile(r"\bnumba\b|\bimport .*\bcompiled")
"""What a module says that has functions of its own compiled."""
AT_ONCE = 12
"""Test files of a run beyond those that mirror a module."""
SLOW = 4
"""Times as long as on a mutant a test file may take on the program as it is: there it runs to its end."""
NO_TESTS = 5
"""Exit status of pytest where it is to run none of the tests."""
CAUGHT, SURVIVED, UNTESTED = "caught", "survived", "no tests"


class Mutant(NamedTuple):
    """A change of one place: characters `start` to `end` of a file (path from the root) become `new`."""

    file: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    @property
    def words(self) -> str:
        """Place and change in a line."""
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.file}:{self.line}  {old[:60] or 'nothing'} -> {new[:60]}"

    def apply(self, text: str) -> str:
        """The file with the change."""
        return text[: self.start] + self.new + text[self.end :]


def mutants_of(file: Path, text: str) -> list[Mutant]:
    """All mutants of a module, in order of their place; those of types, imports and docstrings are none."""
    lines = [0]
    for line in text.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    data = text.encode()

    def place(line: int, column: int) -> int:
        return len(data[: lines[line - 1] + column].decode())

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)

    found = []
    for node, (start, end), pattern, new in _changes(ast.parse(text), span):
        match = re.search(pattern, text[start:end]) if pattern else None
        if pattern and match is None:
            continue
        first, last = (start + match.start(), start + match.end()) if match else (start, end)
        found.append(Mutant(file, node.lineno, first, last, text[first:last], new))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.new))


Change = tuple[ast.expr | ast.stmt, tuple[int, int], str, str]
"""Node, part of the text, what of it is replaced (a pattern, '' = all of it), by what."""


def _changes(tree: ast.Module, span: Callable[[ast.expr | ast.stmt], tuple[int, int]]) -> Iterator[Change]:
    for node in _nodes(tree):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            for operator, before, after in zip(node.ops, parts, parts[1:], strict=False):
                old, new = TURNED[type(operator)]
                pattern = r"\s+".join(rf"\b{word}\b" if word.isalpha() else word for word in old.split())
                yield node, (span(before)[1], span(after)[0]), pattern, new
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            old, new = ("+", "-") if isinstance(node.op, ast.Add) else ("-", "+")
            if not _is_text(node.left) and not _is_text(node.right):
                yield node, (span(node.left)[1], span(node.right)[0]), re.escape(old), new
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield node, span(node), "", str(node.value + 1)
        elif isinstance(node, ast.Name) and node.id in SWAPPED:
            yield node, span(node), "", SWAPPED[node.id]
        elif isinstance(node, ast.Attribute) and node.attr in SWAPPED:
            yield node, (span(node.value)[1], span(node)[1]), rf"\b{node.attr}\b", SWAPPED[node.attr]
        elif isinstance(node, ast.AugAssign) or _is_call(node):
            assert isinstance(node, ast.stmt)
            yield node, span(node), "", "pass"
        elif isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise) and not node.orelse:
            yield node, span(node.test), "", "False"


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes whose change can be seen by a test: none of annotations, imports and text."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            hidden = isinstance(child, ast.Import | ast.ImportFrom | ast.JoinedStr) or _is_hidden(child)
            if isinstance(child, ast.AST) and not hidden:
                yield child
                yield from _nodes(child)


def _is_hidden(node: object) -> bool:
    """Whether a statement is read by type checkers only, or says in words what must not be."""
    test = node.test if isinstance(node, ast.If) else None
    return isinstance(node, ast.Assert) or (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def drawn(root: Path, packages: Sequence[str], n: int, seed: int) -> list[Mutant]:
    """Mutants of the packages (folders or modules of ncpgui, such as ``engine/sampling``), in order of place.

    Raises
    ------
    SystemExit
        There is no such package.
    """
    every: list[Mutant] = []
    for package in packages:
        place = root / "ncpgui" / package
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
        if not files or not files[0].is_file():
            raise SystemExit(f"ncpgui has no package or module '{package}'; give one, such as core")
        for file in files:
            every += mutants_of(file.relative_to(root), file.read_text(encoding="utf-8"))
    chosen = random.Random(seed).sample(every, min(n, len(every)))
    return sorted(chosen, key=lambda mutant: (mutant.file, mutant.start, mutant.new))


def witnesses(root: Path, module: Path) -> tuple[list[Path], list[Path]]:
    """Tests of a module: those that mirror it, and the others that reach it by imports, the nearest first.

    Those that mirror it are of its name or import it in the folder of its package, else import it anywhere,
    else import what imports it. The others import it, what imports it, and so on.
    """
    said = _imports(root)
    reached, edge = {module}, {module}
    levels: list[list[Path]] = []
    while edge:
        names = {".".join(file.with_suffix("").parts).removeprefix("tests.") for file in edge}
        names |= {name.removesuffix(".__init__") for name in names if name != "ncpgui.__init__"}
        folders = {file.parent for file in edge if file.name == "conftest.py"}
        edge = {file for file in said if said[file] & names or not folders.isdisjoint(file.parents)} - reached
        reached |= edge
        levels.append(sorted(file for file in edge if file.name.startswith("test_")))
    folder = Path("tests", *module.parts[1:-1][:1])
    nearest = next((level for level in levels if level), [])
    mine = [file for file in nearest if folder in file.parents] or nearest
    mine.sort(key=lambda file: file.stem != f"test_{module.stem}")
    return mine, [file for level in levels for file in level if file not in mine]


@cache
def _imports(root: Path) -> dict[Path, set[str]]:
    """What each module of the program and of its tests names (paths from the root)."""
    files = [file for name in COPIED for file in sorted((root / name).rglob("*.py"))]
    return {file.relative_to(root): _said(file) for file in files}


def _said(file: Path) -> set[str]:
    """Modules that a module names in its imports and in text, those of tests without ``tests.``."""
    names = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
        elif isinstance(node, ast.Import):
            names += [one.name for one in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.append(node.value)
    return {name.removeprefix("tests.") for name in names}


def copied(root: Path, place: Path) -> Path:
    """A copy of what is changed and run; all else is linked."""
    place.mkdir()
    names = {item.name for item in root.iterdir()}
    for name in names - ABSENT(str(root), sorted(names)):
        if name in COPIED:
            shutil.copytree(root / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (place / name).symlink_to(root / name)
    return place


def failing(root: Path, tests: Sequence[Path], timeout_s: float) -> tuple[Path | None, bool]:
    """The first of some test files that fails on the program in a folder; whether all ran in time."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider", *map(str, tests)]
    surroundings = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    surroundings.setdefault("QT_QPA_PLATFORM", "offscreen")
    with (
        tempfile.TemporaryFile("w+") as told,
        subprocess.Popen(
            command,
            cwd=root,
            env=surroundings,
            stdout=told,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as run,
    ):
        try:
            status = run.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None, False
        finally:  # with the processes that tests began
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
        told.seek(0)
        names = re.findall(r"^(?:FAILED|ERROR) ([^:\s]+)", told.read(), re.MULTILINE)
    first = next((file for file in tests if str(file) in names), tests[0])
    return (None if status in (0, NO_TESTS) else first), True


class Trial:
    """A copy of the program, of which one place at a time is changed."""

    def __init__(self, root: Path, timeout_s: float) -> None:
        self.root = root
        self.timeout_s = timeout_s
        self._healthy: dict[tuple[tuple[Path, ...], float], bool] = {}

    def outcome(self, mutant: Mutant) -> str:
        """What tests say of a mutant: first those that mirror its module, then others while there is time."""
        mine, others = witnesses(self.root, mutant.file)
        if not mine:
            return UNTESTED
        end = time.monotonic() + self.timeout_s
        if self._is_noticed(mutant, mine, end, may_hang=True):
            return CAUGHT
        end = time.monotonic() + self.timeout_s
        parts = (others[start : start + AT_ONCE] for start in range(0, len(others), AT_ONCE))
        return CAUGHT if any(self._is_noticed(mutant, part, end) for part in parts) else SURVIVED

    def _is_noticed(
        self, mutant: Mutant, tests: Sequence[Path], end: float, *, may_hang: bool = False
    ) -> bool:
        """Whether a test that passes on the program as it is fails on the mutant; or hangs, where it may."""
        while tests and (left_s := end - time.monotonic()) > 0:
            with self._changed(mutant):
                failed, in_time = failing(self.root, tests, left_s)
            if failed is None:  # what ends late has not got stuck
                return may_hang and not in_time and self._is_healthy(tests, self.timeout_s / 2)
            if self._is_healthy([failed], SLOW * self.timeout_s):
                return True
            print(f"fails as it is: {failed}", flush=True)
            tests = tests[tests.index(failed) + 1 :]
        return False

    def _is_healthy(self, tests: Sequence[Path], within_s: float) -> bool:
        """Whether tests pass on the program as it is, in so much time; asked once."""
        key = tuple(tests), within_s
        if key not in self._healthy:
            self._healthy[key] = failing(self.root, tests, within_s) == (None, True)
        return self._healthy[key]

    @contextmanager
    def _changed(self, mutant: Mutant) -> Iterator[None]:
        file = self.root / mutant.file
        text = file.read_text(encoding="utf-8")
        file.write_text(mutant.apply(text), encoding="utf-8")
        self._forget_compiled(text)
        try:
            yield
        finally:
            file.write_text(text, encoding="utf-8")
            self._forget_compiled(text)

    def _forget_compiled(self, text: str) -> None:
        """Compile anew what calls a compiled module: numba looks at the file of the caller only."""
        if COMPILED.search(text):
            for kept in self.root.rglob("*.nb[ci]"):
                kept.unlink()


def main(arguments: Sequence[str] | None = None, *, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(
        description="Change the program at random, and see whether tests notice."
    )
    packages = ("core", "curation", "ephys", "evidence", "export", "session", "sorting")
    parser.add_argument("--package", nargs="+", default=packages, help="folders or modules of ncpgui")
    parser.add_argument("--n", type=int, default=20, help="mutants that are tried")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--least", type=float, default=0.0, help="share caught below which the exit status is 1"
    )
    parser.add_argument(
        "--timeout", type=float, default=300.0, help="s for tests of a mutant, near and others"
    )
    asked = parser.parse_args(arguments)
    mutants = drawn(root, asked.package, asked.n, asked.seed)
    outcomes: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="ncpgui-mutants-") as folder:
        trial = Trial(copied(root, Path(folder) / "ncpgui"), asked.timeout)
        for mutant in mutants:
            since = time.monotonic()
            outcome = trial.outcome(mutant)
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            print(f"{outcome:9s} {mutant.words}  ({time.monotonic() - since:.0f} s)", flush=True)
    n_tried = sum(outcomes.values())
    print(f"{outcomes.get(CAUGHT, 0)} of {n_tried} caught (seed {asked.seed}: {' '.join(asked.package)})")
    return int(n_tried == 0 or outcomes.get(CAUGHT, 0) / n_tried < asked.least)


if __name__ == "__main__":
    sys.exit(main())
