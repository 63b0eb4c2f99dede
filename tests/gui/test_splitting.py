"""A lasso drawn with the mouse in the real window, and the split that it makes, by keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.consequences import Consequence
from ncpgui.core.project import Project
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels import alternatives
from ncpgui.gui.panels.lasso import LassoPanel
from tests.gui.windows import settle, show_only, shown_window
from tests.read_once import saved_copy
from tests.tiny_project import tiny_project

# channel 0: unit 0 of twelve spikes, in 20 % of the draws two of six; unit 1 of six
WAYS = {0: [[0] * 12 + [1] * 6, [0] * 6 + [1] * 6 + [2] * 6]}
MASSES = {0: [0.8, 0.2]}
HALVES = [3] * 6 + [2] * 6 + [1] * 6
THIN = "\u2009"
PLANES = ("features", "over time", "embedding")
Corners = list[tuple[float, float]]


@pytest.fixture
def project() -> Project:
    """Spikes 5 ms apart; those of unit 0 have amplitudes of 10, 11, ... 21, and features in a row."""
    made = tiny_project(WAYS, masses=MASSES)
    amplitude = made.spikes.amplitude.copy()
    amplitude[:12] = -10.0 - np.arange(12)
    features = np.column_stack([np.arange(18), 3.0 * (np.arange(18) % 2)]).astype(np.float32)
    waveforms = {0: replace(made.waveforms[0], features=features)}
    return replace(made, spikes=replace(made.spikes, amplitude=amplitude), waveforms=waveforms)


@pytest.fixture
def window(qtbot, tmp_path: Path, project: Project, monkeypatch) -> Iterator[MainWindow]:
    """All panels of splits are on screen; the t-SNE has the spikes in a row."""
    plane = np.column_stack([np.arange(18.0), np.zeros(18)]).astype(np.float32)
    monkeypatch.setattr("ncpgui.app.work.measures.embed", lambda features, **_: plane)
    path = tmp_path / "tiny.h5"
    saved_copy(project, path)
    with shown_window(qtbot, tmp_path) as made:
        made.resize(1280, 800)
        made.open_path(path)
        show_only(made.bench, "cards", "embedding", "features", "over time", "units")
        made.workspace.select([0])
        settle()
        yield made


def pixel(panel: LassoPanel, x: float, y: float) -> QtCore.QPoint:
    """Place of coordinates on the plot."""
    return panel.scatter.mapFromScene(panel.scatter.getViewBox().mapViewToScene(QtCore.QPointF(x, y)))


@pytest.fixture
def draw(qtbot) -> Callable[..., None]:
    """Set corners with Ctrl+click."""

    def draw(panel: LassoPanel, corners: Corners) -> None:
        for x, y in corners:
            where = pixel(panel, x, y)
            assert panel.scatter.viewport().rect().contains(where), (x, y)
            qtbot.mouseClick(panel.scatter.viewport(), QtCore.Qt.LeftButton, QtCore.Qt.ControlModifier, where)
        settle()

    return draw


def units(window: MainWindow) -> list[int]:
    return window.workspace.state.clustering.unit_of_spike.tolist()


def line(window: MainWindow) -> str:
    """What is said above the cards, once the window has settled."""
    settle()
    label = window.bench.alternatives.consequence
    return label.text() if label.isVisible() else ""


def message(window: MainWindow) -> str:
    return window.statusBar().currentMessage()


def panel_and_corners(window: MainWindow, plane: str) -> tuple[LassoPanel, Corners]:
    """A panel, and a polygon around spikes 0 .. 5 of unit 0 in it."""
    bench = window.bench
    if plane == "embedding":
        return bench.embedding, [(-0.4, -0.4), (5.5, -0.4), (5.5, 0.4), (-0.4, 0.4)]
    if plane == "over time":  # until 32.5 ms: amplitudes of 10 .. 15
        return bench.amplitudes, [(0.001, 2), (0.0325, 2), (0.0325, 17), (0.001, 17)]
    for name, axis in (("x", "time"), ("y", "amplitude")):
        bench.features.choose(name, axis)
    settle()
    return bench.features, [(0.004, 9.8), (0.0325, 9.8), (0.0325, 15.5), (0.004, 15.5)]


@pytest.mark.parametrize("plane", PLANES)
def test_a_lasso_splits_the_selected_unit_in_two_key_presses(window, draw, press, plane) -> None:
    panel, corners = panel_and_corners(window, plane)
    draw(panel, corners)
    assert line(window) == "Lasso: 6 of 12 spikes of 0 inside · K shows the split · Esc clears"
    assert panel.note.text() == line(window)
    press("K")
    assert line(window).startswith(
        f"Split 0? 0a: 6 | 0b: 6 spikes · P(split) 20{THIN}% · within 2 ms of each other across the parts"
    )
    assert "K or Enter does it, Esc leaves" in line(window)
    assert units(window) == [0] * 12 + [1] * 6
    assert window.bench.alternatives.adopt.text() == "Split"
    press("K")
    assert units(window) == [2] * 6 + [3] * 6 + [1] * 6
    assert window.workspace.state.history.undo_words == "split 0 by lasso (6 | 6 spikes)"
    assert window.workspace.lasso is None
    press("Ctrl+Z")
    assert units(window) == [0] * 12 + [1] * 6
    assert not window.workspace.state.history.can_undo


@pytest.mark.parametrize("selected", [[], [1]])
@pytest.mark.parametrize("plane", PLANES)
def test_a_lasso_around_spikes_of_one_unit_splits_that_unit_whatever_else_is_selected(
    window, draw, press, plane, selected
) -> None:
    window.workspace.select(selected)
    settle()
    draw(*panel_and_corners(window, plane))
    assert line(window) == "Lasso: 6 of 12 spikes of 0 inside · K shows the split · Esc clears"
    press("K", "K")
    assert units(window) == [2] * 6 + [3] * 6 + [1] * 6


def test_a_split_leaves_the_numbers_of_the_other_units(window, draw, press) -> None:
    def row_of_unit_1() -> list[str]:
        settle()
        model = window.bench.units.model
        rows = [
            [model.index(row, c).data() for c in range(model.columnCount())]
            for row in range(model.rowCount())
        ]
        return next(row for row in rows if "1" in row[:2])

    before = row_of_unit_1()
    draw(*panel_and_corners(window, "features"))
    press("K", "K")
    assert units(window) == [2] * 6 + [3] * 6 + [1] * 6
    assert row_of_unit_1() == before


def test_enter_and_the_button_do_it_too(window, draw, press) -> None:
    panel, corners = panel_and_corners(window, "over time")
    draw(panel, corners)
    press("K", "Return")
    assert units(window) == [2] * 6 + [3] * 6 + [1] * 6
    press("Ctrl+Z")
    window.workspace.select([0])
    draw(panel, corners)
    press("K")
    window.bench.alternatives.adopt.click()
    assert len(set(units(window)[:12])) == 2


def test_escape_leaves_the_split_then_the_lasso_and_keeps_the_selection(window, draw, press) -> None:
    panel, corners = panel_and_corners(window, "features")
    draw(panel, corners)
    press("K", "Escape")
    assert window.workspace.proposal is None
    assert line(window).startswith("Lasso: 6 of 12")
    press("Escape")
    assert window.workspace.lasso is None
    assert window.workspace.selected == (0,)
    assert line(window) == ""
    assert panel.note.text() == ""


def right_click(qtbot, panel: LassoPanel, corner: tuple[float, float]) -> None:
    where = pixel(panel, *corner)
    qtbot.mouseClick(panel.scatter.viewport(), QtCore.Qt.RightButton, QtCore.Qt.NoModifier, where)
    settle()


def test_a_right_click_clears_the_lasso(window, draw, qtbot) -> None:
    for plane in PLANES:
        panel, corners = panel_and_corners(window, plane)
        draw(panel, corners)
        assert window.workspace.lasso is not None
        right_click(qtbot, panel, corners[0])
        assert window.workspace.lasso is None, plane


def test_corners_set_quickly_are_corners_and_not_a_double_click(window, draw, qtbot) -> None:
    for plane in PLANES:
        panel, corners = panel_and_corners(window, plane)
        draw(panel, corners[:1])
        where = pixel(panel, *corners[2])
        qtbot.mouseDClick(panel.scatter.viewport(), QtCore.Qt.LeftButton, QtCore.Qt.ControlModifier, where)
        settle()
        assert len(window.workspace.lasso.corners) == 2, plane
        assert (pixel(panel, *corners[2]) - where).manhattanLength() <= 1, plane
        right_click(qtbot, panel, corners[0])


@pytest.mark.parametrize("plane", PLANES)
def test_the_lasso_is_painted_and_keeps_the_zoom(window, draw, screen, plane) -> None:
    """The first corner is as dark as words are, in the same place after the panel was drawn anew."""
    panel, corners = panel_and_corners(window, plane)
    before = pixel(panel, *corners[0])
    draw(panel, corners)
    window.workspace.show_alternative(1)
    settle()
    window.workspace.show_alternative(None)
    settle()
    assert (pixel(panel, *corners[0]) - before).manhattanLength() <= 1
    corner = QtCore.QRectF(QtCore.QPointF(before) - QtCore.QPointF(3, 3), QtCore.QSizeF(6, 6))
    assert (
        min(QtGui.QColor(color).lightness() for color in screen.colors(panel.scatter.viewport(), corner)) < 60
    )


def test_a_corner_in_another_panel_begins_another_lasso(window, draw) -> None:
    panel, corners = panel_and_corners(window, "features")
    draw(panel, corners)
    draw(window.bench.amplitudes, [(0.01, 12)])
    assert window.workspace.lasso.plane == "over time"
    assert len(window.workspace.lasso.corners) == 1
    assert panel.note.text() == ""


def test_other_axes_clear_a_lasso_in_features(window, draw) -> None:
    panel, corners = panel_and_corners(window, "features")
    draw(panel, corners)
    panel.choose("x", "PC 1")
    settle()
    assert window.workspace.lasso is None


def test_depth_in_place_of_amplitude_clears_a_lasso_over_time(window, draw, press) -> None:
    panel, corners = panel_and_corners(window, "over time")
    draw(panel, corners)
    press("A")
    assert window.workspace.lasso is None


def test_nothing_inside_all_inside_and_accepted_units_are_said_and_nothing_happens(
    window, draw, press
) -> None:
    panel, corners = panel_and_corners(window, "over time")
    draw(panel, [(0.001, 2), (0.002, 2), (0.002, 4)])
    press("K")
    assert message(window) == "No spike of unit 0 is inside the lasso; nothing is split"
    press("Escape")
    draw(panel, [(0.001, 1), (0.094, 1), (0.094, 21.4), (0.001, 21.4)])
    press("K")
    assert message(window) == "All spikes of unit 0 are inside the lasso; nothing is split"
    press("Escape", "Y")
    draw(panel, corners)
    press("K")
    assert message(window) == "Unit 0 is accepted and not split; open it (Y) first"
    assert units(window) == [0] * 12 + [1] * 6


def test_without_a_lasso_the_key_says_how_to_draw_one(window, press) -> None:
    press("K")
    assert message(window).startswith("Draw a lasso first: Ctrl+click sets its corners")


def test_all_panels_show_the_parts_before_it_is_done(window, draw, press) -> None:
    show_only(window.bench, "cards", "waveforms", "embedding", "over time", "correlograms")
    settle()
    panel, corners = panel_and_corners(window, "over time")
    draw(panel, corners)
    press("K")
    bench = window.bench
    assert bench.correlograms.grid.view.names == ("0a", "0b")
    columns = bench.waveforms.plot.view.columns
    ghosts = {column.name: [ghost.name for ghost in column.ghosts] for column in columns}
    assert ghosts == {"0a": ["0"], "0b": ["0"], "1": []}
    assert "0a" in bench.embedding.scatter.points.names
    assert (bench.embedding.scatter.points.ring < 0).all()  # rings would hide the colours of the parts
    assert not any(widget.card.is_shown for widget in bench.alternatives.cards)


def test_beside_the_title_the_panel_says_how_to_go_on(window, draw, press) -> None:
    panel, corners = panel_and_corners(window, "over time")
    draw(panel, corners)
    press("K")
    assert panel.note.text() == "K or Enter does the split · Esc leaves it"


def test_one_unit_is_split_as_the_card_on_screen_has_it(window, press) -> None:
    press("2", "Shift+K")
    assert line(window).startswith(f"Split 0? 0a: 6 | 0b: 6 spikes · P(split) 20{THIN}%")
    press("K")
    assert units(window) == [2] * 6 + [3] * 6 + [1] * 6
    assert window.workspace.state.history.undo_words == "split 0 as alternative 2 (6 | 6 spikes)"


def test_two_selected_units_say_what_a_merge_would_do(window) -> None:
    window.workspace.select([0, 1])
    assert line(window).startswith("Merge 0 + 1? one neuron in no draw · within 2 ms")
    assert line(window).endswith("G merges")
    assert "root of the sum of squared differences" in window.bench.alternatives.consequence.toolTip()
    window.workspace.select([1])
    assert line(window) == ""


def test_all_that_comes_with_one_edit_is_looked_at_once_for_the_line(window, monkeypatch) -> None:
    """A merge changes the lasso, the selection and the sorting."""
    asked: list[tuple[int, ...]] = []
    monkeypatch.setattr(
        alternatives,
        "present_consequence",
        lambda workspace, _tsne: asked.append(workspace.selected) or Consequence(),
    )
    window.workspace.select([0, 1])
    window.workspace.merge((0, 1))
    settle()
    assert asked == [window.workspace.selected]
