"""Compiled loops side by side: they let go of Python's lock, so that threads are enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import TypeVar

from ncpgui.core.progress import CancelFlag, Cancelled

_POLL_S = 0.05
Found = TypeVar("Found")
Report = Callable[[int], None]


def on_threads(parts: Sequence[Callable[[Report], Found]], *, n_threads: int, report: Report) -> list[Found]:
    """Call `parts`, as many as `n_threads` at a time, and return what each has found, in their order.

    Parameters
    ----------
    parts : each is called with a function that it tells how much it has done, and that may end it
    report : told how much all have done, on the calling thread; what it raises ends them, and is passed on
    """
    done = [0] * len(parts)
    one_at_a_time = n_threads == 1 or len(parts) == 1
    flag = CancelFlag()

    def tell(i: int, n_done: int) -> None:
        if flag.is_set:
            raise Cancelled
        done[i] = n_done
        if one_at_a_time:
            report(sum(done))

    calls = [partial(part, partial(tell, i)) for i, part in enumerate(parts)]
    if one_at_a_time:
        return [call() for call in calls]
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            running = [pool.submit(call) for call in calls]
            report(0)
            while wait(running, timeout=_POLL_S).not_done:
                report(sum(done))
            return [one.result() for one in running]
        except BaseException:
            flag.cancel()
            raise
