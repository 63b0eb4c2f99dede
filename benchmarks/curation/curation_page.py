"""The page of the curation benchmark, made from what it keeps of each sorting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.common.report import table
from benchmarks.curation.forests import FOREST
from benchmarks.recordings.unit_scores import calibration_error

Row = dict[str, Any]
AS_GIVEN, BY_ITSELF, WITH_ANSWERS = "as given", "review, by itself at 90 %", "review, answered"
OF_A_ROW = (
    "method",
    "units",
    "found",
    "mean accuracy",
    "wrong spikes",
    "false",
    "redundant",
    "extra",
    "questions",
    "decisions",
)
PROMISES = {
    "P(neuron)": ("P(neuron)", "is neuron"),
    "P(pure)": ("P(pure)", "is pure"),
    "P(complete), of cells": ("P(complete)", "is complete"),
    "P(complete), of noise too": ("P(complete)", "is complete"),
    "P(right)": ("P(right)", "is right"),
    "P(right) by forests": (FOREST, "is right"),
}
"""What is said of a unit and what is true of it, among the verdicts, by the name in the table."""
OF_CELLS = "P(complete), of cells"
BINS = 5
RIGHT_FROM = 0.5
GOOD = ("good",)
"""Labels of Bombcell that say that a unit is right."""


def page_of(sortings: Sequence[Row], *, development: bool = False) -> str:
    """Return all tables with what they mean."""
    done = [one for one in sortings if one["rows"]]
    parts = ["# Curation against truth", ABOUT]
    if development:
        parts.append("**These are the recordings that settings were chosen on.**")
    failures = [
        f"- {one['sorter']} on {one['recording']}: {one['failure']}" for one in sortings if one["failure"]
    ]
    failures += [
        f"- `{preset}` on units of {one['sorter']} in {one['recording']}: {why}"
        for one in done
        for preset, why in one["failed"].items()
    ]
    if failures:
        parts += ["What did not run; a preset that fails merges nothing:", "\n".join(failures)]
    if done:
        parts += ["## All sortings", table(sums(done)), "## Which units are right", ABOUT_UNITS]
        parts += [table(judged(done)), table(calibrated(done))]
        parts += ["## Redundant units", ABOUT_REDUNDANT, table(redundant(done))]
        parts += ["## Each sorting", table(each(done))]
        made = dict.fromkeys((one["made"], str(one["source"])[:12]) for one in done)
        parts.append(f"Reviewed on {', '.join(f'{day} by source {source}' for day, source in made)}.")
    return "\n\n".join(parts) + "\n"


ABOUT = (
    "Units of other sorters, without motion correction, on simulated recordings of 90 s; each sorting as "
    "it is given, after the decisions that are made by themselves from 90 % on, after somebody who knows "
    "the truth has answered all questions (an alternative that leaves fewer wrong spikes, or the label "
    "noise for a unit of which less than half is of cells and that has less than half of each), and after"
    " the merges of each preset of SpikeInterface's `compute_merge_unit_groups`. Wrong spikes: those of "
    "true cells, among the spikes that the sorter found, that are not in the unit of their cell; one that"
    " was found twice counts once. Units labelled noise count for nothing. Found, false, redundant and "
    "extra are those of the comparison of sorters. Decisions: questions after which something was "
    "another, or merges."
)
ABOUT_UNITS = (
    "Of the units as they are given: right if a unit agrees with its cell by 0.8. P(right) of the review, "
    "from 0.5 on, beside Bombcell's label `good` as SpikeInterface makes it (its thresholds). Thrown away: "
    "right units that are not called so. Complete: the unit has nine tenths of the spikes of its cell that "
    "were found in any unit; a spike of another cell's unit that is near one of it by chance does not count "
    "as found. A unit of noise has no cell to be complete of. Forests are those of SpikeInterface's "
    "`train_model`, by quality metrics and what is true of the units of the other four recordings: somebody "
    "has labelled these by hand. ECE in five bins, of all units that a review says something of."
)
ABOUT_REDUNDANT = (
    "Units as given that are redundant, and how many of them are in a question with a card that joins them to"
    " most of their cell's spikes, and leaves fewest wrong; beside them all questions, and the units that "
    "are not right."
)


def sums(sortings: Sequence[Row]) -> list[Row]:
    """Return the figures of each method over all sortings."""
    rows = [row for one in sortings for row in one["rows"]]
    n_true = sum(one["true units"] for one in sortings)
    result = []
    for method in dict.fromkeys(row["method"] for row in rows):
        of = [row for row in rows if row["method"] == method]
        row = {"method": method, "true units": n_true}
        for name in OF_A_ROW[1:]:
            values = [one[name] for one in of]
            row[name] = float(np.mean(values)) if name == "mean accuracy" else sum(values)
        result.append(row)
    return result


def units_of(sortings: Sequence[Row]) -> list[Row]:
    """Return the verdicts on all units."""
    return [unit for one in sortings for unit in one["units"]]


def judged(sortings: Sequence[Row]) -> list[Row]:
    """Return precision and recall of those who say which units are right."""
    units = units_of(sortings)
    right = np.array([unit["is right"] for unit in units])
    says = {
        "P(right) >= 0.5": np.array([(unit["P(right)"] or 0.0) >= RIGHT_FROM for unit in units]),
        "forests of others >= 0.5": np.array([(unit.get(FOREST) or 0.0) >= RIGHT_FROM for unit in units]),
        "Bombcell, good": np.array([unit["Bombcell"] in GOOD for unit in units]),
        "Bombcell, not noise": np.array([unit["Bombcell"] != "noise" for unit in units]),
        "all units": np.ones(len(units), bool),
    }
    return [
        {
            "who": who,
            "units": len(units),
            "called right": int(called.sum()),
            "precision": float(right[called].mean()) if called.any() else float("nan"),
            "recall": float(called[right].mean()) if right.any() else float("nan"),
            "right, thrown away": int((right & ~called).sum()),
        }
        for who, called in says.items()
    ]


def calibrated(sortings: Sequence[Row]) -> list[Row]:
    """Return the calibration error of each probability."""
    rows = []
    for name, (promise, fact) in PROMISES.items():
        said = [unit for unit in units_of(sortings) if unit.get(promise) is not None]
        if name == OF_CELLS:
            said = [unit for unit in said if unit["is neuron"]]
        p = np.array([unit[promise] for unit in said])
        true = np.array([unit[fact] for unit in said])
        row: Row = {"probability": name, "units": len(said)}
        row["mean"] = float(p.mean()) if len(p) else float("nan")
        row["came true"] = float(true.mean()) if len(p) else float("nan")
        rows.append({**row, "ECE": calibration_error(p, true, n_bins=BINS) if len(p) else float("nan")})
    return rows


def redundant(sortings: Sequence[Row]) -> list[Row]:
    """Return redundant units and questions of each recording, and of all."""
    rows = []
    for name in (*dict.fromkeys(one["recording"] for one in sortings), None):
        of = [one for one in sortings if name in (None, one["recording"])]
        given = [row for one in of for row in one["rows"] if row["method"] == AS_GIVEN]
        rows.append(
            {
                "recording": name or "all",
                "redundant as given": sum(row["redundant"] for row in given),
                "joined by a card": sum(one["joined by a card"] for one in of),
                "questions": sum(
                    row["questions"] for one in of for row in one["rows"] if row["method"] == WITH_ANSWERS
                ),
                "wrong units": sum(not unit["is right"] for unit in units_of(of)),
            }
        )
    return rows


def each(sortings: Sequence[Row]) -> list[Row]:
    """Return a row of each sorting and method."""
    return [
        {"recording": one["recording"], "sorter": one["sorter"], "true units": one["true units"], **row}
        for one in sortings
        for row in one["rows"]
    ]
