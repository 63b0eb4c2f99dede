"""Memory that was freed goes back to the system."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any


def give_back() -> None:
    """Give freed memory back to the system, where the allocator would keep it (glibc's heap of each thread).

    What it keeps lies in gaps between blocks in use, and grows with the work that was done: worth the
    milliseconds after each large piece of work, such as the sampling of one group.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """glibc's malloc_trim; None elsewhere."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
