"""Points that look alike are painted as pyqtgraph paints them, but their picture is looked up once."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest
from PyQt5 import QtGui
from pyqtgraph.graphicsItems.ScatterPlotItem import SymbolAtlas

from ncpgui.gui.items.spike_scatter import OneLook

X, Y = np.random.default_rng(0).normal(0, 1, (2, 400))
LOOK = {"size": 6.0, "pen": pg.mkPen("r", width=1.5), "brush": pg.mkBrush(20, 90, 200, 120)}


@pytest.fixture
def painted(qtbot):
    """Paint an item that a class makes, as it is, of another size or with fewer points."""

    def paint(kind: type, change=lambda item: None) -> QtGui.QImage:
        plot = pg.PlotWidget()
        qtbot.addWidget(plot)
        plot.resize(300, 200)
        item = kind(X, Y, **LOOK)
        plot.addItem(item)
        change(item)
        return plot.grab().toImage()

    return paint


@pytest.mark.parametrize(
    "change",
    [
        lambda item: None,
        lambda item: item.setSize(3.0),
        lambda item: item.setData(X[:50], Y[:50], **LOOK),
        lambda item: item.setData([], [], **LOOK),
    ],
)
def test_they_are_painted_as_points_that_may_differ(painted, change) -> None:
    assert painted(OneLook, change) == painted(pg.ScatterPlotItem, change)


def test_their_picture_is_looked_up_once(painted, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    of = SymbolAtlas.__getitem__
    monkeypatch.setattr(
        SymbolAtlas, "__getitem__", lambda atlas, styles: asked.append(len(styles)) or of(atlas, styles)
    )
    painted(OneLook, lambda item: item.setSize(4.0))
    assert asked
    assert max(asked) == 1
