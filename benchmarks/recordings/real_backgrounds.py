"""Known units inserted into every real background that is at hand, and how many are found, by their size.

    python -m benchmarks.recordings.real_backgrounds [--development] [--sorters NAME ...] [--times 4]
        [--data FOLDER] [--cache DIR]

Backgrounds are the real files of the folder of shared data (`NCPGUI_SHARED_DATA`) that have traces: a tetrode
in a locust, a pipette at a Purkinje cell, and what arrays and acquisition systems recorded. Those of less
than 20 s are repeated, every second time backwards, so that there is no jump. Templates are of
SpikeInterface's generator, near a contact, as high as asked in the noise sd of the filtered background; cells
fire 5 times a second. What was in the background before has no truth: only inserted units are counted.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import probeinterface
from numpy.typing import NDArray
from spikeinterface.core import NumpySorting
from spikeinterface.core.generate import generate_templates

from benchmarks.common.report import ROOT, Origin, begin, keep, options, table, where
from benchmarks.recordings.generator import (
    MS_AFTER,
    MS_BEFORE,
    as_counts,
    band_passed,
    cells_firing,
    shapes_of_cells,
    wired,
)
from benchmarks.recordings.peers import add_sorters, asked_of, parsed
from benchmarks.recordings.sorted_apart import OnDisk, sorted_apart
from benchmarks.recordings.unit_scores import FOUND, scores
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.ephys.readers import open_recording
from ncpgui.sorting.first_pass import PROPOSING_DRAWS

SEED, DEVELOPMENT_SEED = 21, 121
SNR = (4.0, 5.0, 6.0, 8.0, 12.0)
RATE_HZ = 5.0
AMPLITUDE_SD = 0.07
LEAST_S = 20.0
COUNTS_A_SD = 10.0
DEPTH_UM = (5.0, 30.0)
MOST_CONTACTS = 16


@dataclass(frozen=True)
class Background:
    """A real file below the folder of data, and how it is opened."""

    file: str
    options: dict[str, Any] = field(default_factory=dict)


BACKGROUNDS = {
    "locust tetrode": Background(
        "locust/locust_trial_01.raw", {"n_channels": 4, "sampling_frequency": 15_000.0, "probe": "tetrode"}
    ),
    "Purkinje cell": Background(
        "purkinje/purkinje_cell_attached.raw",
        {"n_channels": 1, "sampling_frequency": 15_000.0, "dtype": "float32"},
    ),
    "BioCam, 36": Background("formats/biocam_hw3.0_fw1.6.brw"),
    "BioCam, 100": Background("formats/biocam_hw3.0_fw1.7.0.12_raw.brw"),
    "Plexon": Background("formats/opx141ch1to3analogOnly003.plx", {"stream": "WB", "probe": "linear-2"}),
    "Intan demo signal": Background("formats/sampledata.rhd", {"probe": "linear-32"}),
}


def data_folder(asked: Path | None = None) -> Path | None:
    """Return the folder of shared data: as asked, of `NCPGUI_SHARED_DATA`, beside the checkout, or none."""
    named = os.environ.get("NCPGUI_SHARED_DATA")
    beside = [ROOT.parent / "shared" / "data", ROOT / "shared" / "data"]
    places = [asked] if asked else [Path(named)] if named else beside
    return next((place for place in places if place.is_dir()), None)


def sd_of(traces: NDArray[np.floating], rate_hz: float) -> NDArray[np.float64]:
    """Noise sd of channels behind the band-pass, by the median deviation: (C,)."""
    return np.asarray(np.median(np.abs(band_passed(traces, rate_hz)), axis=0) / 0.6745)


def read_background(one: Background, data: Path) -> tuple[NDArray[np.float64], float, probeinterface.Probe]:
    """Return traces (n, C) in noise sd of the median channel, Hz, and the probe: the first contacts at most.

    Channels without noise are left out.
    """
    opened = open_recording(data / one.file, **one.options)
    rate, places = opened.sampling_frequency_hz, opened.probe.positions_um
    traces = np.asarray(opened.traces(0, opened.n_samples), np.float64)
    sd = sd_of(traces, rate)
    alive = np.flatnonzero(sd > 0.01 * np.median(sd))[:MOST_CONTACTS]
    traces = traces[:, alive] / np.median(sd[alive])
    n_times = int(np.ceil(LEAST_S * rate / len(traces)))
    traces = np.concatenate([traces[:: 1 if i % 2 == 0 else -1] for i in range(n_times)])
    probe = probeinterface.Probe(ndim=2, si_units="um")
    probe.set_contacts(positions=places[alive], shapes="circle", shape_params={"radius": 5})
    return traces, rate, wired(probe)


def with_units(
    traces: NDArray[np.float64],
    rate_hz: float,
    probe: probeinterface.Probe,
    snr: tuple[float, ...],
    seed: int,
) -> tuple[NDArray[np.float64], NumpySorting]:
    """Insert one unit of each size into traces (n, C), in noise sd: a copy, and the spikes inserted."""
    rng, n = stream(seed, "inserted units"), len(snr)
    parameters = shapes_of_cells(n, rng)
    contacts = probe.contact_positions[rng.integers(probe.get_contact_count(), size=n)]
    places = np.column_stack([contacts + rng.normal(0, 8, (n, 2)), rng.uniform(*DEPTH_UM, n)])
    templates = generate_templates(
        probe.contact_positions,
        places,
        rate_hz,
        MS_BEFORE,
        MS_AFTER,
        unit_params=parameters,
        seed=stream_seed(seed, "inserted templates"),
    )
    sd = sd_of(traces, rate_hz)
    padding = ((round(0.01 * rate_hz),) * 2, (0, 0))
    for unit, height in enumerate(snr):
        seen = band_passed(np.pad(templates[unit], padding), rate_hz) / sd
        templates[unit] *= height / -seen.min()
    duration_s, spikes_seed = len(traces) / rate_hz, stream_seed(seed, "inserted spikes")
    cells = cells_firing(np.full(n, RATE_HZ), rate_hz, duration_s, spikes_seed)
    result, before, trains = traces.copy(), round(MS_BEFORE * rate_hz / 1000), {}
    for unit in range(n):
        train = cells.get_unit_spike_train(cells.unit_ids[unit])
        train = train[(train >= before) & (train - before + templates.shape[1] <= len(traces))]
        for start in train - before:
            result[start : start + templates.shape[1]] += rng.normal(1, AMPLITUDE_SD) * templates[unit]
        trains[unit] = train
    return result, NumpySorting.from_unit_dict([trains], rate_hz)


def hybrid(
    name: str, data: Path, seed: int, cache: Path, snr: tuple[float, ...] = SNR
) -> tuple[OnDisk, NumpySorting]:
    """Return a background with inserted units, written to `cache`, and their spikes."""
    one = BACKGROUNDS[name]
    traces, rate, probe = read_background(one, data)
    mixed, cells = with_units(traces, rate, probe, snr, seed)
    place = cache / f"real-{name.replace(' ', '-').replace(',', '')}-{seed}.raw"
    cache.mkdir(parents=True, exist_ok=True)
    as_counts(mixed, 1 / COUNTS_A_SD).tofile(place)
    return OnDisk(place, rate, 1.0, probe, {**asdict(one), "snr": snr, "seed": seed}), cells


def main() -> int:
    """Print the tables and keep them."""
    parser = options(__doc__)
    add_sorters(parser)
    parser.set_defaults(sorters=["ncpgui"])
    parser.add_argument("--data", type=Path, default=None, help="folder of real files  [NCPGUI_SHARED_DATA]")
    parser.add_argument("--times", type=int, default=4, help="insertions into each background  [4]")
    parser.add_argument("--backgrounds", nargs="+", choices=tuple(BACKGROUNDS), default=list(BACKGROUNDS))
    arguments = parsed(parser)
    device, data = begin(arguments), data_folder(arguments.data)
    if data is None:
        print("no real recordings: set NCPGUI_SHARED_DATA, or give --data")
        return 0
    first = DEVELOPMENT_SEED if arguments.development else SEED
    names, times = (["Purkinje cell"], 1) if arguments.quick else (arguments.backgrounds, arguments.times)
    rows: list[dict[str, Any]] = []
    for name in (name for name in names if (data / BACKGROUNDS[name].file).is_file()):
        for sorter in arguments.sorters:
            called, settings = asked_of(sorter)
            accuracy, cpu_s, failure = [], 0.0, None
            for seed in range(first, first + times):
                recording, cells = hybrid(name, data, seed, arguments.cache)
                found = sorted_apart(called, recording, arguments.cache / "found", settings)
                score = scores(cells, found.sorting(recording.sampling_frequency_hz))
                accuracy.append(score.accuracy.tolist())
                cpu_s, failure = cpu_s + found.cpu_s, failure or found.failure
            by_snr = np.array(accuracy).T
            row = {
                "background": name,
                "contacts": recording.probe.get_contact_count(),
                "sorter": sorter,
                **{
                    f"SNR {snr:g}": f"{int((own >= FOUND).sum())} of {len(own)}"
                    for snr, own in zip(SNR, by_snr, strict=True)
                },
                "found": int((by_snr >= FOUND).sum()),
                "inserted": by_snr.size,
                "CPU s": round(cpu_s),
            }
            rows.append({**row, "accuracy": by_snr.tolist(), "failure": failure})
            print(json.dumps(rows[-1]), flush=True)
    shown = [{k: v for k, v in row.items() if k not in ("accuracy", "failure")} for row in rows]
    page = f"""
# Units inserted into real backgrounds

{times} times one unit of each size, in noise sd of the filtered background. Found: a unit agrees with the
inserted one by {FOUND:g}.

{table(shown)}

{where(device)}
"""
    print(page)
    name = "real_backgrounds_development" if arguments.development else "real_backgrounds"
    origin = Origin(first, PROPOSING_DRAWS, {"spikes": "spikes"})
    keep(name, {"rows": rows}, page=page, origin=origin, folder=arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
