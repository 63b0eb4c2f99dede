"""A second opinion on a large sorting: 384 contacts, an hour, 500 units, 5 million spikes.

    python -m benchmarks.speed.large_review [--minutes 60] [--channels 384] [--units 500]

The recording is made up by SpikeInterface's generator as it is read, and never written. Its sorting is a
folder like Kilosort's: the true one with the errors of sorters. Of ten units one is cut in two, one is merged
with a neighbour, and beside twenty there is one of noise. The folder is opened as the window opens it, by one
process: its units are measured, on parts of a long recording, the first question is sampled, and then all
others, last those that need all traces. `--without-last` leaves these out: of an hour, reading is most of it.
Making traces up costs more than filtering them: what a second of that takes is told beside.
What depends on the length and on the contacts can be seen on less: `--minutes 1 --channels 64 --units 84`.
CPU time is told beside the clock: others may use the machine.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording

from benchmarks.common.report import Origin, begin, keep, options, peak_memory_mib, table, where
from benchmarks.recordings.ground_truth import GroundTruth, untouched_with_cells
from ncpgui.core.seeds import stream
from ncpgui.ephys.given_folder import open_given
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.parts import parts_of
from ncpgui.sorting.review import given_units

SEED = 151
RATE_HZ = 30_000.0
CUT, MERGED, NOISE = 0.1, 0.1, 0.05
"""Parts of the true units that are cut in two, merged with a neighbour, and beside which is one of noise."""
NOISE_HZ = 2.0
N_MADE_UP, MARGIN = 3, 1800
"""Seconds whose making is timed, and samples beside a piece that filters and blanking read."""
GOAL_FIRST_S, GOAL_ALL_S, GOAL_MIB = 120.0, 1800.0, 3 * 1024


@dataclass(frozen=True)
class Errors:
    """A sorting with errors: spikes (n,) in order of time, their units (n,), and how many errors it has."""

    sample_index: NDArray[np.int64]
    unit: NDArray[np.int64]
    n_cut: int
    n_merged: int
    n_noise: int


def with_errors(
    sample_index: NDArray[np.int64],
    unit: NDArray[np.int64],
    templates: NDArray[np.floating],
    *,
    n_samples: int,
    sampling_frequency_hz: float,
    seed: int,
) -> Errors:
    """Units as a sorter may find them: some cut in two by chance, some merged with the most similar one.

    sample_index, unit : (n,) true spikes in order of time; templates : (K, T, C) of the units
    """
    rng = stream(seed, "errors")
    n_units, unit = len(templates), unit.copy()
    chosen = rng.permutation(n_units)
    cut = chosen[: round(CUT * n_units)]
    for number, one in enumerate(cut.tolist()):
        rows = np.flatnonzero(unit == one)
        unit[rows[rng.random(len(rows)) < 0.5]] = n_units + number
    flat = templates.reshape(n_units, -1)
    power = (flat**2).sum(axis=1)
    apart = power[:, None] + power[None] - 2 * flat @ flat.T
    n_merged, free = 0, set(chosen[len(cut) :].tolist())
    for one in chosen[len(cut) : len(cut) + round(MERGED * n_units)].tolist():
        others = [other for other in free if other != one]
        if one in free and others:
            nearest = others[int(apart[one, others].argmin())]
            unit[unit == nearest] = one
            free -= {one, nearest}
            n_merged += 1
    n_noise = round(NOISE * n_units)
    n_each = max(1, round(NOISE_HZ * n_samples / sampling_frequency_hz))
    noise_at = rng.integers(200, n_samples - 200, n_noise * n_each)
    noise = n_units + len(cut) + np.repeat(np.arange(n_noise), n_each)
    every, units = np.append(sample_index, noise_at), np.append(unit, noise)
    order = np.lexsort((units, every))
    return Errors(every[order], units[order], len(cut), n_merged, n_noise)


def write_folder(found: Errors, folder: Path, sampling_frequency_hz: float) -> None:
    """Write the files of a folder of Kilosort that name spikes and units."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "spike_times.npy", found.sample_index)
    np.save(folder / "spike_clusters.npy", found.unit.astype(np.int32))
    (folder / "params.py").write_text(f"sample_rate = {sampling_frequency_hz}\n", encoding="utf-8")


