"""Features: points in the colours of their units, axes that a person chooses."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.model.colors import Color
from ncpgui.gui.panels.features import FeaturesPanel
from ncpgui.gui.theme import LIGHT

BLUE, ORANGE = (LIGHT.unit(Color(k)) for k in (0, 1))


@pytest.fixture
def panel(show) -> FeaturesPanel:
    return show(FeaturesPanel)


def point(panel: FeaturesPanel, row: int) -> QtCore.QPoint:
    return panel.scatter.mapFromScene(QtCore.QPointF(*panel.scatter.pixels()[row]))


def test_it_begins_with_the_first_two_principal_components(panel) -> None:
    assert {name: box.currentText() for name, box in panel.choices.items()} == {"x": "PC 1", "y": "PC 2"}
    assert [panel.choices["x"].itemText(k) for k in range(4)] == ["PC 1", "PC 2", "amplitude", "time"]
    assert panel.note.text() == ""  # all spikes are sampled


def test_the_axes_are_named_whole_where_there_is_little_room(panel, screen) -> None:
    panel.choose("x", "amplitude")
    for width in (400, panel.minimumSizeHint().width()):
        panel.resize(width, 200)
        screen.settle()
        for box in panel.choices.values():
            field = QtWidgets.QStyleOptionComboBox()
            box.initStyleOption(field)
            place = box.style().subControlRect(
                QtWidgets.QStyle.CC_ComboBox, field, QtWidgets.QStyle.SC_ComboBoxEditField, box
            )
            assert place.width() >= box.fontMetrics().horizontalAdvance(box.currentText())
    assert panel.choices["y"].width() < panel.choices["x"].width()


def test_points_have_the_colours_of_their_units(panel, screen) -> None:
    """Rows 9 and 2 lie alone: units 0 and 1."""
    found = [
        QtGui.QColor(screen.pixel(panel.scatter, QtCore.QPointF(point(panel, row)))).hue() for row in (9, 2)
    ]
    assert found == pytest.approx([BLUE.hue(), ORANGE.hue()], abs=12)


def test_a_person_chooses_the_axes(panel, screen, qtbot) -> None:
    box = panel.choices["x"]
    box.setCurrentText("time")
    box.activated[str].emit("time")
    screen.settle()
    assert panel.view.x == "time"
    assert panel.scatter.points.x[0] == pytest.approx(0.05)
    low, high = panel.scatter.getViewBox().viewRange()[0]
    assert low < 0.05 < 1.05 < high


def test_a_click_selects_the_unit_and_another_sorting_keeps_the_zoom(panel, workspace, qtbot, screen) -> None:
    qtbot.mouseClick(panel.scatter.viewport(), QtCore.Qt.LeftButton, QtCore.Qt.NoModifier, point(panel, 2))
    assert workspace.selected == (1,)
    panel.scatter.setXRange(-1, 1, padding=0)
    workspace.show_alternative(1)
    screen.settle()
    assert panel.scatter.getViewBox().viewRange()[0] == pytest.approx([-1, 1], abs=0.02)


def test_a_double_click_shows_all_again(panel, screen, qtbot) -> None:
    before = panel.scatter.getViewBox().viewRange()
    panel.scatter.setXRange(-1, 1, padding=0)
    qtbot.mouseDClick(panel.scatter.viewport(), QtCore.Qt.LeftButton, pos=QtCore.QPoint(200, 60))
    screen.settle()
    assert panel.scatter.getViewBox().viewRange()[0] == pytest.approx(before[0], rel=0.05)


def test_without_waveforms_it_shows_amplitude_over_time(show, workspace, without_waveforms) -> None:
    workspace.state.open(without_waveforms)
    panel = show(FeaturesPanel)
    assert (panel.choices["x"].currentText(), panel.choices["y"].currentText()) == ("time", "amplitude")
    assert all(box.width() >= box.sizeHint().width() for box in panel.choices.values()), "words are whole"


def test_without_a_project_it_says_what_to_do(show, workspace, screen) -> None:
    panel = show(FeaturesPanel)
    workspace.state.close()
    screen.settle()
    assert panel.message.text() == "Open a recording or a session to begin."
    assert not panel.choices["x"].isVisible()
