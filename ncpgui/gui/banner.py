"""A message across the window that says what went wrong and what to do; it never blocks."""

from __future__ import annotations

from collections.abc import Callable

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.words import without_options
from ncpgui.gui.buttons import Button
from ncpgui.gui.plain_text import Label


class Banner(QtWidgets.QFrame):
    """One message at a time, with a button for the way out if there is one, until dismissed or replaced.

    A message about work that failed goes when work of its kind succeeds: `settle`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._about = ""
        self._do: Callable[[], None] | None = None
        self.setObjectName("banner")
        row = QtWidgets.QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(12)
        self.text = Label()
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(QtCore.Qt.TextSelectableByMouse)
        self.action_button = QtWidgets.QPushButton()
        self.action_button.setFocusPolicy(QtCore.Qt.NoFocus)
        self.action_button.clicked.connect(self._act)
        self.close_button = Button("Dismiss")
        self.close_button.clicked.connect(self.hide)
        row.addWidget(self.text, 1)
        row.addWidget(self.action_button)
        row.addWidget(self.close_button)
        self.hide()

    def tell(
        self, text: str, *, action: str = "", do: Callable[[], None] | None = None, about: str = ""
    ) -> None:
        """Show a message; `action` names a button that calls `do`; about : work that failed, in words."""
        self._do, self._about = do, _kind(about)
        self.text.setText(without_options(text))
        self.action_button.setText(action)
        self.action_button.setVisible(do is not None)
        self.show()

    def settle(self, doing: str) -> None:
        """Work succeeded: what says that such work failed is true no more."""
        if self._about and self._about == _kind(doing):
            self.hide()

    def _act(self) -> None:
        do, self._do = self._do, None
        self.hide()
        if do is not None:
            do()


def _kind(doing: str) -> str:
    """Kind of work: ``saving`` of "saving a.h5"."""
    return doing.partition(" ")[0].lower()
