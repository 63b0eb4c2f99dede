"""Several files of a folder replaced as one: all of them or none, whenever the program or the machine stops.

The new files, and copies of those that they replace, are written into the hidden folder `STAGED`. Then it
gets the name of a backup, which decides: until then nothing was changed, from then on all will be. What is
new lies in `NEW` of the backup, and is moved to its place, which needs no room on the disk. Whoever comes
next calls `finish`: what was not decided goes away, what was is moved; if a file cannot be moved, those that
were go back (`UNDONE`). The copies stay as the backup.

A link stays a link: the file that it leads to is replaced. Of a file with several names (hard links) the
contents are replaced, so that all its names keep the same.
"""

from __future__ import annotations

import errno
import filecmp
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ncpgui.core.backups import backups_in, next_backup
from ncpgui.core.errors import ExportError, SessionError
from ncpgui.core.files import DISK_FULL, replaceable
from ncpgui.core.flushed import flush_folder, flush_to_disk
from ncpgui.core.json_text import parse_json
from ncpgui.core.lock import WriterLock
from ncpgui.core.permissions import keep_permissions
from ncpgui.core.regular_files import regular

LOCK, STAGED = ".ncpgui-lock", ".ncpgui-writing"
NEW, UNDONE, PLAN = "new", "undone", ".plan.json"
MEANWHILE = "meanwhile"
"""In a backup: files that somebody changed after they were copied, and before they were replaced."""
_PART = ".part"


@dataclass(frozen=True)
class _Plan:
    """files : that are replaced or made; made : those that were not there; aside : what is moved away."""

    files: tuple[str, ...]
    made: tuple[str, ...]
    aside: tuple[str, ...]


@contextmanager
def alone_in(folder: Path, otherwise: str) -> Iterator[None]:
    """The only one who writes into a folder; `otherwise` is what whoever comes second can do.

    Raises
    ------
    ExportError
        Somebody else writes into it, or it cannot be written.
    """
    try:
        lock = WriterLock(folder / LOCK, folder, otherwise)
    except SessionError as error:
        raise ExportError(str(error)) from error
    with lock:
        yield


def replace_together(
    folder: Path,
    files: Mapping[str, bytes],
    backup: str,
    *,
    about: Mapping[str, bytes],
    aside: Iterable[str] = (),
    check: Callable[[], None] = lambda: None,
) -> Path | None:
    """Replace or make files of a folder and return the backup, once `alone_in` it and after `finish`.

    There is no backup where nothing was there and nothing is said about it.

    Parameters
    ----------
    files : name -> contents; backup : name of the first backup, later ones get a number
    about : name -> contents of files that only the backup has
    aside : what was made of the old files, files or folders: they go into the backup
    check : called before it is decided; raises if the old files are not any more as they were read

    Raises
    ------
    ExportError
        A file cannot be written; the folder is as it was.
    """
    staged = folder / STAGED
    if os.path.lexists(staged):
        raise ExportError(
            f"{staged} is where new files lie before they take the place of old ones, and what is "
            f"there is not of its making; nothing in {folder} was changed: move it away, and try again"
        )
    with _told(folder):
        try:
            staged.mkdir()
            (staged / NEW).mkdir()
            made = tuple(name for name in files if not _real(folder / name).exists())
            for name, contents in files.items():
                _write(staged / NEW / name, contents)
                if name not in made:
                    _copy(_real(folder / name), staged / name)
                    keep_permissions(staged / NEW / name, instead_of=_real(folder / name))
            for name, contents in about.items():
                _write(staged / name, contents)
            plan = _Plan(tuple(files), made, tuple(name for name in aside if (folder / name).exists()))
            _write(staged / NEW / PLAN, json.dumps(vars(plan)).encode())
            flush_folder(staged / NEW)
            flush_folder(staged)
            check()
            place = next_backup(folder, backup)
            staged.replace(place)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        flush_folder(folder)
        _put(folder, place)
        if not any(place.iterdir()):
            place.rmdir()
            return None
    return place


def interrupted(folder: Path) -> list[Path]:
    """Backups of which it is decided, but not done, that their files are replaced."""
    found = [plan for state in (NEW, UNDONE) for plan in folder.glob(f"*/{state}/{PLAN}")]
    return sorted(
        plan.parents[1]
        for plan in found
        if plan.parents[1].name != STAGED
        and not any(place.is_symlink() for place in (plan, *plan.parents[:2]))
    )


def finish(folder: Path, *, through_links: bool = True) -> bool:
    """Finish or undo what a program that was stopped had begun; whether that changed files.

    through_links : whether files may be replaced that links lead to, or that have other names

    Raises
    ------
    ExportError
        That cannot be done now.
    """
    begun = interrupted(folder)
    with _told(folder):
        for backup in begun:
            state = NEW if (backup / NEW).is_dir() else UNDONE
            if not through_links:
                _check_own(folder, _plan(backup / state))
            if state == NEW:
                _put(folder, backup)
            else:
                _undo(folder, backup)
        if (folder / STAGED).is_dir() and not (folder / STAGED).is_symlink():
            shutil.rmtree(folder / STAGED)
    return bool(begun)


