"""The bar of probability has a piece for each way, the one on screen in full colour, and the rest hatched."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PyQt5 import QtCore

from ncpgui.gui.items.mass_bar import MassBar
from ncpgui.gui.theme import LIGHT, blend
from tests.gui.told_painting import told_of


def bar_of(qtbot, masses: list[float], *, shown: int = 0, other: float = 0.0) -> MassBar:
    bar = MassBar()
    qtbot.addWidget(bar)
    cards = [SimpleNamespace(mass=mass, index=k, is_shown=k == shown) for k, mass in enumerate(masses)]
    heap = SimpleNamespace(mass=0.9, index=None, is_shown=False)
    bar.set_view(SimpleNamespace(cards=(*cards, heap), other_mass=other))  # type: ignore[arg-type]
    bar.resize(200, 8)
    bar.show()
    return bar


def painted(bar: MassBar) -> list[str]:
    image = bar.grab().toImage()
    scale = image.width() / 200
    return [image.pixelColor(round(x * scale), image.height() // 2).name() for x in range(200)]


def test_pieces_are_as_wide_as_they_are_probable(qtbot) -> None:
    bar = bar_of(qtbot, [0.5, 0.25], shown=1, other=0.25)
    colors = painted(bar)
    accent, border = LIGHT.color("accent").name(), LIGHT.color("border").name()
    soft = blend(LIGHT.color("panel"), LIGHT.color("accent"), 0.38).name()
    assert set(colors[6:97]) == {soft}
    assert set(colors[98:100]) == {border}, "pieces are two pixels apart"
    assert set(colors[101:147]) == {accent}
    assert LIGHT.color("faint").name() in colors[151:195]


def test_where_nothing_else_is_possible_nothing_is_hatched(qtbot) -> None:
    colors = painted(bar_of(qtbot, [0.5]))
    assert set(colors[101:194]) == {LIGHT.color("border").name()}
    assert set(colors[6:97]) == {LIGHT.color("accent").name()}


@pytest.mark.parametrize(("x", "index"), [(1, 0), (99, 0), (102, 1), (149, 1), (151, None), (199, None)])
def test_a_click_shows_the_way_of_the_piece(qtbot, x: int, index: int | None) -> None:
    bar, clicked = bar_of(qtbot, [0.5, 0.25], other=0.25), []
    bar.clicked.connect(clicked.append)
    qtbot.mouseClick(bar, QtCore.Qt.LeftButton, pos=QtCore.QPoint(x, 4))
    assert clicked == ([] if index is None else [index])


def test_a_bar_without_ways_is_hidden(qtbot) -> None:
    assert bar_of(qtbot, [1.0]).isVisible()
    bar = MassBar()
    qtbot.addWidget(bar)
    bar.set_view(SimpleNamespace(cards=(), other_mass=0.0))  # type: ignore[arg-type]
    assert not bar.isVisible()


def test_a_piece_is_two_pixels_shorter_than_its_share_and_seen_however_small_it_is(qtbot) -> None:
    soft = blend(LIGHT.color("panel"), LIGHT.color("accent"), 0.38).name()
    assert told_of(bar_of(qtbot, [0.5, 0.25, 0.005], shown=1, other=0.245)) == [
        "clip 0,0 200x8",
        "fill 0,0 200x8 border",
        f"fill 0,0 98x8 {soft}",
        "fill 100,0 48x8 accent",
        f"fill 150,0 1x8 {soft}",
        "fill 151,0 49x8 faint hatched",
    ]
