"""Steps: what was kept is used, what was not is made, and what cannot be used is made again."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.steps import (
    NOTHING_KEPT,
    Packing,
    inside,
    integer_of,
    kept,
    part,
    step,
    text_array,
    text_of,
)
from tests.sorting.stopping import StepsInMemory

NUMBERS = Packing[int](
    lambda number: {"number": np.array(number)}, lambda values: integer_of(values["number"])
)


def test_a_step_is_made_once() -> None:
    steps = StepsInMemory()
    assert step(steps, "three", NUMBERS, lambda: 3) == 3
    assert step(steps, "three", NUMBERS, lambda: pytest.fail("it was made")) == 3
    assert kept(steps, "three", NUMBERS) == 3
    assert kept(steps, "four", NUMBERS) is None


def test_where_nothing_is_kept_a_step_is_made_each_time() -> None:
    made = iter([1, 2])
    assert [step(NOTHING_KEPT, "one", NUMBERS, lambda: next(made)) for _ in range(2)] == [1, 2]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({}, "it lacks 'number'"),
        ({"number": np.array([1, 2])}, "size 1"),
        ({"number": np.array(1.5)}, "Cannot cast"),
    ],
)
def test_arrays_that_are_no_such_value_are_refused_and_it_is_made_again(
    values: dict[str, np.ndarray], reason: str
) -> None:
    steps = StepsInMemory()
    steps.values["three"] = values
    assert step(steps, "three", NUMBERS, lambda: 3) == 3
    assert reason in steps.refused["three"]


def test_text_and_parts_come_back() -> None:
    assert text_of(text_array("spikes µ")) == "spikes µ"
    whole = inside("a", {"x": np.array(1)}) | inside("a.b", {"x": np.array(2)})
    assert part("a.b", whole) == {"x": np.array(2)}
