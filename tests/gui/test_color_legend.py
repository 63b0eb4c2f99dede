"""The legend of colours: words that do not touch, each behind its dot, or a scale between its two ends."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PyQt5 import QtGui

from ncpgui.app.model.coloring import Legend
from ncpgui.app.model.colors import Color
from ncpgui.gui.items.color_legend import DOT_PX, GAP_PX, WORDS_PX, ColorLegend
from ncpgui.gui.theme import LIGHT, font
from tests.gui.painted_text import collisions, painted_texts

LABELS = Legend(
    "label", tuple((name, Color(k)) for k, name in enumerate(("good", "mua", "noise", "unsorted")))
)
SCALE = Legend("amplitude", (("4 sd", Color(-1, 0.0)), ("120 sd", Color(-1, 1.0))))


@pytest.fixture
def legend(qtbot) -> ColorLegend:
    made = ColorLegend()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("shown", [LABELS, SCALE])
def test_words_stand_side_by_side_and_fit(legend: ColorLegend, shown: Legend) -> None:
    legend.show_legend(shown, LIGHT)
    texts = painted_texts(legend)
    assert [text.words for text in texts] == [shown.title, *(words for words, _ in shown.entries)]
    assert collisions(texts) == []
    assert max(text.overhang_px for text in texts) < 1
    assert texts[-1].room.right() <= legend.width()
    metrics = QtGui.QFontMetricsF(font(WORDS_PX))
    for text in texts:
        assert text.ink.width() <= metrics.horizontalAdvance(text.words) + 1, "all in the same small font"
    apart = [right.room.left() - left.room.right() for left, right in pairwise(texts)]
    between = GAP_PX if shown is SCALE else DOT_PX + 2 * GAP_PX
    assert apart[0] == pytest.approx(between)


def test_each_word_has_its_colour_before_it(legend: ColorLegend) -> None:
    legend.show_legend(LABELS, LIGHT)
    texts = painted_texts(legend)
    image = legend.grab().toImage()
    for text, (_, color) in zip(texts[1:], LABELS.entries, strict=True):
        place = text.room.left() - GAP_PX - DOT_PX / 2
        assert image.pixelColor(round(place), image.height() // 2).name() == LIGHT.unit(color).name()


def test_a_scale_runs_from_the_colour_of_its_low_end_to_that_of_its_high_end(legend: ColorLegend) -> None:
    legend.show_legend(SCALE, LIGHT)
    texts = painted_texts(legend)
    image, middle = legend.grab().toImage(), legend.height() // 2
    left, right = texts[1].room.right() + GAP_PX + 2, texts[2].room.left() - GAP_PX - 2
    for place, (_, color) in zip((left, right), SCALE.entries, strict=True):
        found, wanted = image.pixelColor(round(place), middle), LIGHT.unit(color)
        assert max(abs(a - b) for a, b in zip(found.getRgb()[:3], wanted.getRgb()[:3], strict=True)) < 25


def test_it_says_what_it_is(legend: ColorLegend) -> None:
    legend.show_legend(LABELS, LIGHT)
    assert legend.accessibleName() == "Colours by label: good, mua, noise, unsorted"
    assert legend.toolTip() == "What the colours of units mean (View > Colour units by)"
    legend.show_legend(None, LIGHT)
    assert (legend.accessibleName(), legend.width()) == ("", 0)
    assert painted_texts(legend) == []
