"""What a channel costs as the probe grows: CPU time of the steps of a sort on 64 to 384 contacts.

    python -m benchmarks.speed.channels [--channels 64 128 256 384] [--seconds 60] [--no-posterior]

Two columns of contacts at 30 kHz from SpikeInterface's generator, with as many units for each contact, a
third of them far from the probe. Each recording is sorted with default settings by one worker on one
thread, in a process of its own that has sorted two seconds before, so that imports and compiling do not
count. CPU time is told and not the clock: others may use the machine. It is given in milliseconds for each
channel and each second of the recording.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from benchmarks.common.report import (
    Origin,
    StepTimes,
    begin,
    in_own_process,
    job_given,
    keep,
    options,
    peak_memory_mib,
    table,
    where,
)
from benchmarks.recordings.ground_truth import GroundTruth, made
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording

GOAL = 1.15
SEED = 141
UNITS_A_CHANNEL, FAR_SHARE = 0.9375, 1 / 3
STEPS = {
    "measuring noise": "noise",
    "estimating motion": "motion",
    "detecting spikes": "first pass",
    "extracting waveforms": "first pass",
    "of channel": "first pass",
    "matching templates": "matching",
    "joining units": "joining",
    "units": "components",
    "cleaning waveforms": "components",
    "of component": "posterior",
    "weighing alternatives": "posterior",
}
"""Columns of the table by what progress says while they last."""


def truth_of(channels: int, seconds: float) -> GroundTruth:
    """Recording of so many contacts, with units as dense as on any other."""
    n = round(UNITS_A_CHANNEL * channels)
    return GroundTruth(f"columns{channels}", 30_000.0, n, seconds, seed=SEED, n_far=round(FAR_SHARE * n))


def sort_here(truth: GroundTruth, folder: Path, *, posterior: bool) -> dict[str, Any]:
    """Sort in this process on one thread: CPU seconds of each step, and what was found."""
    torch.set_num_threads(1)
    config = SortingConfig(seed=SEED)
    first = truth_of(64, 2.0)
    for one in (first, truth):
        recording, times = recording_of(made(one, folder / f"{one.duration_s:g}")[0]), StepTimes(STEPS)
        times.step = "noise"
        project = sort_recording(recording, config, workers=1, posterior=posterior, progress=times)
    times(1, 1)
    digest = hashlib.sha256(project.spikes.sample_index.tobytes() + project.unit_of_spike.tobytes())
    return {
        "CPU s": sum(times.cpu_s.values()),
        "seconds": dict(times.cpu_s),
        "units": int(project.unit_of_spike.max(initial=-1)) + 1,
        "spikes": len(project.spikes),
        "sha256": digest.hexdigest()[:12],
        "MiB": round(peak_memory_mib(torch.device("cpu"))),
    }


def sorted_apart(channels: int, arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Sort in a process of its own, and return a row of the table."""
    told = {
        "truth": asdict(truth_of(channels, arguments.seconds)),
        "folder": str(folder),
        "posterior": not arguments.no_posterior,
    }
    answer = in_own_process("benchmarks.speed.channels", told)
    part = 1000 / (channels * arguments.seconds)
    seconds = answer.pop("seconds")
    by_step = {name: seconds.get(name, 0.0) * part for name in dict.fromkeys(STEPS.values())}
    row = {"channels": channels, "true units": truth_of(channels, 1.0).n_units, **answer}
    return {**row, **by_step, "all": answer["CPU s"] * part}


def main() -> None:
    """Print the table and keep it."""
    if job := job_given():
        truth = GroundTruth(**job["truth"])
        print(json.dumps(sort_here(truth, Path(job["folder"]), posterior=job["posterior"])))
        return
    parser = options(__doc__)
    parser.add_argument("--channels", type=int, nargs="+", default=[64, 128, 256, 384])
    parser.add_argument("--seconds", type=float, default=60.0, help="of each recording  [60]")
    parser.add_argument("--no-posterior", action="store_true", help="stop before components are sampled")
    parser.add_argument("--cache", type=Path, help="folder of the recordings  [a temporary one]")
    arguments = parser.parse_args()
    device = begin(arguments)
    if arguments.quick:
        arguments.channels, arguments.seconds = [64], 3.0
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="ncpgui-channels-") as name:
        for channels in arguments.channels:
            row = sorted_apart(channels, arguments, arguments.cache or Path(name))
            rows.append({**row, "times": row["all"] / (rows[0]["all"] if rows else row["all"])})
            print(table(rows[-1:]), flush=True)
    page = f"""
# What a channel costs as the probe grows

CPU milliseconds for each channel and each second of a recording of {arguments.seconds:g} s, by step and in
all; `times`: over those of the first row. One worker on one thread. Goal: at most {GOAL:g} times.

{table(rows)}

{where(device)}
"""
    print(page)
    origin = Origin(SEED, SortingConfig().posterior_samples)
    keep("channels", {"rows": rows}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
