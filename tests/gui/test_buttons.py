"""Buttons and titles that have less room than their words."""

from __future__ import annotations

import pytest

from ncpgui.gui.buttons import Button
from ncpgui.gui.panels.title import PanelTitle


@pytest.fixture
def button(qtbot, theme) -> Button:
    made = Button("uncertain ›", "Go to the next spike that is uncertain")
    qtbot.addWidget(made)
    made.resize(made.sizeHint())
    return made


def test_a_button_with_room_shows_its_words(button: Button) -> None:
    assert button.shown_text() == "uncertain ›"


def test_a_button_without_room_ends_with_an_ellipsis_and_keeps_its_first_letters(button: Button) -> None:
    button.resize(button.width() - 30, button.height())
    shown = button.shown_text()
    assert shown.startswith("un")
    assert shown.endswith("…")


def test_a_title_without_room_ends_with_an_ellipsis(qtbot, theme) -> None:
    title = PanelTitle("Correlograms")
    qtbot.addWidget(title)
    title.resize(title.minimumSizeHint())
    assert title.shown_text() == "Correlograms"
    title.resize(title.width() - 20, title.height())
    assert title.shown_text().startswith("Corr")
    assert title.shown_text().endswith("…")
