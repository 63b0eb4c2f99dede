"""The window on small and large screens: nothing is cut, nothing collides, nothing is lost by squeezing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets
from pytestqt.qtbot import QtBot

from ncpgui.app.presenters.embedding import principal_plane
from ncpgui.app.work import measures
from ncpgui.app.work.activity import Activity
from ncpgui.app.work.tasks import Immediate
from ncpgui.gui.application import fit_to_screen
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog
from ncpgui.gui.items.elided_label import ElidedLabel
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels.queue import QueuePanel
from ncpgui.gui.screenshot import settle
from ncpgui.gui.workbench import LAYOUTS
from tests.gui.painted_text import PaintedText, collisions, painted_texts
from tests.gui.windows import keep_draws, shown_window

ROOT = Path(__file__).resolve().parents[2]
SIZES = [(960, 600), (1280, 800), (1920, 1200)]
CUT_PX = 1.0
N_COMPONENTS = 4  # of two, three and four units


@pytest.fixture(scope="module")
def looked_at(
    request: pytest.FixtureRequest,
    qapp: QtWidgets.QApplication,
    tmp_path_factory: pytest.TempPathFactory,
    saved_array: Path,
) -> Iterator[MainWindow]:
    """A window with a session open, for all tests that look at it only."""
    folder = tmp_path_factory.mktemp("looked_at")
    for path in saved_array.parent.glob("array*"):
        shutil.copy(path, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measures, "embed", lambda features, **_: principal_plane(features))
        keep_draws(patch)
        with shown_window(QtBot(request), folder) as window:
            window.open_path(folder / saved_array.name)
            settle(qapp)
            yield window


@pytest.fixture
def still(looked_at: MainWindow) -> MainWindow:
    """That window as it was when it was opened; its size is that of the test before."""
    looked_at.bench.show_layout("decide")
    looked_at.bench.waveforms.set_arrangement("columns")
    looked_at.workspace.show_component(looked_at.workspace.questions.queue_order()[0])
    return looked_at


def resized(window: MainWindow, size: tuple[int, int]) -> MainWindow:
    window.resize(*size)
    settle(QtWidgets.QApplication.instance())
    assert (window.width(), window.height()) == size
    return window


def painted_widgets(window: MainWindow) -> dict[str, QtWidgets.QWidget]:
    """Everything that paints its words itself."""
    bench = window.bench
    found = {
        "badge": bench.alternatives.badge,
        "waveforms": bench.waveforms.plot,
        "embedding": bench.embedding.scatter.viewport(),
        "fields": bench.fields.grid,
        "legend": bench.probe_map.legend,
        "queue": bench.queue.view.viewport(),
        "units": bench.units.table.viewport(),
        "titles of units": bench.units.table.horizontalHeader().viewport(),
    }
    if bench.alternatives.other.isVisible():
        found["other"] = bench.alternatives.other
    for card in bench.alternatives.cards:
        found[f"card {card.card.key}"] = card
    return found


def cut_off(widget: QtWidgets.QWidget, texts: list[PaintedText]) -> list[str]:
    """Texts wider than their room or across the left or right edge of the widget, and shortened ones."""
    edge = QtCore.QRectF(widget.rect())
    return [
        text.words
        for text in texts
        if text.overhang_px > CUT_PX
        or text.ink.left() < edge.left() - CUT_PX
        or text.ink.right() > edge.right() + CUT_PX
        or "…" in text.words
    ]


@pytest.mark.parametrize("size", SIZES, scope="module")
@pytest.mark.parametrize("arrangement", ["columns", "probe"])
def test_no_painted_text_is_cut_and_no_two_collide(
    still: MainWindow, size: tuple[int, int], arrangement: str
) -> None:
    still.bench.waveforms.set_arrangement(arrangement)
    resized(still, size)
    for channel in still.workspace.questions.queue_order()[:N_COMPONENTS]:
        still.workspace.show_component(channel)
        settle(QtWidgets.QApplication.instance())
        for name, widget in painted_widgets(still).items():
            texts = painted_texts(widget)
            assert texts, name
            assert cut_off(widget, texts) == [], (name, channel, widget.size())
            assert collisions(texts) == [], (name, channel)


@pytest.mark.parametrize("size", SIZES, scope="module")
def test_no_label_and_no_button_is_cut_in_the_middle_of_a_word(
    still: MainWindow, size: tuple[int, int]
) -> None:
    resized(still, size)
    widgets = [
        widget
        for kind in (QtWidgets.QLabel, QtWidgets.QPushButton, QtWidgets.QToolButton)
        for widget in still.findChildren(kind)
        if widget.isVisible() and widget.text()
    ]
    assert len(widgets) > 20
    for widget in widgets:
        texts = [text for text in painted_texts(widget) if text.words]
        if texts:  # paints its words itself, shortened where they do not fit
            assert all(text.overhang_px <= CUT_PX for text in texts), widget.text()
        elif not (isinstance(widget, QtWidgets.QLabel) and widget.wordWrap()):  # painted by the style
            assert widget.width() >= widget.minimumSizeHint().width(), widget.text()
            assert widget.height() >= widget.minimumSizeHint().height(), widget.text()


@pytest.mark.parametrize("size", [(960, 600), (1024, 640), (1280, 800)], scope="module")
@pytest.mark.parametrize("layout", ["decide", "inspect"])
def test_no_note_and_no_words_of_a_card_end_in_an_ellipsis(
    still: MainWindow, size: tuple[int, int], layout: str
) -> None:
    resized(still, size)
    still.bench.show_layout(layout)
    try:
        for channel in still.workspace.questions.queue_order()[:N_COMPONENTS]:
            still.workspace.show_component(channel)
            settle(QtWidgets.QApplication.instance())
            notes = [label for label in still.findChildren(ElidedLabel) if label.isVisible()]
            assert len(notes) > 5
            assert [note.shown_text() for note in notes if "…" in note.shown_text()] == []
            for card in still.bench.alternatives.cards:
                assert [text.words for text in painted_texts(card) if "…" in text.words] == []
    finally:
        still.bench.show_layout("decide")


@pytest.mark.parametrize("layout", ["decide", "inspect"])
def test_the_table_is_whole_beside_the_list_and_the_matrix_of_similar_units(
    still: MainWindow, layout: str
) -> None:
    resized(still, (1280, 800))
    bench = still.bench
    bench.show_layout(layout)
    try:
        for name in ("similar", "similarity"):
            bench.show_panel(name, True)
        for channel in still.workspace.questions.queue_order()[:N_COMPONENTS]:
            still.workspace.show_component(channel)
            still.workspace.select([still.workspace.current().units[0].unit])
            settle(QtWidgets.QApplication.instance())
            for panel in (bench.units, bench.similar, bench.similarity, bench.waveforms):
                assert panel.visibleRegion().boundingRect() == panel.rect(), (panel.title, panel.size())
            for table in (bench.units.table, bench.similar.table):
                assert cut_off(table.viewport(), painted_texts(table.viewport())) == []
                assert not table.horizontalScrollBar().isVisible()
            assert {"id", "label", "n_spikes", "p_pure"} <= set(bench.units.shown_columns)
            plot = bench.waveforms.plot
            assert plot.width() <= bench.waveforms.scroll.viewport().width() or len(plot.view.columns) > 2
    finally:
        bench.by_hand.clear()
        bench.show_layout("decide")


@pytest.mark.parametrize("size", SIZES, scope="module")
def test_cards_are_whole(still: MainWindow, size: tuple[int, int]) -> None:
    """In height always; in width as long as there are no more than four."""
    panel = resized(still, size).bench.alternatives
    for channel in still.workspace.questions.queue_order()[:N_COMPONENTS]:
        still.workspace.show_component(channel)
        settle(QtWidgets.QApplication.instance())
        shown = [*panel.cards, *([panel.other] if panel.other.isVisible() else [])]
        assert 1 <= len(shown) <= 5
        for card in shown:
            seen = card.visibleRegion().boundingRect()
            assert seen.height() == card.height(), (channel, seen, card.rect())
        for card in shown[:4]:
            assert card.visibleRegion().boundingRect() == card.rect(), channel


@pytest.mark.parametrize("size", SIZES, scope="module")
def test_a_row_of_receptive_fields_is_whole(still: MainWindow, size: tuple[int, int]) -> None:
    grid = resized(still, size).bench.fields.grid
    for channel in still.workspace.questions.queue_order()[:N_COMPONENTS]:
        still.workspace.show_component(channel)
        settle(QtWidgets.QApplication.instance())
        assert len(grid.view.tiles) > 1
        seen = QtCore.QRectF(grid.visibleRegion().boundingRect())
        for tile in (0, 1):
            assert seen.contains(grid.tile_rect(tile)), (channel, tile)
            assert grid.tile_rect(tile).contains(grid.map_rect(tile))


@pytest.mark.parametrize("size", SIZES, scope="module")
def test_the_units_of_a_component_are_seen_without_scrolling(
    still: MainWindow, size: tuple[int, int]
) -> None:
    panel = resized(still, size).bench.units
    assert panel.table.horizontalScrollBar().maximum() == 0
    seen = panel.table.viewport().rect()
    for row in range(min(panel.model.rowCount(), 3)):
        for column in range(panel.model.columnCount()):
            place = panel.table.visualRect(panel.model.index(row, column))
            assert panel.table.isColumnHidden(column) or seen.contains(place), (row, column)


def places(window: MainWindow) -> dict[str, QtCore.QRect]:
    """Where each panel is in the window."""
    return {
        type(panel).__name__: QtCore.QRect(panel.mapTo(window, QtCore.QPoint()), panel.size())
        for panel in window.bench.panels
        if panel.isVisible()
    }


@pytest.mark.parametrize("size", SIZES, scope="module")
def test_the_panels_of_the_evidence_are_whole_and_beside_each_other(
    still: MainWindow, size: tuple[int, int]
) -> None:
    still.bench.show_layout("inspect")
    resized(still, size)
    found = places(still)
    room = still.rect()
    assert {*LAYOUTS["inspect"]} <= {*still.bench.shown}
    assert len(found) == len(still.bench.shown)
    for name, rect in found.items():
        assert room.contains(rect), name
        assert not [other for other in found if other != name and found[other].intersects(rect)], name
    for panel in (
        still.bench.correlograms.grid,
        still.bench.features.scatter,
        still.bench.amplitudes.scatter,
    ):
        assert panel.visibleRegion().boundingRect() == panel.rect()
        assert panel.height() >= 60


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1200)], scope="module")
@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_no_panel_has_less_room_than_its_title_and_its_buttons_take(
    still: MainWindow, layout: str, size: tuple[int, int]
) -> None:
    still.bench.show_layout(layout)
    resized(still, size)
    tight = {
        name: (panel.width(), panel.minimumSizeHint().width())
        for name, panel in still.bench.by_name.items()
        if panel.isVisible() and panel.width() < panel.minimumSizeHint().width()
    }
    assert tight == {}


def test_a_wide_window_has_correlograms_beside_what_is_decided(still: MainWindow) -> None:
    small = places(resized(still, (1024, 640)))
    narrow = places(resized(still, (1280, 800)))
    wide = places(resized(still, (1920, 1200)))
    assert {*narrow} - {*small} == {"CorrelogramsPanel"}
    assert {*wide} - {*narrow} == {"FeaturesPanel"}
    assert wide["WaveformsPanel"].right() < wide["CorrelogramsPanel"].left()
    assert wide["CorrelogramsPanel"].width() > 300
    assert {*places(resized(still, (1280, 800)))} == {*narrow}


def test_a_panel_that_was_hidden_stays_hidden_however_wide_the_window_is(
    qtbot, tmp_path: Path, session: Path
) -> None:
    with shown_window(qtbot, tmp_path) as window:
        window.open_path(session)
        resized(window, (1920, 1200))
        window.bench.show_panel("features", False)
        window.bench.show_panel("correlograms", False)
        decide = {*LAYOUTS["decide"]}
        assert {*window.bench.shown} == decide
        assert not window.bench.correlograms.isVisible()
    with shown_window(qtbot, tmp_path) as window:
        window.open_path(session)
        resized(window, (1920, 1200))
        assert {*window.bench.shown} == decide
        window.bench.show_layout("inspect")
        window.bench.show_layout("decide")  # a layout keeps what was hidden in it
        assert {*window.bench.shown} == decide
        window.bench.reset()
        assert {*window.bench.shown} == decide | {"correlograms", "features"}


def test_a_window_that_was_squeezed_recovers(opened: MainWindow) -> None:
    opened.setMinimumSize(1, 1)  # a tiling window manager does not ask
    at_first = {size: places(resized(opened, size)) for size in [(1920, 1200), (1280, 800)]}
    for size in [(960, 600), (700, 450), (1280, 800), (640, 1000), (1920, 1200)]:
        opened.resize(*size)
        settle(QtWidgets.QApplication.instance())
        if size in at_first:
            assert places(opened) == at_first[size]


def test_a_window_that_was_closed_while_squeezed_recovers_in_the_next_run(
    qtbot, session: Path, tmp_path: Path
) -> None:
    """The layout is remembered as shares: sizes of a small window would be the layout of the large one."""
    found = []
    for size in [(1280, 800), (960, 600), (1280, 800)]:
        with shown_window(qtbot, tmp_path) as window:
            window.open_path(session)
            found.append(places(resized(window, size)))
    assert found[2] == found[0] != found[1]


def test_what_a_person_moved_keeps_its_share(opened: MainWindow) -> None:
    """Moved to the middle, a border stays in the middle, also by way of a window without room for it."""
    opened.bench.show_panel("correlograms", False)
    resized(opened, (1280, 800))
    border = opened.bench.splitters["views"]
    border.moveSplitter(border.width() // 2, 1)
    assert abs(border.sizes()[0] - border.sizes()[1]) <= 10
    for size in [(1920, 1200), (960, 600), (1280, 800)]:
        resized(opened, size)
    assert abs(border.sizes()[0] - border.sizes()[1]) <= 10


@pytest.mark.parametrize("size", SIZES, scope="module")
@pytest.mark.parametrize("arrangement", ["columns", "probe"])
def test_the_scale_bar_lies_on_no_label(still: MainWindow, size: tuple[int, int], arrangement: str) -> None:
    still.bench.waveforms.set_arrangement(arrangement)
    resized(still, size)
    plot = still.bench.waveforms.plot
    for channel in still.workspace.questions.queue_order()[:N_COMPONENTS]:
        still.workspace.show_component(channel)
        settle(QtWidgets.QApplication.instance())
        bars = plot.bar_rects()
        assert all(QtCore.QRectF(plot.rect()).contains(bar) for bar in bars)
        for text in painted_texts(plot):
            assert not any(bar.intersects(text.ink) for bar in bars), (channel, text.words)


def test_a_message_has_room_beside_the_work_that_goes_on(opened: MainWindow) -> None:
    resized(opened, (960, 600))
    controller = opened.controller
    controller.work.activity_changed.emit(
        Activity("Sampling channel 35, 12 of 49 done", 0.3, "about 4 min left")
    )
    settle(QtWidgets.QApplication.instance())
    assert opened.status.activity.isVisible()
    message = opened.fontMetrics().horizontalAdvance("Merged 23 and 25 into 48; Ctrl+Z takes it")
    assert opened.status.activity.x() > message
    controller.work.activity_changed.emit(None)
    assert opened.status.about_project.isVisible()


def test_a_window_is_not_larger_than_the_screen(opened: MainWindow) -> None:
    fit_to_screen(opened, QtCore.QSize(910, 512))
    assert opened.size() == QtCore.QSize(910, 512)
    fit_to_screen(opened, QtCore.QSize(2560, 1440))
    assert opened.size() == QtCore.QSize(910, 512)


def test_the_key_page_is_not_larger_than_the_window(opened: MainWindow) -> None:
    resized(opened, (960, 600)).commands.show_keys()
    assert opened.commands.page.height() <= 600
    opened.commands.page.close()


def test_examples_in_the_open_dialog_are_whole(qtbot) -> None:
    dialog = OpenRecordingDialog(None, Immediate())
    qtbot.addWidget(dialog)
    dialog.show()
    settle(QtWidgets.QApplication.instance())
    for line in (dialog.rate, dialog.channels, dialog.path):
        option = QtWidgets.QStyleOptionFrame()
        line.initStyleOption(option)
        room = line.style().subElementRect(QtWidgets.QStyle.SE_LineEditContents, option, line)
        words = line.fontMetrics().horizontalAdvance(line.placeholderText())
        assert words + 4 <= room.width(), line.placeholderText()  # Qt keeps 2 px at each end


def test_a_wide_screen_is_used(still: MainWindow) -> None:
    """Panels grow with the window, beside those that have room only then, and the cards fill their row."""
    resized(still, (1280, 800))
    small = {panel: panel.size() for panel in still.bench.panels if panel.isVisible()}
    card = still.bench.alternatives.cards[0].height()
    resized(still, (1920, 1200))
    shared = still.bench.correlograms  # with the features, where there is room for these
    for panel, before in small.items():
        if panel is shared:
            continue
        assert panel.width() >= before.width(), type(panel).__name__
        assert panel.height() >= 1.3 * before.height(), type(panel).__name__
    assert still.bench.alternatives.cards[0].height() >= 1.3 * card
    for panel in (still.bench.alternatives, still.bench.probe_map, still.bench.queue):
        assert panel.width() >= 1.3 * small[panel].width(), type(panel).__name__


@pytest.mark.parametrize("width", [212, 236, 300])
def test_the_units_of_a_row_its_caption_and_its_place_do_not_collide(show, width: int) -> None:
    panel: QueuePanel = show(QueuePanel, width, 300)
    row = panel.model.rows[0]
    some = [
        replace(row, units=("353",), contact=1024, p_units=((3, 0.5), (4, 0.5))),
        replace(row, component_id=7, units=("1024", "1025", "1026", "1027"), contact=1024),
    ]
    panel.model.set_rows(tuple(some))
    settle(QtWidgets.QApplication.instance())
    texts = painted_texts(panel.view.viewport())
    assert [text.words for text in texts[:3]] == ["Unit 353", "1–4 units", "ch 1024 · 10 spikes"]
    assert texts[3].words in (
        "1024, 1025 + 2 more",
        "1024 + 3 more",
        "1024, 1025, 1026, 1027",
    )
    assert cut_off(panel.view.viewport(), texts) == []
    assert collisions(texts) == []


@pytest.mark.slow
def test_nothing_is_cut_on_a_screen_of_3840_by_2160_at_200_percent() -> None:
    """The tests of text, cards, units and bars above once more, in a process whose screen has that scale."""
    if os.environ.get("QT_SCALE_FACTOR"):
        pytest.skip("this is that process")
    environment = {**os.environ, "QT_SCALE_FACTOR": "2"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__))]
    chosen = "(cut or whole or scrolling or scale_bar) and not 3840 and size1"
    done = subprocess.run(
        [*command, "-k", chosen], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]


CELL_PX = 16


def largest_empty_share(window: MainWindow) -> float:
    """Share of the window in its largest rectangle of one colour, on a grid of cells."""
    image = window.grab().toImage().convertToFormat(QtGui.QImage.Format_RGB32)
    bits = image.constBits()
    bits.setsize(image.sizeInBytes())
    pixels = np.frombuffer(bits, np.uint32).reshape(image.height(), -1)
    rows, columns = pixels.shape[0] // CELL_PX, pixels.shape[1] // CELL_PX
    cells = pixels[: rows * CELL_PX, : columns * CELL_PX].reshape(rows, CELL_PX, columns, CELL_PX)
    is_empty = cells.min(axis=(1, 3)) == cells.max(axis=(1, 3))
    height, largest = np.zeros(columns, int), 0
    for row in is_empty:
        height = np.where(row, height + 1, 0)
        for left in range(columns):
            lowest = np.minimum.accumulate(height[left:])
            largest = max(largest, int((lowest * np.arange(1, columns - left + 1)).max()))
    return largest / (rows * columns)


@pytest.mark.parametrize("layout", ["decide", "inspect"])
def test_on_a_large_screen_no_sixth_of_the_window_is_empty(still: MainWindow, layout: str) -> None:
    still.bench.show_layout(layout)
    resized(still, (1920, 1200))
    assert largest_empty_share(still) < 1 / 6
