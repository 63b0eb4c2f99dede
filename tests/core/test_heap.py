"""Freed memory goes back to the system."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core import heap


def resident_mib() -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


@pytest.mark.skipif(heap._trim() is None, reason="the allocator is not glibc's")
def test_what_lies_free_between_blocks_in_use_is_given_back():
    before = resident_mib()
    blocks = [np.ones(8_000) for _ in range(3_000)]  # 64 kB each: too small to be mapped on their own
    kept = blocks[::100]
    full = resident_mib()
    del blocks
    heap.give_back()
    assert full - before > 150
    assert resident_mib() - before < 0.2 * (full - before)
    assert len(kept) == 30


def test_elsewhere_nothing_happens(monkeypatch):
    monkeypatch.setattr(heap, "_trim", lambda: None)
    heap.give_back()
