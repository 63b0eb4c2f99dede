"""Embedding: each spike a point of its unit's colour, where a click selects the unit."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.embedding import EmbeddingView
from ncpgui.gui.panels.embedding import EmbeddingPanel, EmbeddingWidget, free_place
from ncpgui.gui.theme import DARK, LIGHT, apply_theme

# rows of spikes that lie alone: unit 0 on the left, unit 1 on the right
LEFT_TOP, RIGHT_BOTTOM = 9, 2
BLUE, ORANGE = (LIGHT.unit(Color(k)) for k in (0, 1))


@pytest.fixture
def panel(show, controller, runner) -> EmbeddingPanel:
    """With its t-SNE there."""
    controller.refresh_views()
    runner.let_go()
    return show(EmbeddingPanel)


def place(panel: EmbeddingPanel, row: int) -> QtCore.QPointF:
    return QtCore.QPointF(*panel.plot.places()[row])


def distance(a: str, b: QtGui.QColor) -> int:
    first = QtGui.QColor(a)
    return sum(abs(x - y) for x, y in zip(first.getRgb()[:3], b.getRgb()[:3], strict=True))


def test_points_have_the_colours_of_their_units(panel, screen) -> None:
    left, right = (screen.pixel(panel.plot, place(panel, row)) for row in (LEFT_TOP, RIGHT_BOTTOM))
    assert distance(left, BLUE) < distance(left, ORANGE)
    assert distance(right, ORANGE) < distance(right, BLUE)
    assert screen.pixel(panel.plot, QtCore.QPointF(2, 2)) == LIGHT.panel.lower()


def test_the_less_certain_a_spike_the_fainter_its_point(panel, workspace, screen) -> None:
    """As one unit, the smaller part is of its cell in one of four samples: 0.25 + 0.75 / 16."""
    assert panel.plot.view.opacity.tolist() == [1.0] * 10
    workspace.show_alternative(1)
    screen.settle()
    opacity = panel.plot.view.opacity
    assert opacity[LEFT_TOP] == pytest.approx(1.0)
    assert opacity[RIGHT_BOTTOM] == pytest.approx(0.25 + 0.75 / 16)


def test_both_directions_have_the_same_scale(panel) -> None:
    """Rows 0 and 9 lie 10 apart upwards, rows 0 and 2 lie 10 apart to the right."""
    places = panel.plot.places()
    up, right = places[0] - places[9], places[2] - places[0]
    np.testing.assert_allclose(up, [0, np.abs(up).max()], atol=1e-9)
    np.testing.assert_allclose(right, [np.abs(up).max(), 0], atol=1e-9)


def test_a_click_on_a_point_selects_its_unit(panel, workspace, screen) -> None:
    screen.click(panel.plot, place(panel, RIGHT_BOTTOM))
    assert workspace.selected == (1,)
    screen.click(panel.plot, place(panel, LEFT_TOP), shift=True)
    assert workspace.selected == (1, 0)
    screen.click(panel.plot, place(panel, LEFT_TOP), shift=True)
    assert workspace.selected == (1,)
    screen.click(panel.plot, QtCore.QPointF(2, 2))
    assert workspace.selected == (1,)


def test_a_selection_dims_the_others(panel, workspace, screen) -> None:
    before = [screen.pixel(panel.plot, place(panel, row)) for row in (LEFT_TOP, RIGHT_BOTTOM)]
    workspace.select([1])
    screen.settle()
    after = [screen.pixel(panel.plot, place(panel, row)) for row in (LEFT_TOP, RIGHT_BOTTOM)]
    assert after[1] == before[1]
    ground = LIGHT.color("panel")
    assert distance(after[0], ground) < 0.4 * distance(before[0], ground)


def test_a_spike_that_would_move_has_a_ring_in_the_colour_it_leaves(panel, workspace, screen) -> None:
    assert [panel.plot.ring(row) for row in (LEFT_TOP, RIGHT_BOTTOM)] == [None, None]
    workspace.show_alternative(1)
    screen.settle()
    assert panel.plot.view.names == ("0+1",)
    assert panel.plot.ring(RIGHT_BOTTOM) == ORANGE
    assert panel.plot.ring(LEFT_TOP) is None  # it keeps its colour
    edge = place(panel, RIGHT_BOTTOM) + QtCore.QPointF(panel.plot.radius + 0.5, 0)
    colour = screen.pixel(panel.plot, edge)
    assert distance(colour, ORANGE) < distance(colour, BLUE)
    middle = screen.pixel(panel.plot, place(panel, RIGHT_BOTTOM))
    assert distance(middle, BLUE) < distance(middle, ORANGE)


def test_principal_components_stand_in_until_the_t_sne_is_there(show, controller, runner, screen) -> None:
    panel = show(EmbeddingPanel)
    assert panel.note.text() == "PCA of 10 spikes"
    controller.refresh_views()
    screen.settle()
    assert panel.note.text() == "PCA of 10 spikes"
    runner.let_go()
    screen.settle()
    assert panel.note.text() == "t-SNE of 10 spikes"


def test_names_stand_at_the_median_of_the_points(panel, screen) -> None:
    """Unit 0 has its median at y = 2, between its points at 1 and 3."""
    places = panel.plot.places()
    middle = QtCore.QPointF(*np.median(places[panel.plot.view.labels == 0], axis=0))
    dark = [c for c in screen.colors(panel.plot, _around(middle)) if QtGui.QColor(c).lightness() < 90]
    assert dark
    assert not [c for c in screen.colors(panel.plot, _around(place(panel, LEFT_TOP))) if c in dark]


def _around(point: QtCore.QPointF) -> QtCore.QRectF:
    return QtCore.QRectF(point.x() - 6, point.y() - 6, 12, 12)


def test_the_wheel_zooms_about_the_pointer_and_a_double_click_shows_all(panel, qtbot, screen) -> None:
    before = panel.plot.places()
    here = QtCore.QPointF(*before[LEFT_TOP])
    event = QtGui.QWheelEvent(
        here,
        panel.plot.mapToGlobal(here.toPoint()),
        QtCore.QPoint(),
        QtCore.QPoint(0, 240),
        QtCore.Qt.NoButton,
        QtCore.Qt.NoModifier,
        QtCore.Qt.NoScrollPhase,
        False,
    )
    QtWidgets.QApplication.sendEvent(panel.plot, event)
    zoomed = panel.plot.places()
    np.testing.assert_allclose(zoomed[LEFT_TOP], before[LEFT_TOP], atol=0.01)
    np.testing.assert_allclose(np.ptp(zoomed, axis=0), 1.44 * np.ptp(before, axis=0))
    qtbot.mouseDClick(panel.plot, QtCore.Qt.LeftButton, pos=QtCore.QPoint(5, 5))
    np.testing.assert_allclose(panel.plot.places(), before)


def test_a_drag_moves_the_points_and_selects_nothing(panel, qtbot, workspace) -> None:
    before, start = panel.plot.places(), place(panel, RIGHT_BOTTOM).toPoint()
    qtbot.mousePress(panel.plot, QtCore.Qt.LeftButton, pos=start)
    for step in (10, 20):
        move = QtGui.QMouseEvent(
            QtCore.QEvent.MouseMove,
            QtCore.QPointF(start + QtCore.QPoint(step, 0)),
            QtCore.Qt.LeftButton,
            QtCore.Qt.LeftButton,
            QtCore.Qt.NoModifier,
        )
        QtWidgets.QApplication.sendEvent(panel.plot, move)
    qtbot.mouseRelease(panel.plot, QtCore.Qt.LeftButton, pos=start + QtCore.QPoint(20, 0))
    np.testing.assert_allclose(panel.plot.places() - before, np.tile([20.0, 0.0], (10, 1)))
    assert workspace.selected == ()


def test_the_tooltip_names_unit_and_certainty(panel, workspace, screen) -> None:
    words = panel.plot.tooltip_at(place(panel, RIGHT_BOTTOM))
    assert words == "Spike of unit 1, with probability 100\u2009%"
    workspace.show_alternative(1)
    screen.settle()
    words = panel.plot.tooltip_at(place(panel, RIGHT_BOTTOM))
    assert words == "Spike of unit 0+1, with probability 25\u2009%"
    assert panel.plot.tooltip_at(QtCore.QPointF(2, 2)) == ""


def test_both_themes_have_their_own_colours(panel, screen, qapp) -> None:
    apply_theme(qapp, DARK)
    panel.set_theme(DARK)
    screen.settle()
    assert screen.pixel(panel.plot, QtCore.QPointF(2, 2)) == DARK.panel.lower()


def test_without_waveforms_there_is_a_message(panel, workspace, without_waveforms, screen) -> None:
    workspace.open(without_waveforms)
    screen.settle()
    assert panel.message.isVisible()
    assert panel.message.text() == "Points appear when the component is sampled."
    assert not panel.plot.isVisible()


def test_two_thousand_points_are_drawn_in_60_ms(qtbot, theme) -> None:
    generator, n = np.random.default_rng(0), 2000
    labels = generator.integers(0, 6, n).astype(np.int32)
    colors = tuple(Color(k) for k in range(6))
    sure = generator.uniform(0.3, 1, n).astype(np.float32)
    view = EmbeddingView(
        points=generator.normal(0, 1, (n, 2)).astype(np.float32),
        labels=labels,
        colors=colors,
        names=tuple("abcdef"),
        opacity=sure,
        moved=labels > 2,
        selected=np.zeros(n, dtype=bool),
        method="t-SNE",
        certainty=sure,
        units=tuple(range(6)),
        before=(labels + 1) % 6,
        colors_before=colors,
    )
    widget = EmbeddingWidget()
    qtbot.addWidget(widget)
    widget.resize(900, 600)
    spent = []
    for _ in range(3):
        start = time.process_time()
        widget.set_view(view, theme)
        widget.grab()
        spent.append(time.process_time() - start)
    assert min(spent) < 0.06


def test_names_of_units_at_one_place_lie_beside_each_other_and_inside() -> None:
    room, taken = QtCore.QRectF(0, 0, 120, 84), []
    for _ in range(6):
        taken.append(free_place(np.array([4.0, 80.0]), QtCore.QSizeF(30, 16), room, taken))
    assert all(room.contains(place) for place in taken)
    assert not any(a.intersects(b) for n, a in enumerate(taken) for b in taken[n + 1 :])


def test_principal_components_stay_while_a_lasso_is_drawn_on_them(
    show, workspace, controller, runner, screen
):
    panel = show(EmbeddingPanel)
    screen.click(panel.plot, QtCore.QPointF(30, 30), ctrl=True)
    controller.refresh_views()
    runner.let_go()
    screen.settle()
    assert panel.note_text == "PCA of 10 spikes"
    assert workspace.lasso is not None
    workspace.draw_lasso(None)
    screen.settle()
    assert panel.note.text() == "t-SNE of 10 spikes"
