"""Pages of the site, and those that its menu names."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

from tests.docs.printed import ROOT

DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix()
    for path in DOCS.rglob("*.md")
    if "copied" not in path.parts
}
TOCTREE = re.compile(r"^(:{3,}|`{3,})\{toctree\}[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


def below(page: str) -> list[str]:
    """Pages that the tables of contents of a page name."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    lines = [line.strip() for found in TOCTREE.finditer(text) for line in found[2].splitlines()]
    names = [re.sub(r".*<(.*)>$", r"\1", line) for line in lines if line and not line.startswith(":")]
    folder = Path(page).parent
    patterns = [name[1:] if name.startswith("/") else (folder / name).as_posix() for name in names]
    return [
        name
        for pattern in patterns
        for name in (sorted(fnmatch.filter(PAGES, pattern)) if "*" in pattern else [pattern])
    ]


def in_menu(page: str = "index") -> list[str]:
    """A page and all that it leads to by tables of contents."""
    return [page, *(name for lower in below(page) if lower in PAGES for name in in_menu(lower))]


MENU = set(in_menu())
