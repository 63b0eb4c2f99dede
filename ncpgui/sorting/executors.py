"""Tasks run side by side: on threads of this process, in processes of their own, or on a Dask cluster.

A task is a function of its values alone, with its own seed, so that the result depends neither on where it
runs nor on what runs beside it. `Workers` say where: `Threads` here, `Processes` in `process_workers`, `Dask`
in `dask_workers`; each is a `concurrent.futures` executor and a board on which tasks report.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import ClassVar, Generic, Protocol, TypeVar

import numpy as np

from ncpgui.core.allocator import give_back
from ncpgui.core.arguments import whole_number
from ncpgui.core.errors import WorkerError
from ncpgui.core.progress import CancelFlag, Cancelled, Progress

MAX_WORKERS = 4
"""More threads than this wait for Python's lock: it is held for a seventh of a step."""
MAX_LOSSES = 3
"""A task that was running when a worker was lost is begun again so many times."""
POLL_S = 0.05

T = TypeVar("T")
Task = Callable[[Progress], T]


class Workers(Protocol):
    """Where tasks run, and how many of them at a time."""

    @property
    def n_workers(self) -> int:
        """Tasks at a time on this machine."""

    def pool(self, n_tasks: int, n_workers: int) -> Pool:
        """Return a new pool for tasks 0 .. n_tasks - 1, at most `n_workers` of them at a time."""


class Pool(ABC):
    """Tasks that run, and how far each is.

    reached : share of each task that is done, negative before it begins
    """

    reached: MutableSequence[float]
    executor: Executor

    stops_from_anywhere: ClassVar[bool] = False
    """Whether `stop` may be called on the thread of a worker that has just ended."""

    @abstractmethod
    def submit(self, number: int, task: Task[T]) -> Future[T]:
        """Have a task run that reports as `number`."""

    @abstractmethod
    def stop(self) -> None:
        """Have running tasks end, at their next report or before; nobody asks for results any more."""

    def close(self) -> None:
        """Drop what has not begun, and wait for what has."""
        self.executor.shutdown(wait=True, cancel_futures=True)


def run_task(task: Task[T], report: Callable[[float], None]) -> T:
    """Run a task where a worker is; `report` is told the share that is done, and may raise `Cancelled`."""

    def progress(done: int, total: int, message: str = "") -> None:
        report(min(done / max(total, 1), 1.0))

    try:
        progress(0, 1)
        return task(progress)
    finally:
        give_back()


class Threads:
    """Threads of this process.

    A step of the sampler spends most of its time in matrix products, which let go of Python's lock.

    n_workers : tasks at a time; as many as there are cores, up to four, when None
    """

    def __init__(self, n_workers: int | None = None) -> None:
        self.n_workers = default_workers() if n_workers is None else n_workers_of(n_workers)

    def pool(self, n_tasks: int, n_workers: int) -> Pool:
        """Return a new pool of threads."""
        return _ThreadPool(n_tasks, n_workers)


class _ThreadPool(Pool):
    stops_from_anywhere = True

    def __init__(self, n_tasks: int, n_workers: int) -> None:
        self.reached = [-1.0] * n_tasks
        self.executor = ThreadPoolExecutor(n_workers)
        self._flag = CancelFlag()

    def submit(self, number: int, task: Task[T]) -> Future[T]:
        return self.executor.submit(run_task, task, partial(self._report, number))

    def stop(self) -> None:
        self._flag.cancel()

    def _report(self, number: int, share: float) -> None:
        if self._flag.is_set:
            raise Cancelled
        self.reached[number] = share


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_workers() -> int:
    """Cores that this process may use, at most `MAX_WORKERS`."""
    return max(1, min(usable_cores(), MAX_WORKERS))


def n_workers_of(n_workers: object) -> int:
    """Return a number of workers; InputError unless it is a whole number from 1 on."""
    return whole_number(n_workers, "the number of workers", least=1)


def workers_of(workers: Workers | int | None) -> Workers:
    """Return so many threads where a number is given, as many as there are cores (up to four) for None."""
    return Threads(workers) if workers is None or isinstance(workers, int) else workers


def run_all(
    tasks: Sequence[Task[T]],
    *,
    names: Sequence[str],
    sizes: Sequence[int],
    workers: Workers | int | None = None,
    progress: Progress,
    fatal: tuple[type[Exception], ...] = (),
    known: Mapping[int, T] | None = None,
    finished: Callable[[int, T], None] | None = None,
) -> list[T | Exception]:
    """Run tasks and return the result of each in their order, or the exception it ended with.

    Progress is told on the calling thread only. When it raises (`Cancelled`), or a task raises one of
    `fatal`, tasks that have not begun are dropped, the others are stopped, and the exception is passed on.

    When a worker process is lost, what it did is done again, up to `MAX_LOSSES` times; then the task ends
    with `WorkerError`. Tasks that were running at the time of a loss run one by one, so that one that brings
    its worker down takes no other with it.

    Parameters
    ----------
    tasks : callables that take a `Progress`; for processes and Dask, they and what they return can be pickled
    names : words for each task; sizes : how much of the whole each task is
    workers : where they run; a number is that many threads
    known : results of tasks that were done before, and are not run
    finished : told the number and the result of each task that ends well, on the calling thread
    """
    place = workers_of(workers)
    run = _Run(tasks, names, sizes, progress, fatal, known or {}, finished)
    while left := run.left():
        fresh = [i for i in left if not run.losses[i]]
        run.go_on(place.pool(len(tasks), min(place.n_workers, len(fresh)) or 1), fresh or left)
    return [run.outcomes[i] for i in range(len(tasks))]


