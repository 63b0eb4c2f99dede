"""Panels change their places, get windows of their own, and are where they were in the next run."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt5 import QtCore, QtGui, QtTest, QtWidgets

from ncpgui.core.project import Project
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import settle, shown_window


@pytest.fixture
def window(array_window: MainWindow) -> MainWindow:
    return array_window


def place(window: MainWindow, name: str) -> QtCore.QRect:
    """Where a panel is in the window."""
    panel = window.bench.by_name[name]
    return QtCore.QRect(panel.mapTo(window, QtCore.QPoint()), panel.size())


def drop(window: MainWindow, name: str, onto: str) -> None:
    """Drop the title of a panel on another panel, as the end of a drag does."""
    target = window.bench.by_name[onto]
    data = window.bench.by_name[name].title_label.carried()
    keys = (QtCore.Qt.MoveAction, data, QtCore.Qt.LeftButton, QtCore.Qt.NoModifier)
    entering = QtGui.QDragEnterEvent(QtCore.QPoint(5, 5), *keys)
    QtWidgets.QApplication.sendEvent(target, entering)
    assert entering.isAccepted()
    QtWidgets.QApplication.sendEvent(target, QtGui.QDropEvent(QtCore.QPointF(5, 5), *keys))
    settle(deleted=True)


def double_click(window: MainWindow, name: str) -> None:
    label = window.bench.by_name[name].title_label
    QtTest.QTest.mouseDClick(label, QtCore.Qt.LeftButton)
    settle(deleted=True)


def test_a_panel_that_is_dropped_on_another_changes_places_with_it(window) -> None:
    before = {name: place(window, name) for name in ("waveforms", "units", "embedding")}
    drop(window, "units", "waveforms")
    # The table needs more room than the waveforms had, which moves what is beside it.
    assert place(window, "units").top() == before["waveforms"].top()
    assert place(window, "waveforms").top() == before["units"].top()
    assert window.bench.units.parent() is not window.bench.waveforms.parent()
    drop(window, "embedding", "units")
    assert place(window, "embedding").top() == before["waveforms"].top()
    assert window.bench.units.parent() is window.bench.fields.parent()  # where the embedding was


def test_neighbours_change_places_too_and_a_panel_on_itself_does_nothing(window) -> None:
    before = {name: place(window, name) for name in ("embedding", "fields")}
    drop(window, "fields", "embedding")
    assert place(window, "fields") == before["embedding"]
    assert place(window, "embedding") == before["fields"]
    drop(window, "fields", "fields")
    assert place(window, "fields") == before["embedding"]


def test_a_double_click_on_its_title_gives_a_panel_a_window_and_another_takes_it_back(window) -> None:
    before = {name: place(window, name) for name in ("units", "embedding")}
    double_click(window, "units")
    units = window.bench.units
    assert units.window() is not window
    assert units.isVisible()
    assert units.window().windowTitle() == "Units"
    assert place(window, "embedding").height() > 1.3 * before["embedding"].height()
    window.workspace.show_component(0)
    settle(deleted=True)
    assert units.model.rowCount() == 3  # it follows the sorting as before
    double_click(window, "units")
    assert units.window() is window
    assert {name: place(window, name) for name in before} == before


def test_closing_its_window_puts_a_panel_back(window) -> None:
    before = place(window, "waveforms")
    double_click(window, "waveforms")
    window.bench.waveforms.window().close()
    settle(deleted=True)
    assert window.bench.waveforms.window() is window
    assert place(window, "waveforms") == before


def test_keys_work_in_the_window_of_a_panel(window, qtbot) -> None:
    double_click(window, "waveforms")
    own = window.bench.waveforms.window()
    own.activateWindow()
    QtWidgets.QApplication.setActiveWindow(own)
    qtbot.keyClick(own, QtCore.Qt.Key_2)
    assert window.workspace.preview == 1


def test_a_layout_without_it_hides_the_window_of_a_panel(window) -> None:
    double_click(window, "embedding")
    own = window.bench.embedding.window()
    window.bench.show_layout("inspect")
    assert not own.isVisible()
    window.bench.show_layout("decide")
    assert own.isVisible()
    window.controller.close()
    settle(deleted=True)
    assert not own.isVisible()


def test_places_and_windows_are_remembered(qtbot, tmp_path: Path, array_project: Project) -> None:
    with shown_window(qtbot, tmp_path) as first:
        first.workspace.state.open(array_project)
        settle(deleted=True)
        drop(first, "embedding", "waveforms")
        drop(first, "units", "waveforms")
        double_click(first, "fields")
        first.bench.fields.window().setGeometry(50, 60, 400, 300)
        settle(deleted=True)
        seen = {name: place(first, name) for name in ("embedding", "waveforms", "units")}
    with shown_window(qtbot, tmp_path) as second:
        assert not second.bench.fields.isVisible()  # no project is open yet
        second.workspace.state.open(array_project)
        settle(deleted=True)
        assert {name: place(second, name) for name in seen} == seen
        assert second.bench.fields.window().geometry() == QtCore.QRect(50, 60, 400, 300)
        assert second.bench.fields.isVisible()
        double_click(second, "fields")
        assert second.bench.fields.window() is second


def test_what_was_remembered_by_another_version_is_ignored(window) -> None:
    before = place(window, "units")
    window.bench.restore_places({"moved": {"units": "raster", "raster": "units"}, "windows": {"units": [1]}})
    window.bench.restore_places({"moved": 3, "windows": ["units"]})
    settle(deleted=True)
    assert place(window, "units") == before


def test_files_are_still_dropped_on_the_window(window) -> None:
    data = QtCore.QMimeData()
    data.setUrls([QtCore.QUrl.fromLocalFile("/data/a.h5")])
    entering = QtGui.QDragEnterEvent(
        QtCore.QPoint(5, 5), QtCore.Qt.CopyAction, data, QtCore.Qt.LeftButton, QtCore.Qt.NoModifier
    )
    window.bench.units.dragEnterEvent(entering)
    assert not entering.isAccepted()  # goes on to the window behind it
