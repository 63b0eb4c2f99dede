"""Workers by name, as the command line and SpikeInterface ask for them."""

from __future__ import annotations

from ncpgui.core.errors import InputError
from ncpgui.sorting.dask_workers import Dask
from ncpgui.sorting.executors import Threads, Workers
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


def check_choice(n_workers: object = None, *, parallel: str | None = None, dask: str | None = None) -> None:
    """Refuse workers that cannot be, before any is started or asked.

    Raises
    ------
    InputError
        Another name, less than one worker, or both processes and a cluster.
    """
    if n_workers is not None and (not isinstance(n_workers, int) or n_workers < 1):
        raise InputError(f"the number of workers must be a whole number from 1 on, got {n_workers!r}")
    if parallel is not None and parallel not in PARALLEL:
        raise InputError(f"parallel must be 'threads' or 'processes', got '{parallel}'")
    if dask is not None and parallel is not None:
        raise InputError(
            f"spikes are sampled by {parallel} of this machine or by the Dask cluster {dask}; leave one out"
        )
