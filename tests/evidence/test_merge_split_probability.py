"""P(one neuron) and P(parted) by counting weighed draws by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.merge_split_probability import p_one_neuron, p_parted
from ncpgui.evidence.point_events import PointEvent, conditioned

# six points: all one; halves; thirds; one odd point that goes with the other half
ROWS = np.array([[0] * 6, [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]])
WEIGHT = np.array([0.4, 0.3, 0.2, 0.1])
POSTERIOR = PosteriorSamples(ROWS, np.zeros(4), WEIGHT)


def points(*chosen: int) -> np.ndarray:
    return np.isin(np.arange(6), chosen)


def test_halves_are_one_neuron_in_the_draws_that_have_them_together() -> None:
    """Two of the first three points make a cell: in all but the first draw it is another."""
    halves = [points(0, 1, 2), points(3, 4, 5)]
    assert p_one_neuron(POSTERIOR, halves) == pytest.approx(0.4)
    assert p_parted(POSTERIOR, halves) == pytest.approx(0.6)


def test_three_parts_are_parted_where_no_two_are_together() -> None:
    thirds = [points(0, 1), points(2, 3), points(4, 5)]
    assert p_parted(POSTERIOR, thirds) == pytest.approx(0.2)
    assert p_one_neuron(POSTERIOR, thirds) == pytest.approx(0.4)


def test_points_count_as_the_spikes_that_they_stand_for() -> None:
    """Where point 2 stands for ten spikes it says where the first half is: at last with the other."""
    halves = [points(0, 1, 2), points(3, 4, 5)]
    mass = np.array([1.0, 1, 10, 1, 1, 1])
    assert p_parted(POSTERIOR, halves, stands_for=mass) == pytest.approx(0.3 + 0.2)


def test_it_is_the_probability_that_the_decision_has() -> None:
    first, second = points(0, 1), points(4, 5)
    decided = conditioned(POSTERIOR, [PointEvent("different", first, second)])
    assert p_parted(POSTERIOR, [first, second]) == pytest.approx(decided.probability[0])


@pytest.mark.parametrize("sets", [[], [points(0)], [points(0), points()]])
def test_of_nothing_nothing_is_known(sets) -> None:
    assert np.isnan(p_one_neuron(POSTERIOR, sets))
    assert np.isnan(p_parted(POSTERIOR, sets))
