"""What a channel costs, as the probe grows: CPU seconds of each step of a sort on 64 to 384 contacts.

    python -m benchmarks.speed.channels [--seconds 20] [--channels 64 128 256 384] [--settings '{}']

Two columns of contacts at 30 kHz, with the same number of units for each contact, a third of them far from
the probe, from SpikeInterface's generator. Each recording is sorted with default settings by one worker on
one thread, in a process of its own. CPU time counts and not the clock, so that the machine may be busy. What is
told is the time of each step in milliseconds for each channel and each second of the recording.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from benchmarks.common.report import Origin, begin, keep, options, peak_memory_mib, table, where, with_others
from benchmarks.recordings.ground_truth import GroundTruth, made
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording

SEED = 141
UNITS_A_CHANNEL = 0.9375
FAR_SHARE = 1 / 3
GOAL = 1.15
STEPS = (
    "measuring noise",
    "estimating motion",
    "detecting spikes",
    "clustering",
    "matching templates",
    "joining units",
    "sampling",
)


def truth_of(channels: int, seconds: float) -> GroundTruth:
    """Recording of so many contacts, with units as dense as on any other."""
    n = round(UNITS_A_CHANNEL * channels)
    return GroundTruth(
        f"columns{channels}", 30_000.0, n, seconds, seed=SEED, n_far=round(FAR_SHARE * n)
    )


def sort_here(truth: GroundTruth, folder: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Sort in this process on one thread: CPU seconds by what progress said, and what was found."""
    torch.set_num_threads(1)
    recording = recording_of(made(truth, folder)[0])
    seconds: dict[str, float] = defaultdict(float)
    last, doing = time.process_time(), "measuring noise"

    def progress(done: int, total: int, message: str = "") -> None:
        nonlocal last, doing
        now = time.process_time()
        if " component" in message and "done" in message:
            message = "sampling components"
        elif " channel" in message and "done" in message:
            message = "clustering channels"
        seconds[doing] += now - last
        if message and message.split(":")[0] != doing:
            print(f"{time.process_time():7.1f} CPU s  {message}", file=sys.stderr, flush=True)
        last, doing = now, message.split(":")[0] or doing

    project = sort_recording(recording, SortingConfig(seed=SEED, **asked), workers=1, progress=progress)
    seconds[doing] += time.process_time() - last
    digest = hashlib.sha256(project.spikes.sample_index.tobytes() + project.unit_of_spike.tobytes())
    digest.update(project.probability.tobytes())
    return {
        "seconds": dict(seconds),
        "units": int(project.unit_of_spike.max(initial=-1)) + 1,
        "spikes": len(project.spikes),
        "sha256": digest.hexdigest(),
        "MiB": round(peak_memory_mib(torch.device("cpu"))),
    }


def main() -> None:
    """Print the table and keep it."""
    parser = options(__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--channels", type=int, nargs="+", default=[64])
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--settings", default="{}")
    parser.add_argument("--profile", type=Path)
    a = parser.parse_args()
    import cProfile
    for n in a.channels:
        truth = truth_of(n, a.seconds)
        if a.profile:
            pr = cProfile.Profile(time.process_time)
            pr.enable()
        r = sort_here(truth, a.cache / f"{a.seconds:g}", json.loads(a.settings))
        if a.profile:
            pr.disable()
            pr.dump_stats(f"{a.profile}-{n}.prof")
        cs = n * a.seconds / 1000
        print(n, {k: v for k, v in r.items() if k != "seconds"})
        for k, v in r["seconds"].items():
            print(f"  {k:40s} {v:8.1f} s  {v / cs:8.2f} ms/channel s")
        print(f"  total {sum(r['seconds'].values()):.1f}  {sum(r['seconds'].values())/cs:.2f}", flush=True)


if __name__ == "__main__":
    main()
