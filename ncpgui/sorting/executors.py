"""Where channel groups run: several at a time on threads of this process.

A step of the sampler spends most of its time in matrix products, which let go of Python's lock, so
that threads share the cores; each group has its own seed, so that the result does not depend on them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from ncpgui.core.progress import CancelFlag, Progress

MAX_WORKERS = 4
"""More threads than this wait for Python's lock: it is held for a seventh of a step."""
POLL_S = 0.05

T = TypeVar("T")


def default_workers() -> int:
    """Cores that this process may use, at most `MAX_WORKERS`."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(usable, MAX_WORKERS))


def run_all(
    tasks: Sequence[Callable[[Progress], T]],
    *,
    names: Sequence[str],
    sizes: Sequence[int],
    workers: int,
    progress: Progress,
    fatal: tuple[type[Exception], ...] = (),
) -> list[T | Exception]:
    """Run tasks, `workers` at a time, and return the result of each, or the exception it ended with.

    Progress is told on the calling thread only. When it raises (`Cancelled`), or a task raises one of
    `fatal`, the other tasks stop at their next report and the exception is passed on.

    names : words for each task; sizes : how much of the whole each task is
    """
    whole = max(sum(sizes), 1)
    reached = [0.0] * len(tasks)
    stop = CancelFlag()

    def run(i: int) -> T:
        def report(done: int, total: int, message: str = "") -> None:
            reached[i] = sizes[i] * min(done / max(total, 1), 1.0)

        guarded = stop.guard(report)
        guarded(0, 1)
        return tasks[i](guarded)

    largest_first = sorted(range(len(tasks)), key=lambda i: -sizes[i])  # none is left alone at the end

    def tell(pending: set[Future[T]] | None = None) -> None:
        left = [i for i in largest_first if pending is None or futures[i] in pending]
        words = f"{len(tasks) - len(left)} of {len(tasks)} done, {names[left[0]]}" if left else ""
        progress(int(1000 * sum(reached)), 1000 * whole, words)

    if tasks:
        tell()
    with ThreadPoolExecutor(max(1, min(workers, len(tasks)))) as pool:
        submitted = {i: pool.submit(run, i) for i in largest_first}
        futures = [submitted[i] for i in range(len(tasks))]
        pending = set(futures)
        try:
            while pending:
                finished, pending = wait(pending, timeout=POLL_S, return_when=FIRST_COMPLETED)
                for future in finished:
                    reached[futures.index(future)] = float(sizes[futures.index(future)])
                    error = future.exception()
                    if isinstance(error, fatal):
                        raise error
                tell(pending)
        except BaseException:
            stop.cancel()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    outcomes: list[T | Exception] = []
    for future in futures:
        try:
            outcomes.append(future.result())
        except Exception as error:
            outcomes.append(error)
    return outcomes
