"""The list of similar units: what it says of each, and what a click on it selects."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt5 import QtCore

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.similar_units import present_similar
from ncpgui.gui.panels.similar_units import COLUMNS, DOT_PX, SimilarUnitsPanel
from ncpgui.gui.theme import DARK, LIGHT, apply_theme

TITLES = [column.title for column in COLUMNS]


@pytest.fixture
def panel(show, workspace: Workspace) -> SimilarUnitsPanel:
    workspace.select([0])
    return show(SimilarUnitsPanel, 500, 260)


def cells(panel: SimilarUnitsPanel, row: int = 0) -> dict[str, str]:
    return {title: panel.model.index(row, k).data() for k, title in enumerate(TITLES)}


def test_a_row_says_what_is_known_of_the_pair(panel, workspace, runner, screen) -> None:
    """One of four samples puts both units together; one is half as deep as the other; times come later."""
    row = cells(panel)
    assert (row["unit"], row["P(same)"], row["cosine"], row["times"], row["ch"]) == (
        "1",
        "25",
        "1.00",
        "–",
        "0",
    )
    assert row["apart"] == f"{present_similar(workspace).rows[0].distance_sd:.1f}"
    assert panel.note.text() == "1 unit near unit 0"
    runner.let_go()
    screen.settle()
    assert cells(panel)["times"] == "0.0"


def test_a_decision_and_a_label_appear(panel, workspace, screen) -> None:
    workspace.link((0, 1), same=True)
    workspace.label((1,), "good")
    screen.settle()
    assert (cells(panel)["P(same)"], cells(panel)["label"]) == ("100", "good")


def test_a_click_shows_both_units_and_another_takes_it_away(panel, workspace, screen, qtbot) -> None:
    place = panel.table.visualRect(panel.model.index(0, 1)).center()
    screen.click(panel.table.viewport(), QtCore.QPointF(place))
    assert (workspace.selected, workspace.similar) == ((0, 1), (1,))
    screen.settle()
    assert [index.row() for index in panel.table.selectionModel().selectedRows()] == [0]
    assert panel.note.text() == "1 unit near unit 0"
    screen.click(panel.table.viewport(), QtCore.QPointF(place), ctrl=True)
    assert (workspace.selected, workspace.similar) == ((0,), ())


def test_what_is_pointed_out_is_beside_the_unit_of_the_list_until_it_is_already(panel, workspace) -> None:
    place = panel.table.viewport().mapTo(panel, panel.table.visualRect(panel.model.index(0, 1)).center())
    below = QtCore.QPoint(place.x(), panel.height() - 5)
    assert not panel.point_out(panel.mapToGlobal(below))
    assert workspace.similar == ()
    for _ in range(2):
        assert panel.point_out(panel.mapToGlobal(place))
        assert workspace.similar == (1,)


def test_columns_that_do_not_fit_are_left_out_whole_the_last_first(panel, screen) -> None:
    def shown() -> list[str]:
        return [title for k, title in enumerate(TITLES) if not panel.table.isColumnHidden(k)]

    found = {}
    for width in (500, 230, 174, 500):
        panel.resize(width, 260)
        screen.settle()
        found[width] = shown()
        assert panel.table.horizontalHeader().length() <= panel.table.viewport().width()
    assert found[500] == TITLES
    assert found[230] == TITLES[: len(found[230])]
    assert 2 < len(found[230]) < len(TITLES)
    assert found[174] == ["unit", "P(same)"]


def test_without_a_unit_it_says_what_to_do(panel, workspace, screen) -> None:
    workspace.select([])
    screen.settle()
    assert panel.message.text() == "Select a unit to see which others may be the same neuron."
    assert not panel.table.isVisible()
    workspace.state.close()
    screen.settle()
    assert panel.message.text() == "Open a recording or a session to begin."


def test_without_waveforms_templates_are_unknown(show, workspace, small_project) -> None:
    workspace.state.open(replace(small_project, waveforms={}))
    workspace.select([0])
    panel = show(SimilarUnitsPanel, 500, 260)
    assert (cells(panel)["apart"], cells(panel)["cosine"], cells(panel)["P(same)"]) == ("–", "–", "25")


def test_dots_have_the_colours_of_units_in_both_themes(panel, workspace, screen, qapp) -> None:
    color = workspace.state.sortings.colors.color(1)
    for theme in (LIGHT, DARK):
        apply_theme(qapp, theme)
        panel.set_theme(theme)
        workspace.take_similar([1] if theme is DARK else [])
        screen.settle()
        rect = QtCore.QRectF(panel.table.visualRect(panel.model.index(0, 0)))
        assert theme.unit(color).name() in screen.colors(panel.table.viewport(), rect)


def test_a_dot_is_in_the_middle_of_its_picture(panel) -> None:
    picture = panel.model.data(panel.model.index(0, 0), QtCore.Qt.DecorationRole).pixmap(DOT_PX, DOT_PX)
    image = picture.toImage()
    size = range(image.width())
    solid = np.array([[image.pixelColor(x, y).alpha() > 128 for x in size] for y in size])
    assert solid.any()
    assert np.array_equal(solid, solid[::-1])
    assert np.array_equal(solid, solid[:, ::-1])


def test_keys_are_left_to_the_window_and_headers_explain_themselves(panel) -> None:
    assert panel.table.focusPolicy() == panel.table.horizontalHeader().focusPolicy() == QtCore.Qt.NoFocus
    for number in range(len(COLUMNS)):
        assert panel.model.headerData(number, QtCore.Qt.Horizontal, QtCore.Qt.ToolTipRole)
