"""Every number on screen has a tooltip that says what it is, in which unit, and from what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.app.presenters.amplitudes import HEIGHTS
from ncpgui.app.presenters.unit_columns import COLUMNS
from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.app.work.tasks import Immediate
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog
from ncpgui.gui.dialogs.review_recording import ReviewRecordingDialog
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels import similar_units
from tests.gui.figures import Figure, figures
from tests.gui.shown_export import shown_export
from tests.gui.windows import settle

UNIT = re.compile(
    r"%|µm|\b(Hz|ms|s|nats|numbers?|probabilit\w+|spikes?|units?|channels?|contacts?|draws?|seconds?|edits?|questions?|"
    r"no unit|noise sd)\b"
)
SOURCE = re.compile(
    r"(?i)\b(from|by|draws?|posterior|spikes?|traces|time|number of|stimulus|recording|you)\b"
)


def unexplained(found: list[Figure]) -> list[Figure]:
    """Figures whose tooltip does not say what they are, in which unit, and from what."""
    return [
        one
        for one in found
        if len(re.findall(r"[^\W\d]{2,}", one.tooltip)) < 4
        or not UNIT.search(one.tooltip)
        or not SOURCE.search(one.tooltip)
    ]


@pytest.mark.parametrize("layout", ["decide", "inspect"])
def test_figures_of_a_layout_are_explained(opened: MainWindow, layout: str) -> None:
    opened.resize(1920, 1200)
    opened.actions_[layout].trigger()
    settle()
    found = figures(opened)
    assert len({one.panel for one in found}) >= 6
    assert unexplained(found) == []


def test_figures_of_every_panel_are_explained_while_units_are_compared(opened: MainWindow) -> None:
    opened.resize(2600, 1800)
    shown = opened.workspace.shown()
    opened.workspace.select([unit.unit for unit in shown.units][:2])
    for name in opened.bench.by_name:
        opened.bench.show_panel(name, True)
    for height in HEIGHTS:
        opened.bench.amplitudes.choice.setCurrentText(height)
        settle()
        assert unexplained(figures(opened.bench.amplitudes)) == [], height
    found = figures(opened)
    assert {"Similar units", "Finding", "History", "Over time"} <= {one.panel for one in found}
    assert unexplained(found) == []


def test_a_number_without_tooltip_would_be_found(opened: MainWindow) -> None:
    opened.bench.units.note.setToolTip("")
    assert "panelNote" in {one.widget for one in unexplained(figures(opened))}


def test_columns_of_units_say_in_header_and_cells_what_they_are_and_from_what(opened: MainWindow) -> None:
    model = opened.bench.units.model
    for number, column in enumerate(COLUMNS):
        header = model.headerData(number, QtCore.Qt.Horizontal, QtCore.Qt.ToolTipRole)
        cell = model.index(0, number).data(QtCore.Qt.ToolTipRole)
        for words in (header, cell):
            assert f"From {column.source}" in words, column.name
            assert column.tooltip in words, column.name
        assert f"Unit {model.rows[0]['id']}" in cell


def test_cells_of_similar_units_name_the_pair_and_the_value(opened: MainWindow) -> None:
    unit = opened.workspace.shown().units[0].unit
    opened.workspace.select([unit])
    opened.bench.show_panel("similar", True)
    settle()
    model = opened.bench.similar.model
    for number, column in enumerate(similar_units.COLUMNS):
        words = model.index(0, number).data(QtCore.Qt.ToolTipRole)
        told = f"Unit {model.rows[0].unit} beside unit {unit}, {column.title}: {column.text(model.rows[0])}"
        assert words.startswith(told)
        assert f"From {column.source}" in words


def test_figures_of_dialogs_are_explained(qtbot, tmp_path: Path, small_project) -> None:
    recording = OpenRecordingDialog(None, Immediate(), path=str(tmp_path / "a.raw"))
    review = ReviewRecordingDialog(None, ReviewRequest(tmp_path / "phy"))
    for dialog in (recording, review):
        qtbot.addWidget(dialog)
        dialog.show()
    recording.details.heading.click()
    for dialog in (recording, review, shown_export(qtbot, small_project, tmp_path)):
        for box in dialog.findChildren(QtWidgets.QAbstractSpinBox):
            if not box.isHidden():
                assert box.toolTip(), (type(dialog).__name__, box.accessibleName(), box.text())
        paths = (str(tmp_path), "two")
        found = [one for one in figures(dialog) if not any(path in one.words for path in paths)]
        assert unexplained(found) == []
