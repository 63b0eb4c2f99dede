"""The home folder, also where the system knows none: containers run as users without a name or a home.

Libraries keep settings, and what they compile, under the home of the user, and end with a traceback where
there is none. They find it by variables, which are set to a folder of this user among the temporary ones.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from pathlib import Path


def expanded(path: str | Path) -> Path:
    """`path` with ``~`` as the home; as it is where nobody is called so: a file may be named ``~old.raw``."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def home() -> Path | None:
    """Home folder of the user; None where there is none that exists."""
    try:
        found = Path.home()
        return found if found.is_absolute() and found.is_dir() else None
    except (RuntimeError, OSError):
        return None


def provide_home() -> None:
    """Set HOME and XDG_CACHE_HOME where they lead to no folder that serves; give a nameless user a name.

    To be called before libraries are imported. A home that exists stays the home also where it cannot be
    written: what is in it counts, and only caches go elsewhere.
    """
    if os.name != "posix":
        return
    try:
        _provide_folders()
    except FileNotFoundError:  # no temporary folder either: whoever needs one says so
        return
    if not any(os.environ.get(name) for name in ("LOGNAME", "USER", "LNAME", "USERNAME")):
        _provide_name()


def _provide_folders() -> None:
    if home() is None:
        os.environ["HOME"] = str(_fallback())
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            _forget_unless_writable(name)
    _forget_unless_writable("NUMBA_CACHE_DIR")
    _forget_unless_writable("XDG_CACHE_HOME")
    if "XDG_CACHE_HOME" not in os.environ and not can_be_written(Path.home() / ".cache"):
        os.environ["XDG_CACHE_HOME"] = str(_fallback() / ".cache")


def _forget_unless_writable(name: str) -> None:
    if name in os.environ and not can_be_written(Path(os.environ[name])):
        del os.environ[name]


def can_be_written(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def is_fallback(folder: Path) -> bool:
    """Whether a folder is in one that stands in for a home."""
    return any(part.startswith(_PREFIX) for part in folder.parts)


_PREFIX = "ncpgui-home-"


def _fallback() -> Path:
    """Folder of this user among the temporary ones, which nobody else can write; the same each time."""
    folder = Path(tempfile.gettempdir()) / f"{_PREFIX}{os.getuid()}"
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        found = folder.lstat()
        is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
        if not is_ours:  # somebody else was there first
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _provide_name() -> None:
    """Give the user a name where the system has none: libraries ask for it."""
    import pwd

    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        os.environ["USER"] = os.environ["LOGNAME"] = f"user-{os.getuid()}"
