"""P(right): a unit is a neuron's train but for a fifth; draws, lost spikes and P(neuron) together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from tiny_project import tiny_project

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.unit_accuracy import LOST_SD_NATS, Overlaps, right_units


def overlaps(labels: list[int], *rows: list[int], weight: list[float] | None = None) -> Overlaps:
    draws = PosteriorSamples(
        np.array(rows), np.zeros(len(rows)), None if weight is None else np.array(weight)
    )
    return Overlaps.of(draws, np.array(labels))


WHOLE = [0] * 100


@pytest.mark.parametrize(("n_other", "agreement"), [(19, 0.81), (21, 0.79)])
def test_a_unit_is_right_while_four_fifths_of_either_are_of_both(n_other: int, agreement: float) -> None:
    """The draw has some of the 100 spikes of the unit elsewhere."""
    found = overlaps(WHOLE, [1] * n_other + [0] * (100 - n_other))
    assert found.agreement == pytest.approx([agreement])
    assert found.p_right().tolist() == [agreement >= 0.8]


def test_spikes_of_the_cell_in_another_unit_count_too() -> None:
    """A draw has both units as one cell: the first is 70 of its 100 spikes, the second 30."""
    labels = [0] * 70 + [1] * 30
    found = overlaps(labels, labels, WHOLE, weight=[0.6, 0.4])
    assert found.p_right() == pytest.approx([0.6, 0.6])
    assert found.agreement == pytest.approx([0.6 + 0.4 * 0.7, 0.6 + 0.4 * 0.3])


def test_how_many_spikes_were_lost_is_expected_and_not_known() -> None:
    """A fifth may be lost at most; the log odds of the share that was lost are normal."""
    found = overlaps(WHOLE, WHOLE)
    assert found.p_right([0.001]) == pytest.approx([1])
    assert found.p_right([0.9]) == pytest.approx([0])
    assert found.p_right([expit(logit(0.2) + 0.01)]) == pytest.approx([4 / 9])  # of nine equal parts of it
    assert found.p_right([expit(logit(0.2) - 2 * LOST_SD_NATS)])[0] > 0.95


def test_the_right_units_of_a_component_are_neurons_too() -> None:
    made = tiny_project({0: [[0] * 60 + [1] * 40]})
    unit = made.unit_of_spike
    found = right_units(made.components[0], unit, np.where(unit == 1, 0.3, 1.0), np.where(unit == 0, 9.0, 0))
    assert found.n_spikes.tolist() == [60, 40]
    assert found.lost == pytest.approx([0.9, 0])
    assert found.p_right == pytest.approx([0, 0.3])
    assert found.agreement == pytest.approx([1, 1])  # of those that were found
    assert right_units(made.components[0], unit, np.ones(100)).p_right == pytest.approx([1, 1])


def test_a_unit_of_one_point_is_right_where_draws_have_it_alone() -> None:
    found = overlaps([0, 0, 1], [0, 0, 1], [0, 0, 0])
    assert found.p_right() == pytest.approx([0.5, 0.5])
    assert found.agreement == pytest.approx([(1 + 2 / 3) / 2, (1 + 1 / 3) / 2])


def test_of_a_unit_without_points_nothing_is_known() -> None:
    draws = PosteriorSamples(np.zeros((3, 4), int), np.zeros(3))
    found = Overlaps.of(draws, np.zeros(4, int), n_units=2)
    assert np.isnan(found.p_right()[1])
    assert np.isnan(found.agreement[1])
