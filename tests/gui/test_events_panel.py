"""Events: a tile a unit with its raster and rates, of the sorting on screen and of other cards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.events import EventWindow
from ncpgui.app.work import measures
from ncpgui.core.events import Events
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels.events import REMEMBERED, EventsPanel, raster_image
from ncpgui.gui.theme import DARK, LIGHT
from ncpgui.session.store import load
from tests.gui.painted_text import collisions, painted_texts
from tests.gui.windows import settle

# Unit 0 of the small project (20 kHz) fires at 0.05, 0.0505, 0.25, 0.55, 0.85 and 1.05 s, unit 1 at 0.15,
# 0.45, 0.65 and 0.95 s.
EVENTS = Events(np.array([0.04, 0.5, 1.0]), np.array([0, 1, 0]), ("left", "right & up"))


@pytest.fixture
def panel(show, workspace, controller, small_project) -> EventsPanel:
    """While the responses are still computed."""
    workspace.state.open(replace(small_project, events=EVENTS))
    controller.preferences.set(REMEMBERED, [0.1, 0.1, 0.05])
    return show(EventsPanel)


@pytest.fixture
def done(panel, runner, screen) -> EventsPanel:
    """With the responses there."""
    runner.let_go()
    screen.settle()
    return panel


def counts(panel: EventsPanel) -> dict[str, list[int]]:
    return {tile.name: tile.response.counts.tolist() for tile in panel.grid.view.tiles}


def test_tiles_wait_and_then_show_how_units_respond(panel, runner, screen) -> None:
    """Of unit 0, 10 and 10.5 ms after the first event, 50 ms after the second and the third."""
    assert {tile.verdict for tile in panel.grid.view.tiles} == {"computing …"}
    runner.let_go()
    screen.settle()
    assert counts(panel) == {"0": [0, 0, 2, 2], "1": [0, 2, 0, 0], "0+1": [0, 2, 2, 2]}
    assert panel.note.text() == "3 events"
    assert panel.grid.view.tiles[0].verdict == "0\u2009Hz before, peak 13\u2009Hz at 25\u2009ms"


def test_below_are_the_units_that_other_cards_would_make_and_a_click_shows_the_card(
    done, workspace, screen
) -> None:
    assert [(group.n_tiles, group.title) for group in done.grid.view.groups] == [
        (2, ""),
        (1, "card 2: 25\u2009%"),
    ]
    screen.click(done.grid, done.grid.tile_rect(2).center())
    assert workspace.preview == 1


def test_a_tile_says_in_how_much_of_the_posterior_it_is_the_same(done) -> None:
    assert [tile.p_same for tile in done.grid.view.tiles] == pytest.approx([0.75, 0.75, 0.25])
    assert done.grid.view.tiles[0].foot[0].endswith("same in 75\u2009%")
    words = " ".join(done.grid.view.tiles[0].tooltip.split())
    assert "have at least 95 % of the spikes of both in common, so that the response is this one" in words


def test_each_unit_is_asked_for_once_and_only_while_the_panel_is_visible(
    done, workspace, runner, screen, monkeypatch
) -> None:
    asked = []
    monkeypatch.setattr(measures, "event_responses", lambda trains, *_, **__: asked.append(len(trains)) or {})
    workspace.show_alternative(1)
    screen.settle()
    runner.let_go()
    assert asked == []
    done.hide()
    done.show_kind(1)
    screen.settle()
    runner.let_go()
    assert asked == []
    done.show()
    screen.settle()
    runner.let_go()
    assert asked == [3]


def test_the_menu_sets_kind_window_and_bins(done, runner, screen) -> None:
    def choose(*path: str) -> None:
        menu = done.window_menu()
        for name in path[:-1]:
            menu = next(entry.menu() for entry in menu.actions() if entry.text() == name)
        next(entry for entry in menu.actions() if entry.text() == path[-1]).trigger()
        screen.settle()
        runner.let_go()
        screen.settle()

    choose("right && up")
    assert counts(done) == {"0": [0, 0, 0, 1], "1": [0, 1, 0, 0], "0+1": [0, 1, 0, 1]}
    assert done.note.text() == "right & up · 1 event"
    choose("Bins", "100 ms")
    assert counts(done)["0"] == [0, 1]
    choose("Before the event", "0 s")
    choose("After the event", "0.2 s")
    assert counts(done)["1"] == [0, 1]
    assert done.window_button.text() == "0 to 0.2 s / 100 ms"
    assert done.controller.preferences.get("event window", None) == [0.0, 0.2, 0.1]
    choose("all events")
    assert done.note.text() == "3 events"


def test_bins_that_do_not_fit_the_window_cannot_be_chosen(done) -> None:
    bins = next(entry.menu() for entry in done.window_menu().actions() if entry.text() == "Bins")
    assert [entry.text() for entry in bins.actions() if not entry.isEnabled()] == ["200 ms", "500 ms"]
    assert [entry.text() for entry in bins.actions() if entry.isChecked()] == ["50 ms"]


@pytest.mark.parametrize(
    ("remembered", "window"),
    [
        ([0.5, 1.0, 0.05], EventWindow(0.5, 1.0, 0.05)),
        ([0.5, 1.0, 0.001], EventWindow()),  # 1500 bins
        ([0.3, 1.0, 0.05], EventWindow()),
        (["a", None, {}], EventWindow()),
        ("x", EventWindow()),
        (None, EventWindow()),
    ],
)
def test_a_window_that_was_remembered_is_taken_if_it_is_one(remembered, window) -> None:
    assert EventWindow.of(remembered) == window


def test_another_window_has_the_possible_bins_that_are_most_like_those_before() -> None:
    assert EventWindow(0.2, 0.8, 0.02).reaching(after_s=10.0) == EventWindow(0.2, 10.0, 0.05)
    assert EventWindow(0.2, 0.8, 0.5).reaching(after_s=0.1) == EventWindow(0.2, 0.1, 0.1)
    assert EventWindow(0.2, 0.8, 0.02).reaching(before_s=0.5) == EventWindow(0.5, 0.8, 0.02)


def test_marks_and_bars_have_the_colour_of_the_unit_where_its_spikes_are(done, screen) -> None:
    grid, tile = done.grid, done.grid.view.tiles[0]
    color = LIGHT.unit(tile.color).name()
    raster, rates = grid.raster_rect(0), grid.rate_rect(0)

    def ink(place: QtCore.QRectF, left: float, right: float) -> bool:
        low = place.left() + left * place.width()
        part = QtCore.QRectF(low, place.top(), (right - left) * place.width(), place.height())
        return color in screen.colors(grid, part)

    assert not ink(raster, 0.02, 0.45)
    assert ink(raster, 0.5, 0.6)
    assert not ink(rates, 0.02, 0.48)
    assert ink(rates, 0.53, 0.98)


def test_each_event_has_its_row_the_first_on_top(done) -> None:
    image = raster_image(done.grid.view.tiles[0].response, 40, 30, QtGui.QColor("#ff0000"))
    alpha = np.array([[QtGui.qAlpha(image.pixel(x, y)) for x in range(40)] for y in range(30)])
    rows = [np.flatnonzero(alpha[at : at + 9].max(axis=0)).tolist() for at in (0, 10, 20)]
    assert rows == [[22], [30], [30]] or rows == [[22], [29], [29]]
    assert alpha[[9, 19, 29]].max() == 0  # free lines between them


def test_more_events_than_pixels_share_rows(done) -> None:
    many = replace(
        done.grid.view.tiles[0].response, n_events=100, event=np.arange(100), offset_s=np.zeros(100)
    )
    image = raster_image(many, 21, 10, QtGui.QColor("#ff0000"))
    alpha = np.array([[QtGui.qAlpha(image.pixel(x, y)) for x in range(21)] for y in range(10)])
    assert (alpha[:, 10] == 255).all()
    assert alpha[:, :10].max() == alpha[:, 11:].max() == 0


def test_the_tooltip_says_the_bin_under_the_pointer_and_what_the_picture_is(done) -> None:
    rect = done.grid.rate_rect(0)
    words = done.grid.tooltip_at(QtCore.QPointF(rect.left() + 0.6 * rect.width(), rect.center().y()))
    assert words.startswith("0 to 50 ms after the event: 13\u2009Hz (2 spikes)\nUnit 0, 6 spikes: ")
    assert "4 spikes around 3 events.\nAbove: one row for each event" in words
    assert done.grid.tooltip_at(QtCore.QPointF(-5, -5)) == ""


def test_a_session_without_events_says_how_to_load_some(show) -> None:
    panel = show(EventsPanel)
    assert panel.message.text().startswith("No events in this session.\nFile > Load events… takes times")
    assert not panel.scroll.isVisible()
    assert not panel.window_button.isVisible()


def test_both_themes_have_their_own_ground(done, screen) -> None:
    screen.in_theme(done, DARK)
    assert DARK.sunken.lower() in screen.colors(done.grid, done.grid.tile_rect(0))


@pytest.mark.parametrize("width", [260, 420, 760])
def test_no_text_of_a_tile_is_cut_and_none_collide(done, screen, width: int) -> None:
    done.resize(width, 500)
    screen.settle()
    texts = painted_texts(done.grid)
    assert collisions(texts) == []
    assert [text.words for text in texts if text.overhang_px > 1 or "…" in text.words] == []


# -- in the window ---------------------------------------------------------------------------------


def write(folder: Path, **arrays: list[float]) -> Path:
    path = folder / "events.npz"
    np.savez(path, **{name: np.array(values) for name, values in arrays.items()})
    return path


def load_by_menu(window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QtWidgets.QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    window.actions_["load_events"].trigger()
    settle()


def test_events_are_loaded_by_the_menu_shown_and_kept_with_the_session(
    opened, session, tmp_path, monkeypatch
) -> None:
    opened.resize(1400, 800)
    settle()
    assert not opened.bench.events.isVisible()
    load_by_menu(opened, write(tmp_path, go=[0.5, 1.0], stop=[0.7]), monkeypatch)
    assert opened.bench.events.isVisible()
    assert all(tile.response is not None for tile in opened.bench.events.grid.view.tiles)
    opened.controller.close()
    settle()
    kept = load(session).events
    assert (kept.time_s.tolist(), kept.kind.tolist(), kept.names) == (
        [0.5, 1.0, 0.7],
        [0, 0, 1],
        ("go", "stop"),
    )
    opened.open_path(session)
    settle()
    assert opened.bench.events.note.text() == "3 events"


def test_loading_shows_the_panel_in_a_layout_that_has_it_not(opened, tmp_path, monkeypatch) -> None:
    opened.resize(1100, 700)
    opened.bench.show_layout("inspect")
    settle()
    load_by_menu(opened, write(tmp_path, go=[0.5]), monkeypatch)
    assert opened.bench.events.isVisible()


def test_a_bad_file_says_what_is_wrong_and_the_events_that_were_there_stay(
    opened, tmp_path, monkeypatch
) -> None:
    load_by_menu(opened, write(tmp_path, go=[0.5, 1.0]), monkeypatch)
    before = opened.workspace.state.project.events
    load_by_menu(opened, write(tmp_path, go=[1.0, 0.5]), monkeypatch)
    assert "event 2 of 'go' at 0.5 s is not after the one before it at 1 s" in opened.banner.text.text()
    assert opened.banner.isVisible()
    assert opened.workspace.state.project.events is before
    load_by_menu(opened, write(tmp_path, go=[0.5]), monkeypatch)
    assert not opened.banner.isVisible()
    assert opened.bench.events.note.text() == "1 event"


def test_a_dialog_that_is_left_loads_nothing(opened, monkeypatch) -> None:
    monkeypatch.setattr(QtWidgets.QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    opened.actions_["load_events"].trigger()
    assert opened.workspace.state.project.events is None


def test_the_panel_without_events_says_how_to_load_some_until_another_project_comes(opened, session) -> None:
    opened.bench.show_panel("events", True)
    settle()
    assert opened.bench.events.isVisible()
    assert "Load events" in opened.bench.events.message.text()
    opened.open_path(session)
    settle()
    assert not opened.bench.events.isVisible()


def test_undo_and_edits_leave_events_alone_and_follow_them(opened, tmp_path, monkeypatch) -> None:
    opened.resize(1400, 800)
    load_by_menu(opened, write(tmp_path, go=[0.5, 1.0]), monkeypatch)
    units = [tile.unit for tile in opened.bench.events.grid.view.tiles][:2]
    opened.workspace.select(units)
    opened.workspace.merge(units)
    settle()
    merged = opened.bench.events.grid.view.tiles[0]
    assert merged.response is not None
    opened.workspace.undo()
    settle()
    assert opened.workspace.state.project.events is not None
    assert [tile.unit for tile in opened.bench.events.grid.view.tiles][:2] == units
