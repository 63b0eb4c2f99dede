"""Units found in coloured noise, with cells and without: right ones, false ones, and what P(neuron) says.

    python -m benchmarks.recordings.coloured_noise [--families NAME ...] [--with-posterior]
        [--first-seed 201] [--seconds 80] [--cache DIR]

Stationary Gaussian noise of a known spectrum is added to a recording of SpikeInterface's generator on 32
contacts: with 24 cells (`ground_truth.py`), and without (white noise of the same sd). Families are peaks as
tissue has them, 1/f with a floor, harmonics of the mains, and a peak whose gain drifts; "white" adds nothing.
Each family has a seed of its own, and the cells are the same in all. A unit is right if it agrees with a true
one by 0.8 (`unit_scores.py`), and false if it is no cell's (`of_cells`). Seeds below 300 are those of the
development; settings are chosen on them.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, NumpyRecording, NumpySorting

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.recordings.ground_truth import NOISE_UV, UV_PER_COUNT, GroundTruth, made, probe_of
from benchmarks.recordings.unit_scores import scores
from ncpgui.core.errors import InputError
from ncpgui.core.seeds import stream
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.first_pass import PROPOSING_DRAWS
from ncpgui.sorting.pipeline import find_units, sort_recording

CELLS = GroundTruth("linear32", 30_000.0, 24, 80.0, seed=201)
NEURON_FROM = 0.5
FAINT_SD = 2.0
"""A template that peaks lower, in noise sd, is counted as faint."""

Spectrum = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Power by frequency in Hz, but for a factor."""


def peaked(at_hz: float, quality: float) -> Spectrum:
    """Spectrum of a resonance."""

    def power(f: NDArray[np.float64]) -> NDArray[np.float64]:
        ratio = f / at_hz
        return 1 / ((1 - ratio**2) ** 2 + (ratio / quality) ** 2)

    return power


def falling(exponent: float, floor_from_hz: float) -> Spectrum:
    """1/f to a power above 10 Hz, and a floor that is as large as it at `floor_from_hz`."""
    return lambda f: (np.maximum(f, 10.0) / floor_from_hz) ** -exponent + 1.0


def hum(mains_hz: float, width_hz: float = 1.0) -> Spectrum:
    """Narrow lines at the odd harmonics of the mains up to 2 kHz, falling with their number."""

    def power(f: NDArray[np.float64]) -> NDArray[np.float64]:
        result = np.full(len(f), 1e-9)
        for number in np.arange(1, 2000 / mains_hz, 2):
            result += np.exp(-(((f - number * mains_hz) / width_hz) ** 2)) / number
        return result

    return power


@dataclass(frozen=True)
class Family:
    """Noise that is added: its spectrum, sd in uV, reach between contacts in um, and drift of its gain.

    reach_um : correlation falls by e over this distance; 0 where contacts are independent
    drift : the gain goes up and down by this part, once
    """

    spectrum: Spectrum | None
    sd_uv: float = 9.0
    reach_um: float = 0.0
    drift: float = 0.0


FAMILIES = {
    "white": Family(None, 0.0),
    "peak 300 Hz": Family(peaked(300.0, 2.0)),
    "peak 500 Hz": Family(peaked(500.0, 2.0)),
    "peak 150 Hz, shared": Family(peaked(150.0, 1.0), 20.0, reach_um=100.0),
    "peak 800 Hz": Family(peaked(800.0, 3.0), 7.0),
    "1/f": Family(falling(1.0, 3000.0), 20.0),
    "1/f^2": Family(falling(2.0, 1000.0), 25.0, reach_um=50.0),
    "hum": Family(hum(50.0), 12.0, reach_um=500.0),
    "peak 300 Hz, drifting": Family(peaked(300.0, 2.0), drift=0.3),
}


