"""A reader of somebody's files is harmless: it refuses in a line, starts nothing, and changes no file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ncpgui.core.errors import NcpguiError
from ncpgui.core.nothing_runs import nothing_runs

STARTS = (
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "subprocess.Popen",
    "pty.spawn",
    "exec",
)
_watching: list[list[str]] = []
_hooked: list[bool] = []


@contextmanager
def harmless(folder: Path) -> Iterator[None]:
    """Let errors of ncpgui pass that a person can read; fail at whatever else a reader does wrong."""
    if not _hooked:
        with nothing_runs("nothing"):  # its hook is asked first: what it refuses is not started
            pass
        sys.addaudithook(_note)
        _hooked.append(True)
    before, started = _contents(folder), list[str]()
    _watching.append(started)
    try:
        yield
    except NcpguiError as error:
        text = str(error)
        assert len(text) > 20, f"it does not say what is wrong: {text!r}"
        assert "Traceback" not in text
        if isinstance(error.__cause__, MemoryError):
            raise error.__cause__ from error
    finally:
        _watching.remove(started)
    assert started == [], f"a program was started: {started}"
    assert _contents(folder) == before, "a file was changed"


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event in STARTS:
        if event == "exec" and _is_of_python(arguments):
            return
        _watching[-1].append(f"{event} {arguments[:1]!r}"[:200])


def _is_of_python(arguments: tuple[object, ...]) -> bool:
    """Whether the code that runs is of a package: imports are `exec` too, named tuples, and units."""
    name = str(getattr(arguments[0], "co_filename", ""))
    return name.endswith(".py") or name.startswith("<") or name == ""


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): _content(path) for path in files}


def _content(path: Path) -> bytes:
    """Bytes of a file; of one of many GB, which is made of holes, when it was changed."""
    found = path.stat()
    return path.read_bytes() if found.st_size < 2**26 else f"{found.st_size} {found.st_mtime_ns}".encode()
