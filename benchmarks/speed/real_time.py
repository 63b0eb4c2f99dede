"""How long a recording of 64 channels at 30 kHz takes to sort, beside how long it is.

    python -m benchmarks.speed.real_time [--seconds 120] [--units 45]

The recording is of SpikeInterface's generator (`ground_truth.py`), two columns of 32 contacts. `ncpgui sort`
sorts it with default settings, as many channels at a time as there are cores; wall and CPU time include
imports and writing the session. The machine must be idle.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from probeinterface import ProbeGroup, write_probeinterface

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.recordings.ground_truth import GroundTruth, made, probe_of, traces_of
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import default_workers

SEED = 121


def children_cpu_s() -> float:
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the table and keep it."""
    parser = options(__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="of the recording  [120]")
    parser.add_argument("--units", type=int, default=45, help="in the recording  [45]")
    arguments = parser.parse_args()
    device = begin(arguments)
    seconds, n_units = (10.0, 6) if arguments.quick else (arguments.seconds, arguments.units)
    truth = GroundTruth("columns64", 30_000.0, n_units, seconds, seed=SEED)
    with tempfile.TemporaryDirectory(prefix="ncpgui-time-") as name:
        folder = Path(name)
        made(truth, folder)
        probes = ProbeGroup()
        probes.add_probe(probe_of(truth))
        write_probeinterface(folder / "probe.json", probes)
        command = [sys.executable, "-m", "ncpgui", "sort", str(traces_of(truth, folder))]
        command += ["--out", str(folder / "session.h5"), "--probe", str(folder / "probe.json")]
        command += ["--sampling-frequency", str(truth.sampling_frequency_hz), "--n-channels", "64"]
        before, started = children_cpu_s(), time.perf_counter()
        subprocess.run(command, check=True)
        wall_s, cpu_s = time.perf_counter() - started, children_cpu_s() - before
    row = {
        "recording s": seconds,
        "channels": 64,
        "true units": n_units,
        "channels at a time": default_workers(),
        "wall s": round(wall_s, 1),
        "CPU s": round(cpu_s, 1),
        "wall / recording": round(wall_s / seconds, 2),
    }
    page = f"""
# Sorting 64 channels beside real time

`ncpgui sort`, default settings, imports and session included. Under 1: faster than the recording was made.

{table([row])}

{where(device)}
"""
    print(page)
    origin = Origin(SEED, SortingConfig().posterior_samples, {"spikes": "spikes"})
    keep("real_time", {"rows": [row]}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
