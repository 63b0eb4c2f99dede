"""A panel is made when it is shown for the first time, or when one of its parts is asked for before."""

from __future__ import annotations

import pytest
from PyQt5 import QtWidgets

from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.theme import DARK
from tests.gui.windows import settle


class Counting(Panel):
    """How often it was made, for which theme, and drawn."""

    title = "Counting"

    def build(self) -> None:
        self.made, self.styled, self.drawn = 1, [], 0
        self.fill(QtWidgets.QLabel("7"))

    def restyle(self) -> None:
        self.styled.append(self.theme.name)

    def redraw(self) -> None:
        self.drawn += 1


@pytest.fixture
def panel(qtbot, workspace, controller) -> Counting:
    made = Counting(workspace, controller)
    qtbot.addWidget(made)
    return made


def test_it_is_made_before_it_is_shown_in_the_theme_that_it_was_given(panel: Counting) -> None:
    panel.set_theme(DARK)
    assert not [label for label in panel.findChildren(QtWidgets.QLabel) if label.text() == "7"]
    panel.show()
    settle()
    assert [label.text() for label in panel.findChildren(QtWidgets.QLabel)].count("7") == 1
    assert (panel.styled, panel.drawn) == (["dark"], 1)
    panel.hide()
    panel.show()
    settle()
    assert [label.text() for label in panel.findChildren(QtWidgets.QLabel)].count("7") == 1


def test_asking_for_a_part_makes_it_and_what_it_never_has_is_no_attribute(panel: Counting) -> None:
    assert panel.made == 1
    assert not panel.isVisible()
    with pytest.raises(AttributeError, match="Counting has no attribute 'colour'"):
        panel.colour  # noqa: B018


def test_a_window_makes_the_plots_of_a_layout_when_it_is_shown(window: MainWindow) -> None:
    def n_plots(name: str) -> int:
        return len(window.bench.by_name[name].findChildren(QtWidgets.QGraphicsView))

    assert [n_plots(name) for name in ("embedding", "features", "over time", "traces")] == [1, 0, 0, 0]
    window.bench.show_layout("inspect")
    assert [n_plots(name) for name in ("embedding", "features", "over time", "traces")] == [1, 1, 2, 1]
