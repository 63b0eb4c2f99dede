"""Stands in for standard streams that the shell has closed (``ncpgui info S.h5 >&-``)."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from ncpgui.core.errors import ExportError


def open_closed_streams() -> None:
    """Give the program all three streams; without that, files it opens get their numbers and their text."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed()), encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


class _Closed(io.RawIOBase):
    """Output that goes nowhere: whoever writes to it hears of it, once, not again when the program ends."""

    _is_told = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if not self._is_told:
            self._is_told = True
            raise ExportError("the output of the command is closed; leave out '>&-', or give it a file")
        return memoryview(data).nbytes
