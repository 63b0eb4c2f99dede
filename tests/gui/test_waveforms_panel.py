"""Waveforms: a column a unit, a row a channel; the same at probe geometry."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.waveforms import MAX_SPIKES_SHOWN, WaveformColumn, WaveformsView
from ncpgui.gui.items.waveform_density import density
from ncpgui.gui.items.waveform_layout import WaveformLayout, at_contacts, extents, stacked
from ncpgui.gui.panels.waveforms import BAR_X, GUTTER, HEADER, STRIP, WaveformsPanel, WaveformsWidget
from ncpgui.gui.theme import DARK, LIGHT
from tests.gui.painted_text import painted_texts
from tests.gui.windows import redraws, settle

BLUE, ORANGE = (LIGHT.unit(Color(k)).name() for k in (0, 1))


@pytest.fixture
def panel(show) -> WaveformsPanel:
    return show(WaveformsPanel)


def middle(panel: WaveformsPanel, row: int) -> QtCore.QPointF:
    return panel.plot.column_rect(row).center()


def test_each_unit_has_a_column_in_its_own_colour(panel, screen) -> None:
    assert [column.name for column in panel.plot.view.columns] == ["0", "1"]
    body = [panel.plot.column_rect(row).adjusted(4, HEADER, -4, -4) for row in (0, 1)]
    first, second = (screen.colors(panel.plot, rect) for rect in body)
    assert first.get(BLUE, 0) > 50
    assert second.get(ORANGE, 0) > 50
    assert BLUE not in second
    assert ORANGE not in first


def test_the_header_tells_spikes_purity_and_completeness(panel) -> None:
    first, second = panel.plot.view.columns
    assert (first.caption, second.caption) == ("6 spikes", "4 spikes")
    assert first.support.endswith("75\u2009%")
    assert second.support.endswith("75\u2009%")
    assert "unit 1, 4 spikes" in panel.plot.accessibleDescription()


def test_purity_and_completeness_are_above_all_columns_or_above_none(panel) -> None:
    """The words of the first unit are wider than those of the second."""
    first, second = panel.plot.view.columns
    columns = replace(first, p_pure=1.0, p_complete=1.0), replace(second, p_pure=0.1, p_complete=0.1)
    view, seen = replace(panel.plot.view, columns=columns), set()
    assert len(columns[0].support) > len(columns[1].support)
    for width in range(200, 800, 10):
        panel.resize(width, 400)
        settle()
        panel.plot.set_view(view, "columns", LIGHT)
        words = [text.words for text in painted_texts(panel.plot)]
        seen.add(sum(column.support in words for column in columns))
    assert seen == {0, 2}


def test_the_trough_of_the_mean_is_where_the_scale_says(panel) -> None:
    layout = panel.plot.waveform_layout()
    trough = panel.plot.view.columns[0].mean[11]
    np.testing.assert_allclose(trough, [-10, -4])
    assert layout.y0[0] + 10 * layout.sd_px < panel.plot.height() - STRIP
    assert layout.y0[1] > layout.y0[0]


def test_the_scale_bar_is_five_noise_sd_high(panel, screen) -> None:
    layout = panel.plot.waveform_layout()
    bottom = panel.plot.height() - STRIP + 4
    bar = 5 * layout.sd_px

    def ink(y: float) -> bool:
        return screen.pixel(panel.plot, QtCore.QPointF(round(BAR_X), y)) == LIGHT.text.lower()

    assert ink(bottom - 0.5 * bar)
    assert ink(bottom - bar + 2)
    assert not ink(bottom - bar - 2)
    assert panel.plot.view.scale_bar == (5.0, "5 × noise sd")
    assert panel.plot.view.time_bar == (10.0, "0.5 ms")


def test_a_click_selects_the_unit_and_ctrl_adds_or_takes_out(panel, workspace, screen) -> None:
    screen.click(panel.plot, middle(panel, 1))
    assert workspace.selected == (1,)
    screen.click(panel.plot, middle(panel, 0), ctrl=True)
    assert workspace.selected == (1, 0)
    screen.click(panel.plot, middle(panel, 1), ctrl=True)
    assert workspace.selected == (0,)
    screen.click(panel.plot, QtCore.QPointF(GUTTER / 2, 100))
    assert workspace.selected == (0,)


def test_the_selected_column_is_lit(panel, workspace, screen) -> None:
    workspace.select([1])
    screen.settle()
    lit = LIGHT.accent_soft.lower()
    assert lit not in screen.colors(panel.plot, panel.plot.column_rect(0))
    assert screen.colors(panel.plot, panel.plot.column_rect(1))[lit] > 1000


def test_a_preview_frames_what_changes_and_shows_where_it_comes_from(panel, workspace, screen) -> None:
    workspace.show_alternative(1)
    screen.settle()
    (merged,) = panel.plot.view.columns
    assert merged.name == "0+1"
    assert merged.is_changed
    assert [ghost.name for ghost in merged.ghosts] == ["0", "1"]
    assert "Dashed: 0 and 1, in use now" in merged.tooltip.splitlines()
    assert ORANGE in screen.colors(panel.plot, panel.plot.column_rect(0))
    assert "would change" in panel.note.text()
    screen.click(panel.plot, middle(panel, 0))
    assert workspace.selected == ()


def test_both_themes_have_their_own_ground(panel, screen) -> None:
    corner = QtCore.QPointF(GUTTER / 2, 4)
    light = screen.pixel(panel.plot, corner)
    screen.in_theme(panel, DARK)
    dark = screen.pixel(panel.plot, corner)
    assert (light, dark) == (LIGHT.panel.lower(), DARK.panel.lower())
    assert DARK.unit(Color(0)).name() in screen.colors(panel.plot)


def test_at_probe_geometry_contacts_lie_as_on_the_probe(panel, workspace, screen) -> None:
    panel.set_arrangement("probe")
    screen.settle()
    assert panel.arrangement == "probe"
    layout = panel.plot.waveform_layout()
    assert layout.y0[0] == layout.y0[1]
    assert layout.x0[1] > layout.x0[0]
    colors = screen.colors(panel.plot)
    assert BLUE in colors
    assert ORANGE in colors
    screen.click(panel.plot, panel.plot.chip_rects()[1].center())
    assert workspace.selected == (1,)
    trough = QtCore.QPointF(layout.x0[0] + 11 * layout.sample_px, layout.y0[0] + 10 * layout.sd_px)
    screen.click(panel.plot, trough)
    assert workspace.selected == (0,)


def test_tooltips_explain_units_and_rows(panel) -> None:
    assert "probability that hardly a spike" in panel.plot.tooltip_at(middle(panel, 0))
    layout = panel.plot.waveform_layout()
    assert "reference" in panel.plot.tooltip_at(QtCore.QPointF(10, layout.y0[0]))
    assert "+30 µm, +0 µm" in panel.plot.tooltip_at(QtCore.QPointF(10, layout.y0[1]))


def test_without_waveforms_the_panel_says_why(panel, workspace, without_waveforms, screen) -> None:
    workspace.state.open(without_waveforms)
    screen.settle()
    assert panel.message.isVisible()
    assert "come from waveforms, which are read from the recording" in panel.message.text()
    assert not panel.plot.isVisible()
    assert panel.note.text() == ""


def test_a_hidden_panel_draws_nothing_until_it_is_shown(panel, workspace, screen) -> None:
    panel.hide()
    drawn = redraws(panel)
    workspace.select([1])
    workspace.show_alternative(1)
    screen.settle()
    assert not drawn
    panel.show()
    screen.settle()
    assert len(drawn) == 1


def test_rows_are_as_far_apart_as_the_height_allows() -> None:
    """Means span -15 .. 5 with the margin: 20 sd are two rows, half a row free above and below."""
    layout = stacked(np.array([-13.5, -1.5]), np.array([3.5, 0.5]), width=310, top=10, height=200)
    np.testing.assert_allclose(layout.y0, [60, 160])
    assert layout.sd_px == pytest.approx(10)
    assert layout.sample_px == pytest.approx(10)


def test_seven_rows_in_400_px_overlap_by_two_rows_at_most() -> None:
    lowest = np.array([-40.0, -20, -20, -10, -10, -5, -5])
    layout = stacked(lowest, -0.3 * lowest, width=100, top=0, height=400)
    assert layout.sd_px * (52 + 3) == pytest.approx(2 * layout.pitch_px)
    assert layout.pitch_px > 45
    assert (layout.y0 - layout.sd_px * -0.3 * lowest > 0).all()
    assert (layout.y0 - layout.sd_px * lowest < 400).all()


def test_contacts_beside_each_other_share_the_width() -> None:
    """30 µm apart, cells 27 µm wide: 57 µm are 570 px."""
    offsets = np.array([[0.0, 0.0], [30.0, 0.0]])
    flat = np.zeros(2)
    layout = at_contacts(offsets, flat - 5, flat + 5, left=0, width=570, top=0, height=100)
    np.testing.assert_allclose(layout.x0, [0, 300])
    np.testing.assert_allclose(layout.y0, [50, 50])
    assert layout.sample_px * 31 == pytest.approx(270)


def test_contacts_above_each_other_go_upwards_on_the_screen() -> None:
    offsets = np.array([[0.0, 0.0], [0.0, 25.0], [0.0, -25.0]])
    layout = at_contacts(offsets, np.full(3, -8.0), np.full(3, 4.0), left=0, width=300, top=0, height=300)
    assert layout.y0[1] < layout.y0[0] < layout.y0[2]
    assert layout.y0[0] - layout.y0[1] == pytest.approx(layout.pitch_px)


def test_extents_leave_room_for_nine_in_ten_spikes() -> None:
    mean = np.zeros((32, 1), dtype=np.float32)
    spikes = np.zeros((101, 32, 1), dtype=np.float32)
    spikes[:, 5, 0] = np.arange(101)
    low, high = extents([mean], [spikes])
    assert low == pytest.approx(0)
    assert high == pytest.approx(95)


def test_another_selection_does_not_draw_the_waveforms_again(panel, workspace, screen, monkeypatch) -> None:
    drawn = []
    monkeypatch.setattr(WaveformsWidget, "_paint_columns", lambda *_: drawn.append(1))
    workspace.select([1])
    screen.settle()
    assert drawn == []
    workspace.show_alternative(1)
    screen.settle()
    assert drawn == [1]


def test_eight_units_on_seven_channels_are_drawn_in_60_ms(qtbot, theme) -> None:
    """As many spikes as the presenter ever gives to eight units."""
    n = MAX_SPIKES_SHOWN // 8
    generator = np.random.default_rng(0)
    columns = []
    for unit in range(8):
        spikes = generator.normal(0, 1, (n, 32, 7)).astype(np.float32)
        spikes[:, 8:14] -= 10
        columns.append(
            WaveformColumn(
                str(unit), Color(unit), unit, n, 0.9, 0.9, spikes, spikes.mean(axis=0), False, False
            )
        )
    offsets = np.array([[0, 0], [30, 0], [-30, 0], [15, 26], [-15, 26], [15, -26], [-15, -26]], float)
    widget = WaveformsWidget()
    qtbot.addWidget(widget)
    widget.resize(900, 600)
    spent = []
    for _ in range(3):
        start = time.process_time()
        widget.set_view(WaveformsView(tuple(columns), tuple(range(7)), offsets, -11, 1), "columns", theme)
        widget.grab()
        spent.append(time.process_time() - start)
    assert min(spent) < 0.06


@pytest.mark.parametrize("size", [(300, 160), (460, 300), (460, 420), (700, 640), (900, 1200)])
@pytest.mark.parametrize("arrangement", ["columns", "probe"])
def test_the_scale_bar_lies_on_no_name_of_a_channel(show, size, arrangement) -> None:
    """Quiet spikes on one channel or two make it tall; names of many digits are wide."""
    panel = show(WaveformsPanel, *size)
    view = panel.plot.view
    for n_channels in (1, 2):
        shown = replace(
            view,
            channels=(353, 1024)[:n_channels],
            offsets_um=view.offsets_um[:n_channels],
            columns=tuple(
                replace(c, mean=c.mean[:, :n_channels] / 3, spikes=c.spikes[:, :, :n_channels] / 3)
                for c in view.columns
            ),
        )
        panel.plot.set_view(shown, arrangement, LIGHT)
        texts = painted_texts(panel.plot)
        names = [text for text in texts if text.words.startswith("ch ")]
        assert len(names) == n_channels
        for bar in panel.plot.bar_rects():
            assert QtCore.QRectF(panel.plot.rect()).contains(bar)
            assert not any(bar.intersects(text.ink) for text in texts)


def wheel(panel: WaveformsPanel, keys: QtCore.Qt.KeyboardModifiers, notches: int) -> bool:
    """Turn the wheel over the plot; whether it took it."""
    here = QtCore.QPointF(panel.plot.rect().center())
    event = QtGui.QWheelEvent(
        here,
        QtCore.QPointF(panel.plot.mapToGlobal(here.toPoint())),
        QtCore.QPoint(),
        QtCore.QPoint(0, 120 * notches),
        QtCore.Qt.NoButton,
        keys,
        QtCore.Qt.NoScrollPhase,
        False,
    )
    panel.plot.wheelEvent(event)
    return event.isAccepted()


def test_ctrl_and_the_wheel_scale_the_waveforms_and_the_bar(panel, screen) -> None:
    before, bar = panel.plot.waveform_layout().sd_px, panel.plot.bar_rects()[0].height()
    assert wheel(panel, QtCore.Qt.ControlModifier, 2)
    assert panel.plot.waveform_layout().sd_px == pytest.approx(1.15**2 * before)
    assert panel.plot.bar_rects()[0].height() == pytest.approx(1.15**2 * bar)
    assert wheel(panel, QtCore.Qt.ControlModifier, -2)
    assert panel.plot.waveform_layout().sd_px == pytest.approx(before)
    assert not wheel(panel, QtCore.Qt.NoModifier, 2)
    assert panel.plot.waveform_layout().sd_px == pytest.approx(before)
    for _ in range(3):
        wheel(panel, QtCore.Qt.ControlModifier, 40)
    assert panel.plot.gain == 8.0


def test_means_alone_and_beside_the_most_alike_other_unit(panel, screen) -> None:
    """In the column of unit 0 the trough of unit 1 is grey, 5 noise sd under the zero line."""
    assert [column.neighbour.name for column in panel.plot.view.columns] == ["1", "0"]

    def n_grey() -> int:
        layout, column = panel.plot.waveform_layout(), panel.plot.column_rect(0)
        x = column.left() + 6 + layout.x0[0] + 11 * layout.sample_px
        around = QtCore.QRectF(x - 3, layout.y0[0] + 5 * layout.sd_px - 4, 6, 8)
        return screen.colors(panel.plot, around).get(LIGHT.color("faint").name(), 0)

    notes = [panel.note.text()]
    grey = [n_grey()]
    for _ in range(4):
        panel.step_shown()
        screen.settle()
        notes.append(panel.note.text())
        grey.append(n_grey())
    assert notes == [
        "some spikes of each unit, and the mean of all",
        "density of all sampled spikes, and their mean",
        "means",
        "means, the most similar other unit in grey",
        "some spikes of each unit, and the mean of all",
    ]
    assert [bool(n) for n in grey] == [False, False, False, True, False]
    panel.step_shown(-1)
    assert panel.plot.shown == "alike"
    panel.toggle_means()
    assert panel.plot.shown == "mean"
    panel.toggle_means()
    assert panel.plot.shown == "spikes"


def test_at_the_contacts_no_mean_lies_under_the_grey_of_another(panel, screen) -> None:
    """Each is the most similar to the other, and both are there in their colours."""
    panel.set_arrangement("probe")
    for _ in range(3):
        panel.step_shown()
    screen.settle()
    assert panel.plot.shown == "alike"
    layout = panel.plot.waveform_layout()
    x = layout.x0[0] + 11 * layout.sample_px
    for unit, depth_sd in enumerate((10, 5)):
        at = screen.colors(panel.plot, QtCore.QRectF(x - 3, layout.y0[0] + depth_sd * layout.sd_px - 4, 6, 8))
        assert LIGHT.unit(Color(unit)).name() in at
        assert LIGHT.color("faint").name() not in at


# -- density ------------------------------------------------------------------------------------


def one_contact() -> WaveformLayout:
    return WaveformLayout(np.array([2.0]), np.array([50.5]), 3.0, 4.0, 100.0)


def test_every_waveform_is_counted_once_in_each_column_of_its_contact() -> None:
    """Samples lie 3 pixels apart from pixel 2 on; zero is row 50, and 5 sd lower is row 70."""
    waveforms = np.zeros((7, 32, 1), np.float32)
    waveforms[4:] = -5.0
    counts = density(waveforms, one_contact(), 120, 100)
    assert counts.sum(axis=0).tolist() == [0] * 2 + [7] * (3 * 31 + 1) + [0] * 24
    assert counts[50, 2:96].tolist() == [4] * 94
    assert counts[70, 2:96].tolist() == [3] * 94


def test_between_two_samples_a_waveform_is_a_straight_line() -> None:
    """From 0 at sample 0 to -3 sd at sample 1: 4 pixels a sd, a third of the way at each pixel between."""
    waveforms = np.zeros((1, 32, 1), np.float32)
    waveforms[0, 1:] = -3.0
    counts = density(waveforms, one_contact(), 120, 100)
    assert [int(counts[:, x].argmax()) for x in (2, 3, 4, 5)] == [50, 54, 58, 62]


def test_the_density_has_all_spikes_also_one_that_is_not_among_the_drawn(qtbot, theme, screen) -> None:
    """Of 500 spikes ten are drawn; the last one alone is 2 sd high, all others at most 1."""
    sampled = np.random.default_rng(0).uniform(-1, 1, (500, 32, 1)).astype(np.float32)
    sampled[499] = 2.0
    mean = sampled.mean(axis=0)
    column = WaveformColumn(
        "7", Color(0), 7, 500, 0.9, 0.9, sampled[:10], mean, False, False, sampled, np.arange(500)
    )
    widget = WaveformsWidget()
    qtbot.addWidget(widget)
    widget.resize(300, 400)
    widget.set_view(WaveformsView((column,), (0,), np.zeros((1, 2)), -3, 12), "columns", theme)
    widget.show()
    layout = widget.waveform_layout()
    y = layout.y0[0] - 2 * layout.sd_px
    around = QtCore.QRectF(widget.column_rect(0).center().x() - 4, y - 1, 8, 3)

    def has_ink() -> bool:
        return any(QtGui.QColor(c).lightness() < 245 for c in screen.colors(widget, around))

    assert not has_ink()
    widget.show_kind("density")
    assert has_ink()
    spent = []
    for _ in range(3):
        widget.show_kind("density")
        start = time.process_time()
        widget.grab()
        spent.append(time.process_time() - start)
    assert min(spent) < 0.06


def test_at_probe_geometry_spikes_and_density_are_drawn_too(panel, screen) -> None:
    """Beside the mean of unit 0 its spikes leave a pale blue; means alone leave none."""
    panel.set_arrangement("probe")
    screen.settle()
    kinds = {}
    for shown in ("spikes", "density", "mean"):
        panel.plot.show_kind(shown)
        kinds[shown] = screen.colors(panel.plot)
    assert kinds["spikes"] != kinds["mean"]
    assert kinds["density"] != kinds["mean"]


def test_names_of_many_units_that_leave_no_room_for_waveforms_do_no_harm(panel, screen) -> None:
    panel.set_arrangement("probe")
    panel.plot.show_kind("density")
    panel.resize(panel.width(), 60)
    panel.plot.chip_rects = lambda: [QtCore.QRectF(0, 300, 30, 20)] * len(panel.plot.view.columns)
    panel.redraw_now()
    panel.grab()
    assert panel.plot.chip_rects()[-1].bottom() > panel.plot.height()
