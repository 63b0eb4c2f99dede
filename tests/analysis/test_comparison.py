"""Matches and accuracies of trains small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.analysis.comparison import compare, count_matches
from ncpgui.core.errors import InputError
from ncpgui.core.spikes import Sorting


def sorting(**trains: list[int]) -> Sorting:
    """Sorting at 20 kHz from keyword arguments u3=[samples]."""
    times = np.concatenate([np.array(train, dtype=np.int64) for train in trains.values()])
    units = np.repeat([int(name[1:]) for name in trains], [len(train) for train in trains.values()])
    order = np.argsort(times, kind="stable")
    return Sorting(times[order], units[order], 20_000.0, 1_000_000)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([], [1, 2], 0),
        ([100], [108], 1),
        ([100], [109], 0),
        ([100, 200, 300], [105, 195, 400], 2),
        ([100, 104], [102], 1),
        ([100], [96, 104], 1),
        ([100, 110], [105, 118], 2),
        ([100, 106, 112], [94, 106, 118], 3),
    ],
)
def test_spikes_within_eight_samples_match_once_each(first, second, expected):
    a, b = np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
    assert count_matches(a, b, 8) == expected
    assert count_matches(b, a, 8) == expected


def test_accuracy_precision_and_recall_by_hand():
    truth = sorting(u0=[1000, 2000, 3000, 4000, 5000])
    found = sorting(u7=[1008, 1992, 3000, 4009, 9000, 9500])
    result = compare(found, truth)
    assert result.matches.tolist() == [[3]]
    assert result.accuracy[0] == pytest.approx(3 / 8)
    assert result.precision[0] == pytest.approx(3 / 6)
    assert result.recall[0] == pytest.approx(3 / 5)
    assert result.best_match.tolist() == [7]


def test_units_are_assigned_one_to_one_by_the_best_sum():
    a, b = list(range(1000, 21_000, 1000)), list(range(1500, 21_500, 1000))
    result = compare(sorting(u4=b, u9=a), sorting(u0=a, u1=b))
    assert result.best_match.tolist() == [9, 4]
    assert result.accuracy.tolist() == [1, 1]
    assert len(result.false_ids) == 0


def test_false_redundant_and_overmerged_units_are_told_apart():
    a, b, c = ([start + 1000 * k for k in range(20)] for start in (1000, 1300, 1600))
    nowhere = [100_000 + 1000 * k for k in range(20)]
    result = compare(sorting(u1=a[:13], u2=a[13:], u3=b + c, u4=nowhere), sorting(u0=a, u1=b, u2=c))
    assert result.false_ids.tolist() == [4]
    assert result.redundant_ids.tolist() == [2]
    assert result.overmerged_ids.tolist() == [3]
    assert result.summary()["well_detected"] == 0


def test_nothing_found_scores_zero_and_nothing_true_makes_all_false():
    some, none = sorting(u0=[100, 200]), sorting(u0=[])
    assert compare(none, some).accuracy.tolist() == [0]
    assert compare(none, some).best_match.tolist() == [-1]
    assert compare(some, none).false_ids.tolist() == [0]


def test_unassigned_spikes_do_not_count():
    found = Sorting(np.array([100, 200]), np.array([-1, 3]), 20_000.0, 1000)
    assert compare(found, sorting(u0=[100, 200])).accuracy.tolist() == [0.5]


def test_units_left_out_of_the_score_do_not_count():
    truth = sorting(u0=[100, 2000], u1=[5000, 9000])
    summary = compare(sorting(u0=[100, 2000]), truth).summary(scored=np.array([True, False]))
    assert summary["true_units"] == 1
    assert summary["mean_accuracy"] == 1


def test_agreement_equals_spikeinterface():
    from spikeinterface.comparison import compare_sorter_to_ground_truth
    from spikeinterface.core import NumpySorting

    rng = np.random.default_rng(0)
    trains = [np.sort(rng.choice(400_000, 300, replace=False)) for _ in range(3)]
    moved = [np.sort(np.clip(t + rng.integers(-12, 13, len(t)), 0, None)) for t in trains]
    result = compare(
        sorting(u0=moved[0], u1=moved[1], u2=moved[2]), sorting(u0=trains[0], u1=trains[1], u2=trains[2])
    )
    theirs = compare_sorter_to_ground_truth(
        NumpySorting.from_unit_dict(dict(enumerate(trains)), 20_000.0),
        NumpySorting.from_unit_dict(dict(enumerate(moved)), 20_000.0),
        delta_time=0.4,
    )
    assert np.allclose(result.accuracy_matrix, theirs.agreement_scores.to_numpy(), atol=0.01)


def test_sortings_of_other_recordings_are_refused():
    other = Sorting(np.array([1]), np.array([0]), 30_000.0, 100)
    with pytest.raises(InputError, match="at 30000 Hz, the truth at 20000 Hz"):
        compare(other, sorting(u0=[1]))
