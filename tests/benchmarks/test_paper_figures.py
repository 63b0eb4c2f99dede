"""The figures of the paper are drawn from the shipped models by one command."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.figures import words
from benchmarks.figures.words import NAMES

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("gauss2d", "gauss2d-alpha07", "gauss2d-ccp", "digits", "particles")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed")
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.figures.paper_figures", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_all_figures_and_their_page_are_made(tmp_path):
    missing = [name for name in NEEDED if not (ROOT / "trained_models" / f"{name}.safetensors").is_file()]
    if missing:
        pytest.skip(f"not among the trained models: {', '.join(missing)}")
    done = run("--quick", "--out", str(tmp_path / "figures"))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "paper_figures.md").read_text(encoding="utf-8")
    assert re.findall(r"\(figures/(\w+)\.png\)", page) == list(NAMES)
    for name in NAMES:
        content = (tmp_path / "figures" / f"{name}.png").read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) < 160_000
    assert set(json.loads((tmp_path / "figures" / "measured.json").read_text())) == set(NAMES)
    assert "quick" in page  # rough figures say so
    assert (
        len(
            re.findall(
                r"^`python -m benchmarks\.\S+ \w+ --quick --out .*; seed 0; weights",
                page,
                re.M,
            )
        )
        == 7
    )


def test_a_figure_is_shown_with_the_command_that_makes_it_alone() -> None:
    told = {
        "date": "2026-01-02",
        "git_revision": "3" * 40,
        "git_changed": False,
        "seed": 0,
        "n_samples": None,
    }
    asked = "python -m benchmarks.figures.paper_figures digits samples --seed 0"
    line = words.made_alone("samples", {"origin": {**told, "command": asked, "models": {}}})
    alone = asked.replace("digits ", "")
    assert line == f"`{alone}`, 2026-01-02. Source 333333333333; seed 0."


def test_the_page_has_the_words_and_the_kept_numbers() -> None:
    """Otherwise run ``python -m benchmarks.figures.paper_figures`` with the name of a figure."""
    page = (ROOT / "docs" / "paper_figures.md").read_text(encoding="utf-8")
    assert words.page_of(ROOT / "docs" / "figures") == page


def test_a_missing_model_is_named_and_its_figure_left_out(tmp_path):
    done = run("digits", "--models", str(tmp_path), "--out", str(tmp_path / "figures"))
    assert done.returncode == 1
    assert "digits: left out, no model digits in" in done.stdout
    assert not (tmp_path / "figures").exists()


def test_an_unknown_figure_is_refused_with_the_names_there_are(tmp_path):
    done = run("tables", "--out", str(tmp_path))
    assert done.returncode == 2
    assert "no figure tables; there are samples, last_point" in done.stderr
