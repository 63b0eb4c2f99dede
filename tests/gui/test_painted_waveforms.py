"""Waveforms as they are painted, line by line: spikes, mean, ghosts, header, chip, channels, scale bars.

In these tests a sample is 4 px wide and a noise sd 2 px high; contacts begin at (10, 40) and (50, 80).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt5 import QtCore
from PyQt5.QtCore import QRectF

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.alike import Ghost
from ncpgui.app.presenters.finding import FindingRow, FindingView
from ncpgui.app.presenters.waveforms import WaveformColumn, WaveformsView
from ncpgui.gui.items import waveform_painting as painting
from ncpgui.gui.items.waveform_density import density, density_picture, paint_density
from ncpgui.gui.items.waveform_layout import WaveformLayout, at_contacts, extents, stacked
from ncpgui.gui.panels.finding import FindingWidget
from ncpgui.gui.panels.waveforms import WaveformsWidget
from ncpgui.gui.theme import LIGHT, blend
from tests.gui.told_painting import advance, number, told, told_of

pytestmark = pytest.mark.usefixtures("qapp")
THIN = "\u2009"
LAYOUT = WaveformLayout(np.array([10.0, 50.0]), np.array([40.0, 80.0]), 4.0, 2.0, 40.0)
MEAN = np.array([[0, 0], [-10, -5], [5, 0]], np.float32)
HALF_KNOWN = np.array([[0, np.nan], [-10, np.nan], [5, np.nan]], np.float32)
SPIKES = np.stack([MEAN, 2 * MEAN])
COLUMN = WaveformColumn(
    "7", Color(0), 7, 12, 0.9, 0.5, SPIKES, MEAN, False, False, sampled=SPIKES, rows=np.array([0, 1])
)
GHOST = Ghost("3", Color(2), MEAN / 2)
FIRST = "10,40 14,60 18,30"
BOTH = f"{FIRST} | 50,80 54,90 58,80"
TWICE = f"{BOTH} | 10,40 14,80 18,20 | 50,80 54,100 58,80"


def unit(column: WaveformColumn, shown: painting.Shown, *, faded: bool = False) -> list[str]:
    return told(
        lambda painter: painting.paint_unit(
            painter, column, LAYOUT, QRectF(0, 0, 200, 100), LIGHT, faded=faded, shown=shown
        )
    )


def test_spikes_are_thin_and_the_mean_is_thick_on_a_halo_and_all_is_weaker_where_it_is_faded() -> None:
    assert unit(COLUMN, "spikes") == [
        f"path {TWICE} nothing, line unit 0/90 1",
        f"path {BOTH} nothing, line panel/170 4.6",
        f"path {BOTH} nothing, line unit 0 2.4",
    ]
    assert unit(COLUMN, "spikes", faded=True) == [
        f"path {TWICE} nothing, line unit 0/45 1",
        f"path {BOTH} nothing, line panel/170 3.8",
        f"path {BOTH} nothing, line unit 0/150 1.6",
    ]


@pytest.mark.parametrize(("n", "alpha"), [(24, 90), (44, 50), (80, 28), (200, 26)])
def test_the_more_spikes_the_weaker_each(n: int, alpha: int) -> None:
    """2200 shared by all, between 26 and 90."""
    many = replace(COLUMN, spikes=np.zeros((n, 3, 2), np.float32))
    assert unit(many, "spikes")[0].endswith(f"line unit 0/{alpha} 1")


def test_over_a_density_the_mean_is_thin_and_in_the_colour_of_words() -> None:
    ink = blend(LIGHT.color("text"), LIGHT.unit(Color(0)), 0.3).name()
    assert unit(COLUMN, "density") == ["image 0,0 of 200x100", f"path {BOTH} nothing, line {ink} 1.4"]
    empty = replace(COLUMN, rows=np.zeros(0, np.int64))
    assert unit(empty, "density") == unit(COLUMN, "mean"), "without spikes there is no density"


def test_what_a_unit_comes_from_is_dashed_below_its_mean_which_has_no_halo_then() -> None:
    assert unit(replace(COLUMN, ghosts=(GHOST,)), "mean") == [
        "path 10,40 14,50 18,35 | 50,80 54,85 58,80 nothing, line unit 2 1.8 dashed",
        f"path {BOTH} nothing, line unit 0 2.4",
    ]


def test_the_unit_most_alike_is_grey_where_its_waveform_is_known_and_so_is_the_mean() -> None:
    alike = replace(COLUMN, neighbour=replace(GHOST, mean=HALF_KNOWN))
    assert unit(alike, "alike")[0] == f"path {FIRST} nothing, line faint 2.4"
    assert unit(alike, "alike")[1:] == unit(alike, "mean") == unit(COLUMN, "mean")
    assert unit(COLUMN, "alike") == unit(COLUMN, "mean")
    assert unit(replace(COLUMN, mean=HALF_KNOWN), "mean") == [
        f"path {FIRST} nothing, line panel/170 4.6",
        f"path {FIRST} nothing, line unit 0 2.4",
    ]
    assert unit(replace(COLUMN, mean=np.zeros_like(MEAN)), "mean") == []


def test_a_neighbour_is_painted_once_and_not_where_it_is_on_screen_itself() -> None:
    columns = tuple(
        replace(COLUMN, name=name, neighbour=neighbour)
        for name, neighbour in (("7", GHOST), ("8", GHOST), ("9", replace(GHOST, name="7")), ("10", None))
    )
    view = WaveformsView(columns, (4, 2), np.zeros((2, 2)), -10, 5)
    lines = told(lambda painter: painting.paint_neighbours(painter, view, LAYOUT, LIGHT))
    assert lines == ["path 10,40 14,50 18,35 | 50,80 54,85 58,80 nothing, line faint 2.4"]


def test_the_header_is_name_spikes_and_support_where_there_is_room() -> None:
    def header(*, faded: bool, has_support: bool) -> list[str]:
        place = QRectF(5, 10, 100, 50)
        return told(
            lambda painter: painting.paint_header(
                painter, COLUMN, place, LIGHT, faded=faded, has_support=has_support
            )
        )

    assert header(faded=True, has_support=False) == [
        "dot 9.5,18 4.5 unit 0, no line",
        'text "7" left middle 18,10 87x16 muted 13 bold',
        'text "12 spikes" left middle 5,27 100x15 faint 11',
    ]
    lines = header(faded=False, has_support=True)
    assert lines[:3] == [
        "dot 9.5,18 4.5 unit 0, no line",
        'text "7" left middle 18,10 87x16 text 13 bold',
        'text "12 spikes" left middle 5,27 100x15 muted 11',
    ]
    assert lines[3:] == [f'text "90{THIN}%, 50{THIN}%" left middle 5,42 100x15 muted 11']


@pytest.mark.parametrize(
    ("is_selected", "is_changed", "look"),
    [
        (False, False, "sunken, line border 1.2"),
        (True, False, "accent_soft, line accent_soft 1.2"),
        (False, True, "sunken, line accent 1.2"),
        (True, True, "accent_soft, line accent 1.2"),
    ],
)
def test_a_chip_is_filled_where_it_is_selected_and_framed_where_it_would_change(
    is_selected: bool, is_changed: bool, look: str
) -> None:
    column = replace(COLUMN, is_selected=is_selected, is_changed=is_changed)
    lines = told(lambda painter: painting.paint_chip(painter, column, QRectF(5, 10, 60, 24), LIGHT))
    assert lines == [
        f"plate 5.6,10.6 58.8x22.8 round 7 {look}",
        "dot 17,22 4.5 unit 0, no line",
        'text "7" left middle 27,10 38x24 text 12 medium',
    ]


VIEW = WaveformsView((COLUMN,), (4, 2, 9), np.array([[0.0, 0], [30, 40], [0, 20]]), -10, 5)
ROWS = WaveformLayout(np.array([10.0, 50, 50]), np.array([40.0, 80, 84]), 4.0, 2.0, 40.0)


def rows(layout: WaveformLayout, *, bottom: float) -> list[str]:
    return told(
        lambda painter: painting.paint_rows(painter, VIEW, layout, LIGHT, left=80, right=300, bottom=bottom)
    )


def test_a_row_has_a_line_its_channel_and_how_far_it_is_and_one_too_close_only_its_line() -> None:
    lines = [
        "line 80,40 to 300,40 border 1",
        'text "ch 4" right middle 0,32 68x16 text 11 medium',
        "line 80,80 to 300,80 border 1",
        'text "ch 2" right middle 0,72 68x16 muted 11',
        'text "50 µm" right middle 0,85 68x16 faint 10',
        "line 80,84 to 300,84 border 1",
    ]
    assert rows(ROWS, bottom=200) == lines
    low = [line.replace("0,72", "0,61").replace("0,85", "0,74") for line in lines]
    assert rows(ROWS, bottom=90) == low, "words end where the rows end"


@pytest.mark.parametrize(("pitch_px", "has_distance"), [(34.0, True), (33.9, False)])
def test_rows_that_are_close_have_no_distance(pitch_px: float, has_distance: bool) -> None:
    words = [line.split('"')[1] for line in rows(replace(ROWS, pitch_px=pitch_px), bottom=200) if '"' in line]
    assert words == ["ch 4", "ch 2", *(["50 µm"] if has_distance else [])]


def test_contacts_have_a_zero_line_and_a_name_under_its_begin_on_a_plate() -> None:
    """The name of the third would lie on that of the second."""
    lines = told(lambda painter: painting.paint_zero_lines(painter, ROWS, LIGHT, width=30))
    assert lines == [
        "line 10,40 to 40,40 border 1",
        "line 50,80 to 80,80 border 1",
        "line 50,84 to 80,84 border 1",
    ]

    def names(right: float, bottom: float) -> list[str]:
        return told(
            lambda painter: painting.paint_contact_names(
                painter, VIEW, ROWS, LIGHT, right=right, bottom=bottom
            )
        )

    first, second = advance("ch 4", 10, medium=True) + 4, advance("ch 2", 10) + 4
    assert names(200, 200) == [
        f"plate 8,42 {first}x13 round 3 panel/190, no line",
        f'text "ch 4" left middle 10,42 {first - 2}x13 text 10 medium',
        f"plate 48,82 {second}x13 round 3 panel/190, no line",
        f'text "ch 2" left middle 50,82 {second - 2}x13 muted 10',
    ]
    assert names(60, 90)[2] == f"plate {60 - second},77 {second}x13 round 3 panel/190, no line"


def test_scale_bars_stand_on_a_corner_with_their_words_below() -> None:
    """5 noise sd of 2 px, and half a ms of ten samples, 4 px each."""
    lines = told(lambda painter: painting.paint_bars(painter, VIEW, ROWS, QtCore.QPointF(100, 90), LIGHT))
    words = "↕ 5 × noise sd    ↔ 0.5 ms"
    assert lines == [
        "fill 99.1,80 1.8x10 text",
        "fill 99.1,89.1 40.9x1.8 text",
        f'text "{words}" left middle 99.1,93 {number(advance(words, 11))}x16 muted 11',
    ]


# -- the density of all spikes -------------------------------------------------------------------


def test_a_density_counts_the_waveforms_that_pass_each_pixel() -> None:
    """Two waveforms of two samples 4 px apart from (1.5, 3): one is flat, one rises by 4 px.

    Pixels 2 to 5 of x lie between the two samples. What rises is 0.5, 1.5, 2.5, 3.5 px higher there.
    """
    layout = WaveformLayout(np.array([1.5]), np.array([3.5]), 4.0, 2.0)
    counts = density(np.array([[[0], [0]], [[0], [2]]], np.float32), layout, 8, 6)
    expected = np.zeros((6, 8), int)
    expected[3, 2:6] = 1
    expected[[3, 2, 1, 0], [2, 3, 4, 5]] += 1
    assert counts.tolist() == expected.tolist()


def test_what_lies_beyond_the_picture_is_not_counted() -> None:
    """The layout begins 2 px left of a picture of 3 x 2 px, and ends 2 px right of it."""
    layout = WaveformLayout(np.array([-2.0]), np.array([0.0]), 6.0, 1.0)
    assert density(np.zeros((5, 2, 1), np.float32), layout, 3, 2).tolist() == [[5, 5, 5], [0, 0, 0]]
    high = np.full((5, 2, 1), 0.5, np.float32)
    assert not density(high, layout, 3, 2).any(), "above the first row"
    assert not density(-4 * high, layout, 3, 2).any(), "the third row of two"
    assert density(-3 * high, layout, 3, 2).tolist() == [[0, 0, 0], [5, 5, 5]]


def test_a_pixel_is_the_more_opaque_the_more_pass_it_and_one_waveform_is_seen() -> None:
    """The root of its share of the most, of 235; 12 of 255 parts at least, so root 12/255 of 235 = 51."""
    counts = np.array([[0, 1, 100, 400]])
    image = density_picture(counts, LIGHT.color("accent"))
    full = float(np.quantile([1, 100, 400], 0.98))
    wanted = [0, 51, round(235 * (round(255 * 100 / full) / 255) ** 0.5), 235]
    pixels = [image.pixelColor(x, 0) for x in range(4)]
    assert [pixel.alpha() for pixel in pixels] == wanted
    assert {pixel.name() for pixel in pixels[1:]} == {LIGHT.color("accent").name()}


def test_a_density_begins_at_a_whole_pixel_and_one_without_room_is_not_painted() -> None:
    def paint(place: QRectF) -> list[str]:
        return told(lambda painter: paint_density(painter, SPIKES, LAYOUT, place, LIGHT.color("text")))

    assert paint(QRectF(3.7, 4.2, 50.5, 20)) == ["image 3,4 of 50x20"]
    assert paint(QRectF(0, 0, 1, 1)) == ["image 0,0 of 1x1"]
    assert paint(QRectF(0, 0, 0.9, 20)) == paint(QRectF(0, 0, 20, 0.9)) == []


# -- where waveforms go --------------------------------------------------------------------------


def test_rows_are_as_far_apart_as_the_height_allows_and_the_largest_mean_spans_two() -> None:
    """With 1.5 sd more on either side, 20 sd are two rows. A row above, half a row below: 2.5 of 250 px."""
    layout = stacked(np.array([-8.5, -3.5]), np.array([8.5, 3.5]), width=62, top=30, height=250)
    assert layout.y0.tolist() == pytest.approx([130, 230])
    assert (layout.sd_px, layout.pitch_px, layout.sample_px) == pytest.approx((10, 100, 2))
    assert layout.x0.tolist() == [0, 0]


def test_a_flat_waveform_is_not_blown_up() -> None:
    """14 sd are two rows at least: 3 sd are 3/7 of a row, all of the height of 90 px."""
    layout = stacked(np.zeros(1), np.zeros(1), width=31, top=10, height=90)
    assert layout.y0.tolist() == pytest.approx([55])
    assert layout.sd_px == pytest.approx(30)


def places(*contacts: tuple[float, float], width: float) -> WaveformLayout:
    flat = np.zeros(len(contacts))
    return at_contacts(np.array(contacts), flat, flat, left=7, width=width, top=0, height=90)


def test_contacts_beside_each_other_share_the_width() -> None:
    """20 µm apart, each 18 µm wide: 38 µm are 380 px; of 760 px no waveform takes more than 280."""
    layout = places((0, 0), (20, 0), (0, 30), width=380)
    assert layout.x0.tolist() == pytest.approx([7, 207, 7])
    assert layout.sample_px == pytest.approx(180 / 31)
    assert layout.y0[0] == layout.y0[1] > layout.y0[2]
    assert layout.y0[0] - layout.y0[2] == pytest.approx(layout.pitch_px), "rows are 30 µm apart"
    wide = places((0, 0), (20, 0), width=760)
    assert wide.x0.tolist() == pytest.approx([47, 447])
    assert wide.sample_px == pytest.approx(280 / 31)


def test_a_column_of_contacts_stands_in_the_middle() -> None:
    layout = places((5, 0), (5, 25), (5, 100), width=380)
    assert layout.x0.tolist() == pytest.approx([57, 57, 57])
    assert layout.y0[1] - layout.y0[2] == pytest.approx(3 * layout.pitch_px), "25 µm are a row, 75 are three"
    narrow = places((5, 0), (5, 25), width=100)
    assert narrow.x0.tolist() == pytest.approx([7, 7])
    assert narrow.sample_px == pytest.approx(100 / 31)


def test_contacts_in_a_zigzag_overlap_and_those_on_a_diagonal_are_not_beside_each_other() -> None:
    assert places((0, 0), (10, 30), width=380).x0.tolist() == pytest.approx([7, 107])
    assert places((0, 0), (20, 20), width=100).x0.tolist() == pytest.approx([7, 7])


def test_extents_are_those_of_the_means_and_of_nine_in_ten_spikes() -> None:
    """21 spikes with a trough of 0 to 20 sd: a twentieth of them is deeper than 19."""
    depth = np.arange(21, dtype=np.float32)
    spikes = np.stack([-depth, 2 * depth], axis=1)[:, :, None]
    mean = np.array([[-3], [50]], np.float32)
    low, high = extents([mean], [spikes])
    assert (low.tolist(), high.tolist()) == ([-19], [50])
    low, high = extents([mean / 10], [spikes, spikes[:0]])
    assert (low.tolist(), high.tolist()) == ([-19], [38])
    low, high = extents([np.full((2, 1), np.nan)], [])
    assert (low.tolist(), high.tolist()) == ([0], [0])


# -- the panel -----------------------------------------------------------------------------------


def two_units() -> WaveformsWidget:
    """400 x 300 px: 54 for channels, two columns of 165 px, 8 apart; 24 px below for the bars.

    Of a column, 6 px at the sides, 56 px above and 2 below have no waveforms: 153 x 218 are left. The largest
    mean of 17 sd and 1.5 at either end are two rows; a row above, half below: 2.5 rows of 87.2 px.
    """
    mean = np.zeros((32, 2), np.float32)
    mean[11], mean[15] = [-8.5, -3.5], [8.5, 3.5]
    one = replace(COLUMN, spikes=mean[None], mean=mean, sampled=mean[None], rows=np.array([0]))
    other = replace(one, name="8", color=Color(1), unit=8, is_selected=True, is_changed=True)
    widget = WaveformsWidget()
    widget.resize(400, 300)
    view = WaveformsView((one, other), (4, 2), np.array([[0.0, 0], [30, 0]]), -8.5, 8.5)
    widget.set_view(view, "columns", LIGHT)
    widget.show_kind("mean")
    return widget


def without_curves(lines: list[str]) -> list[str]:
    """Lines, of curves only where they begin and how they look."""
    return [
        f"{' '.join(line.split()[:3])} … {line[line.index('line') :]}" if line.startswith("path") else line
        for line in lines
    ]


def test_units_in_columns_share_the_width_right_of_the_channels() -> None:
    widget = two_units()
    assert (widget.gutter, widget.minimumWidth()) == (54, 54 + 2 * 58)
    column = [
        "dot 65.5,14 4.5 unit 0, no line",
        'text "7" left middle 74,6 143x16 text 13 bold',
        'text "12 spikes" left middle 61,23 156x15 muted 11',
        f'text "pure 90{THIN}%, compl. 50{THIN}%" left middle 61,38 156x15 muted 11',
        "clip 56,52 161x222",
        "path 60,143.2 64.94,143.2 … line panel/170 4.6",
        "path 60,143.2 64.94,143.2 … line unit 0 2.4",
    ]
    lines = without_curves(told(widget._draw))
    words = "↕ 5 × noise sd    ↔ 0.5 ms"
    assert lines[:12] == [
        "line 60,143.2 to 386,143.2 border 1",
        'text "ch 4" right middle 0,135.2 48x16 text 11 medium',
        "line 60,230.4 to 386,230.4 border 1",
        'text "ch 2" right middle 0,222.4 48x16 muted 11',
        'text "30 µm" right middle 0,235.4 48x16 faint 10',
        *column,
    ]
    assert lines[12] == "dot 238.5,14 4.5 unit 1, no line", "173 px further"
    assert lines[16] == "clip 229,52 161x222"
    assert lines[-3:] == [
        "fill 1.6,236.4 1.8x43.6 text",  # five sd of 8.72 px, from 20 px above the bottom
        "fill 1.6,279.1 50.25x1.8 text",  # ten samples of 153 / 31 px
        f'text "{words}" left middle 1.6,283 {advance(words, 11)}x16 muted 11',
    ]
    assert told(widget._paint_backdrops) == [
        "plate 55,1 163x274 round 7 panel, no line",
        "plate 228,1 163x274 round 7 accent_soft, line accent 1.3",
    ]
    widget._hover = 0
    assert told(widget._paint_backdrops)[0] == "plate 55,1 163x274 round 7 hover, no line"
    assert [widget.unit_at(QtCore.QPointF(x, 100)) for x in (53, 54, 219, 220, 227, 392, 393)] == [
        -1, 0, 0, -1, 1, 1, -1,
    ]  # fmt: skip
    assert widget.tooltip_at(QtCore.QPointF(10, 200)) == widget.view.channel_tooltip(1)
    assert widget.tooltip_at(QtCore.QPointF(10, 180)) == widget.view.channel_tooltip(0)
    assert widget.tooltip_at(QtCore.QPointF(223, 100)) == widget.view.scale_help


def test_columns_are_no_wider_than_300_px_or_half_as_wide_as_they_are_high() -> None:
    widget = two_units()
    widget.resize(2000, 300)
    assert widget.column_rect(1).getRect() == (354, 0, 292, 276)
    widget.resize(2000, 800)
    assert widget.column_rect(1).getRect() == (454, 0, 392, 776)


def test_at_the_probe_units_lie_on_each_other_below_their_names() -> None:
    """Names have 24 px; waveforms 4 px more above. 384 px are two contacts of 30 µm, each 27 µm wide."""
    widget = two_units()
    widget.set_view(widget.view, "probe", LIGHT)
    assert widget.minimumWidth() == 54
    names = [advance(name, 12, medium=True) + 30 for name in ("7", "8")]
    rects = widget.chip_rects()
    assert [rect.left() for rect in rects] == pytest.approx([0, names[0] + 6], abs=1)
    lines = without_curves(told(widget._draw))
    assert lines[:6] == [
        "line 10,152 to 191.89,152 border 1",
        "line 212.11,152 to 394,152 border 1",
        "path 10,152 15.87,152 … line panel/170 3.8",
        "path 10,152 15.87,152 … line unit 0/150 1.6",  # faded beside a selected one
        "path 10,152 15.87,152 … line panel/170 4.6",
        "path 10,152 15.87,152 … line unit 1 2.4",
    ]
    assert lines[6].startswith("plate 8,154 ")
    assert lines[-3] == "fill 1.6,218 1.8x62 text"
    mean = widget.waveform_layout()
    trough = QtCore.QPointF(mean.x0[0] + 11 * mean.sample_px, mean.y0[0] + 8.5 * mean.sd_px)
    beside = [widget.unit_at(trough + QtCore.QPointF(0, away)) for away in (0, 13.9, 14.1)]
    assert beside == [0, 0, -1]
    assert widget.unit_at(QtCore.QPointF(1, 1)) == 0
    widget.resize(round(names[0] + names[1]), 300)
    assert [rect.top() for rect in widget.chip_rects()] == [0, 28], "the second has a line of its own"


def test_gain_scales_between_a_fifth_and_eight() -> None:
    widget = two_units()
    height = widget.waveform_layout().sd_px
    widget.set_gain(2)
    assert widget.waveform_layout().sd_px == pytest.approx(2 * height)
    widget.set_gain(0.1)
    assert widget.gain == 0.2
    widget.set_gain(9)
    assert widget.gain == 8


# -- findings ------------------------------------------------------------------------------------

FOUND = FindingRow(
    7,
    Color(0),
    "4.2 Hz (3 to 5)",
    ("depends on unit 8", "unit 8"),
    False,
    True,
    0.5,
    0.25,
    0.75,
    0.6,
    3,
    "tip",
)
ROBUST = replace(
    FOUND, unit=8, color=Color(1), is_selected=False, is_robust=True, in_use=float("nan"), low=0.5, high=0.5
)


def test_a_finding_is_a_row_with_its_interval_on_an_axis() -> None:
    """Rows of 34 px; of 300 px the axis has those from 44 to 292, 24 px below the top of its row."""
    widget = FindingWidget()
    widget.resize(300, 200)
    widget.set_view(FindingView(rows=(FOUND, ROBUST), ends=("0", "10 Hz"), axis_help="what it is"), LIGHT)
    value = advance("4.2 Hz (3 to 5)", 11)
    lines = told_of(widget)
    assert lines == [
        "plate 0,1 298x32 round 6 accent_soft, no line",
        "dot 9,17 4.5 unit 0, no line",
        'text "7" left middle 18,0 26x34 text 13 bold',
        f'text "4.2 Hz (3 to 5)" left middle 44,3 {value}x15 muted 11',
        f'text "depends on unit 8" right middle {52 + value},3 {240 - value}x15 accent 11',
        "line 44,24 to 292,24 border 1",
        "plate 106,20 124x8 round 3 unit 0/89, no line",
        "dot 168,24 3 unit 0, no line",
        "line 192.8,19 to 192.8,29 text 1.5",
        "dot 9,51 4.5 unit 1, no line",
        'text "8" left middle 18,34 26x34 text 13 bold',
        f'text "4.2 Hz (3 to 5)" left middle 44,37 {value}x15 muted 11',
        f'text "depends on unit 8" right middle {52 + value},37 {240 - value}x15 faint 11',
        "line 44,58 to 292,58 border 1",
        "plate 168,54 3x8 round 3 unit 1/89, no line",
        "dot 168,58 3 unit 1, no line",
        'text "0" left middle 44,68 248x18 muted 10',
        'text "10 Hz" right middle 44,68 248x18 muted 10',
    ]
    assert widget.minimumHeight() == 86
    assert [widget.unit_at(QtCore.QPointF(5, y)) for y in (-0.5, 0, 33.9, 34, 67.9, 68)] == [
        -1,
        0,
        0,
        1,
        1,
        -1,
    ]
    assert [widget.tooltip_at(QtCore.QPointF(5, y)) for y in (5, 80)] == ["tip", "what it is"]
    widget.resize(170, 200)
    assert 'text "unit 8" right' in told_of(widget)[4], "fewer words where there is less room"
