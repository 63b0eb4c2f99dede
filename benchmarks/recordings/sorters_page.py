"""The page of the sorters' benchmark, made from the rows that it keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.common.report import table
from benchmarks.recordings.unit_scores import FOUND, MATCHED, by_band, reliability

Row = dict[str, Any]
SHOWN = (
    "recording",
    "sorter",
    "true units",
    "found",
    "mean accuracy",
    "units",
    "false",
    "redundant",
    "extra",
    "CPU s",
    "MiB",
    "made",
)


def page_of(rows: list[Row], *, development: bool = False) -> str:
    """Return all tables with what they mean."""
    failures = [row for row in rows if row["failure"]]
    parts = [
        "# Units of whole recordings",
        ABOUT,
    ]
    if development:
        parts.append("**These are the recordings that settings were chosen on.**")
    parts += ["## All recordings", table(sums(rows))]
    if failures:
        parts.append("What did not run counts as nothing found:")
        parts.append(
            "\n".join(f"- {row['sorter']} on {row['recording']}: {row['failure']}" for row in failures)
        )
    parts += ["## By the SNR of the true unit", SNR, table(bands(rows))]
    moved = motions(rows)
    if moved:
        parts += ["## The same units with and without motion", MOTION, table(moved)]
    promised = [row for row in rows if row["P(neuron) of units"]]
    for sorter in dict.fromkeys(row["sorter"] for row in promised):
        parts += [f"## P(neuron) of {sorter}", *calibration([r for r in promised if r["sorter"] == sorter])]
    parts += ["## Each recording", table([shown(row) for row in rows])]
    return "\n\n".join(parts) + "\n"


ABOUT = (
    "Recordings of SpikeInterface's generator, amplitudes log-uniform. `matched`: what "
    "matching finds; `ncpgui`: what `ncpgui.sort` gives, after the posterior of each component. "
    "Other sorters have their own settings. Found: true units with an accuracy (spikes in both over spikes "
    f"in either) of {FOUND:g} or more; one without a match by {MATCHED:g} has an accuracy of 0. False and "
    "redundant as SpikeInterface counts them; extra: units that are no true unit's match. CPU s and MiB are "
    "those of a process that does nothing else, imports included, with one worker, its matrix products on "
    "one thread. A sorter that ran more than once on a recording is shown by the run with the median CPU s; "
    "behind it, the least and the most of its runs."
)
SNR = (
    "SNR: trough of the generator's template on its deepest contact over the sd of the generator's noise "
    "there, both unfiltered. Cells: true units found, of how many, and their mean accuracy."
)
MOTION = "Found / false / redundant."


def shown(row: Row) -> Row:
    """Return the row of the last table: CPU s with the least and the most, where there was more than one."""
    turns = row.get("CPU s of turns", [])
    cpu_s = f"{row['CPU s']} ({turns[0]} to {turns[-1]})" if len(turns) > 1 else row["CPU s"]
    return {**{key: row[key] for key in SHOWN}, "CPU s": cpu_s}


def sums(rows: list[Row]) -> list[Row]:
    """Return one row a sorter: sums over recordings, and the mean accuracy over true units."""
    found = []
    for sorter in dict.fromkeys(row["sorter"] for row in rows):
        of = [row for row in rows if row["sorter"] == sorter]
        total = {key: sum(row[key] for row in of) for key in ("true units", "found")}
        accuracy = np.concatenate([row["accuracy of true units"] for row in of])
        found.append(
            {
                "sorter": sorter,
                **total,
                "mean accuracy": float(accuracy.mean()),
                **{
                    key: sum(row[key] for row in of)
                    for key in ("units", "false", "redundant", "extra", "CPU s")
                },
                "MiB at most": max(row["MiB"] for row in of),
                "version": next((row["version"] for row in of if row["version"]), ""),
            }
        )
    return found


def bands(rows: list[Row]) -> list[Row]:
    """Return one row a sorter, a column a band of SNR."""
    found = []
    for sorter in dict.fromkeys(row["sorter"] for row in rows):
        of = [row for row in rows if row["sorter"] == sorter]
        snr = [one for row in of for one in row["SNR of true units"]]
        accuracy = [one for row in of for one in row["accuracy of true units"]]
        cells = {
            name: f"{one['found']} of {one['true units']}, {one['mean accuracy']:.2f}"
            for name, one in by_band(snr, accuracy).items()
        }
        found.append({"sorter": sorter, **cells})
    return found


def motions(rows: list[Row]) -> list[Row]:
    """Return one row a sorter and probe, a column a motion; nothing where no recording moves."""
    moving = {row["recording"].split()[0] for row in rows if row["recording"].endswith((" zigzag", " jump"))}
    found = []
    for probe in sorted(moving):
        of = [row for row in rows if row["recording"].split()[0] == probe]
        names = list(dict.fromkeys(row["recording"] for row in of))
        for sorter in dict.fromkeys(row["sorter"] for row in of):
            cells = dict.fromkeys(names, "")
            for row in of:
                if row["sorter"] == sorter:
                    cells[row["recording"]] = f"{row['found']} / {row['false']} / {row['redundant']}"
            found.append({"sorter": sorter, **cells})
    return found


def calibration(rows: list[Row]) -> list[str]:
    """Return what P(neuron) promised and what came true, over all units of all recordings."""
    promised = [one for row in rows for one in row["P(neuron) of units"]]
    cells = [one for row in rows for one in row["units of cells"]]
    matched = [one for row in rows for one in row["matched units"]]
    nearest = [one for row in rows for one in row["agreement of units"]]
    table_of, error = reliability(promised, cells)
    _, error_of_matches = reliability(promised, matched)
    nothing = [p for p, agreement in zip(promised, nearest, strict=True) if agreement < 0.1]
    words = (
        f"All {len(promised)} units. Neurons: the share that is one or more cells, by at least half of its "
        "spikes, which no other unit has (a cell that was split is a neuron twice). Expected calibration "
        f"error {error:.3f} for cells, {error_of_matches:.3f} for matches of a true unit by {MATCHED:g}."
    )
    if nothing:
        words += (
            f" The {len(nothing)} units that agree with no true unit by 0.1 have a mean P(neuron) of "
            f"{np.mean(nothing):.2f}, {max(nothing):.2f} at most."
        )
    return [words, table(table_of)]
