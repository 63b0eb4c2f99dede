"""What is timed in the process of a window, ours or another's: edits until they are painted, and memory.

It needs Python only, so that it runs in the environment of any program.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def since_start_s() -> float:
    """Seconds since this process was started, imports and all."""
    ticks = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    up = float(Path("/proc/uptime").read_text().split()[0])
    return up - int(ticks) / os.sysconf("SC_CLK_TCK")


def resident_mib() -> float:
    """Memory of this process and of those that it has started, shared memory once."""
    from benchmarks.common.process_memory import memory_mib

    return memory_mib(os.getpid())


def growth_mib(
    select: Callable[[list[Any]], object],
    ids: list[Any],
    settle: Callable[[], object],
    n_selections: int,
    *,
    rest: Callable[[], object] | None = None,
) -> float:
    """Memory that so many selections of one unit after the other leave behind.

    rest : waits for what goes on in the background; `settle` when left out
    """
    shown = itertools.cycle(ids)

    def some(n: int) -> float:
        for _ in range(n):
            select([next(shown)])
            settle()
        (rest or settle)()
        return resident_mib()

    before = some(50)
    return some(n_selections) - before


class Timings:
    """Wall and CPU milliseconds of each kind of edit, from the key to the paint.

    settle : goes on with the event loop until all that the edit changed is painted, and returns when that was
        (`time.perf_counter`)
    """

    def __init__(self, settle: Callable[[], float]) -> None:
        self.settle = settle
        self._taken: dict[str, list[tuple[float, float]]] = {}

    def take(self, what: str, do: Callable[[], object]) -> None:
        """Do something and time it until it is painted."""
        self.settle()
        wall, cpu = time.perf_counter(), time.process_time()
        do()
        took = 1000 * (self.settle() - wall), 1000 * (time.process_time() - cpu)
        self._taken.setdefault(what, []).append(took)

    def told(self) -> dict[str, dict[str, float]]:
        """Median and least of each kind, milliseconds, and how often it was done."""
        return {
            what: {
                "median": statistics.median(wall for wall, _ in taken),
                "least": min(wall for wall, _ in taken),
                "most": max(wall for wall, _ in taken),
                "CPU": statistics.median(cpu for _, cpu in taken),
                "times": len(taken),
            }
            for what, taken in self._taken.items()
        }


def timed(
    asked: dict[str, Any],
    timings: Timings,
    n_spikes: int,
    edits: Callable[[Timings, int], object],
    select: Callable[[list[Any]], object],
    ids: list[Any],
) -> dict[str, Any]:
    """What is told of another program's window that is open: its start, edits, and what selections leave."""
    start = {"CPU s": time.process_time(), "wall s": since_start_s(), "MiB": resident_mib()}
    edits(timings, asked["repeats"])
    return {
        "start": start,
        "spikes": n_spikes,
        "MiB after edits": resident_mib(),
        "growth MiB": growth_mib(select, ids, timings.settle, asked["selections"]),
        "times": timings.told(),
    }


def job() -> dict[str, Any]:
    """What this process was asked to do: the JSON file that is its first argument."""
    asked: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    return asked


def answer(asked: dict[str, Any], found: dict[str, Any]) -> None:
    """Hand back what was found, and end at once: what still runs is of no interest."""
    Path(asked["out"]).write_text(json.dumps(found), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)
