"""Freed memory goes back to the system."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ncpgui.core import allocator


def test_elsewhere_nothing_happens(monkeypatch):
    monkeypatch.setattr(allocator, "_trim", lambda: None)
    allocator.give_back()


MEASURED = """
import sys
from pathlib import Path
import numpy as np
from ncpgui.core import allocator
def resident_mib():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
"""

GAPS = (
    MEASURED
    + """
before = resident_mib()
blocks = [np.ones(8_000) for _ in range(3_000)]  # 64 kB each: too small to be mapped on their own
kept = blocks[::100]
full = resident_mib()
del blocks
allocator.give_back()
print(full - before, resident_mib() - before, len(kept))
"""
)

LARGE_BLOCKS = (
    MEASURED
    + """
if sys.argv[1] == "mapped":
    allocator.map_large_blocks()
np.ones(3_900_000)  # 30 MiB, freed at once: from here on glibc keeps blocks of up to this size
before = resident_mib()
blocks = [(np.ones(2_400_000), np.ones(20_000)) for _ in range(8)]  # 18 MiB, and behind it one that stays
kept = [small for _, small in blocks]
del blocks
print(resident_mib() - before)
"""
)


def printed(script: str, *arguments: str, **environment: str) -> list[float]:
    """Numbers that a script prints in a process of its own: the heap of this one holds what tests left."""
    command = [sys.executable, "-c", script, *arguments]
    return [
        float(word)
        for word in subprocess.check_output(command, env=os.environ | environment, text=True).split()
    ]


def left_mib(how: str, **environment: str) -> float:
    """What stays resident of 146 MiB of large blocks that were freed."""
    return printed(LARGE_BLOCKS, how, **environment)[0]


@pytest.mark.skipif(allocator._trim() is None, reason="the allocator is not glibc's")
def test_what_lies_free_between_blocks_in_use_is_given_back():
    full_mib, left, n_kept = printed(GAPS)
    assert full_mib > 150
    assert left < 0.2 * full_mib
    assert n_kept == 30


@pytest.mark.skipif(allocator._trim() is None, reason="the allocator is not glibc's")
def test_large_blocks_leave_when_they_are_freed_whatever_was_freed_before():
    assert left_mib("as glibc has it") > 100
    assert left_mib("mapped") < 20


@pytest.mark.skipif(allocator._trim() is None, reason="the allocator is not glibc's")
def test_they_do_so_from_the_first_use_of_a_network_on():
    used = LARGE_BLOCKS.replace("allocator.map_large_blocks()", "from ncpgui.engine import cluster")
    assert printed(used, "mapped")[0] < 20


@pytest.mark.skipif(allocator._trim() is None, reason="the allocator is not glibc's")
def test_a_size_of_large_blocks_that_was_set_in_the_environment_stays():
    assert left_mib("mapped", MALLOC_MMAP_THRESHOLD_=str(31 << 20)) > 100
