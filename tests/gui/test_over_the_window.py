"""What lies over the window: the palette at its top, and the tour beside the panel that a step is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.palette import Entry
from ncpgui.gui import tour as tours
from ncpgui.gui.palette import Palette
from ncpgui.gui.theme import LIGHT
from ncpgui.gui.tour import STEPS, Tour


@pytest.fixture
def room(qtbot) -> Iterator[Callable[[int, int], QtWidgets.QWidget]]:
    """A window of a size, as long as the test lasts."""
    kept: list[QtWidgets.QWidget] = []

    def make(width: int, height: int) -> QtWidgets.QWidget:
        made = QtWidgets.QWidget()
        qtbot.addWidget(made)
        made.resize(width, height)
        made.show()
        kept.append(made)
        return made

    yield make
    kept.clear()


def entries(n: int) -> list[Entry]:
    return [Entry(f"entry {k}", "Units", "", "not now" if k == 1 else "", lambda: None) for k in range(n)]


@pytest.mark.parametrize(
    ("window", "n", "place", "height"),
    [
        ((1000, 700), 5, (190, 64, 620), 5 * 30 + 4),
        ((1000, 700), 40, (190, 64, 620), 12 * 30 + 4),  # a dozen at most
        ((600, 324), 40, (20, 64, 560), 6 * 30 + 4),  # 64 px above, 80 below
        ((600, 100), 40, (20, 64, 560), 1 * 30 + 4),
    ],
)
def test_the_palette_is_as_high_as_what_it_found_and_in_the_middle(room, window, n, place, height) -> None:
    palette = Palette(room(*window), lambda _: entries(n))
    palette.open(LIGHT)
    assert (palette.x(), palette.y(), palette.width()) == place
    assert palette.view.height() == height
    assert palette.view.currentIndex().row() == 0
    assert palette.note.isHidden()


def test_the_palette_says_that_nothing_was_found_and_goes_only_with_what_is_allowed(room) -> None:
    found = entries(3)
    palette = Palette(room(1000, 700), lambda query: [] if query else found)
    chosen: list[str] = []
    palette.chosen.connect(lambda entry: chosen.append(entry.name))
    palette.open(LIGHT)
    palette.line.setText("x")
    assert (palette.note.isHidden(), palette.view.isHidden()) == (False, True)
    palette._take()
    palette.line.setText("")
    palette._select(1)
    palette._take()
    assert chosen == []
    assert not palette.isHidden(), "what is not allowed stays, with its reason"
    for row, current in ((9, 2), (-3, 0)):
        palette._select(row)
        assert palette.view.currentIndex().row() == current
    palette._take()
    assert chosen == ["entry 0"]
    assert palette.isHidden()


def tour_at(window: QtWidgets.QWidget, *panels: tuple[int, int, int, int]) -> Tour:
    """The tour of a window whose panels are at (x, y, width, height)."""
    made = {}
    for step, place in zip(STEPS, panels, strict=True):
        made[step.panel] = QtWidgets.QWidget(window)
        made[step.panel].setGeometry(*place)
        made[step.panel].show()
    return Tour(window, made)


def test_a_step_is_beside_its_panel_else_below_else_in_it_and_always_in_the_window(room) -> None:
    """12 px from it and from the edges."""
    left, wide, all_of_it = (0, 100, 300, 400), (0, 40, 1000, 100), (0, 0, 1000, 700)
    tour = tour_at(room(1000, 700), left, wide, all_of_it)
    assert (tour.x(), tour.y(), tour.width()) == (299 + 12, 112, 380)
    assert tour.frame.geometry() == QtCore.QRect(*left)
    assert (tour.count.text(), tour.next.text(), tour.skip.isHidden()) == ("1 of 3", "Next", False)
    tour.go_on()
    assert (tour.x(), tour.y()) == (12, 139 + 12)
    assert tour.frame.geometry() == QtCore.QRect(*wide)
    tour.go_on()
    assert (tour.x(), tour.y()) == (12, 12)
    assert (tour.count.text(), tour.next.text(), tour.skip.isHidden()) == ("3 of 3", "Done", True)
    ended: list[bool] = []
    tour.ended.connect(lambda: ended.append(True))
    tour.go_on()
    assert ended == [True]
    assert tour.isHidden()
    assert tour.frame.isHidden()


def test_a_step_that_fits_nowhere_is_in_the_corner_of_the_window_and_follows_its_panel(room, qtbot) -> None:
    tour = tour_at(room(1000, 700), (700, 600, 280, 90), (0, 0, 10, 10), (0, 0, 10, 10))
    assert (tour.x(), tour.y()) == (12, 12)
    tour._panels[STEPS[0].panel].move(100, 200)
    qtbot.waitUntil(lambda: tour.x() == 100 + 279 + 12, timeout=1000)
    assert (tour.y(), tour.frame.y()) == (212, 200)
    tour.leave()


def test_keys_that_go_on_and_leave_are_those_of_the_tour(room, qtbot) -> None:
    tour = tour_at(room(1000, 700), *3 * [(0, 0, 200, 200)])
    for key, step in ((QtCore.Qt.Key_Space, 1), (QtCore.Qt.Key_A, 1), (QtCore.Qt.Key_Right, 2)):
        qtbot.keyClick(tour, key)
        assert tour.step == step
    other = QtGui.QKeyEvent(QtCore.QEvent.KeyPress, QtCore.Qt.Key_A, QtCore.Qt.NoModifier)
    tour.keyPressEvent(other)
    assert not other.isAccepted(), "other keys are for the window"
    qtbot.keyClick(tour, QtCore.Qt.Key_Escape)
    assert tour.isHidden()


def test_nobody_watches_where_there_is_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(tours.QtGui.QGuiApplication, "platformName", lambda: "offscreen")
    assert not tours.is_watched()
    monkeypatch.setattr(tours.QtGui.QGuiApplication, "platformName", lambda: "xcb")
    assert tours.is_watched()
    monkeypatch.setenv("CI", "true")
    assert not tours.is_watched()