class Clock:
    """Wall and CPU seconds since it was made, and the memory held until then."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def row(self, what: str, **more: Any) -> dict[str, Any]:
        """A row of the table."""
        return {
            "until": what,
            **more,
            "CPU s": round(time.process_time() - self._cpu),
            "wall s": round(time.perf_counter() - self._wall),
            "MiB": round(peak_memory_mib(torch.device("cpu"))),
        }


def made_up_s(made_up: BaseRecording) -> float:
    """CPU seconds that making up a second of the traces takes, as a piece with its margins is read."""
    rate = round(made_up.get_sampling_frequency())
    places = np.linspace(rate, made_up.get_num_samples() - 3 * rate, N_MADE_UP).astype(int).tolist()
    begun = time.process_time()
    for first in places:
        made_up.get_traces(start_frame=first - MARGIN, end_frame=first + rate + MARGIN)
    return (time.process_time() - begun) / len(places)


def reviewed(
    truth: GroundTruth, folder: Path, *, without_last: bool = False
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Rows of the table, and what the sorting holds."""
    made_up, cells, templates = untouched_with_cells(truth)
    vector = cells.to_spike_vector()
    found = with_errors(
        vector["sample_index"].astype(np.int64),
        vector["unit_index"].astype(np.int64),
        templates,
        n_samples=made_up.get_num_samples(),
        sampling_frequency_hz=truth.sampling_frequency_hz,
        seed=truth.seed,
    )
    write_folder(found, folder, truth.sampling_frequency_hz)
    recording, config = recording_of(made_up), SortingConfig(seed=SEED)
    clock, told = Clock(), {""}
    rows = [clock.row("the recording is there")]

    def progress(done: int, total: int, message: str = "") -> None:
        if message not in told and not any(map(str.isdigit, message)):
            told.add(message)
            print(f"{done / max(total, 1):5.0%} {clock.row(message)}", flush=True)

    given = open_given(folder, recording)
    rows.append(clock.row("the folder is read"))
    units = given_units(recording, given.sorting, config, progress=progress)
    rows.append(clock.row("all units are on screen"))
    print(rows[-1], flush=True)
    first = max(units.draws, key=lambda draw: (len(draw.units), len(draw.spike_ids)))
    sampled_first, failed_first = sample_components(units, [first], workers=1, complete=False)
    rows.append(clock.row("the largest question is sampled"))
    print(rows[-1], flush=True)
    others = [draw for draw in units.draws if draw is not first]
    sampled, failed = sample_components(units, others, workers=1, complete=False, progress=progress)
    sampled, failed = sampled | sampled_first, failed | failed_first
    rows.append(clock.row("all questions that part no unit are sampled"))
    print(rows[-1], len(sampled), flush=True)
    parting = [draw for draw in units.draws if draw.id not in sampled and draw.id not in failed]
    if not without_last:
        more, failed_then = sample_components(units, parting, workers=1, progress=progress)
        sampled, failed = sampled | more, failed | failed_then
        rows.append(clock.row("all questions are sampled"))
    units.close()
    parts = parts_of(given.sorting, config, n_channels=recording.n_channels, n_samples=recording.n_samples)
    return rows, {
        "spikes": len(found.sample_index),
        "units": len(np.unique(found.unit)),
        "cut in two": found.n_cut,
        "merged": found.n_merged,
        "of noise": found.n_noise,
        "questions": len(sampled),
        "of parts of a unit": len(parting),
        "failed": len(failed),
        "measured s": round(truth.duration_s if parts is None else parts.seconds),
        "made up, CPU s a second": round(made_up_s(made_up), 2),
    }


def page_of(rows: list[dict[str, Any]], what: dict[str, Any], truth: GroundTruth) -> str:
    """Return the page, but for the machine."""
    minutes = truth.duration_s / 60
    return f"""
# A second opinion on a large sorting

{60 * minutes:g} s at 30 kHz, made up as they are read, by one process:

{table([what])}

What it took until each step, from the start on:

{table(rows)}

Goals, for an hour of 384 contacts on two idle cores: the first question within {GOAL_FIRST_S / 60:g} minutes,
all within {GOAL_ALL_S / 60:g}, in {GOAL_MIB / 1024:g} GiB.
"""


def main() -> None:
    """Print the table and keep it."""
    parser = options(__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="of the recording  [60]")
    parser.add_argument("--channels", type=int, default=384, help="contacts  [384]")
    parser.add_argument("--units", type=int, default=500, help="true units  [500]")
    parser.add_argument("--without-last", action="store_true", help="no questions that need all traces")
    arguments = parser.parse_args()
    device = begin(arguments)
    if arguments.quick:
        arguments.minutes, arguments.channels, arguments.units = 0.2, 64, 12
    torch.set_num_threads(1)
    truth = GroundTruth(
        f"columns{arguments.channels}", RATE_HZ, arguments.units, 60 * arguments.minutes, seed=SEED
    )
    with tempfile.TemporaryDirectory() as folder:
        rows, what = reviewed(truth, Path(folder) / "kilosort", without_last=arguments.without_last)
    what = {"channels": arguments.channels, **what}
    print(table([what]), table(rows), sep="\n\n", flush=True)
    page = f"{page_of(rows, what, truth)}\n{where(device)}\n"
    origin = Origin(SEED, SortingConfig().posterior_samples, models={"spikes": "spikes"})
    content = {"minutes": arguments.minutes, "recording": what, "rows": rows}
    keep("large_review", content, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
