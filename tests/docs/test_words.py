"""The pages for newcomers are short, and say things in words that people know."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.docs.printed import DOCUMENTS, ROOT, messages
from tests.docs.site_pages import MENU, PAGES
from tests.loose_modules import module_at

DOCS = ROOT / "docs"
SOURCES = sorted((ROOT / "ncpgui").rglob("*.py"))
MOST_WORDS, MOST_OF_ALL = 1200, 65_700 // 3
COUNTED = re.compile(r"\w")


def n_words(page: str) -> int:
    """Words of a page as people read it, without the code between fences."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    text = re.sub(r"^(```|:::+).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    return sum(COUNTED.search(word) is not None for word in text.split())


def test_a_page_outside_of_the_reference_is_short() -> None:
    lengths = {page: n_words(page) for page in MENU if not page.startswith("reference/")}
    assert {page: n for page, n in lengths.items() if n > MOST_WORDS} == {}


def test_all_pages_of_the_menu_together_are_a_third_of_what_they_were() -> None:
    assert sum(map(n_words, MENU)) <= MOST_OF_ALL


def test_the_words_of_a_page_are_counted_without_code_and_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.md").write_text(
        "# Two words\n\n```sh\nls -l a b c\n```\n\n| one | – |\n", encoding="utf-8"
    )
    monkeypatch.setitem(n_words.__globals__, "DOCS", tmp_path)
    assert n_words("page") == 3


def test_menu_and_search_are_without_method_notes_development_and_benchmarks() -> None:
    newcomers = module_at(DOCS / "_ext" / "newcomers.py")
    assert {page.partition("/")[0] for page in MENU} == {
        "index", "start", "tutorials", "coming_from", "guide", "concepts", "reference", "results",
    }  # fmt: skip
    assert {page for page in PAGES if newcomers.is_outside(page)} == PAGES - MENU
    assert newcomers.is_outside("copied/results/sorters")
    assert newcomers.is_outside("copied/changelog")


RIDDLES = {
    r"could be one another": "may be the same neuron",
    r"units? (?:that it has )?too many": "units that match no true unit",
    r"(?:are|is|were) (?:then )?counted again": "change, are computed anew",
    r"keep the remaining doubt": "keep the probability of every spike",
    r"(?:in which|where) most spikes are expected": "whose answer puts most spikes right",
    r"it merges too much|splits too much": "too often",
}
"""Turns of phrase that readers took for something else, with what to say."""


@cache
def said() -> dict[str, list[str]]:
    """What each page and each source file says, on one line each."""
    pages = {name: [" ".join(path.read_text(encoding="utf-8").split())] for name, path in DOCUMENTS.items()}
    return pages | {path.relative_to(ROOT).as_posix(): messages(path) for path in SOURCES}


@pytest.mark.parametrize("riddle", RIDDLES)
def test_neither_pages_nor_the_program_speak_in_riddles(riddle: str) -> None:
    found = [
        f"{name}: {match[0]}; say: {RIDDLES[riddle]}"
        for name, texts in said().items()
        if not name.startswith("docs/notes/")
        for text in texts
        for match in re.finditer(riddle, text)
    ]
    assert found == []


ON_SCREEN = {
    r"[Nn]o posterior (?:tells|has)|tells? of both": "they were not sampled together",
    r"\b[Aa] (?:point|row|mark) an? (?:spike|event|unit)\b": "one row for each event",
    r"(?<!here )\b(?:is|are) (?:no(?!t| longer| more| neuron| cell)|none|none\.)\b": "is not a file",
    r"most alike": "most similar",
    r"whatever pipeline|goes the whole way|shall (?:go|stand)|before your eyes": "from any pipeline",
    r"[Nn]othing is said of|says nothing of": "has no probabilities",
    r"so many (?:draws|samples)\b": "in this share of the draws",
}
"""Turns of phrase of other languages that users of the window and of the commands are not to read."""


@cache
def shown() -> dict[str, list[str]]:
    """What users read: the pages for newcomers, and the program without its docstrings."""
    pages = {f"docs/{page}.md" for page in MENU} | {"README.md"}
    return {name: texts for name, texts in said().items() if name in pages} | {
        path.relative_to(ROOT).as_posix(): messages(path, docstrings=False) for path in SOURCES
    }


@pytest.mark.parametrize("phrase", ON_SCREEN)
def test_users_read_the_words_of_their_language(phrase: str) -> None:
    found = [
        f"{name}: {match[0]}; say: {ON_SCREEN[phrase]}"
        for name, texts in shown().items()
        for text in texts
        for match in re.finditer(phrase, text)
    ]
    assert found == []
