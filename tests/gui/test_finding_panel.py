"""Finding: the interval of each unit is painted, and clicks lead to the unit and to its question."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.app.presenters.finding import CHOICES
from ncpgui.gui.panels.finding import ORDER, REMEMBERED, FindingPanel
from tests.doubtful_project import component_of, posterior_of, project_of
from tests.gui.painted_text import collisions, painted_texts


@pytest.fixture
def panel(show, workspace, runner, screen) -> FindingPanel:
    workspace.state.open(project_of(component_of(posterior_of())))
    found = show(FindingPanel)
    assert "is computed" in found.message.text()
    runner.let_go()
    screen.settle()
    return found


def test_the_band_of_a_unit_that_is_in_doubt_is_wider_than_that_of_others(panel, screen) -> None:
    rows = panel.rows.view.rows
    assert rows[0].unit == 2
    widths = {row.unit: row.high - row.low for row in rows}
    assert widths[2] == max(widths.values())
    color = panel.theme.unit(rows[0].color).name()
    assert screen.colors(panel.rows, panel.rows.row_rect(0)).get(color, 0) > 10
    assert panel.note.text() == "3 robust · 1 open"


def test_the_band_lies_from_the_lower_to_the_upper_end_on_the_axis(panel, screen) -> None:
    row, axis = panel.rows.view.rows[0], panel.rows.axis_rect(0)
    image = panel.rows.grab().toImage()
    y = round(axis.center().y()) + 3  # below the line of the axis
    ground = image.pixelColor(round(axis.left()) - 2, y)
    painted = [x for x in range(int(axis.left()), int(axis.right())) if image.pixelColor(x, y) != ground]
    assert painted[0] == pytest.approx(axis.left() + axis.width() * row.low, abs=3)
    assert painted[-1] == pytest.approx(axis.left() + axis.width() * row.high, abs=3)


def test_a_click_selects_the_unit_and_one_on_what_it_depends_on_shows_the_question(
    panel, workspace, screen
) -> None:
    shown: list[int] = []
    workspace.current_changed.connect(lambda: shown.append(1))
    screen.click(panel.rows, panel.rows.row_rect(1).center())
    assert workspace.selected == (panel.rows.view.rows[1].unit,)
    screen.click(panel.rows, panel.rows.verdict_rect(0).center())
    assert workspace.component_id == 0
    assert workspace.selected != (panel.rows.view.rows[0].unit,)


def test_an_edit_makes_it_anew(panel, workspace, runner, screen) -> None:
    workspace.set_accepted((2,), True)
    screen.settle()
    assert "is computed" in panel.message.text()
    runner.let_go()
    screen.settle()
    assert {row.verdict for row in panel.rows.view.rows} == {"robust"}


def test_questions_are_asked_in_its_order_as_long_as_it_is_checked(panel, workspace, screen) -> None:
    def order() -> QtWidgets.QAction:
        return next(entry for entry in panel.choice_menu().actions() if entry.text() == ORDER)

    order().trigger()
    screen.settle()
    assert workspace.questions.asked_by == "Firing rate"
    assert order().isChecked()
    order().trigger()
    screen.settle()
    assert workspace.questions.asked_by == ""


def test_the_finding_that_was_chosen_is_remembered(panel, controller) -> None:
    panel.look_at(CHOICES[0])
    assert controller.preferences.get(REMEMBERED, "") == "Firing rate"
    menu = panel.choice_menu()
    assert [entry.text() for entry in menu.actions() if entry.isChecked()] == ["Firing rate"]


def test_the_tooltip_says_where_the_interval_comes_from(panel) -> None:
    inside = QtCore.QPointF(panel.rows.row_rect(0).center())
    assert "of the variance comes from the sorting" in panel.rows.tooltip_at(inside)
    assert panel.rows.tooltip_at(QtCore.QPointF(5, -5)) == ""


@pytest.mark.parametrize("width", [120, 180, 230, 400])
def test_what_a_finding_depends_on_is_whole_however_narrow_the_panel_is(panel, width: int) -> None:
    panel.rows.setFixedWidth(width)
    texts = painted_texts(panel.rows)
    whole = {words for row in panel.rows.view.rows for words in row.verdicts}
    assert len([text for text in texts if text.words in whole]) == len(panel.rows.view.rows)
    assert [text.words for text in texts if text.overhang_px > 1] == []
    assert ({row.value for row in panel.rows.view.rows} <= {text.words for text in texts}) == (width >= 230)
    assert collisions(texts) == []
