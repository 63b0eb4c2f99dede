"""The similarity matrix: what a cell shows and says, what a click selects, and whose order it has."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt5 import QtCore

from ncpgui.app.model.colors import Color
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.similarity_matrix import SimilarityView, present_similarity
from ncpgui.app.presenters.unit_columns import COLUMNS
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels.similarity import SimilarityPanel, SimilarityWidget
from ncpgui.gui.theme import LIGHT
from tests.gui.painted_text import painted_texts
from tests.gui.windows import settle

THIN = "\u2009"


@pytest.fixture
def panel(show) -> SimilarityPanel:
    return show(SimilarityPanel, 320, 320)


def middle(panel: SimilarityPanel, row: int, column: int) -> QtCore.QPointF:
    return panel.matrix.cell_rect(row, column).center()


def test_a_pair_has_the_share_of_draws_that_make_it_one(workspace: Workspace) -> None:
    view = present_similarity(workspace, (1, 0))
    assert view.units == (1, 0)
    assert view.p_same[0, 1] == view.p_same[1, 0] == 0.25  # one draw of four
    assert np.isnan(view.p_same[0, 0])


def test_the_tooltip_says_pair_and_value(panel) -> None:
    words = panel.matrix.tooltip_at(middle(panel, 0, 1))
    assert words.startswith(f"Units 0 and 1: P(same) 25{THIN}%\nThe share of the draws")
    assert panel.matrix.tooltip_at(middle(panel, 1, 1)).startswith("Unit 1\n")
    beside = QtCore.QPointF(3, middle(panel, 1, 1).y())
    assert panel.matrix.tooltip_at(beside) == "Number and colour of unit 1, as in the table"


def test_a_pair_of_no_common_question_was_never_in_doubt() -> None:
    view = SimilarityView(units=(3, 8), p_same=np.full((2, 2), np.nan))
    assert view.tooltip(0, 1).startswith("Units 3 and 8: never in doubt together")


def test_a_click_on_a_cell_selects_both_units_and_on_the_diagonal_one(panel, workspace, screen) -> None:
    screen.click(panel.matrix, middle(panel, 1, 0))
    assert workspace.selected == (1, 0)
    screen.click(panel.matrix, middle(panel, 0, 0))
    assert workspace.selected == (0,)
    screen.click(panel.matrix, middle(panel, 1, 1), ctrl=True)
    assert workspace.selected == (0, 1)
    screen.click(panel.matrix, middle(panel, 1, 1), ctrl=True)
    assert workspace.selected == (0,), "as a second Ctrl+click takes a unit off in every panel"
    screen.click(panel.matrix, middle(panel, 0, 1), ctrl=True)
    assert workspace.selected == (0, 1)
    screen.click(panel.matrix, middle(panel, 0, 1), ctrl=True)
    assert workspace.selected == ()


def test_what_is_selected_is_framed(panel, workspace, screen) -> None:
    frame = LIGHT.color("accent").name()
    assert frame not in screen.colors(panel.matrix)
    workspace.select([0])
    screen.settle()
    assert frame in screen.colors(panel.matrix)


def test_numbers_of_units_are_written_where_there_is_room(panel) -> None:
    assert [text.words for text in painted_texts(panel.matrix)] == ["0", "0", "1", "1"]
    panel.matrix.set_view(_many(300), LIGHT)
    assert painted_texts(panel.matrix) == []


def _many(n: int) -> SimilarityView:
    return SimilarityView(tuple(range(n)), (Color(0),) * n, (False,) * n, np.full((n, n), 0.5))


def test_hundreds_of_units_are_one_picture_with_a_pixel_for_each_pair(qtbot) -> None:
    widget = SimilarityWidget()
    qtbot.addWidget(widget)
    widget.resize(330, 330)
    widget.set_view(_many(300), LIGHT)
    image = widget._image()
    assert (image.width(), image.height()) == (300, 300)
    assert len({image.pixelColor(k, (k + 1) % 300).name() for k in range(300)}) == 1
    assert widget.cell_at(QtCore.QPointF(329, 329)) == (299, 299)


def test_it_follows_the_sort_and_the_filter_of_the_table(opened: MainWindow) -> None:
    opened.actions_["similarity"].trigger()
    settle()
    bench, n_all = opened.bench, len(opened.workspace.state.clustering.unit_ids)
    assert bench.similarity.matrix.view.units == tuple(range(n_all))
    spikes = next(number for number, one in enumerate(COLUMNS) if one.name == "n_spikes")
    bench.units.table.sortByColumn(spikes, QtCore.Qt.DescendingOrder)
    settle()
    units = bench.similarity.matrix.view.units
    sizes = [len(opened.workspace.state.clustering.spikes_of(unit)) for unit in units]
    assert sizes == sorted(sizes, reverse=True)
    bench.units.set_filter("id < 3")
    settle()
    assert sorted(bench.similarity.matrix.view.units) == [0, 1, 2]


def test_a_merge_takes_a_row_away(opened: MainWindow) -> None:
    opened.bench.show_panel("similarity", True)
    settle()
    before = opened.bench.similarity.matrix.view.units
    pair = [unit.unit for unit in opened.workspace.shown().units][:2]
    opened.workspace.merge(pair)
    settle()
    after = opened.bench.similarity.matrix.view.units
    assert len(after) == len(before) - 1
    assert not {*pair} & {*after}


def test_without_a_project_it_says_what_to_do(panel, workspace, screen) -> None:
    workspace.state.close()
    screen.settle()
    assert panel.message.text() == "Open a recording or a session to begin."
