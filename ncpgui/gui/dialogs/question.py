"""A question of the window: each button says what it does, and Escape leaves all as it is."""

from __future__ import annotations

from PyQt5 import QtCore, QtWidgets

from ncpgui.gui.plain_text import plain, without_mnemonic

MOST_PX = 300
"""Width of the words of a button; the middle of a longer name of a file is left out."""


class QuestionBox(QtWidgets.QMessageBox):
    """A question with an answer for each button.

    doing : what is done about it, each in words, the most likely one first; leaving : what leaves all as it
        is, where the focus is: Return and Escape do that
    """

    def __init__(self, parent: QtWidgets.QWidget, text: str, *, doing: tuple[str, ...], leaving: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"{doing[0].rstrip('…')}?")
        self.setText(plain(text))
        roles = (self.AcceptRole, self.DestructiveRole)
        self._doing = [
            self.addButton(self._words(words), role) for words, role in zip(doing, roles, strict=False)
        ]
        stays = self.addButton(self._words(leaving), self.RejectRole)
        self.setDefaultButton(stays)
        self.setEscapeButton(stays)

    def _words(self, words: str) -> str:
        elided = self.fontMetrics().elidedText(words, QtCore.Qt.ElideMiddle, MOST_PX)
        return without_mnemonic(str(elided))

    def ask(self) -> int:
        """Show it until it is answered; number of what is to be done, -1 where all stays as it is."""
        self.exec_()
        clicked = self.clickedButton()
        self.deleteLater()
        return self._doing.index(clicked) if clicked in self._doing else -1
