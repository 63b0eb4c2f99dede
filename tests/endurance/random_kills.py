"""Programs that are killed (SIGKILL) at moments drawn at random, like a machine that loses its power."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

KILLS = int(os.environ.get("NCPGUI_KILLS", "3"))
"""How often each command is killed; `make soak` kills it 25 times."""
ENDED, KILLED = "ended", "killed"


def command(*words: object) -> list[str]:
    """A command line of ncpgui in a process of its own."""
    return [sys.executable, "-m", "ncpgui", *map(str, words)]


def lasting(words: Sequence[str], folder: Path) -> float:
    """Run a program to its end and return how many seconds that took."""
    started = time.perf_counter()
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return time.perf_counter() - started


def moments(seconds: float, n: int, *, seed: int) -> Iterator[float]:
    """Draw moments of a program that lasts so long: one in each n-th of it, the last ones twice as dense."""
    rng = np.random.default_rng(seed)
    yield from seconds * np.sqrt((np.arange(n) + rng.random(n)) / n)


def killed_after(words: Sequence[str], folder: Path, seconds: float) -> tuple[str, str]:
    """Start a program and kill it after so long; how it ended, and what it printed until then."""
    with subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            out, _ = process.communicate(timeout=seconds)
            assert process.returncode == 0, f"it failed with {process.returncode} instead"
            return ENDED, out
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
            return KILLED, out
