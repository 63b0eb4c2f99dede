"""Rules of Windows, as far as Linux can play them: what is open cannot be moved, replaced or deleted.

Nor can a file that is marked read-only be replaced or deleted.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ncpgui.core import permissions

CHANGES = {"replace": 2, "rename": 2, "unlink": 1, "remove": 1, "rmdir": 1}
"""Functions of os that Windows refuses for open files, and how many of their arguments are paths."""
POSIX_ONLY = ("chown", "listxattr", "getxattr", "setxattr", "sched_getaffinity", "fchmod")


class ReadOnlyFileError(PermissionError):
    """What Windows says of a file that is marked read-only, where it would be replaced or deleted."""


class OpenFileError(PermissionError):
    """What Windows says of a file that somebody has open."""


def open_files() -> set[str]:
    """Files that this process has open, or mapped into memory."""
    found = set()
    for handle in Path("/proc/self/fd").iterdir():
        try:
            found.add(os.readlink(handle))  # noqa: PTH115
        except OSError:
            continue
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        parts = line.split(maxsplit=5)
        if len(parts) == 6 and parts[5].startswith("/"):
            found.add(parts[5])
    return found


def follow_windows(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuse what Windows refuses, until the test ends; returns the names that were refused."""
    refused: list[str] = []

    def guarded(name: str, n_paths: int) -> Callable[..., Any]:
        plain = getattr(os, name)

        def function(*arguments: Any, **options: Any) -> Any:
            paths = [os.path.realpath(os.fsdecode(one)) for one in arguments[:n_paths]]
            opened = open_files()
            for path in paths:
                taken = [one for one in opened if one == path or one.startswith(path + os.sep)]
                if taken:
                    refused.append(f"{name} {taken[0]}")
                    raise OpenFileError(
                        13, "The process cannot access the file, another process uses it", path
                    )
            lost = paths[-1]
            if name != "rmdir" and Path(lost).is_file() and not Path(lost).stat().st_mode & stat.S_IWRITE:
                refused.append(f"{name} {lost}")
                raise ReadOnlyFileError(13, "Access is denied", lost)
            return plain(*arguments, **options)

        return function

    for name, n_paths in CHANGES.items():
        monkeypatch.setattr(os, name, guarded(name, n_paths))
    monkeypatch.setattr(permissions, "MARK_PROTECTS", True)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)
    monkeypatch.setattr(shutil, "_copyxattr", lambda *_, **__: None)
    for name in POSIX_ONLY:
        monkeypatch.delattr(os, name, raising=False)
    return refused


def in_text_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are opened by number are text, as Windows has it, unless O_BINARY is asked for."""
    binary, texts = 1 << 40, set[int]()
    plain_open, plain_write, plain_close = os.open, os.write, os.close

    def opened(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        handle = plain_open(path, flags & ~binary, *rest, **options)
        (texts.discard if flags & binary else texts.add)(handle)
        return handle

    def written(handle: int, data: Any) -> int:
        if handle in texts and b"\n" in bytes(data):
            plain_write(handle, bytes(data).replace(b"\n", b"\r\n"))
            return len(bytes(data))
        return plain_write(handle, data)

    def closed(handle: int) -> None:
        texts.discard(handle)
        plain_close(handle)

    monkeypatch.setattr(os, "O_BINARY", binary, raising=False)
    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "write", written)
    monkeypatch.setattr(os, "close", closed)
