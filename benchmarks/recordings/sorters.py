"""Units found in recordings with known spikes: our sorting before and after the posterior, and other sorters.

    python -m benchmarks.recordings.sorters [--development] [--recordings NAME ...] [--sorters NAME ...]
        [--turns 1] [--keep-others] [--cache DIR]

Recordings are of SpikeInterface's generator (`ground_truth.py`). `ncpgui` is `ncpgui.sort`, `matched` what
it has before it samples the posterior, and `ncpgui:threshold_sd=4` the same with another setting; others run
with their own settings, each in the environment that `scripts/set_up_peers.sh` makes for it. Every run is a
process of its own with one worker, matrix products on one thread; its CPU time (imports included) and the
memory of all its processes are taken. By default ncpgui has two workers on two cores: it is done sooner, and
takes a tenth more CPU time. With `--turns` sorters run that often, by turns, and each one's row is of the run
with the median of its CPU times: one run may take a third more than the next, and not every sorter finds the
same units twice. What each sorter found is kept in `--cache`, so that a run that was stopped goes on. With
`--keep-others` the rows of the page that is there stay, but for those that are made again: other sorters do
not change when ours does. Each row tells when it was made.

Recordings of `--development` have seeds of their own: settings are chosen on them, and never on the others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.report import Origin, add_keep_others, begin, keep_rows, options, table, where
from benchmarks.recordings.generator import UV_PER_COUNT
from benchmarks.recordings.ground_truth import GroundTruth, made, probe_of, traces_of, true_snr
from benchmarks.recordings.peers import add_sorters, asked_of, parsed
from benchmarks.recordings.sorted_apart import Found, OnDisk, sorted_apart
from benchmarks.recordings.sorters_page import page_of
from benchmarks.recordings.unit_scores import UnitScores, scores
from ncpgui.sorting.first_pass import PROPOSING_DRAWS

RECORDINGS = {
    "hex49": GroundTruth("hex49", 20_000.0, 45, 180.0, seed=61),
    "linear32": GroundTruth("linear32", 30_000.0, 35, 150.0, seed=62),
    "tetrode": GroundTruth("tetrode", 30_000.0, 8, 240.0, seed=63),
    "columns48": GroundTruth("columns48", 30_000.0, 35, 180.0, seed=64),
    "columns48 zigzag": GroundTruth("columns48", 30_000.0, 35, 180.0, "zigzag", 30.0, seed=64),
    "columns48 jump": GroundTruth("columns48", 30_000.0, 35, 180.0, "jump", 20.0, seed=64),
    "dense128": GroundTruth("dense128", 30_000.0, 60, 120.0, seed=65),
    "hex49 far": GroundTruth("hex49", 30_000.0, 75, 150.0, seed=66, n_far=45),
}
"""Seeds of the figures that are shown; those of `columns48` are one, so that they have the same units."""
DEVELOPMENT = 40
"""Added to the seeds for the recordings that settings are chosen on."""
STILL = tuple(name for name, truth in RECORDINGS.items() if truth.motion == "none")
QUICK = {"tetrode": GroundTruth("tetrode", 30_000.0, 3, 40.0, seed=901)}


def with_other_seeds(names: Iterable[str], added: int) -> dict[str, GroundTruth]:
    """Return the recordings of these names, with a number added to their seeds: `DEVELOPMENT`, or another."""
    return {name: RECORDINGS[name].with_seed(RECORDINGS[name].seed + added) for name in names}


def chosen_recordings(arguments: argparse.Namespace) -> dict[str, GroundTruth]:
    """Return the recordings that a command line asks for."""
    if arguments.quick:
        return QUICK
    if arguments.development:
        return with_other_seeds(arguments.recordings, DEVELOPMENT)
    return {name: RECORDINGS[name] for name in arguments.recordings}


def on_disk(truth: GroundTruth, folder: Path) -> OnDisk:
    """Return where the traces of a recording lie that has been made."""
    about = asdict(truth)
    return OnDisk(traces_of(truth, folder), truth.sampling_frequency_hz, UV_PER_COUNT, probe_of(truth), about)


def row_of(name: str, sorter: str, found: Found, score: UnitScores, snr: Iterable[float]) -> dict[str, Any]:
    """Return what is kept of a sorting: a row of the table, and what other tables are made of."""
    return {
        "recording": name,
        "sorter": sorter,
        "true units": len(score.accuracy),
        "found": score.n_found,
        "mean accuracy": float(score.accuracy.mean()),
        "units": score.n_units,
        "false": score.n_false,
        "redundant": score.n_redundant,
        "extra": score.n_extra,
        "CPU s": round(found.cpu_s),
        "MiB": round(found.memory_mib),
        "version": found.version,
        "failure": found.failure,
        "SNR of true units": [round(float(one), 2) for one in snr],
        "accuracy of true units": [round(float(one), 4) for one in score.accuracy],
        "agreement of units": [round(float(one), 4) for one in score.agreement],
        "matched units": [bool(one) for one in score.is_match],
        "units of cells": [bool(one) for one in score.is_of_cells],
        "P(neuron) of units": [round(float(one), 4) for one in found.said.get("p_neuron", [])],
        "made": date.today().isoformat(),
    }


def by_turns(arguments: argparse.Namespace, recording: OnDisk) -> dict[str, list[Found]]:
    """Run every sorter as often as asked, by turns; return what each found, in order of CPU time."""
    runs: dict[str, list[Found]] = {sorter: [] for sorter in arguments.sorters}
    for turn in range(arguments.turns):
        folder = arguments.cache / ("found" if turn == 0 else f"found-{turn + 1}")
        for sorter, found in runs.items():
            called, settings = asked_of(sorter)
            found.append(sorted_apart(called, recording, folder, settings))
    return {sorter: sorted(found, key=lambda run: run.cpu_s) for sorter, found in runs.items()}


def arguments_given() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--recordings", nargs="+", choices=RECORDINGS, default=list(RECORDINGS))
    add_keep_others(parser)
    parser.add_argument("--turns", type=int, default=1, metavar="N", help="runs of each sorter  [1]")
    add_sorters(parser)
    return parsed(parser, ours=("matched", "ncpgui"))


def main() -> int:
    """Print the table and keep it."""
    arguments = arguments_given()
    device = begin(arguments)
    chosen = chosen_recordings(arguments)
    rows: list[dict[str, Any]] = []
    for name, truth in chosen.items():
        _, units = made(truth, arguments.cache)
        snr = true_snr(truth, arguments.cache)
        runs = by_turns(arguments, on_disk(truth, arguments.cache))
        for sorter, found in runs.items():
            median = found[len(found) // 2]
            score = scores(units, median.sorting(truth.sampling_frequency_hz))
            row = row_of(name, sorter, median, score, snr)
            rows.append({**row, "CPU s of turns": [round(run.cpu_s) for run in found]})
            shown = {key: value for key, value in rows[-1].items() if not isinstance(value, list)}
            print(table([shown]), flush=True)
    seeds = np.unique([truth.seed for truth in chosen.values()])
    name = "sorters_development" if arguments.development else "sorters"
    origin = Origin(int(seeds[0]), PROPOSING_DRAWS, {"spikes": "spikes"})
    page = partial(page_of, development=arguments.development)
    told = ("recording", "sorter")
    keep_rows(name, rows, told, page, origin=origin, place=where(device), arguments=arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
