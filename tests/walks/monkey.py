"""A monkey on the window: keys, clicks, drags, the wheel and menus, drawn from a seed.

It uses what a person can reach, except what leaves the program or opens a dialog of the system. Questions
are answered at random. After each event it looks at the sorting: a spike may be in another unit only if the
history says that something was done.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets
from PyQt5.QtTest import QTest

from ncpgui.app.work.tasks import Immediate, Task
from ncpgui.core.errors import NcpguiError
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.saved_panel import save_panel
from tests.gui.windows import settle

Qt = QtCore.Qt
LEAVES = frozenset(
    (
        "open",
        "open_session",
        "open_demo",
        "review",
        "review_file",
        "save_as",
        "export",
        "locate",
        "picture",
        "quit",
        "about",
    )
)
"""Actions that end the program or open a dialog of the system."""
PLAIN_KEYS = (
    Qt.Key_Tab, Qt.Key_Backtab, Qt.Key_Escape, Qt.Key_Return, Qt.Key_Space, Qt.Key_Backspace,
    Qt.Key_Delete, Qt.Key_Home, Qt.Key_End, Qt.Key_PageUp, Qt.Key_PageDown, Qt.Key_Left, Qt.Key_Right,
    Qt.Key_Up, Qt.Key_Down,
)  # fmt: skip
TYPED = "cfslg 0123456789>&<.()abxp_neuron"
MODIFIERS = (
    Qt.NoModifier,
    Qt.NoModifier,
    Qt.NoModifier,
    Qt.ControlModifier,
    Qt.ShiftModifier,
    Qt.AltModifier,
)
WORDS = (None, "", "axon", "zwei Zellen?", "x" * 200)


class Swallowed(logging.Handler):
    """Keeps what was logged about an error, whoever caught it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record that is an error, or tells of one."""
        if record.levelno >= logging.ERROR or record.exc_info:
            self.found.append(logging.Formatter().format(record))


class Heard(Immediate):
    """Runs tasks at once, and keeps the errors of their work that are not words to a person."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def submit(self, task: Task) -> None:
        """Run the task."""

        def failed(error: Exception) -> None:
            if not isinstance(error, NcpguiError):
                self.found.append(f"{task.words}: {error!r}")
            task.failed(error)

        super().submit(replace(task, failed=failed))


