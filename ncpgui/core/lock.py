"""One writer at a time, of a session or a folder: a lock file that says which process holds it.

Created with O_EXCL, which is atomic on local and network file systems alike. A lock whose process
is gone (killed, or the machine restarted) is removed by the next one to come, whatever its date; on
another host nobody can tell, so the message says what to check. A file of that name that is no lock
of ours is never touched.
"""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ncpgui.core.errors import SessionLockedError, SessionUnwritableError
from ncpgui.core.json_text import parse_json
from ncpgui.core.regular_files import regular

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_UNWRITTEN_FOR_S = 10.0
"""A lock still empty after this long was left by a process killed while it wrote it."""
_MOST_BYTES = 2**16


@dataclass(frozen=True)
class LockHolder:
    """Who holds a lock. `started` tells a process from a later one that got the same pid."""

    pid: int
    host: str
    started: str
    token: str


class WriterLock:
    """The lock of what is written; `release` it, or use it as a context.

    path : of the lock; written : the session or folder that it is of, with which errors begin;
    otherwise : what whoever comes second can do instead of waiting

    Raises
    ------
    SessionLockedError
        Another process, or this one, has it open for writing.
    SessionUnwritableError
        The folder cannot be written.
    """

    def __init__(self, path: Path, written: Path, otherwise: str = "open the session read-only") -> None:
        self.path = path
        self._written, self._otherwise = written, otherwise
        self._holder = LockHolder(os.getpid(), host_name(), process_start(os.getpid()), uuid.uuid4().hex)
        for _ in range(3):
            if self._create():
                return
            raw = self._read()
            if raw is None:
                continue
            holder = _parse(raw)
            if not _is_stale(holder, raw, path):
                raise SessionLockedError(self._held_by(holder, raw))
            _remove_stale(path, raw)
        raise SessionLockedError(f"{written} is being opened by another program; try again")

    def _create(self) -> bool:
        try:
            handle = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        except FileExistsError:
            return False
        except OSError as error:
            raise SessionUnwritableError(
                f"cannot open {self._written} for writing: {error.strerror} ({self.path.parent}); "
                f"choose a folder that exists and is writable, or {self._otherwise}"
            ) from error
        try:
            with open(handle, "wb", closefd=False) as file:
                file.write(json.dumps(asdict(self._holder)).encode())
        except OSError as error:
            self.path.unlink(missing_ok=True)
            raise _unwritten(self.path, error) from error
        finally:
            os.close(handle)
        return True

    def _read(self) -> bytes | None:
        try:
            return regular(self.path, most_bytes=_MOST_BYTES).read_bytes()
        except OSError as error:
            reason = error.strerror
            if isinstance(error, FileNotFoundError):
                if not self.path.is_symlink():
                    return None
                reason = "it is a link that leads nowhere"
            raise SessionLockedError(
                f"cannot read the lock {self.path}: {reason}; check whose it is and move it away, or "
                f"{self._otherwise}"
            ) from error

    def release(self) -> None:
        """Remove the lock, if it is still ours."""
        with suppress(OSError):
            raw = self._read()
            if raw is not None and _parse(raw) == self._holder:
                self.path.unlink(missing_ok=True)

    def _held_by(self, holder: LockHolder | None, raw: bytes) -> str:
        written, otherwise = self._written, self._otherwise
        if holder is None and raw:
            return (
                f"cannot open {written} for writing: {self.path} is in the place of its lock and is not one "
                f"of ncpgui; move it away if nothing needs it there, or {otherwise}"
            )
        if holder is None:
            return f"{written} is being opened by another program; try again in a moment, or {otherwise}"
        if holder.pid == os.getpid() and holder.host == host_name():
            return f"{written} is already open for writing in this program; close it first, or {otherwise}"
        host = holder.host.partition("/")[0]
        if holder.host == host_name():
            return (
                f"{written} is open for writing in another program (process {holder.pid} on this machine); "
                f"close it there, or {otherwise}"
            )
        return (
            f"{written} is open for writing by process {holder.pid} on {host}; close it there, or "
            f"{otherwise}. If that program no longer runs, delete {self.path}"
        )

    def __enter__(self) -> WriterLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _unwritten(path: Path, error: OSError) -> SessionUnwritableError:
    reason = error.strerror or str(error)
    return SessionUnwritableError(
        f"cannot write {path}: {reason}; free the disk, or choose a folder that is writable"
    )


def host_name() -> str:
    """Name of this machine, and of the container in it: pids mean nothing across either."""
    try:
        return f"{socket.gethostname()}/{os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115
    except OSError:
        return socket.gethostname()


def process_start(pid: int) -> str:
    """When a process started, as text that differs between two processes of the same pid; '' if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return f"{boot}/{fields[19]}"


def is_running(pid: int) -> bool:
    """Whether a process of this machine exists."""
    if os.name == "nt":
        return _is_running_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_running_on_windows(pid: int) -> bool:
    import ctypes

    query_limited_information, still_active = 0x1000, 259
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined, unused-ignore]
    handle = kernel.OpenProcess(query_limited_information, False, pid)
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == still_active


def _parse(raw: bytes) -> LockHolder | None:
    try:
        values = parse_json(raw)
        holder = LockHolder(
            int(values["pid"]), str(values["host"]), str(values["started"]), str(values["token"])
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    return holder if holder.pid > 0 else None


def _is_stale(holder: LockHolder | None, raw: bytes, path: Path) -> bool:
    if holder is None:
        return not raw and _is_left_empty(path)
    if holder.host != host_name():
        return False
    if not is_running(holder.pid):
        return True
    started = process_start(holder.pid)
    return bool(started and holder.started and started != holder.started)


def _is_left_empty(path: Path) -> bool:
    """Whether an empty lock is not one that is being written; its date may lie in the future as well."""
    with suppress(OSError):
        return abs(time.time() - path.stat().st_mtime) > _UNWRITTEN_FOR_S
    return False


def _remove_stale(path: Path, raw: bytes) -> None:
    """Take the stale lock away, but never a fresh one that another process put there meanwhile."""
    with _alone_in(path.parent):
        try:
            if path.read_bytes() == raw:
                path.unlink()
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unwritten(path, error) from error


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """One program of this machine at a time, where the system can see to it."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
