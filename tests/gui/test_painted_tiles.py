"""Small tiles, bars and images as they are painted: units found so far, activity, marks, the unit table."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui
from PyQt5.QtCore import QPointF, QRectF

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.points import SpikePoints
from ncpgui.app.presenters.queue import OTHER
from ncpgui.app.presenters.sorting import ActivityImage, UnitTile
from ncpgui.app.presenters.trust_badge import TrustBadge
from ncpgui.gui.items import glyphs
from ncpgui.gui.items.activity_image import ActivityOverTime
from ncpgui.gui.items.trust_label import TrustLabel
from ncpgui.gui.items.unit_names import free_place, name_places, paint_names
from ncpgui.gui.items.unit_tiles import UnitTiles
from ncpgui.gui.theme import LIGHT, blend, font
from tests.gui.told_painting import advance, number, told, told_of

pytestmark = pytest.mark.usefixtures("qapp")
CENTRE = QPointF(50, 40)


# -- marks ---------------------------------------------------------------------------------------


def state(name: str, *, fraction: float = 0.25) -> list[str]:
    return told(
        lambda painter: glyphs.paint_state(
            painter, CENTRE, 10, state=name, fraction=fraction, ambiguity=0.5, theme=LIGHT
        )
    )


def test_each_state_of_a_component_has_its_sign() -> None:
    """Of a radius of 10 px: lines are 2.2 px wide, inside the disc; a tick has lines of 2.53 px."""
    ring, tick = "ellipse 41.1,31.1 17.8x17.8", "curve 45.5,40.2 49,43.8 54.8,36.6 panel 2.53"
    heat = LIGHT.heat(0.5)
    assert state("sampled") == [
        f"ellipse 40,30 20x20 {heat.name()}, line {blend(heat, LIGHT.color('text'), 0.25).name()} 1"
    ]
    assert state("units") == [f"{ring} border, line muted 2.2"]
    assert state("curated") == ["dot 50,40 10 good, no line", tick]
    pale = blend(LIGHT.color("panel"), LIGHT.color("good"), 0.5).name()
    assert state("sure") == [f"dot 50,40 10 {pale}, no line", tick]
    assert state("sampling") == [
        f"{ring} nothing, line accent 2.2",
        "pie 40,30 20x20 90+-90 accent, no line",
    ]
    assert state("sampling", fraction=1.0)[1] == "pie 40,30 20x20 90+-360 accent, no line"
    assert state("failed") == ["line 44,34 to 56,46 bad 2.86", "line 44,46 to 56,34 bad 2.86"]
    assert state("waiting") == [f"{ring} nothing, line faint 2.2"]
    assert state("") == [f"{ring} nothing, line border 2.2"]


def test_a_small_sign_has_lines_that_are_seen() -> None:
    lines = told(
        lambda painter: glyphs.paint_state(painter, CENTRE, 4, state="", fraction=0, ambiguity=0, theme=LIGHT)
    )
    assert lines == ["ellipse 46.6,36.6 6.8x6.8 nothing, line border 1.2"]


def test_a_lock_a_scale_and_a_curve() -> None:
    good, bad, text = (LIGHT.color(name) for name in ("good", "bad", "text"))
    assert told(lambda painter: glyphs.paint_lock(painter, QRectF(10, 20, 10, 20), good)) == [
        "plate 10,29 10x11 round 1.5 good, no line",
        "arc 12,20.8 6x16 0+180 line good 1.4",
    ]
    assert told(lambda painter: glyphs.paint_scale(painter, QRectF(10, 20, 90, 6), [good, bad, text])) == [
        "plate 10,20 90x6 round 3 good 0 to bad 0.5 to text 1, no line"
    ]
    x, y = np.array([1.0, 2, 3]), np.array([5.0, 4, 5])
    assert told(lambda painter: glyphs.paint_curve(painter, x, y, bad)) == ["curve 1,5 2,4 3,5 bad 1.8"]


def test_pieces_of_a_bar_are_a_pixel_apart_and_none_is_lost() -> None:
    shares = ((1, 0.25), (2, 0.5), (3, 0.0), (OTHER, 0.125))
    pale, middle = (blend(LIGHT.color("panel"), LIGHT.color("accent"), share).name() for share in (0.3, 0.65))
    lines = told(lambda painter: glyphs.paint_shares(painter, QRectF(10, 20, 200, 8), shares, LIGHT))
    assert lines == [
        "clip 10,20 200x8",
        "fill 10,20 200x8 sunken",
        f"fill 10,20 49x8 {pale}",
        f"fill 60,20 99x8 {middle}",
        "fill 160,20 0.5x8 accent",
        "fill 160,20 24x8 border",
    ]


def test_words_are_cut_only_where_they_do_not_fit(qapp) -> None:
    def cut(words: str, width: float) -> list[str]:
        found: list[str] = []

        def paint(painter: QtGui.QPainter) -> None:
            painter.setFont(font(12))
            found.extend([glyphs.elided(painter, words, width), glyphs.fitting(painter, words, width)])

        told(paint)
        return found

    whole, numbers = advance("12 spikes of 30", 12), advance("12 30", 12)
    assert cut("12 spikes of 30", whole) == ["12 spikes of 30"] * 2
    assert cut("12 spikes of 30", whole - 1)[1] == "12 30"
    assert cut("12 spikes of 30", numbers)[1] == "12 30"
    assert cut("12 spikes of 30", numbers - 1)[1].endswith("…")
    assert cut("12 spikes of 30", whole - 1)[0].endswith("…")
    assert cut("spikes", advance("spikes", 12) - 1)[1].endswith("…"), "without numbers it is cut"


def test_a_badge_is_a_dot_and_a_word_on_a_tint(qtbot) -> None:
    label = TrustLabel()
    qtbot.addWidget(label)
    label.set_badge(TrustBadge("steady", "4 orders agree", "all of it"))
    width = advance("4 orders agree", 12) + 30
    tint = blend(LIGHT.color("panel"), LIGHT.color("good"), 0.13).name()
    assert told_of(label) == [
        f"plate 0,1 {width}x20 round 10 {tint}, no line",
        "dot 11,11 3.5 good, no line",
        f'text "4 orders agree" left middle 20,1 {width - 20}x20 text 12',
    ]
    assert (label.toolTip(), label.accessibleName()) == ("all of it", "Probabilities: 4 orders agree")
    label.set_badge(None)
    assert not label.isVisible()
    assert told_of(label) == []


# -- names over points ---------------------------------------------------------------------------

ROOM = QRectF(0, 0, 300, 200)
SIZE = QtCore.QSizeF(40, 20)


def place(x: float, y: float, *taken: QRectF, room: QRectF = ROOM) -> tuple[float, float]:
    found = free_place(np.array([x, y]), SIZE, room, [*taken])
    assert (found.width(), found.height()) == (40, 20)
    return found.left(), found.top()


def test_a_name_is_where_its_points_are_and_inside_the_plot() -> None:
    assert place(100, 100) == (80, 90)
    assert place(3, 4) == (0, 0)
    assert place(298, 199) == (260, 180)
    assert place(310, 100) == (290, 90), "what is zoomed out of view stays out"


def test_a_name_that_has_no_room_goes_to_the_nearest_free_place() -> None:
    """Steps are half a name and a pixel to the side, and its height and a pixel up or down."""
    home = QRectF(80, 90, 40, 20)
    assert place(100, 100, home) == (80, 69)
    assert place(100, 100, home, QRectF(80, 69, 40, 20)) == (80, 111)
    wall = QRectF(60, 0, 80, 200)
    assert place(100, 100, wall) == (80, 90), "nowhere is room: over another"
    assert place(100, 10, QRectF(80, 0, 40, 20)) == (80, 21), "there is no room above"


def points_of(labels: list[int], **more: object) -> SpikePoints:
    n = len(labels)
    names = ("4", "5", "6")
    colors = (Color(0), Color(1), Color(2))
    base = {
        "x": np.arange(n, dtype=float),
        "y": np.zeros(n),
        "labels": np.array(labels),
        "names": names,
        "colors": colors,
        "is_dimmed": np.zeros(n, bool),
    } | more
    return SimpleNamespace(**base)  # type: ignore[return-value]


def test_each_unit_with_points_has_its_name_at_their_median() -> None:
    points = points_of([0, 0, 0, 1, -1])
    places = np.array([[50, 50], [60, 60], [290, 70], [150, 150], [10, 10]], float)
    found = name_places(points, places, ROOM)
    assert [*found] == [0, 1]
    width = QtGui.QFontMetricsF(font(12, bold=True)).horizontalAdvance("4") + 12
    assert found[0].width() == pytest.approx(width)
    assert (found[0].center().x(), found[0].center().y()) == pytest.approx((60, 60))
    assert (found[1].center().x(), found[1].center().y()) == pytest.approx((150, 150))


@pytest.mark.parametrize(("height", "px", "margin"), [(139, 10, 8), (140, 12, 12)])
def test_names_are_small_in_a_small_plot(height: int, px: int, margin: int) -> None:
    found = name_places(points_of([0]), np.array([[50.0, 50.0]]), QRectF(0, 0, 300, height))
    metrics = QtGui.QFontMetricsF(font(px, bold=True))
    wanted = (metrics.horizontalAdvance("4") + margin, metrics.height() + 4)
    assert (found[0].width(), found[0].height()) == pytest.approx(wanted)


def test_a_name_is_faint_where_all_points_of_its_unit_are() -> None:
    points = points_of([0, 0, 1], is_dimmed=np.array([True, True, False]))
    places = np.array([[50, 50], [50, 50], [150, 150]], float)
    lines = told(lambda painter: paint_names(painter, points, places, ROOM, LIGHT))
    pill = name_places(points, places, ROOM)[0].getRect()
    size = [number(side) for side in pill[2:]]
    corner = ",".join(map(number, pill[:2]))
    half = number(pill[3] / 2)
    assert lines[:2] == [
        f"plate {corner} {size[0]}x{size[1]} round {half} panel/215, line unit 0/90 1.4",
        f'text "4" centre middle {corner} {size[0]}x{size[1]} faint 12 bold',
    ]
    assert lines[2].endswith("panel/215, line unit 1 1.4")
    assert lines[3].endswith("text 12 bold")
    half_dimmed = points_of([0, 0, 1], is_dimmed=np.array([True, False, False]))
    lines = told(lambda painter: paint_names(painter, half_dimmed, places, ROOM, LIGHT))
    assert lines[0].endswith("line unit 0 1.4")


# -- while a sorting goes on ---------------------------------------------------------------------


def test_units_so_far_have_a_tile_each_and_all_waveforms_have_one_scale(qtbot) -> None:
    """216 x 200 px are two by two tiles of 104 x 96; bodies are 88 x 70, 8 px from the left and the top.

    From -10 to 4 sd are 70 px: 5 px each, zero 20 px below the top of a body.
    """
    tiles = UnitTiles()
    qtbot.addWidget(tiles)
    tiles.resize(216, 200)
    waves = [np.array([0, -10, 4], np.float32), np.array([0, -5, 2], np.float32)]
    tiles.show_tiles(tuple(UnitTile(wave, f"ch {n}", f"unit {n}") for n, wave in enumerate([*waves] * 3)))
    lines = told_of(tiles)
    assert lines[:6] == [
        "plate 0,0 104x96 round 6 sunken, no line",
        "path 8,28 52,78 96,8 nothing, line accent 1.6",
        'text "ch 0" centre middle 0,78 104x15 muted 11',
        "plate 112,0 104x96 round 6 sunken, no line",
        "path 120,28 164,53 208,18 nothing, line accent 1.6",
        'text "ch 1" centre middle 112,78 104x15 muted 11',
    ]
    assert lines[6] == "plate 0,104 104x96 round 6 sunken, no line"
    assert len(lines) == 12, "four of six tiles have room"
    assert tiles.tooltip_at(QPointF(150, 120)) == "unit 3"
    assert tiles.tooltip_at(QPointF(108, 10)) == ""
    tiles.setMinimumSize(0, 0)
    tiles.resize(215, 200)
    assert [rect.getRect() for rect in tiles.tile_rects()] == [(0, 0, 215, 96.0), (0, 104, 215, 96.0)]
    tiles.resize(216, 150)
    assert tiles.tile_rects()[0].height() == pytest.approx(1.3 * 92), "no higher than a third more"


def test_activity_is_an_image_with_a_bar_for_each_contact_and_words_at_its_ends(qtbot) -> None:
    """Of 334 x 122 px the image has 200 x 100: 62 px are for depths, 72 for bars of 64, 20 for times."""
    shares = np.array([[0.0, 1.0, np.nan], [0.5, 0.0, np.nan]])
    image = ActivityImage(shares, np.array([4.0, 1.0]), np.array([7, 9]), np.array([300.0, 20.0]), 90.0)
    widget = ActivityOverTime()
    qtbot.addWidget(widget)
    widget.setMinimumSize(0, 0)
    widget.resize(334, 122)
    widget.show_image(image)
    assert told_of(widget) == [
        "fill 62,2 200x100 sunken",
        "image 62,2 200x100 of 3x2",
        "fill 270,2 64x49 accent/150",
        "fill 270,52 16x49 accent/150",
        'text "300 µm" right top 0,2 56x100 muted 11',
        'text "20 µm" right bottom 0,2 56x100 muted 11',
        'text "0 s" left top 62,105 200x17 muted 11',
        'text "1 min 30 s" right top 62,105 200x17 muted 11',
        'text "4 Hz" left top 270,105 64x17 muted 11',
    ]
    colored = widget._colored(image)
    panel, accent = LIGHT.color("panel"), LIGHT.color("accent")
    names = [[colored.pixelColor(x, y).name() for x in range(2)] for y in range(2)]
    assert names == [[panel.name(), accent.name()], [blend(panel, accent, 0.5).name(), panel.name()]]
    assert [colored.pixelColor(x, 0).alpha() for x in range(3)] == [255, 255, 0], "not looked at: clear"
    assert widget.tooltip_at(QPointF(162, 52)).startswith("Contact 9, depth 20 µm, at 45 s: 1 spikes")
    assert widget.tooltip_at(QPointF(0, 51)).startswith("Contact 7, depth 300 µm, at ")
    assert widget.tooltip_at(QPointF(300, 500)).startswith("Contact 9, depth 20 µm, at 1 min 30 s")
    widget.show_image(None)
    assert told_of(widget) == []
    assert widget.tooltip_at(QPointF(0, 51)) == ""


def test_bars_of_many_contacts_touch_and_those_of_silence_are_none(qtbot) -> None:
    """Steps of 3 px have no gap; a hundred contacts in 100 px have a px each."""
    widget = ActivityOverTime()
    qtbot.addWidget(widget)
    widget.setMinimumSize(0, 0)
    for n, height, bar in ((4, 12, 3), (3, 12, 3), (100, 25, 0.5)):
        widget.resize(334, height + 22)
        silent = ActivityImage(np.zeros((n, 1)), np.zeros(n), np.arange(n), np.zeros(n), 1.0)
        widget.show_image(silent)
        bars = [line for line in told_of(widget) if line.endswith("accent/150")]
        assert len(bars) == n
        assert {line.split()[2] for line in bars} == {f"0x{number(bar)}"}
