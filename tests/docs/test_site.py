"""The documentation is one site: every page has its place in it, and it is built without a warning."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs.printed import DOCUMENTS, ROOT, messages
from tests.docs.site_pages import PAGES, below
from tests.loose_modules import module_at

DOCS = ROOT / "docs"


def test_every_page_is_in_a_table_of_contents_once_or_linked_from_another() -> None:
    named = [name for page in PAGES for name in below(page) if not name.startswith("copied/")]
    assert len(named) == len(set(named))
    linked = {
        (path.parent / link).resolve()
        for path in (*(DOCS / f"{page}.md" for page in PAGES), ROOT / "CONTRIBUTING.md")
        for link in re.findall(r"\]\(([^)#:\s]+\.md)[^)]*\)", path.read_text(encoding="utf-8"))
    }
    lost = [page for page in PAGES - {"index", *named} if DOCS / f"{page}.md" not in linked]
    assert sorted(lost) == []


def test_the_menu_leads_a_newcomer_from_the_first_steps_to_the_results() -> None:
    parts = [Path(name).parts[0] for name in below("index")]
    assert parts == ["start", "tutorials", "coming_from", "guide", "concepts", "reference", "results"]


def test_notebooks_run_the_commands_of_the_environment_that_builds_the_site() -> None:
    """Their cells say `!ncpgui sort ...`; nobody has to have activated the environment."""
    rule = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ndocs:")[2].partition("\n\n")[0]
    (build,) = (line for line in rule.splitlines() if "build/docs/html" in line and "sphinx" in line)
    assert build.startswith('\t@PATH="$(abspath $(BIN)):$$PATH" "$(BIN)/python" -m sphinx -W')


def test_no_heading_skips_a_level() -> None:
    """Otherwise the site is not built: its contents would have a hole."""
    holes = []
    for name, path in DOCUMENTS.items():
        lines = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        levels = [len(marks) for marks in re.findall(r"^(#+) ", lines, flags=re.MULTILINE)]
        holes += [(name, one, next_) for one, next_ in pairwise(levels) if next_ > one + 1]
    assert holes == []


TABLED = {
    **DOCUMENTS,
    **{
        path.relative_to(ROOT).as_posix(): path
        for path in (
            ROOT / "CHANGELOG.md",
            ROOT / "trained_models" / "README.md",
            *sorted((ROOT / "benchmarks" / "results").glob("*.md")),
        )
    },
}
"""All pages of the site, those too that a build copies into docs."""


def test_every_row_of_a_table_has_as_many_cells_as_its_head() -> None:
    """Otherwise the table is shown as text: a bar in a cell needs a backslash."""
    uneven = []
    for name, path in TABLED.items():
        lines = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for table in re.findall(r"^\|.*\n\|[ :|-]+\|\n(?:\|.*\n?)*", lines, flags=re.MULTILINE):
            rows = table.splitlines()
            bars = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
            uneven += [f"{name}: {row}" for row, n in zip(rows, bars, strict=True) if n != bars[1]]
    assert uneven == []


def test_a_link_out_of_docs_leads_to_the_copy_of_a_page_or_to_a_file() -> None:
    links = module_at(DOCS / "_ext" / "copied_pages.py")
    page = DOCS / "guide" / "page.md"
    text = (
        "[a](../../benchmarks/results/sorters.md#all) [b](../../setup.py) [c](../../tests) [d](https://d.e)"
    )
    assert links.with_links(text, page, page) == (
        "[a](../copied/results/sorters.md#all) [b](../../setup.py) c [d](https://d.e)"
    )
    source, copy = ROOT / "benchmarks" / "results" / "x.md", links.COPIED / "results" / "x.md"
    assert links.with_links("![p](../../docs/figures/p.png)", source, copy) == "![p](../../figures/p.png)"


def test_every_page_of_results_says_in_the_index_how_it_was_made() -> None:
    links = module_at(DOCS / "_ext" / "copied_pages.py")
    rows = links.index_of_results().splitlines()[2:]
    pages = sorted((ROOT / "benchmarks" / "results").glob("*.md"))
    assert len(rows) == len(pages) > 5
    assert [
        row for row in rows if not re.search(r"\| `(python|ncpgui) .*` \| \d{4}\W\d\d\W\d\d \|$", row)
    ] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_site_is_built_without_a_warning_and_its_notebooks_were_run(tmp_path: Path) -> None:
    for package in ("myst_nb", "furo", "sphinx_design"):
        pytest.importorskip(package, reason="the extra 'docs' is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", str(tmp_path / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    built = {
        path.relative_to(tmp_path / "html").with_suffix("").as_posix() for path in tmp_path.rglob("*.html")
    }
    assert built >= PAGES
    for name in ("spikeinterface", "findings", "tuning"):
        notebook = (tmp_path / "html" / "tutorials" / f"{name}.html").read_text(encoding="utf-8")
        assert "cell_output" in notebook
    tuning = (tmp_path / "html" / "tutorials" / "tuning.html").read_text(encoding="utf-8")
    assert "There are seven units" in tuning
    assert "NumpySorting: 7 units" in tuning
    assert re.search(r"unit \d+: (0\.9\d|1\.00)", tuning), "most of the variance comes from sorting"


WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "ncpgui").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0


def test_every_message_that_the_page_of_errors_names_is_one_of_the_program() -> None:
    text = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
    rows = text.partition("| message begins")[2].splitlines()[2:]
    named = [
        part for row in rows if row.startswith("|") for part in re.findall(r"`([^`]+)`", row.split("|")[1])
    ]
    assert len(named) > 15
    said = [text for path in (ROOT / "ncpgui").rglob("*.py") for text in messages(path)]
    assert [part for part in named if not any(part in text for text in said)] == []


def test_an_option_in_the_words_of_a_command_is_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """As plain words, Sphinx would make one dash of its two."""
    monkeypatch.syspath_prepend(DOCS / "_ext")
    pages = module_at(DOCS / "_ext" / "command_pages.py")
    assert pages.escaped("Needs --probe, see [DIR] --n_channels.") == (
        "Needs `--probe`, see \\[DIR\\] `--n_channels`."
    )


def test_what_a_docstring_says_of_a_name_stands_below_the_name() -> None:
    lines = ["Sum.", "", "n, m : counts,", "    of spikes", "", "Returns", "-------", "their sum"]
    assert module_at(DOCS / "_ext" / "docstrings.py").for_sphinx(lines) == [
        "Sum.",
        "",
        "``n, m``",
        "    counts,",
        "    of spikes",
        "",
        "",
        ":returns:",
        "    their sum",
    ]


def test_every_page_that_the_program_names_is_there() -> None:
    sources = [
        path for folder in ("ncpgui", "scripts", "benchmarks") for path in (ROOT / folder).rglob("*.py")
    ]
    named = {
        name
        for path in [*sources, *DOCUMENTS.values(), ROOT / "pyproject.toml"]
        for name in re.findall(r"\bdocs/[\w/-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 5
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []
