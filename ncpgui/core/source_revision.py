"""Which source is running: the commit of its checkout, and whether it was changed since."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

_NO_SOURCE = ("*.md", "docs/*", "benchmarks/results/*", "tests/*")
"""What results are written into, and what none depends on."""


class Revision(NamedTuple):
    """commit : 40 hexadecimal digits, None where the source is no checkout; changed : None there as well."""

    commit: str | None
    changed: bool | None


def source_revision(source: Path = Path(__file__)) -> Revision:
    """Return the commit that a source file belongs to, and whether files of the checkout differ from it.

    A copy that pip has put into somebody else's repository is not of that repository's commit: the file has
    to be tracked. Pages, results and tests do not count as source.
    """
    try:
        _git(source.parent, "ls-files", "--error-unmatch", source.name)
        commit = _git(source.parent, "rev-parse", "HEAD").strip()
        status = _git(source.parent, "status", "--porcelain", "--", *_source())
    except (OSError, subprocess.CalledProcessError):
        return Revision(None, None)
    return Revision(commit, bool(status.strip()))


def same_source(commit: str, source: Path = Path(__file__)) -> bool:
    """Whether the source is that of a commit: no file that a result can depend on has changed since."""
    try:
        _git(source.parent, "diff", "--quiet", commit, "HEAD", "--", *_source())
    except (OSError, subprocess.CalledProcessError):
        return False
    return source_revision(source).changed is False


def _source() -> list[str]:
    """Pathspecs of what counts as source."""
    return [":(top)", *(f":(top,exclude){name}" for name in _NO_SOURCE)]


def _git(folder: Path, *words: str) -> str:
    """Ask git, which takes nothing down: its index is locked meanwhile, for good if the disk is full."""
    command = ["git", "--no-optional-locks", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
