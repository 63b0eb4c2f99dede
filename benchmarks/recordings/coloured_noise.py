"""Units found in noise that is not white, with cells and without: right ones, false ones, and P(neuron).

    python -m benchmarks.recordings.coloured_noise [--development] [--families NAME ...] [--all-families]
        [--sorters NAME ...] [--only cells|none] [--seconds 300] [--cache DIR]

Noise of each family (`noise_families.py`) is added to a recording of SpikeInterface's generator on 32
contacts: with 24 cells (`ground_truth.py`), and without (white noise of the same sd). By default the families
are the ten spectra, and white noise beside them; the cells are the same in all. With `--all-families` other
kinds of noise follow, and cells that burst, are wide or positive first (`varied_cells.py`). Each recording is
sorted with default settings, in a process of its own on one core; with `--keep-others` its row is kept as
soon as it is made, and tells when. A unit is right if it agrees with a true one by 0.8, false if it is no
cell's (`of_cells` of `unit_scores.py`), and extra if it is of cells, and no cell's match. Its peak is the
mean size of its spikes where they are largest.

Recordings of `--development` have seeds of their own: settings are chosen on them, and never on the others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from spikeinterface.core import NumpySorting

from benchmarks.common.kept import made_once
from benchmarks.common.report import Origin, add_keep_others, begin, keep_rows, options, table, where
from benchmarks.recordings.generator import UV_PER_COUNT, no_cells
from benchmarks.recordings.ground_truth import NOISE_UV, GroundTruth, made, probe_of
from benchmarks.recordings.noise_families import FAMILIES, OTHERS, SPECTRA, Family, with_noise
from benchmarks.recordings.peers import add_sorters, asked_of, parsed
from benchmarks.recordings.sorted_apart import Found, OnDisk, sorted_apart
from benchmarks.recordings.unit_scores import scores
from benchmarks.recordings.varied_cells import made_varied
from ncpgui.core.seeds import stream
from ncpgui.sorting.first_pass import PROPOSING_DRAWS

CELLS = GroundTruth("linear32", 20_000.0, 24, 300.0, seed=301)
QUICK = GroundTruth("tetrode", 20_000.0, 3, 15.0, seed=201)
DEVELOPMENT_SEED = 201
NEURON_FROM = 0.5
FAINT_SD = 2.0
NOTHING_FOUND = "no spikes"
VARIED = ", varied cells"
"""Ends the names of recordings with other cells."""
OTHER_CELLS = tuple(name + VARIED for name in ("white", "peak 300 Hz", "1/f"))
LONG = ("of units", "accuracy", "failure")
"""Parts of a row that the page does not show."""


def recorded(
    name: str, truth: GroundTruth, folder: Path, *, with_cells: bool, family: Family | None = None
) -> tuple[OnDisk, NumpySorting]:
    """Return a recording in noise of a family, from `folder` where it has been made before, and its cells.

    family : of the noise, that of the name when left out
    """
    family = family or FAMILIES[name.removesuffix(VARIED)]
    probe, rate = probe_of(truth), truth.sampling_frequency_hz
    about = {"noise": name, "with cells": with_cells, **asdict(truth)}
    slug = name.replace(" ", "-").replace("/", "").replace(",", "")
    place = folder / f"noise-{slug}-{'cells' if with_cells else 'none'}-{truth.probe}-{truth.seed}"
    cells = no_cells(rate)
    if with_cells:
        base, cells = (made_varied if name.endswith(VARIED) else made)(truth, folder)

    def make() -> None:
        rng = stream(truth.seed, f"added {name}")
        n_samples = round(truth.duration_s * rate)
        if with_cells:
            traces = base.get_traces().astype(np.float32, order="F")
            traces *= np.float32(UV_PER_COUNT)
        else:
            traces = rng.standard_normal((probe.get_contact_count(), n_samples), np.float32).T
            traces *= np.float32(np.mean(NOISE_UV))
        counts = with_noise(traces, family, probe.contact_positions, rate, rng)
        counts.tofile(place / "traces.raw")

    made_once(place / "about.json", about, make)
    return OnDisk(place / "traces.raw", rate, UV_PER_COUNT, probe, about), cells


def row_of(name: str, sorter: str, truth: GroundTruth, cache: Path, *, with_cells: bool) -> dict[str, Any]:
    """Make a recording and sort it: a row of the table, and its units one by one."""
    recording, cells = recorded(name, truth, cache, with_cells=with_cells)
    return sorted_row(name, sorter, recording, cells if with_cells else None, cache)


def sorted_row(
    name: str, sorter: str, recording: OnDisk, cells: NumpySorting | None, cache: Path
) -> dict[str, Any]:
    """Sort a recording in noise of a name, with cells or without: as `row_of`."""
    called, settings = asked_of(sorter)
    found = sorted_apart(called, recording, cache / "found", settings)
    if found.failure and NOTHING_FOUND in found.failure:  # as it should be, of noise alone
        found = replace(found, failure=None)
    score = None if cells is None else scores(cells, found.sorting(recording.sampling_frequency_hz))
    of_cells = score.is_of_cells if score else np.zeros(found.n_units, bool)
    matched = score.is_match if score else of_cells
    p, peak_sd = (said(found, key) for key in ("p_neuron", "snr"))
    likely = p >= NEURON_FROM
    return {
        "noise": name,
        "cells": 0 if cells is None else cells.get_num_units(),
        "sorter": sorter,
        "found": score.n_found if score else "",
        "units": found.n_units,
        "false": int((~of_cells).sum()),
        "false, P(neuron) >= 0.5": int((~of_cells & likely).sum()),
        "extra, P(neuron) >= 0.5": int((of_cells & ~matched & likely).sum()),
        "right, P(neuron) < 0.5": int((matched & ~likely).sum()),
        "least peak, sd": round(float(peak_sd.min()), 2) if found.n_units else "",
        "faint": int((peak_sd < FAINT_SD).sum()),
        "CPU s": round(found.cpu_s),
        "made": date.today().isoformat(),
        "failure": found.failure,
        "of units": [
            {
                "of cells": bool(c),
                "match": bool(m),
                "P(neuron)": float(q),
                "peak sd": float(s),
                "spikes": int(n),
            }
            for c, m, q, s, n in zip(
                of_cells, matched, p, peak_sd, np.bincount(found.unit, minlength=found.n_units), strict=True
            )
        ],
        "accuracy": score.accuracy.tolist() if score else [],
    }


def said(found: Found, key: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What a sorter says of its units, nan where it says nothing: (n_units,)."""
    return np.asarray(found.said.get(key, np.full(found.n_units, np.nan)), np.float64)


