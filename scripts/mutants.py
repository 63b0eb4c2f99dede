"""Change the program at random in small ways, one at a time, and see whether the tests notice.

    python scripts/mutants.py [--package evidence ...] [--n 20] [--seed 0] [--least 0.9] [--timeout 120]

A mutant is one change of one place: a comparison turned or its edge moved, a whole number one more, a sum a
difference, min for max, a statement taken out. As many are drawn as asked for, the same ones for the same
seed and source. Tests that mirror the module are run on each: those of its name, and those that import it
from the folder of its package, else from any folder. A mutant that no test notices is printed with its place
and the change: it wants a test, or changes nothing that can be seen.

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
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("ncpgui", "tests")
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


def mirror(root: Path, module: Path) -> list[Path]:
    """Tests of a module: of its name, and those that import it in the folder of its package, else in any."""
    package = module.parts[1] if len(module.parts) > 2 else ""
    name = ".".join(module.with_suffix("").parts)
    parent, _, last = name.rpartition(".")
    imports = re.compile(
        rf"\b{re.escape(name)}\b|^from {re.escape(parent)} import [^\n]*\b{last}\b", re.MULTILINE
    )
    every = sorted((root / "tests").rglob("test_*.py"))
    mine = [file for file in every if file.stem == f"test_{module.stem}"]
    users = [file for file in every if imports.search(file.read_text(encoding="utf-8"))]
    near = [file for file in users if file.relative_to(root).parts[1] == package] or users
    return list(dict.fromkeys([*(file for file in mine if file in users or not users), *near]))


def copied(root: Path, place: Path) -> Path:
    """A copy of what is changed and run; all else is linked."""
    place.mkdir()
    for item in root.iterdir():
        if item.name in COPIED:
            shutil.copytree(item, place / item.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif not item.name.startswith(".") and item.name not in ("build", "dist"):
            (place / item.name).symlink_to(item)
    return place


def passes(root: Path, tests: Sequence[Path], timeout_s: float) -> bool:
    """Whether tests pass, in time, on the program in a folder."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *map(str, tests)]
    surroundings = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    surroundings.setdefault("QT_QPA_PLATFORM", "offscreen")
    with subprocess.Popen(
        command,
        cwd=root,
        env=surroundings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as run:
        try:
            return run.wait(timeout_s) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:  # with the processes that tests began
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)


def tried(mutant: Mutant, root: Path, tests: Sequence[Path], timeout_s: float) -> str:
    """What the tests say of a mutant; the folder is as before afterwards."""
    if not tests:
        return UNTESTED
    file = root / mutant.file
    text = file.read_text(encoding="utf-8")
    file.write_text(mutant.apply(text), encoding="utf-8")
    try:
        return SURVIVED if passes(root, tests, timeout_s) else CAUGHT
    finally:
        file.write_text(text, encoding="utf-8")


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
    parser.add_argument("--timeout", type=float, default=300.0, help="s for the tests of one mutant")
    asked = parser.parse_args(arguments)
    mutants = drawn(root, asked.package, asked.n, asked.seed)
    outcomes: dict[str, int] = {}
    healthy: dict[Path, bool] = {}
    with tempfile.TemporaryDirectory(prefix="ncpgui-mutants-") as folder:
        place = copied(root, Path(folder) / "ncpgui")
        for mutant in mutants:
            tests = mirror(place, mutant.file)
            if tests and mutant.file not in healthy:
                healthy[mutant.file] = passes(place, tests, asked.timeout)
            if not healthy.get(mutant.file, True):
                print(f"left out  {mutant.file}: its tests fail as it is", flush=True)
                continue
            since = time.monotonic()
            outcome = tried(mutant, place, tests, asked.timeout)
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            print(f"{outcome:9s} {mutant.words}  ({time.monotonic() - since:.0f} s)", flush=True)
    n_tried = sum(outcomes.values())
    print(f"{outcomes.get(CAUGHT, 0)} of {n_tried} caught (seed {asked.seed}: {' '.join(asked.package)})")
    return int(n_tried == 0 or outcomes.get(CAUGHT, 0) / n_tried < asked.least)


if __name__ == "__main__":
    sys.exit(main())
