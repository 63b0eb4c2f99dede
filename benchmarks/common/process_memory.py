"""Memory of a process and of all that it has started, as Linux tells it."""

from __future__ import annotations

import threading
from pathlib import Path

PROC = Path("/proc")
POLL_S = 0.5


def descendants(pid: int) -> list[int]:
    """Return a process and all that it has started, and they in turn."""
    parents: dict[int, list[int]] = {}
    for place in PROC.glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
        parents.setdefault(parent, []).append(int(place.name))
    found = [pid]
    for one in found:
        found += parents.get(one, [])
    return found


def memory_mib(pid: int) -> float:
    """Return what a process and its descendants hold, shared memory once; 0 where there is no /proc."""
    total = 0
    for one in descendants(pid):
        try:
            lines = (PROC / str(one) / "smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended, or this is not Linux
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 2**10


class PeakMemory:
    """Largest `memory_mib` of a process while a block runs, looked at twice a second: ``peak.mib``."""

    def __init__(self, pid: int) -> None:
        self.mib = 0.0
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            self.mib = max(self.mib, memory_mib(self._pid))
            if self._over.wait(POLL_S):
                return
