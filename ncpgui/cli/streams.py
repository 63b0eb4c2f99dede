"""Standard streams: a closed one (``ncpgui info S.h5 >&-``) gets a stand-in; none obeys the text in it.

None stops the work either: of a log on a full disk, or a pipe whose reader went away, it is said at the end.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from ncpgui.core.errors import ExportError
from ncpgui.core.visible import visible_lines


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


def show_control_characters() -> None:
    """From now on, control characters that anything writes to stdout or stderr are written out.

    Lines of ours are visible already (`terminal.echo`); this is for tracebacks, and for what other packages
    print and warn of. A character that the encoding of the terminal has not is written out too.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        if not isinstance(stream, _Visible):
            stream = Lasting(stream)
        setattr(sys, name, _Visible(stream))


def lost_output() -> Exception | None:
    """Why something that was printed on stdout got lost, None when nothing did; stderr is not asked."""
    stream = drawn_on(sys.stdout)
    return stream.lost if isinstance(stream, Lasting) else None


def drawn_on(stream: TextIO) -> TextIO:
    """The stream itself, for what draws on a terminal and sees to it that no text is obeyed."""
    return stream.stream if isinstance(stream, _Visible) else stream


class _Around:
    """A text stream that does with another one what that does, but for what a class says."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class Lasting(_Around):
    """A text stream that takes all that is written to it, also when there is no place for it any more.

    lost : the first failure, None so far
    """

    lost: Exception | None = None

    def write(self, text: str) -> int:
        """Write text as far as it can be written."""
        try:
            return self.stream.write(text)
        except (OSError, ValueError, ExportError) as error:
            self.lost = self.lost or error
            return len(text)

    def flush(self) -> None:
        """Write what waits, as far as it can be written."""
        try:
            self.stream.flush()
        except (OSError, ValueError, ExportError) as error:
            self.lost = self.lost or error


class _Visible(_Around):
    """A text stream in which control characters are written out."""

    def write(self, text: str) -> int:
        return self.stream.write(visible_lines(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


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
