"""What a benchmark keeps says how it was made: command, seed, samples, source, weights, date."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path

import pytest

from benchmarks.common import report
from ncpgui.core.source_revision import Revision
from ncpgui.engine.networks.model_files import load_card

ROOT = Path(__file__).resolve().parents[2]
GAUSS2D = load_card(ROOT / "trained_models" / "gauss2d.safetensors")["weights_sha256"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark that was started with options, from a source with changes; folders change no figure."""
    script = str(ROOT / "benchmarks" / "speed" / "it.py")
    words = [script, "--cells", "3", "--out", str(ROOT / "benchmarks" / "results"), "--cache", "there"]
    monkeypatch.setattr(sys, "argv", words)
    monkeypatch.setattr(report, "REVISION", Revision("0123456789abcdef" + 24 * "0", True))


@pytest.mark.usefixtures("asked")
def test_the_file_and_the_page_say_how_they_were_made(tmp_path: Path) -> None:
    origin = report.Origin(seed=3, n_samples=200, models={"gauss2d": "gauss2d"})
    report.keep("it", {"rows": [1]}, page="# It\n\nWords.\n", origin=origin, folder=tmp_path)
    kept = json.loads((tmp_path / "it.json").read_text(encoding="utf-8"))
    assert kept["rows"] == [1]
    assert kept["origin"] == {
        "command": "python -m benchmarks.speed.it --cells 3",
        "date": date.today().isoformat(),
        "git_revision": "0123456789abcdef" + 24 * "0",
        "git_changed": True,
        "seed": 3,
        "n_samples": 200,
        "models": {"gauss2d": GAUSS2D},
    }
    page = (tmp_path / "it.md").read_text(encoding="utf-8")
    assert page.startswith("# It\n\nWords.\n")
    assert page.endswith(
        "\n\n`python -m benchmarks.speed.it --cells 3`, "
        f"{date.today().isoformat()}. Source 0123456789ab and changes that are not committed; seed 3; "
        f"200 posterior samples; weights (SHA-256) `gauss2d` `{GAUSS2D[:12]}`.\n"
    )


@pytest.mark.usefixtures("asked")
def test_what_there_is_not_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "REVISION", Revision(None, None))
    line = report.made_by(report.Origin(seed=0))
    assert line.endswith(f"{date.today().isoformat()}. Source not in a checkout; seed 0.")


@pytest.mark.usefixtures("asked")
def test_the_origin_of_a_model_file_is_its_weights_and_not_its_place(tmp_path: Path) -> None:
    for suffix in (".safetensors", ".json"):
        place = (tmp_path / "mine").with_suffix(suffix)
        place.write_bytes((ROOT / "trained_models" / "gauss2d").with_suffix(suffix).read_bytes())
    models = {"mine": str(tmp_path / "mine.safetensors")}
    assert report.Origin(seed=0, models=models).told()["models"] == {"mine": GAUSS2D}


def test_nothing_is_kept_without_a_folder(tmp_path: Path) -> None:
    report.keep("it", {}, page="", origin=report.Origin(seed=0), folder=None)
    assert list(tmp_path.iterdir()) == []


def test_a_figure_carries_its_origin_inside(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from PIL import Image

    from benchmarks.figures import base

    with base.style():
        figure = base.canvas(1.0)
    base.save(figure, tmp_path / "it.png", made_by="`python it.py`, 2026-01-01.")
    with Image.open(tmp_path / "it.png") as image:
        assert image.info["Description"] == "`python it.py`, 2026-01-01."


def test_a_bar_in_a_cell_ends_no_column() -> None:
    lines = report.table([{"K": 3, "|K error|": 0.5}]).splitlines()
    assert lines == ["| K | \\|K error\\| |", "|---|-------------|", "| 3 | 0.5         |"]


def test_rows_that_stay_and_rows_that_are_made_again_make_one_table(tmp_path: Path) -> None:
    page = tmp_path / "found.json"
    before = [{"recording": "one", "found": 3}, {"recording": "two", "found": 4}]
    page.write_text(json.dumps({"origin": {"date": "2026-01-02"}, "rows": before}))
    rows = report.with_others([{"recording": "two", "found": 5}], page, "recording")
    assert [(row["recording"], row["found"]) for row in rows] == [("one", 3), ("two", 5)]
    assert rows[0]["made"] == "2026-01-02"
    assert report.table(rows).count("\n") == 3  # a head, a line, and both rows
    assert [list(row) for row in rows] == [["recording", "found", "made"]] * 2
