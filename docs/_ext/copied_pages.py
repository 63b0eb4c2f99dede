"""Pages that lie elsewhere in the repository become pages of the site, and links between all of them hold.

Results of benchmarks, what models were trained on, the changelog and the guide for contributors stay where
they are; a build copies them to ``docs/copied``, which git ignores.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
COPIED = DOCS / "copied"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def copies() -> dict[Path, Path]:
    """Where each page of the repository outside docs goes, by where it lies."""
    found = {
        ROOT / "benchmarks" / "README.md": COPIED / "benchmarks.md",
        ROOT / "trained_models" / "README.md": COPIED / "models.md",
        ROOT / "CHANGELOG.md": COPIED / "changelog.md",
        ROOT / "CONTRIBUTING.md": COPIED / "contributing.md",
    }
    for page in sorted((ROOT / "benchmarks" / "results").glob("*.md")):
        found[page] = COPIED / "results" / page.name
    return found


def with_links(text: str, source: Path, page: Path) -> str:
    """The text of `source` with links that hold on the site, where it is `page`.

    A link to a page that is copied leads to the copy; to another file of the repository, to that file,
    which the site offers for download; a folder is no page, so that only its words are left.
    """
    places = copies()

    def changed(match: re.Match[str]) -> str:
        mark, words, link = match.groups()
        path, _, anchor = link.partition("#")
        if "://" in link or not path or path.startswith("/"):
            return match[0]
        target = (source.parent / path).resolve()
        target = places.get(target, target)
        if target.is_dir():
            return words
        relative = Path(os.path.relpath(target, page.parent)).as_posix()
        return f"{mark}[{words}]({relative}{'#' * bool(anchor)}{anchor})"

    parts = FENCED.split(text)
    return "".join(part if FENCED.fullmatch(part) else LINK.sub(changed, part) for part in parts)


def made_by(page: Path) -> tuple[str, str]:
    """Command and date of a page of results, from the file of figures beside it; empty where it says none."""
    figures = page.with_suffix(".json")
    content: dict[str, Any] = json.loads(figures.read_text(encoding="utf-8")) if figures.is_file() else {}
    origin = content.get("origin", content)
    return origin.get("command", ""), origin.get("date", "").replace("-", "\N{NON-BREAKING HYPHEN}")


def index_of_results() -> str:
    """A table of all pages of results: what each is about, the command that makes it, and its date."""
    rows = ["| page | made by | on |", "|---|---|---|"]
    for page, copy in copies().items():
        if copy.parent.name != "results":
            continue
        title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        command, date = made_by(page)
        rows.append(
            f"| [{title}](../copied/results/{copy.name}) | {f'`{command}`' * bool(command)} | {date} |"
        )
    return "\n".join(rows) + "\n"


def copy_pages(app: Sphinx) -> None:
    """Write all copies, and the index of results."""
    places = copies()
    places_of_texts = {
        copy: with_links(page.read_text(encoding="utf-8"), page, copy) for page, copy in places.items()
    }
    places_of_texts[COPIED / "index_of_results.txt"] = index_of_results()
    for path, text in places_of_texts.items():
        write_if_changed(path, text)
    for old in set(COPIED.rglob("*.md")) - set(places_of_texts):
        old.unlink()


def write_if_changed(path: Path, text: str) -> None:
    """Write a file, unless it is so already: Sphinx reads changed files again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def mend_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Before Sphinx reads a page of docs: links that lead out of docs."""
    page = Path(app.env.doc2path(docname))
    if page.suffix == ".md" and COPIED not in page.parents:
        source[0] = with_links(source[0], page, page)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.connect("builder-inited", copy_pages)
    app.connect("source-read", mend_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
