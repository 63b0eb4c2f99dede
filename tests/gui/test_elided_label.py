"""A label that gives up what does not fit."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.items.elided_label import ElidedLabel, shortened

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


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [
        (
            "some spikes of each unit, and the mean of all",
            "some spikes of each unit, and",
            "some spikes of each unit",
        ),
        ("some spikes of each unit, and the mean of all", "some spikes of e", "some spikes"),
        ("t-SNE of 1 000 spikes", "t-SNE of 1", "t-SNE"),
        ("12 units near unit 22", "12 units nea", "12 units"),
        ("2 of 2 units clear", "2 of 2 u", ""),  # no number alone
        ("5 units of the preview and in use", "5 units of the preview and in", "5 units of the preview"),
        ("framed: what would change", "framed: what w", ""),  # of what, it does not say
        ("there is no column 'x'; there are a and b", "there is no column 'x'; t", "there is no column 'x'"),
        ("33 units", "33 un", ""),  # 33… may be 330
        ("1\u2009000 units", "1\u2009000 un", ""),
        ("averylongname", "averylong", "averylo…"),
    ],
)
def test_what_does_not_fit_ends_where_a_thought_ends(qtbot, theme, text: str, room: str, shown: str) -> None:
    metrics = ElidedLabel(text).fontMetrics()
    found = shortened(text, metrics, metrics.horizontalAdvance(room) + 1)
    assert found == shown or (shown.endswith("…") and found.endswith("…") and found.startswith("avery"))


def test_what_just_fits_is_whole(qtbot, theme) -> None:
    metrics = ElidedLabel(WORDS).fontMetrics()
    assert shortened(WORDS, metrics, metrics.horizontalAdvance(WORDS)) == WORDS
    assert shortened(WORDS, metrics, metrics.horizontalAdvance(WORDS) - 1) != WORDS


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
