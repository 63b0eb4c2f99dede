"""Menus, toolbar and keys, made from the one list of actions."""

from __future__ import annotations

import functools

from PyQt5 import QtGui, QtWidgets

from ncpgui.app.action import Action, Context
from ncpgui.app.actions import ACTIONS, MENUS
from ncpgui.app.words import sentence
from ncpgui.core.errors import NcpguiError

TOOLBAR_GAPS = ("undo", "merge", "resample", "theme")
TOOLBAR_WORDS = {
    "open": "Open…",
    "save": "Save",
    "resample": "Resample rest",
    "theme": "Light/dark",
}


class ActionSet:
    """Qt actions of a window: the first key of each is shown, the others work too.

    An action that is not allowed now is grey and its keys do nothing.
    """

    def __init__(self, window: QtWidgets.QMainWindow, context: Context) -> None:
        self._window = window
        self._context = context
        self._made: dict[str, list[QtWidgets.QAction]] = {}
        for item in ACTIONS:
            self._made[item.id] = self._make(item)

    def __getitem__(self, name: str) -> QtWidgets.QAction:
        """Qt action of an action id."""
        return self._made[name][0]

    def _make(self, item: Action) -> list[QtWidgets.QAction]:
        """One Qt action, or one a key when the keys mean different things (the digits)."""
        keys = [QtGui.QKeySequence(key) for key in item.keys]
        groups = [keys] if item.in_menu else [[key] for key in keys]
        made = []
        for number, shortcuts in enumerate(groups):
            action = QtWidgets.QAction(item.name, self._window)
            action.setShortcuts(shortcuts)
            action.setStatusTip(item.help)
            action.setToolTip(_tooltip(item))
            action.triggered.connect(functools.partial(self._run, item, number))
            self._window.addAction(action)
            made.append(action)
        return made

    def _run(self, item: Action, number: int, _checked: bool = False) -> None:
        try:
            item.run(self._context, number)
        except NcpguiError as error:
            self._context.workspace.told.emit(sentence(str(error)))
        self.refresh()

    def refresh(self) -> None:
        """Grey what is not allowed now; undo and redo say what they would do."""
        history = self._context.workspace.history
        self["undo"].setText(f"Undo {history.undo_words}".strip())
        self["redo"].setText(f"Redo {history.redo_words}".strip())
        for item in ACTIONS:
            allowed = item.enabled(self._context)
            for action in self._made[item.id]:
                action.setEnabled(allowed)

    def fill_menus(self, bar: QtWidgets.QMenuBar) -> dict[str, QtWidgets.QMenu]:
        """Fill a menu bar; returns its menus by name."""
        menus = {}
        for name in MENUS:
            menu = menus[name] = bar.addMenu(name)
            for item in ACTIONS:
                if item.menu == name and item.in_menu:
                    if item.starts_section:
                        menu.addSeparator()
                    menu.addAction(self[item.id])
        return menus

    def fill_toolbar(self, bar: QtWidgets.QToolBar) -> None:
        """Fill a toolbar with the actions that belong there."""
        for item in ACTIONS:
            if not item.in_toolbar:
                continue
            if item.id in TOOLBAR_GAPS:
                bar.addSeparator()
            self[item.id].setIconText(TOOLBAR_WORDS.get(item.id, item.name.rstrip("…")))
            bar.addAction(self[item.id])


def _tooltip(item: Action) -> str:
    keys = f"  ({item.key_text})" if item.keys else ""
    return f"<b>{item.name.rstrip('…')}</b>{keys}<br>{item.help}"
