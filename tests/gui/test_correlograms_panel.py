"""Correlograms: a cell a pair of units, computed only while one looks at them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui

from ncpgui.app.model.colors import Color
from ncpgui.gui.panels.correlograms import CorrelogramsPanel
from ncpgui.gui.theme import DARK, LIGHT
from tests.gui.painted_text import collisions, painted_texts

BLUE, ORANGE = (LIGHT.unit(Color(k)).name() for k in (0, 1))


@pytest.fixture
def panel(show, runner, screen) -> CorrelogramsPanel:
    """With the correlograms of units 0 (six spikes, two of them 0.5 ms apart) and 1 (four)."""
    panel = show(CorrelogramsPanel)
    runner.let_go()
    screen.settle()
    return panel


def test_it_says_that_it_computes_and_then_shows_the_grid(show, runner, screen) -> None:
    panel = show(CorrelogramsPanel)
    assert panel.message.text() == "Correlograms are being computed …"
    runner.let_go()
    screen.settle()
    assert not panel.message.isVisible()
    assert panel.scale.text() == "±25 / 1 ms"


def test_window_and_bins_are_chosen_from_the_button_and_remembered(panel, screen, runner) -> None:
    def choose(words: str) -> None:
        next(entry for entry in panel.scale_menu().actions() if entry.text() == words).trigger()
        screen.settle()
        runner.let_go()
        screen.settle()

    assert [e.text() for e in panel.scale_menu().actions() if e.isChecked()] == ["±25 ms", "bins of 1 ms"]
    choose("±100 ms")
    choose("bins of 2 ms")
    assert panel.scale.text() == "±100 / 2 ms"
    edges = panel.grid.view.found.edges_ms
    assert (edges[0], edges[-1], edges[1] - edges[0]) == (-100, 100, 2)
    assert panel.controller.preferences.get("correlograms", None) == [100, 2]


def test_the_axis_and_the_highest_count_are_written(panel) -> None:
    texts = {text.words.strip() for text in painted_texts(panel.grid)}
    assert {"−25", "25\u2009ms", str(panel.grid.view.highest(0, 0))} <= texts


def test_a_unit_has_its_colour_on_the_diagonal_only(panel, screen) -> None:
    own = [screen.colors(panel.grid, panel.grid.cell_rect(k, k)) for k in (0, 1)]
    assert BLUE in own[0]
    assert ORANGE not in own[0]
    assert BLUE not in own[1]
    above = screen.colors(panel.grid, panel.grid.cell_rect(0, 1))
    below = screen.colors(panel.grid, panel.grid.cell_rect(1, 0))
    assert not {BLUE, ORANGE} & {*above, *below}


def test_the_refractory_band_lies_around_zero(panel, screen) -> None:
    """Two of fifty ms on either side: from 0.46 to 0.54 of the width of the cell."""
    rect = panel.grid.cell_rect(0, 1)
    y = rect.top() + 24  # below the words
    shades = {
        share: QtGui.QColor(screen.pixel(panel.grid, _at(rect, share, y))) for share in (0.3, 0.47, 0.53, 0.7)
    }
    assert shades[0.47] == shades[0.53] != shades[0.3] == shades[0.7]
    assert shades[0.47].red() > shades[0.47].green()


def _at(rect: QtCore.QRectF, share: float, y: float) -> QtCore.QPointF:
    return QtCore.QPointF(rect.left() + share * rect.width(), y)


def test_a_click_on_the_diagonal_selects_the_unit(panel, workspace, qtbot) -> None:
    def click(row: int, column: int, keys=QtCore.Qt.NoModifier) -> None:
        where = panel.grid.cell_rect(row, column).center().toPoint()
        qtbot.mouseClick(panel.grid, QtCore.Qt.LeftButton, keys, where)

    click(1, 1)
    assert workspace.selected == (1,)
    click(0, 0, QtCore.Qt.ControlModifier)
    assert workspace.selected == (1, 0)
    click(0, 1)
    assert workspace.selected == (1, 0)


def test_intervals_are_a_key_away(panel, screen) -> None:
    """All but one of the intervals are longer than the histogram, and that one is 0.5 ms: the second bin."""
    panel.intervals.toggle()
    screen.settle()
    assert panel.intervals.isChecked()
    rect = panel.grid.cell_rect(0, 0)
    left = QtCore.QRectF(rect.left(), rect.top() + 30, 0.05 * rect.width(), rect.height() - 34)
    right = QtCore.QRectF(rect.left() + 0.1 * rect.width(), left.top(), 0.9 * rect.width(), left.height())
    assert BLUE in screen.colors(panel.grid, left)
    assert BLUE not in screen.colors(panel.grid, right)


def test_the_preview_is_computed_and_hidden_it_asks_for_nothing(panel, workspace, runner, screen) -> None:
    workspace.show_alternative(1)
    screen.settle()
    assert len(runner.held) == 1
    runner.let_go()
    screen.settle()
    assert panel.grid.view.names == ("0+1",)
    panel.hide()
    workspace.show_alternative(None)
    workspace.select([0, 1])
    screen.settle()
    assert runner.held == []


def test_two_selected_units_are_asked_for_when_they_are_selected(panel, workspace, runner, screen) -> None:
    """The grid of both is known: there are two units; a grid of one is that of all."""
    workspace.select([1])
    screen.settle()
    workspace.select([0, 1])
    screen.settle()
    assert runner.held == []


def test_both_themes_have_their_own_ground(panel, screen) -> None:
    screen.in_theme(panel, DARK)
    assert screen.pixel(panel.grid, QtCore.QPointF(1, panel.grid.height() - 2)) == DARK.panel.lower()


def test_the_words_about_a_pair_name_it(panel) -> None:
    grid = panel.grid
    lines = grid.words_of_pair(1, 0, grid.cell_rect(1, 0)).split("\n")
    assert lines[0] == "between 0 and 1:"
    assert "within 2 ms" in lines[1]
    assert grid.words_of_pair(1, 0, QtCore.QRectF(0, 0, 40, 12)) == lines[1].split(" ")[0]


@pytest.mark.parametrize("size", [(300, 170), (300, 400), (420, 800)])
def test_many_units_in_a_small_room_are_bars_and_numbers_that_do_not_collide(
    panel, screen, size: tuple[int, int]
) -> None:
    """Ten units: their 100 cells have words only where there is room for them."""
    known, n = panel.grid.view, 10
    found = replace(
        known.found,
        counts=np.full((n, n, 50), 1038),
        close=np.full((n, n), 12),
        expected=np.full((n, n), 53.0),
        intervals=np.full((n, known.found.intervals.shape[1]), 8),
    )
    view = replace(
        known,
        names=tuple(str(20 + k) for k in range(n)),
        colors=tuple(map(Color, range(n))),
        units=tuple(range(20, 20 + n)),
        is_selected=(True,) * n,
        found=found,
    )
    panel.grid.set_view(view, panel.theme)
    panel.grid.resize(*size)
    texts = painted_texts(panel.grid)
    assert {str(20 + k) for k in range(n)} <= {text.words for text in texts}
    assert collisions(texts) == []
    assert [text.words for text in texts if text.overhang_px > 1] == []
