"""Tasks that other processes can import, and workers to run them on."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.progress import Progress


class Square:
    """n squared, and the process that says so."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __call__(self, report: Progress) -> tuple[int, int]:
        report(1, 2)
        return self.n**2, os.getpid()


class Fails:
    """Ends with an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, report: Progress) -> int:
        raise self.error


class Endless:
    """Reports until somebody stops it, and says once that it began."""

    def __init__(self, began: Path) -> None:
        self.began = began

    def __call__(self, report: Progress) -> int:
        self.began.touch()
        while True:
            report(1, 2)


class NeverReports:
    """Says once that it began, and then nothing any more."""

    def __init__(self, began: Path) -> None:
        self.began = began

    def __call__(self, report: Progress) -> int:
        self.began.touch()
        while True:
            pass


class KillsItsWorker:
    """Kills the process that runs it the first `times` times, then returns how often it began."""

    def __init__(self, folder: Path, times: int) -> None:
        self.folder, self.times = folder, times

    def __call__(self, report: Progress) -> int:
        report(1, 2)
        began = len(list(self.folder.iterdir()))
        (self.folder / str(began)).touch()
        if began < self.times:
            os.kill(os.getpid(), signal.SIGKILL)
        return began + 1


def threads_of_libraries(report: Progress) -> list[int]:
    """How many threads each numeric library of the process would use, torch among them."""
    import torch

    np.ones((2, 2)) @ np.ones((2, 2))
    return [library["num_threads"] for library in threadpool_info()] + [torch.get_num_threads()]


planted_error = Fails(InputError("planted"))
no_model = Fails(CheckpointError("no such model"))


@contextmanager
def dask_cluster(n_workers: int = 2) -> Iterator[Any]:
    """A client of a Dask cluster of processes on this machine; the test is skipped without Dask."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed (extra dask)")
    with (
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
