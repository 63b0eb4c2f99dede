"""Embedding: each spike a point of its unit's colour, where a click selects the unit."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.embedding import PALE_WORDS, present_embedding
from ncpgui.app.presenters.points import SpikePoints
from ncpgui.gui.items.spike_dots import SpikeDots
from ncpgui.gui.items.spike_scatter import SpikeScatter
from ncpgui.gui.items.unit_names import free_place
from ncpgui.gui.panels.embedding import EmbeddingPanel
from ncpgui.gui.theme import DARK, LIGHT

# rows of spikes that lie alone: unit 0 on the left, unit 1 on the right
LEFT_TOP, RIGHT_BOTTOM = 9, 2
BLUE, ORANGE = (LIGHT.unit(Color(k)) for k in (0, 1))


@pytest.fixture
def panel(show, runner, screen) -> EmbeddingPanel:
    """With its t-SNE there."""
    made = show(EmbeddingPanel)
    runner.let_go()
    screen.settle()
    return made


def places(panel: EmbeddingPanel) -> np.ndarray:
    """Pixels of the points in the widget: (10, 2)."""
    found = [panel.scatter.mapFromScene(QtCore.QPointF(*place)) for place in panel.scatter.pixels()]
    return np.array([[place.x(), place.y()] for place in found], float)


def place(panel: EmbeddingPanel, row: int) -> QtCore.QPointF:
    return QtCore.QPointF(*places(panel)[row])


def empty_corner(panel: EmbeddingPanel) -> QtCore.QPointF:
    """Where the axes leave room and no point is."""
    room = panel.scatter.getViewBox().sceneBoundingRect()
    return room.topLeft() + QtCore.QPointF(3, 3)


def distance(a: str, b: QtGui.QColor) -> int:
    first = QtGui.QColor(a)
    return sum(abs(x - y) for x, y in zip(first.getRgb()[:3], b.getRgb()[:3], strict=True))


def test_points_have_the_colours_of_their_units(panel, screen) -> None:
    left, right = (screen.pixel(panel.scatter, place(panel, row)) for row in (LEFT_TOP, RIGHT_BOTTOM))
    assert distance(left, BLUE) < distance(left, ORANGE)
    assert distance(right, ORANGE) < distance(right, BLUE)
    assert screen.pixel(panel.scatter, empty_corner(panel)) == LIGHT.panel.lower()


def test_the_less_certain_a_spike_the_fainter_its_point(panel, workspace, screen) -> None:
    """As one unit, the smaller part is of its cell in one of four samples: 0.25 + 0.75 / 16."""
    assert panel.scatter.points.opacity.tolist() == [1.0] * 10
    workspace.show_alternative(1)
    screen.settle()
    opacity = panel.scatter.points.opacity
    assert opacity[LEFT_TOP] == pytest.approx(1.0)
    assert opacity[RIGHT_BOTTOM] == pytest.approx(0.25 + 0.75 / 16)
    assert panel.note.text().endswith(" of 10 spikes · pale: its unit is uncertain")


def test_both_directions_have_the_same_scale(panel) -> None:
    """Rows 0 and 9 lie 10 apart upwards, rows 0 and 2 lie 10 apart to the right."""
    found = panel.scatter.pixels()
    up, right = found[0] - found[9], found[2] - found[0]
    np.testing.assert_allclose(up, [0, np.abs(up).max()], atol=1e-9)
    np.testing.assert_allclose(right, [np.abs(up).max(), 0], atol=1e-6)


def test_the_axes_have_the_names_of_the_method_and_no_numbers(panel) -> None:
    """Distances of a t-SNE mean nothing."""
    names = [panel.scatter.getAxis(side).labelText for side in ("bottom", "left")]
    assert names == ["t-SNE 1", "t-SNE 2"]
    assert not any(panel.scatter.getAxis(side).style["showValues"] for side in ("bottom", "left"))


def test_a_click_on_a_point_selects_its_unit(panel, workspace, screen) -> None:
    screen.click(panel.scatter.viewport(), place(panel, RIGHT_BOTTOM))
    assert workspace.selected == (1,)
    screen.click(panel.scatter.viewport(), place(panel, LEFT_TOP), shift=True)
    assert workspace.selected == (1, 0)
    screen.click(panel.scatter.viewport(), place(panel, LEFT_TOP), shift=True)
    assert workspace.selected == (1,)
    screen.click(panel.scatter.viewport(), empty_corner(panel))
    assert workspace.selected == (1,)


def test_a_selection_dims_the_others(panel, workspace, screen) -> None:
    before = [screen.pixel(panel.scatter, place(panel, row)) for row in (LEFT_TOP, RIGHT_BOTTOM)]
    workspace.select([1])
    screen.settle()
    after = [screen.pixel(panel.scatter, place(panel, row)) for row in (LEFT_TOP, RIGHT_BOTTOM)]
    assert after[1] == before[1]
    ground = LIGHT.color("panel")
    assert distance(after[0], ground) < 0.4 * distance(before[0], ground)


def test_a_spike_that_would_move_has_a_ring_in_the_colour_it_leaves(panel, workspace, screen) -> None:
    assert [panel.scatter.ring(row) for row in (LEFT_TOP, RIGHT_BOTTOM)] == [None, None]
    workspace.show_alternative(1)
    screen.settle()
    assert panel.scatter.points.names == ("0+1",)
    assert panel.scatter.ring(RIGHT_BOTTOM) == ORANGE
    assert panel.scatter.ring(LEFT_TOP) is None  # it keeps its colour
    edge = place(panel, RIGHT_BOTTOM) + QtCore.QPointF(panel.scatter.point_px / 2, 0)
    colour = screen.pixel(panel.scatter, edge)
    assert distance(colour, ORANGE) < distance(colour, BLUE)
    middle = screen.pixel(panel.scatter, place(panel, RIGHT_BOTTOM))
    assert distance(middle, BLUE) < distance(middle, ORANGE)


def test_principal_components_stand_in_until_the_t_sne_is_there(show, controller, runner, screen) -> None:
    panel = show(EmbeddingPanel)
    assert panel.note.text() == "PCA of 10 spikes"
    screen.settle()
    assert panel.note.text() == "PCA of 10 spikes"
    runner.let_go()
    screen.settle()
    assert panel.note.text() == "t-SNE of 10 spikes"


def test_names_stand_at_the_median_of_the_points(panel, screen) -> None:
    """Unit 0 has its median at y = 2, between its points at 1 and 3."""
    middle = QtCore.QPointF(*np.median(places(panel)[panel.scatter.points.labels == 0], axis=0))
    dark = [c for c in screen.colors(panel.scatter, _around(middle)) if QtGui.QColor(c).lightness() < 90]
    assert dark
    assert not [c for c in screen.colors(panel.scatter, _around(place(panel, LEFT_TOP))) if c in dark]


def _around(point: QtCore.QPointF) -> QtCore.QRectF:
    return QtCore.QRectF(point.x() - 6, point.y() - 6, 12, 12)


def test_the_wheel_zooms_about_the_pointer_and_a_double_click_shows_all(panel, qtbot, screen) -> None:
    before = panel.scatter.pixels()
    view = panel.scatter.viewport()
    here = place(panel, LEFT_TOP)
    event = QtGui.QWheelEvent(
        here, view.mapToGlobal(here.toPoint()), QtCore.QPoint(), QtCore.QPoint(0, 240), QtCore.Qt.NoButton,
        QtCore.Qt.NoModifier, QtCore.Qt.NoScrollPhase, False,
    )  # fmt: skip
    QtWidgets.QApplication.sendEvent(view, event)
    zoomed = panel.scatter.pixels()
    np.testing.assert_allclose(zoomed[LEFT_TOP], before[LEFT_TOP], atol=1.5)
    grown = np.ptp(zoomed, axis=0) / np.ptp(before, axis=0)
    assert grown[0] == pytest.approx(grown[1], rel=1e-3)
    assert grown[0] > 1.3
    qtbot.mouseDClick(view, QtCore.Qt.LeftButton, pos=QtCore.QPoint(5, 5))
    screen.settle()
    np.testing.assert_allclose(panel.scatter.pixels(), before, atol=0.5)


def test_another_sorting_of_the_same_spikes_keeps_the_zoom(panel, workspace, screen) -> None:
    panel.scatter.setRange(xRange=(-1, 1), padding=0)
    before = panel.scatter.pixels()
    workspace.show_alternative(1)
    screen.settle()
    np.testing.assert_allclose(panel.scatter.pixels(), before, atol=0.5)


def tooltip(panel: EmbeddingPanel, where: QtCore.QPointF) -> str:
    return panel.scatter.tooltip_at(panel.scatter.mapToScene(where.toPoint()))


def test_the_tooltip_names_unit_and_certainty(panel, workspace, screen) -> None:
    words = tooltip(panel, place(panel, RIGHT_BOTTOM))
    assert words == "Spike of unit 1, with probability 100\u2009%"
    workspace.show_alternative(1)
    screen.settle()
    words = tooltip(panel, place(panel, RIGHT_BOTTOM))
    assert words == "Spike of unit 0+1, with probability 25\u2009%"
    assert tooltip(panel, empty_corner(panel)) == ""


def test_the_name_of_a_unit_has_words_of_its_own(panel) -> None:
    middle = QtCore.QPointF(*np.median(places(panel)[panel.scatter.points.labels == 0], axis=0))
    assert tooltip(panel, middle) == "Unit 0: its name is at the median of its 6 drawn spikes"


def test_a_spike_of_which_nothing_is_known_is_not_pale(panel, workspace) -> None:
    shown = workspace.shown()
    shown.probability[:] = np.nan
    view = present_embedding(workspace, None)
    assert (view.points.opacity == 1).all()
    assert PALE_WORDS not in view.note
    assert view.points.tooltip(LEFT_TOP) == "Unit 0"


def test_every_spike_has_its_tooltip(panel) -> None:
    for row in range(10):
        alone = np.linalg.norm(places(panel) - places(panel)[row], axis=1)[np.arange(10) != row].min() > 12
        if alone:
            assert tooltip(panel, place(panel, row)).startswith("Spike of unit "), row
    panel.scatter.point_at = lambda where: 0
    assert tooltip(panel, QtCore.QPointF(0, 0)).startswith("Spike of unit ")


def test_both_themes_have_their_own_colours(panel, screen) -> None:
    screen.in_theme(panel, DARK)
    assert screen.pixel(panel.scatter, empty_corner(panel)) == DARK.panel.lower()


def test_without_waveforms_there_is_a_message(panel, workspace, without_waveforms, screen) -> None:
    workspace.state.open(without_waveforms)
    screen.settle()
    assert panel.message.isVisible()
    assert (
        panel.message.text()
        == "Points come from waveforms, which are read from the recording (File > Locate recording)."
    )
    assert not panel.scatter.isVisible()


def test_two_thousand_points_are_one_thing_with_a_picture_for_each_look(qtbot, theme) -> None:
    """Six units, each in six steps of opacity (0.3 to 1 in eighths) and with one ring or none."""
    generator, n = np.random.default_rng(0), 2000
    labels = generator.integers(0, 6, n).astype(np.int32)
    colors = tuple(Color(k) for k in range(6))
    sure = generator.uniform(0.3, 1, n).astype(np.float32)
    points = SpikePoints(
        *generator.normal(0, 1, (2, n)),
        labels,
        tuple("abcdef"),
        colors,
        tuple(range(6)),
        (False,) * 6,
        certainty=sure,
        opacity=sure,
        ring=np.where(labels > 2, (labels + 1) % 6, -1).astype(np.int32),
        ring_colors=colors,
    )
    widget = SpikeScatter("points", has_names=True, is_square=True)
    qtbot.addWidget(widget)
    widget.resize(900, 600)
    for _ in range(2):
        widget.set_points(points, theme)
        assert widget.dots.n_looks == 36
        assert widget.dots.n_points == n
        assert [one for one in widget.getPlotItem().items if isinstance(one, SpikeDots)] == [widget.dots]


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
    screen.click(panel.scatter.viewport(), QtCore.QPointF(30, 30), ctrl=True)
    runner.let_go()
    screen.settle()
    assert panel.note_text == "PCA of 10 spikes"
    assert workspace.lasso is not None
    workspace.draw_lasso(None)
    screen.settle()
    assert panel.note.text() == "t-SNE of 10 spikes"
