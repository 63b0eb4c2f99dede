"""In how many draws a unit has the same spikes: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.same_train import same_train


def posterior(rows: list[list[int]], shares: list[float]) -> PosteriorSamples:
    return PosteriorSamples(np.array(rows, np.int32), np.zeros(len(rows)), np.array(shares))


def test_a_train_is_the_same_while_one_spike_in_twenty_differs() -> None:
    """Of forty spikes: none, two (0.95) or three (0.925) are in another cell."""
    unit = np.zeros(40, np.int64)
    rows = [[0] * 40, [0] * 38 + [1] * 2, [0] * 37 + [1] * 3]
    assert same_train(posterior(rows, [0.5, 0.3, 0.2]), unit) == pytest.approx([0.8])


def test_spikes_that_the_cell_has_beyond_the_unit_count_as_much() -> None:
    """The cell has two more spikes (38 of 40 are common), or three (38 of 41)."""
    unit = np.array([0] * 38 + [-1] * 3)
    rows = [[0] * 40 + [1], [0] * 41]
    assert same_train(posterior(rows, [0.6, 0.4]), unit) == pytest.approx([0.6])


def test_spikes_count_as_many_as_they_stand_for() -> None:
    """One of three points is elsewhere, which stands for one spike of twenty, or for ten."""
    unit = np.zeros(3, np.int64)
    found = posterior([[0, 0, 1]], [1.0])
    assert same_train(found, unit, stands_for=np.array([10.0, 9.0, 1.0])) == pytest.approx([1.0])
    assert same_train(found, unit, stands_for=np.array([5.0, 5.0, 10.0])) == pytest.approx([0.0])


def test_a_unit_without_points_is_unknown() -> None:
    found = same_train(posterior([[0, 0]], [1.0]), np.array([0, 0]), n_units=2)
    assert found[0] == pytest.approx(1.0)
    assert np.isnan(found[1])
