"""Figures on a page: numbers in its sentences and cells, and which of them the tests know."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tests.docs.printed import DOCUMENTS, ROOT
from tests.docs.site_pages import MENU

READ = [
    "README.md",
    *sorted(
        f"docs/{page}.md"
        for page in {*MENU, "method/numbers", "results/single_channels", "results/whole_recordings"}
    ),
]
"""Pages whose figures are all looked up: README, those that the menu names, and the long ones of results."""

METHOD = sorted(name for name in DOCUMENTS if name.startswith("docs/method/") and name not in READ)
"""Pages of which only some figures are looked up: the values of the program that they repeat."""

HIDDEN = re.compile(
    r"\A---\n.*?^---$"  # the head of a notebook
    r"|^(?P<fence>```|~~~).*?^(?P=fence)$"  # blocks: tests run them
    r"|<!-- (?:results|keys): .*?<!-- end of .*?-->"  # written by scripts, which tests run again
    r"|^:{3,}.*$|^:[\w-]+:.*$"  # directives of Sphinx and their options
    r"|\$\$.*?\$\$",  # equations
    re.MULTILINE | re.DOTALL,
)
WORDS = (
    "three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand"
    "|half|thirds?|quarters?|fifths?|tenths?"
)
FIGURE = re.compile(rf"(?<![\w.])[−-]?\d(?:[\d .,^]*\d)?(?![\w])|\b(?:{WORDS})\b", re.IGNORECASE)
NUMBERING = re.compile(r"^((?:#+)? *)\d+\. ", re.MULTILINE)
"""Of headings and of lists."""
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^()]*\)")
CODE = re.compile(r"`[^`]*`")


def said(page: str) -> str:
    """Sentences and cells of a page on one line: without blocks, and without addresses of links."""
    text = HIDDEN.sub("\n\n", (ROOT / page).read_text(encoding="utf-8"))
    text = NUMBERING.sub(r"\1", LINK.sub(r"\1", text))
    return " ".join(text.split())


def figures(text: str) -> list[tuple[int, int]]:
    """Where figures are in a text, but for those between backticks, which are code."""
    code = [match.span() for match in CODE.finditer(text)]
    return [
        match.span()
        for match in FIGURE.finditer(text)
        if not any(first <= match.start() < last for first, last in code)
    ]


def _places(text: str, phrase: str | re.Pattern[str]) -> Iterator[tuple[int, int]]:
    if isinstance(phrase, re.Pattern):
        yield from (match.span() for match in phrase.finditer(text))
        return
    first = text.find(phrase)
    while first >= 0:
        yield first, first + len(phrase)
        first = text.find(phrase, first + 1)


def unknown_figures(text: str, known: Iterable[str | re.Pattern[str]]) -> list[str]:
    """Figures that lie in no known phrase, each with the words around it."""
    covered = [span for one in known for span in _places(text, one)]
    return [
        f"{text[max(0, first - 50) : first]}>>{text[first:last]}<<{text[last : last + 40]}"
        for first, last in figures(text)
        if not any(low <= first and last <= high for low, high in covered)
    ]
