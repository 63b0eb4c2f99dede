"""A runner of tasks that waits to be told: what a test does in between happens while work runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from ncpgui.app.work.tasks import Lane, Task
from ncpgui.core.progress import CancelFlag, Cancelled, Watched


class Later:
    """Runs tasks when asked: `work` does the work of the next task, `deliver` hands over its result."""

    def __init__(self) -> None:
        self.waiting: list[Task] = []
        self._made: list[tuple[Task, Callable[[], None]]] = []
        self._flag = CancelFlag()

    def submit(self, task: Task) -> None:
        """Put a task in the queue."""
        if task.key is not None:
            self.cancel_key(task.key)
        self.waiting.append(task)

    def work(self, lane: Lane | None = None) -> None:
        """Do the work of the next task, as another thread would; nobody is told yet."""
        task = max(
            (t for t in self.waiting if lane is None or t.lane == lane),
            key=lambda t: t.priority,
            default=None,
        )
        assert task is not None, "nothing waits"
        self.waiting.remove(task)
        self._flag = CancelFlag()

        def report(done: int, total: int, message: str = "") -> None:
            task.progressed(done / max(total, 1), message)

        task.started()
        try:
            value: Any = task.work(self._flag.guard(Watched(report, task.seen)))
        except Cancelled:
            return
        except Exception as error:
            failure = error
            self._made.append((task, lambda: task.failed(failure)))
        else:
            self._made.append((task, lambda: task.done(value)))

    def deliver(self) -> None:
        """Hand over the results that were made."""
        made, self._made = self._made, []
        for _, tell in made:
            tell()

    def run(self, lane: Lane | None = None) -> None:
        """Work and deliver until nothing waits."""
        self.deliver()
        while any(lane is None or task.lane == lane for task in self.waiting):
            self.work(lane)
            self.deliver()

    def promote(self, key: Hashable, priority: float) -> None:
        """Give a waiting task another priority."""
        self.waiting = [replace(t, priority=priority) if t.key == key else t for t in self.waiting]

    def cancel(self, lane: Lane) -> None:
        """Drop what waits in a lane, and what is on its way."""
        self._drop(lambda task: task.lane == lane)

    def cancel_key(self, key: Hashable) -> None:
        """Drop what has this key."""
        self._drop(lambda task: task.key == key)

    def _drop(self, is_meant: Callable[[Task], bool]) -> None:
        dropped = [task for task in (*self.waiting, *(task for task, _ in self._made)) if is_meant(task)]
        self.waiting = [task for task in self.waiting if task not in dropped]
        self._made = [(task, tell) for task, tell in self._made if task not in dropped]
        for task in dropped:
            task.cancelled()

    def is_busy(self, lane: Lane) -> bool:
        """Whether a task of the lane waits or is on its way."""
        return any(task.lane == lane for task in (*self.waiting, *(task for task, _ in self._made)))
