"""A plot in the look of the window: its axes are named where there is room, and explain themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt5 import QtCore

from ncpgui.gui.items.plot import LABEL_PX, LABELS_FROM_PX, Plot
from ncpgui.gui.theme import DARK, LIGHT
from tests.gui.told_painting import advance

SIDES = ("left", "bottom", "right", "top")


@pytest.fixture
def plot(qapp) -> Iterator[Plot]:
    made = Plot("Rates")
    made.resize(300, 200)
    made.set_theme(LIGHT)
    made.set_labels(left="Hz", bottom="time (s)")
    made.show()
    yield made
    made.hide()


def named(plot: Plot) -> dict[str, str]:
    """The names that are written at the axes."""
    axes = {side: plot.getAxis(side) for side in ("left", "bottom")}
    return {side: axis.labelText for side, axis in axes.items() if axis.label.isVisible() and axis.labelText}


def test_it_is_quiet(plot: Plot) -> None:
    assert plot.accessibleName() == "Rates"
    assert (plot.minimumWidth(), plot.minimumHeight()) == (120, 84)
    assert plot.focusPolicy() == QtCore.Qt.NoFocus
    assert plot.frameShape() == plot.NoFrame
    assert plot.getPlotItem().buttonsHidden
    assert plot.getPlotItem().layout.getContentsMargins() == (0, 0, 0, 0)
    assert "transparent" in plot.styleSheet()
    assert not any(plot.getAxis(side).autoSIPrefix for side in SIDES)
    style = plot.getAxis("left").style
    assert (style["tickLength"], style["tickTextOffset"][0], style["maxTickLevel"]) == (-4, 3, 0)
    assert style["tickFont"].pixelSize() == 10
    bare = Plot("Field", has_axes=False)
    assert not bare.getAxis("left").isVisible()
    assert not bare.getAxis("bottom").isVisible()


def test_axes_are_named_where_there_is_room(plot: Plot) -> None:
    width, height = LABELS_FROM_PX
    assert (width, height) == (200, 80)
    plot.setMinimumSize(0, 0)
    both = {"left": "Hz", "bottom": "time (s)"}
    for size, names in (
        ((300, 200), both), ((200, 80), both), ((199, 200), {}), ((200, 79), {"left": "Hz"}),
    ):  # fmt: skip
        plot.resize(*size)
        assert named(plot) == names, size
    plot.resize(300, 200)
    long = "a name that is longer than the axis is high, and some more"
    assert advance(long, 10) > 200
    plot.set_labels(left=long, bottom="a < b")
    assert named(plot) == {"bottom": "a &lt; b"}


def test_plots_below_each_other_begin_at_one_place(plot: Plot) -> None:
    """Whether the name of the axis fits or not; without a name there is none to leave room for."""
    plot.set_left_px(40)
    assert plot.getAxis("left").maximumWidth() == 40 + LABEL_PX
    plot.set_labels(left="", bottom="time (s)")
    assert plot.getAxis("left").maximumWidth() == 40
    plot.set_labels(left="Hz", bottom="")
    plot.setMinimumSize(0, 0)
    plot.resize(150, 200)
    assert plot.getAxis("left").maximumWidth() == 40


def test_axes_have_the_colours_of_the_theme_and_are_explained_under_the_pointer(plot: Plot) -> None:
    for theme in (LIGHT, DARK):
        plot.set_theme(theme)
        axis = plot.getAxis("left")
        assert axis.pen().color() == theme.color("border")
        assert axis.textPen().color() == theme.color("muted")
        assert axis.labelStyle["color"].lower() == theme.muted.lower()
        assert axis.labelStyle["font-size"] == "10px"
    plot.settle()
    inside = plot.getViewBox().sceneBoundingRect().center()
    left = plot.getAxis("left").sceneBoundingRect().center()
    bottom = plot.getAxis("bottom").sceneBoundingRect().center()
    assert plot.tooltip_at(inside) == ""
    assert plot.tooltip_at(left) != plot.tooltip_at(bottom)
    assert plot.tooltip_at(left)
    assert plot.tooltip_at(QtCore.QPointF(-50, -50)) == ""
    plot.hideAxis("left")
    assert plot.tooltip_at(left) == ""
