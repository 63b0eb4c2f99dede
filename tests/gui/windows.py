"""A window under test: made, shown, waited for, its keys pressed, and closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.question_actions import NEXT_AFTER
from ncpgui.app.work.sampling import Sampling
from ncpgui.app.work.tasks import Immediate, Runner
from ncpgui.gui.application import qt_application
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.workbench import Workbench
from ncpgui.gui.worker import Workers

Press = Callable[..., None]
"""Presses keys one after the other, each by its name."""


def redraws(panel: Panel) -> list[int]:
    """A list that grows by one each time that a panel is drawn from now on."""
    drawn: list[int] = []
    redraw = panel.redraw

    def counted() -> None:
        drawn.append(1)
        redraw()

    panel.redraw = counted  # type: ignore[method-assign]
    return drawn


def show_only(bench: Workbench, *names: str) -> None:
    """Put these panels on screen, and no others."""
    for name in bench.by_name:
        bench.show_panel(name, name in names)


def settle(*, deleted: bool = False) -> None:
    """Let panels and actions follow; `deleted`: widgets that were given up go too."""
    for _ in range(4):
        if deleted:
            QtWidgets.QApplication.sendPostedEvents(None, QtCore.QEvent.DeferredDelete)
        QtWidgets.QApplication.processEvents()


def press_key(qtbot, window: MainWindow, name: str) -> None:
    """Press a key as a person does, where the cursor is, else through Qt's shortcuts; let the window follow.

    Nothing happens before the key: a timer of zero that answers the dialog which the key opens would else
    run out before the dialog is there, and nobody would answer it.
    """
    code = QtGui.QKeySequence(name)[0]
    modifiers = QtCore.Qt.KeyboardModifiers(code & QtCore.Qt.KeyboardModifierMask)
    qtbot.keyClick(window.focusWidget() or window, code & ~QtCore.Qt.KeyboardModifierMask, modifiers)
    settle()


def press_keys(qtbot, window: MainWindow, *names: str) -> None:
    """Press keys one after the other, once the window has followed what was done before."""
    settle()
    for name in names:
        press_key(qtbot, window, name)


def keep_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no decision ask the network for new draws: projects of a few draws would after each."""
    monkeypatch.setattr(Sampling, "draw_where_few_are_left", lambda *_: None)


def drop_file(window: MainWindow, path: Path) -> None:
    """Drop a file or folder on the window."""
    data = QtCore.QMimeData()
    data.setUrls([QtCore.QUrl.fromLocalFile(str(path))])
    place, left = QtCore.QPointF(10, 10), QtCore.Qt.LeftButton
    keys = QtCore.Qt.NoModifier
    window.dropEvent(QtGui.QDropEvent(place, QtCore.Qt.CopyAction, data, left, keys, QtCore.QEvent.Drop))


@contextmanager
def shown_window(
    qtbot,
    folder: Path,
    *,
    threads: bool = False,
    tour: bool = False,
    runner: Runner | None = None,
    goes_on: bool = False,
) -> Iterator[MainWindow]:
    """The real window; long work runs at once, or on threads as in the application; `tour`: a first start.

    runner : what runs long work, in place of either; goes_on : whether an answer brings the next question,
    as it does unless somebody says otherwise
    """
    # As at a start, when the window is built before there is a style: with the one that the window before has
    # left, Qt styles all that a part holds again each time that the part is put into another.
    qt_application().setStyleSheet("")
    workers = Workers() if threads else None
    workspace = Workspace()
    preferences = Preferences(folder / "preferences")
    if not tour:
        preferences.set("toured", True)
    preferences.set(NEXT_AFTER, goes_on)
    controller = Controller(workspace, workers or runner or Immediate(), preferences)
    window = MainWindow(workspace, controller)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    QtWidgets.QApplication.setActiveWindow(window)
    try:
        yield window
    finally:
        controller.close()
        if workers is not None:
            workers.stop(wait_s=10)
        window.close()
        window.deleteLater()
        QtWidgets.QApplication.sendPostedEvents(None, QtCore.QEvent.DeferredDelete)
