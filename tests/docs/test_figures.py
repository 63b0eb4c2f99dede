"""Figures in sentences and cells of the pages are those of kept results and of the program.

What scripts write between marks is tested by tests/benchmarks, commands and code by test_blocks.py.
"""

from __future__ import annotations

from hashlib import sha256

import pytest

from ncpgui.engine.networks.model_files import default_model_name
from tests.docs import figures_of_method, figures_of_results, figures_of_the_program
from tests.docs.no_figures import PATTERNS, REASONS, examples
from tests.docs.page_figures import METHOD, READ, said, unknown_figures
from tests.docs.printed import ROOT

from kept_results import DEFAULT, is_of_earlier_model, kept  # isort: skip
from short_results import SORTERS  # isort: skip

TEXTS = {page: said(page) for page in READ}
ALL_TEXTS = [*TEXTS.values(), *map(said, METHOD)]


@pytest.fixture(scope="module")
def phrases() -> list[str]:
    parts = (figures_of_the_program, figures_of_method, figures_of_results)
    return [phrase for part in parts for phrase in part.phrases()]


def test_what_pages_say_of_results_and_defaults_is_so(phrases: list[str]) -> None:
    """A phrase is made of the value that it should have: where the page has another, it is not there."""
    assert [phrase for phrase in phrases if not any(phrase in text for text in ALL_TEXTS)] == []


def test_every_figure_of_a_page_is_looked_up_or_has_a_reason_not_to_be(phrases: list[str]) -> None:
    unknown = [
        f"{page}: {figure}"
        for page, text in TEXTS.items()
        for figure in unknown_figures(text, [*phrases, *PATTERNS, *examples(text)])
    ]
    assert unknown == []


def test_no_reason_is_left_of_numbers_that_are_gone() -> None:
    assert [
        pattern.pattern for pattern in PATTERNS if not any(pattern.search(text) for text in TEXTS.values())
    ] == []
    assert all(REASONS.values())


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


def test_all_sorters_of_the_tables_have_a_name() -> None:
    assert {row["sorter"] for row in kept("sorters")["rows"]} <= set(SORTERS)
