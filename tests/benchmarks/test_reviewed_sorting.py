"""How the benchmark of curation counts: each true spike once, also where a sorter found it twice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from spikeinterface.core import NumpySorting

from benchmarks.curation.curation_page import calibrated
from benchmarks.curation.reviewed_sorting import Truth, joined_by_a_card

RATE_HZ = 20_000.0
CELLS = NumpySorting.from_unit_dict(
    {0: np.array([1000, 2000, 3000, 4000]), 1: np.array([1500, 2500, 5000])}, RATE_HZ
)
FOUND = np.array([1000, 1003, 1500, 2000, 2001, 2500, 3000, 4000, 4008])
"""The first cell's 1000, 2000 and 4000 are found twice; 5000 of the second not at all."""


@pytest.fixture
def truth() -> Truth:
    return Truth.of(FOUND, CELLS)


def test_what_was_found_is_counted_once(truth: Truth) -> None:
    assert truth.n_found.tolist() == [4, 2]
    assert truth.event[:, 0].tolist() == [0, 0, -1, 1, 1, -1, 2, 3, 3]
    assert truth.event[:, 1].tolist() == [-1, -1, 0, -1, -1, 1, -1, -1, -1]


def test_a_spike_found_twice_is_right_where_one_of_the_two_is_in_the_unit_of_its_cell(truth: Truth) -> None:
    right = np.array([0, 1, 1, 0, 1, 1, 0, 0, 1])
    assert truth.wrong(right) == 0
    assert truth.wrong(np.where(FOUND == 1003, -1, right)) == 0  # and where the other is in no unit
    assert truth.wrong(np.where(np.isin(FOUND, [1000, 1003]), -1, right)) == 1
    assert truth.wrong(np.where(FOUND == 3000, 1, right)) == 1
    assert truth.wrong(np.array([0, 0, 0, 0, 0, 0, 0, 0, 0])) == 2


def test_units_hold_spikes_of_cells_each_once(truth: Truth) -> None:
    unit = np.array([0, 0, 1, 0, 1, 1, -1, 1, 1])
    assert truth.events_in(unit).tolist() == [[2, 0], [2, 2]]


def test_a_unit_is_no_cell_if_it_is_mostly_noise_and_has_little_of_each() -> None:
    """Noise at 100, 200, ...; the cell's four spikes are at 1000 to 4000."""
    noise = np.arange(100, 1000, 100)
    truth = Truth.of(np.concatenate([noise, [1000, 2000, 3000, 4000]]), CELLS)
    with_one = np.concatenate([np.zeros(9, int), [0, 1, 1, 1]])
    assert not truth.is_a_cell(with_one, 0)  # 1 of 10 is of a cell, and it is a quarter of that
    assert truth.is_a_cell(with_one, 1)
    with_two = np.concatenate([np.zeros(9, int), [0, 0, 1, 1]])
    assert truth.is_a_cell(with_two, 0)  # half of the cell is nowhere else
    half = np.concatenate([np.full(8, -1), [0, 0, 1, 1, 1]])
    assert truth.is_a_cell(half, 0)  # half of the unit is of a cell


def test_a_spike_counts_for_the_cell_of_its_unit_where_another_cell_fired_at_the_same_time() -> None:
    """Of the second cell's four spikes the sorter missed two, and the first cell fired beside these."""
    cells = NumpySorting.from_unit_dict(
        {0: np.array([1000, 2000, 3000, 4000]), 1: np.array([1004, 2004, 5000, 6000])}, RATE_HZ
    )
    truth = Truth.of(np.array([1000, 2000, 3000, 4000, 5000, 6000]), cells)
    unit = np.array([0, 0, 0, 0, 1, 1])
    assert truth.events_in(unit).tolist() == [[4, 2], [0, 2]]
    assert truth.events_in(unit, truth.cells(unit)).tolist() == [[4, 0], [0, 2]]


@pytest.mark.parametrize(
    ("cards", "joined"),
    [
        ([[0, 0, 1, 0, 0, 1]], True),  # with the rest of its cell
        ([[0, 0, 1, 1, 1, 1]], False),  # with another cell
        ([[0, 0, 1, 2, 2, 1]], False),  # as it is
        ([[0, 0, 1, 1, 1, 1], [0, 0, 1, 0, 0, 1]], True),
    ],
)
def test_a_redundant_unit_is_joined_where_a_card_puts_it_with_most_of_its_cell(
    cards: list[list[int]], joined: bool
) -> None:
    """Units 0 and 2 are the first cell's, unit 1 the second's."""
    truth = Truth.of(np.array([1000, 2000, 2500, 3000, 4000, 5000]), CELLS)
    component = SimpleNamespace(
        spike_ids=np.arange(6), alternatives=[SimpleNamespace(labels=np.array(card)) for card in cards]
    )
    project: Any = SimpleNamespace(unit_of_spike=np.array([0, 0, 1, 2, 2, 1]), components=[component])
    found = joined_by_a_card(project, truth, np.array([False, False, True]))
    assert found.tolist() == [False, False, joined]


def test_complete_is_asked_of_cells_and_all_else_of_noise_too() -> None:
    cell = {"P(neuron)": 1.0, "P(pure)": 1.0, "P(complete)": 1.0, "P(right)": 1.0, "forest": None}
    cell |= dict.fromkeys(("is neuron", "is pure", "is complete", "is right"), True)
    noise = {**cell, "P(neuron)": 0.0, "P(right)": 0.0}
    noise |= dict.fromkeys(("is neuron", "is complete", "is right"), False)
    rows = {row["probability"]: row for row in calibrated([{"units": [cell, cell, cell, noise]}])}
    assert [(rows[name]["units"], rows[name]["ECE"]) for name in rows if "forest" not in name] == [
        (4, 0.0),
        (4, 0.0),
        (3, 0.0),
        (4, 0.25),
        (4, 0.0),
    ]
    assert rows["P(right) by forests"]["units"] == 0
