"""Two tables of text: ``NAME.csv`` with one row a spike, ``NAME_units.csv`` with one row a unit.

::

    NAME.csv        sample, time_s, unit, probability, entropy, amplitude_sd
    NAME_units.csv  unit, label, n_spikes, rate_hz, amplitude_sd, channel, x_um, y_um, depth_um, shank,
                    p_exists, probability, p_neuron, p_pure, p_complete, false_positives, misses,
                    sampler where the probabilities of a unit are those of a beam,
                    tag, note where a unit has one

``time_s`` is on the clock of the recording. A value that is not known is an empty cell. UTF-8, comma, full
stop. Text that a spreadsheet would take for a formula has an apostrophe before it.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.csv_text import text_cell
from ncpgui.core.errors import ExportError
from ncpgui.core.files import replaced_files
from ncpgui.export.bundle import COLUMNS, ExportBundle

DECIMALS = dict.fromkeys(("amplitude_sd", "x_um", "y_um", "depth_um"), 3)


def csv_files(path: Path) -> tuple[Path, Path]:
    """The table of spikes at `path` and that of units beside it."""
    return path, path.with_name(f"{path.stem}_units.csv")


def export_csv(bundle: ExportBundle, path: Path, *, replace: bool = True) -> Path:
    """Write `path` and the table of units beside it.

    Raises
    ------
    ExportError
        One of the files cannot be written, or is there and is not replaced; neither is replaced.
    """
    number, place = 0, path
    while not replace and any(file.exists() for file in csv_files(place)):
        number += 1
        place = path.with_name(f"{path.stem}-{number}.csv")
    with replaced_files(csv_files(place), replace=replace) as (spikes, units):
        write_columns(spikes, _spike_columns(bundle))
        write_columns(units, _unit_columns(bundle))
    if place != path:
        appeared = next(file for file in csv_files(path) if file.exists())
        raise ExportError(
            f"{appeared} appeared meanwhile and is not replaced; what was written is in {place}"
        )
    return path


def _spike_columns(bundle: ExportBundle) -> dict[str, Iterable[object]]:
    sorting = bundle.sorting
    n = len(sorting)
    return {
        "sample": sorting.sample_index.tolist(),
        "time_s": _decimals(bundle.time_s, 6, n),
        "unit": np.array(_names(bundle), dtype=object)[bundle.unit_index].tolist(),
        "probability": _decimals(sorting.probability, 4, n),
        "entropy": _decimals(sorting.entropy, 4, n),
        "amplitude_sd": _decimals(bundle.amplitude, 3, n),
    }


def _unit_columns(bundle: ExportBundle) -> dict[str, Iterable[object]]:
    units = bundle.units
    names = dict.fromkeys((*COLUMNS, *units.columns))
    return {"unit": _names(bundle), **{name: _cells(name, units.get(name), len(units)) for name in names}}


def _cells(name: str, values: NDArray[Any] | None, n: int) -> list[object]:
    if values is None or values.dtype.kind == "f":
        return [*_decimals(values, DECIMALS.get(name, 4), n)]
    return [text_cell(cell) if isinstance(cell, str) else cell for cell in values.tolist()]


def _names(bundle: ExportBundle) -> list[int | str]:
    return [text_cell(name) if isinstance(name, str) else name for name in bundle.unit_names]


def write_columns(path: Path, columns: dict[str, Iterable[object]], *, delimiter: str = ",") -> None:
    """A table of text in UTF-8, with the names of its columns above."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _decimals(values: NDArray[np.floating] | None, n_decimals: int, n: int) -> list[str]:
    if values is None:
        return [""] * n
    return ["" if math.isnan(value) else f"{value:.{n_decimals}f}" for value in values.tolist()]
