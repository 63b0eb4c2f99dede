"""Long work as values: what to run elsewhere, and what to do here with its result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from ncpgui.core.progress import CancelFlag, Cancelled, Progress, Watched

Lane = Literal["work", "view", "io", "export"]
"""Tasks of a lane run one after the other: sampling; what the screen waits for; sessions; exports."""

LANES: tuple[Lane, ...] = ("work", "view", "io", "export")

ONCE_SETTLED_S = 0.25
"""So long after an edit is painted, what takes seconds begins: what short tasks found is painted by then too,
and who goes on at once does not wait for it."""


def _nothing(*_: Any) -> None:
    """Do nothing."""


@dataclass(frozen=True, eq=False)
class Task:
    """One piece of long work.

    work : called on another thread with a `Progress`; takes values and returns values
    done, failed, cancelled, progressed, started : called on the window's thread
    seen : called there with what the work has found so far, where it shows that
    key : a newer task with the same key takes the place of an older one, whose result is dropped
    priority : the largest of a lane runs first; equal ones in order of arrival
    after_s : it does not begin sooner after what asked for it is painted; others of its lane go before it
        meanwhile
    """

    words: str
    work: Callable[[Progress], Any]
    done: Callable[[Any], None] = _nothing
    failed: Callable[[Exception], None] = _nothing
    cancelled: Callable[[], None] = _nothing
    progressed: Callable[[float, str], None] = _nothing
    seen: Callable[[Any], None] = _nothing
    started: Callable[[], None] = _nothing
    key: Hashable = None
    lane: Lane = "work"
    priority: float = 0.0
    after_s: float = 0.0


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


def closed_if_dropped(task: Task, close: Callable[[Any], None]) -> Task:
    """`task`, but a result that is dropped is closed: an open session would stay locked.

    A task can be dropped while it runs on its thread, or when its result is on its way here.
    """
    mutex = threading.Lock()
    made: list[Any] = []
    dropped = threading.Event()

    def work(progress: Progress) -> Any:
        value = task.work(progress)
        with mutex:
            if not dropped.is_set():
                made.append(value)
                return value
        close(value)
        raise Cancelled

    def done(value: Any) -> None:
        made.clear()
        task.done(value)

    def cancelled() -> None:
        with mutex:
            dropped.set()
        while made:
            close(made.pop())
        task.cancelled()

    return replace(task, work=work, done=done, cancelled=cancelled)


class Immediate:
    """Runs each task at once on this thread: for pictures without a window, and for tests.

    Otherwise as `Workers` does: by priority, a newer task in place of an older one with its key,
    and a running one that is cancelled stops at its next report.
    """

    def __init__(self) -> None:
        self._waiting: list[Task] = []
        self._running: Task | None = None
        self._flag = CancelFlag()
        self._is_draining = False

    def submit(self, task: Task) -> None:
        """Run the task, and those that it submits, before the first call returns."""
        if task.key is not None:
            self.cancel_key(task.key)
        self._waiting.append(task)
        if self._is_draining:
            return
        self._is_draining = True
        try:
            while self._waiting:
                best = max(self._waiting, key=lambda t: t.priority)
                self._waiting.remove(best)
                self._run(best)
        finally:
            self._is_draining = False

    def _run(self, task: Task) -> None:
        self._running, self._flag = task, CancelFlag()
        flag = self._flag

        def report(done: int, total: int, message: str = "") -> None:
            task.progressed(done / max(total, 1), message)

        task.started()
        try:
            value = task.work(flag.guard(Watched(report, task.seen)))
        except Cancelled:
            self._running = None
            if not flag.is_set:
                task.cancelled()
        except Exception as error:
            self._running = None
            if not flag.is_set:
                task.failed(error)
        else:
            self._running = None
            if not flag.is_set:
                task.done(value)

    def promote(self, key: Hashable, priority: float) -> None:
        """Give a waiting task another priority."""
        self._waiting = [replace(t, priority=priority) if t.key == key else t for t in self._waiting]

    def cancel(self, lane: Lane) -> None:
        """Drop what waits in a lane and stop what runs."""
        self._drop(lambda task: task.lane == lane)

    def cancel_key(self, key: Hashable) -> None:
        """Drop or stop the tasks with this key."""
        self._drop(lambda task: task.key == key)

    def _drop(self, is_meant: Callable[[Task], bool]) -> None:
        for task in [t for t in self._waiting if is_meant(t)]:
            self._waiting.remove(task)
            task.cancelled()
        if self._running is not None and is_meant(self._running) and not self._flag.is_set:
            self._flag.cancel()
            self._running.cancelled()

    def is_busy(self, lane: Lane) -> bool:
        """Whether a task of the lane runs or waits."""
        running = [] if self._running is None or self._flag.is_set else [self._running]
        return any(task.lane == lane for task in (*self._waiting, *running))
