"""Long work as values: what to run elsewhere, and what to do here with its result."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ncpgui.core.progress import Progress, silent

Lane = Literal["work", "view", "io"]
"""Tasks of a lane run one after the other: sampling; what the screen waits for; files."""

LANES: tuple[Lane, ...] = ("work", "view", "io")


def _nothing(*_: Any) -> None:
    """Do nothing."""


@dataclass(frozen=True, eq=False)
class Task:
    """One piece of long work.

    work : called on another thread with a `Progress`; takes values and returns values
    done, failed, cancelled, progressed, started : called on the window's thread
    key : a newer task with the same key takes the place of an older one, whose result is dropped
    priority : the largest of a lane runs first; equal ones in order of arrival
    """

    words: str
    work: Callable[[Progress], Any]
    done: Callable[[Any], None] = _nothing
    failed: Callable[[Exception], None] = _nothing
    cancelled: Callable[[], None] = _nothing
    progressed: Callable[[float, str], None] = _nothing
    started: Callable[[], None] = _nothing
    key: Hashable = None
    lane: Lane = "work"
    priority: float = 0.0
    data: dict[str, Any] = field(default_factory=dict)


class Runner(Protocol):
    """Something that runs tasks (`ncpgui.gui.worker.Workers`, `Immediate`)."""

    def submit(self, task: Task) -> None:
        """Run a task when its turn comes."""

    def promote(self, key: Hashable, priority: float) -> None:
        """Give a waiting task another priority."""

    def cancel(self, lane: Lane) -> None:
        """Drop what waits in a lane and stop what runs."""

    def cancel_key(self, key: Hashable) -> None:
        """Drop or stop the task with this key; its result is not delivered."""

    def is_busy(self, lane: Lane) -> bool:
        """Whether something runs or waits in a lane."""


class Immediate:
    """Runs each task at once on this thread: for pictures without a window, and for tests."""

    def __init__(self) -> None:
        self._waiting: list[Task] = []
        self._running = False

    def submit(self, task: Task) -> None:
        """Run the task, and those that it submits, before the first call returns."""
        self._waiting.append(task)
        if self._running:
            return
        self._running = True
        try:
            while self._waiting:
                best = max(self._waiting, key=lambda t: t.priority)
                self._waiting.remove(best)
                self._run(best)
        finally:
            self._running = False

    def _run(self, task: Task) -> None:
        task.started()
        try:
            value = task.work(silent)
        except Exception as error:
            task.failed(error)
        else:
            task.done(value)

    def promote(self, key: Hashable, priority: float) -> None:
        """Do nothing: nothing waits."""

    def cancel(self, lane: Lane) -> None:
        """Drop what waits in a lane."""
        for task in [t for t in self._waiting if t.lane == lane]:
            self._waiting.remove(task)
            task.cancelled()

    def cancel_key(self, key: Hashable) -> None:
        """Drop the waiting task with this key."""
        self._waiting = [t for t in self._waiting if t.key != key]

    def is_busy(self, lane: Lane) -> bool:
        """Whether a task of the lane waits."""
        return any(task.lane == lane for task in self._waiting)
