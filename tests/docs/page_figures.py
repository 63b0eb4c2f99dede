"""Figures on a page: numbers in its sentences and cells, and which of them the tests know."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tests.docs.printed import DOCUMENTS, ROOT

NOTES = sorted(name for name in DOCUMENTS if name.startswith("docs/notes/"))
"""Records of what was tried on a day, with the figures of that day: they are what other pages quote."""

WRITTEN = ["docs/paper_figures.md"]
"""Pages that a script writes as a whole, each figure with its command, date, source and weights."""

METHOD = sorted(name for name in DOCUMENTS if name.startswith("docs/method/"))
"""Pages with equations."""

DEVELOPERS = sorted(
    name for name in DOCUMENTS if name.startswith(("docs/method/", "docs/project/", "docs/reference/session"))
)
"""Pages of which some numbers are definitions and names that other pages have not."""

READ = ["README.md", *sorted(n for n in DOCUMENTS if n.startswith("docs/") and n not in NOTES + WRITTEN)]
"""Pages whose figures are all looked up: README, and every page of docs but the notes and written ones."""

HIDDEN = re.compile(
    r"\A---\n.*?^---$"  # the head of a notebook
    r"|^(?P<fence>```|~~~).*?^(?P=fence)$"  # blocks: tests run them
    r"|<!-- (?:results|keys|presets): .*?<!-- end of .*?-->"  # written by scripts, which tests run again
    r"|<!-- measured: .*?<!-- end of .*?-->"  # written by a script, which the lines themselves name
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


SOURCE = re.compile(r"\]\(([^()#]*(?:notes/|benchmarks/results/)[^()#]*\.md)(?:#[^()]*)?\)")
"""A link to a note, or to a table of results."""
SENTENCE = re.compile(r"(?<=[.:?!])\s+(?=[A-Z*`|\[])")


def plain(text: str) -> str:
    """Text on one line, without blocks, and without addresses of links."""
    text = NUMBERING.sub(r"\1", LINK.sub(r"\1", HIDDEN.sub("\n\n", text)))
    return " ".join(text.split())


def said(page: str) -> str:
    """Sentences and cells of a page on one line: without blocks, and without addresses of links."""
    return plain((ROOT / page).read_text(encoding="utf-8"))


def quoted(page: str) -> list[str]:
    """Sentences of a page that link a note or a table of results, and whose figures are all in it."""
    text = HIDDEN.sub("\n\n", (ROOT / page).read_text(encoding="utf-8"))
    found = []
    for sentence in (one for part in re.split(r"\n\s*\n", text) for one in SENTENCE.split(part)):
        sources = [(ROOT / page).parent / match[1] for match in SOURCE.finditer(sentence)]
        there = {one for path in sources for one in numbers(path.read_text(encoding="utf-8"))}
        if sources and numbers(sentence := plain(sentence)) <= there:
            found.append(sentence)
    return found


def figures(text: str) -> list[tuple[int, int]]:
    """Where figures are in a text, but for those between backticks, which are code."""
    code = [match.span() for match in CODE.finditer(text)]
    return [
        match.span()
        for match in FIGURE.finditer(text)
        if not any(first <= match.start() < last for first, last in code)
    ]


def numbers(text: str) -> set[str]:
    """Figures of a text, as they are written."""
    return {text[slice(*span)].strip(" .,").lower() for span in figures(text)}


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
