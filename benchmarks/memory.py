"""How the memory of a sorting grows with the length of the recording.

    python benchmarks/memory.py [--seconds 60] [--times 10] [--probe hex16] [--cells 12] [--rate 40]
        [--spikes-per-group 300] [--samples 50]

Recordings are simulated to disk, piece by piece, and sorted in a process of their own, whose largest
resident memory the system tells. Posteriors and waveforms are of at most `spikes_per_group` spikes a channel:
few here, so that both lengths have as many. What grows then is what is kept of every spike: its time, its
place among the components, its unit in each alternative.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from report import Origin, begin, keep, options, table, where

GOAL = 1.2

SORT = """
import json, sys
from pathlib import Path
from ncpgui.ephys.readers import open_recording
from ncpgui.session import store
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording
config = SortingConfig(spikes_per_group=int(sys.argv[3]), posterior_samples=int(sys.argv[4]))
project = sort_recording(open_recording(sys.argv[1]), config, workers=1)
store.save(project, sys.argv[2])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
sampled = sum(len(group.sampled) for group in project.groups)
print(json.dumps({"spikes": len(project.spikes), "sampled": sampled, "MiB": int(peak.split()[1]) / 1024}))
"""


def sorted_apart(folder: Path, spikes_per_group: int, samples: int) -> dict[str, Any]:
    """Sort a simulated folder in a process of its own: spikes, how many were sampled, and peak memory."""
    arguments = [str(folder), str(folder / "session.h5"), str(spikes_per_group), str(samples)]
    command = [sys.executable, "-c", SORT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def measured(seconds: float, arguments: argparse.Namespace) -> dict[str, Any]:
    """Simulate so many seconds, sort them, and return a row of the table."""
    with tempfile.TemporaryDirectory(prefix="ncpgui-memory-") as name:
        folder = Path(name) / "recording"
        command = [sys.executable, "-m", "ncpgui", "simulate", "--out", str(folder)]
        command += ["--duration", str(seconds), "--probe", arguments.probe, "--seed", "1"]
        command += ["--cells", str(arguments.cells), "--rate", str(arguments.rate)]
        subprocess.run(command, check=True, capture_output=True)
        found = sorted_apart(folder, arguments.spikes_per_group, arguments.samples)
        return {"seconds": seconds, **found}


def main() -> None:
    """Print the table and keep it."""
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
    rows = [measured(arguments.seconds * factor, arguments) for factor in (1.0, arguments.times)]
    for row in rows:
        row["times"] = row["MiB"] / rows[0]["MiB"]
    printed = table(rows)
    print(printed)
    page = f"""
# Memory against the length of a recording

`python benchmarks/memory.py`: the largest resident memory of a process that sorts a simulated recording
and saves the session ({arguments.probe}, {arguments.cells} cells of {arguments.rate:g} spikes a second;
{arguments.samples} samples of the posterior of {arguments.spikes_per_group} spikes a channel, one channel
at a time).
Goal: {arguments.times:g} times the length takes less than {GOAL:g} times the memory.

{printed}

{where(device)}
"""
    keep(
        "memory",
        {"rows": rows},
        page=page,
        origin=Origin(1, arguments.samples, {"spikes": "spikes"}),
        folder=arguments.out,
    )


if __name__ == "__main__":
    main()
