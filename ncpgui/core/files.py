"""Files are swapped in whole: written beside, then moved over the old one."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ncpgui.core.errors import ExportError
from ncpgui.core.flushed import flush_folder, flush_to_disk
from ncpgui.core.permissions import check_replaceable, keep_permissions, new_file, new_folder

logger = logging.getLogger(__name__)

DISK_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""What the system says when there is no place left, or a quota is used up."""

NAME_BYTES = 255
"""Length of a name, in bytes, that common file systems take."""


def too_long(path: str | Path, *beside: Path) -> str:
    """What is wrong with the length of a name in `path`, or of the files `beside` it; '' when nothing."""
    longest = max((len(os.fsencode(part)) for part in Path(path).parts), default=0)
    at_most = max((longest, *(len(os.fsencode(other.name)) for other in beside)))
    if at_most <= NAME_BYTES:
        return ""
    name = f"the name has {longest} bytes"
    if at_most > longest:
        name = f"with what ncpgui writes beside it, the name has up to {at_most} bytes"
    return f"{name}, and the file system takes {NAME_BYTES}; give a shorter name"


@contextmanager
def replaced_file(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """Yield a temporary path beside `path`; moved over `path` when the block ends without error.

    It takes over mode and owner of the file that it replaces. A link stays: what it leads to is replaced.

    replace : whether a file that is at `path` when the block ends is replaced; else the new one goes beside
        it, under a name with a number

    Raises
    ------
    ExportError
        The folder does not exist or cannot be written, `path` is no file, or it is there and is not replaced:
        the message says where the new file is.
    """
    with _writable(path):
        place = replaceable(path)
        beside = place.with_name(f"{_hidden(place.stem)}{place.suffix}")
        new_file(beside, instead_of=place)
    try:
        with _writable(path):
            yield beside
            if not replace and place.exists():
                raise _kept_beside(beside, place)
            keep_permissions(beside, instead_of=place)
            beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def replaced_files(paths: Sequence[Path], *, replace: bool = True) -> Iterator[tuple[Path, ...]]:
    """Yield temporary paths beside files that belong together; all take their places when the block succeeds.

    As `replaced_file`. Between the renames the rest waits under hidden names: what a program that is killed
    there leaves half done, `finish_files` does to the end.

    Raises
    ------
    ExportError
        As `replaced_file`; none of the files is replaced then.
    """
    finish_files(paths)
    places: list[Path] = []
    new: list[Path] = []
    try:
        for path in paths:
            with _writable(path):
                places.append(replaceable(path))
                beside = places[-1].with_name(f"{_hidden(places[-1].stem)}{places[-1].suffix}")
                new_file(beside, instead_of=places[-1])
                new.append(beside)
        with _writable(paths[0]):
            yield tuple(new)
        if not replace:
            _keep_all_beside(new, places)
        for path, beside, place in zip(paths, new, places, strict=True):
            with _writable(path):
                keep_permissions(beside, instead_of=place)
                flush_to_disk(beside)
        for path, beside, place in zip(paths, new, places, strict=True):
            with _writable(path):
                beside.replace(_waiting(place))
                flush_folder(place.parent)
    finally:
        for beside in new:
            beside.unlink(missing_ok=True)
    finish_files(paths)


def finish_files(paths: Sequence[Path]) -> None:
    """Finish what a program left that was killed while it replaced files that belong together.

    Once the last of them is there under its hidden name, all are whole, and are moved to their places. If it
    is not, the old ones are untouched, and what is hidden goes away.

    Raises
    ------
    ExportError
        One cannot be moved; it is tried again by the next call.
    """
    places = [Path(os.path.realpath(path)) for path in paths]
    waiting = [_waiting(place) for place in places]
    is_ours = [new.is_file() and not new.is_symlink() for new in waiting]
    for path, new, place, is_there in zip(paths, waiting, places, is_ours, strict=True):
        if not is_there:
            continue
        with _writable(path):
            if is_ours[-1]:
                new.replace(replaceable(place))
                flush_folder(place.parent)
            else:
                new.unlink()


def _keep_all_beside(new: Sequence[Path], places: Sequence[Path]) -> None:
    """Where one of the places is taken, give all that was written free names beside them, and say so."""
    there = next((place for place in places if place.exists()), None)
    if there is None:
        return
    kept = [free_name(place) for place in places]
    for beside, free in zip(new, kept, strict=True):
        beside.replace(free)
    raise ExportError(
        f"{there} appeared meanwhile and is not replaced; what was written is in "
        + " and ".join(map(str, kept))
    )


@contextmanager
def replaced_folder(path: Path, *, check: Callable[[Path], None] | None = None) -> Iterator[Path]:
    """Yield a temporary folder beside `path`; it takes the place of `path` when the block succeeds.

    The folder and the files in it take over mode and owner of those that they replace. A link stays. What
    appeared at `path` meanwhile is not replaced: the new folder goes beside it, under a name with a number.
    A program that is killed between the two renames leaves the old folder as NAME.ncpgui-old, and the next
    one puts it back.

    check : raises ExportError for a folder that must not be replaced, called when the new one is whole; left
        out, a folder is not replaced in which anything was changed since the block began

    Raises
    ------
    ExportError
        The parent folder does not exist or cannot be written, or what is at `path` is not replaced: the
        message says where the new folder is.
    """
    with _writable(path):
        place = Path(os.path.realpath(path))
        _put_back(place)
        check_replaceable(place)
        was_there = _holds_something(place)
        seen = _contents(place)
        beside = place.with_name(_hidden(place.name))
        new_folder(beside, instead_of=place)
    try:
        with _writable(path):
            yield beside
            keep_permissions(beside, instead_of=place)
            if not was_there and _holds_something(place):
                raise _kept_beside(beside, place)
            if place.exists():
                _swap(beside, place, check or (lambda now: _check_same(now, seen, place)))
            else:
                beside.replace(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _swap(new: Path, place: Path, check: Callable[[Path], None]) -> None:
    """Put a folder in the place of another, which goes away unless `check` has something against it."""
    old = free_name(_before(place))
    try:
        check(place)
        place.replace(old)
        try:
            check(old)  # what was written there up to now
            new.replace(place)
        except BaseException:
            old.replace(place)
            raise
    except ExportError as error:
        raise _kept_beside(new, place, str(error)) from error
    gone = place.with_name(_hidden(place.name))
    old.replace(gone)
    shutil.rmtree(gone)


def _put_back(place: Path) -> None:
    """Put an old folder back that a program left beside its place when it was killed."""
    old = _before(place)
    if old.is_dir() and not place.exists():
        old.replace(place)
        logger.warning(
            "%s was left by a program that was killed while it replaced it; it is %s again", old, place
        )


def _contents(place: Path) -> dict[str, tuple[int, int]]:
    """Files of a folder, with what changes when something is written to them."""
    found = {str(item.relative_to(place)): item.lstat() for item in place.rglob("*") if not item.is_dir()}
    return {name: (known.st_size, known.st_mtime_ns) for name, known in found.items()}


def _check_same(now: Path, seen: dict[str, tuple[int, int]], place: Path) -> None:
    if changed := sorted(name for name, _ in set(_contents(now).items()) ^ set(seen.items())):
        raise ExportError(f"{place} was changed meanwhile ({changed[0]}) and is not replaced")


def _holds_something(place: Path) -> bool:
    return place.exists() and not (place.is_dir() and not any(place.iterdir()))


def _kept_beside(new: Path, place: Path, why: str = "") -> ExportError:
    """Give what was written a free name beside its place; the error that says so."""
    kept = free_name(place)
    new.replace(kept)
    return ExportError(
        f"{why or f'{place} appeared meanwhile and is not replaced'}; what was written is in {kept}"
    )


def replaceable(path: Path) -> Path:
    """Where the file at `path` really is, through links, so that a new one can take its place.

    Raises
    ------
    OSError
        Something else is there, such as a folder, a device or a named pipe, which must not be replaced; or a
        file that is marked read-only, which Windows does not replace.
    """
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if place.exists() and not place.is_file():
        raise OSError(errno.ENXIO, "it is a device or a named pipe, not a file")
    check_replaceable(place)
    return place


def free_name(path: Path) -> Path:
    """`path`, or where something is there already, the first of NAME-1, NAME-2, ... that is free."""
    number, free = 0, path
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def _hidden(name: str) -> str:
    """A temporary name that says whose it is; short, so that it fits where `name` does."""
    return f".{name[:_SHOWN]}-{secrets.token_hex(4)}"


def _before(place: Path) -> Path:
    """Where an old folder is while a new one takes its place."""
    return place.with_name(_always_the_same(place.name, _BEFORE))


def _waiting(place: Path) -> Path:
    """Where a new file is while others that belong to it take their places."""
    return place.with_name(_always_the_same(f".{place.name}", _NEW))


def _always_the_same(name: str, ending: str) -> str:
    """A name with an ending, short of a long name."""
    if len(os.fsencode(name + ending)) > NAME_BYTES:
        digest = hashlib.blake2b(os.fsencode(name), digest_size=6).hexdigest()
        name = f"{name[:_SHOWN]}-{digest}"
    return name + ending


_SHOWN = 30
_BEFORE, _NEW = ".ncpgui-old", ".ncpgui-new"
_NO_FILE = (errno.EISDIR, errno.ENXIO)


def make_folder(path: Path) -> None:
    """Make a folder, unless it is there.

    Raises
    ------
    ExportError
        The folder above it does not exist or cannot be written, or `path` is a file.
    """
    with _writable(path):
        path.mkdir(exist_ok=True)


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        way_out = "choose a folder that exists and is writable"
        if error.errno in DISK_FULL:
            way_out = "free the disk, or choose another folder"
        if error.errno in _NO_FILE:
            way_out = "give the name of a file"
        raise ExportError(f"cannot write {path}: {reason}; {way_out}") from error
