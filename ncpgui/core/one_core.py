"""Products of matrices keep to one core while spikes are sorted or clustered: they are many, and small.

A library of matrix products divides each over all cores, and its threads wait for the next one by counting:
on two cores that was half of the CPU time of a sort. What runs side by side are channels, components, orders
of spikes and pieces of the traces, on threads of our own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
T = TypeVar("T")


def on_one_core(work: Callable[P, T]) -> Callable[P, T]:
    """Return `work`, during which each matrix product of NumPy and SciPy keeps to one core."""

    @wraps(work)
    def limited(*args: P.args, **kwargs: P.kwargs) -> T:
        with libraries().limit(limits=1, user_api="blas"):
            return work(*args, **kwargs)

    return limited


def libraries() -> ThreadpoolController:
    """Libraries with threads of their own that are loaded; `limit` keeps them to so many within a block."""
    return _libraries(len(sys.modules))


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Look for the libraries, which takes as long as a few spikes.

    n_modules : that Python has imported, since libraries come with modules
    """
    return ThreadpoolController()
