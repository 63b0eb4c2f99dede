"""Recordings that MEArec makes, in an environment of its own: cells and noise of another generator.

Cells are those of the Blue Brain Project's neocortical microcircuit, simulated compartment by compartment
around the contacts of each probe. Noise of neighbouring contacts is correlated; coloured noise has a peak at
300 Hz and a floor, as MEArec makes it to resemble tissue. A recording is made once, and kept.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import probeinterface
from spikeinterface.core import NumpySorting

from benchmarks.common.kept import made_once
from benchmarks.recordings.generator import UV_PER_COUNT, wired
from benchmarks.recordings.ground_truth import PROBES
from benchmarks.recordings.peers import python_of
from benchmarks.recordings.sorted_apart import OnDisk

PROGRAM = Path(__file__).resolve().with_name("mearec_apart.py")
TEMPLATES_PER_MODEL = 16
"""Places around the probe at which each of the 13 cell models is simulated."""
TEMPLATES_SEED = 7100
LEAST_UV, MOST_UV = 40.0, 400.0
"""Peaks of the cells, in noise of `NOISE_UV`."""
NOISE_UV = 10.0
COLOUR_PEAK_HZ = 300.0
EXCITATORY = 0.75
"""Share of the cells; the others fire three times as often."""


@dataclass(frozen=True)
class MearecTruth:
    """What a recording is made of; the same cells and spikes whether its noise is coloured or white."""

    probe: str
    n_cells: int
    duration_s: float
    seed: int
    coloured: bool = True


def mearec_recording(truth: MearecTruth, folder: Path) -> tuple[OnDisk, NumpySorting]:
    """Return a recording, from `folder` where it has been made before, and its cells."""
    probe = wired(PROBES[truth.probe]())
    noise = "coloured" if truth.coloured else "white"
    place = folder / f"mearec-{truth.probe}-{noise}-{truth.seed}"
    made_once(place / "truth.json", asdict(truth), lambda: _make(truth, probe, folder, place))
    rate = json.loads((place / "made.json").read_text(encoding="utf-8"))["sampling_frequency_hz"]
    spikes = np.load(place / "spikes.npy")
    cells = NumpySorting.from_samples_and_labels(
        [spikes[:, 0]], [spikes[:, 1]], rate, unit_ids=np.arange(truth.n_cells)
    )
    return OnDisk(place / "traces.raw", rate, UV_PER_COUNT, probe, {"mearec": asdict(truth)}), cells


def _make(truth: MearecTruth, probe: probeinterface.Probe, folder: Path, place: Path) -> None:
    n_exc = round(EXCITATORY * truth.n_cells)
    job: dict[str, Any] = {
        "probe": f"ncpgui-{truth.probe}",
        "positions_um": probe.contact_positions.tolist(),
        "templates": str((folder / f"mearec-templates-{truth.probe}.h5").resolve()),
        "templates_per_model": TEMPLATES_PER_MODEL,
        "templates_seed": TEMPLATES_SEED,
        "least_uv": LEAST_UV,
        "most_uv": MOST_UV,
        "noise_uv": NOISE_UV,
        "colour_peak_hz": COLOUR_PEAK_HZ,
        "uv_per_count": UV_PER_COUNT,
        "n_exc": n_exc,
        "n_inh": truth.n_cells - n_exc,
        "duration_s": truth.duration_s,
        "seed": truth.seed,
        "coloured": truth.coloured,
        "out": str(place.resolve()),
    }
    (place / "job.json").write_text(json.dumps(job), encoding="utf-8")
    python = python_of("mearec")
    path = os.pathsep.join([str(python.parent), os.environ.get("PATH", "")])  # NEURON's compiler is there
    log = place / "log.txt"
    with log.open("w", encoding="utf-8") as stream:
        ended = subprocess.run(
            [str(python), str(PROGRAM), str(place / "job.json")],
            env={**os.environ, "PATH": path},
            cwd=place,  # MEArec leaves a file where it runs
            stdout=stream,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if ended.returncode:
        raise RuntimeError(f"MEArec made nothing: {log.read_text(encoding='utf-8')[-1000:]}")
