"""Decisions in the real window: what is used, accepted and merged is what was on screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.core.project import Project
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import settle, shown_window
from tests.read_once import saved_copy
from tests.tiny_project import tiny_project

# channel 0: units 0, 1, 2 and a spike of none; 0 and 1 together; 1 left out. 1: unit 3. 2: noise.
# 3: noise, perhaps a unit.
APART = [0] * 8 + [1] * 6 + [2] * 5 + [-1]
WAYS = {
    0: [APART, [0] * 14 + [1] * 5 + [-1], [0] * 8 + [-1] * 6 + [1] * 5 + [-1]],
    1: [[0] * 6, [0, 0, 0, 1, 1, 1]],
    2: [[-1] * 4],
    3: [[-1] * 5, [0] * 5],
}
MASSES = {0: [0.4, 0.4, 0.1], 1: [0.9, 0.1], 2: [1.0], 3: [0.7, 0.3]}


@pytest.fixture
def project() -> Project:
    return tiny_project(WAYS, masses=MASSES)


@pytest.fixture
def window(qtbot, tmp_path: Path, project: Project) -> Iterator[MainWindow]:
    path = tmp_path / "tiny.h5"
    saved_copy(project, path)
    with shown_window(qtbot, tmp_path) as made:
        made.open_path(path)
        assert made.workspace.component_id == 0
        yield made


def units(window: MainWindow, channel: int = 0) -> list[int]:
    component = window.workspace.component(channel)
    assert component is not None
    return window.workspace.state.clustering.unit_of_spike[component.spike_ids].tolist()


def words(window: MainWindow) -> list[str]:
    return [widget.card.words for widget in window.bench.alternatives.cards]


# -- beside an accepted unit ----------------------------------------------------------------------


def test_using_a_sorting_beside_an_accepted_unit_drops_no_spike(window: MainWindow, press) -> None:
    press("Down", "Y", "2")
    assert words(window)[1] == "same units; 0 stays as accepted"
    assert "0: 8 · 1: 6 · 2: 5 · 1 unassigned" in window.bench.alternatives.cards[1].toolTip()
    assert not window.bench.alternatives.adopt.isEnabled()
    press("Return")
    assert "differs from the one in use only in what is accepted (unit 0)" in window.banner.text.text() + (
        window.statusBar().currentMessage()
    )
    assert units(window) == APART
    assert window.workspace.state.history.labels.accepted == {0}


def test_a_card_that_unassigns_spikes_says_how_many(window: MainWindow, press) -> None:
    press("3")
    assert words(window)[2] == "unassigns 6 spikes of 1"
    press("Return")
    assert units(window).count(-1) == 7
    assert words(window) == ["assigns 6 spikes to new", "assigns 6 spikes to 0", "in use"]
    assert window.bench.alternatives.cards[2].card.line == "as the units are now, 7 unassigned"


# -- the queue has an end -------------------------------------------------------------------------


def test_accepting_and_going_on_settles_the_whole_queue(window: MainWindow, press) -> None:
    queue = window.bench.queue
    assert queue.note.text() == "0 of 3 settled"  # the component of noise is no question
    assert window.status.wrong_left.text() == "Expected wrong assignments left: 3"
    for _ in range(3):
        panel = window.bench.alternatives
        assert panel.adopt.isEnabled() == (
            window.workspace.questions.status(window.workspace.component_id).state == "sampled"
        )
        press("Return", "Space")
        assert not window.banner.isVisible()
    assert queue.note.text() == "3 of 3 settled"
    assert window.status.wrong_left.text() == "Expected wrong assignments left: 0"
    assert queue.model.rows == ()
    captions = {row.contact: row.caption for row in queue.settled.rows.rows}
    assert captions == {0: "3 units", 1: "1 unit", 3: "no units"}


def test_every_panel_says_the_same_number_of_units(window: MainWindow, press) -> None:
    press("2", "Return")
    (row,) = window.bench.queue.settled.rows.rows
    (in_use,) = [widget.card for widget in window.bench.alternatives.cards if widget.card.is_in_use]
    assert (row.caption, in_use.title, window.bench.units.note.text()) == (
        "2 units", "2 units", "2 units on screen"
    )  # fmt: skip


# -- nothing is edited unseen ---------------------------------------------------------------------


def press_and_answer(qtbot, window: MainWindow, name: str, button: str) -> str:
    """Press a key, click a button of the question that comes, and return what it asked."""
    asked: list[str] = []

    def click() -> None:
        box = QtWidgets.QApplication.activeModalWidget()
        if isinstance(box, QtWidgets.QMessageBox):
            asked.append(box.text())
            (clicked,) = [one for one in box.buttons() if one.text() == button]
            clicked.click()

    QtWidgets.QApplication.setActiveWindow(window)
    settle()
    QtCore.QTimer.singleShot(0, click)
    qtbot.keyClick(window, getattr(QtCore.Qt, f"Key_{name}"))
    settle()
    return asked[0] if asked else ""


def test_g_in_a_preview_asks_before_it_merges_what_is_not_drawn(qtbot, window: MainWindow, press) -> None:
    press("Ctrl+A", "2")
    asked = press_and_answer(qtbot, window, "G", "Keep the 3 units")
    assert asked == (
        "Units 0 and 1 are in use but not on screen, which shows a preview. Merge 0 + 1 + 2 all the same?"
    )
    assert units(window) == APART
    assert window.workspace.preview == 1
    assert press_and_answer(qtbot, window, "G", "Merge 0 + 1 + 2") == asked
    assert units(window) == [4] * 19 + [-1]


def test_g_merges_units_of_two_channels_at_once_because_all_of_them_are_drawn(
    qtbot, window: MainWindow, press
) -> None:
    window.workspace.show_component(3)
    press("U")
    window.bench.units.table.selectAll()  # all units of the recording: 0, 1, 2 and 3
    settle()
    assert [column.name for column in window.bench.waveforms.plot.view.columns] == ["0", "1", "2", "3"]
    assert press_and_answer(qtbot, window, "G", "") == ""
    assert len(set(units(window)[:19])) == 1


def test_g_asks_before_it_merges_an_accepted_unit(qtbot, window: MainWindow, press) -> None:
    press("Down", "Y", "Ctrl+A")
    asked = press_and_answer(qtbot, window, "G", "Keep the 3 units")
    assert asked == "Unit 0 is accepted. Merge 0 + 1 + 2 all the same?"
    assert units(window) == APART


# -- the mouse -------------------------------------------------------------------------------------


def test_the_button_and_a_double_click_use_the_sorting_on_screen(window: MainWindow, press, qtbot) -> None:
    panel = window.bench.alternatives
    press("2")
    qtbot.mouseClick(panel.adopt, QtCore.Qt.LeftButton)
    assert units(window) == [4] * 14 + [2] * 5 + [-1]
    press("Ctrl+Z")
    assert units(window) == APART
    card = panel.cards[1]
    qtbot.mouseClick(card, QtCore.Qt.LeftButton)
    qtbot.mouseDClick(card, QtCore.Qt.LeftButton)
    assert len(set(units(window)[:14])) == 1
