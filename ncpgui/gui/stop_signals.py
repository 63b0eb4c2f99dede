"""SIGINT and SIGTERM as a signal of Qt: a handler of Python runs only when Qt returns to Python."""

from __future__ import annotations

import signal
import socket
from typing import Any

from PyQt5 import QtCore

NUMBERS = (signal.SIGINT, signal.SIGTERM)


class StopSignals(QtCore.QObject):
    """Emits `came` on the window's thread when the process is asked to stop."""

    came = QtCore.pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._receiver, self._sender = socket.socketpair()
        self._receiver.setblocking(False)
        self._sender.setblocking(False)  # as Python wants it of a file that signals wake
        self._notifier = QtCore.QSocketNotifier(self._receiver.fileno(), QtCore.QSocketNotifier.Read, self)
        self._notifier.activated.connect(self._woken)
        self._handlers: dict[signal.Signals, Any] = {}
        self._wakeup = -1

    def install(self) -> None:
        """Listen; on the main thread only."""
        self._wakeup = signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
        self._handlers = {number: signal.signal(number, lambda *_: None) for number in NUMBERS}

    def restore(self) -> None:
        """Give the signals back to whoever had them."""
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._receiver.close()
        self._sender.close()

    def _woken(self) -> None:
        if set(self._receiver.recv(64)) & set(NUMBERS):  # one byte for each signal, its number
            self.came.emit()
