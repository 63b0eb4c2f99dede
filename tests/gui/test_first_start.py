"""The first start: the theme of the system, and a tour of three steps that is shown once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.core.project import Project
from ncpgui.gui import main_window, system_look
from ncpgui.gui.application import qt_application
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.tour import STEPS, is_watched
from tests.gui.windows import settle, shown_window

Qt = QtCore.Qt


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody looks at the screen."""
    monkeypatch.setattr(main_window, "is_watched", lambda: True)


@pytest.fixture
def first(qtbot, tmp_path: Path, array_project: Project, watched) -> Iterator[MainWindow]:
    with shown_window(qtbot, tmp_path, tour=True) as window:
        window.workspace.state.open(array_project)
        settle(deleted=True)
        yield window


def key(qtbot, window: MainWindow, code: Qt.Key) -> None:
    qtbot.keyClick(window.focusWidget() or window, code)
    settle(deleted=True)


def test_enter_goes_through_the_three_steps_and_decides_nothing(qtbot, first) -> None:
    assert len(STEPS) == 3
    for number, step in enumerate(STEPS):
        assert first.tour.title.text() == step.title
        assert first.tour.count.text() == f"{number + 1} of 3"
        panel = first.bench.by_name[step.panel]
        about = QtCore.QRect(panel.mapTo(first, QtCore.QPoint()), panel.size())
        assert first.tour.frame.geometry() == about
        assert first.rect().contains(first.tour.geometry())
        key(qtbot, first, Qt.Key_Return)
    assert first.tour is None
    assert first.workspace.state.history.entries == ()
    assert first.preferences.get("toured") is True
    key(qtbot, first, Qt.Key_Return)  # the keys are the window's again
    assert len(first.workspace.state.history.entries) == 1


@pytest.mark.parametrize("way", ["key", "button"])
def test_it_can_be_skipped_and_never_comes_again(qtbot, tmp_path, array_project, watched, way: str) -> None:
    with shown_window(qtbot, tmp_path, tour=True) as window:
        assert window.tour is None  # nothing is open yet
        window.workspace.state.open(array_project)
        settle(deleted=True)
        if way == "key":
            key(qtbot, window, Qt.Key_Escape)
        else:
            qtbot.mouseClick(window.tour.skip, Qt.LeftButton)
            settle(deleted=True)
        assert window.tour is None
        assert window.findChild(QtWidgets.QFrame, "tourFrame") is None
    with shown_window(qtbot, tmp_path, tour=True) as window:
        window.workspace.state.open(array_project)
        settle(deleted=True)
        assert window.tour is None


def test_the_help_menu_shows_it_again(first) -> None:
    first.tour.leave()
    first.bench.show_layout("inspect")
    first.actions_["tour"].trigger()
    settle(deleted=True)
    assert first.tour.isVisible()
    assert first.bench.waveforms.isVisible()
    first.controller.close()
    settle(deleted=True)
    assert first.tour is None


def test_its_card_is_whole_on_every_screen(qtbot, first) -> None:
    for _ in STEPS:
        for size in [(960, 600), (1280, 800), (1920, 1200)]:
            first.resize(*size)
            settle(deleted=True)
            assert first.rect().contains(first.tour.geometry()), size
            for label in (first.tour.title, first.tour.text, first.tour.count, first.tour.next):
                needed = label.heightForWidth(label.width()) if label is first.tour.text else 0
                assert label.height() >= max(needed, label.minimumSizeHint().height() if not needed else 0)
                assert first.tour.rect().contains(label.geometry()), size
        key(qtbot, first, Qt.Key_Space)


def test_nobody_sees_it_in_tests_pictures_and_automatic_runs(monkeypatch) -> None:
    qt_application()
    monkeypatch.delenv("CI", raising=False)
    for platform, seen in (("offscreen", False), ("minimal", False), ("xcb", True), ("windows", True)):
        monkeypatch.setattr(QtGui.QGuiApplication, "platformName", lambda platform=platform: platform)
        assert is_watched() == seen
    monkeypatch.setenv("CI", "true")
    assert not is_watched()


# -- theme of the system --------------------------------------------------------------------------


@pytest.mark.parametrize(("is_dark", "name"), [(True, "dark"), (False, "light")])
def test_the_window_is_as_the_system_until_a_theme_is_chosen(
    qtbot, tmp_path, monkeypatch, is_dark: bool, name: str
) -> None:
    other = "light" if is_dark else "dark"
    monkeypatch.setattr(main_window, "system_is_dark", lambda _: is_dark)
    with shown_window(qtbot, tmp_path) as window:
        assert window.theme.name == name
        window.actions_["theme"].trigger()
        assert window.theme.name == other
    with shown_window(qtbot, tmp_path) as window:
        assert window.theme.name == other
        window.actions_["system_theme"].trigger()
        assert window.theme.name == name
    with shown_window(qtbot, tmp_path) as window:
        assert window.theme.name == name


@pytest.mark.parametrize(("window_colour", "is_dark"), [("#202020", True), ("#f0f0f0", False)])
def test_a_dark_palette_is_a_dark_system(monkeypatch, window_colour: str, is_dark: bool) -> None:
    application = qt_application()
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    palette = QtGui.QPalette()
    palette.setColor(QtGui.QPalette.Window, QtGui.QColor(window_colour))
    palette.setColor(QtGui.QPalette.Text, QtGui.QColor("#f0f0f0" if is_dark else "#101010"))
    monkeypatch.setattr(application, "palette", lambda: palette, raising=False)
    assert system_look._ask(application) == is_dark


def test_the_portal_of_a_linux_desktop_is_asked_first(monkeypatch) -> None:
    application = qt_application()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/bus")
    for answer, is_dark in ((1, True), (2, False)):
        monkeypatch.setattr(system_look, "portal_answer", lambda answer=answer: answer)
        assert system_look._ask(application) == is_dark


def test_an_answer_of_the_portal_comes_in_variants() -> None:
    class Variant:
        def __init__(self, value: object) -> None:
            self.variant = lambda: value

    assert system_look.plain_number([Variant(Variant(1))]) == 1
    assert system_look.plain_number([Variant("no such setting")]) is None
    assert system_look.plain_number([]) is None
