"""Hours of many channels, sorted while they are made up: does memory stay flat, and does it come to its end?

    python -m benchmarks.speed.endurance [--hours 2] [--minutes 20] [--share 0.1] [--only 64|384]
        [--limit-mib 8192]

Two columns of contacts at 30 kHz, `--hours` of 64 channels and `--minutes` of 384, and of each a first run
over a tenth (`--share`) of the length. The traces are of SpikeInterface's generator, computed piece by piece
as they are read and never written; each recording is sorted with default settings in a process of its own,
which may hold `--limit-mib` of data at most. A line is printed at every step, with the memory held until
then. The page is written when both lengths of a recording are sorted; with `--only` the rows of the other one
stay. With default options this takes four to five hours on two cores.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from dataclasses import asdict, replace
from datetime import date
from typing import Any

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
    with_others,
)
from benchmarks.recordings.ground_truth import GroundTruth, probe_of, untouched
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording

GOAL = 1.2
SEED = 131
RECORDINGS = {
    "64": GroundTruth("columns64", 30_000.0, 45, 7200.0, seed=SEED),
    "384": GroundTruth("columns384", 30_000.0, 200, 1200.0, seed=SEED),
}
STEP_PERCENT = 5


def sort_here(truth: GroundTruth, limit_mib: int, asked: dict[str, Any]) -> dict[str, Any]:
    """Sort in this process, and return what it took; a line on stderr at every step."""
    resource.setrlimit(resource.RLIMIT_DATA, (limit_mib << 20, limit_mib << 20))
    import torch

    started, told = time.perf_counter(), -STEP_PERCENT
    recording = recording_of(untouched(truth))
    before = peak_memory_mib(torch.device("cpu"))

    def progress(done: int, total: int, message: str = "") -> None:
        nonlocal told
        percent = 100 * done // max(total, 1)
        if percent >= told + STEP_PERCENT:
            told = percent
            mib, minutes = peak_memory_mib(torch.device("cpu")), (time.perf_counter() - started) / 60
            print(
                f"{percent:3d} %  {minutes:6.1f} min  {mib:6.0f} MiB  {message}", file=sys.stderr, flush=True
            )

    project = sort_recording(recording, SortingConfig(seed=SEED, **asked), progress=progress)
    mib = peak_memory_mib(torch.device("cpu"))
    return {
        "spikes": len(project.spikes),
        "units": int(project.unit_of_spike.max(initial=-1)) + 1,
        "minutes": round((time.perf_counter() - started) / 60, 1),
        "MiB before": round(before),
        "MiB": round(mib),
    }


def sorted_apart(truth: GroundTruth, arguments: argparse.Namespace) -> dict[str, Any]:
    """Sort in a process of its own, and return a row of the table."""
    told = {"truth": asdict(truth), "limit_mib": arguments.limit_mib, "asked": json.loads(arguments.settings)}
    answer = in_own_process("benchmarks.speed.endurance", told)
    channels = probe_of(truth).get_contact_count()
    return {"channels": channels, "seconds": truth.duration_s, **answer}


def wanted(arguments: argparse.Namespace) -> list[tuple[GroundTruth, GroundTruth]]:
    """Recordings to sort, the short and the long one of each."""
    lengths = {"64": arguments.hours * 3600, "384": arguments.minutes * 60}
    chosen = [arguments.only] if arguments.only else list(RECORDINGS)
    truths = [RECORDINGS[name].lasting(lengths[name]) for name in chosen]
    if arguments.quick:
        truths = [replace(truths[0], probe="tetrode", n_units=3).lasting(60.0)]
    return [(truth.lasting(truth.duration_s * arguments.share), truth) for truth in truths]


def compared(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of one recording with their memory relative to the first one's, and the day."""
    today = date.today().isoformat()
    return [{**row, "times": row["MiB"] / rows[0]["MiB"], "made": today} for row in rows]


def page_of(rows: list[dict[str, Any]], arguments: argparse.Namespace) -> str:
    """Return the page, but for the machine."""
    asked = f"with `{arguments.settings}`" if json.loads(arguments.settings) else "with default settings"
    return f"""
# Hours of many channels

Recordings at 30 kHz that SpikeInterface's generator makes up as they are read, sorted {asked}:
the largest resident memory of the process, the generator's included (`MiB before`: when sorting begins).
Goal: {1 / arguments.share:g} times the length takes less than {GOAL:g} times the memory.

{table(rows)}
"""


def main() -> None:
    """Print the table and keep it."""
    if job := job_given():
        print(json.dumps(sort_here(GroundTruth(**job["truth"]), job["limit_mib"], job["asked"])))
        return
    parser = options(__doc__)
    parser.add_argument("--hours", type=float, default=2.0, help="of 64 channels  [2]")
    parser.add_argument("--minutes", type=float, default=20.0, help="of 384 channels  [20]")
    parser.add_argument("--share", type=float, default=0.1, help="of the length, sorted first  [0.1]")
    parser.add_argument("--only", choices=list(RECORDINGS), help="channels  [both]")
    parser.add_argument("--limit-mib", type=int, default=8192, help="a sorting may hold  [8192]")
    parser.add_argument("--settings", default="{}", help="of the sorting, as JSON  [the defaults]")
    arguments = parser.parse_args()
    device = begin(arguments)
    rows: list[dict[str, Any]] = []
    origin = Origin(SEED, SortingConfig().posterior_samples, models={"spikes": "spikes"})
    for truths in wanted(arguments):
        rows += compared([sorted_apart(truth, arguments) for truth in truths])
        if arguments.only and arguments.out:
            rows = with_others(rows, arguments.out / "endurance.json", "channels")
        print(table(rows), flush=True)
        page = f"{page_of(rows, arguments)}\n{where(device)}\n"
        keep("endurance", {"rows": rows}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
