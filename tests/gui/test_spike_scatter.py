"""How spikes look in a plot: colour, opacity, ring and order of each, and which one is under the pointer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PyQt5 import QtCore

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.points import SpikePoints
from ncpgui.gui.items.spike_scatter import SpikeScatter
from ncpgui.gui.theme import LIGHT

POINTS = SpikePoints(
    x=np.array([0.0, 1, 2, 3, 4]),
    y=np.array([0.0, 1, 2, 3, 4]),
    labels=np.array([1, 0, -1, 0, 1]),
    names=("4", "5"),
    colors=(Color(0), Color(1)),
    is_selected=(True, False),
    opacity=np.array([1.0, 0.51, 0.01, 1.0, 0.5]),
    ring=np.array([0, 0, -1, 1, -1]),
    ring_colors=(Color(2), None),
    spike_ids=np.array([10, 11, 12, 13, 14]),
)


@pytest.fixture
def scatter(qapp) -> SpikeScatter:
    made = SpikeScatter("points")
    made.resize(300, 200)
    made.set_points(POINTS, LIGHT)
    return made


def looks(scatter: SpikeScatter) -> list[tuple[float, str, int, str]]:
    """Of each point in the order of painting: its x, colour, opacity and ring."""
    told: list[tuple[float, str, int, str]] = []
    for x, row in zip(scatter.dots._places[0].tolist(), scatter.dots._look_of_point.tolist(), strict=True):
        look = scatter.dots._looks[row]
        color = look.brush.color()
        has_ring = look.pen.style() != QtCore.Qt.NoPen
        told.append((x, color.name(), color.alpha(), look.pen.color().name() if has_ring else ""))
    return told


def test_points_of_other_units_are_dimmed_and_below_those_of_selected_ones(scatter) -> None:
    """Opacity is in eighths, rounded up: 0.51 are five of them, 0.01 one. Of 190, and of 45 where dimmed."""
    blue, orange, ring = (LIGHT.unit(Color(k)).name() for k in range(3))
    grey = LIGHT.color("faint").name()
    assert looks(scatter) == [
        (2, grey, round(45 / 8 * 0.7), ""),
        (4, orange, round(45 / 2), ""),
        (0, orange, 45, ""),
        (1, blue, round(190 * 5 / 8), ring),
        (3, blue, 190, grey),
    ]
    scatter.set_points(replace(POINTS, is_selected=(False, False), opacity=None, ring=None), LIGHT)
    assert looks(scatter) == [
        (2, grey, round(190 * 0.7), ""),
        *((x, blue, 190, "") for x in (1, 3)),
        *((x, orange, 190, "") for x in (0, 4)),
    ]


def test_a_point_is_smaller_where_there_are_many_between_3_and_8_px(scatter) -> None:
    """0.42 of the distance of points that fill 60000 px² evenly."""
    assert scatter.point_px == 8
    for n, px in ((165, 8), (600, 4.2), (1000, pytest.approx(3.253, abs=0.001)), (2000, 3)):
        scatter.points = replace(POINTS, labels=np.zeros(n, int), x=np.zeros(n), y=np.zeros(n))
        assert scatter.point_px == px


def test_the_nearest_point_within_eight_px_is_under_the_pointer_one_of_a_unit_first(scatter) -> None:
    scatter.settle()
    place = {k: QtCore.QPointF(*xy) for k, xy in enumerate(scatter.pixels().tolist())}

    def at(point: int, dx: float) -> int:
        return scatter.point_at(place[point] + QtCore.QPointF(dx, 0))

    assert [at(1, dx) for dx in (0, 7.9, -7.9, 8.1)] == [1, 1, 1, -1]
    assert [at(2, dx) for dx in (0, 4.9, 5.1)] == [2, 2, -1], "those of no unit count as 3 px farther"
    assert scatter.unit_at(place[0]) == 1
    assert scatter.unit_at(place[2]) == -1
    assert scatter.unit_at(place[1] + QtCore.QPointF(20, -20)) == -1
    step = scatter.pixels()[1] - scatter.pixels()[0]
    assert step[0] > 0 > step[1], "up is up"
    assert scatter.pixels()[4] - scatter.pixels()[0] == pytest.approx(4 * step)


def test_a_click_tells_the_spike_and_its_unit_ctrl_a_corner_and_the_right_button_takes_it_away(
    scatter,
) -> None:
    scatter.settle()
    told: list[Any] = []
    scatter.clicked.connect(lambda row, adds: told.append(("unit", row, adds)))
    scatter.spike_clicked.connect(lambda spike: told.append(("spike", spike)))
    scatter.corner_set.connect(lambda x, y: told.append(("corner", round(x, 3), round(y, 3))))
    scatter.cleared.connect(lambda: told.append("cleared"))

    class Event:
        def __init__(self, point: int, button: Any, keys: Any) -> None:
            self._at, self._button, self._keys = point, button, keys

        def button(self) -> Any:
            return self._button

        def modifiers(self) -> Any:
            return self._keys

        def scenePos(self) -> QtCore.QPointF:
            return QtCore.QPointF(*scatter.pixels()[self._at].tolist())

    none, left = QtCore.Qt.NoModifier, QtCore.Qt.LeftButton
    for point, button, keys in (
        (0, left, none),
        (3, left, QtCore.Qt.ShiftModifier),
        (2, left, none),
        (1, left, QtCore.Qt.ControlModifier),
        (1, QtCore.Qt.RightButton, none),
        (1, QtCore.Qt.MiddleButton, none),
    ):
        scatter._clicked(Event(point, button, keys))
    assert told == [
        ("spike", 10), ("unit", 1, False), ("spike", 13), ("unit", 0, True), ("spike", 12),
        ("corner", 1, 1), "cleared",
    ]  # fmt: skip


def test_without_points_there_is_nothing_to_click(scatter) -> None:
    empty = replace(
        POINTS, x=np.zeros(0), y=np.zeros(0), labels=np.zeros(0, int), opacity=None, ring=None, spike_ids=None
    )  # fmt: skip
    scatter.set_points(empty, LIGHT)
    assert scatter.point_at(QtCore.QPointF(100, 100)) == -1
    corners: list[float] = []
    scatter.corner_set.connect(lambda x, y: corners.append(x))
    scatter._set_corner(QtCore.QPointF(100, 100))
    assert corners == []