class Monkey:
    """Does one random thing after the other to a window that shows a session.

    Parameters
    ----------
    session : its file; it is opened again when the monkey has closed it
    scratch : where pictures go that it saves
    """

    def __init__(
        self, window: MainWindow, session: Path, scratch: Path, seed: int, patch: pytest.MonkeyPatch
    ) -> None:
        self.window = window
        self.workspace = window.workspace
        self.rng = np.random.default_rng(seed)
        self.done: list[str] = []
        self.counts: Counter[str] = Counter()
        self._session = session
        self._scratch = scratch
        self._answer(patch)
        self._look()

    def _answer(self, patch: pytest.MonkeyPatch) -> None:
        """Have no dialog block, and every question answered."""
        window = self.window
        asking = [name for name in dir(type(window)) if name.startswith("ask_")]
        for name in (*asking, "quit", "save_picture", "show_about"):
            patch.setattr(window, name, lambda *_: None)
        patch.setattr(window, "confirm", lambda _: bool(self.rng.random() < 0.7))
        patch.setattr(window, "may_leave", lambda: True)
        patch.setattr(window, "ask_words", lambda *_: self._one_of(WORDS))
        patch.setattr(window, "ask_panel_picture", self._save_picture)
        patch.setattr(window.controller, "open_demo", lambda _: None)
        patch.setattr(QtGui.QDesktopServices, "openUrl", lambda _: True)
        patch.setattr(QtGui.QDrag, "exec_", lambda drag, *_: self._drop(drag))

    def _save_picture(self, panel: QtWidgets.QWidget, _title: str) -> None:
        save_panel(panel, self._scratch / f"panel.{self._one_of(('png', 'svg'))}")

    def _drop(self, drag: QtGui.QDrag) -> Qt.DropAction:
        """Drop what is dragged onto some panel."""
        onto = self._one_of(self.window.bench.panels)
        place = QtCore.QPointF(5, 5)
        event = QtGui.QDropEvent(place, Qt.MoveAction, drag.mimeData(), Qt.LeftButton, Qt.NoModifier)
        onto.dropEvent(event)
        return Qt.MoveAction

    # -- one event -----------------------------------------------------------------------------

    def step(self) -> None:
        """Do something, let the window follow, and look at what became of the sorting."""
        if self.workspace.state.project is None:
            self._open_again()
        kinds = (self._press, self._press, self._press_bound, self._press_bound, self._click, self._click)
        self._one_of((*kinds, self._click, self._drag, self._wheel, self._choose))()
        settle()
        self._leave_popups()
        self._check()

    def _press(self) -> None:
        """Press a plain key, or type a letter, wherever the focus is."""
        target = QtWidgets.QApplication.focusWidget() or self.window
        if self.rng.random() < 0.4:
            text = str(self._one_of(TYPED))
            self._note("type", text)
            self._key(target, 0, Qt.NoModifier, text)
            return
        key, modifiers = self._one_of(PLAIN_KEYS), self._one_of(MODIFIERS)
        self._note("key", QtGui.QKeySequence(key | int(modifiers)).toString())
        self._key(target, key, modifiers)

    def _press_bound(self) -> None:
        """Press a key of the keymap in force."""
        window = self.window
        keys = window.commands.keymap.keys
        bound = [key for name, its in keys.items() if name not in LEAVES for key in its if key]
        name = str(self._one_of(bound))
        code = QtGui.QKeySequence(name)[0]
        self._note("bound", name)
        modifiers = Qt.KeyboardModifiers(code & int(Qt.KeyboardModifierMask))
        self._key(window.focusWidget() or window, code & ~int(Qt.KeyboardModifierMask), modifiers, name)

    def _key(
        self, target: QtWidgets.QWidget, key: int, modifiers: Qt.KeyboardModifiers, text: str = ""
    ) -> None:
        if key:
            QTest.keyClick(target, key, modifiers)
        else:
            QTest.keyClicks(target, text)

    def _click(self) -> None:
        """Click or double-click somewhere, with either button."""
        widget, place = self._somewhere()
        button = Qt.RightButton if self.rng.random() < 0.15 else Qt.LeftButton
        modifiers = self._one_of(MODIFIERS)
        self._note("click", f"{_named(widget)} {place.x()},{place.y()} {int(button)} {int(modifiers):x}")
        self._mouse(widget, place, QtCore.QEvent.MouseButtonPress, button, button, modifiers)
        self._mouse(widget, place, QtCore.QEvent.MouseButtonRelease, button, Qt.NoButton, modifiers)
        if button == Qt.RightButton:
            QtCore.QTimer.singleShot(0, self._leave_popups)  # a menu of Qt's own runs its own loop
            menu = QtGui.QContextMenuEvent(QtGui.QContextMenuEvent.Mouse, place, widget.mapToGlobal(place))
            QtWidgets.QApplication.sendEvent(widget, menu)
        elif self.rng.random() < 0.15:
            self._mouse(widget, place, QtCore.QEvent.MouseButtonDblClick, button, button, modifiers)
            self._mouse(widget, place, QtCore.QEvent.MouseButtonRelease, button, Qt.NoButton, modifiers)

    def _drag(self) -> None:
        widget, start = self._somewhere()
        end = QtCore.QPoint(*(int(self.rng.integers(-40, one + 40)) for one in _size(widget)))
        button = Qt.RightButton if self.rng.random() < 0.15 else Qt.LeftButton
        modifiers = self._one_of(MODIFIERS)
        self._note("drag", f"{_named(widget)} {start.x()},{start.y()} to {end.x()},{end.y()}")
        self._mouse(widget, start, QtCore.QEvent.MouseButtonPress, button, button, modifiers)
        for part in (0.1, 0.5, 1.0):
            place = start + (end - start) * part
            self._mouse(widget, place, QtCore.QEvent.MouseMove, Qt.NoButton, button, modifiers)
        self._mouse(widget, end, QtCore.QEvent.MouseButtonRelease, button, Qt.NoButton, modifiers)

    def _wheel(self) -> None:
        widget, place = self._somewhere()
        modifiers = self._one_of(MODIFIERS)
        self._note("wheel", f"{_named(widget)} {place.x()},{place.y()} {int(modifiers):x}")
        turn = QtCore.QPoint(0, int(self._one_of((-360, -120, 120, 360))))
        where = QtCore.QPointF(place), QtCore.QPointF(widget.mapToGlobal(place))
        event = QtGui.QWheelEvent(
            *where, QtCore.QPoint(), turn, Qt.NoButton, modifiers, Qt.NoScrollPhase, False
        )
        QtWidgets.QApplication.sendEvent(widget, event)

    def _choose(self) -> None:
        """Choose an entry of a menu."""
        bar = self.window.menuBar()
        menus = [entry.menu() for entry in bar.actions() if entry.menu() is not None]
        menu = self._one_of(menus)
        for inside in (self.window.panels_menu, self.window.pictures_menu):
            if menu.title() == "View" and self.rng.random() < 0.3:
                menu = inside
                break
        menu.aboutToShow.emit()
        entries = [one for one in menu.actions() if one.isEnabled() and one.menu() is None and one.text()]
        left = {self.window.actions_[name] for name in LEAVES}
        entries = [one for one in entries if one not in left]
        if entries:
            entry = self._one_of(entries)
            self._note("menu", entry.text())
            entry.trigger()

    def _leave_popups(self) -> None:
        """Choose something of a menu that popped up, or close it; at times close what floats."""
        for _ in range(5):
            popup = QtWidgets.QApplication.activePopupWidget()
            if popup is None:
                break
            entries = []
            if isinstance(popup, QtWidgets.QMenu):
                left = {self.window.actions_[name] for name in LEAVES}
                entries = [one for one in popup.actions() if one.isEnabled() and one.menu() is None]
                entries = [one for one in entries if one not in left]
            popup.close()
            if entries and self.rng.random() < 0.5:
                entry = self._one_of(entries)
                self._note("popup", entry.text())
                entry.trigger()
            settle()
        if self.window.commands.page is not None and self.rng.random() < 0.2:
            self.window.commands.page.close()

    def _somewhere(self) -> tuple[QtWidgets.QWidget, QtCore.QPoint]:
        """A visible widget of the window, of a floating panel or of a dialog, and a place in it."""
        tops = [
            top
            for top in QtWidgets.QApplication.topLevelWidgets()
            if top.isVisible() and top is not self.window and not isinstance(top, QtWidgets.QMenu)
        ]
        panels = [panel for panel in self.window.bench.panels if panel.isVisible()]
        outer = self._one_of((*panels, *panels, self.window, self.window.banner, *tops))
        if not outer.isVisible() or min(_size(outer)) < 2:
            outer = self.window
        place = QtCore.QPoint(*(int(self.rng.integers(0, one)) for one in _size(outer)))
        inner = outer.childAt(place) or outer
        return inner, inner.mapFrom(outer, place)

    def _mouse(
        self,
        widget: QtWidgets.QWidget,
        place: QtCore.QPoint,
        kind: QtCore.QEvent.Type,
        button: Qt.MouseButton,
        held: Qt.MouseButton,
        modifiers: Qt.KeyboardModifiers,
    ) -> None:
        spot = QtCore.QPointF(place)
        event = QtGui.QMouseEvent(
            kind, spot, spot, QtCore.QPointF(widget.mapToGlobal(place)), button, held, modifiers
        )
        QtWidgets.QApplication.sendEvent(widget, event)

    # -- what must hold ------------------------------------------------------------------------

    def _look(self) -> None:
        self._units = self.workspace.state.clustering.unit_of_spike.copy()
        self._n_entries = len(self.workspace.state.history.entries)

    def _check(self) -> None:
        """No spike is in another unit without an entry in the history."""
        if self.workspace.state.project is None:
            return
        units = self.workspace.state.clustering.unit_of_spike
        n_entries = len(self.workspace.state.history.entries)
        moved = int((units != self._units).sum())
        assert moved == 0 or n_entries > self._n_entries, f"{moved} spikes moved by {self.done[-1]}"
        assert n_entries >= self._n_entries, f"the history lost entries by {self.done[-1]}"
        self._look()

    def _open_again(self) -> None:
        """A session that was closed is opened as it was left."""
        self.window.open_path(self._session)
        settle()
        assert self.workspace.state.project is not None, self.window.banner.text.text()
        assert np.array_equal(self.workspace.state.clustering.unit_of_spike, self._units)
        assert len(self.workspace.state.history.entries) == self._n_entries

    # -- helpers -------------------------------------------------------------------------------

    def _one_of(self, things):  # type: ignore[no-untyped-def]
        return things[int(self.rng.integers(len(things)))]

    def _note(self, kind: str, what: str) -> None:
        self.counts[kind] += 1
        self.done.append(f"{kind} {what}")


def _size(widget: QtWidgets.QWidget) -> tuple[int, int]:
    return max(widget.width(), 1), max(widget.height(), 1)


def _named(widget: QtWidgets.QWidget) -> str:
    return widget.accessibleName() or widget.objectName() or type(widget).__name__
