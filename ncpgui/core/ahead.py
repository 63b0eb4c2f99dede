"""Results in order, of which threads compute the next ones while somebody looks at the last."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

N_THREADS = 2

Item = TypeVar("Item")
Result = TypeVar("Result")


def ahead(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield what a function returns of each item, in their order; at most three results are waiting.

    What it raises is raised when it is the item's turn. It should let go of Python's lock, and change nothing
    that others look at.
    """
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(N_THREADS) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > N_THREADS:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
