"""Something that is done once for all that asks for it in a short time."""

from __future__ import annotations

from collections.abc import Callable

from PyQt5 import QtCore


class Soon(QtCore.QTimer):
    """Calls `do` so long after it was asked for last; 0 ms is the next turn of the event loop."""

    def __init__(self, parent: QtCore.QObject, do: Callable[[], None], *, after_ms: int = 0) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self.setInterval(after_ms)
        self.timeout.connect(do)

    def ask(self, *_: object) -> None:
        """Ask for it; signals of any kind may do so."""
        self.start()
