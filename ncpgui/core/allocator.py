"""Memory that was freed goes back to the system."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any

LARGE_BYTES = 16 << 20
"""Blocks from this size on are of no heap. Steps that come again and again ask for smaller ones: the system
clears each page that it gives, which took a fifth of a sorting's time where blocks of 2 MiB were mapped."""

KEPT_BYTES = 64 << 20
"""So much may lie free at a heap's end before it is given back unasked."""

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3


def give_back() -> None:
    """Give freed memory back to the system, where the allocator would keep it (glibc's heap of each thread).

    What it keeps lies in gaps between blocks in use, and grows with the work that was done: worth the
    milliseconds after each large piece of work, such as the sampling of one group.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def map_large_blocks() -> None:
    """Take blocks of `LARGE_BYTES` or more from the system each, and give them back when they are freed.

    glibc does so at first, but learns from each such block that is freed to keep blocks of that size, up to
    32 MiB, in the heap of the thread. What was freed then lies in gaps that the next block does not fit, and
    a process takes twice the memory that it uses. A size that was set in the environment stays.
    """
    if "MALLOC_MMAP_THRESHOLD_" in os.environ:
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
    mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)


@cache
def _trim() -> Any:
    """glibc's malloc_trim; None elsewhere."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
