"""Every figure on screen and what its tooltip says: for tests that each is explained."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pyqtgraph as pg
from PyQt5 import QtCore, QtGui, QtWidgets

from tests.gui.painted_text import painted_texts

NOTHING = "no tooltip"
IN_TEXT = re.compile(r"\d")
WITH_TEXT = (QtWidgets.QLabel, QtWidgets.QAbstractButton, QtWidgets.QComboBox, QtWidgets.QLineEdit)


@dataclass(frozen=True)
class Figure:
    """Words with a number, the widget that shows them, the panel or window that it is in, and its tooltip."""

    words: str
    widget: str
    panel: str
    tooltip: str


def figures(window: QtWidgets.QWidget) -> list[Figure]:
    """All texts with a digit that a window shows: of labels, buttons and fields, painted ones, of tables."""
    found = []
    for widget in [window, *window.findChildren(QtWidgets.QWidget)]:
        if not widget.isVisible() or widget.visibleRegion().isEmpty():
            continue
        for words, place in _texts(widget):
            if IN_TEXT.search(words) and widget.rect().contains(place):
                name = widget.accessibleName() or widget.objectName() or type(widget).__name__
                found.append(Figure(words, name, _panel(widget), tooltip_at(widget, place)))
    return found


def tooltip_at(widget: QtWidgets.QWidget, place: QtCore.QPoint) -> str:
    """What a person reads who rests the pointer on a place of a widget, '' where there is nothing."""
    QtWidgets.QToolTip.showText(QtCore.QPoint(5, 5), NOTHING)
    event = QtGui.QHelpEvent(QtCore.QEvent.ToolTip, place, widget.mapToGlobal(place))
    QtWidgets.QApplication.sendEvent(widget, event)
    words = QtWidgets.QToolTip.text()
    return "" if words == NOTHING or not QtWidgets.QToolTip.isVisible() else words


def _texts(widget: QtWidgets.QWidget) -> Iterator[tuple[str, QtCore.QPoint]]:
    """Words that a widget itself shows, and a place within each."""
    if isinstance(widget, WITH_TEXT):
        words = widget.currentText() if isinstance(widget, QtWidgets.QComboBox) else widget.text()
        yield words, widget.rect().center()
        return
    if isinstance(widget, QtWidgets.QHeaderView):
        return
    view = widget.parentWidget()
    if isinstance(view, pg.PlotWidget) and widget is view.viewport():
        yield from _of_plot(view)
    if any(isinstance(child, QtWidgets.QWidget) and child.isVisible() for child in widget.children()):
        return  # a picture of it has their words too
    for text in painted_texts(widget):
        yield text.words, text.ink.center().toPoint()


def _of_plot(plot: pg.PlotWidget) -> Iterator[tuple[str, QtCore.QPoint]]:
    """Words in a plot, and of its axes."""
    for item in plot.scene().items():
        if isinstance(item, pg.TextItem) and item.isVisible():
            yield item.toPlainText(), plot.mapFromScene(item.sceneBoundingRect().center())
        if isinstance(item, pg.AxisItem) and item.isVisible() and item.boundingRect().width() > 8:
            yield f"axis 0 {item.labelText}", plot.mapFromScene(item.mapToScene(item.rect().center()))


def _panel(widget: QtWidgets.QWidget) -> str:
    while widget.parentWidget() is not None and widget.objectName() not in ("panel", "banner"):
        widget = widget.parentWidget()
    return widget.accessibleName() or type(widget).__name__
