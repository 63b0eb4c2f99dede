"""A runner of tasks that waits to be told: what a test does in between happens while work runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ncpgui.app.work.tasks import Immediate, Lane, Task
from ncpgui.core.progress import CancelFlag, Cancelled, Watched


class Later(Immediate):
    """Runs tasks when asked: `work` does the work of the next task, `deliver` hands over its result."""

    def __init__(self) -> None:
        super().__init__()
        self._made: list[tuple[Task, Callable[[], None]]] = []

    @property
    def waiting(self) -> list[Task]:
        """Tasks whose work is not done yet."""
        return self._waiting

    def submit(self, task: Task) -> None:
        """Put a task in the queue."""
        if task.key is not None:
            self.cancel_key(task.key)
        self._waiting.append(task)

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

    def _drop(self, is_meant: Callable[[Task], bool]) -> None:
        """Drop what waits and what is on its way."""
        dropped = [task for task, _ in self._made if is_meant(task)]
        self._made = [(task, tell) for task, tell in self._made if task not in dropped]
        super()._drop(is_meant)
        for task in dropped:
            task.cancelled()

    def is_busy(self, lane: Lane) -> bool:
        """Whether a task of the lane waits or is on its way."""
        return super().is_busy(lane) or any(task.lane == lane for task, _ in self._made)
