"""The page before anything is open, and the line at the bottom of the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.work.activity import Activity
from ncpgui.app.work.tasks import Immediate
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.gui.start_page import StartPage, shortened
from ncpgui.gui.status_line import StatusLine
from tests.tiny_project import tiny_project

WORK = Activity("reading", 0.5)


def rows(page: StartPage) -> list[QtWidgets.QWidget]:
    """What is listed now; what was taken away is deleted later."""
    layout = page.recent.layout()
    return [layout.itemAt(k).widget() for k in range(layout.count())]


def test_the_first_way_to_begin_stands_out_and_each_does_what_it_says(qtbot) -> None:
    begun: list[str] = []
    page = StartPage({name: lambda name=name: begun.append(name) for name in ("Open", "Demo")})
    qtbot.addWidget(page)
    assert [(one.text(), one.property("primary")) for one in page.buttons] == [
        ("Open", True),
        ("Demo", False),
    ]
    for button in reversed(page.buttons):
        button.click()
    assert begun == ["Demo", "Open"]


def test_nothing_else_can_be_opened_while_something_is(qtbot) -> None:
    page = StartPage({"Open": lambda: None})
    qtbot.addWidget(page)
    for activity, is_idle in ((WORK, False), (None, True)):
        page.show_activity(activity)
        assert page.buttons[0].isEnabled() == is_idle
        assert page.hint.isVisibleTo(page) == is_idle
        assert page.recent.isVisibleTo(page) == is_idle
        assert page.activity.isVisibleTo(page) != is_idle


def test_the_last_five_files_that_are_still_there_are_listed(qtbot, tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{k}.h5") for k in range(8)]
    for path in paths[1:]:
        Path(path).touch()
    page, chosen = StartPage({}), []
    qtbot.addWidget(page)
    page.file_chosen.connect(chosen.append)
    page.show_recent(paths[:2])
    page.show_recent(paths)
    title, *buttons = rows(page)
    assert title.text() == "Recent"
    assert [button.toolTip() for button in buttons] == paths[1:6]
    buttons[2].click()
    assert chosen == [paths[3]]
    page.show_recent(paths[:1])
    assert rows(page) == []


def test_a_long_path_is_shown_by_its_ends_and_home_by_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/anna")
    assert shortened("/anna/retina/a.h5") == "~/retina/a.h5"
    assert shortened("/annabel/a.h5") == "/annabel/a.h5"
    fits = "/" + 63 * "x"
    assert shortened(fits) == fits
    assert shortened("/" + "a" * 20 + "b" * 2 + "c" * 42) == "/" + "a" * 20 + "…" + "c" * 42


@pytest.fixture
def line(qtbot, tmp_path: Path) -> StatusLine:
    workspace = Workspace()
    controller = Controller(workspace, Immediate(), Preferences(tmp_path))
    line = StatusLine(workspace, controller)
    line.setProperty("kept", controller)
    qtbot.addWidget(line)
    return line


def test_the_line_tells_what_is_open(line: StatusLine) -> None:
    """Eight spikes on one channel in a hundred seconds."""
    project, state = tiny_project({0: [[0] * 8]}), line._workspace.state
    project = replace(project, recording=replace(project.recording, n_samples=2_000_000))
    given = GivenSorting("/data/sorted", PHY, np.arange(8), "")
    line.tell_project()
    assert line.about_project.text() == ""
    words = "1 channel · 1 min 40 s · 8 spikes · model tiny"
    for opened, told in ((project, words), (replace(project, given=given), f"review of sorted · {words}")):
        state.open(opened)
        line.tell_project()
        assert line.about_project.text() == told
    state.close()
    line.tell_project()
    assert line.about_project.text() == ""


def test_messages_have_the_room_of_what_is_open_while_work_is_under_way(line: StatusLine) -> None:
    line._workspace.state.open(tiny_project({0: [[0] * 8]}))
    for activity, is_busy in ((WORK, True), (None, False)):
        line._show_activity(activity)
        assert line.activity.isVisibleTo(line) == is_busy
        assert line.about_project.isVisibleTo(line) != is_busy
        assert line.wrong_left.isVisibleTo(line) != is_busy
    line._workspace.state.told.emit("Saved s.h5")
    assert line.currentMessage() == "Saved s.h5"
