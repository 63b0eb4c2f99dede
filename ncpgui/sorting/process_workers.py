"""Processes of this machine as workers: each has its own Python, so that none waits for another's lock."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from multiprocessing.connection import wait
from typing import Any

from ncpgui.sorting.executors import POLL_S, Pool, T, Task, n_workers_of, run_task, usable_cores
from ncpgui.sorting.main_guard import check_main_guard

THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Processes:
    """Processes that are started for the tasks, with one thread of computing each.

    A script that uses them does so under ``if __name__ == "__main__":``, as each process imports it.

    n_workers : tasks at a time; as many as there are cores when None
    """

    def __init__(self, n_workers: int | None = None) -> None:
        self.n_workers = usable_cores() if n_workers is None else n_workers_of(n_workers)

    def pool(self, n_tasks: int, n_workers: int) -> Pool:
        """Return a new pool of processes.

        Raises
        ------
        InputError
            They would run the script of their caller again.
        """
        check_main_guard()
        return _ProcessPool(n_tasks, n_workers)


class _ProcessPool(Pool):
    """The board is memory that the processes share, without a lock that a killed one could keep."""

    def __init__(self, n_tasks: int, n_workers: int) -> None:
        context = multiprocessing.get_context(
            "spawn"
        )  # a fork would copy the locks of this process's threads
        self.reached = context.RawArray("d", [-1.0] * n_tasks)
        self._stopped = context.RawValue("b", 0)
        self.executor = ProcessPoolExecutor(
            n_workers, context, initializer=_begin, initargs=(self.reached, self._stopped)
        )

    def submit(self, number: int, task: Task[T]) -> Future[T]:
        return self.executor.submit(_run, number, task)

    def stop(self) -> None:
        self._stopped.value = 1


_reached: Any = None
"""Of this process, where it is a worker: the shares of all tasks, which its parent reads."""


def _begin(reached: Any, stopped: Any) -> None:
    from threadpoolctl import threadpool_limits

    global _reached
    _reached = reached
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which stops the tasks
    threading.Thread(target=_end_when_nobody_waits, args=(stopped,), daemon=True).start()
    for name in THREAD_VARIABLES:
        os.environ[name] = "1"  # read by the libraries that are still to be loaded, as torch is
    threadpool_limits(1)


def _end_when_nobody_waits(stopped: Any) -> None:
    """End this process, in the middle of a task too, when tasks were stopped or the parent is gone."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    while not stopped.value and not wait([parent.sentinel], timeout=POLL_S):
        pass
    os._exit(1)


def _run(number: int, task: Task[T]) -> T:
    return run_task(task, partial(_reached.__setitem__, number))
