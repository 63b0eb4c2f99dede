"""Progress as plain lines, tables and percentages."""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import pytest

from ncpgui.cli import terminal
from ncpgui.cli.sort import somebody_answers
from ncpgui.cli.terminal import PlainProgress, expected, percent, print_json, print_table, progress_report


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that the test turns: its last entry is the time."""
    times = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: times[-1])
    return times


def test_without_a_terminal_progress_is_a_line_every_tenth(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    report = PlainProgress("sort")
    for step in range(100):
        clock.append(clock[-1] + 1.0)
        report(step, 400, "clustering")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 20  # 100 s at one line in 5 s; a tenth of the work takes 40 s
    clock.append(clock[-1] + 1.0)
    report(200, 400, "clustering")
    assert capsys.readouterr().err == "sort:  50%    101 s of about 3 min  clustering\n"


def test_how_long_the_whole_will_take_is_said_from_the_first_minute_on() -> None:
    """As far as it has come in that time: 60 s of 10 % are 10 min, 90 s of 1 % are not told yet."""
    assert expected(0.1, 59.0) == ""
    assert expected(0.1, 60.0) == " of about 10 min"
    assert expected(0.01, 90.0) == ""
    assert expected(0.02, 600.0) == " of about 8.3 h"
    assert expected(1.0, 600.0) == ""


def test_quick_work_does_not_flood_the_log(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    report = PlainProgress("sort")
    for step in range(1000):
        clock.append(clock[-1] + 0.01)
        report(step, 1000)
    assert len(capsys.readouterr().err.splitlines()) == 9


def test_a_captured_stderr_is_no_terminal() -> None:
    with progress_report("sort") as report:
        assert isinstance(report, PlainProgress)


def test_a_cell_of_a_notebook_gets_lines_and_is_asked_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jupyter gives a command a terminal, prints each picture of a bar anew, and lets nobody answer."""
    leader, follower = os.openpty()
    with os.fdopen(leader), os.fdopen(follower, "w") as file, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", file)
        patch.setattr(sys, "stderr", file)
        patch.delenv("JPY_PARENT_PID", raising=False)
        assert somebody_answers()
        with progress_report("sort") as report:
            assert not isinstance(report, PlainProgress)
        patch.setenv("JPY_PARENT_PID", "1")
        assert not somebody_answers()
        with progress_report("sort") as report:
            assert isinstance(report, PlainProgress)


def test_a_table_elsewhere_than_a_terminal_is_tab_separated(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["a", "b"], [["1", "2"], ["3", "4"]])
    assert capsys.readouterr().out == "a\tb\n1\t2\n3\t4\n"


def test_json_takes_numpy_values(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": np.arange(2), "b": np.float32(0.5)})
    assert json.loads(capsys.readouterr().out) == {"a": [0, 1], "b": 0.5}


@pytest.mark.parametrize(
    ("share", "words"), [(0, "0%"), (0.004, "<1%"), (0.5, "50%"), (0.996, ">99%"), (1, "100%")]
)
def test_small_probabilities_are_not_rounded_away(share: float, words: str) -> None:
    assert percent(share) == words
