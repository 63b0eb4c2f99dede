"""Which panels are drawn in the next turn of the event loop: all of them before anything is painted.

A plot of pyqtgraph that changes has the whole window painted at once. Panels drawn one after the other, each
in a call of its own, would be painted in between, and some again when the next one moved them.
"""

from __future__ import annotations

from typing import Protocol

from PyQt5 import QtCore, sip


class Redrawn(Protocol):
    """What is drawn: a panel."""

    def redraw_if_stale(self) -> None:
        """Draw what is on screen and stale."""


class Redraws(QtCore.QObject):
    """Panels that wait to be drawn."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Redrawn] = []

    def add(self, panel: Redrawn) -> None:
        """Draw a panel in the next turn, with all others that are added until then."""
        if not self._waiting:
            QtCore.QTimer.singleShot(0, self._redraw)
        if panel not in self._waiting:
            self._waiting.append(panel)

    def _redraw(self) -> None:
        """Draw them in the order in which they were added; one that fails keeps none of the others back."""
        waiting, self._waiting = self._waiting, []
        while waiting:
            panel = waiting.pop(0)
            if sip.isdeleted(panel):
                continue
            try:
                panel.redraw_if_stale()
            except Exception:
                for other in waiting:
                    self.add(other)
                raise


REDRAWS = Redraws()
"""Those of the program: Qt has one thread for windows."""
