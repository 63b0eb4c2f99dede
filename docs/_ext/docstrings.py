"""Docstrings of the house as Sphinx reads them.

The house writes ``name, other : what they are`` for parameters and attributes, with what follows indented.
For Sphinx the words go below the names: numpy's style would take them for a type. What is said of
returned values becomes one sentence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAMED = re.compile(r"(\w+(?:, \w+)*) : (.*)")
UNDERLINE = re.compile(r"-{3,}")


def for_sphinx(lines: list[str]) -> list[str]:
    """The lines of a docstring with names above their words, and with returned values as a field."""
    result: list[str] = []
    section, is_named = "", False
    for line, ahead in zip(lines, [*lines[1:], ""], strict=True):
        found = NAMED.fullmatch(line)
        is_named = found is not None or (is_named and bool(line.strip()))
        if UNDERLINE.fullmatch(ahead):
            section = line
            result += [""] if line == "Returns" else [line]
        elif UNDERLINE.fullmatch(line):
            result.append(":returns:" if section == "Returns" else line)
        elif section == "Returns" and line.strip():
            result.append(f"    {line}")
        elif found is not None:
            names = found[1] if section else f"``{found[1]}``"
            result += [names, f"    {found[2]}"]
        else:
            result.append(f"    {line.strip()}" if is_named else line)
    return [line if "``" in line else line.replace("|", "\\|") for line in result]


def process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Before napoleon reads a docstring."""
    lines[:] = for_sphinx(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.connect("autodoc-process-docstring", process, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
