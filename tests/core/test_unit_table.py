"""A table of units has a row for each, and what is measured of them is known by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe
from ncpgui.core.unit_table import (
    UnitTable,
    mean_by_unit,
    measured_units,
    most_frequent,
    most_frequent_by_unit,
    stacked,
)

PROBE = Probe(np.array([[0.0, 0.0], [0.0, 20.0], [5.0, 40.0]]), np.array([0, 0, 1]))


def test_units_have_the_measurements_of_their_spikes_and_the_place_of_their_main_channel() -> None:
    table = measured_units(
        np.array([3, 7]),
        np.array([1, 0, 1, 1]),
        amplitude=np.array([-4.0, -10.0, -6.0, -8.0]),
        main_channel={3: 2, 7: 1},
        probe=PROBE,
        duration_s=2.0,
    )
    assert table.ids.tolist() == [3, 7]
    assert {name: values.tolist() for name, values in table.columns.items()} == {
        "n_spikes": [1, 3],
        "rate_hz": [0.5, 1.5],
        "amplitude_sd": [10.0, 6.0],
        "channel": [2, 1],
        "x_um": [5.0, 0.0],
        "y_um": [40.0, 20.0],
        "depth_um": [40.0, 20.0],
        "shank": [1, 0],
    }


def test_a_table_without_units_has_the_same_columns() -> None:
    none, no_units = np.zeros(0), np.zeros(0, np.int64)
    table = measured_units(no_units, no_units, amplitude=none, main_channel={}, probe=PROBE, duration_s=0.0)
    assert len(table) == 0
    assert all(len(values) == 0 for values in table.columns.values())
    assert "channel" in table


def test_the_main_channel_is_the_smallest_of_those_that_are_most_frequent() -> None:
    assert most_frequent(np.array([5, 2, 5, 2, 9])) == 2
    units, channels = np.array([0, 0, 0, 0, 1, 1, -1]), np.array([5, 2, 5, 2, -1, 9, 9])
    assert most_frequent_by_unit(units, channels) == {0: 2, 1: 9}


def test_a_mean_is_of_what_is_known() -> None:
    found = mean_by_unit(np.array([0, 0, 1, 1]), np.array([1.0, 2.0, np.nan, 4.0]), 3)
    assert found[:2].tolist() == [1.5, 4.0]
    assert np.isnan(found[2])


def test_columns_are_added_where_they_are_known_and_must_have_a_row_a_unit() -> None:
    table = UnitTable(np.array([3, 7]), {"label": np.array(["good", "mua"])})
    more = table.with_columns(p=np.array([0.5, 1.0]), q=None)
    assert list(more.columns) == ["label", "p"]
    assert more.get("q") is None
    assert list(more.some("q", "p", "label")) == ["p", "label"]
    with pytest.raises(InputError, match="a table of 2 units has 3 rows in 'p'"):
        table.with_columns(p=np.zeros(3))


def test_rows_are_plain_values_of_the_units_that_are_asked_for() -> None:
    table = UnitTable(
        np.array([3, 7, 5]), {"label": np.array(["good", "mua", ""]), "p": np.array([0.5, 1, 0])}
    )
    assert table.row(7) == {"id": 7, "label": "mua", "p": 1.0}
    assert [type(value) for value in table.row(7).values()] == [int, str, float]
    assert [row["id"] for row in table.of((5, 3)).rows()] == [5, 3]
    assert table.take(table["p"] > 0)["label"].tolist() == ["good", "mua"]
    with pytest.raises(KeyError):
        table.row(4)


def test_tables_are_stacked_by_the_names_of_their_columns() -> None:
    first = UnitTable(np.array([3]), {"p": np.array([0.5])})
    other = UnitTable(np.array([1, 2]), {"q": np.array([1, 2]), "p": np.array([0.1, 0.2])})
    both = stacked(first, other)
    assert (both.ids.tolist(), both["p"].tolist()) == ([3, 1, 2], [0.5, 0.1, 0.2])
    assert "q" not in both
