"""Brings what nobody caught, on whatever thread, to the window's thread, where it is logged and shown."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
import types
from collections.abc import Callable

from PyQt5 import QtCore

logger = logging.getLogger(__name__)


class Uncaught(QtCore.QObject):
    """The three hooks of Python for errors that nobody caught; lives on the window's thread.

    A hook is called on the thread where the error was, so it only emits a queued signal. What a person
    can do nothing about is logged and not shown: an error while an object is freed
    (`sys.unraisablehook`), which compiled modules first hand to `sys.excepthook`, on whatever thread.

    Parameters
    ----------
    show : told the other errors, on the window's thread
    """

    _found = QtCore.pyqtSignal(object, str)

    def __init__(self, show: Callable[[Exception], None]) -> None:
        super().__init__()
        self._show = show
        self._found.connect(self._tell, QtCore.Qt.QueuedConnection)
        self._before = (sys.excepthook, threading.excepthook, sys.unraisablehook)

    def install(self) -> None:
        """Take the hooks over."""
        self._before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._not_caught
        threading.excepthook = self._ended_a_thread
        sys.unraisablehook = self._not_raised

    def restore(self) -> None:
        """Give the hooks back."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before

    def _not_caught(
        self, kind: type[BaseException], error: BaseException, trace: types.TracebackType | None
    ) -> None:
        on_window_thread = threading.current_thread() is threading.main_thread()
        self._send(kind, error, trace, show=on_window_thread)

    def _ended_a_thread(self, args: threading.ExceptHookArgs) -> None:
        if not issubclass(args.exc_type, SystemExit):
            self._send(args.exc_type, args.exc_value, args.exc_traceback, show=True)

    def _not_raised(self, args: sys.UnraisableHookArgs) -> None:
        self._send(args.exc_type, args.exc_value, args.exc_traceback, show=False)

    def _send(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        trace: types.TracebackType | None,
        *,
        show: bool,
    ) -> None:
        text = "".join(traceback.format_exception(kind, error, trace))
        self._found.emit(error if show and isinstance(error, Exception) else None, text)

    def _tell(self, error: Exception | None, text: str) -> None:
        logger.error("not caught: %s", text)
        if error is not None:
            self._show(error)
