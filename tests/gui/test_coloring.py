"""Colours of units chosen in menu and palette: every panel follows, and a legend says what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.app.model.coloring import COLOR_BY, LABELS
from ncpgui.app.model.colors import Color
from ncpgui.gui.main_window import MainWindow
from tests.gui.painted_text import painted_texts
from tests.gui.windows import press_keys, settle, shown_window
from tests.read_once import saved_copy
from tests.tiny_project import tiny_project

WAYS = {0: [[0] * 8 + [1] * 6, [0] * 14], 1: [[0] * 6]}


@pytest.fixture
def window(qtbot, tmp_path: Path) -> Iterator[MainWindow]:
    path = tmp_path / "tiny.h5"
    saved_copy(tiny_project(WAYS), path)
    with shown_window(qtbot, tmp_path) as made:
        made.open_path(path)
        made.workspace.show_component(0)
        settle()
        yield made


def entries(window: MainWindow) -> dict[str, QtWidgets.QAction]:
    """The submenu of the menu View."""
    view = next(action.menu() for action in window.menuBar().actions() if action.text() == "View")
    menu = next(action.menu() for action in view.actions() if action.text() == "Colour units by")
    return {action.text(): action for action in menu.actions()}


def shown_colors(window: MainWindow) -> set[str]:
    """What waveforms, embedding and table have on screen."""
    bench = window.bench
    return {
        *(column.color.hex(dark=False) for column in bench.waveforms.plot.view.columns),
        *(color.hex(dark=False) for color in bench.embedding.scatter.points.colors),
        *(row["color"].hex(dark=False) for row in bench.units.model.rows),
    }


def test_the_menu_has_all_of_them_and_a_tick_at_the_one_in_force(window: MainWindow) -> None:
    found = entries(window)
    assert list(found) == [f"Colour by {what}" for what in COLOR_BY]
    assert [name for name, action in found.items() if action.isChecked()] == ["Colour by unit"]
    found["Colour by label"].trigger()
    settle()
    assert [name for name, action in found.items() if action.isChecked()] == ["Colour by label"]
    assert shown_colors(window) == {Color(LABELS["unsorted"]).hex(dark=False)}


def test_the_palette_finds_it_and_the_legend_says_what_colours_mean(window: MainWindow, qtbot) -> None:
    assert not window.color_legend.isVisible()
    press_keys(qtbot, window, "Ctrl+K")
    qtbot.keyClicks(window.focusWidget(), "colour by label")
    qtbot.keyClick(window.focusWidget(), QtCore.Qt.Key_Return)
    settle()
    assert window.workspace.coloring.by == "label"
    assert window.color_legend.isVisible()
    words = [text.words for text in painted_texts(window.color_legend)]
    assert words == ["label", "good", "mua", "noise", "unsorted"]
    units = [row["id"] for row in window.bench.units.model.rows]
    window.workspace.label(tuple(units[:1]), "good")
    settle()
    assert shown_colors(window) == {Color(LABELS[name]).hex(dark=False) for name in ("good", "unsorted")}
