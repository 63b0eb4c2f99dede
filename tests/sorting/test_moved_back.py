"""Templates at the places of the tissue, moved back to one of them."""

from __future__ import annotations

import numpy as np

from ncpgui.core.motion import Places
from ncpgui.sorting.moved_back import moved_back

PITCH_UM = 20.0
LINE_UM = np.column_stack([np.zeros(10), PITCH_UM * np.arange(10)])
PLACES = Places(
    np.array([[0, 100], [100, 300]]), np.array([0, 1]), np.array([[0.0], [PITCH_UM]]), np.zeros(1)
)


def bump(at: float) -> np.ndarray:
    """A template (12, 10) that is largest on a contact: (T, C)."""
    course = -np.exp(-0.5 * ((np.arange(12) - 5) / 2) ** 2)
    return np.outer(course, 30 * np.exp(-0.5 * ((np.arange(10) - at) / 1.5) ** 2)).astype(np.float32)


def test_a_cell_that_moved_by_a_contact_looks_as_before() -> None:
    templates = np.stack([[bump(4), bump(3)], [bump(5), bump(6)]])
    back = moved_back(templates, np.array([4, 5]), PLACES, LINE_UM, usual=0)
    assert np.array_equal(back[0], templates[0])
    assert np.abs(back[1, 0] - bump(4)).max() < 1.0  # of 30
    assert np.abs(back[1, 1] - bump(5)).max() < 1.0  # another cell than at the first place: it shows


def test_the_other_way_round_they_move_the_other_way() -> None:
    templates = np.stack([[bump(4)], [bump(5)]])
    back = moved_back(templates, np.array([4]), PLACES, LINE_UM, usual=1)
    assert np.abs(back[0, 0] - bump(5)).max() < 1.0
    assert np.array_equal(back[1], templates[1])
    assert np.array_equal(templates[0, 0], bump(4))  # what came in stays
