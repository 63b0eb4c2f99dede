"""A label that gives up what does not fit."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.items.elided_label import ElidedLabel

WORDS = "1 424 spikes · 3 plausible sortings · settled"


def made(qtbot, theme, width: float) -> ElidedLabel:
    label = ElidedLabel(WORDS)
    qtbot.addWidget(label)
    label.resize(int(width) + 1, 20)
    label.show()
    return label


def test_the_last_parts_go_first_and_what_is_left_is_whole(qtbot, theme) -> None:
    advance = ElidedLabel(WORDS).fontMetrics().horizontalAdvance
    for shown in (WORDS, "1 424 spikes · 3 plausible sortings", "1 424 spikes"):
        assert made(qtbot, theme, advance(shown)).shown_text() == shown
    cut = made(qtbot, theme, advance("1 424 spikes") - 8).shown_text()
    assert cut.startswith("1 424")
    assert cut.endswith("…")


def test_it_never_widens_what_it_is_in(qtbot, theme) -> None:
    assert made(qtbot, theme, 60).minimumSizeHint().width() == 0
    assert made(qtbot, theme, 60).sizeHint().width() >= ElidedLabel(WORDS).fontMetrics().horizontalAdvance(
        WORDS
    )


def test_the_tool_tip_tells_what_was_left_out_and_then_what_it_means(qtbot, theme) -> None:
    label = made(qtbot, theme, 60)
    label.setToolTip("How much is decided")
    where = QtCore.QPoint(5, 5)
    event = QtGui.QHelpEvent(QtCore.QEvent.ToolTip, where, label.mapToGlobal(where))
    QtWidgets.QApplication.sendEvent(label, event)
    assert QtWidgets.QToolTip.text() == f"{WORDS}\nHow much is decided"
    QtWidgets.QToolTip.hideText()
