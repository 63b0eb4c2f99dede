"""Tries with fresh folders, a few by `make test` and a thousand by the slow tests."""

from __future__ import annotations

import gc
import resource
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.foreign_files import SECRET, outside_of
from tests.fuzz.mutations import CASES, fixed

cases = pytest.mark.parametrize(
    "n", [pytest.param(CASES, id="some"), pytest.param(max(1000, CASES), id="many", marks=pytest.mark.slow)]
)
MOST_SECONDS, MOST_BYTES = 20, 4 * 2**30
"""What a reader may take of the processor and of memory for a file, though that says to be large."""
Check = Callable[[st.DataObject, Path, Path], None]


def try_many(n: int, folder: Path, check: Check) -> None:
    """Call `check(data, case, outside)` with two fresh folders, `n` times.

    What lies outside may not be changed, no pickle may be loaded, and nothing may take long or much memory.
    """

    @settings(fixed, max_examples=n)
    @given(st.data())
    def each(data: st.DataObject) -> None:
        for name in ("case", "outside"):
            shutil.rmtree(folder / name, ignore_errors=True)
            (folder / name).mkdir()
        outside = outside_of(folder / "outside")
        before = sorted(path.name for path in folder.iterdir())
        with bounded():
            check(data, folder / "case", outside)
        assert not (outside / "was run").exists(), "a pickle was loaded"
        assert (outside / "secret").read_text() == SECRET, "a file outside was changed"
        assert sorted(path.name for path in folder.iterdir()) == before, "a file was made outside"

    each()
    gc.collect()  # files that libraries left open are closed here, and not while another test looks
    gc.freeze()  # what is left stays: the next test looks for garbage among what is new only


class TooMuchError(BaseException):
    """A reader takes too long; no library catches it."""


@contextmanager
def bounded() -> Iterator[None]:
    """Stop a block that takes too much time of the processor, and give it no more memory than it may take."""

    def stop(*_: object) -> None:
        raise TooMuchError(f"a reader takes more than {MOST_SECONDS} seconds")

    limit = resource.getrlimit(resource.RLIMIT_DATA)
    handler = signal.signal(signal.SIGPROF, stop)
    if (status := Path("/proc/self/status")).is_file():
        now_bytes = int(status.read_text().partition("VmData:")[2].split()[0]) * 1024
        most = now_bytes + MOST_BYTES
        if limit[1] != resource.RLIM_INFINITY:
            most = min(most, limit[1])
        resource.setrlimit(resource.RLIMIT_DATA, (most, limit[1]))
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_DATA, limit)
        signal.signal(signal.SIGPROF, handler)
