"""Python's cyclic garbage is collected on the window's thread only, while other threads work.

Python collects wherever enough garbage happens to be made. A thread that computes would then destroy windows
and plots that somebody let go of, while Qt paints them or delivers their events: it may crash. So automatic
collection is off as long as there are such threads, and a timer of the window's thread does it. What is there
before them, modules above all, stays: looking through it each time would hold an edit up. So does what is
there once many modules have been loaded in between, such as PyTorch's.
"""

from __future__ import annotations

import gc
import sys

from PyQt5 import QtCore

EVERY_MS = 250
MANY_MODULES = 100


class GarbageCollection(QtCore.QObject):
    """Collects on the thread on which it was made, until `end`; several may be there at once."""

    _n_there = 0
    _n_modules = 0  # when what was there was set aside

    def __init__(self, parent: QtCore.QObject | None = None) -> None:
        super().__init__(parent)
        if GarbageCollection._n_there == 0:
            gc.disable()
            self._set_aside()
        GarbageCollection._n_there += 1
        self._has_ended = False
        self._timer = QtCore.QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(EVERY_MS)

    @classmethod
    def collect(cls) -> None:
        """Collect the oldest generation that is due by Python's own thresholds."""
        due = [
            k for k, (n, most) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True)) if n > most
        ]
        if due:
            gc.collect(due[-1])
        if len(sys.modules) >= cls._n_modules + MANY_MODULES:
            cls._set_aside()

    @classmethod
    def _set_aside(cls) -> None:
        gc.freeze()
        cls._n_modules = len(sys.modules)

    def end(self) -> None:
        """Let Python collect by itself again, where nobody else keeps it from that."""
        if self._has_ended:
            return
        self._has_ended = True
        self._timer.stop()
        GarbageCollection._n_there -= 1
        if GarbageCollection._n_there == 0:
            gc.unfreeze()
            gc.enable()
