"""UnitTable: what is known of units, one row each, and what is measured of their spikes.

The window, exports, `ncpgui.sort`, `ncpgui info` and reports all read such a table. The main channel of a
unit is found here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe

Row = Mapping[str, Any]
"""What a table says of one unit, by the names of its columns; its number is "id"."""


@dataclass(frozen=True, eq=False)
class UnitTable:
    """Columns of K units; one that is not known is not there.

    ids : (K,) int64
    columns : name -> (K,) numbers, nan where one is not known, or text

    Raises
    ------
    InputError
        A column has more rows, or fewer.
    """

    ids: NDArray[np.int64]
    columns: Mapping[str, NDArray[Any]]

    def __post_init__(self) -> None:
        for name, values in self.columns.items():
            if len(values) != len(self.ids):
                raise InputError(f"a table of {len(self.ids)} units has {len(values)} rows in '{name}'")

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def get(self, name: str) -> NDArray[Any] | None:
        """A column, None where nothing is known."""
        return self.columns.get(name)

    def row(self, unit: int) -> Row:
        """What is known of one unit, as plain Python values.

        Raises
        ------
        KeyError
            The unit is none of the table.
        """
        return self.of((unit,)).rows()[0]

    def rows(self) -> list[Row]:
        """What is known of each unit, as plain Python values."""
        names, columns = ("id", *self.columns), (self.ids, *self.columns.values())
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def of(self, units: Iterable[int]) -> UnitTable:
        """The rows of some units, in this order.

        Raises
        ------
        KeyError
            A unit is none of the table.
        """
        places = {unit: place for place, unit in enumerate(self.ids.tolist())}
        return self.take(np.array([places[int(unit)] for unit in units], dtype=np.int64))

    def take(self, places: NDArray[Any]) -> UnitTable:
        """The rows at some places, or those that a mask (K,) has."""
        return UnitTable(self.ids[places], {name: values[places] for name, values in self.columns.items()})

    def some(self, *names: str) -> dict[str, NDArray[Any]]:
        """Those of some columns that there are, in this order."""
        return {name: self.columns[name] for name in names if name in self.columns}

    def with_columns(self, **columns: NDArray[Any] | None) -> UnitTable:
        """The table with more columns after its own, but for those that are None."""
        more = {name: values for name, values in columns.items() if values is not None}
        return UnitTable(self.ids, {**self.columns, **more})


def stacked(first: UnitTable, *others: UnitTable) -> UnitTable:
    """The rows of several tables that have the columns of the first, one below the other."""
    tables = (first, *others)
    return UnitTable(
        np.concatenate([table.ids for table in tables]),
        {name: np.concatenate([table[name] for table in tables]) for name in first.columns},
    )


def most_frequent(values: NDArray[np.integer]) -> int:
    """Value that most of a unit's spikes have, the smallest of several: of channels, its main channel."""
    return int(np.bincount(values).argmax())


def most_frequent_by_unit(units: NDArray[np.int64], values: NDArray[np.integer]) -> dict[int, int]:
    """The same of each unit; units, values : (n,) of each spike, -1 does not count."""
    known = (units >= 0) & (values >= 0)
    pairs, counts = np.unique(np.stack([units[known], values[known]]), axis=1, return_counts=True)
    fewest_first = np.lexsort((-pairs[1], counts))
    return {int(unit): int(value) for unit, value in pairs[:, fewest_first].T}


def mean_by_unit(
    index: NDArray[np.integer], values: NDArray[np.floating], n_units: int
) -> NDArray[np.float64]:
    """(K,) mean of one value a spike, of those that are known; nan when none is.

    index : (n,) row of the unit of each spike
    """
    known = ~np.isnan(values)
    sums = np.bincount(index[known], weights=values[known], minlength=n_units)
    counts = np.bincount(index[known], minlength=n_units)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def measured_units(
    ids: NDArray[np.int64],
    row: NDArray[np.integer],
    *,
    amplitude: NDArray[np.floating],
    main_channel: Mapping[int, int],
    probe: Probe,
    duration_s: float,
) -> UnitTable:
    """What is measured of the spikes of units, and where these are.

    Columns: n_spikes; rate_hz, spikes a second of the recording; amplitude_sd, mean, positive; channel, the
    main one; x_um, y_um, its place; depth_um, its place along the longer axis of the probe; shank.

    Parameters
    ----------
    ids : (K,) units; row : (n,) that of the unit of each spike; amplitude : (n,) noise sd
    main_channel : of each unit
    """
    channel = np.array([main_channel[unit] for unit in ids.tolist()], dtype=np.int64)
    n_spikes = np.bincount(row, minlength=len(ids)).astype(np.int64)
    assert probe.shank is not None
    return UnitTable(
        ids,
        {
            "n_spikes": n_spikes,
            "rate_hz": n_spikes / max(duration_s, 1e-9),
            "amplitude_sd": mean_by_unit(row, np.abs(amplitude), len(ids)),
            "channel": channel,
            "x_um": probe.positions_um[channel, 0],
            "y_um": probe.positions_um[channel, 1],
            "depth_um": probe.depth_um[channel],
            "shank": probe.shank[channel],
        },
    )
