"""Receptive fields: a tile a unit, computed only while one looks at them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui

from ncpgui.app.work import measures
from ncpgui.core.stimulus import Stimulus
from ncpgui.gui.panels.receptive_fields import REMEMBERED, ReceptiveFieldsPanel, map_image
from ncpgui.gui.theme import DARK, LIGHT
from tests.gui.painted_text import collisions, painted_texts
from tests.tiny_project import tiny_project


@dataclass(frozen=True)
class FakeField:
    """ON in pixel (row 1, column 4) of 4 x 6, twenty noise sd."""

    spatial: np.ndarray
    time_course: np.ndarray
    center_px: tuple[float, float]
    ellipse: tuple[float, float, float]
    is_clear: bool
    peak_z: float


def field(*, is_clear: bool = True, peak_z: float = 20.0) -> FakeField:
    spatial = np.zeros((4, 6), dtype=np.float32)
    spatial[1, 4] = peak_z
    course = np.array([0, 1, 0.5, 0], dtype=np.float32)
    return FakeField(spatial, course, (4.0, 1.0), (1.0, 0.5, 0.0), is_clear, peak_z)


@pytest.fixture
def asked(monkeypatch) -> list[int]:
    """How many spikes each field was asked for; units of six spikes have a clear one."""
    sizes: list[int] = []

    def compute(_stimulus, wanted, **_):
        sizes.extend(len(samples) for samples in wanted.values())
        return {key: field(is_clear=len(samples) == 6) for key, samples in wanted.items()}

    monkeypatch.setattr(measures, "receptive_fields", compute)
    return sizes


@pytest.fixture
def panel(show, workspace, controller, small_project, asked) -> ReceptiveFieldsPanel:
    """While the fields are still computed; those of other cards are not asked for."""
    controller.preferences.set(REMEMBERED, False)
    frames = np.ones((20, 4, 6), dtype=np.int8)
    stimulus = Stimulus(frames, np.arange(20) * 2000)
    workspace.state.open(replace(small_project, stimulus=stimulus))
    return show(ReceptiveFieldsPanel)


@pytest.fixture
def done(panel, runner, screen) -> ReceptiveFieldsPanel:
    """With the fields there."""
    runner.let_go()
    screen.settle()
    return panel


def test_tiles_wait_and_then_show_their_fields(panel, runner, screen) -> None:
    assert [tile.verdict for tile in panel.grid.view.tiles] == ["computing …", "computing …"]
    assert panel.note.text() == "0 of 2 units clear"
    runner.let_go()
    screen.settle()
    assert [tile.verdict for tile in panel.grid.view.tiles] == ["clear ON field", "no clear field"]
    assert [tile.short_verdict for tile in panel.grid.view.tiles] == ["clear ON", "unclear"]
    assert panel.note.text() == "1 of 2 units clear"


def test_a_unit_with_one_pixel_of_eleven_noise_sd_has_a_clear_field(
    show, workspace, controller, runner, screen
) -> None:
    """130 spikes a frame after a bright pixel of white noise: √130 sd. The other unit fires at any time."""
    controller.preferences.set(REMEMBERED, False)
    rng = np.random.default_rng(5)
    frames = (2 * rng.integers(0, 2, (2000, 4, 6)) - 1).astype(np.int8)
    after_bright = 1 + np.flatnonzero(frames[20:-1, 1, 4] > 0) + 20
    of_first = rng.choice(after_bright, 130, replace=False)
    of_second = rng.choice(np.setdiff1d(np.arange(20, 2000), of_first), 130, replace=False)
    fired = np.sort(np.concatenate([of_first, of_second]))
    project = tiny_project({0: [np.isin(fired, of_second).astype(int).tolist()]})
    spikes = replace(project.spikes, sample_index=100 * fired + 50, n_samples=200_000)
    stimulus = Stimulus(frames, 100 * np.arange(2000))
    workspace.state.open(replace(project, spikes=spikes, stimulus=stimulus))
    panel = show(ReceptiveFieldsPanel)
    runner.let_go()
    screen.settle()
    assert [tile.verdict for tile in panel.grid.view.tiles] == ["clear ON field", "no clear field"]
    assert panel.grid.view.tiles[0].field.peak_z == pytest.approx(np.sqrt(130), abs=1.5)


def test_each_unit_is_asked_for_once(done, asked, workspace, screen, runner) -> None:
    assert sorted(asked) == [4, 6]
    workspace.select([1])
    workspace.show_alternative(1)
    screen.settle()
    runner.let_go()
    screen.settle()
    assert sorted(asked) == [4, 6, 10]
    workspace.show_alternative(0)
    screen.settle()
    runner.let_go()
    assert sorted(asked) == [4, 6, 10]


def test_fields_are_wanted_only_while_the_panel_is_visible(
    panel, controller, workspace, asked, runner, screen
) -> None:
    runner.let_go()
    assert len(asked) == 2
    panel.hide()
    workspace.show_alternative(1)
    screen.settle()
    runner.let_go()
    assert len(asked) == 2
    panel.show()
    screen.settle()
    runner.let_go()
    assert len(asked) == 3


def test_the_map_is_red_where_light_drives_the_unit(done, screen) -> None:
    rect = done.grid.map_rect(0)
    pixel = rect.width() / 6
    on = screen.pixel(done.grid, rect.topLeft() + QtCore.QPointF(4.5 * pixel, 1.5 * pixel))
    none = screen.pixel(done.grid, rect.topLeft() + QtCore.QPointF(0.5 * pixel, 3.5 * pixel))
    assert QtGui.QColor(on).red() > 2 * QtGui.QColor(on).blue()
    assert QtGui.QColor(none).lightness() > 230
    assert rect.width() / rect.height() == pytest.approx(6 / 4)


def test_only_a_clear_field_has_an_ellipse(done, screen) -> None:
    """The Gaussian at 1.5 sd: 1.5 pixels to the left of the middle of pixel (1, 4)."""

    def ink(row: int) -> bool:
        rect = done.grid.map_rect(row)
        pixel = rect.width() / 6
        left = rect.topLeft() + QtCore.QPointF(3.0 * pixel, 1.5 * pixel)
        around = QtCore.QRectF(left.x() - 2, left.y() - 2, 5, 5)
        return any(QtGui.QColor(c).lightness() < 80 for c in screen.colors(done.grid, around))

    assert ink(0)
    assert not ink(1)


def test_both_signs_have_the_same_range_and_noise_stays_pale() -> None:
    strong = map_image(np.array([[-20.0, 0.0, 20.0]]), LIGHT)
    off, none, on = (QtGui.QColor(strong.pixel(x, 0)) for x in range(3))
    assert off.name() == "#1d4fa3"
    assert on.name() == "#a9202c"
    assert none.lightness() > 230
    noise = map_image(np.array([[-1.5, 0.0, 1.5]]), LIGHT)
    assert all(QtGui.QColor(noise.pixel(x, 0)).lightness() > 190 for x in range(3))
    assert QtGui.QColor(map_image(np.zeros((1, 1)), DARK).pixel(0, 0)).lightness() < 60


def test_a_click_selects_the_unit(done, workspace, screen) -> None:
    screen.click(done.grid, done.grid.tile_rect(1).center())
    assert workspace.selected == (1,)
    screen.settle()
    assert done.grid.view.tiles[1].is_selected
    assert LIGHT.accent_soft.lower() in screen.colors(done.grid, done.grid.tile_rect(1))
    screen.click(done.grid, done.grid.tile_rect(0).center(), ctrl=True)
    assert workspace.selected == (1, 0)


def test_tiles_lie_side_by_side_and_scroll_when_there_is_no_room(done, screen) -> None:
    assert done.grid.tile_rect(1).top() == done.grid.tile_rect(0).top()
    assert done.grid.tile_rect(1).right() <= done.grid.width()
    assert done.scroll.verticalScrollBar().maximum() == 0
    done.resize(140, 180)
    screen.settle()
    assert done.grid.tile_rect(0).width() <= 140
    assert done.grid.tile_rect(1).top() > done.grid.tile_rect(0).bottom()
    assert done.scroll.verticalScrollBar().maximum() > 0


def test_with_little_room_the_time_course_goes_and_the_maps_stay(done, screen) -> None:
    full = done.grid.tile_rect(0).bottom() - done.grid.map_rect(0).bottom()
    done.resize(250, 176)
    screen.settle()
    assert done.scroll.verticalScrollBar().maximum() == 0
    assert done.grid.tile_rect(0).bottom() - done.grid.map_rect(0).bottom() == pytest.approx(full - 30)
    assert done.grid.tile_rect(1).right() <= done.grid.width()


def test_a_session_without_stimulus_says_how_to_get_one(show) -> None:
    panel = show(ReceptiveFieldsPanel)
    assert "stimulus.npz" in panel.message.text()
    assert not panel.scroll.isVisible()
    assert panel.note.text() == ""


def test_no_project_says_what_to_do(show, workspace, screen) -> None:
    panel = show(ReceptiveFieldsPanel)
    workspace.state.close()
    screen.settle()
    assert panel.message.text() == "Open a recording or a session to begin."


def test_both_themes_have_their_own_ground(done, screen) -> None:
    screen.in_theme(done, DARK)
    assert DARK.sunken.lower() in screen.colors(done.grid, done.grid.tile_rect(0))


# -- other cards, and what is the same in the posterior -------------------------------------------


@pytest.fixture
def with_others(done, runner, screen) -> ReceptiveFieldsPanel:
    """With the fields of what other cards would make."""
    done.toggle_others()
    screen.settle()
    runner.let_go()
    screen.settle()
    return done


def test_below_are_the_fields_of_what_other_cards_would_make(with_others, asked) -> None:
    """Card 2 merges both units: ten spikes."""
    view = with_others.grid.view
    assert [tile.name for tile in view.tiles] == ["0", "1", "0+1"]
    assert [(group.n_tiles, group.title) for group in view.groups] == [(2, ""), (1, "card 2: 25\u2009%")]
    assert sorted(asked) == [4, 6, 10]
    assert view.tiles[2].verdict == "no clear field"
    assert with_others.note.text() == "1 of 2 units clear"
    assert with_others.grid.tile_rect(2).top() > with_others.grid.tile_rect(1).bottom()
    titles = [text.words for text in painted_texts(with_others.grid) if "card" in text.words]
    assert titles == ["card 2: 25\u2009%"]


def test_a_click_on_the_field_of_another_card_shows_the_card(with_others, workspace, screen) -> None:
    screen.click(with_others.grid, with_others.grid.tile_rect(2).center())
    screen.settle()
    assert workspace.preview == 1
    view = with_others.grid.view
    assert [tile.name for tile in view.tiles] == ["0+1", "0", "1"]
    assert [group.title for group in view.groups] == ["", "in use"]
    screen.click(with_others.grid, with_others.grid.tile_rect(1).center())
    assert workspace.preview is None
    assert workspace.selected == ()


def test_whether_other_cards_are_shown_is_remembered(with_others, controller, show) -> None:
    assert show(ReceptiveFieldsPanel).shows_others
    with_others.toggle_others()
    assert not show(ReceptiveFieldsPanel).shows_others


def test_a_tile_says_in_how_much_of_the_posterior_it_is_the_same(with_others, screen) -> None:
    """Three of four draws have both units as they are, the fourth has one cell of all ten spikes."""
    with_others.resize(700, 900)
    screen.settle()
    tiles = with_others.grid.view.tiles
    assert [tile.p_same for tile in tiles] == pytest.approx([0.75, 0.75, 0.25])
    assert tiles[0].foot[0] == "clear ON field · same in 75\u2009%"
    assert "Same in 75\u2009%: in this share of the draws" in tiles[0].tooltip
    words = [text.words for text in painted_texts(with_others.grid)]
    assert "clear ON field · same in 75\u2009%" in words


def test_words_of_a_clear_field_are_green_unless_they_say_that_it_is_mostly_another_one(with_others) -> None:
    clear = with_others.grid.view.tiles[0]
    assert [clear.foot_color(words) for words in clear.foot] == ["good"] * len(clear.foot)
    doubtful = replace(clear, p_same=0.25)
    assert {words: doubtful.foot_color(words) for words in doubtful.foot} == {
        "clear ON field · same in 25\u2009%": "muted",
        "clear ON · same in 25\u2009%": "muted",
        "ON · same in 25\u2009%": "muted",
        "same in 25\u2009%": "muted",
        "clear ON": "good",
    }


def test_where_there_is_little_room_a_tile_still_says_in_how_much_it_is_the_same(with_others) -> None:
    clear, _, unclear = with_others.grid.view.tiles
    assert clear.foot[2:] == ("ON · same in 75\u2009%", "same in 75\u2009%", "clear ON")
    assert unclear.foot[1:] == ("unclear · same in 25\u2009%", "same in 25\u2009%", "unclear")


@pytest.mark.parametrize("width", [300, 420, 560, 760])
def test_a_long_name_leaves_room_for_the_caption_of_its_tile(panel, screen, width: int) -> None:
    panel.resize(width, 700)
    screen.settle()
    grid = panel.grid
    long = tuple(replace(tile, name="a unit with quite a long name") for tile in grid.view.tiles)
    grid.set_view(replace(grid.view, tiles=long), LIGHT)
    assert [pair for pair in collisions(painted_texts(grid)) if any("quite" in words for words in pair)] == []
