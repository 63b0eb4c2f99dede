"""What the panels that are painted by hand paint: fields, events, similarity, the probe and its overview."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PyQt5 import QtCore
from PyQt5.QtCore import QPointF

from ncpgui.analysis.event_response import EventResponse
from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.events import EventsView, EventTile
from ncpgui.app.presenters.probe_map import ProbeMapView, WholeProbe
from ncpgui.app.presenters.receptive_fields import FieldTile, ReceptiveFieldsView
from ncpgui.app.presenters.similarity_matrix import SimilarityView
from ncpgui.gui.items.activity_image import ActivityOverTime
from ncpgui.gui.items.correlogram_grid import CorrelogramGrid
from ncpgui.gui.items.probe_overview import ProbeOverview
from ncpgui.gui.items.unit_tiles import UnitTiles
from ncpgui.gui.panels.events import EventsWidget, raster_image
from ncpgui.gui.panels.finding import FindingWidget
from ncpgui.gui.panels.probe_map import LegendBar, ProbeMapWidget
from ncpgui.gui.panels.receptive_fields import FieldsWidget, map_image
from ncpgui.gui.panels.similarity import SimilarityWidget
from ncpgui.gui.panels.waveforms import WaveformsWidget
from ncpgui.gui.theme import LIGHT, blend
from tests.gui.told_painting import advance, told, told_of

pytestmark = pytest.mark.usefixtures("qapp")
THIN = "\u2009"
FIELD: Any = SimpleNamespace(
    spatial=np.array([[0.0, 8, 0], [-4, 0, 0]]),
    is_clear=True,
    center_px=(1.0, 0.5),
    ellipse=(1.0, 0.5, np.pi / 6),
    time_course=np.array([2.0, -4, 1]),
    peak_z=8.0,
)
UNCLEAR: Any = SimpleNamespace(**{**vars(FIELD), "is_clear": False})
TILES = (
    FieldTile("7", Color(0), 12, 7, True, False, 0.9, field=FIELD),
    FieldTile("8", Color(1), 1, 8, False, True, field=UNCLEAR),
    FieldTile("new", Color(2), 5),
)


def group(n: int, title: str = "") -> Any:
    return SimpleNamespace(n_tiles=n, title=title, alternative=None)


FIELDS = ReceptiveFieldsView(TILES, groups=(group(2), group(1, "card 2")))


def fields(width: int, height: int) -> FieldsWidget:
    widget = FieldsWidget()
    widget.set_view(FIELDS, LIGHT)
    widget.set_room(QtCore.QSize(width, height))
    widget.resize(width, height)
    return widget


def test_a_tile_has_its_name_its_map_with_an_ellipse_its_course_and_its_verdict() -> None:
    """416 px are two tiles of 204, 8 px apart. A map has 188 px less than that by two thirds: 125.33.

    Above it are 8 + 22 px, below it 52 for course and words, and 6: 213.33. A pixel of the map is 62.67 px.
    """
    lines = told_of(fields(416, 600))
    assert lines == [
        'text "card 2" left middle 0,221.33 416x22 muted 11',
        "plate 0.6,0.6 202.8x212.13 round 7 accent_soft, line border 1.2",
        "dot 13,16 4.5 unit 0, no line",
        'text "12 spikes" right middle 8,6 188x20 faint 11',
        'text "7" left middle 24,6 172x20 text 13 bold',
        "image 8,30 188x125.33 of 3x2",
        "clip 8,30 188x125.33",
        "move by 102,92.67",
        "turn by 30",
        "dot 0,0 94x47 nothing, line text 1.5",
        "line 8,172.33 to 196,172.33 border 1",
        "line 196,159.33 to 196,185.33 border 1",
        "curve 8,169.08 102,185.33 196,165.83 unit 0 1.8",
        f'text "clear ON field · same in 90{THIN}%" left middle 8,192.33 188x16 good 11',
        "plate 212.6,0.6 202.8x212.13 round 7 sunken, line accent 1.2",
        "dot 225,16 4.5 unit 1, no line",
        'text "1 spike" right middle 220,6 188x20 faint 11',
        'text "8" left middle 236,6 172x20 text 13 bold',
        "image 220,30 188x125.33 of 3x2",
        "line 220,172.33 to 408,172.33 border 1",
        "line 408,159.33 to 408,185.33 border 1",
        "curve 220,169.08 314,185.33 408,165.83 unit 1/130 1.8",
        'text "no clear field" left middle 220,192.33 188x16 muted 11',
        "plate 0.6,243.93 202.8x212.13 round 7 sunken, line border 1.2",
        "dot 13,259.33 4.5 unit 2, no line",
        'text "5 spikes" right middle 8,249.33 188x20 faint 11',
        'text "new" left middle 24,249.33 172x20 text 13 bold',
        "plate 8.6,273.93 186.8x124.13 round 5 nothing, line border 1.2 dashed",
        'text "computing …" centre middle 8,273.33 188x125.33 muted 12',
        'text "computing …" left middle 8,435.67 188x16 muted 11',
    ]


@pytest.mark.parametrize(
    ("height", "n", "width", "below", "needed"),
    [
        (457, 2, 204.0, 52, 457),  # two rows of 213.33, a title of 22, 8 between
        (456, 3, 133.333, 52, 363),  # as two in a row would be 0.67 px too high
        (300, 5, 76.8, 52, 288),
        (276, 4, 98.0, 22, 256),  # without the course
        (200, 4, 98.0, 0, 200),  # nor words
        (100, 5, 76.0, 22, 226),  # it scrolls: a row is in view
    ],
)
def test_tiles_are_as_large_as_they_can_be_without_scrolling(
    height: int, n: int, width: float, below: int, needed: int
) -> None:
    widget = fields(416, height)
    assert widget._arrangement == pytest.approx((n, width, below), abs=0.01)
    assert widget.minimumHeight() == needed


def test_tiles_that_are_out_of_view_are_not_painted_and_the_one_under_the_pointer_lights_up() -> None:
    widget = fields(416, 600)
    seen = told(lambda painter: widget.paint(painter, QtCore.QRect(0, 0, 100, 100)))
    assert [line for line in seen if line.startswith("plate")] == [
        "plate 0.6,0.6 202.8x212.13 round 7 accent_soft, line border 1.2"
    ]
    widget._hover = 1
    assert "plate 212.6,0.6 202.8x212.13 round 7 hover, line accent 1.2" in told_of(widget)
    assert [widget.unit_at(QPointF(x, y)) for x, y in ((5, 5), (208, 5), (300, 100), (5, 230), (5, 300))] == [
        0, -1, 1, -1, 2,
    ]  # fmt: skip
    assert widget.tooltip_at(QPointF(5, 230)).startswith("Units that this card would make")
    assert widget.tooltip_at(QPointF(208, 5)) == ""
    assert widget.accessibleDescription() == (
        "unit 7, clear ON field; unit 8, no clear field; unit new, computing …"
    )


def test_colours_of_a_map_are_blue_for_off_and_red_for_on_and_alike_on_both_sides() -> None:
    """6 sd have the full colour at least; half of the largest is half way."""
    image = map_image(np.array([[8.0, -8, 0]]), LIGHT)
    assert [image.pixelColor(x, 0).name() for x in (0, 1)] == ["#a9202c", "#1d4fa3"]
    assert image.pixelColor(2, 0).lightness() > 240
    weak = map_image(np.array([[3.0, -3]]), LIGHT)
    strong = map_image(np.array([[6.0, 3.0, -3]]), LIGHT)
    assert weak.pixelColor(0, 0) == strong.pixelColor(1, 0)
    assert weak.pixelColor(1, 0) == strong.pixelColor(2, 0)
    assert strong.pixelColor(0, 0).name() == "#a9202c"


# -- events --------------------------------------------------------------------------------------

RESPONSE = EventResponse(
    4,
    np.array([0, 1, 1, 3]),
    np.array([-0.1, 0.0, 0.1, 0.29]),
    np.array([-0.1, 0, 0.1, 0.2, 0.3]),
    np.array([1, 1, 1, 1]),
    np.array([0.4, 0.4, 0.4, 0.2]),
)


def test_a_tile_of_events_has_a_raster_rates_the_event_and_its_axis() -> None:
    """A picture is 0.95 of 188 px high: 178.6, 56 % of it the raster; bars below 4 + 12 px, 62.58 high.

    The highest rate is 5 Hz, in the last bin, which was recorded half as long. The event is at a quarter.
    """
    tiles = (EventTile("7", Color(0), 12, 7, response=RESPONSE), EventTile("8", Color(1), 12, 8))
    widget = EventsWidget()
    widget.set_view(EventsView(tiles, groups=(group(2),), n_events=4), LIGHT)
    widget.set_room(QtCore.QSize(416, 400))
    widget.resize(416, 400)
    lines = told_of(widget)
    assert lines[4:12] == [
        "image 8,30 188x100.02 of 188x100",
        "polygon 8,208.6 8,177.31 55,177.31 55,177.31 102,177.31 102,177.31 149,177.31 149,146.02 "
        "196,146.02 196,208.6 unit 0, no line",
        "line 8,208.6 to 196,208.6 border 1",
        f'text "5{THIN}Hz" right middle 8,134.02 188x12 muted 10',
        "line 55,30 to 55,208.6 text 1",
        'text "−0.1" left middle 8,208.6 188x14 muted 10',
        f'text "0.3{THIN}s" right middle 8,208.6 188x14 muted 10',
        f'text "2.5 → 5.0{THIN}Hz at 250{THIN}ms" left middle 8,225.6 188x16 muted 11',
    ]
    assert lines[-2:] == [
        'text "computing …" centre middle 220,30 188x178.6 muted 12',
        'text "computing …" left middle 220,225.6 188x16 muted 11',
    ]
    at = widget.tooltip_at(QPointF(60, 100)).splitlines()
    assert at[0] == f"0 to 100 ms after the event: 2.5{THIN}Hz (1 spike)"
    assert widget.tooltip_at(QPointF(190, 100)).startswith("200 to 300 ms")
    assert widget.tooltip_at(QPointF(60, 10)) == "\n".join(at[1:]), "above the picture"
    assert widget.tooltip_at(QPointF(208, 10)) == ""


def alphas(n_events: int, width: int, height: int, *, mark_px: int = 1) -> list[list[int]]:
    response = replace(RESPONSE, n_events=n_events)
    image = raster_image(response, width, height, LIGHT.color("text"), mark_px=mark_px)
    return [[image.pixelColor(x, y).alpha() for x in range(width)] for y in range(height)]


def test_a_raster_has_a_row_for_each_event_and_a_mark_for_each_spike() -> None:
    """Columns are 0.1 s; spikes at -0.1, 0, 0.1 and 0.29 s of events 0, 1, 1 and 3."""
    full = 255
    rows = [[full, 0, 0, 0], [0, full, full, 0], [0, 0, 0, 0], [0, 0, 0, full]]
    assert alphas(4, 4, 4) == rows
    assert alphas(4, 4, 8) == [row for row in rows for _ in range(2)], "rows are two pixels high"
    spread = alphas(4, 4, 16)
    assert spread == [row for one in rows for row in (one, one, one, [0] * 4)], "a line between is free"
    wide = alphas(4, 8, 4, mark_px=2)
    assert wide[0] == [full, full, 0, 0, 0, 0, 0, 0]
    assert wide[3] == [0, 0, 0, 0, 0, 0, 0, full]


def test_where_events_share_a_row_a_mark_is_the_stronger_the_more_spikes_it_stands_for() -> None:
    """Two of four events a row: one spike is 0.35 + 0.65 / 2 of full."""
    assert alphas(4, 4, 2) == [[172, 172, 172, 0], [0, 0, 0, 172]]
    assert alphas(4, 1, 2) == [[255], [172]], "three spikes of two events are no more than full"


# -- similarity ----------------------------------------------------------------------------------


def test_the_matrix_is_an_image_with_colours_and_numbers_at_its_edges_and_frames_around_selected() -> None:
    widget = SimilarityWidget()
    widget.resize(146, 126)
    matrix = np.array([[np.nan, 0.25], [0.25, np.nan]])
    widget.set_view(SimilarityView((4, 12), (Color(0), Color(1)), (True, False), matrix), LIGHT)
    assert told_of(widget) == [
        "image 26,26 100x100 of 2x2",
        "fill 22,26 3x49 unit 0",
        "fill 26,22 49x3 unit 0",
        'text "4" right middle 0,26 20x50 text 10',
        'text "4" centre middle 26,4 50x16 text 10',
        "fill 22,76 3x49 unit 1",
        "fill 76,22 49x3 unit 1",
        'text "12" right middle 0,76 20x50 muted 10',
        'text "12" centre middle 76,4 50x16 muted 10',
        "rect 26,26 50x50 nothing, line accent 1.4",
    ]
    low = blend(LIGHT.color("sunken"), LIGHT.color("accent"), 0.12)
    half = blend(low, LIGHT.color("accent"), 0.5)  # the root of a quarter
    found = widget._image().pixelColor(1, 0)
    assert max(abs(a - b) for a, b in zip(found.getRgb(), half.getRgb(), strict=True)) <= 1
    cells = [widget.cell_at(QPointF(x, y)) for x, y in ((26, 26), (75, 76), (126, 126), (25, 60), (60, 127))]
    assert cells == [(0, 0), (1, 0), (1, 1), None, None]


@pytest.mark.parametrize(("n", "edge"), [(6, 26), (7, 6)])
def test_numbers_need_rows_of_13_px(n: int, edge: int) -> None:
    """Of 104 px, 26 are for numbers: six rows of 78 px have 13 each."""
    widget = SimilarityWidget()
    widget.resize(104, 200)
    view = SimilarityView((*range(n),), (Color(0),) * n, (False,) * n, np.zeros((n, n)))
    widget.set_view(view, LIGHT)
    assert told_of(widget)[0] == f"image {edge},{edge} {104 - edge}x{104 - edge} of {n}x{n}"
    assert any(line.startswith("text") for line in told_of(widget)) is (edge == 26)
    widget.set_view(SimilarityView(), LIGHT)
    assert told_of(widget) == []
    assert widget.cell_at(QPointF(50, 50)) is None


# -- the probe -----------------------------------------------------------------------------------

SQUARE = ProbeMapView(
    np.array([[0.0, 0], [30, 0], [0, 30], [30, 30]]),
    np.array([np.nan, 0.5, 1, 0]),
    ("", "sampled", "units", "curated"),
    1,
    (0, 3),
    ("a", "b", "c", "d"),
    30.0,
)


def test_contacts_are_signs_where_they_lie_and_the_one_on_screen_is_ringed_and_linked() -> None:
    """60 µm are 200 of 206 px; no sign is larger than 18 px."""
    widget = ProbeMapWidget()
    widget.resize(206, 206)
    widget.set_view(SQUARE)
    heat = LIGHT.heat(0.5)
    ring = blend(heat, LIGHT.color("text"), 0.25).name()
    lines = [
        "line 153,153 to 53,153 accent/120 1.4",
        "line 153,153 to 153,53 accent/120 1.4",
        "dot 53,153 19 panel, no line",
        "ellipse 36.98,136.98 32.04x32.04 nothing, line border 3.96",
        "dot 153,153 19 panel, no line",
        f"ellipse 135,135 36x36 {heat.name()}, line {ring} 1",
        "dot 153,153 20.6 nothing, line text 2.2",
        "dot 53,53 19 panel, no line",
        "ellipse 36.98,36.98 32.04x32.04 border, line muted 3.96",
        "dot 153,53 19 panel, no line",
        "dot 153,53 18 good, no line",
        "curve 144.9,53.36 151.2,59.84 161.64,46.88 panel 4.55",
    ]
    assert told_of(widget) == lines
    widget._hover = 0
    assert told_of(widget)[4] == "dot 53,153 20.6 nothing, line faint 2.2"
    assert [widget.unit_at(QPointF(x, 153)) for x in (53, 75, 75.5, 131)] == [0, 0, -1, 1]
    assert [widget.can_click(contact) for contact in (-1, 0, 1)] == [False, False, True]
    assert widget.tooltip_at(QPointF(53, 53)) == "c"
    assert widget.tooltip_at(QPointF(100, 100)) == ""
    assert not widget.is_slice
    assert widget.seen_um(0) == pytest.approx((-15.9, 45.9))
    assert widget.seen_um(1) == pytest.approx((-15.9, 45.9))


def test_a_long_probe_is_a_slice_around_what_is_on_screen_as_far_as_its_ends() -> None:
    """A contact each 20 µm has a radius of 4 px at least: 11.1 px a contact, 18 of a hundred in 200 px.

    At its ends there is room for half a pitch and the ring of 4 px.
    """
    n = 100
    column = np.column_stack([np.zeros(n), 20.0 * np.arange(n)])
    view = ProbeMapView(column, np.zeros(n), ("",) * n, 50, (), ("",) * n, 20.0)
    widget = ProbeMapWidget()
    widget.resize(120, 200)
    widget.set_view(view)
    scale, radius, places = widget._transform()
    assert widget.is_slice
    assert (scale, radius) == pytest.approx((4 / 7.2, 4))
    assert places[50].tolist() == pytest.approx([60, 100])
    widget.look_at(0)
    assert widget._transform()[2][0, 1] == pytest.approx(200 - 4 - 10 * scale)
    widget.look_at(99)
    assert widget._transform()[2][99, 1] == pytest.approx(4 + 10 * scale)
    widget.look_at(None)
    assert widget._transform()[2][50, 1] == pytest.approx(100)


def test_the_legend_of_the_probe_is_a_scale_between_its_two_words() -> None:
    legend = LegendBar()
    legend.resize(200, 16)
    left, right = advance("clear", 11) + 8, advance("ambiguous", 11) + 8
    lines = told_of(legend)
    assert lines[:2] == [
        'text "clear" left middle 0,0 200x16 faint 11',
        'text "ambiguous" right middle 0,0 200x16 faint 11',
    ]
    stops = (f"{LIGHT.heat(share).name()} {share:g}" for share in (0.25, 0.5, 0.75))
    scale = f"amber_soft 0 to {' to '.join(stops)} to amber 1"
    assert lines[2] == f"plate {left},5 {200 - left - right}x6 round 3 {scale}, no line"
    legend.resize(40, 16)
    assert f"plate {left},5 10x6" in told_of(legend)[2]


WHOLE = WholeProbe(
    np.array([0.0, 50, 100, 100]),
    1,
    np.array([0, 0, 0, 1]),
    (0, 1),
    np.array([4.0, 0, 16, 0]),
    np.array([0, 2, 0, 0]),
    np.array([True, False, False, True]),
)


def overview() -> ProbeOverview:
    widget = ProbeOverview()
    states = ("sampled", "units", "", "waiting")
    widget.set_view(
        replace(SQUARE, whole=WHOLE, states=states, ambiguity=np.array([1.0, np.nan, np.nan, np.nan]))
    )
    widget.resize(38, 38)
    return widget


def test_the_whole_probe_has_activity_by_depth_the_slice_units_and_questions() -> None:
    """Of 38 px, 14 at either end are for depths: five rows of 2 px. Bars are roots of shares of 16 Hz.

    A shank has 19 px, a bar 58 % of them; between two contacts it goes over from one to the other.
    """
    widget = overview()
    widget.set_seen(25, 75)
    bars = [f"rect 2,{14 + 2 * row} {length}x2 faint/150, no line" for row, length in
            enumerate(("11.02", "5.51", "0", "2.75", "5.51"))]  # fmt: skip
    assert told_of(widget) == [
        "fill 1,14 17x10 sunken",
        *bars,
        "fill 20,14 17x10 sunken",
        *(f"rect 21,{14 + 2 * row} 0x2 faint/150, no line" for row in range(5)),
        "plate 0.8,16.5 36.4x5 round 3 accent/24, line accent 1.4",
        "dot 13.3,19 1.8 faint, no line",
        "dot 16.72,24 2.6 amber, no line",
        "dot 35.72,14 2.6 accent, no line",
        'text "100" centre middle 0,0 38x12 muted 10',
        'text "0 µm" centre middle 0,26 38x12 muted 10',
    ]
    widget.set_seen(40, 45)
    assert "plate 0.8,19.5 36.4x4 round 3 accent/24, line accent 1.4" in told_of(widget), "4 px at least"
    widget.set_seen(-500, 500)
    assert "plate 0.8,13 36.4x12 round 3 accent/24, line accent 1.4" in told_of(widget), "not beyond the ends"
    widget.set_seen(50, 50)
    assert not any(line.startswith("plate") for line in told_of(widget))


def test_a_click_finds_a_question_first_then_units_then_the_nearest_contact() -> None:
    """Six px of a contact are on it. Contacts of the first shank lie at 24, 19 and 14 px."""
    widget = overview()
    widget.resize(38, 128)
    heights = {name: widget.y_of(depth) for name, depth in (("low", 0), ("middle", 50), ("high", 100))}
    assert heights == {"low": 114, "middle": 64, "high": 14}
    at = [widget._contact_at(QPointF(5, y)) for y in (114, 108, 107.9, 70, 58, 57.9, 14)]
    assert at == [(0, True), (0, True), (0, False), (1, True), (1, True), (1, False), (2, False)]
    assert widget._contact_at(QPointF(19, 14)) == (3, True)
    assert widget._contact_at(QPointF(500, 100)) == (3, False)
    assert widget.depth_at(64) == 50


@pytest.mark.parametrize(("n_shanks", "width"), [(1, 38), (2, 38), (3, 45), (4, 60)])
def test_the_whole_probe_is_as_wide_as_its_shanks_need(n_shanks: int, width: int) -> None:
    widget = ProbeOverview()
    shank = np.arange(4) % n_shanks
    widget.set_view(replace(SQUARE, whole=replace(WHOLE, shank=shank, shank_names=(*range(n_shanks),))))
    assert widget.width() == width


def test_what_is_painted_has_a_name_for_those_who_do_not_see_it(qapp) -> None:
    names = {
        "Receptive fields": FieldsWidget(), "Events": EventsWidget(), "Similarity matrix": SimilarityWidget(),
        "Contacts": ProbeMapWidget(), "Whole probe": ProbeOverview(), "Correlograms": CorrelogramGrid(),
        "Waveforms": WaveformsWidget(), "Finding": FindingWidget(), "Units found so far": UnitTiles(),
        "Activity along the probe": ActivityOverTime(),
    }  # fmt: skip
    assert {name: widget.accessibleName() for name, widget in names.items()} == {name: name for name in names}
    follows_pointer = {name for name, widget in names.items() if widget.hasMouseTracking()}
    assert follows_pointer == {*names} - {"Units found so far", "Activity along the probe"}