def _put(folder: Path, backup: Path) -> None:
    """Move what is new to its places; if that cannot be done, undo what was."""
    new = backup / NEW
    plan = _plan(new)
    try:
        for name in plan.files:
            if (new / name).exists():
                _rescue(folder / name, backup, name)
            _move(new / name, folder / name)
        for name in plan.aside:
            _set_aside(folder / name, backup / name)
        flush_folder(folder)
    except OSError:
        new.replace(backup / UNDONE)
        _undo(folder, backup)
        raise
    with suppress(OSError):  # all is done; what is left of this is found by the next one
        _take_away(new, folder)


def _undo(folder: Path, backup: Path) -> None:
    """Move back the old files whose places were taken already, and take the backup away."""
    undone = backup / UNDONE
    plan = _plan(undone)
    for name in plan.files:
        if (undone / name).exists():
            continue
        *older, last = [backup / name, *_rescued(backup, name)]
        for one in older:
            one.unlink(missing_ok=True)
        if name in plan.made and last == backup / name:
            _real(folder / name).unlink(missing_ok=True)
        else:
            _move(last, folder / name)
        with suppress(OSError):
            (undone / name).touch()  # done
    for name in plan.aside:
        _set_aside(backup / name, folder / name)
    flush_folder(folder)
    _take_away(backup, folder)


def _take_away(place: Path, folder: Path) -> None:
    """Delete a folder, with a name until then by which it is found if that is not done to the end."""
    shutil.rmtree(folder / STAGED, ignore_errors=True)
    place.replace(folder / STAGED)
    shutil.rmtree(folder / STAGED)


def _move(source: Path, place: Path) -> None:
    """Put a file in a place, unless that was done; what was done in part is done again."""
    part = source.with_name(source.name + _PART)
    if not source.exists() and not part.exists():
        return
    real = _real(place)
    if part.exists() or (real.exists() and real.stat().st_nlink > 1):
        if source.exists():
            source.replace(part)
        with real.open("rb+") as file, part.open("rb") as new:
            shutil.copyfileobj(new, file)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        part.unlink()
        return
    try:
        source.replace(real)
        if place.is_symlink():
            flush_folder(real.parent)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        beside = real.with_name(f"{STAGED}-file")  # the link leads to another file system
        try:
            _copy(source, beside)
            keep_permissions(beside, instead_of=real)
            beside.replace(real)
        finally:
            beside.unlink(missing_ok=True)
        flush_folder(real.parent)
        source.unlink()


def _rescue(place: Path, backup: Path, name: str) -> None:
    """Keep a file that is not as it was when it was copied: somebody saved it since."""
    real = _real(place)
    known = [backup / name, backup / NEW / name, *_rescued(backup, name)]
    if real.exists() and not any(one.exists() and filecmp.cmp(real, one, shallow=False) for one in known):
        meanwhile = next_backup(backup, MEANWHILE)
        meanwhile.mkdir()
        _copy(real, meanwhile / name)


def _rescued(backup: Path, name: str) -> list[Path]:
    """What somebody saved of a file after it was copied, the last one last."""
    return [place / name for place in backups_in(backup, MEANWHILE) if (place / name).exists()]


def _set_aside(folder: Path, place: Path) -> None:
    if folder.exists() and not place.exists():
        folder.replace(place)


def _write(path: Path, contents: bytes) -> None:
    path.write_bytes(contents)
    flush_to_disk(path)


def _copy(source: Path, place: Path) -> None:
    shutil.copyfile(source, place)
    flush_to_disk(place)
    shutil.copystat(source, place)


def _real(place: Path) -> Path:
    try:
        real = replaceable(place)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(place)) from error
    if place.is_symlink() and not real.exists():
        raise FileNotFoundError(errno.ENOENT, f"it is a link to {real}, which is not there", str(place))
    return real


def _check_own(folder: Path, plan: _Plan) -> None:
    for name in plan.files:
        place = folder / name
        if place.is_symlink() or (place.exists() and place.stat().st_nlink > 1):
            raise ExportError(
                f"files of {folder} were being replaced when a program was stopped, and {name} is a link: "
                "write back again, which finishes it"
            )


def _plan(place: Path) -> _Plan:
    """The plan of a set.

    Raises
    ------
    ExportError
        It cannot be read, is damaged, or names anything outside the folder.
    """
    try:
        value = parse_json(regular(place / PLAN).read_bytes())
        plan = _Plan(**{name: tuple(map(str, value[name])) for name in ("files", "made", "aside")})
        if any(Path(name).name != name or name == ".." for name in (*plan.files, *plan.made, *plan.aside)):
            raise ValueError("it names files outside the folder")
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or error
        raise ExportError(
            f"{place / PLAN} says which files were being replaced when a write-back was stopped, and cannot "
            f"be used ({reason}); copy those that you want of {place.parent}, which has them as they were, "
            f"or of {place}, which has the new ones; then move {place.parent} away, and try again"
        ) from error
    return plan


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if isinstance(error, ExportError):
            raise
        way_out = (
            "free the disk" if error.errno in DISK_FULL else "see to it that all of its files can be written"
        )
        state = "it is as it was"
        if interrupted(folder):
            state = "some of its files were replaced, which will be finished or undone"
        raise ExportError(
            f"cannot write into {folder}: {_reason(error)}; {state}: {way_out}, and try again"
        ) from error


def _reason(error: OSError) -> str:
    """What went wrong, with the name of the file where the system told it."""
    name = Path(os.fsdecode(error.filename)).name if isinstance(error.filename, (str, bytes, Path)) else ""
    return f"{name}: {error.strerror}" if name else str(error.strerror or error)
