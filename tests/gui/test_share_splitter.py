"""Parts of a splitter keep their shares of the room, whatever size the window had in between."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.gui.share_splitter import ShareSplitter
from tests.gui.windows import settle


def splitter_of(
    qtbot, *shares: float, direction: QtCore.Qt.Orientation = QtCore.Qt.Horizontal
) -> ShareSplitter:
    splitter = ShareSplitter(direction, *((QtWidgets.QWidget(), share) for share in shares))
    qtbot.addWidget(splitter)
    splitter.resize(616, 616)
    splitter.show()
    settle()
    return splitter


@pytest.mark.parametrize("direction", [QtCore.Qt.Horizontal, QtCore.Qt.Vertical])
def test_room_is_shared_out_and_shared_out_again(qtbot, direction: QtCore.Qt.Orientation) -> None:
    splitter = splitter_of(qtbot, 1, 2, 3, direction=direction)
    assert splitter.sizes() == [100, 200, 300]  # two borders of 8 px
    assert splitter.permille() == [167, 333, 500]
    splitter.resize(60, 60)
    splitter.resize(1216, 1216)
    assert splitter.sizes() == [200, 400, 600]


def test_a_part_that_was_squeezed_has_its_share_again_when_the_room_is_back(qtbot) -> None:
    splitter = splitter_of(qtbot, 1, 2, 3)
    splitter.widget(2).setMinimumWidth(500)
    settle()
    assert splitter.sizes()[2] == 500
    splitter.widget(2).setMinimumWidth(0)
    settle()
    assert splitter.sizes() == [100, 200, 300]


def test_shares_are_those_that_a_person_gives_until_they_are_reset(qtbot) -> None:
    splitter = splitter_of(qtbot, 1, 2, 3)
    splitter.moveSplitter(150, 1)
    assert splitter.sizes() == [150, 150, 300]
    splitter.resize(1216, 616)
    assert splitter.sizes() == [300, 300, 600]
    splitter.setSizes([3, 2, 1])
    assert splitter.sizes() == [600, 400, 200]
    assert splitter.permille() == [500, 333, 167]
    splitter.reset()
    assert splitter.sizes() == [200, 400, 600]


def test_a_hidden_part_keeps_its_share(qtbot) -> None:
    splitter = splitter_of(qtbot, 1, 2, 3)
    splitter.widget(1).hide()
    settle()
    splitter.moveSplitter(308, 2)
    splitter.widget(1).show()
    settle()
    assert splitter.permille()[1] == 333


def test_shares_below_nothing_are_nothing(qtbot) -> None:
    splitter = splitter_of(qtbot, 1, 1)
    splitter.setSizes([-5, 10])
    assert splitter.permille() == [0, 1000]