def rows(
    families: list[str], sorters: list[str], truth: GroundTruth, cache: Path, kinds: list[bool]
) -> Iterator[dict[str, Any]]:
    """Rows of families, in their order, without cells and with them."""
    numbers = {name: number for number, name in enumerate((*FAMILIES, *OTHER_CELLS))}
    for name in families:
        for with_cells in kinds:
            if name in OTHER_CELLS and not with_cells:
                continue
            seeded = truth if with_cells else truth.with_seed(truth.seed + numbers[name])
            for sorter in sorters:
                yield row_of(name, sorter, seeded, cache, with_cells=with_cells)


def main() -> int:
    """Print the table and keep it."""
    parser = options(__doc__)
    add_sorters(parser)
    parser.set_defaults(sorters=["ncpgui"])
    parser.add_argument(
        "--families", nargs="+", choices=(*FAMILIES, *OTHER_CELLS), default=["white", *SPECTRA]
    )
    parser.add_argument("--all-families", action="store_true", help="other kinds of noise and of cells too")
    parser.add_argument("--seconds", type=float, default=CELLS.duration_s, help=f"[{CELLS.duration_s:g}]")
    parser.add_argument("--only", choices=("cells", "none"), default=None, help="with cells only, or without")
    add_keep_others(parser)
    arguments = parsed(parser)
    device = begin(arguments)
    truth = CELLS.with_seed(DEVELOPMENT_SEED) if arguments.development else CELLS
    truth, families = truth.lasting(arguments.seconds), arguments.families
    if arguments.quick:
        truth, families = QUICK, ["peak 300 Hz"]
    elif arguments.all_families:
        families = [*FAMILIES, *OTHER_CELLS]
    kinds = {"cells": [True], "none": [False], None: [False, True]}[arguments.only]
    name = "coloured_noise_development" if arguments.development else "coloured_noise"
    origin = Origin(truth.seed, PROPOSING_DRAWS, {"spikes": "spikes"})
    made: list[dict[str, Any]] = []
    how: dict[str, Any] = {"origin": origin, "place": where(device), "arguments": arguments}
    page = partial(page_of, truth=truth)
    kept = partial(keep_rows, name, made, ("noise", "cells", "sorter"), page, **how)
    for row in rows(families, arguments.sorters, truth, arguments.cache, kinds):
        made.append(row)
        print({key: value for key, value in row.items() if key not in LONG[:2]}, flush=True)
        for unit in row["of units"]:
            if not unit["of cells"]:
                print("   ", {key: round(value, 2) for key, value in unit.items()}, flush=True)
        if arguments.keep_others:
            kept()
    print(kept())
    return 0


def page_of(rows: list[dict[str, Any]], truth: GroundTruth) -> str:
    """Return the page: sums, then the table."""
    shown = [{key: value for key, value in row.items() if key not in LONG} for row in rows]
    if len({row["sorter"] for row in rows}) == 1:
        shown = [{key: value for key, value in row.items() if key != "sorter"} for row in shown]
    totals = ("units", "false", "false, P(neuron) >= 0.5", "extra, P(neuron) >= 0.5", "faint", "CPU s")
    sums = [
        {
            "noise": kind,
            "recordings": len(some),
            "cells": sum(row["cells"] for row in some),
            "found": sum(row["found"] for row in some) if with_cells else "",
            **{key: sum(row[key] for row in some) for key in totals},
        }
        for kind, names in (
            ("ten spectra", set(SPECTRA)),
            ("white and others", set(OTHERS)),
            ("varied cells", set(OTHER_CELLS)),
        )
        for with_cells in (False, True)
        if (some := [row for row in rows if row["noise"] in names and bool(row["cells"]) == with_cells])
    ]
    return f"""
# Units in coloured noise

Noise of each family, added to a recording of {truth.duration_s:g} s on {probe_of(truth).get_contact_count()}
contacts with {truth.n_units} cells, the same in all, and to white noise alone. Found: true units that a unit
agrees with by 0.8. False: units that are no cell's. Extra: units of cells that are no true unit's match.
Faint: units that peak below {FAINT_SD:g} noise sd.

{table(sums)}

## Each recording

{table(shown)}
"""


if __name__ == "__main__":
    sys.exit(main())
