"""One recording on 1, 2 and 4 Dask workers: what each step costs and sends, and what a lost worker costs.

    python -m benchmarks.speed.dask_workers [--workers 1 2 4] [--contacts 32] [--seconds 10]

The workers are processes of this machine. Sampling is sent to them: draws of the first pass, and of
components. Everything else runs where the command was given, and no worker reads the recording: a task
brings its waveforms with it. CPU time is measured, of each worker and of the rest, since cores are shared.
What the clock would say if each worker had a core is computed of it: `speed-up` is the CPU time of all tasks
over that of the busiest worker. Traffic is the size of tasks and of results. In further runs one of two
workers is killed in each step: all runs must find the same.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import tempfile
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import cloudpickle
import torch
from distributed import Client, LocalCluster

from benchmarks.common.report import Origin, StepTimes, begin, keep, options, table, where
from benchmarks.recordings.ground_truth import GroundTruth, made
from ncpgui.ephys.readers import recording_of
from ncpgui.ephys.recording import Recording
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.dask_workers import Dask
from ncpgui.sorting.executors import Pool
from ncpgui.sorting.pipeline import sort_recording

SEED = 161
MB = 1e6
STEPS = {
    "detecting spikes": "detection",
    "of channel": "sampling of the first pass",
    "matching templates": "matching",
    "of component": "sampling of components",
}


def started(client: Client) -> None:
    """Have each worker load what it samples with, so that this does not count."""
    client.run(_load)


def _load() -> None:
    import ncpgui.engine
    import ncpgui.sorting.sampling

    torch.set_num_threads(1)
    ncpgui.engine.checked_model(None)


class Measured:
    """Workers that count the CPU seconds and bytes of what they are sent, from a pool to its end."""

    def __init__(self, client: Client) -> None:
        self._dask, self._client = Dask(client, n_workers=1), client
        self.n_workers = self._dask.n_workers
        self.rows: list[dict[str, Any]] = []

    def pool(self, n_tasks: int, n_workers: int) -> Pool:
        """Return a pool of theirs that is measured."""
        pool = self._dask.pool(n_tasks, n_workers)
        row: dict[str, Any] = {"tasks": n_tasks, "sent MB": 0.0, "received MB": 0.0}
        before, own = self._client.run(time.process_time, on_error="ignore"), time.process_time()
        submit, close = pool.submit, pool.close

        def counted(number: int, task: Any) -> Future[Any]:
            row["sent MB"] += len(cloudpickle.dumps(task)) / MB
            future = submit(number, task)
            future.add_done_callback(received)
            return future

        def received(future: Future[Any]) -> None:
            if not future.cancelled() and future.exception() is None:
                row["received MB"] += len(pickle.dumps(future.result())) / MB

        def closed() -> None:
            after = self._client.run(time.process_time, on_error="ignore")
            cpu = [after[name] - before.get(name, 0.0) for name in after]
            row.update({"CPU s": sum(cpu), "busiest": max(cpu), "here": time.process_time() - own})
            self.rows.append(row)
            close()

        pool.submit, pool.close = counted, closed  # type: ignore[method-assign]
        return pool


class Steps(StepTimes):
    """CPU seconds of this process by step; kills a worker in one."""

    def __init__(self, client: Client, killed_in: str = "") -> None:
        super().__init__(STEPS)
        self._process = client.run(os.getpid)
        self._client, self._kill = client, killed_in

    def __call__(self, done: int, total: int, message: str = "") -> None:
        """Count what was used; kill a worker in its step."""
        super().__call__(done, total, message)
        if self._kill and self.step == self._kill:
            tasks = self._client.processing()
            busy = sorted(self._process, key=lambda worker: -len(tasks.get(worker, ())))
            os.kill(self._process[busy[0]], signal.SIGKILL)
            self._kill = ""

    @property
    def has_killed(self) -> bool:
        """Whether the step came in which a worker is to be killed."""
        return not self._kill


def sorted_on(n_workers: int, recording: Recording, killed_in: str = "") -> dict[str, Any]:
    """Sort on so many workers: measurements by step, and what was found."""
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(n_workers)
        started(client)
        workers, steps = Measured(client), Steps(client, killed_in)
        project = sort_recording(recording, SortingConfig(seed=SEED), workers=workers, progress=steps)
        if not steps.has_killed:
            raise SystemExit(f"no worker was killed: there was no step '{killed_in}'")
    digest = hashlib.sha256(project.spikes.sample_index.tobytes() + project.unit_of_spike.tobytes())
    for component in project.components:
        digest.update(component.posterior.labels.tobytes())
    first, *others = workers.rows
    rounds = {STEPS["of channel"]: [first], STEPS["of component"]: others}
    return {"sampling": rounds, "here": steps.cpu_s, "sha256": digest.hexdigest()[:12]}


def rows_of(n_workers: int, found: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of the table of one run."""
    rows = []
    for step in STEPS.values():
        rounds = found["sampling"].get(step, [])
        total, busiest = (sum(one[name] for one in rounds) for name in ("CPU s", "busiest"))
        rows.append(
            {
                "workers": n_workers,
                "step": step,
                "tasks": sum(one["tasks"] for one in rounds),
                "CPU s of workers": round(total, 1),
                "of the busiest": round(busiest, 1),
                "speed-up": round(total / busiest, 2) if busiest else "",
                "CPU s here": round(found["here"][step], 1),
                "sent MB": round(sum(one["sent MB"] for one in rounds), 2),
                "received MB": round(sum(one["received MB"] for one in rounds), 2),
            }
        )
    return rows


def main() -> None:
    """Print the tables and keep them."""
    parser = options(__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--contacts", type=int, default=32, help="of a linear probe  [32]")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the recording  [10]")
    arguments = parser.parse_args()
    device = begin(arguments)
    if arguments.quick:
        arguments.workers, arguments.seconds = [1], 4.0
    torch.set_num_threads(1)
    n = arguments.contacts
    truth = GroundTruth(f"linear{n}", 30_000.0, n // 2, arguments.seconds, seed=SEED)
    rows: list[dict[str, Any]] = []
    lost: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="ncpgui-dask-") as name:
        recording = recording_of(made(truth, Path(name))[0])
        digests = []
        if not arguments.quick:
            sorted_on(1, recording)  # what is compiled once does not count
        for n_workers in arguments.workers:
            found = sorted_on(n_workers, recording)
            digests.append(found["sha256"])
            rows += rows_of(n_workers, found)
            print(table(rows[-len(STEPS) :]), flush=True)
        for step in [] if arguments.quick else STEPS.values():
            found = sorted_on(2, recording, killed_in=step)
            same = "the same" if found["sha256"] == digests[0] else "another"
            lost.append({"a worker lost in": step, "result": same})
            print(lost[-1], flush=True)
    if len(set(digests)) > 1:
        raise SystemExit(f"other results with other numbers of workers: {digests}")
    page = f"""
# One recording on several Dask workers

{n} contacts, {arguments.seconds:g} s at 30 kHz, made by SpikeInterface's generator. The result is the
same, draw for draw, with any number of workers. Sampling is done by the workers, everything else where the
command was given; no worker reads the recording. CPU time is measured. The speed-up is computed of it, for
workers that have a core each.

{table(rows)}

{table(lost)}

{where(device)}
"""
    print(page)
    origin = Origin(SEED, SortingConfig().posterior_samples, models={"spikes": "spikes"})
    keep("dask_workers", {"rows": rows, "lost": lost}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
