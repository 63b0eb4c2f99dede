"""The banner says one thing at a time, its button does what it is for once, and it takes no keys."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.gui.banner import Banner


def shown(qtbot) -> Banner:
    banner = Banner()
    qtbot.addWidget(banner)
    assert banner.isHidden()
    return banner


def test_a_message_stays_until_it_is_dismissed(qtbot) -> None:
    banner = shown(qtbot)
    banner.tell("<b>full</b>")
    assert banner.isVisible()
    assert banner.text.text() == "<b>full</b>"
    assert banner.text.textFormat() == QtCore.Qt.PlainText
    assert not banner.action_button.isVisible()
    qtbot.mouseClick(banner.close_button, QtCore.Qt.LeftButton)
    assert banner.isHidden()


def test_a_window_that_comes_on_screen_has_no_message(qtbot) -> None:
    window = QtWidgets.QWidget()
    qtbot.addWidget(window)
    row = QtWidgets.QVBoxLayout(window)
    banner = Banner()
    row.addWidget(banner)
    window.show()
    assert not banner.isVisible()
    banner.tell("full")
    assert banner.isVisible()


def test_the_way_out_is_taken_once_and_a_new_message_replaces_it(qtbot) -> None:
    banner, done = shown(qtbot), []
    banner.tell("first", action="Save as", do=lambda: done.append("first"))
    assert (banner.action_button.isVisible(), banner.action_button.text()) == (True, "Save as")
    qtbot.mouseClick(banner.action_button, QtCore.Qt.LeftButton)
    assert done == ["first"]
    assert banner.isHidden()
    banner.tell("second", action="Again", do=lambda: done.append("second"))
    banner.tell("third")
    banner.action_button.click()
    assert done == ["first"]


def test_a_way_out_may_tell_the_next_thing(qtbot) -> None:
    banner = shown(qtbot)
    banner.tell("first", action="Next", do=lambda: banner.tell("second"))
    qtbot.mouseClick(banner.action_button, QtCore.Qt.LeftButton)
    assert (banner.isVisible(), banner.text.text()) == (True, "second")


def test_its_buttons_leave_the_keys_to_the_panels_and_its_words_can_be_copied(qtbot) -> None:
    banner = shown(qtbot)
    assert banner.action_button.focusPolicy() == banner.close_button.focusPolicy() == QtCore.Qt.NoFocus
    assert banner.text.textInteractionFlags() == QtCore.Qt.TextSelectableByMouse
    assert banner.text.wordWrap()


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "it is gone; give it with --recording, or correct dat_path",
            "it is gone; give it, or correct dat_path",
        ),
        (
            "a.raw has several streams; choose one (--stream): 0, 1",
            "a.raw has several streams; choose one: 0, 1",
        ),
        (
            "there are 4 channels; leave --n-channels out",
            "there are 4 channels; leave the number of channels out",
        ),
        ("it is damaged; give another --out", "it is damaged; give another place"),
        ("nothing says where contacts are; add --probe", "nothing says where contacts are; add the probe"),
        (
            "it holds no traces; leave out --copy-traces",
            "it holds no traces; leave out the copy of the traces",
        ),
        ("formats differ; 'ncpgui doctor --formats' lists all", "formats differ"),
        ("no channel of -- and - is meant", "no channel of -- and - is meant"),
    ],
)
def test_no_option_of_the_command_line_is_named(qtbot, said: str, shown: str) -> None:
    banner = Banner()
    qtbot.addWidget(banner)
    banner.tell(said)
    assert banner.text.text() == shown
