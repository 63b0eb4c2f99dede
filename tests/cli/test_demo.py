"""The demo: what it hands on, writes and tells; the sorting itself is replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ncpgui.app.demo as demos
from ncpgui.app.demo import DemoResult, DemoSettings
from ncpgui.cli import demo as command

SCORE: dict[str, Any] = {
    "summary": {
        "true_units": 60, "well_detected": 41, "mean_accuracy": 0.756, "found_units": 70, "false_units": 3,
        "overmerged_units": 2,
    },
    "summary_clear": {"true_units": 40, "well_detected": 39, "mean_accuracy": 0.98},
    "mean_ami": 0.876,
    "n_ambiguous_components": 1,
    "seconds": {"simulate": 2.4, "sort": 61.7},
}  # fmt: skip


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the demo was asked to make, the pictures that were saved, and the sessions that were opened."""
    asked: list[Any] = []

    def run_demo(folder: Path, settings: DemoSettings, *, progress: Any) -> DemoResult:
        asked.append((folder.name, settings))
        (folder / "session.h5").touch()
        return DemoResult(None, folder, SCORE)  # type: ignore[arg-type]

    monkeypatch.setattr(demos, "run_demo", run_demo)
    monkeypatch.setattr(
        command, "save_picture", lambda session, path: asked.append((session.name, path.name))
    )
    monkeypatch.setattr(command, "check_display", lambda: asked.append("display"))
    monkeypatch.setattr(command, "open_window", lambda path: asked.append(path.name) or 7)
    return asked


def test_without_a_window_there_is_a_picture_and_the_score(ncpgui, made: list[Any], tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran = ncpgui("demo", "--headless", "--out", out, "--duration", 30, "--seed", 4)
    assert ran.code == 0
    assert made == [("out", DemoSettings(30.0, 4, None, "auto")), ("session.h5", "screenshot.png")]
    lines = [" ".join(line.split()) for line in ran.out.splitlines() if line.strip()]
    assert "all true units 60 41 0.76" in lines
    assert "of 6 noise sd and more 40 39 0.98" in lines
    assert lines[-2:] == [
        "70 units found, 3 of them false, 2 merged; mean AMI of a component 0.88; 1 component with more than "
        "one likely sorting",
        "simulate 2 s, sort 62 s",
    ]
    assert f"wrote {out}: session.h5" in ran.err


def test_the_score_is_json_where_that_is_asked_for(ncpgui, made: list[Any], tmp_path: Path) -> None:
    ran = ncpgui("demo", "--headless", "--out", tmp_path / "out", "--json")
    assert json.loads(ran.out)["n_ambiguous_components"] == 1
    assert "wrote" not in ran.err


def test_the_window_opens_on_a_demo_that_is_there_and_on_a_new_one_where_none_is(
    ncpgui, made: list[Any], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert ncpgui("demo", "--out", out).code == 7
    assert made == ["display", ("out", DemoSettings()), "session.h5"], "no picture"
    made.clear()
    assert ncpgui("demo", "--out", out).code == 7
    assert made == ["display", "session.h5"]
    made.clear()
    assert ncpgui("demo", "--headless", "--out", out).code == 0
    assert made[0] == ("out", DemoSettings()), "without a window it is made anew"


@pytest.mark.parametrize("name", ["recording", "session.h5", "session.lock", "phy", "score.json", ".hidden"])
def test_a_folder_with_what_a_demo_leaves_is_of_a_demo(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / "recording").mkdir(exist_ok=True)
    (tmp_path / "recording" / "recording.json").touch()
    command.check_folder(tmp_path)
