"""Thousands of random events over all panels: no error, no leak, no spike that moved by itself."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

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


@dataclass(frozen=True)
class Left:
    """What is left in memory after a round; n_imported : modules that the round was the first to import."""

    widgets: int
    objects: int
    mib: float
    n_imported: int


def grown(left: list[Left]) -> float:
    """Objects that rounds leave behind, as many each as in the middle one of them.

    Those do not count in which a module was imported for the first time: it stays. What is compiled or cached
    once is left behind by one round only.
    """
    each = [now.objects - before.objects for before, now in pairwise(left) if now.n_imported == 0]
    return len(each) * median(each)


def play(
    qtbot, tmp_path: Path, session: Path, patch: pytest.MonkeyPatch, n_rounds: int, n_events: int
) -> tuple[list[Left], list[str]]:
    """Rounds of events: what is left in memory after each, and errors of work that nobody was told of.

    A round that imports modules is played again, as often as it does.
    """
    heard = Heard()
    left: list[Left] = []
    with shown_window(qtbot, tmp_path, runner=heard) as window:
        seed = 0
        while seed < n_rounds:
            n_modules, folder = len(sys.modules), tmp_path / f"{len(left)}"
            monkey = round_of_events(qtbot, window, session, folder, seed, n_events, patch)
            n_imported = len(sys.modules) - n_modules
            left.append(Left(*left_in_memory(), n_imported))
            del monkey
            seed += n_imported == 0
    return left, heard.found


def test_events_at_random_raise_nothing_and_move_no_spike_in_silence(
    qtbot, tmp_path: Path, saved_array: Path, monkeypatch: pytest.MonkeyPatch, swallowed: Swallowed
) -> None:
    with shown_window(qtbot, tmp_path, runner=(heard := Heard())) as window:
        round_of_events(qtbot, window, saved_array, tmp_path / "array", 0, 150, monkeypatch)
    assert heard.found == []
    assert swallowed.found == []


def test_objects_of_a_module_imported_late_are_not_counted_as_left_behind() -> None:
    left = [Left(9, 1000, 50, 400), Left(9, 1010, 50, 0), Left(9, 5010, 60, 900), Left(9, 5015, 60, 0)]
    assert grown(left) == 15


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_thousands_of_events_leave_nothing_behind(
    qtbot, tmp_path: Path, saved_array: Path, monkeypatch: pytest.MonkeyPatch, swallowed: Swallowed
) -> None:
    left, failed = play(qtbot, tmp_path, saved_array, monkeypatch, ROUNDS, EVENTS)
    print(f"after each thousand events: {left}; objects that stay: {grown(left[1:])}")
    assert failed == []
    assert swallowed.found == []
    widgets = [one.widgets for one in left[1:]]
    assert (
        median(widgets) <= widgets[0] + MAX_RECENT
    )  # a round may end with many cards, which go with the next
    assert grown(left[1:]) <= 0.03 * left[1].objects
