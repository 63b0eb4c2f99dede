"""The line for snippets at the bottom of the window; what cannot be done is said in it."""

from __future__ import annotations

from collections.abc import Callable

from PyQt5 import QtWidgets

from ncpgui.app.snippets import SNIPPETS
from ncpgui.app.words import sentence
from ncpgui.core.errors import NcpguiError
from ncpgui.gui.items.command_line import CommandLine
from ncpgui.gui.plain_text import Label

HINT = " · ".join(f"{snippet.letter} {snippet.word}" for snippet in SNIPPETS)


class SnippetLine(QtWidgets.QFrame):
    """Closes when a line was done; arrows bring back lines before.

    run : does a line, or raises an `NcpguiError`
    """

    def __init__(self, run: Callable[[str], None]) -> None:
        super().__init__()
        self._run = run
        self._before: list[str] = []
        self._place = 0
        self.setObjectName("snippets")
        self.setAccessibleName("Snippets")
        self.problem = Label()
        self.problem.setProperty("tone", "bad")
        self.problem.setWordWrap(True)
        self.line = CommandLine()
        self.line.setAccessibleName("Snippet")
        self.line.setPlaceholderText(HINT)
        self.line.entered.connect(self._enter)
        self.line.left.connect(self.leave)
        self.line.stepped.connect(self._recall)
        colon = Label(":")
        row = QtWidgets.QHBoxLayout()
        row.addWidget(colon)
        row.addWidget(self.line, 1)
        column = QtWidgets.QVBoxLayout(self)
        column.setContentsMargins(14, 4, 14, 4)
        column.setSpacing(4)
        column.addWidget(self.problem)
        column.addLayout(row)
        self.problem.hide()
        self.hide()

    def open(self) -> None:
        """Show an empty line and wait for words."""
        self.line.clear()
        self.problem.hide()
        self._place = len(self._before)
        self.show()
        self.line.setFocus()

    def leave(self) -> None:
        """Close, with nothing done."""
        if not self.isHidden():
            self.hide()
            self.window().setFocus()

    def _enter(self) -> None:
        text = self.line.text()
        if text.strip():
            self._before = [*(line for line in self._before if line != text), text]
            self._place = len(self._before)
        try:
            self._run(text)
        except NcpguiError as error:
            self.problem.setText(sentence(str(error)))
            self.problem.show()
            self.line.selectAll()
        else:
            self.leave()

    def _recall(self, by: int) -> None:
        self._place = min(max(self._place + by, 0), len(self._before))
        self.line.setText((*self._before, "")[self._place])
