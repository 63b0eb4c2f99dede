"""The benchmark on MEArec's recordings: what it adds up, and what it says where MEArec cannot run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recordings import mearec
from benchmarks.recordings.colour_pairs import sums


def row(sorter: str, noise: str, found: int) -> dict[str, Any]:
    counts = {"units": 9, "false": 2, "false, P(neuron) >= 0.5": 1, "extra, P(neuron) >= 0.5": 0, "CPU s": 5}
    return {"probe": "tetrode", "noise": noise, "sorter": sorter, "cells": 6, "found": found, **counts}


def test_sums_are_of_each_sorter_in_each_kind_of_noise() -> None:
    rows = [row("ncpgui", "coloured", 6), row("ncpgui", "white", 5), row("ncpgui", "coloured", 3)]
    coloured, white = sums(rows)
    assert (coloured["noise"], coloured["recordings"], coloured["cells"], coloured["found"]) == (
        "coloured",
        2,
        12,
        9,
    )
    assert (white["noise"], white["recordings"], white["false"]) == ("white", 1, 2)


def test_without_its_environment_the_message_says_how_to_make_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NCPGUI_PEERS", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["mearec.py", "--quick"])
    with pytest.raises(SystemExit):
        mearec.main()
    assert "run 'bash scripts/set_up_peers.sh mearec'" in " ".join(capsys.readouterr().err.split())
