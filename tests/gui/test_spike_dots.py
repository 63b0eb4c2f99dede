"""Points of few looks are painted as pyqtgraph paints an item for each look, but are one item."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest
from PyQt5 import QtGui
from pyqtgraph.graphicsItems.ScatterPlotItem import SymbolAtlas

from ncpgui.gui.items.spike_dots import Look, SpikeDots

X, Y = np.random.default_rng(0).normal(0, 1, (2, 400))
OF_POINT = np.repeat([0, 1, 2], [150, 200, 50])
LOOKS = (
    Look(pg.mkPen("r", width=1.5), pg.mkBrush(20, 90, 200, 120)),
    Look(pg.mkPen(None), pg.mkBrush(200, 90, 20, 190)),
    Look(pg.mkPen("g", width=1.5), pg.mkBrush(20, 90, 200, 60)),
)


@pytest.fixture
def plot(qtbot) -> pg.PlotWidget:
    widget = pg.PlotWidget()
    qtbot.addWidget(widget)
    widget.resize(300, 200)
    widget.setRange(xRange=(-3, 3), yRange=(-3, 3))
    return widget


def of_pyqtgraph(plot: pg.PlotWidget, of_point: np.ndarray, *, size: float) -> QtGui.QImage:
    """Picture of an item for each look, each asked for the picture of every point."""
    plot.clear()
    for row, look in enumerate(LOOKS):
        own = np.flatnonzero(of_point == row)
        plot.addItem(pg.ScatterPlotItem(X[own], Y[own], size=size, pen=look.pen, brush=look.brush))
    return plot.grab().toImage()


def shown(plot: pg.PlotWidget, of_point: np.ndarray, *, size: float) -> SpikeDots:
    """The same points as one item."""
    dots, n = SpikeDots(), len(of_point)
    dots.show_points(X[:n], Y[:n], LOOKS, of_point, size_px=size)
    plot.clear()
    plot.addItem(dots)
    return dots


@pytest.mark.parametrize(
    "of_point", [OF_POINT, OF_POINT[:20], OF_POINT[:0]], ids=["many", "one look", "none"]
)
def test_they_are_painted_as_an_item_for_each_look(plot, of_point) -> None:
    expected = of_pyqtgraph(plot, of_point, size=6.0)
    shown(plot, of_point, size=6.0)
    assert plot.grab().toImage() == expected


def test_so_they_are_in_another_size_and_with_other_points(plot) -> None:
    expected = [of_pyqtgraph(plot, OF_POINT, size=3.0), of_pyqtgraph(plot, OF_POINT[:250], size=6.0)]
    dots = shown(plot, OF_POINT, size=6.0)
    dots.set_size(3.0)
    assert plot.grab().toImage() == expected[0]
    dots.show_points(X[:250], Y[:250], LOOKS, OF_POINT[:250], size_px=6.0)
    assert plot.grab().toImage() == expected[1]


def test_the_picture_of_each_look_is_looked_up_once(plot, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    of = SymbolAtlas.__getitem__
    monkeypatch.setattr(
        SymbolAtlas, "__getitem__", lambda atlas, styles: asked.append(len(styles)) or of(atlas, styles)
    )
    shown(plot, OF_POINT, size=6.0).set_size(4.0)
    plot.grab()
    assert asked
    assert max(asked) == len(LOOKS)