def added_noise(
    family: Family, n_samples: int, places_um: NDArray[np.floating], rate_hz: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Noise of a family: (n_samples, C) in uV."""
    if family.spectrum is None:
        return np.zeros((n_samples, len(places_um)), np.float32)
    frequency_hz = np.fft.rfftfreq(n_samples, 1 / rate_hz).astype(np.float64)
    shape = np.sqrt(family.spectrum(frequency_hz))
    shape[0] = 0
    noise = np.empty((n_samples, len(places_um)), np.float32)
    for channel in range(len(places_um)):
        noise[:, channel] = np.fft.irfft(np.fft.rfft(rng.standard_normal(n_samples)) * shape, n_samples)
    noise /= noise.std(axis=0)
    if family.reach_um:
        gap = np.linalg.norm(places_um[:, None] - places_um[None], axis=2)
        noise = noise @ np.linalg.cholesky(np.exp(-gap / family.reach_um)).T.astype(np.float32)
    gain = 1 + family.drift * np.sin(np.linspace(0, 2 * np.pi, n_samples, dtype=np.float32))
    return np.asarray(family.sd_uv * gain[:, None] * noise, np.float32)


def recorded(
    name: str, truth: GroundTruth, folder: Path, *, with_cells: bool
) -> tuple[BaseRecording, NumpySorting]:
    """Return a recording in noise of a family, int16 in memory, and its true spikes."""
    probe, rate = probe_of(truth), truth.sampling_frequency_hz
    rng = stream(truth.seed, f"added {name}")
    n_samples = round(truth.duration_s * rate)
    if with_cells:
        base, cells = made(truth, folder)
        traces = base.get_traces().astype(np.float32) * np.float32(UV_PER_COUNT)
    else:
        cells = NumpySorting.from_samples_and_labels([np.zeros(0, int)], [np.zeros(0, int)], rate)
        traces = rng.standard_normal((n_samples, probe.get_contact_count()), np.float32) * np.mean(NOISE_UV)
    traces = traces + added_noise(FAMILIES[name], n_samples, probe.contact_positions, rate, rng)
    recording = NumpyRecording([np.round(traces / UV_PER_COUNT).astype(np.int16)], rate)
    recording.set_channel_gains(UV_PER_COUNT)
    recording.set_channel_offsets(0.0)
    recording.set_probe(probe)
    return recording, cells


@dataclass(frozen=True)
class Sorted:
    """Spikes and units of a sorting, P(neuron) (n,) of spikes, and the peaks (K,) of units in noise sd."""

    sample: NDArray[np.int64]
    unit: NDArray[np.int64]
    p_neuron: NDArray[np.float64]
    peak_sd: NDArray[np.float64]


def sorted_units(recording: BaseRecording, *, with_posterior: bool) -> Sorted:
    """Units as matching finds them, or as the posterior has them; none where there is no spike."""
    ours, config = recording_of(recording), SortingConfig(motion="off")
    try:
        if with_posterior:
            project = sort_recording(ours, config, workers=1)
            sample, unit = project.spikes.sample_index, project.unit_of_spike
            height = np.abs(project.spikes.amplitude)
            p_neuron = project.p_neuron
            peak = np.array([np.median(height[unit == k]) for k in range(unit.max(initial=-1) + 1)])
        else:
            found = find_units(ours, config, workers=1)
            with found.pre:
                sample, unit = found.units.matched.sample_index, found.units.unit
                p_neuron, peak = found.units.p_neuron, found.units.depth_sd.max(axis=1, initial=0)
    except InputError:
        nothing = np.zeros(0)
        return Sorted(nothing.astype(np.int64), nothing.astype(np.int64), nothing, nothing)
    assert p_neuron is not None
    return Sorted(sample, unit, np.asarray(p_neuron, np.float64), peak)


def row_of(
    name: str, truth: GroundTruth, cache: Path, *, with_cells: bool, with_posterior: bool
) -> dict[str, Any]:
    """Sort a recording: a row of the table, and its units one by one."""
    recording, cells = recorded(name, truth, cache, with_cells=with_cells)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sorted_units(recording, with_posterior=with_posterior)
    cpu_s = time.process_time() - began
    kept = found.unit >= 0
    sorting = NumpySorting.from_samples_and_labels(
        [found.sample[kept]],
        [found.unit[kept]],
        truth.sampling_frequency_hz,
        unit_ids=np.arange(len(found.peak_sd)),
    )
    score = scores(cells, sorting) if with_cells else None
    right = score.is_of_cells if score else np.zeros(len(found.peak_sd), bool)
    p = np.array([found.p_neuron[found.unit == k].max() for k in range(len(found.peak_sd))])
    false = ~right
    return {
        "noise": name,
        "cells": truth.n_units if with_cells else 0,
        "found": score.n_found if score else "",
        "units": len(right),
        "false": int(false.sum()),
        "of them P(neuron) >= 0.5": int((false & (p >= NEURON_FROM)).sum()),
        "of them faint": int((false & (found.peak_sd < FAINT_SD)).sum()),
        "right, P(neuron) < 0.5": int((right & (p < NEURON_FROM)).sum()),
        "CPU s": round(cpu_s, 1),
        "of units": [
            {"right": bool(r), "P(neuron)": float(q), "peak sd": float(s), "spikes": int(n)}
            for r, q, s, n in zip(
                right, p, found.peak_sd, np.bincount(found.unit[kept], minlength=len(p)), strict=True
            )
        ],
        "accuracy": score.accuracy.tolist() if score else [],
    }


def rows(
    families: list[str], truth: GroundTruth, cache: Path, kinds: list[bool], *, with_posterior: bool
) -> Iterator[dict[str, Any]]:
    """Rows of all families, without cells and with them."""
    for number, name in enumerate(families):
        for with_cells in kinds:
            yield row_of(
                name,
                truth if with_cells else replace(truth, seed=truth.seed + number),
                cache,
                with_cells=with_cells,
                with_posterior=with_posterior,
            )


def main() -> None:
    """Print the table and keep it."""
    parser = options(__doc__)
    parser.add_argument("--families", nargs="+", choices=tuple(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--first-seed", type=int, default=CELLS.seed, help=f"[{CELLS.seed}]")
    parser.add_argument("--seconds", type=float, default=CELLS.duration_s, help=f"[{CELLS.duration_s:g}]")
    parser.add_argument("--with-posterior", action="store_true", help="sample it: takes four times as long")
    parser.add_argument("--only", choices=("cells", "none"), default=None, help="with cells only, or without")
    parser.add_argument("--cache", type=Path, default=None, help="folder that keeps the recordings")
    arguments = parser.parse_args()
    device = begin(arguments)
    truth = CELLS.with_seed(arguments.first_seed).lasting(arguments.seconds)
    families = arguments.families
    if arguments.quick:
        truth, families = replace(CELLS, probe="tetrode", n_units=3, duration_s=15.0), ["peak 300 Hz"]
    kinds = {"cells": [True], "none": [False], None: [False, True]}[arguments.only]
    kept = []
    with tempfile.TemporaryDirectory(prefix="ncpgui-truth-") as temporary:
        cache = arguments.cache or Path(temporary)
        for row in rows(families, truth, cache, kinds, with_posterior=arguments.with_posterior):
            kept.append(row)
            print(
                {name: value for name, value in row.items() if name not in ("of units", "accuracy")},
                flush=True,
            )
            for unit in row["of units"]:
                if not unit["right"]:
                    print("   ", {k: round(v, 2) for k, v in unit.items()}, flush=True)
    printed = table([{n: v for n, v in row.items() if n not in ("of units", "accuracy")} for row in kept])
    print(printed)
    page = f"""
# Units in coloured noise

Gaussian noise of each family, added to a recording of {truth.duration_s:g} s on
{probe_of(truth).get_contact_count()} contacts. "Faint": the template peaks below {FAINT_SD:g} noise sd.

{printed}

{where(device)}
"""
    origin = Origin(truth.seed, PROPOSING_DRAWS, {"spikes": "spikes"})
    keep("coloured_noise", {"rows": kept}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
