"""Compiled loops side by side: they let go of Python's lock, so that threads are enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Event
from typing import TypeVar

from ncpgui.core.progress import Cancelled

_POLL_S = 0.05
Found = TypeVar("Found")
Report = Callable[[int], None]


def side_by_side(
    parts: Sequence[Callable[[Report], Found]], *, n_threads: int, report: Report
) -> list[Found]:
    """Call `parts`, as many as `n_threads` at a time, and return what each has found, in their order.

    Parameters
    ----------
    parts : each is called with a function that it tells how much it has done, and that may end it
    report : told how much all have done, on the calling thread; what it raises ends them, and is passed on
    """
    done = [0] * len(parts)
    if n_threads == 1 or len(parts) == 1:
        return [part(partial(_told, done, i, report)) for i, part in enumerate(parts)]
    stopped = Event()

    def tell(i: int, n_done: int) -> None:
        if stopped.is_set():
            raise Cancelled
        done[i] = n_done

    with ThreadPoolExecutor(n_threads) as pool:
        try:
            calls = [pool.submit(part, partial(tell, i)) for i, part in enumerate(parts)]
            report(0)
            while wait(calls, timeout=_POLL_S).not_done:
                report(sum(done))
            return [call.result() for call in calls]
        except BaseException:
            stopped.set()
            raise


def _told(done: list[int], i: int, report: Report, n_done: int) -> None:
    done[i] = n_done
    report(sum(done))
