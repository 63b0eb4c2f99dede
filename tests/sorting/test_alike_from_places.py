"""Units that do not follow the tissue, and the cells that they have in common."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.sorting.alike_from_places import ALIKE, LEAST_SPIKES, THE_SAME, AlikePlaces, alike_from_places

A, B, C, D = 1, 3, 5, 7
"""Contacts on which cells are largest."""
LAG = 2


def bump(contact: float, late: int = 0) -> np.ndarray:
    """The template of a cell, some samples late: (T, C)."""
    course = -np.exp(-0.5 * ((np.arange(14) - 6 - late) / 1.5) ** 2)
    seen = np.abs(np.arange(10) - contact) <= 2
    return np.outer(course, 30 * seen * np.exp(-0.5 * (np.arange(10) - contact) ** 2)).astype(np.float32)


def units(*cells: tuple[int, int]) -> np.ndarray:
    """Templates of units by the cell that each is at each place: (P, K, T, C)."""
    return np.array([[bump(cell) for cell in at] for at in zip(*cells, strict=True)])


def found(shown: np.ndarray, n_spikes: list[list[int]] | None = None) -> AlikePlaces:
    counts = np.full(shown.shape[:2], 100) if n_spikes is None else np.array(n_spikes)
    return alike_from_places(shown, counts, max_lag=LAG)


def test_a_cell_that_two_units_hold_at_different_places_is_seen_and_they_differ_at_each_place() -> None:
    assert found(units((A, B), (C, A), (D, D))).pairs == [(0, 1)]


def test_units_of_different_cells_everywhere_have_none_in_common() -> None:
    assert found(units((A, B), (C, D), (D + 2, D + 2))).pairs == []


def test_the_most_alike_units_come_first() -> None:
    shown = units((A, B), (C, A), (D, B))
    shown[1, 1] *= 0.9  # a hundredth of the power is missing
    assert found(shown).pairs == [(0, 2), (0, 1)]


def test_a_place_at_which_a_unit_hardly_fires_says_nothing() -> None:
    shown = units((A, B), (C, A))
    enough, few = [[100, 100], [100, LEAST_SPIKES]], [[100, 100], [100, LEAST_SPIKES - 1]]
    assert found(shown, enough).pairs == [(0, 1)]
    assert found(shown, few).pairs == []


@pytest.mark.parametrize(("late", "pairs"), [(LAG, [(0, 1)]), (-LAG, [(0, 1)]), (2 * LAG, [])])
def test_units_whose_spikes_are_named_late_are_compared_at_the_lag_at_which_they_agree(
    late: int, pairs: list[tuple[int, int]]
) -> None:
    assert found(np.array([[bump(A), bump(A, late)]])).pairs == pairs


def test_what_of_a_cell_is_elsewhere_is_counted_at_each_place() -> None:
    """Unit 0 has 60 spikes of A and 50 of B, unit 1 has 40 of A, unit 2 has 20 of A and 30 of B."""
    alike = found(units((A, B), (C, A), (A, B)), [[60, 70, 20], [50, 40, 30]])
    alone = alike.elsewhere([0])
    assert alone[:, 0].tolist() == [60 / 120, 30 / 80]
    with_third = alike.elsewhere([0, 2])
    assert with_third[:, 0].tolist() == [40 / 120, 0.0]
    assert with_third[:, 2].tolist() == [40 / 120, 0.0]
    assert not alike.elsewhere([0, 1, 2]).any()


@pytest.mark.parametrize(
    ("apart", "pairs", "share"), [(0.99 * THE_SAME, [(0, 1)], 0.5), (0.99 * ALIKE, [(0, 1)], 0.0)]
)
def test_templates_that_are_alike_are_asked_about_and_only_the_same_ones_are_told_to_be_elsewhere(
    apart: float, pairs: list[tuple[int, int]], share: float
) -> None:
    """A template of (1 - root of d) times another is d of its power apart from it."""
    shown = np.stack([bump(A), (1 - np.sqrt(apart)) * bump(A)]).astype(np.float32)[None]
    alike = found(shown)
    assert alike.pairs == pairs
    assert alike.elsewhere([0])[0, 0] == share
