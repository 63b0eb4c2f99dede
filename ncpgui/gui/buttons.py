"""Buttons and menus of panels: they leave the focus, and so the keys, to the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.plain_text import plain


class Button(QtWidgets.QPushButton):
    """A quiet button, or one that stands out ("primary"), whose text ends with "…" where there is no room.

    tip : its tool tip
    """

    def __init__(self, text: str = "", tip: str = "", *, look: Literal["quiet", "primary"] = "quiet") -> None:
        super().__init__(text)
        self.setProperty(look, True)
        self.setFocusPolicy(QtCore.Qt.NoFocus)
        self.setToolTip(plain(tip))

    def shown_text(self) -> str:
        """As much of the text as there is room for."""
        option = QtWidgets.QStyleOptionButton()
        self.initStyleOption(option)
        room = self.style().subElementRect(QtWidgets.QStyle.SE_PushButtonContents, option, self)
        text = str(self.text())
        if self.fontMetrics().horizontalAdvance(text) <= room.width():  # Qt would cut what just fits
            return text
        return str(self.fontMetrics().elidedText(text, QtCore.Qt.ElideRight, room.width()))

    def paintEvent(self, _: QtGui.QPaintEvent) -> None:
        """Paint the button with the text that fits."""
        option = QtWidgets.QStyleOptionButton()
        self.initStyleOption(option)
        option.text = self.shown_text()
        QtWidgets.QStylePainter(self).drawControl(QtWidgets.QStyle.CE_PushButton, option)


class MenuButton(Button):
    """A quiet button with a menu below it, which is made when somebody wants it."""

    def __init__(self, tip: str, menu: Callable[[], QtWidgets.QMenu]) -> None:
        super().__init__("", tip)
        self.clicked.connect(lambda: menu().popup(self.mapToGlobal(self.rect().bottomLeft())))


class PassingMenu(QtWidgets.QMenu):
    """A menu that is gone once it was used."""

    def __init__(self, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(QtCore.Qt.WA_DeleteOnClose)


def add_choice(
    menu: QtWidgets.QMenu, words: str, do: Callable[[], None], *, is_on: bool, is_possible: bool = True
) -> QtWidgets.QAction:
    """Add an entry that is checked where it is in force."""
    entry = menu.addAction(words, do)
    entry.setCheckable(True)
    entry.setChecked(is_on)
    entry.setEnabled(is_possible)
    return entry
