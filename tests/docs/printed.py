"""What README and docs print: fenced blocks, and commands between backticks."""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): path
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "benchmarks" / "README.md",
        *sorted(path for path in (ROOT / "docs").rglob("*.md") if "copied" not in path.parts),
    )
}
"""All pages that people read, but for those that a build of the site copies into docs."""
LANGUAGES = ("sh", "python", "toml", "json", "text", "bibtex")
"""Of fenced blocks: commands, code, files; text is a drawing."""


@dataclass(frozen=True)
class Block:
    """A fenced block. line : of its first line of text, from 1."""

    document: str
    line: int
    language: str
    text: str

    @property
    def name(self) -> str:
        """Where it is and what."""
        return f"{self.document}:{self.line} {self.language}"

    @property
    def commands(self) -> list[list[str]]:
        """Words of each command of a block of commands, without comments."""
        joined = self.text.replace("\\\n", " ")
        lines = [shlex.split(line, comments=True) for line in joined.splitlines()]
        return [words for words in lines if words]


def blocks(document: str) -> list[Block]:
    """Fenced blocks of a document, in order; not those that Sphinx reads, such as ``{toctree}``."""
    found, opened, lines = [], None, []
    for number, line in enumerate(DOCUMENTS[document].read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("```"):
            lines.append(line)
        elif opened is None:
            opened, lines = (number + 1, line.removeprefix("```").strip()), []
        else:
            if not opened[1].startswith("{"):
                found.append(Block(document, *opened, "\n".join(lines) + "\n"))
            opened = None
    return found


ALL_BLOCKS = [block for document in DOCUMENTS for block in blocks(document)]


def inline(document: str) -> list[str]:
    """Text between backticks, outside of fenced blocks."""
    text = DOCUMENTS[document].read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(span.replace("\\|", "|").split()) for span in re.findall(r"`([^`]+)`", text)]


def messages(path: Path, *, docstrings: bool = True) -> list[str]:
    """Texts in a source file: docstrings, help, messages; what is filled in is shown as {}."""
    return [text for text, is_docstring in _texts(path) if docstrings or not is_docstring]


@cache
def _texts(path: Path) -> list[tuple[str, bool]]:
    """Each text of a source file, and whether it is a docstring: a file is read once for all tests."""
    found, left = [], [(ast.parse(path.read_text(encoding="utf-8")), False)]
    while left:
        node, is_statement = left.pop()
        parts = ast.iter_child_nodes(node)
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
            found.append((text, False))
            parts = (part for part in node.values if not isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append((node.value, is_statement))
        left += ((part, isinstance(node, ast.Expr)) for part in parts)
    return [(" ".join(text.split()), is_docstring) for text, is_docstring in found]
