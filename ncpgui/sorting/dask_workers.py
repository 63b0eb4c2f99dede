"""Workers of a Dask cluster, on this machine or on many (extra ``dask``)."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from ncpgui import __version__
from ncpgui.core.arguments import shown
from ncpgui.core.errors import InputError, WorkerError
from ncpgui.core.progress import Cancelled
from ncpgui.sorting.executors import Pool, T, Task, default_workers, n_workers_of, run_task

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S = 10.0
REPORT_S = 0.5
"""A running task tells the scheduler how far it is, and asks whether to stop, no more often than this."""


class Dask:
    """The workers of a Dask cluster; work of one that is lost is done again by the others.

    cluster : address of the scheduler, such as "tcp://10.0.0.7:8786", or a `dask.distributed.Client`
    n_workers : of steps that run on this machine; cores, up to four, when None

    Raises
    ------
    InputError
        Dask is not installed, or the address is none.
    WorkerError
        No scheduler answers, or a worker lacks this version of ncpgui.
    """

    def __init__(self, cluster: str | Client, n_workers: int | None = None) -> None:
        self.n_workers = default_workers() if n_workers is None else n_workers_of(n_workers)
        self.client = _connected(cluster) if isinstance(cluster, str) else cluster
        if not hasattr(self.client, "get_executor"):
            raise InputError(
                "a Dask cluster is the address of its scheduler, or a dask.distributed.Client, got "
                + shown(cluster)
            )
        _check_versions(self.client)

    def pool(self, n_tasks: int, n_workers: int) -> Pool:
        """Return a board on the cluster; how many tasks run at a time is for the cluster to say."""
        return _DaskPool(n_tasks, self.client)


def _connected(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError(
            f"sorting on a Dask cluster needs dask.distributed ({error}); pip install distributed"
        ) from error
    try:
        return Client(address, timeout=CONNECT_S, set_as_default=False)
    except ValueError as error:
        raise InputError(
            f"'{address}' is not the address of a Dask scheduler ({error}); give one such as "
            "tcp://10.0.0.7:8786, which 'dask scheduler' prints"
        ) from error
    except OSError as error:
        raise WorkerError(
            f"no Dask scheduler answers at {address} within {CONNECT_S:g} s; check the address, or start one "
            "with 'dask scheduler' and its workers with 'dask worker ADDRESS'"
        ) from error


def _installed_version() -> str:
    return __version__


def _check_versions(client: Client) -> None:
    """Refuse workers that would fail at each task, or do something else."""
    for worker, version in client.run(_installed_version, on_error="return").items():
        if version != __version__:
            raise WorkerError(
                f"every Dask worker needs ncpgui {__version__}, as here, but {worker} has "
                f"{version if isinstance(version, str) else f'none ({version})'}; install it there"
            )


class _DaskPool(Pool):
    def __init__(self, n_tasks: int, client: Client) -> None:
        from distributed import Event

        self.reached = [-1.0] * n_tasks
        self.executor = client.get_executor(pure=False)
        self._client = client
        self._topic = f"ncpgui-{uuid.uuid4().hex}"
        self._stopped = Event(self._topic, client=client)
        self._futures: list[Future[Any]] = []
        client.subscribe_topic(self._topic, self._hear)

    def _hear(self, event: tuple[float, tuple[int, float]]) -> None:
        number, share = event[1]
        self.reached[number] = share

    def submit(self, number: int, task: Task[T]) -> Future[T]:
        future: Future[T] = self.executor.submit(_run, number, task, self._topic)
        self._futures.append(future)
        return future

    def stop(self) -> None:
        if self._client.status == "running":  # else nobody is there to be told
            self._stopped.set()
        for future in self._futures:
            future.cancel()

    def close(self) -> None:
        if self._client.status == "running":
            self._client.unsubscribe_topic(self._topic)
            self.executor.shutdown(wait=False)


def _run(number: int, task: Task[T], topic: str) -> T:
    from distributed import Event, get_worker

    stopped = Event(topic)
    last = -REPORT_S

    def report(share: float) -> None:
        nonlocal last
        if time.monotonic() - last < REPORT_S:
            return
        last = time.monotonic()
        if stopped.is_set():
            raise Cancelled
        get_worker().log_event(topic, (number, share))

    return run_task(task, report)
