"""Figures in sentences and cells of the pages are those of kept results and of the program.

What scripts write between marks is tested by tests/benchmarks, commands and code by test_blocks.py.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest

from ncpgui.engine.networks.model_files import default_model_name
from tests.docs import (
    figures_of_engine,
    figures_of_formats,
    figures_of_method,
    figures_of_results,
    figures_of_the_program,
    page_figures,
)
from tests.docs.no_figures import PATTERNS, PATTERNS_OF_METHOD, REASONS, equations, examples
from tests.docs.page_figures import DEVELOPERS, METHOD, READ, quoted, said, unknown_figures
from tests.docs.printed import DOCUMENTS, ROOT

from kept_results import DEFAULT, is_of_earlier_model, kept  # isort: skip
from short_results import SORTERS  # isort: skip

TEXTS = {page: said(page) for page in READ}


@pytest.fixture(scope="module")
def phrases() -> list[str]:
    parts = (
        figures_of_the_program,
        figures_of_method,
        figures_of_results,
        figures_of_engine,
        figures_of_formats,
    )
    return [phrase for part in parts for phrase in part.phrases()]


def test_what_pages_say_of_results_and_defaults_is_so(phrases: list[str]) -> None:
    """A phrase is made of the value that it should have: where the page has another, it is not there."""
    assert [phrase for phrase in phrases if not any(phrase in text for text in TEXTS.values())] == []


def reasons(page: str, text: str) -> list[str | re.Pattern[str]]:
    """What stands around the numbers of a page that need no look-up."""
    own = PATTERNS_OF_METHOD if page in DEVELOPERS else []
    return [*PATTERNS, *own, *examples(text), *(equations(text) if page in METHOD else [])]


def test_every_figure_of_a_page_is_looked_up_or_has_a_reason_not_to_be(phrases: list[str]) -> None:
    unknown = [
        f"{page}: {figure}"
        for page, text in TEXTS.items()
        for figure in unknown_figures(text, [*phrases, *quoted(page), *reasons(page, text)])
    ]
    assert unknown == []


def test_no_reason_is_left_of_numbers_that_are_gone() -> None:
    developers = [TEXTS[page] for page in DEVELOPERS]
    left = [
        pattern.pattern
        for patterns, texts in ((PATTERNS, TEXTS.values()), (PATTERNS_OF_METHOD, developers))
        for pattern in patterns
        if not any(pattern.search(text) for text in texts)
    ]
    assert left == []
    assert all(REASONS.values())


def test_all_pages_of_docs_are_read_but_notes_and_what_a_script_writes_as_a_whole() -> None:
    left_out = {name for name in DOCUMENTS if name.startswith("docs/")} - set(READ)
    assert {name for name in left_out if not name.startswith("docs/notes/")} == {"docs/paper_figures.md"}


def test_a_sentence_that_links_a_note_has_the_figures_of_the_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_figures, "ROOT", tmp_path)
    (tmp_path / "docs" / "notes").mkdir(parents=True)
    (tmp_path / "docs" / "notes" / "day.md").write_text("| a | 0.86 |\n", encoding="utf-8")
    (tmp_path / "docs" / "page.md").write_text(
        "It was 0.86 ([note](notes/day.md)). Later 0.86.\n\nIt is 0.87 ([note](notes/day.md#a)).\n",
        encoding="utf-8",
    )
    assert quoted("docs/page.md") == ["It was 0.86 (note)."]


def test_equations_are_known_but_for_constants_with_a_decimal_point() -> None:
    assert equations("of $d = 2.26$ and 3, $k^2$ is 4 of $n_1$") == ["$k^2$", "$n_1$"]


def test_a_figure_that_is_not_known_is_found_and_code_is_none() -> None:
    text = "The default is 4.5. Take `--beam 150`, of 20 000 or a fifth."
    assert unknown_figures(text, ["default is 4.5."]) == [
        "The default is 4.5. Take `--beam 150`, of >>20 000<< or a fifth.",
        "default is 4.5. Take `--beam 150`, of 20 000 or a >>fifth<<.",
    ]
    assert unknown_figures(text, ["The default is 4.4.", "20 000 or a fifth"])[0].startswith(
        "The default is >>4.5"
    )


def test_words_that_the_program_does_not_say_are_no_example_of_them() -> None:
    assert examples("It says *Keep 2 units, 11 %* and *Keeps 2 unicorns*.") == ["*Keep 2 units, 11 %*"]


def test_results_of_other_weights_than_those_that_are_shipped_are_of_an_earlier_model() -> None:
    assert default_model_name() == DEFAULT
    shipped = sha256((ROOT / "trained_models" / f"{DEFAULT}.safetensors").read_bytes()).hexdigest()
    made = {"models": {"default": shipped, DEFAULT: shipped}}
    assert not is_of_earlier_model({"origin": made})
    assert not is_of_earlier_model({"rows": []})
    assert is_of_earlier_model({"origin": {"models": {**made["models"], DEFAULT: "0" * 64}}})
    assert is_of_earlier_model({"origin": {"models": {"gone": shipped}}})


@pytest.mark.parametrize("page", READ)
def test_a_page_says_of_results_of_an_earlier_model_that_they_are(page: str) -> None:
    links = re.findall(r"benchmarks/results/(\w+)\.md", (ROOT / page).read_text(encoding="utf-8"))
    if any(is_of_earlier_model(kept(name)) for name in links):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert re.search(r"\bearlier model", text)


def test_all_sorters_of_the_tables_have_a_name() -> None:
    assert {row["sorter"] for row in kept("sorters")["rows"]} <= set(SORTERS)
