"""Units found, compared, labelled and copied in the real window, by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import settle, shown_window
from tests.read_once import saved_copy
from tests.tiny_project import tiny_project

# channel 0: units 0, 1 and 2, or 0 and 1 together; channel 1: unit 3, or halves
WAYS = {
    0: [[0] * 8 + [1] * 6 + [2] * 5, [0] * 14 + [1] * 5],
    1: [[0] * 6, [0, 0, 0, 1, 1, 1]],
}
MASSES = {0: [0.6, 0.4], 1: [0.7, 0.3]}


@pytest.fixture
def window(qtbot, tmp_path: Path) -> Iterator[MainWindow]:
    path = tmp_path / "tiny.h5"
    saved_copy(tiny_project(WAYS, masses=MASSES), path)
    with shown_window(qtbot, tmp_path) as made:
        made.open_path(path)
        made.workspace.show_component(0)
        yield made


def test_a_filter_is_written_used_and_taken_off_by_keys(window, press, qtbot) -> None:
    press("Ctrl+F")
    assert window.bench.units.filter.hasFocus()
    qtbot.keyClicks(window.bench.units.filter, "n_spikes > 5")
    press("Return")
    assert not window.bench.units.filter.hasFocus()
    assert window.workspace.state.history.entries == ()  # Enter did not accept the sorting
    press("Ctrl+A")
    assert window.workspace.selected == (0, 1)
    press("Ctrl+F", "Escape")
    assert window.bench.units.filter.text() == ""
    assert window.workspace.selected == (0, 1)  # Esc did not reach the window
    press("Down", "Shift+Down")
    assert window.workspace.selected == (2,)


def test_letters_are_written_into_the_filter_and_are_no_actions(window, press, qtbot) -> None:
    window.workspace.select([0, 1])
    press("Ctrl+F")
    for key in ("g", "y", "d", "x", " ", "1"):
        qtbot.keyClicks(window.bench.units.filter, key)
    settle()
    assert window.bench.units.filter.text() == "gydx 1"
    assert window.workspace.state.history.entries == ()


def test_arrows_follow_the_order_of_the_table(window, press) -> None:
    table = window.bench.units.table
    table.sortByColumn(7, QtCore.Qt.AscendingOrder)  # number of spikes: 2, 1, 0
    press("Down")
    assert window.workspace.selected == (2,)
    press("Shift+Down", "Shift+Down")
    assert window.workspace.selected == (2, 1, 0)
    press("Shift+Up")
    assert window.workspace.selected == (2, 1)
    press("Ctrl+Down")
    assert window.workspace.selected == (2, 0)


def test_pairs_are_walked_merged_and_labelled(window, press) -> None:
    workspace = window.workspace
    press("S", "Down")
    assert window.bench.similar.isVisible()
    assert workspace.selected == (0,)
    press("Space")
    assert (workspace.selected, workspace.similar) == ((0, 1), (1,))
    press("Ctrl+M", "Alt+G")
    labels = workspace.state.history.labels
    assert [labels.label(unit) for unit in (0, 1, 2)] == ["good", "mua", "unsorted"]
    press("Ctrl+Alt+N")
    assert [labels.label(unit) for unit in (0, 1, 2)] == ["noise", "noise", "unsorted"]
    press("Space")
    assert workspace.selected == (0, 2)
    press("Shift+Space", "G")
    assert workspace.selected == (4,)
    press("Ctrl+Z", "S", "Space")
    assert not window.bench.similar.isVisible()
    assert workspace.component_id == 1


def test_the_list_of_similar_units_fits_into_the_smallest_window(window, press) -> None:
    press("S")
    assert window.bench.similar.isVisible()
    window.resize(window.minimumSize())  # in which the correlograms give way
    settle()
    settle()  # what the panels ask for goes up level by level
    assert window.size() == window.minimumSize()
    assert not window.bench.correlograms.isVisible()
    assert window.minimumSizeHint().width() <= window.minimumWidth()
    assert window.bench.units.table.width() >= 290


def test_a_tag_and_a_note_are_asked_for_kept_and_there_after_reopening(
    window, press, tmp_path: Path, monkeypatch
) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def ask(question: str, present: str, known: tuple[str, ...] = ()) -> str:
        asked.append((question, known))
        return "axon" if "Label" in question else "bursts"

    monkeypatch.setattr(window, "ask_words", ask)
    press("Down", "L", "Shift+L")
    assert asked == [("Label of your own on unit 0", ()), ("Note on unit 0", ())]
    assert {"tag", "note"} <= set(window.bench.units.shown_columns) | {"note"}
    press("Ctrl+Z", "Ctrl+Shift+Z")
    window.controller.close()
    window.open_path(tmp_path / "tiny.h5")
    mark = window.workspace.state.history.labels.mark(0)
    assert (mark.tag, mark.note) == ("axon", "bursts")


def test_the_window_asks_for_words_and_offers_those_in_use(window, monkeypatch) -> None:
    said: list[object] = []

    def text(_parent, title, question, _mode, present):
        said.append((title, question, present))
        return "x", True

    def item(_parent, title, question, offered, number, editable):
        said.append((title, question, offered, number, editable))
        return "", False

    monkeypatch.setattr(QtWidgets.QInputDialog, "getText", text)
    monkeypatch.setattr(QtWidgets.QInputDialog, "getItem", item)
    assert window.ask_words("Note on unit 3", "old") == "x"
    assert window.ask_words("Label of your own on unit 3", "b", ("a", "b")) is None
    assert said == [
        ("Note", "Note on unit 3", "old"),
        ("Label", "Label of your own on unit 3", ["b", "a"], 0, True),
    ]


def test_rows_are_copied_by_keys(window, press) -> None:
    press("Down", "Shift+Down", "Ctrl+C")
    lines = QtWidgets.QApplication.clipboard().text().splitlines()
    assert lines[0].startswith("id,accepted,label,")
    assert [line.split(",")[0] for line in lines[1:]] == ["0", "1"]
    assert window.statusBar().currentMessage() == "Copied 2 units as CSV"
