"""What the window shows before anything is open: four ways to begin, and recent files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.work.activity import Activity
from ncpgui.core.home import expanded
from ncpgui.gui.activity import ActivityWidget
from ncpgui.gui.plain_text import Label, plain, without_mnemonic
from ncpgui.gui.theme import icon_pixmap

MAX_SHOWN = 5


class StartPage(QtWidgets.QWidget):
    """Begins with a recording, a session, the demo, or a recent file; tells how opening goes."""

    file_chosen = QtCore.pyqtSignal(str)

    def __init__(self, actions: dict[str, Callable[[], None]]) -> None:
        super().__init__()
        self.setObjectName("workbench")
        column = QtWidgets.QVBoxLayout()
        column.setSpacing(10)
        icon = Label()
        icon.setPixmap(icon_pixmap(72, self.devicePixelRatioF()))
        hero = Label("ncpgui")
        hero.setObjectName("hero")
        lead = Label("Spike sorting that shows the alternatives, each with a probability.")
        lead.setObjectName("lead")
        for label in (icon, hero, lead):
            label.setAlignment(QtCore.Qt.AlignHCenter)
            column.addWidget(label)
        column.addSpacing(18)
        column.addLayout(self._buttons(actions))
        self.hint = Label("or drop a recording, the folder of another sorter, or a session here")
        self.hint.setObjectName("message")
        self.hint.setAlignment(QtCore.Qt.AlignHCenter)
        column.addWidget(self.hint)
        column.addSpacing(14)
        self.activity = ActivityWidget(bar_width=240)
        column.addWidget(self.activity, 0, QtCore.Qt.AlignHCenter)
        self.recent = QtWidgets.QWidget()
        self._recent_rows = QtWidgets.QVBoxLayout(self.recent)
        self._recent_rows.setContentsMargins(0, 0, 0, 0)
        self._recent_rows.setSpacing(1)
        column.addWidget(self.recent, 0, QtCore.Qt.AlignHCenter)
        outer = QtWidgets.QVBoxLayout(self)
        outer.addStretch(2)
        outer.addLayout(column)
        outer.addStretch(3)

    def _buttons(self, actions: dict[str, Callable[[], None]]) -> QtWidgets.QHBoxLayout:
        row = QtWidgets.QHBoxLayout()
        row.setSpacing(12)
        row.addStretch(1)
        self.buttons = []
        for number, (words, run) in enumerate(actions.items()):
            button = QtWidgets.QPushButton(words)
            button.setProperty("primary", number == 0)
            button.setMinimumSize(170, 40)
            button.clicked.connect(lambda _=False, run=run: run())
            row.addWidget(button)
            self.buttons.append(button)
        row.addStretch(1)
        return row

    def show_activity(self, activity: Activity | None) -> None:
        """Show how opening goes; nothing else can be opened meanwhile."""
        self.activity.show_activity(activity)
        for button in self.buttons:
            button.setEnabled(activity is None)
        self.hint.setVisible(activity is None)
        self.recent.setVisible(activity is None)

    def show_recent(self, paths: list[str]) -> None:
        """List files opened before."""
        while self._recent_rows.count():
            widget = self._recent_rows.takeAt(0).widget()
            if widget is not None:
                widget.deleteLater()
        shown = [path for path in paths if Path(path).exists()][:MAX_SHOWN]
        if shown:
            title = Label("Recent")
            title.setObjectName("panelTitle")
            title.setAlignment(QtCore.Qt.AlignHCenter)
            self._recent_rows.addWidget(title)
        for path in shown:
            button = QtWidgets.QPushButton(without_mnemonic(shortened(path)))
            button.setProperty("quiet", True)
            button.setToolTip(plain(path))
            button.clicked.connect(lambda _=False, path=path: self.file_chosen.emit(path))
            self._recent_rows.addWidget(button)


def shortened(path: str) -> str:
    """Path with the home folder as ~, its middle left out when it is long."""
    try:
        text = str(Path("~") / Path(path).relative_to(expanded("~")))
    except ValueError:
        text = path
    return text if len(text) <= 64 else f"{text[:21]}…{text[-42:]}"
