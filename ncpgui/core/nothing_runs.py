"""While a file from somebody else is opened nothing runs: no pickle, no program, no text as code, no network.

Libraries that read files do these things when a file asks them to. An audit hook of Python sees each of them
before it happens, whatever path led there, and refuses it to the threads that open a file. A hook stays as
long as the program: there is one, and it does nothing elsewhere.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from ncpgui.core.errors import NcpguiError, RecordingError

_PROGRAM = "start a program"
_NETWORK = "reach for the network"
_REFUSED = {
    "pickle.find_class": "load a pickle, which can run any program",
    **dict.fromkeys(
        (
            "subprocess.Popen",
            "os.system",
            "os.exec",
            "os.fork",
            "os.forkpty",
            "os.posix_spawn",
            "os.spawn",
            "os.startfile",
            "os.startfile/2",
            "pty.spawn",
            "webbrowser.open",
            "_winapi.CreateProcess",
        ),
        _PROGRAM,
    ),
    **dict.fromkeys(
        (
            "socket.connect",
            "socket.bind",
            "socket.sendto",
            "socket.sendmsg",
            "socket.getaddrinfo",
            "socket.gethostbyname",
            "socket.gethostbyaddr",
            "urllib.Request",
            "http.client.connect",
            "ftplib.connect",
            "smtplib.connect",
        ),
        _NETWORK,
    ),
}
_CODE = "run text as a program"
_LIBRARY = "load a library of programs"
_LOADS = {"import": 1, "ctypes.dlopen": 0}
"""Events of a compiled library that is loaded, and which of their arguments names it."""
_WATCHED = frozenset((*_REFUSED, *_LOADS, "exec"))
_MAKE_CODE = (
    "collections",
    "dataclasses",
    "typing",
    "functools",
    "enum",
    "attr",
    "pydantic",
    "numba",
    "quantities",
)
"""Packages that write code of their own and run it: for named tuples, data classes, units of length."""
_IMPORTER = "<frozen importlib"
_OF_PYTHON = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
_SITES = ("site-packages", "dist-packages")
_LIBRARIES_OF_PLEXON = ".plexon_dlls_for_neo"


_SHOWN = 120


class _Opening:
    """A file that is being opened; refused : what was refused so far, also if somebody caught the error."""

    def __init__(self, path: str | Path, way_out: str, error: type[NcpguiError]) -> None:
        self._path, self._way_out, self._error = path, way_out, error
        self.refused: NcpguiError | None = None

    def refuse(self, what: str, which: object) -> NcpguiError:
        parts = which if isinstance(which, tuple) else (which,)
        words = " ".join(
            part.decode(errors="replace") if isinstance(part, bytes) else str(part) for part in parts
        )
        named = f" ({words[:_SHOWN]!r})" if words else ""
        error = self._error(f"opening {self._path} would {what}{named}, and is refused; {self._way_out}")
        self.refused = self.refused or error
        return error


_opening: ContextVar[_Opening | None] = ContextVar("opening", default=None)
_installed: list[bool] = []
_installing = threading.Lock()


@contextmanager
def nothing_runs(
    path: str | Path,
    *,
    way_out: str = "open the data file itself, or save it again as plain numbers",
    error: type[NcpguiError] = RecordingError,
) -> Iterator[None]:
    """Refuse whatever runs something, to this thread and to those that it starts, while a file is opened.

    Modules of what is installed may do as they like when they are imported.

    Raises
    ------
    RecordingError, or what `error` says
        Something was refused, whatever became of the error inside; the message says what.
    """
    _install()
    inner = _Opening(path, way_out, error)
    token = _opening.set(inner)
    try:
        yield
    except BaseException as raised:
        if inner.refused is not None and raised is not inner.refused and isinstance(raised, Exception):
            raise inner.refused from raised
        raise
    finally:
        _opening.reset(token)
    if inner.refused is not None:
        raise inner.refused


def _install() -> None:
    """Hook into Python, once: hooks cannot be taken out."""
    with _installing:
        if not _installed:
            _installed.append(True)
            sys.addaudithook(_hook)
            threading.Thread.start = _watching(threading.Thread.start)  # type: ignore[method-assign, assignment]


def _watching(start: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    """Start of a thread that is watched as the thread that starts it is."""

    @functools.wraps(start)
    def watching_start(thread: threading.Thread) -> None:
        opening = _opening.get()
        if opening is not None:
            run = thread.run

            def watched() -> None:
                _opening.set(opening)
                run()

            thread.run = watched  # type: ignore[method-assign]
        start(thread)

    return watching_start


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in _WATCHED:
        return
    opening = _opening.get()
    if opening is None:
        return
    frame = sys._getframe(1)
    if event == "exec":
        what, which = _of_code(arguments[0], frame)
    else:
        what, which = _of_library(event, arguments) if event in _LOADS else (_REFUSED[event], arguments)
        what = "" if _is_importing(frame) else what
    if what:
        raise opening.refuse(what, which)


def _of_code(code: Any, frame: FrameType) -> tuple[str, object]:
    """What is wrong with code that is run: it is neither a module of what is installed nor made by one."""
    if not isinstance(code, CodeType):
        return "", ""
    name = code.co_filename
    if frame.f_code.co_filename.startswith(_IMPORTER):
        return ("", "") if name.startswith("<frozen") or _is_installed(name) else (_CODE, name)
    caller = str(frame.f_globals.get("__name__", ""))
    return ("", "") if caller.partition(".")[0] in _MAKE_CODE or _is_importing(frame) else (_CODE, caller)


def _of_library(event: str, arguments: tuple[Any, ...]) -> tuple[str, object]:
    """What is wrong with a compiled library: it lies in no place where programs are installed."""
    place = arguments[_LOADS[event]]
    name = place.decode(errors="replace") if isinstance(place, bytes) else place
    if not isinstance(name, str) or not ("/" in name or "\\" in name or Path(name).exists()):
        return "", ""  # a library of the system, by its name
    is_known = _is_installed(name) or _LIBRARIES_OF_PLEXON in Path(name).parts
    return ("", "") if is_known else (_LIBRARY, name)


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module is just being imported that was installed (those of Python itself start nothing)."""
    while frame is not None:
        code, caller = frame.f_code, frame.f_back
        if (
            code.co_name == "<module>"
            and caller is not None
            and caller.f_code.co_filename.startswith(_IMPORTER)
            and not _is_of_python(code.co_filename)
        ):
            return True
        frame = caller
    return False


def _is_of_python(name: str) -> bool:
    return name.startswith((*_OF_PYTHON, "<frozen")) and not any(part in name for part in _SITES)


def _is_installed(name: str) -> bool:
    return str(Path(name).absolute()).startswith(_roots(tuple(sys.path), str(Path.cwd())))


@functools.lru_cache(8)
def _roots(looked_in: tuple[str, ...], here: str) -> tuple[str, ...]:
    """Folders that programs are installed in: of Python, and those in which it looks for modules.

    The folder in which the program was started is none, though ``python -m`` looks there too.
    """
    found = [*_OF_PYTHON, *sysconfig.get_paths().values(), str(Path(__file__).parents[2])]
    found += [place for place in looked_in if place and os.path.realpath(place) != os.path.realpath(here)]
    return tuple(str(Path(place).absolute()) + os.sep for place in found)
