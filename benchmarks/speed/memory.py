"""How the memory of a sorting grows with the length of the recording.

    python -m benchmarks.speed.memory [--seconds 60] [--times 10] [--probe hex16] [--cells 12] [--rate 40]
        [--spikes-per-group 300] [--samples 50]

Recordings are simulated to disk, piece by piece, and sorted in a process of their own, whose largest
resident memory the system tells: with few spikes and samples a channel, one channel at a time, so that both
lengths have as many; and with the default settings of a sorting, several channels at a time, where some
channels of the shorter recording have fewer spikes than are sampled. What grows besides is what is kept of
every spike: its time, its place among the components, its unit in each alternative. Takes some seven minutes
on two cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

from benchmarks.common.report import (
    Origin,
    begin,
    in_own_process,
    job_given,
    keep,
    options,
    peak_memory_mib,
    table,
    where,
)
from ncpgui.ephys.readers import open_recording
from ncpgui.session import store
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import default_workers
from ncpgui.sorting.pipeline import sort_recording

GOAL = 1.2
SEED = 1  # of the recordings
DEFAULT = SortingConfig()


def sort_here(folder: str, asked: dict[str, int], workers: int | None) -> dict[str, Any]:
    """Sort a simulated folder in this process, and save it: spikes, how many are sampled, peak memory."""
    project = sort_recording(open_recording(folder), SortingConfig(**asked), workers=workers)
    store.save(project, f"{folder}/session.h5")
    return {
        "spikes": len(project.spikes),
        "sampled": sum(len(component.sampled) for component in project.components),
        "MiB": peak_memory_mib(torch.device("cpu")),
    }


def measured(seconds: float, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Simulate so many seconds, sort them with few spikes and as by default, and return two rows."""
    few = {"spikes_per_group": arguments.spikes_per_group, "posterior_samples": arguments.samples}
    with tempfile.TemporaryDirectory(prefix="ncpgui-memory-") as name:
        folder = Path(name) / "recording"
        command = [sys.executable, "-m", "ncpgui", "simulate", "--out", str(folder)]
        command += ["--duration", str(seconds), "--probe", arguments.probe, "--seed", str(SEED)]
        command += ["--cells", str(arguments.cells), "--rate", str(arguments.rate)]
        subprocess.run(command, check=True, capture_output=True)
        return [
            {
                "settings": name,
                "seconds": seconds,
                **in_own_process("benchmarks.speed.memory", {"folder": str(folder), **job}),
            }
            for name, job in (
                ("few", {"asked": few, "workers": 1}),
                ("default", {"asked": {}, "workers": None}),
            )
        ]


def main() -> None:
    """Print the table and keep it."""
    if job := job_given():
        print(json.dumps(sort_here(**job)))
        return
    parser = options(__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the shorter recording  [60]")
    parser.add_argument("--times", type=float, default=10.0, help="how many times longer the other is  [10]")
    parser.add_argument("--probe", default="hex16", help="of the recordings  [hex16]")
    parser.add_argument("--cells", type=int, default=12, help="[12]")
    parser.add_argument("--rate", type=float, default=40.0, help="spikes a second of a cell  [40]")
    parser.add_argument("--spikes-per-group", type=int, default=300, help="that are sampled  [300]")
    parser.add_argument("--samples", type=int, default=50, help="of the posterior  [50]")
    arguments = parser.parse_args()
    device = begin(arguments)
    if arguments.quick:
        arguments.seconds, arguments.times, arguments.probe, arguments.cells = 5.0, 3.0, "tetrode", 3
    short, long = (measured(arguments.seconds * factor, arguments) for factor in (1.0, arguments.times))
    rows = [row for pair in zip(short, long, strict=True) for row in pair]
    for i, row in enumerate(rows):
        row["times"] = row["MiB"] / rows[i - i % 2]["MiB"]
    printed = table(rows)
    print(printed)
    page = f"""
# Memory against the length of a recording

`python -m benchmarks.speed.memory`: the largest resident memory of a process that sorts a simulated recording
and saves the session ({arguments.probe}, {arguments.cells} cells of {arguments.rate:g} spikes a second).
few: {arguments.samples} samples of the posterior of {arguments.spikes_per_group} spikes a channel, one
channel at a time. default: the default settings, {DEFAULT.posterior_samples} samples of
{DEFAULT.spikes_per_group} spikes, {default_workers()} channels at a time.
Goal: {arguments.times:g} times the length takes less than {GOAL:g} times the memory.

{printed}

{where(device)}
"""
    origin = Origin(SEED, arguments.samples, models={"spikes": "spikes"})
    keep("memory", {"rows": rows}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
