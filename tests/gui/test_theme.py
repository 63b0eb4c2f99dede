"""The look of the application: arrows in both themes, text as large as the screen asks for."""

from __future__ import annotations

import os

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.work.tasks import Immediate
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog
from ncpgui.gui.screenshot import settle
from ncpgui.gui.theme import DARK, LIGHT, Theme, apply_theme
from tests.forked import run_forked


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_combo_boxes_and_spin_boxes_have_arrows(qtbot, screen, qapp, theme: Theme) -> None:
    apply_theme(qapp, theme)
    holder = QtWidgets.QWidget()
    qtbot.addWidget(holder)
    column = QtWidgets.QVBoxLayout(holder)
    combo, whole, real = QtWidgets.QComboBox(), QtWidgets.QSpinBox(), QtWidgets.QDoubleSpinBox()
    combo.addItems(["int16", "float32"])
    for widget in (combo, whole, real):
        widget.setFixedSize(160, 32)
        column.addWidget(widget)
    holder.show()
    settle(qapp)
    ground = theme.panel.lower()
    arrow = QtCore.QRectF(136, 4, 20, 24)
    assert _ink(screen, combo, arrow, ground) > 8
    for spin in (whole, real):
        upper, lower = QtCore.QRectF(136, 3, 20, 13), QtCore.QRectF(136, 16, 20, 13)
        assert _ink(screen, spin, upper, ground) > 8
        assert _ink(screen, spin, lower, ground) > 8


def _ink(screen, widget: QtWidgets.QWidget, place: QtCore.QRectF, ground: str) -> int:
    """Pixels that differ from the ground so much that one sees them."""
    base = QtGui.QColor(ground).lightness()
    colors = screen.colors(widget, place)
    return sum(n for name, n in colors.items() if abs(QtGui.QColor(name).lightness() - base) > 60)


def test_the_spin_box_of_the_threshold_steps_with_its_arrows(qtbot, qapp) -> None:
    apply_theme(qapp, LIGHT)
    dialog = OpenRecordingDialog(None, Immediate())
    qtbot.addWidget(dialog)
    dialog.show()
    settle(qapp)
    before = dialog.threshold.value()
    option = QtWidgets.QStyleOptionSpinBox()
    dialog.threshold.initStyleOption(option)
    up = dialog.threshold.style().subControlRect(
        QtWidgets.QStyle.CC_SpinBox, option, QtWidgets.QStyle.SC_SpinBoxUp, dialog.threshold
    )
    qtbot.mouseClick(dialog.threshold, QtCore.Qt.LeftButton, pos=up.center())
    assert dialog.threshold.value() == before + 0.25


MEASURE = """
import sys
from PyQt5 import QtWidgets
from ncpgui.gui.application import qt_application
from ncpgui.gui.theme import LIGHT, apply_theme
application = qt_application()
apply_theme(application, LIGHT)
label = QtWidgets.QLabel("613 spikes")
label.show()
application.processEvents()
print(label.fontInfo().pixelSize() * label.devicePixelRatioF())
"""


@pytest.mark.parametrize(("dpi", "expected_px"), [(96, 13.0), (120, 16.25), (144, 19.5), (192, 26.0)])
def test_text_grows_with_the_scale_of_the_screen(dpi: int, expected_px: float) -> None:
    """13 pixels at 96 dots an inch, and in proportion at 125, 150 and 200 %."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_FONT_DPI": str(dpi)}
    done = run_forked(MEASURE, needs="window", env=environment)
    assert float(done.stdout.split()[-1]) == expected_px


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("kind", [QtWidgets.QRadioButton, QtWidgets.QCheckBox])
def test_a_choice_that_is_not_allowed_looks_so(qtbot, screen, qapp, theme: Theme, kind) -> None:
    """Its words are faint and its circle or box is, as are those of buttons."""
    apply_theme(qapp, theme)
    holder = QtWidgets.QDialog()
    qtbot.addWidget(holder)
    column = QtWidgets.QVBoxLayout(holder)
    allowed, forbidden = kind("MMMMMM"), kind("MMMMMM")
    forbidden.setEnabled(False)
    for widget in (allowed, forbidden):
        widget.setFixedSize(160, 28)
        column.addWidget(widget)
    holder.show()
    settle(qapp)
    text, faint = theme.text.lower(), theme.faint.lower()
    assert screen.colors(allowed).get(text, 0) > 20
    assert text not in screen.colors(forbidden)
    assert screen.colors(forbidden).get(faint, 0) > 20
    mark = QtCore.QRectF(0, 6, 16, 16)
    assert screen.colors(allowed, mark) != screen.colors(forbidden, mark)


def test_a_look_that_is_there_already_restyles_no_widget(qtbot, qapp) -> None:
    class Restyled(QtWidgets.QWidget):
        n_times = 0

        def changeEvent(self, event: QtCore.QEvent) -> None:
            self.n_times += event.type() == QtCore.QEvent.StyleChange

    apply_theme(qapp, LIGHT)
    widget = Restyled()
    qtbot.addWidget(widget)
    widget.show()
    settle(qapp)
    before = widget.n_times
    apply_theme(qapp, LIGHT)
    assert widget.n_times == before
    apply_theme(qapp, DARK)
    assert widget.n_times > before
    apply_theme(qapp, LIGHT)


def test_tooltips_of_plots_have_the_colours_of_the_theme(theme, qtbot) -> None:
    from ncpgui.gui.items.plot import Plot

    plot = Plot("a plot")
    qtbot.addWidget(plot)
    plot.resize(200, 200)
    plot.show()
    QtWidgets.QToolTip.showText(plot.mapToGlobal(QtCore.QPoint(10, 10)), "words", plot)
    (tip,) = (one for one in QtWidgets.QApplication.topLevelWidgets() if one.inherits("QTipLabel"))
    background = tip.grab().toImage().pixelColor(3, 3).name()
    QtWidgets.QToolTip.hideText()
    assert background == theme.color("panel").name()
