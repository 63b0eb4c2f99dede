"""Three steps for the first time: what the queue asks, what the cards say, and how to go on."""

from __future__ import annotations

import os
from dataclasses import dataclass

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.buttons import Button
from ncpgui.gui.plain_text import Label

WIDTH = 380
GAP = 12
ADVANCE = (QtCore.Qt.Key_Return, QtCore.Qt.Key_Enter, QtCore.Qt.Key_Space, QtCore.Qt.Key_Right)
WITHOUT_EYES = ("offscreen", "minimal", "minimalegl", "vnc")


@dataclass(frozen=True)
class Step:
    """One step: the panel that it is about, a title and what to know."""

    panel: str
    title: str
    text: str


STEPS = (
    Step(
        "queue",
        "What to decide",
        "Each row is a question: spikes that could be sorted in several ways. The first rows put most "
        "spikes right. <b>Space</b> goes to the next, and the number at the bottom says when it is enough.",
    ),
    Step(
        "cards",
        "The ways to sort them",
        "One card is one way, with its probability. <b>]</b> and <b>[</b> or its number show it in all "
        "panels; <b>Enter</b> uses it, or accepts the one in use. <b>Ctrl+Z</b> takes anything back.",
    ),
    Step(
        "waveforms",
        "The evidence",
        "<b>F2</b> shows what a decision is about, <b>F3</b> the evidence. <b>Ctrl+K</b> finds everything "
        "else by a few letters, and <b>H</b> shows all keys, which are those of phy.",
    ),
)


def is_watched() -> bool:
    """Whether a person looks at the screen: not in tests, pictures and automatic runs."""
    return QtGui.QGuiApplication.platformName() not in WITHOUT_EYES and not os.environ.get("CI")


class Tour(QtWidgets.QFrame):
    """A card beside the panel that a step is about, and a frame around that; Enter goes on, Esc leaves.

    `ended` when it is left or over.
    """

    ended = QtCore.pyqtSignal()

    def __init__(self, window: QtWidgets.QWidget, panels: dict[str, QtWidgets.QWidget]) -> None:
        super().__init__(window)
        self._panels = panels
        self.step = 0
        self.setObjectName("tour")
        self.setAccessibleName("Tour")
        self.setFocusPolicy(QtCore.Qt.StrongFocus)
        self.setFixedWidth(WIDTH)
        self.frame = QtWidgets.QFrame(window)
        self.frame.setObjectName("tourFrame")
        self.frame.setAttribute(QtCore.Qt.WA_TransparentForMouseEvents)
        self.title = Label()
        self.title.setObjectName("headline")
        self.text = Label()
        self.text.setTextFormat(QtCore.Qt.RichText)  # our own words, some in bold
        self.text.setWordWrap(True)
        self.count = Label()
        self.count.setObjectName("subtitle")
        self.skip = Button("Skip the tour")
        self.skip.clicked.connect(self.leave)
        self.next = Button(look="primary")
        self.next.clicked.connect(self.go_on)
        row = QtWidgets.QHBoxLayout()
        row.addWidget(self.count)
        row.addStretch(1)
        row.addWidget(self.skip)
        row.addWidget(self.next)
        column = QtWidgets.QVBoxLayout(self)
        column.setContentsMargins(18, 14, 14, 12)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.text)
        column.addLayout(row)
        for widget in (window, *panels.values()):
            widget.installEventFilter(self)
        self._show_step()

    def go_on(self) -> None:
        """Go to the next step, or end."""
        if self.step + 1 == len(STEPS):
            self.leave()
            return
        self.step += 1
        self._show_step()

    def leave(self) -> None:
        """Close for good."""
        window = self.window()
        for widget in (window, *self._panels.values()):
            widget.removeEventFilter(self)
        for widget in (self, self.frame):
            widget.hide()
            widget.deleteLater()
        window.setFocus()
        self.ended.emit()

    def _show_step(self) -> None:
        step = STEPS[self.step]
        self.title.setText(step.title)
        self.text.setText(step.text)
        self.count.setText(f"{self.step + 1} of {len(STEPS)}")
        self.next.setText("Done" if self.step + 1 == len(STEPS) else "Next")
        self.skip.setVisible(self.step + 1 < len(STEPS))
        self._place()
        for widget in (self.frame, self):
            widget.show()
            widget.raise_()
        self.setFocus()

    def _place(self) -> None:
        """Beside the panel where there is room, else inside it, and always inside the window."""
        window = self.parentWidget()
        panel = self._panels[STEPS[self.step].panel]
        about = QtCore.QRect(panel.mapTo(window, QtCore.QPoint()), panel.size())
        self.frame.setGeometry(about)
        height = self.layout().totalHeightForWidth(WIDTH)
        self.setFixedHeight(height)
        places = [
            QtCore.QPoint(about.right() + GAP, about.top() + GAP),
            QtCore.QPoint(about.left() + GAP, about.bottom() + GAP),
            QtCore.QPoint(about.left() + GAP, about.top() + GAP),
        ]
        room = window.rect().adjusted(GAP, GAP, -GAP, -GAP)
        fits = [place for place in places if room.contains(QtCore.QRect(place, self.size()))]
        self.move(fits[0] if fits else room.topLeft())

    def eventFilter(self, watched: QtCore.QObject, event: QtCore.QEvent) -> bool:
        """Stay at the panel when it gets another size or place."""
        if event.type() in (QtCore.QEvent.Resize, QtCore.QEvent.Move):
            QtCore.QTimer.singleShot(0, self._stay)
        return False

    def _stay(self) -> None:
        if self.isVisible():
            self._place()

    def event(self, event: QtCore.QEvent) -> bool:
        """Keep the keys that go on and leave from the actions of the window."""
        own = (*ADVANCE, QtCore.Qt.Key_Escape)
        if event.type() == QtCore.QEvent.ShortcutOverride and event.key() in own:
            event.accept()
            return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        """Go on or leave."""
        if event.key() in ADVANCE:
            self.go_on()
        elif event.key() == QtCore.Qt.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)
