"""The benchmark of the window presses actions that the window has."""

from __future__ import annotations

import re
from pathlib import Path

from ncpgui.app.actions import ACTIONS

WINDOW = Path(__file__).resolve().parents[2] / "benchmarks" / "window"


def test_each_action_that_the_benchmark_presses_is_one_of_the_window() -> None:
    text = (WINDOW / "gui_window.py").read_text(encoding="utf-8")
    timed, alone = re.findall(r'press\("[^"]+", "(\w+)"\)', text), re.findall(r'\.press\("(\w+)"\)', text)
    pressed = {*timed, *alone}
    assert {"accept", "merge", "undo"} <= pressed
    assert pressed - {action.id for action in ACTIONS} == set()
