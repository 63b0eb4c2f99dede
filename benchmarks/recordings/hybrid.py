"""Units of one recording, inserted into another, that each sorter recovers.

    python -m benchmarks.recordings.hybrid [--development] [--sorters NAME ...] [--cache DIR] [--real FILE]
        [--only simulated|real] [--keep-others]

The paper (SM D and E) inserts 20 templates of one recording with 49 channels into another, at their own spike
times, and recovers 13 of them; Kilosort 8, a variational mixture 6. Here 20 units of a simulated recording go
into another simulated one, and five at a time into a real tetrode recording of 29 s, if there is one.
A unit is recovered where a unit agrees with it by 0.8, spikes in both over spikes in either. With
`--keep-others` the rows of the page that is there stay, but for those that are made again.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.report import (
    Origin,
    add_keep_others,
    begin,
    keep,
    keep_picture,
    options,
    picture_link,
    table,
    where,
    with_others,
)
from benchmarks.recordings.ground_truth import GroundTruth
from benchmarks.recordings.hybrid_recordings import Hybrid, RealHost, made_hybrid
from benchmarks.recordings.peers import add_sorters, asked_of, parsed
from benchmarks.recordings.real_backgrounds import data_folder
from benchmarks.recordings.sorted_apart import sorted_apart
from benchmarks.recordings.unit_scores import FOUND, scores
from ncpgui.sorting.first_pass import PROPOSING_DRAWS

N_INSERTED, N_REAL, REAL_TIMES = 20, 5, 4
SEED, DEVELOPMENT_SEED = 11, 111
HOST = 20
"""Added to the seed of the units for the recording that they go into."""
REAL = "locust/locust_trial_01.raw"
REAL_RATE_HZ, REAL_S = 15_000.0, 28.7


def real_recording(asked: Path | None) -> Path | None:
    """Return the real tetrode recording: as asked, or in the folder of shared data, or none."""
    folder = data_folder()
    place = asked or (folder and folder / REAL)
    return place if place and place.is_file() else None


def hybrids(
    seed: int, real: Path | None, cache: Path, *, quick: bool, only: str | None = None
) -> dict[str, Hybrid]:
    """Return the recordings by name; `only` those of a "simulated" or a "real" background."""
    if quick:
        donor = GroundTruth("tetrode50", REAL_RATE_HZ, 12, 20.0, seed=seed)
        return {"simulated": made_hybrid(donor, donor.with_seed(seed + HOST), 2, cache)}
    found: dict[str, Hybrid] = {}
    if only != "real":
        donor = GroundTruth("hex49", 20_000.0, 45, 180.0, seed=seed)
        found["simulated"] = made_hybrid(donor, donor.with_seed(seed + HOST), N_INSERTED, cache)
    for i in range(REAL_TIMES if real and only != "simulated" else 0):
        assert real is not None
        donor = GroundTruth("tetrode50", REAL_RATE_HZ, 30, REAL_S, seed=seed + 1 + i)
        host = RealHost(real, "tetrode50", REAL_RATE_HZ)
        found[f"real {i + 1}"] = made_hybrid(donor, host, N_REAL, cache)
    return found


def main() -> int:
    """Print the table, keep it, and draw the figure."""
    parser = options(__doc__)
    add_sorters(parser)
    parser.add_argument(
        "--real", type=Path, default=None, help="tetrode recording, 15 kHz  [of NCPGUI_SHARED_DATA]"
    )
    parser.add_argument("--only", choices=("simulated", "real"), default=None, help="backgrounds of a kind")
    add_keep_others(parser)
    arguments = parsed(parser)
    device = begin(arguments)
    seed = DEVELOPMENT_SEED if arguments.development else SEED
    real = real_recording(arguments.real)
    if real is None and not arguments.quick:
        print("real tetrode recording: left out, there is none (set NCPGUI_SHARED_DATA, or give --real)")
    rows: list[dict[str, Any]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of SpikeInterface: that units are inserted without motion
        recordings = hybrids(
            901 if arguments.quick else seed,
            real,
            arguments.cache,
            quick=arguments.quick,
            only=arguments.only,
        )
    for name, hybrid in recordings.items():
        for sorter in arguments.sorters:
            called, settings = asked_of(sorter)
            found = sorted_apart(called, hybrid.recording, arguments.cache / "found", settings)
            score = scores(hybrid.truth, found.sorting(hybrid.recording.sampling_frequency_hz))
            row = {
                "recording": name,
                "sorter": sorter,
                "inserted": len(score.accuracy),
                "recovered": score.n_found,
                "mean accuracy": float(score.accuracy.mean()),
                "CPU s": round(found.cpu_s),
                "failure": found.failure,
            }
            print(table([row]), flush=True)
            more = {"accuracy": score.accuracy, "peak to peak": hybrid.peak_to_peak, "Hz": hybrid.rate_hz}
            rows.append({**row, **{key: np.round(value, 3).tolist() for key, value in more.items()}})
    name = "hybrid_development" if arguments.development else "hybrid"
    if arguments.keep_others and arguments.out:
        rows = with_others(rows, arguments.out / f"{name}.json", "recording", "sorter")
    origin = Origin(seed, PROPOSING_DRAWS, {"spikes": "spikes"})
    page = _page(rows, picture_link(name, arguments.out)) + f"\n{where(device)}\n"
    keep(name, {"rows": rows}, page=page, origin=origin, folder=arguments.out)
    if arguments.out is not None:
        from benchmarks.figures import inserted_units  # the extra 'figures' is wanted for the picture only

        keep_picture(name, lambda: inserted_units.draw(together(rows), FOUND), origin, arguments.out)
    return 0


def together(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row a background and sorter: those of the real recording as one, whatever was inserted."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        key = (row["recording"].split()[0], row["sorter"])
        if key not in found:
            found[key] = {**row, "recording": key[0]}
            continue
        one = found[key]
        for name in ("inserted", "recovered", "CPU s", "accuracy", "peak to peak", "Hz"):
            one[name] = one[name] + row[name]
        one["mean accuracy"] = float(np.mean(one["accuracy"]))
        one["failure"] = one["failure"] or row["failure"]
    return list(found.values())


def _page(rows: list[dict[str, Any]], picture: str) -> str:
    shown = [
        {key: value for key, value in row.items() if not isinstance(value, list)} for row in together(rows)
    ]
    for row in shown:
        row["failure"] = row["failure"] or ""
    return f"""
# Inserted units that are recovered

Mean waveforms of units of one simulated recording, inserted at their own spike times into another simulated
recording of 49 channels, and, as large in its noise, five at a time into a real tetrode recording. Recovered:
a unit agrees with the inserted one by {FOUND:g} or more.

{table(shown)}

![Inserted units by size, which of them each sorter recovers, and their rates]({picture})

The paper recovers 13 of 20 units, Kilosort 8 and a variational Gaussian mixture 6.
"""


if __name__ == "__main__":
    sys.exit(main())
