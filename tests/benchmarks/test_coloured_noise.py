"""The benchmark of coloured noise keeps each row as soon as it is made, beside those of earlier runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recordings import coloured_noise


def row(name: str, made: str) -> dict[str, Any]:
    counts = (
        "found",
        "units",
        "false",
        "false, P(neuron) >= 0.5",
        "extra, P(neuron) >= 0.5",
        "faint",
        "CPU s",
    )
    return {"noise": name, "cells": 24, "sorter": "ncpgui", **dict.fromkeys(counts, 2), "made": made}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run the benchmark of families with rows that are known, and return those that are kept."""

    def start(made: str, *families: str, failing: str = "") -> list[dict[str, Any]]:
        def row_of(name: str, *_: object, **__: object) -> dict[str, Any]:
            if name == failing:
                raise OSError("no room")
            return {**row(name, made), "of units": [], "accuracy": []}

        words = ["--only", "cells", "--keep-others", "--out", str(tmp_path), "--families", *families]
        monkeypatch.setattr(coloured_noise, "row_of", row_of)
        monkeypatch.setattr(sys, "argv", ["coloured_noise.py", *words])
        if failing:
            with pytest.raises(OSError, match="no room"):
                coloured_noise.main()
        else:
            coloured_noise.main()
        rows: list[dict[str, Any]] = json.loads((tmp_path / "coloured_noise.json").read_text())["rows"]
        return rows

    return start


def test_rows_of_an_earlier_run_stay_with_their_day(run, tmp_path: Path) -> None:
    run("2026-01-01", "hum", "white")
    rows = run("2026-01-02", "hum", "1/f")
    assert [(one["noise"], one["made"]) for one in rows] == [
        ("hum", "2026-01-02"),
        ("white", "2026-01-01"),
        ("1/f", "2026-01-02"),
    ]
    page = (tmp_path / "coloured_noise.md").read_text()
    assert page.count("2026-01-01") == 1


def test_rows_come_in_the_order_of_the_families_and_are_kept_before_the_last_one_is_made(run) -> None:
    rows = run("2026-01-01", "white", "1/f", "hum", "peak 300 Hz", failing="peak 300 Hz")
    assert [one["noise"] for one in rows] == ["white", "1/f", "hum"]
