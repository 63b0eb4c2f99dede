"""Finished steps of a sorting in a folder beside its session: ``NAME.h5.steps`` (`core.steps`).

Each step is an .npz file without pickles, swapped in whole, that names the run it is of. ``steps.json`` says
what that run is: only the same one goes on with them. A lock keeps a second sorting out. The folder goes when
the session is written. What ncpgui did not put there is never deleted.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import stat
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from ncpgui.core.counted import count, some
from ncpgui.core.errors import ExportError, InputError, SessionError, SessionLockedError
from ncpgui.core.flushed import flush_folder
from ncpgui.core.json_text import parse_json
from ncpgui.core.lock import WriterLock
from ncpgui.core.numpy_files import read_npz
from ncpgui.core.permissions import new_folder
from ncpgui.core.steps import Arrays, Steps, text_array, text_of
from ncpgui.session.schema import SessionPaths
from ncpgui.session.swap import swapped

logger = logging.getLogger(__name__)

ENCODING, FORMAT = "ncpgui-steps", 1
HEADER, LOCK = "steps.json", "lock"
MOST_HEADER_BYTES = 1 << 20
_STEP = re.compile(r"(motion|proposals|matching|(channel|round|found|component)-\d+(-round-\d+)?)\.npz")
_BESIDE = re.compile(r"steps\.json|lock|\.ncpgui-[0-9a-f]+\.(saving|stale)")
_OF = "of"
"""Name of the array that says which run and which step a file is of."""


@dataclass(frozen=True)
class Leftover:
    """Steps that a run left behind.

    id : of the run, and of the session that comes of it; begun : when, UTC, to the second
    run : what it is of and made with; n_steps : how many are kept
    """

    path: Path
    id: str
    begun: str
    run: dict[str, Any]
    n_steps: int

    @property
    def words(self) -> str:
        """``s.h5.steps holds 3 finished steps of a sorting begun at 2026-11-26T05:00:00+00:00``."""
        steps = count(self.n_steps, "finished step")
        what = "review" if self.run.get("command") == "review" else "sorting"
        return f"{self.path} holds {steps} of a {what} begun at {self.begun}"


def leftover(path: Path) -> Leftover | None:
    """Return what a run left in the folder `path`, None where nothing is there.

    Raises
    ------
    ExportError
        Something else is at `path`.
    """
    if not os.path.lexists(path):  # nor where no name can be so long
        return None
    names = _names(path)
    header = _read_header(path / HEADER) if names and HEADER in names else None
    if header is not None:
        n_steps = sum(_STEP.fullmatch(name) is not None for name in names or ())
        return Leftover(path, header["id"], header["begun"], header["run"], n_steps)
    if names is None or HEADER in names or any(not _is_ours(name) for name in names):
        raise ExportError(
            f"{path} is in the way: ncpgui keeps the finished steps of a sorting there, and what is at that "
            "place is not of its making, or damaged; move it, or give another --out"
        )
    return None


def discard(path: Path) -> None:
    """Delete the steps in a folder, and the folder if nothing else is in it.

    Raises
    ------
    SessionLockedError
        A sorting writes them at this moment.
    SessionError
        They cannot be deleted.
    """
    lock = _locked(path)
    try:
        _clear(path)
    finally:
        lock.release()
    _remove_folder(path)


class StepsFolder(Steps):
    """The steps of one run, while it is under way; `close` it, or `finish` it when the session is written.

    Parameters
    ----------
    run : plain values that tell the run from every other (`sorting.run`)
    go_on : whether steps that a stopped run left are used; they are deleted otherwise

    Raises
    ------
    InputError
        Steps to go on with are of another run; the message says what differs.
    ExportError
        Something else is at `path`.
    SessionLockedError
        Another sorting writes there.
    SessionError
        The folder cannot be made or written.
    """

    def __init__(self, path: Path, run: Mapping[str, Any], *, go_on: bool = False) -> None:
        self.path = path
        before = leftover(path)
        try:
            if not path.is_dir():
                new_folder(path, instead_of=self.session)
        except OSError as error:
            raise SessionError(f"cannot make the folder {path}: {error.strerror}") from error
        self._lock = _locked(path)
        try:
            self.went_on = self._take(before, dict(run), go_on)
        except BaseException:
            self.close()
            raise

    def _take(self, before: Leftover | None, run: dict[str, Any], go_on: bool) -> Leftover | None:
        """Go on with what is there, or begin anew."""
        run = json.loads(json.dumps({**run, "format of steps": FORMAT}))
        self._digest = hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()
        if before is not None and before.n_steps and go_on:
            _check_same(before, run)
            self.id = before.id
            return before
        _clear(self.path)
        self.id = uuid.uuid4().hex
        begun = datetime.now(timezone.utc).isoformat(timespec="seconds")
        header = {"encoding": ENCODING, "id": self.id, "begun": begun, "run": run}
        with swapped(self.path / HEADER) as beside:
            beside.write_text(json.dumps(header, indent=2) + "\n", encoding="utf-8")
        return None

    # -- steps ------------------------------------------------------------------------------

    def find(self, name: str) -> Arrays | None:
        """See `Steps`; a step that is damaged, or of another run, is named, dropped and made again."""
        file = self._file(name)
        if not file.is_file():
            return None
        try:
            values = read_npz(file)
            if text_of(values.pop(_OF)) != self._mark(name):
                raise ValueError("it is of another sorting")
        except (InputError, KeyError, ValueError, TypeError) as error:
            self.refuse(name, f"it lacks {error}" if isinstance(error, KeyError) else str(error))
            return None
        return values

    def keep(self, name: str, values: Arrays) -> None:
        """See `Steps`; where the disk is full the work goes on, and the step is not kept."""
        arrays = {**values, _OF: text_array(self._mark(name))}
        n_bytes = sum(array.nbytes for array in arrays.values())
        try:
            kept_bytes = sum(file.stat().st_size for file in self._steps())
            if shutil.disk_usage(self.path).free < kept_bytes + 2 * n_bytes:
                raise SessionError(
                    "the disk has no more room than the session itself may need; free the disk"
                )
            with swapped(self._file(name)) as beside, beside.open("wb") as stream:
                np.savez(stream, **arrays)  # type: ignore[arg-type]
        except (SessionError, OSError) as error:
            reason = str(error) or type(error).__name__
            logger.warning(
                "steps that are done from here on are not kept in %s, the work goes on: %s",
                self.path,
                reason.replace(f"{self._file(name)}", f"{self.path}"),
            )

    def refuse(self, name: str, reason: str) -> None:
        """See `Steps`."""
        logger.warning("the step %s cannot be used and is done again: %s", self._file(name), reason)
        with suppress(OSError):
            self._file(name).unlink()

    def drop(self, *names: str) -> None:
        """See `Steps`."""
        for file in self._steps():
            if any(fnmatchcase(file.stem, name) for name in names):
                with suppress(OSError):
                    file.unlink()

    @property
    def session(self) -> Path:
        """The session that is to come of the run; it need not be there."""
        return self.path.with_name(self.path.name.removesuffix(".steps"))

    @property
    def n_steps(self) -> int:
        """How many are kept."""
        return sum(1 for _ in self._steps())

    # -- end --------------------------------------------------------------------------------

    def close(self) -> None:
        """Let others in; the steps stay, and a folder without any goes."""
        with suppress(OSError):
            if not self.n_steps:
                _clear(self.path)
        self._lock.release()
        _remove_folder(self.path)

    def finish(self) -> None:
        """Delete the steps: what they were kept for is written."""
        try:
            _clear(self.path)
        except OSError as error:
            logger.warning("%s is no longer needed and could not be deleted: %s", self.path, error.strerror)
        self._lock.release()
        _remove_folder(self.path)
        if self.path.is_dir() and not self.path.is_symlink():
            logger.warning("%s holds files that are not ncpgui's, and stays", self.path)

    def _steps(self) -> Iterator[Path]:
        for name in _names(self.path) or ():
            if _STEP.fullmatch(name):
                yield self.path / name

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.npz"

    def _mark(self, name: str) -> str:
        return f"{self._digest}/{name}"


def _names(path: Path) -> list[str] | None:
    """Names in a folder, None where it is no folder that can be read."""
    try:
        return sorted(item.name for item in path.iterdir())
    except OSError:
        return None


def _is_ours(name: str) -> bool:
    """Whether a file in a folder of steps may be of our making."""
    return bool(_STEP.fullmatch(name) or _BESIDE.fullmatch(name))


def _locked(path: Path) -> WriterLock:
    """The lock of a folder of steps."""
    return WriterLock(path / LOCK, path, "give another --out")


def _clear(path: Path) -> None:
    """Delete what we put into a folder, but the lock; what says whose it is goes last."""
    names = [name for name in _names(path) or () if _is_ours(name) and name != LOCK]
    for name in sorted(names, key=lambda name: name == HEADER):
        (path / name).unlink(missing_ok=True)
    flush_folder(path)


def _remove_folder(path: Path) -> None:
    with suppress(OSError):  # it holds something else, or is a link
        path.rmdir()


def _read_header(file: Path) -> dict[str, Any] | None:
    """What a header says; None where it is none, or damaged."""
    try:
        size = file.stat()
        if not stat.S_ISREG(size.st_mode) or size.st_size > MOST_HEADER_BYTES:
            return None
        values = parse_json(file.read_bytes())
        is_whole = (
            values["encoding"] == ENCODING
            and isinstance(values["run"], dict)
            and re.fullmatch("[0-9a-f]{32}", values["id"])
        )
        begun = datetime.fromisoformat(values["begun"]).isoformat(timespec="seconds")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return {**values, "begun": begun} if is_whole else None


def _check_same(before: Leftover, run: dict[str, Any]) -> None:
    """Raise InputError unless steps are of this very run."""
    differs = differences(before.run, run)
    if not differs:
        return
    raise InputError(
        f"{before.path} holds steps of another run: {some(differs)}; go on with what it was made with, or "
        "begin anew with --overwrite in place of --resume"
    )


_HASH = re.compile("[0-9a-f]{64}")


def differences(before: Mapping[str, Any], now: Mapping[str, Any], place: str = "") -> list[str]:
    """What differs between two runs, in words: ``settings threshold_sd was 4.5 and is 4.0``."""
    found = []
    for name in dict.fromkeys((*before, *now)):
        old, new = before.get(name), now.get(name)
        words = f"{place} {name}".strip()
        if isinstance(old, dict) and isinstance(new, dict):
            found += differences(old, new, words)
        elif old != new:
            hashed = any(isinstance(value, str) and _HASH.fullmatch(value) for value in (old, new))
            found.append(f"{words} changed" if hashed else f"{words} was {_told(old)} and is {_told(new)}")
    return found


def _told(value: Any) -> str:
    """A value in one short word or two; what a file may say of itself is cut."""
    return "not given" if value is None else ascii(value)[:60]


def steps_beside(session: Path, run: Mapping[str, Any], *, go_on: bool) -> StepsFolder | None:
    """`StepsFolder` of a session; None, with a warning, where the disk has no room: the work goes on without.

    Raises
    ------
    InputError, ExportError, SessionLockedError
        As `StepsFolder`.
    """
    try:
        return StepsFolder(SessionPaths.of(session).steps, run, go_on=go_on)
    except SessionLockedError:
        raise
    except (SessionError, OSError) as error:
        logger.warning("a sorting that is stopped will begin anew, its steps are not kept: %s", error)
        return None
