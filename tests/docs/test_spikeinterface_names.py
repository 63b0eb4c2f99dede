"""Functions of SpikeInterface that pages name are there."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.docs.printed import ROOT

MODULES = (
    "core",
    "preprocessing",
    "curation",
    "sorters",
    "comparison",
    "extractors",
    "sortingcomponents.matching",
    "sortingcomponents.peak_detection",
)
PAGE = ROOT / "docs" / "coming_from" / "spikeinterface.md"


def named() -> list[str]:
    """Names in the first columns of the page that are functions: words with an underscore, or called."""
    rows = [
        line.split("|")[1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    code = re.findall(r"`([a-z_]+_[a-z_0-9]+)[(`]", " ".join(rows))
    options = {"n_jobs", "chunk_duration"}
    return sorted(set(code) - options)


@pytest.mark.parametrize("name", named())
def test_a_function_that_the_page_names_exists(name: str) -> None:
    modules = [importlib.import_module(f"spikeinterface.{module}") for module in MODULES]
    assert any(hasattr(module, name) for module in modules)
