"""The probe: contacts where they are, coloured by ambiguity; a click goes there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.model.adoption import adopt
from ncpgui.gui.panels.probe_map import RING_PX, ProbeMapPanel
from ncpgui.gui.theme import DARK, LIGHT


@pytest.fixture
def panel(show) -> ProbeMapPanel:
    return show(ProbeMapPanel, 260, 240)


def place(panel: ProbeMapPanel, channel: int) -> QtCore.QPointF:
    return QtCore.QPointF(panel.map.place_of(channel))


def test_contacts_lie_as_on_the_probe(panel) -> None:
    first, second = place(panel, 0), place(panel, 1)
    assert first.y() == second.y()
    assert second.x() > first.x()
    assert panel.note.text() == "2 contacts"


def test_the_most_ambiguous_contact_is_amber_and_a_waiting_one_is_not(panel, screen) -> None:
    assert screen.pixel(panel.map, place(panel, 0)) == LIGHT.heat(1.0).name()
    assert LIGHT.heat(1.0).name() == LIGHT.amber.lower()
    assert screen.pixel(panel.map, place(panel, 1)) == LIGHT.panel.lower()


def test_the_contact_on_screen_is_ringed_and_linked_to_its_neighbours(panel, workspace, screen) -> None:
    assert panel.map.view.current == 0
    assert panel.map.view.neighbours == (0, 1)
    first, second = place(panel, 0), place(panel, 1)
    ring = QtCore.QRectF(first.x() - 20, first.y() - 20, 40, 40)
    assert LIGHT.text.lower() in screen.colors(panel.map, ring)
    between = screen.pixel(panel.map, (first + second) / 2)
    assert between != LIGHT.panel.lower()
    workspace.show_component(1)
    screen.settle()
    assert LIGHT.text.lower() not in screen.colors(panel.map, ring)


def test_a_click_on_a_contact_goes_there(panel, workspace, screen) -> None:
    screen.click(panel.map, place(panel, 1))
    assert workspace.component_id == 1
    screen.click(panel.map, QtCore.QPointF(1, 1))
    assert workspace.component_id == 1


def test_a_settled_contact_is_green(panel, workspace, screen) -> None:
    adopt(workspace)
    screen.settle()
    around = QtCore.QRectF(place(panel, 0).x() - 10, place(panel, 0).y() - 10, 20, 20)
    assert LIGHT.good.lower() in screen.colors(panel.map, around)


def test_the_contact_under_the_pointer_is_named(panel, qtbot) -> None:
    move = QtGui.QMouseEvent(
        QtCore.QEvent.MouseMove,
        place(panel, 0),
        QtCore.Qt.NoButton,
        QtCore.Qt.NoButton,
        QtCore.Qt.NoModifier,
    )
    QtWidgets.QApplication.sendEvent(panel.map, move)
    assert panel.map.tooltip_at(place(panel, 0)) == "Contact 0: units 0 and 1, 10 spikes, sampled"
    assert panel.map.cursor().shape() == QtCore.Qt.PointingHandCursor


def test_the_ring_of_the_last_contact_of_a_long_probe_is_whole(panel) -> None:
    n = 60
    ends = np.column_stack([np.zeros(n), 20.0 * np.arange(n)])
    view = replace(
        panel.map.view, positions_um=ends, states=("units",) * n, ambiguity=np.full(n, np.nan), neighbours=()
    )
    for contact in (0, n - 1):
        panel.map.set_view(replace(view, current=contact))
        _, radius, places = panel.map._transform()
        ring = radius + RING_PX
        assert panel.map.is_slice
        assert ring - 0.1 <= places[contact, 1] <= panel.map.height() - ring + 0.1


def test_the_wheel_zooms_in_and_out_again(panel) -> None:
    before = place(panel, 1).x() - place(panel, 0).x()

    def wheel(angle: int) -> None:
        event = QtGui.QWheelEvent(
            QtCore.QPointF(50, 50),
            panel.map.mapToGlobal(QtCore.QPoint(50, 50)),
            QtCore.QPoint(),
            QtCore.QPoint(0, angle),
            QtCore.Qt.NoButton,
            QtCore.Qt.NoModifier,
            QtCore.Qt.NoScrollPhase,
            False,
        )
        QtWidgets.QApplication.sendEvent(panel.map, event)

    wheel(120)
    assert place(panel, 1).x() - place(panel, 0).x() == pytest.approx(1.2 * before, abs=1.5)
    wheel(-1200)
    assert place(panel, 1).x() - place(panel, 0).x() == pytest.approx(before, abs=1.5)


def test_without_a_project_nothing_is_painted(panel, workspace, screen) -> None:
    workspace.state.close()
    screen.settle()
    assert panel.note.text() == ""
    assert set(screen.colors(panel.map)) == {LIGHT.panel.lower()}


def test_both_themes_have_their_own_colours(panel, screen) -> None:
    screen.in_theme(panel, DARK)
    assert screen.pixel(panel.map, QtCore.QPointF(1, 1)) == DARK.panel.lower()
    assert screen.pixel(panel.map, place(panel, 0)) == DARK.amber.lower()
