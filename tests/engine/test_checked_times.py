"""Times of spikes are seconds that do not go back; what cannot be that is refused with the spike."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.engine.checked_times import checked_times, odd_interval


def test_times_begin_at_nought() -> None:
    assert checked_times([2.5, 2.5, 4.0], 3).tolist() == [0.0, 0.0, 1.5]
    assert checked_times(np.array([7], np.int32), 1).tolist() == [0.0]


@pytest.mark.parametrize(
    ("times", "n", "said"),
    [
        ([1.0, 2.0], 3, r"for each of 3 spikes, got shape \(2,\); give \(3,\)"),
        ([[1.0], [2.0]], 2, r"got shape \(2, 1\)"),
        ([1.0, np.nan, 3.0], 3, "the time of spike 1 is NaN or infinite"),
        ([np.inf, np.nan], 2, "the time of spike 0 is NaN"),
        ([1.0, 3.0, 2.5, 2.0], 4, "spike 2 is at 2.5 s after one at 3 s; sort the spikes by time"),
    ],
)
def test_what_are_no_times_of_these_spikes_is_refused(times: object, n: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        checked_times(times, n)  # type: ignore[arg-type]


def test_samples_are_told_from_seconds_by_twenty_whole_numbers() -> None:
    with pytest.raises(
        InputError, match="all are whole numbers up to 119, as samples are; divide by the sampling"
    ):
        checked_times(np.arange(100.0, 120.0), 20)
    assert checked_times(np.arange(19.0), 19)[-1] == 18
    assert checked_times(np.arange(20.0) + 0.5, 20)[-1] == 19
    assert not checked_times(np.full(30, 4.0), 30).any(), "all at once: of a recording without a clock"


@pytest.mark.parametrize(
    ("interval_s", "n", "is_odd"),
    [
        (0.1, 50, False),
        (2.01e-4, 50, False),
        (1e-4, 50, True),
        (100.0, 50, False),
        (101.0, 50, True),
        (1e4, 19, False),
        (1e4, 20, True),
    ],
)
def test_a_mean_interval_that_no_spikes_have_is_told(interval_s: float, n: int, is_odd: bool) -> None:
    found = odd_interval(np.arange(n) * interval_s)
    assert (found is not None) == is_odd
    if found:
        assert found.startswith(f"spikes are {interval_s:.2g} s apart on average")
