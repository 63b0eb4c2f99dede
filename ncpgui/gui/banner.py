"""A message across the window that says what went wrong and what to do; it never blocks."""

from __future__ import annotations

from PyQt5 import QtCore, QtWidgets


class Banner(QtWidgets.QFrame):
    """One message at a time, until it is dismissed or replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        row = QtWidgets.QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(12)
        self.text = QtWidgets.QLabel()
        self.text.setWordWrap(True)
        self.text.setTextFormat(QtCore.Qt.PlainText)
        self.text.setTextInteractionFlags(QtCore.Qt.TextSelectableByMouse)
        self.close_button = QtWidgets.QPushButton("Dismiss")
        self.close_button.setProperty("quiet", True)
        self.close_button.setFocusPolicy(QtCore.Qt.NoFocus)
        self.close_button.clicked.connect(self.hide)
        row.addWidget(self.text, 1)
        row.addWidget(self.close_button)
        self.hide()

    def tell(self, text: str) -> None:
        """Show a message."""
        self.text.setText(text)
        self.show()
