"""A place that scrolls one way, for what is larger than its panel."""

from __future__ import annotations

from PyQt5 import QtCore, QtWidgets


class ScrollArea(QtWidgets.QScrollArea):
    """Scrolls `content` along a direction, over the ground of the panel, and never takes the focus."""

    def __init__(self, content: QtWidgets.QWidget, direction: QtCore.Qt.Orientation) -> None:
        super().__init__()
        self.setWidget(content)
        self.setWidgetResizable(True)
        if direction == QtCore.Qt.Vertical:
            self.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        else:
            self.setVerticalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self.setFocusPolicy(QtCore.Qt.NoFocus)
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)  # a scroll area turns it on
