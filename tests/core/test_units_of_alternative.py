"""Units that an alternative leaves as they are keep their numbers, and the others get new ones."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.component import Alternative, units_of_alternative


def numbers(now: list[int], labels: list[int]) -> list[int]:
    n_units = max(labels) + 1
    alternative = Alternative(
        np.array(labels, np.int32), np.ones(len(labels), np.float32), 1.0, 0.0, np.ones(n_units, np.float32)
    )
    return units_of_alternative(np.array(now), alternative, next_unit=40).tolist()


@pytest.mark.parametrize(
    ("now", "labels", "expected"),
    [
        ([7, 7, 9, 9], [1, 1, 0, 0], [9, 7, -1]),  # both as they are, whatever they are called
        ([7, 7, 9, 9], [0, 0, 0, 0], [40, -1]),  # one of two
        ([7, 7, 9, 9], [0, 1, 2, 2], [40, 41, 9, -1]),  # one of them is split
        ([7, 7, 9, 9], [0, 0, 1, -1], [7, 40, -1]),  # a spike has left a unit
        ([7, 7, -1, 9], [0, 0, 0, 1], [40, 9, -1]),  # a spike without a unit has come
        ([-1, -1, 9, 9], [0, 0, 1, 1], [40, 9, -1]),  # a unit of spikes that had none
        ([7, 9, 9, 7], [0, 1, 0, 1], [40, 41, -1]),  # spikes have changed places
    ],
)
def test_a_unit_keeps_its_number_if_it_has_the_same_spikes(
    now: list[int], labels: list[int], expected: list[int]
) -> None:
    assert numbers(now, labels) == expected
