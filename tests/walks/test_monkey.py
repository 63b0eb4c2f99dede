"""Thousands of random events over all panels: no error, no leak, no spike that moved by itself."""

from __future__ import annotations

import gc
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt5 import QtWidgets

from benchmarks.common.process_memory import memory_mib
from ncpgui.app.preferences import MAX_RECENT
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import settle, shown_window

from .monkey import Heard, Monkey, Swallowed

ROUNDS = int(os.environ.get("NCPGUI_MONKEY_ROUNDS", "5"))
EVENTS = 1000
"""Between two looks at what is left in memory."""


@pytest.fixture
def swallowed() -> Iterator[Swallowed]:
    handler = Swallowed()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


def left_in_memory() -> tuple[int, int, float]:
    """Widgets, objects that Python keeps track of, and MiB, once everything that was let go of is gone."""
    for _ in range(3):
        settle(deleted=True)
        gc.collect()
    return len(QtWidgets.QApplication.allWidgets()), len(gc.get_objects()), memory_mib(os.getpid())


def round_of_events(
    qtbot,
    window: MainWindow,
    session: Path,
    folder: Path,
    seed: int,
    n_events: int,
    patch: pytest.MonkeyPatch,
) -> Monkey:
    """So many events on a fresh copy of a session, which is closed and put back to how it was at first."""
    folder.mkdir()
    for path in session.parent.glob(f"{session.stem}*"):
        shutil.copy(path, folder)
    window.open_path(folder / session.name)
    settle()
    with patch.context() as inner:
        monkey = Monkey(window, folder / session.name, folder, seed, inner)
        for number in range(n_events):
            with qtbot.captureExceptions() as raised:
                monkey.step()
            assert raised == [], f"event {number} of seed {seed}: {monkey.done[-8:]}"
    window.bench.reset()
    if window.commands.page is not None:
        window.commands.page.close()
    window.controller.close()
    window.banner.hide()
    return monkey


def play(
    qtbot, tmp_path: Path, session: Path, patch: pytest.MonkeyPatch, n_rounds: int, n_events: int
) -> tuple[list[tuple[int, int, float]], list[str]]:
    """Rounds of events: what is left in memory after each, and errors of work that nobody was told of."""
    heard = Heard()
    left = []
    with shown_window(qtbot, tmp_path, runner=heard) as window:
        for seed in range(n_rounds):
            monkey = round_of_events(qtbot, window, session, tmp_path / str(seed), seed, n_events, patch)
            left.append(left_in_memory())
            del monkey
    return left, heard.found


def test_events_at_random_raise_nothing_and_move_no_spike_in_silence(
    qtbot, tmp_path: Path, saved_array: Path, monkeypatch: pytest.MonkeyPatch, swallowed: Swallowed
) -> None:
    _, failed = play(qtbot, tmp_path, saved_array, monkeypatch, 1, 150)
    assert failed == []
    assert swallowed.found == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_thousands_of_events_leave_nothing_behind(
    qtbot, tmp_path: Path, saved_array: Path, monkeypatch: pytest.MonkeyPatch, swallowed: Swallowed
) -> None:
    left, failed = play(qtbot, tmp_path, saved_array, monkeypatch, ROUNDS, EVENTS)
    print("widgets, objects and MiB after each thousand events:", left)
    assert failed == []
    assert swallowed.found == []
    widgets, objects, _ = zip(*left[1:], strict=True)  # what is imported when it is first used stays
    assert max(widgets) <= widgets[0] + MAX_RECENT
    assert max(objects) <= 1.03 * objects[0]
