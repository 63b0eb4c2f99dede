"""Sorters run each as a process of its own, in the environment of its own, on a recording on disk.

So CPU time and memory are the sorter's alone, imports included, and no sorter needs the packages of another.
What a sorter found is kept: of ncpgui as long as the source is the same and committed, of others until their
environment is set up anew. That a sorter failed is kept too, with its last words, unless it was killed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import probeinterface
from numpy.typing import NDArray
from spikeinterface.core import NumpySorting

from benchmarks.common.process_memory import PeakMemory
from benchmarks.common.report import REVISION, ROOT
from benchmarks.recordings.peers import OURS, python_of, set_up_at
from ncpgui.core.files import replaced_folder
from ncpgui.core.source_revision import same_source

PROGRAM = Path(__file__).resolve().with_name("run_sorter_apart.py")
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
"""All set to one: threads that wait for each other would count as CPU time."""


@dataclass(frozen=True)
class OnDisk:
    """A recording as a file of int16, interleaved.

    about : what it was made of, as plain values: a sorting is kept for the same recording only
    """

    traces: Path
    sampling_frequency_hz: float
    gain_uv: float
    probe: probeinterface.Probe
    about: Mapping[str, Any]


@dataclass(frozen=True)
class Found:
    """What a sorter found, or why it found nothing.

    sample_index, unit : (n,) spikes, unit 0 .. n_units - 1; said : by name, (n_units,) what it says of units
    failure : the last error that it wrote, None where it went well
    """

    sorter: str
    sample_index: NDArray[np.int64]
    unit: NDArray[np.int32]
    n_units: int
    said: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    version: str = ""
    cpu_s: float = 0.0
    memory_mib: float = 0.0
    failure: str | None = None

    def sorting(self, sampling_frequency_hz: float) -> NumpySorting:
        """Return it as a sorting of SpikeInterface; units without spikes are in it."""
        return NumpySorting.from_samples_and_labels(
            [self.sample_index], [self.unit], sampling_frequency_hz, unit_ids=np.arange(self.n_units)
        )


def sorted_apart(
    sorter: str, recording: OnDisk, keep: Path, settings: Mapping[str, Any] | None = None
) -> Found:
    """Return what `sorter` finds, from the folder `keep` where it has been found before."""
    told = {"sorter": sorter, "settings": dict(settings or {}), "recording": dict(recording.about)}
    digest = hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:16]
    place = keep / f"{sorter}-{digest}"
    if not _still_holds(place, sorter):
        place.parent.mkdir(parents=True, exist_ok=True)
        with replaced_folder(place) as beside:
            _run(sorter, recording, dict(settings or {}), beside)
    return _read(place, sorter)


def _still_holds(place: Path, sorter: str) -> bool:
    if not (place / "outcome.json").is_file():
        return False
    outcome = json.loads((place / "outcome.json").read_text(encoding="utf-8"))
    if outcome.get("exit", 0) < 0:
        return False
    if sorter not in OURS:
        return (place / "outcome.json").stat().st_mtime >= set_up_at(sorter)
    return (
        outcome["git_changed"] is False and not REVISION.changed and same_source(str(outcome["git_revision"]))
    )


def _run(sorter: str, recording: OnDisk, settings: dict[str, Any], place: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="ncpgui-sorter-") as name:
        folder = Path(name)
        probeinterface.write_probeinterface(folder / "probe.json", recording.probe)
        job = {
            "sorter": sorter,
            "settings": settings,
            "traces": str(recording.traces.resolve()),
            "sampling_frequency_hz": recording.sampling_frequency_hz,
            "n_channels": recording.probe.get_contact_count(),
            "gain_uv": recording.gain_uv,
            "probe": str(folder / "probe.json"),
            "out": str(folder),
        }
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        paths = {"PYTHONPATH": str(ROOT)} if sorter in OURS else {"PYTHONPATH": ""}
        environment = {**os.environ, **dict.fromkeys(THREADS, "1"), **paths}
        with (place / "log.txt").open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [str(python_of(sorter)), str(PROGRAM), str(folder / "job.json")],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=folder,
            )
            with PeakMemory(process.pid) as peak:
                _, status, usage = os.wait4(process.pid, 0)  # with what the process itself has waited for
            process.returncode = os.waitstatus_to_exitcode(status)
        outcome: dict[str, Any] = {
            "sorter": sorter,
            "settings": settings,
            "recording": dict(recording.about),
            "exit": process.returncode,
            "CPU s": usage.ru_utime + usage.ru_stime,
            "git_revision": REVISION.commit,
            "git_changed": REVISION.changed,
        }
        if process.returncode == 0:
            outcome |= json.loads((folder / "run.json").read_text(encoding="utf-8"))
            outcome["MiB"] = max(outcome["MiB"], round(peak.mib))  # of all processes, but at times only
            (place / "units.npz").write_bytes((folder / "units.npz").read_bytes())
        else:
            outcome["failure"] = last_words(place / "log.txt", process.returncode)
    (place / "outcome.json").write_text(json.dumps(outcome, indent=1, default=str), encoding="utf-8")


def last_words(log: Path, code: int) -> str:
    """Last error that a program wrote, else its last line, or how it ended where it wrote nothing."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    spoken = errors or [line for line in lines if line]
    return spoken[-1][:300] if spoken else f"exit {code} without a word"


def _read(place: Path, sorter: str) -> Found:
    outcome = json.loads((place / "outcome.json").read_text(encoding="utf-8"))
    if "failure" in outcome:
        none = np.zeros(0, np.int64)
        return Found(
            sorter, none, none.astype(np.int32), 0, cpu_s=outcome["CPU s"], failure=outcome["failure"]
        )
    with np.load(place / "units.npz") as kept:
        said = {key.removeprefix("said_"): kept[key] for key in kept.files if key.startswith("said_")}
        return Found(
            sorter,
            kept["sample_index"],
            kept["unit"],
            int(kept["n_units"]),
            said,
            version=outcome["version"],
            cpu_s=outcome["CPU s"],
            memory_mib=outcome["MiB"],
        )
