"""Long work under way: what it is, how far, time left, and a way to stop it."""

from __future__ import annotations

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.work.activity import Activity
from ncpgui.gui.buttons import Button
from ncpgui.gui.plain_text import Label


class ActivityWidget(QtWidgets.QWidget):
    """Words, a progress bar, time left and Stop; hidden while nothing runs."""

    stopped = QtCore.pyqtSignal()

    def __init__(self, *, bar_width: int) -> None:
        super().__init__()
        row = QtWidgets.QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        self.words = Label()
        self.bar = QtWidgets.QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(bar_width)
        self.time_left = Label()
        self.stop = Button("Stop", "Stop; what is done so far is kept  (Esc)")
        self.stop.clicked.connect(self.stopped)
        for widget in (self.words, self.bar, self.time_left, self.stop):
            row.addWidget(widget)
        self.show_activity(None)

    def show_activity(self, activity: Activity | None) -> None:
        """Show work, or hide when there is none."""
        self.setVisible(activity is not None)
        if activity is None:
            return
        self.words.setText(activity.words)
        if activity.fraction is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, 1000)
            self.bar.setValue(round(1000 * min(max(activity.fraction, 0.0), 1.0)))
        self.time_left.setText(activity.time_left)
        self.time_left.setVisible(bool(activity.time_left))
        self.stop.setVisible(activity.can_cancel)
