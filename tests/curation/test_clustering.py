"""The two directions spike -> unit and unit -> spikes stay in step, and ids are never reused."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import CurationError, InputError
from ncpgui.curation.clustering import Clustering, Reassignment
from ncpgui.curation.commands import Merge
from ncpgui.curation.history import History


def _to(ids: list[int], cluster: list[int], units: list[int]) -> Reassignment:
    return Reassignment(
        np.array(ids, dtype=np.int64),
        np.array(cluster, dtype=np.int32),
        np.array(units, dtype=np.int64),
        np.full(len(ids), 0.5, dtype=np.float32),
    )


def test_spikes_of_each_unit_are_listed_in_order() -> None:
    clustering = Clustering([3, -1, 3, 0, 0, 3])
    assert clustering.unit_ids.tolist() == [0, 3]
    assert clustering.spikes_of(3).tolist() == [0, 2, 5]
    assert clustering.spikes_of(-1).tolist() == [1]
    assert clustering.spikes_of(9).tolist() == []
    assert clustering.next_unit_id == 4


def test_an_edit_names_what_appeared_what_went_and_what_has_other_spikes() -> None:
    clustering = Clustering([0, 0, 1, 1, 2, 2])
    change = clustering.apply(_to([0, 2, 3], [0, 0, 1], [7, 2]), "words")
    assert (change.added, change.removed, change.modified) == ((7,), (1,), (0, 2))
    assert clustering.unit_of_spike.tolist() == [7, 0, 7, 2, 2, 2]
    assert clustering.spikes_of(2).tolist() == [3, 4, 5]
    assert clustering.probability.tolist() == [0.5, 1, 0.5, 0.5, 1, 1]
    assert clustering.next_unit_id == 8


def test_a_unit_that_is_gone_cannot_come_back_by_its_number() -> None:
    clustering = Clustering([0, 0, 1])
    clustering.apply(_to([2], [0], [0]))
    with pytest.raises(CurationError, match="unit 1 does not exist"):
        clustering.apply(_to([2], [0], [1]))
    assert clustering.unit_of_spike.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("ids", "message"),
    [([1, 1], "must increase"), ([0, 9], "spike 9 does not exist"), ([-1, 0], "spike -1 does not exist")],
)
def test_impossible_spikes_are_refused_and_nothing_changes(ids: list[int], message: str) -> None:
    clustering = Clustering([0, 0, 1])
    with pytest.raises(CurationError, match=message):
        clustering.apply(_to(ids, [0, 0], [5]))
    assert clustering.unit_of_spike.tolist() == [0, 0, 1]


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="3 unit ids, 2 probabilities"):
        Clustering([0, 0, 1], [1.0, 1.0])
    with pytest.raises(InputError, match="got -2"):
        Clustering([0, -2])


def test_views_cannot_be_written() -> None:
    clustering = Clustering([0, 1])
    with pytest.raises(ValueError, match="read-only"):
        clustering.unit_of_spike[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        clustering.spikes_of(0)[0] = 5


def test_a_recording_without_spikes_has_no_units() -> None:
    clustering = Clustering(np.zeros(0, dtype=np.int64))
    assert clustering.unit_ids.tolist() == []
    assert len(clustering) == 0


def test_random_edits_keep_both_directions_equal() -> None:
    rng = np.random.default_rng(0)
    clustering = Clustering(rng.integers(-1, 5, 60))
    for _ in range(200):
        ids = np.sort(rng.choice(60, rng.integers(1, 30), replace=False))
        present = clustering.unit_ids.tolist()
        table = np.array([-1, clustering.next_unit_id, *present[:2]], dtype=np.int64)
        cluster = rng.integers(0, len(table), len(ids))
        clustering.apply(Reassignment(ids, cluster, table, np.ones(len(ids), np.float32)))
        units = clustering.unit_of_spike
        assert clustering.unit_ids.tolist() == np.unique(units[units >= 0]).tolist()
        for unit in [-1, *clustering.unit_ids.tolist()]:
            assert clustering.spikes_of(unit).tolist() == np.flatnonzero(units == unit).tolist()


def test_an_id_that_no_unit_had_may_be_given_though_it_is_below_others() -> None:
    clustering = Clustering([0, 0, 7])
    assert clustering.next_unit_id == 8
    clustering.apply(_to([0], [0], [5]))
    assert clustering.unit_of_spike.tolist() == [5, 0, 7]
    assert clustering.next_unit_id == 8


def test_a_new_unit_lies_above_ids_that_were_used_without_a_spike() -> None:
    assert Clustering([0, 0, 3]).next_unit_id == 4
    assert Clustering([0, 0, 3], highest=9).next_unit_id == 10
    assert Clustering([0, 0, 3], highest=1).next_unit_id == 4
    assert Clustering([], highest=9).next_unit_id == 10
    history = History(Clustering([5, 5, 2**40, -1], highest=2**40 + 2))
    assert history.do(Merge((5, 2**40))).added == (2**40 + 3,)
