"""Menus, toolbar and keys, made from the one list of actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from PyQt5 import QtGui, QtWidgets

from ncpgui.app.action import Action, Context, shown_keys
from ncpgui.app.actions import ACTIONS, CONTEXT, MENUS
from ncpgui.app.words import sentence
from ncpgui.core.errors import NcpguiError
from ncpgui.gui.buttons import PassingMenu
from ncpgui.gui.plain_text import without_mnemonic

TOOLBAR_GAPS = ("undo", "merge", "resample", "theme")
TOOLBAR_WORDS = {
    "open": "Open…",
    "save": "Save",
    "resample": "Resample rest",
    "theme": "Light/dark",
}


class ActionSet:
    """Qt actions of a window: the first key of each is shown, the others work too.

    An action that is not allowed now is grey, and its keys say why.
    """

    def __init__(self, window: QtWidgets.QMainWindow, context: Context) -> None:
        self._window = window
        self._context = context
        self._made: dict[str, list[QtWidgets.QAction]] = {}
        self._refusals: dict[str, QtWidgets.QAction] = {}
        for item in ACTIONS:
            n_keys = 1 if item.in_menu else len(item.keys)  # the digits mean different things
            self._made[item.id] = [self._made_one(item, number) for number in range(n_keys)]
            self._refusals[item.id] = self._refusal(item)

    def __getitem__(self, name: str) -> QtWidgets.QAction:
        """Qt action of an action id."""
        return self._made[name][0]

    def _made_one(self, item: Action, number: int) -> QtWidgets.QAction:
        action = QtWidgets.QAction(item.name, self._window)
        action.setStatusTip(item.help)
        action.setCheckable(item.is_on is not None)
        action.triggered.connect(lambda _checked=False: self._run(item, number))
        self._window.addAction(action)
        return action

    def _refusal(self, item: Action) -> QtWidgets.QAction:
        """What the keys of an action do while it is not allowed: Qt gives none to an action that is grey."""
        action = QtWidgets.QAction(self._window)
        action.triggered.connect(lambda _checked=False: self._refuse(item))
        self._window.addAction(action)
        return action

    def _refuse(self, item: Action) -> None:
        reason = item.why_not(self._context)
        if reason:
            self._context.workspace.state.told.emit(f"{item.name.rstrip('…')}: {reason}")

    def set_keys(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        """Take other keys, by action id."""
        for item in ACTIONS:
            made, mine = self._made[item.id], [QtGui.QKeySequence(key) for key in keys[item.id]]
            groups = [mine] if item.in_menu else [[key] for key in mine]
            made += [self._made_one(item, number) for number in range(len(made), len(groups))]
            for number, action in enumerate(made):
                action.setShortcuts(groups[number] if number < len(groups) else [])
                action.setToolTip(_tooltip(item, keys[item.id]))
            self._refusals[item.id].setShortcuts(mine)

    def _run(self, item: Action, number: int) -> None:
        self.attempt(lambda: item.run(self._context, number))

    def attempt(self, do: Callable[[], None]) -> None:
        """Do something; when it is impossible, say why."""
        try:
            do()
        except NcpguiError as error:
            self._context.workspace.state.told.emit(sentence(str(error)))
        self.refresh()

    def refresh(self) -> None:
        """Grey what is not allowed now; undo and redo say what they would do."""
        history = self._context.workspace.state.history
        self["undo"].setText(without_mnemonic(f"Undo {history.undo_words}".strip()))
        self["redo"].setText(without_mnemonic(f"Redo {history.redo_words}".strip()))
        for item in ACTIONS:
            allowed = item.enabled(self._context)
            self._refusals[item.id].setEnabled(not allowed)
            for action in self._made[item.id]:
                action.setEnabled(allowed)
                if item.is_on is not None:
                    action.setChecked(item.is_on(self._context))

    def fill_menus(self, bar: QtWidgets.QMenuBar) -> dict[str, QtWidgets.QMenu]:
        """Fill a menu bar; returns its menus by name."""
        menus = {}
        for name in MENUS:
            menu = menus[name] = bar.addMenu(name)
            for item in ACTIONS:
                if item.menu == name and item.in_menu:
                    if item.starts_section:
                        menu.addSeparator()
                    _place(menu, item.submenu).addAction(self[item.id])
        return menus

    def context_menu(self, what: str, parent: QtWidgets.QWidget) -> QtWidgets.QMenu:
        """Menu of what can be done with the selected "units", the "question" or the "card" on screen."""
        self.refresh()
        menu = PassingMenu(parent)
        for name in CONTEXT[what]:
            if name:
                menu.addAction(self[name])
            else:
                menu.addSeparator()
        return menu

    def fill_toolbar(self, bar: QtWidgets.QToolBar) -> None:
        """Fill a toolbar with the actions that belong there."""
        for item in ACTIONS:
            if not item.in_toolbar:
                continue
            if item.id in TOOLBAR_GAPS:
                bar.addSeparator()
            self[item.id].setIconText(TOOLBAR_WORDS.get(item.id, item.name.rstrip("…")))
            bar.addAction(self[item.id])


def _place(menu: QtWidgets.QMenu, submenu: str) -> QtWidgets.QMenu:
    """A menu, or its submenu of a name, which is made when the first action of it comes."""
    if not submenu:
        return menu
    there = [entry.menu() for entry in menu.actions() if entry.menu() and entry.text() == submenu]
    return there[0] if there else menu.addMenu(submenu)


def _tooltip(item: Action, keys: Sequence[str]) -> str:
    shown = f"  ({shown_keys(keys)})" if keys else ""
    return f"<b>{escape(item.name.rstrip('…'))}</b>{escape(shown)}<br>{escape(item.help)}"
