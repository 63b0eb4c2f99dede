"""Qt ends the program where it finds no display that it can use: say so in one line, as for other errors."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PyQt5 import QtCore

logger = logging.getLogger(__name__)

EXIT_INPUT = 2


@contextmanager
def qt_starting() -> Iterator[None]:
    """While Qt starts in this block, an abort of Qt is one line on stderr and exit code 2.

    Qt calls `abort` when the handler of its last message returns, and nothing can be raised through it, so
    that the command line never gets to say it.
    """
    said: list[str] = []

    def handle(kind: QtCore.QtMsgType, _context: QtCore.QMessageLogContext, text: str) -> None:
        words = " ".join(text.split())
        if kind != QtCore.QtFatalMsg:
            said.append(words)
            return
        reason = "; ".join(text.replace(' in ""', "").rstrip(".") for text in said[-2:]) or words
        available = words.partition("Available platform plugins are: ")[2].rstrip(".")
        way_out = f"QT_QPA_PLATFORM, if it is set, can be {available}; " if available else ""
        sys.stderr.write(
            f"error: the window cannot start: {reason}; {way_out}'ncpgui doctor' says what is missing\n"
        )
        sys.stderr.flush()
        os._exit(EXIT_INPUT)

    before = QtCore.qInstallMessageHandler(handle)
    try:
        yield
    finally:
        QtCore.qInstallMessageHandler(before)
    for words in said:
        logger.info("Qt: %s", words)
