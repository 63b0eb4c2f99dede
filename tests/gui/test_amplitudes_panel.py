"""Spikes over time: points in the colours of the units, a click selects, a key changes to depth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui

from ncpgui.app.model.colors import Color
from ncpgui.core.motion import Motion
from ncpgui.gui.panels.amplitudes import AmplitudesPanel
from ncpgui.gui.theme import DARK, LIGHT

BLUE, ORANGE = (LIGHT.unit(Color(k)) for k in (0, 1))


@pytest.fixture
def panel(show) -> AmplitudesPanel:
    return show(AmplitudesPanel)


def point(panel: AmplitudesPanel, row: int) -> QtCore.QPoint:
    """Pixel of a spike in the widget."""
    return panel.scatter.mapFromScene(QtCore.QPointF(*panel.scatter.pixels()[row]))


def hue(panel: AmplitudesPanel, row: int, screen) -> int:
    return QtGui.QColor(screen.pixel(panel.scatter, QtCore.QPointF(point(panel, row)))).hue()


def test_a_spike_is_where_its_time_and_amplitude_are_in_its_colour(panel, screen) -> None:
    """Spike 3 of the component (unit 0) is 5000 samples in, spike 2 (unit 1) 3000 samples."""
    assert panel.scatter.points.x[[2, 3]].tolist() == [0.15, 0.25]
    assert abs(hue(panel, 3, screen) - BLUE.hue()) < 12
    assert abs(hue(panel, 2, screen) - ORANGE.hue()) < 12
    assert point(panel, 3).x() > point(panel, 2).x()
    assert point(panel, 3).y() < point(panel, 2).y()  # 10 noise sd are above 5


def test_a_click_on_a_spike_selects_its_unit(panel, workspace, qtbot, screen) -> None:
    viewport = panel.scatter.viewport()
    qtbot.mouseClick(viewport, QtCore.Qt.LeftButton, QtCore.Qt.NoModifier, point(panel, 2))
    assert workspace.selected == (1,)
    screen.settle()
    qtbot.mouseClick(viewport, QtCore.Qt.LeftButton, QtCore.Qt.ShiftModifier, point(panel, 9))
    assert workspace.selected == (1, 0)


def test_a_selection_dims_the_others(panel, workspace, screen) -> None:
    def saturation(row: int) -> int:
        around = QtCore.QRectF(QtCore.QPointF(point(panel, row)) - QtCore.QPointF(2, 2), QtCore.QSizeF(5, 5))
        return max(QtGui.QColor(color).saturation() for color in screen.colors(panel.scatter, around))

    before = saturation(3)
    workspace.select([1])
    screen.settle()
    assert saturation(3) < 0.5 * before
    assert saturation(2) > 0.5 * before


def axis_names(panel) -> list[str]:
    """Left and bottom of the plot of spikes, then of rates."""
    plots = (panel.scatter, panel.rates)
    return [plot.getAxis(side).labelText for plot in plots for side in ("left", "bottom")]


def test_plots_of_one_time_begin_at_one_place_and_give_their_names_up_for_room(panel, screen) -> None:
    left = [plot.getAxis("left").width() for plot in (panel.scatter, panel.rates)]
    assert left[0] == left[1]
    panel.resize(460, 150)
    screen.settle()
    assert panel.rates.isHidden()
    assert axis_names(panel)[:2] == ["", "time (s)"]


def test_the_switch_changes_to_depth_and_draws_the_motion(show, workspace, small_project, screen) -> None:
    along = small_project.probe.depth_axis
    places, times = np.array([0.0]), np.array([0.0, 2.0])
    motion = Motion(times, places, np.array([[0.0], [9.0]]), axis=along, preset="x", applied=True)
    workspace.state.open(replace(small_project, motion=motion))
    panel = show(AmplitudesPanel)
    assert axis_names(panel) == ["amplitude (noise sd)", "", "Hz", "time (s)"]
    panel.toggle_height()
    screen.settle()
    assert panel.choice.currentText() == "depth"
    assert axis_names(panel) == ["depth (µm)", "", "Hz", "time (s)"]
    assert panel.note.text() == "motion 9 µm"
    low, high = panel.scatter.getViewBox().viewRange()[1]
    assert high - low > 9
    ink = [c for c in screen.colors(panel.scatter) if QtGui.QColor(c).lightness() < 70]
    assert ink


def test_a_raster_has_a_row_for_each_unit(panel, screen) -> None:
    """Spikes 2 and 3 of the component are of units 1 and 0; the rows are named."""
    panel.toggle_height()
    panel.toggle_height()
    screen.settle()
    assert axis_names(panel) == ["units", "", "Hz", "time (s)"]
    assert panel.scatter.points.y[[2, 3]].tolist() == [-1.0, 0.0]
    assert abs(hue(panel, 3, screen) - BLUE.hue()) < 12
    assert panel.scatter.getAxis("left")._tickLevels == [[(0, "0"), (-1, "1")]]
    low, high = panel.scatter.getViewBox().viewRange()[1]
    assert low < -1 < 0 < high
    panel.toggle_height()
    screen.settle()
    assert panel.choice.currentText() == "amplitude"
    assert panel.scatter.getViewBox().viewRange()[1][1] > 10


def test_the_rates_keep_the_time_of_the_points(panel, screen) -> None:
    panel.scatter.setXRange(0.5, 1.0, padding=0)
    screen.settle()
    assert panel.rates.getViewBox().viewRange()[0] == pytest.approx([0.5, 1.0], abs=0.02)


def test_where_there_is_little_room_the_points_have_it(panel, screen) -> None:
    assert panel.rates.isVisible()
    panel.resize(300, 130)
    screen.settle()
    assert not panel.rates.isVisible()
    assert panel.scatter.geometry().bottom() <= panel.height()


def test_another_sorting_of_the_same_spikes_keeps_the_zoom(panel, workspace, screen) -> None:
    panel.scatter.setXRange(0.5, 1.0, padding=0)
    workspace.show_alternative(1)
    screen.settle()
    assert panel.scatter.getViewBox().viewRange()[0] == pytest.approx([0.5, 1.0], abs=0.02)
    assert panel.view.points.names == ("0+1",)


def test_depth_without_waveforms_says_what_to_do(show, workspace, without_waveforms, screen) -> None:
    workspace.state.open(without_waveforms)
    panel = show(AmplitudesPanel)
    assert not panel.message.isVisible()
    panel.toggle_height()
    screen.settle()
    assert "Locate recording" in panel.message.text()
    assert not panel.scatter.isVisible()


def test_both_themes_have_their_own_ground(panel, screen) -> None:
    screen.in_theme(panel, DARK)
    assert screen.pixel(panel.scatter, QtCore.QPointF(2, 2)) == DARK.panel.lower()
