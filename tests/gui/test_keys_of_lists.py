"""Keys of the window do nothing while a field, a list or a menu has them."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import settle

KEYS = (QtCore.Qt.Key_Return, QtCore.Qt.Key_Escape, QtCore.Qt.Key_Space, QtCore.Qt.Key_G, QtCore.Qt.Key_2)


def override(widget: QtWidgets.QWidget, key: int) -> bool:
    """Whether a widget keeps a key from the actions of the window: what Qt asks before it looks for one."""
    event = QtGui.QKeyEvent(QtCore.QEvent.ShortcutOverride, key, QtCore.Qt.NoModifier)
    event.ignore()
    QtWidgets.QApplication.sendEvent(widget, event)
    return event.isAccepted()


@pytest.fixture
def inspected(array_window: MainWindow) -> MainWindow:
    array_window.bench.show_layout("inspect")
    array_window.workspace.show_component(0)
    settle()
    return array_window


@pytest.mark.parametrize("name", ["over time", "x", "y"])
def test_return_in_a_list_chooses_an_entry_and_accepts_no_unit(inspected, qtbot, name) -> None:
    bench = inspected.bench
    box = bench.amplitudes.choice if name == "over time" else bench.features.choices[name]
    box.showPopup()
    settle()
    popup = QtWidgets.QApplication.activePopupWidget()
    assert popup is not None
    for key in KEYS:
        assert override(popup, key)
        assert override(inspected, key)
    qtbot.keyClick(box.view(), QtCore.Qt.Key_Down)
    assert override(box.view(), QtCore.Qt.Key_Return)  # Qt closes the list here
    settle()
    assert QtWidgets.QApplication.activePopupWidget() is None
    assert box.currentIndex() > 0
    assert inspected.workspace.state.history.entries == ()


def test_escape_in_a_list_closes_it_and_leaves_the_selection(inspected, qtbot) -> None:
    inspected.workspace.select([0, 1])
    box = inspected.bench.amplitudes.choice
    box.showPopup()
    settle()
    qtbot.keyClick(box.view(), QtCore.Qt.Key_Escape)
    settle()
    assert QtWidgets.QApplication.activePopupWidget() is None
    assert inspected.workspace.selected == (0, 1)


def test_a_menu_that_is_open_has_all_keys(inspected) -> None:
    menu = inspected.bench.panel_menu("traces")
    menu.popup(inspected.mapToGlobal(QtCore.QPoint(50, 50)))
    settle()
    assert all(override(inspected, key) for key in KEYS)
    menu.close()
    settle()
    assert not any(override(inspected, key) for key in KEYS)


def test_arrows_in_the_filter_select_no_unit(inspected, qtbot) -> None:
    inspected.bench.show_panel("units", True)
    inspected.part("units").filter.begin()
    settle()
    qtbot.keyClick(inspected.bench.units.filter, QtCore.Qt.Key_Down)
    settle()
    assert inspected.workspace.selected == ()
