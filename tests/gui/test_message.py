"""Messages in place of what a panel shows: whole sentences, as many as fit."""

from __future__ import annotations

import pytest

from ncpgui.gui.items.message import Message

FIRST, SECOND = "No events in this session.", "File > Load events… takes times: .npz with an array, or .csv."


@pytest.fixture
def message(qtbot) -> Message:
    made = Message(f"{FIRST}\n{SECOND}")
    qtbot.addWidget(made)
    made.resize(220, 200)
    made.show()
    return made


def test_all_sentences_are_shown_where_there_is_room(message) -> None:
    assert message.shown_text() == message.text() == f"{FIRST}\n{SECOND}"
    assert message.toolTip() == ""


def test_a_sentence_that_does_not_fit_is_left_out_whole_and_comes_back(message) -> None:
    line = message.fontMetrics().height()
    message.resize(220, 2 * line)
    assert message.shown_text() == FIRST
    assert (message.text(), message.toolTip()) == (f"{FIRST}\n{SECOND}",) * 2
    message.resize(220, 8 * line)
    assert (message.shown_text(), message.toolTip()) == (message.text(), "")


def test_the_first_sentence_is_shown_where_even_that_does_not_fit(message) -> None:
    message.resize(40, 10)
    assert message.shown_text() == FIRST
    message.setText("One. Two.")
    assert message.shown_text() == "One."
