"""Workers by name, as the command line and SpikeInterface ask for them."""

from __future__ import annotations

import numpy as np

from ncpgui.core.arguments import shown, whole_number
from ncpgui.core.errors import InputError
from ncpgui.sorting.dask_workers import Dask
from ncpgui.sorting.executors import Threads, Workers
from ncpgui.sorting.main_guard import check_main_guard
from ncpgui.sorting.process_workers import Processes

PARALLEL: dict[str, type[Threads] | type[Processes]] = {"threads": Threads, "processes": Processes}


def chosen_workers(
    n_workers: int | None = None, *, parallel: str | None = None, dask: str | None = None
) -> Workers:
    """Return `n_workers` threads or processes (as many as fit when None), or those of a Dask cluster.

    parallel : "threads" or "processes"; threads when None
    dask : address of a scheduler; `n_workers` are then of the steps that run on this machine

    Raises
    ------
    InputError
        As `check_choice`, or as `Dask`.
    WorkerError
        As `Dask`.
    """
    check_choice(n_workers, parallel=parallel, dask=dask)
    return PARALLEL[parallel or "threads"](n_workers) if dask is None else Dask(dask, n_workers)


def checked_workers(workers: object) -> Workers:
    """Return workers that can start: as they are given, or so many threads (as many as fit when None).

    Raises
    ------
    InputError
        Something else, less than one, or processes that would run the script of their caller again.
    """
    if workers is None or (isinstance(workers, (int, np.integer)) and workers is not True):
        return Threads(None if workers is None else int(workers))
    if isinstance(workers, type) or not hasattr(workers, "pool"):
        raise InputError(
            f"workers must be a whole number from 1 on, or Threads, Processes or Dask, got {shown(workers)}"
        )
    if isinstance(workers, Processes):
        check_main_guard()
    return workers  # type: ignore[return-value]


def check_choice(n_workers: object = None, *, parallel: str | None = None, dask: str | None = None) -> None:
    """Refuse workers that cannot be, before any is started or asked.

    Raises
    ------
    InputError
        Another name, less than one worker, or both processes and a cluster.
    """
    if n_workers is not None:
        whole_number(n_workers, "the number of workers", least=1)
    if parallel is not None and parallel not in PARALLEL:
        raise InputError(f"parallel must be 'threads' or 'processes', got '{parallel}'")
    if dask is not None and not isinstance(dask, str):
        raise InputError(f"dask must be the address of a scheduler, got {shown(dask)}")
    if dask is not None and parallel is not None:
        raise InputError(
            f"spikes are sampled by {parallel} of this machine or by the Dask cluster {dask}; leave one out"
        )
