"""Work under way is shown with its words, how far it is, the time left, and a way to stop it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PyQt5 import QtCore

from ncpgui.gui.activity import ActivityWidget


@pytest.fixture
def widget(qtbot) -> ActivityWidget:
    made = ActivityWidget(bar_width=120)
    qtbot.addWidget(made)
    return made


def activity(fraction: float | None, *, time_left: str = "", can_cancel: bool = True) -> SimpleNamespace:
    return SimpleNamespace(
        words="sampling 3 of 8", fraction=fraction, time_left=time_left, can_cancel=can_cancel
    )


def test_nothing_is_shown_while_nothing_runs(widget: ActivityWidget) -> None:
    assert not widget.isVisible()
    widget.show_activity(activity(0.5))  # type: ignore[arg-type]
    assert widget.isVisible()
    widget.show_activity(None)
    assert not widget.isVisible()


@pytest.mark.parametrize(
    ("fraction", "value"), [(0.0, 0), (0.25, 250), (0.9996, 1000), (1.5, 1000), (-1.0, 0)]
)
def test_the_bar_shows_how_far_it_is(widget: ActivityWidget, fraction: float, value: int) -> None:
    widget.show_activity(activity(fraction))  # type: ignore[arg-type]
    assert (widget.bar.minimum(), widget.bar.maximum(), widget.bar.value()) == (0, 1000, value)
    assert widget.words.text() == "sampling 3 of 8"
    assert widget.bar.width() == 120


def test_the_bar_moves_to_and_fro_where_that_is_not_known(widget: ActivityWidget) -> None:
    widget.show_activity(activity(None))  # type: ignore[arg-type]
    assert (widget.bar.minimum(), widget.bar.maximum()) == (0, 0)


def test_time_left_and_stop_are_there_where_there_is_one(qtbot, widget: ActivityWidget) -> None:
    widget.show_activity(activity(0.5, time_left="2 min left"))  # type: ignore[arg-type]
    assert widget.time_left.isVisible()
    assert widget.time_left.text() == "2 min left"
    stopped: list[bool] = []
    widget.stopped.connect(lambda: stopped.append(True))
    assert widget.stop.focusPolicy() == QtCore.Qt.NoFocus
    qtbot.mouseClick(widget.stop, QtCore.Qt.LeftButton)
    assert stopped == [True]
    widget.show_activity(activity(0.5, can_cancel=False))  # type: ignore[arg-type]
    assert not widget.time_left.isVisible()
    assert not widget.stop.isVisible()
