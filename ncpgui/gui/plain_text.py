"""Text of files is shown as it is written: Qt would take what looks like HTML for HTML.

A tag or a path such as ``<img src='/dev/zero'>`` would be read as a picture when the pointer rests on it, and
the window would wait for it. Labels, questions and tool tips of the window are made here.
"""

from __future__ import annotations

from PyQt5 import QtCore, QtWidgets


class Label(QtWidgets.QLabel):
    """A label that shows its text as it is written."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(QtCore.Qt.PlainText)
        self.setText(text)


def plain(text: str) -> str:
    """`text` for a tool tip, which has no format of its own: escaped where Qt would take it for HTML."""
    if not QtCore.Qt.mightBeRichText(text):
        return text
    return QtCore.Qt.convertFromPlainText(text, QtCore.Qt.WhiteSpaceNormal)


def without_mnemonic(text: str) -> str:
    """`text` for a button or a menu, where an ampersand would underline the next letter."""
    return text.replace("&", "&&")
