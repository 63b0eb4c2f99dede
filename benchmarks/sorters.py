"""Units found in recordings with known spikes: our sorting before and after the posterior, and other sorters.

    python benchmarks/sorters.py [--recordings NAME ...] [--sorters NAME ...] [--first-seed 1]

Recordings are of SpikeInterface's generator (`ground_truth.py`). `ncpgui` is `ncpgui.sort`, `matched` what it
has before it samples the posterior; others run through SpikeInterface with their own settings, one job. A
true unit is found where a unit agrees with it by 0.8 (spikes in both over spikes in either, within 0.4 ms);
units that are no true unit's best match by 0.5 are extra, whatever they are.
"""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ground_truth import GroundTruth, made
from report import Clock, Origin, begin, keep, options, table, where
from spikeinterface.comparison import compare_sorter_to_ground_truth
from spikeinterface.core import BaseRecording, BaseSorting, NumpySorting

import ncpgui
from ncpgui.sorting.first_pass import PROPOSING_DRAWS

RECORDINGS = {
    "hex49": GroundTruth("hex49", 20_000.0, 45, 180.0),
    "linear32": GroundTruth("linear32", 30_000.0, 35, 150.0),
    "tetrode": GroundTruth("tetrode", 30_000.0, 8, 240.0),
    "columns48": GroundTruth("columns48", 30_000.0, 35, 180.0),
}
FOUND = 0.8
MATCHED = 0.5


def as_matched(recording: BaseRecording) -> BaseSorting:
    """Return what matching finds, before the posterior is sampled."""
    return ncpgui.sort(recording, posterior=False)


def other_sorter(name: str) -> Callable[[BaseRecording], BaseSorting]:
    """Return a sorter of SpikeInterface, with its own settings and one job."""

    def run(recording: BaseRecording) -> BaseSorting:
        from spikeinterface.sorters import run_sorter

        with tempfile.TemporaryDirectory(prefix="ncpgui-sorters-") as folder:
            jobs = {"job_kwargs": {"n_jobs": 1, "progress_bar": False}}
            found = run_sorter(name, recording, folder=Path(folder) / name, verbose=False, **jobs)
            return NumpySorting.from_sorting(found)

    return run


OURS: dict[str, Callable[[BaseRecording], BaseSorting]] = {"ncpgui": ncpgui.sort, "matched": as_matched}


def row_of(
    name: str, sorter: str, recording: BaseRecording, truth: BaseSorting
) -> dict[str, str | int | float]:
    """Sort a recording, and return a row of the table."""
    sort = OURS.get(sorter) or other_sorter(sorter)
    with warnings.catch_warnings(), contextlib.redirect_stdout(None), Clock() as clock:
        warnings.simplefilter("ignore")
        found = sort(recording)
    scores = compare_sorter_to_ground_truth(truth, found, exhaustive_gt=True, delta_time=0.4)
    accuracy = scores.get_performance()["accuracy"].to_numpy(dtype=float)
    return {
        "recording": name,
        "sorter": sorter,
        "true units": len(accuracy),
        "found": int((accuracy >= FOUND).sum()),
        "mean accuracy": float(accuracy.mean()),
        "units": found.get_num_units(),
        "extra": found.get_num_units() - int((accuracy >= MATCHED).sum()),
        "CPU s": round(clock.cpu_s),
    }


def main() -> None:
    """Print the table and keep it."""
    parser = options(__doc__)
    parser.add_argument("--recordings", nargs="+", choices=RECORDINGS, default=list(RECORDINGS))
    parser.add_argument("--sorters", nargs="+", default=list(OURS), help="ours, or names of SpikeInterface's")
    parser.add_argument("--first-seed", type=int, default=1, help="of the first recording  [1]")
    parser.add_argument("--cache", type=Path, default=None, help="folder that keeps the recordings")
    arguments = parser.parse_args()
    device = begin(arguments)
    chosen = {name: RECORDINGS[name] for name in arguments.recordings}
    if arguments.quick:
        chosen = {"tetrode": GroundTruth("tetrode", 30_000.0, 3, 15.0)}
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="ncpgui-truth-") as temporary:
        for number, (name, truth) in enumerate(chosen.items()):
            seeded = truth.with_seed(arguments.first_seed + number)
            recording, units = made(seeded, arguments.cache or Path(temporary))
            for sorter in arguments.sorters:
                rows.append(row_of(name, sorter, recording, units))
                print(table(rows[-1:]), flush=True)
    sums = [
        {
            "sorter": sorter,
            "true units": sum(row["true units"] for row in rows if row["sorter"] == sorter),
            "found": sum(row["found"] for row in rows if row["sorter"] == sorter),
            "extra": sum(row["extra"] for row in rows if row["sorter"] == sorter),
            "mean accuracy": float(
                np.average(
                    [row["mean accuracy"] for row in rows if row["sorter"] == sorter],
                    weights=[row["true units"] for row in rows if row["sorter"] == sorter],
                )
            ),
            "CPU s": sum(row["CPU s"] for row in rows if row["sorter"] == sorter),
        }
        for sorter in arguments.sorters
    ]
    page = f"""
# Units of whole recordings

Recordings of SpikeInterface's generator, amplitudes log-uniform, without motion. `matched`: what matching
finds; `ncpgui`: what `ncpgui.sort` gives, after the posterior of each component.
Found: true units with an accuracy of {FOUND:g} or more; extra: units that match none by {MATCHED:g}.

{table(sums)}

{table(rows)}

{where(device)}
"""
    origin = Origin(arguments.first_seed, PROPOSING_DRAWS, {"spikes": "spikes"})
    keep("sorters", {"rows": rows, "sums": sums}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
