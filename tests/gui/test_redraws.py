"""All stale panels are drawn in one turn of the event loop, and then each thing on screen is painted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from PyQt5 import QtCore, QtWidgets, sip

from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.redraws import Redraws
from tests.gui.windows import settle

PAINTED = ("SpikeScatter", "Plot", "CorrelogramGrid", "WaveformsWidget", "UnitList")


class Noted(QtCore.QObject):
    """What is drawn and painted, in order: widgets that show spikes and units, by panel and class."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, widget: QtCore.QObject, event: QtCore.QEvent) -> bool:
        """Note a painting."""
        if event.type() == QtCore.QEvent.Paint and isinstance(widget, QtWidgets.QWidget):
            around = widget.parentWidget()
            is_inside = isinstance(around, QtWidgets.QAbstractScrollArea) and around.viewport() is widget
            shown = around if is_inside else widget
            is_frame = isinstance(shown, QtWidgets.QAbstractScrollArea) and not is_inside
            if type(shown).__name__ in PAINTED and not is_frame:
                panel = shown
                while not isinstance(panel, Panel):
                    panel = panel.parentWidget()
                self.seen.append(f"paint {panel.title} {type(shown).__name__}")
        return False


@pytest.fixture
def noted(qapp, monkeypatch: pytest.MonkeyPatch) -> Iterator[Noted]:
    found = Noted()
    redraw = Panel.redraw_now
    monkeypatch.setattr(
        Panel, "redraw_now", lambda panel: (found.seen.append(f"draw {panel.title}"), redraw(panel))[1]
    )
    qapp.installEventFilter(found)
    yield found
    qapp.removeEventFilter(found)


@pytest.mark.parametrize("layout", ["decide", "inspect"])
def test_a_selection_draws_each_panel_once_and_then_paints_each_thing_once(
    array_window: MainWindow, noted: Noted, layout: str
) -> None:
    workspace = array_window.workspace
    array_window.bench.show_layout(layout)
    units = workspace.state.clustering.unit_ids.tolist()
    for chosen in (units, units[:1], units, units[:1]):  # what is computed of them is there then
        workspace.select(chosen)
        settle()
    noted.seen.clear()
    workspace.select(units)
    settle()
    drawn = [one for one in noted.seen if one.startswith("draw")]
    assert {"draw Waveforms", "draw Units"} <= {*drawn}
    assert noted.seen[: len(drawn)] == drawn, "all are drawn before one is painted"
    assert max(Counter(noted.seen).values()) == 1, Counter(noted.seen).most_common(3)
    plots = {"decide": {"paint Embedding SpikeScatter"}, "inspect": {"paint Over time SpikeScatter"}}
    assert {"paint Waveforms WaveformsWidget", "paint Units UnitList", *plots[layout]} <= {*noted.seen}


class Drawn(QtCore.QObject):
    """Stands for a panel."""

    def __init__(self, name: str, log: list[str], *, fails: bool = False) -> None:
        super().__init__()
        self.name, self.log, self.fails = name, log, fails

    def redraw_if_stale(self) -> None:
        """Note it."""
        self.log.append(self.name)
        if self.fails:
            raise ValueError(self.name)


def test_a_panel_that_fails_keeps_none_of_the_others_back(qtbot) -> None:
    redraws, log = Redraws(), []
    panels = [Drawn("a", log), Drawn("b", log, fails=True), Drawn("c", log)]
    with qtbot.captureExceptions() as raised:
        for panel in (*panels, panels[0]):
            redraws.add(panel)
        assert log == []
        settle()
    assert log == ["a", "b", "c"]
    assert [str(one) for _, one, _ in raised] == ["b"]


def test_a_panel_that_is_gone_is_not_drawn(qtbot) -> None:
    redraws, log = Redraws(), []
    gone, there = Drawn("gone", log), Drawn("there", log)
    redraws.add(gone)
    redraws.add(there)
    sip.delete(gone)
    settle()
    assert log == ["there"]
