"""What was done since the session was saved: one line of JSON an action, on disk before it returns.

The first line says which save of the session the actions follow (`base`). Saving folds them into
the session and starts a new journal that follows the new save, by swapping the file. The session
remembers which journal it folded and how much of it, so that a crash between the two steps neither
loses nor repeats an action (`unfolded`).
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ncpgui.core.errors import SessionError, SessionFormatError
from ncpgui.core.json_text import parse_json
from ncpgui.core.regular_files import regular
from ncpgui.session.codecs import to_json_text
from ncpgui.session.schema import JOURNAL_VERSION
from ncpgui.session.swap import set_aside, swapped, write_error

logger = logging.getLogger(__name__)

Entry = dict[str, Any]

MOST_BYTES = 2**30
"""Size up to which a journal is read: an action that names all spikes of an hour has some MB."""


@dataclass(frozen=True)
class JournalContents:
    """What a journal file holds.

    session_id, base : the session, and the save of it, that the entries follow ('' if unreadable);
    entries : actions in order, of the part that is whole;
    problem : '' or what was wrong with the rest.
    """

    session_id: str
    base: str
    entries: tuple[Entry, ...]
    problem: str = ""


def read_journal(path: Path) -> JournalContents | None:
    """Read a journal as far as it is whole; None when there is no file, nor a link that leads to none.

    A process killed while it wrote leaves a torn last line: that action is lost, the others are not.

    Raises
    ------
    SessionFormatError
        The journal is of a newer version.
    SessionError
        The file cannot be read.
    """
    try:
        data = regular(path, most_bytes=MOST_BYTES).read_bytes()
    except FileNotFoundError:
        return (
            JournalContents("", "", (), f"{path} is a link that leads nowhere") if path.is_symlink() else None
        )
    except OSError as error:
        raise SessionError(
            f"cannot read {path}: {error.strerror}; check its permissions, or move it away"
        ) from error
    lines = data.splitlines(keepends=True)
    header = _object(lines[0]) if lines else None
    if header is None or not isinstance(header.get("journal"), int):
        return JournalContents("", "", (), f"{path} is not a journal")
    if header["journal"] > JOURNAL_VERSION:
        raise SessionFormatError(
            f"{path} was written by version {header['journal']} of the journal format, this program reads "
            f"up to {JOURNAL_VERSION}; update ncpgui"
        )
    entries: list[Entry] = []
    problem = ""
    for number, line in enumerate(lines[1:], start=2):
        entry = _object(line)
        if entry is None or not line.endswith(b"\n"):
            lost = len(lines) - number + 1
            what = (
                "its last action was not completely written"
                if lost == 1
                else f"{lost} lines from there on are"
            )
            problem = f"{path}: line {number} is torn, {what}{'' if lost == 1 else ' ignored'}"
            break
        entries.append(entry)
    base, session_id = str(header.get("base", "")), str(header.get("session", ""))
    return JournalContents(session_id, base, tuple(entries), problem)


class Journal:
    """The journal of a session open for writing; safe to call from several threads."""

    def __init__(self, path: Path, *, session_id: str, base: str, entries: tuple[Entry, ...] = ()) -> None:
        """Start a journal that follows the save `base`, in place of any file at `path`."""
        self.path = path
        self._session_id = session_id
        self._mutex = threading.Lock()
        self._handle = -1
        self._n_dropped = 0
        self._start(base, entries)

    @property
    def base(self) -> str:
        """The save of the session that the entries follow."""
        return self._base

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Actions since that save."""
        return tuple(self._entries)

    @property
    def count(self) -> int:
        """Number of actions so far, also those folded into the session meanwhile; only grows."""
        with self._mutex:
            return self._n_dropped + len(self._entries)

    def n_until(self, count: int) -> int:
        """How many of `entries` were there when `count` was read."""
        with self._mutex:
            return min(max(count - self._n_dropped, 0), len(self._entries))

    def append(self, entry: Entry) -> None:
        """Write one action; it is on the disk when this returns.

        Raises
        ------
        SessionError
            It could not be written, or somebody deleted or changed the file; the journal is as before.
        """
        line = _line(entry)
        with self._mutex:
            if self._handle < 0:
                raise SessionError(f"{self.path} is closed; open the session again")
            if not self._is_in_place:
                what = "changed" if self.path.exists() else "deleted"
                raise SessionError(
                    f"{self.path} was {what} by another program while the session is open; save the session: "
                    "all that was done is still in memory"
                )
            try:
                _write_all(self._handle, line)
                os.fsync(self._handle)
            except OSError as error:
                with suppress(OSError):
                    os.ftruncate(self._handle, self._n_bytes)
                raise write_error(self.path, error) from error
            self._n_bytes += len(line)
            self._entries.append(entry)

    def rebase(self, base: str, *, n_folded: int) -> None:
        """Follow the save `base`, which holds the first `n_folded` entries; the others stay.

        Raises
        ------
        SessionError
            The file could not be swapped. The journal goes on as it was, which a session that
            remembers it can tell.
        """
        with self._mutex:
            self._start(base, tuple(self._entries[n_folded:]))
            self._n_dropped += n_folded

    def close(self) -> None:
        """Close the file; it stays for the next one who opens the session, unless it is empty."""
        with self._mutex:
            is_needless = self._handle >= 0 and not self._entries and self._is_in_place
            self._close()
            if is_needless:
                with suppress(OSError):
                    self.path.unlink()

    def _start(self, base: str, entries: tuple[Entry, ...]) -> None:
        header = {"journal": JOURNAL_VERSION, "session": self._session_id, "base": base}
        data = b"".join(_line(value) for value in (header, *entries))
        was_open = self._handle >= 0
        if was_open and not self._is_in_place and self.path.exists():
            logger.warning(
                "%s was changed by another program; it was kept as %s", self.path, set_aside(self.path)
            )
        try:
            with swapped(self.path, of=self.path.with_suffix("")) as beside:
                beside.write_bytes(data)
                self._close()  # before the swap: Windows does not replace a file that is open
        except SessionError:
            if was_open and self._handle < 0:
                self._open()
            raise
        self._open()
        self._base, self._entries, self._n_bytes = base, list(entries), len(data)

    @property
    def _is_in_place(self) -> bool:
        """Whether the file is there as it was written last."""
        try:
            there, ours = self.path.stat(), os.fstat(self._handle)
        except OSError:
            return False
        return (there.st_dev, there.st_ino, there.st_size) == (ours.st_dev, ours.st_ino, self._n_bytes)

    def _open(self) -> None:
        try:
            self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise write_error(self.path, error) from error

    def _close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def unfolded(
    contents: JournalContents, *, save_id: str, journal_base: str, journal_folded: int
) -> tuple[Entry, ...] | None:
    """Entries of a journal that a session does not hold yet; None when it belongs to another session.

    save_id : of the session as saved; journal_base, journal_folded : the journal that this save
    folded, and how many of its entries.
    """
    if contents.base and contents.base == save_id:
        return contents.entries
    if contents.base and contents.base == journal_base:
        return contents.entries[journal_folded:]
    return None


def _line(value: Entry) -> bytes:
    return to_json_text(value).encode("ascii") + b"\n"


def _object(line: bytes) -> Entry | None:
    try:
        value = parse_json(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
