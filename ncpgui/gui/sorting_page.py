"""What the window shows while units are being found: step, time left, activity, and units so far."""

from __future__ import annotations

from PyQt5 import QtWidgets

from ncpgui.app.presenters.sorting import SortingView, present_sorting
from ncpgui.app.work.activity import Activity
from ncpgui.gui.activity import ActivityWidget
from ncpgui.gui.items.activity_image import ActivityOverTime
from ncpgui.gui.items.elided_label import ElidedLabel
from ncpgui.gui.items.message import Message
from ncpgui.gui.items.unit_tiles import UnitTiles
from ncpgui.gui.plain_text import Label
from ncpgui.gui.theme import Theme

MARKS = {"done": "✓", "now": "▸", "to come": "·"}


class SortingPage(QtWidgets.QWidget):
    """Paints the last that a sorting has shown; `activity.stopped`: it is to stop."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("workbench")
        self.view: SortingView | None = None
        self.title = ElidedLabel("")
        self.title.setObjectName("headline")
        self.activity = ActivityWidget(bar_width=240)
        self.figures = Label()
        self.figures.setObjectName("subtitle")
        self.figures.setWordWrap(True)
        self.steps = Label()
        self.over_time, self.tiles = ActivityOverTime(), UnitTiles()
        self.note = ElidedLabel("")
        self.note.setObjectName("panelNote")
        self.no_units = Message("The first units appear here once every channel has proposed its own.")
        self.no_activity = Message("Spikes were detected before this sorting was stopped.")
        head = QtWidgets.QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.activity)
        middle = QtWidgets.QHBoxLayout()
        middle.setSpacing(10)
        middle.addWidget(
            _card("Activity along the probe, spikes over time", None, self.over_time, self.no_activity), 5
        )
        middle.addWidget(_card("Units so far", self.note, self.tiles, self.no_units), 6)
        column = QtWidgets.QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 14)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.steps)
        column.addWidget(self.figures)
        column.addLayout(middle, 1)

    def show_activity(self, activity: Activity | None) -> bool:
        """Show a sorting under way; returns whether that is what the work is."""
        view = None if activity is None else present_sorting(activity.title, activity.so_far)
        self.view = view
        self.activity.show_activity(activity if view else None)
        if view is None:
            return False
        self.title.setText(view.title)
        self.steps.setText("     ".join(f"{MARKS[step.state]} {step.words}" for step in view.steps))
        self.figures.setText("   ·   ".join(f"{number} {words}" for number, words in view.figures))
        self.over_time.show_image(view.image)
        self.tiles.show_tiles(view.tiles)
        self.note.setText(view.tiles_note)
        for content, message, is_there in (
            (self.over_time, self.no_activity, view.image is not None),
            (self.tiles, self.no_units, bool(view.tiles)),
        ):
            content.setVisible(is_there)
            message.setVisible(not is_there)
        return True

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        for item in (self.over_time, self.tiles):
            item.set_theme(theme)


def _card(title: str, note: QtWidgets.QWidget | None, *contents: QtWidgets.QWidget) -> QtWidgets.QFrame:
    """A titled card like a panel."""
    card = QtWidgets.QFrame()
    card.setObjectName("panel")
    column = QtWidgets.QVBoxLayout(card)
    column.setContentsMargins(12, 8, 12, 10)
    head = QtWidgets.QHBoxLayout()
    label = Label(title)
    label.setObjectName("panelTitle")
    head.addWidget(label)
    if note is None:
        head.addStretch(1)
    else:
        head.addWidget(note, 1)
    column.addLayout(head)
    for one in contents:
        column.addWidget(one, 1)
    return card
