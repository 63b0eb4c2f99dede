"""Sort recordings with workers that Dask starts: python sort_on_dask.py WORKERS RECORDING ...

Sessions are written to the folder `sorted`. The workers are processes of this machine. On a cluster with
Slurm, replace `cluster_of` by the one in the comment, which needs the package dask-jobqueue.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dask.distributed import Client, LocalCluster


def cluster_of(n_workers: int) -> LocalCluster:
    """Start workers of one thread each."""
    return LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None)


# from dask_jobqueue import SLURMCluster
#
# def cluster_of(n_workers):
#     cluster = SLURMCluster(cores=1, processes=1, memory="4GB", walltime="12:00:00")
#     cluster.scale(n_workers)
#     return cluster


def main(n_workers: int, recordings: list[str]) -> int:
    """Sort one recording after the other; return how many failed."""
    Path("sorted").mkdir(exist_ok=True)
    n_failed = 0
    with cluster_of(n_workers) as cluster, Client(cluster) as client:
        client.wait_for_workers(1)
        address = client.scheduler.address
        for recording in recordings:
            session = Path("sorted") / f"{Path(recording).name}.h5"
            if session.exists():
                continue
            words = ["ncpgui", "sort", recording, "--out", str(session), "--resume", "--dask", address]
            n_failed += subprocess.run(words, check=False).returncode != 0
    return n_failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