class _Run(Generic[T]):
    """Tasks, what became of each so far, and how often a worker was lost while it ran."""

    def __init__(
        self,
        tasks: Sequence[Task[T]],
        names: Sequence[str],
        sizes: Sequence[int],
        progress: Progress,
        fatal: tuple[type[Exception], ...],
        known: Mapping[int, T],
        finished: Callable[[int, T], None] | None,
    ) -> None:
        self._tasks, self._names = tasks, names
        self._progress, self._fatal, self._finished = progress, fatal, finished
        self._by_size = sorted(range(len(tasks)), key=lambda i: -sizes[i])
        self._size = np.asarray(sizes, np.float64)
        self._furthest = 0.0  # what is done again does not count a second time
        self._fatal_error: Exception | None = None
        self.outcomes: dict[int, T | Exception] = dict(known)
        self.losses: Counter[int] = Counter()

    def left(self) -> list[int]:
        """Tasks without an outcome, the largest first: none is alone at the end."""
        return [i for i in self._by_size if i not in self.outcomes]

    def go_on(self, pool: Pool, batch: Sequence[int]) -> None:
        """Run a batch of tasks in a pool to its end, or until a worker is lost."""
        futures: dict[Future[T], int] = {}
        done: SimpleQueue[Future[T]] = SimpleQueue()
        try:
            self._tell(pool)
            try:
                for i in batch:
                    future = pool.submit(i, self._tasks[i])
                    future.add_done_callback(partial(self._stop_if_fatal, pool))  # before the next begins
                    futures[future] = i
                    future.add_done_callback(done.put)
            except BrokenExecutor:
                pass  # a worker is lost already: the others wait for the next pool
            n_pending = len(futures)
            while n_pending:
                finished = _at_hand(done)
                n_pending -= len(finished)
                for future in finished:
                    outcome = self._outcome(future, futures[future])
                    if isinstance(outcome, self._fatal):
                        raise outcome
                    self.outcomes[futures[future]] = outcome
                    if self._finished is not None and not isinstance(outcome, Exception):
                        self._finished(futures[future], outcome)
                self._tell(pool)
        except BaseException:
            pool.stop()
            if self._fatal_error is not None:  # others may have heard of it before it was their turn here
                raise self._fatal_error from None
            raise
        finally:
            pool.close()
        self._take_back([i for i in batch if isinstance(self.outcomes.get(i), BrokenExecutor)], pool)

    def _stop_if_fatal(self, pool: Pool, future: Future[T]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, self._fatal):
            self._fatal_error = error
            if pool.stops_from_anywhere:
                pool.stop()

    def _outcome(self, future: Future[T], number: int) -> T | Exception:
        try:
            return future.result()
        except CancelledError:
            return WorkerError(
                f"{self._names[number]} was given up by the workers: the connection to them was lost, or "
                "somebody cancelled it there; start them again, and sort again"
            )
        except Exception as error:
            return error

    def _take_back(self, lost: Sequence[int], pool: Pool) -> None:
        """Have lost tasks done again, but for those that were running at too many losses."""
        for i in lost:
            del self.outcomes[i]
        for i in [i for i in lost if pool.reached[i] >= 0] or lost:
            self.losses[i] += 1
            if self.losses[i] > MAX_LOSSES:
                self.outcomes[i] = WorkerError(
                    f"a worker process ended {self.losses[i]} times at {self._names[i]}: it was killed, for "
                    "example because memory ran out, or could not start; sort fewer at a time, or on threads"
                )

    def _tell(self, pool: Pool) -> None:
        if not self._tasks:
            return
        reached = np.maximum(np.fromiter(pool.reached, np.float64, len(self._tasks)), 0)
        reached[list(self.outcomes)] = 1
        self._furthest = max(self._furthest, float(self._size @ reached))
        doing = next((self._names[i] for i in self._by_size if i not in self.outcomes), None)
        words = f"{len(self.outcomes)} of {len(self._tasks)} done, {doing}" if doing is not None else ""
        self._progress(int(1000 * self._furthest), 1000 * max(int(self._size.sum()), 1), words)


def _at_hand(done: SimpleQueue[T]) -> list[T]:
    """What has come in, after `POLL_S` at the latest; tasks that run are not looked at one by one."""
    result: list[T] = []
    with suppress(Empty):
        result.append(done.get(timeout=POLL_S))
        while True:
            result.append(done.get_nowait())
    return result
