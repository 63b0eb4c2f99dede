"""How long work reports and stops, without Qt.

A job is a plain function that calls ``progress(done, total, message)`` now and then. The callee
decides what to do with it (print, draw, nothing) and stops the job by raising `Cancelled`,
which derives from BaseException so that no ``except Exception`` swallows it.

What it has found so far it can `show`, as a plain value; that reaches a callee that looks (`Watched`), and no
other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")


class Cancelled(BaseException):
    """Raised inside a job when somebody asked it to stop; control flow, not an error."""


class Progress(Protocol):
    """Anything that can be told how far a job is."""

    def __call__(self, done: int, total: int, message: str = "") -> None:
        """Report `done` of `total` steps; may raise `Cancelled`."""


def silent(done: int, total: int, message: str = "") -> None:
    """Report to nobody."""


@dataclass(frozen=True)
class Watched:
    """Progress of somebody who also looks at what was found so far.

    report : told how far the job is; look : given what it has found, whenever there is more of it
    """

    report: Progress
    look: Callable[[object], None]

    def __call__(self, done: int, total: int, message: str = "") -> None:
        """Report `done` of `total` steps; may raise `Cancelled`."""
        self.report(done, total, message)


def show(progress: Progress, found: Callable[[], object]) -> None:
    """Show what was found so far; `found` makes it, and is called only if somebody looks."""
    if isinstance(progress, Watched):
        progress.look(found())


def _watched_as(progress: Progress, report: Progress) -> Progress:
    """`report`, and whoever looks at what is shown to `progress` looks at what is shown to it."""
    return Watched(report, progress.look) if isinstance(progress, Watched) else report


def reported(items: Collection[T], progress: Progress, message: str = "") -> Iterator[T]:
    """Each of the items, after it is told how many are done; and when the last one is done, that all are."""
    for done, item in enumerate(items):
        progress(done, len(items), message)
        yield item
    progress(len(items), len(items), message)


class CancelFlag:
    """A switch that stops a job at its next report, from any thread."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    def cancel(self) -> None:
        """Ask the job to stop."""
        self._asked.set()

    @property
    def is_set(self) -> bool:
        """Whether somebody asked the job to stop."""
        return self._asked.is_set()

    def guard(self, progress: Progress = silent) -> Progress:
        """`progress`, but raising `Cancelled` once the flag is set."""

        def report(done: int, total: int, message: str = "") -> None:
            if self._asked.is_set():
                raise Cancelled
            progress(done, total, message)

        return _watched_as(progress, report)


def portion(progress: Progress, start: int, stop: int, total: int) -> Progress:
    """Progress of a sub-job that is the part from `start` to `stop` of a job of `total` steps.

    The outer progress is told in thousandths of a step, so that it stays in integers.
    """
    whole = total * 1000

    def report(done: int, total: int, message: str = "") -> None:
        share = (stop - start) * 1000 * done // max(total, 1)
        progress(start * 1000 + share, whole, message)

    return _watched_as(progress, report)
