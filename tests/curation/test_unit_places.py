"""Places of units are counted from their spikes, again after each edit of these units."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Merge
from ncpgui.curation.history import History
from ncpgui.curation.unit_places import UnitPlaces

#         spike     0  1  2  3  4  5  6  7  8
UNIT = np.array([0, 0, 0, 1, 1, 2, 2, -1, 3])
CHANNEL = np.array([4, 5, 5, 2, 2, 6, 6, 1, 9])
COMPONENT = np.array([8, 9, 9, 9, 9, 7, 7, 7, -1])


@pytest.fixture
def clustering() -> Clustering:
    return Clustering(UNIT.copy(), np.ones(9, np.float32))


def test_the_component_and_the_contact_of_most_spikes_are_first(clustering: Clustering) -> None:
    places = UnitPlaces(clustering, CHANNEL, COMPONENT)
    assert [places.components_of(unit) for unit in range(5)] == [(9, 8), (9,), (7,), (), ()]
    assert [places.main_channel(unit) for unit in range(4)] == [5, 2, 6, 9]


def test_an_edit_touches_the_components_in_which_its_units_were_and_are(clustering: Clustering) -> None:
    places = UnitPlaces(clustering, CHANNEL, COMPONENT)
    history = History(clustering)
    history.do(Merge((0, 1)))
    touched = places.update([0, 1, *clustering.unit_ids.tolist()])
    assert touched == {7, 8, 9}
    (merged,) = set(clustering.unit_ids.tolist()) - {2, 3}
    assert places.components_of(merged) == (9, 8)
    assert places.components_of(0) == ((9, 8) if merged == 0 else ())
    assert places.update([3]) == set(), "its spikes are in no component"
    assert places.update([2]) == {7}


def test_places_of_all_units_are_those_that_each_has_alone_whatever_their_numbers() -> None:
    rng = np.random.default_rng(3)
    unit = rng.integers(-1, 30, 4000)
    channel, component = rng.integers(0, 12, 4000), rng.integers(-1, 5, 4000)
    for numbers in (np.arange(31) - 1, np.array([-1, *(2**40 + 7 * np.arange(30))])):
        clustering = Clustering(numbers[unit + 1])
        places = UnitPlaces(clustering, channel, component)
        assert places.components_of(-1) == ()
        for one in clustering.unit_ids.tolist():
            own = clustering.spikes_of(one)
            counts = np.bincount(component[own] + 1, minlength=6)[1:]
            by_count = sorted(np.flatnonzero(counts).tolist(), key=lambda c, n=counts: (-n[c], c))
            assert list(places.components_of(one)) == by_count
            assert places.main_channel(one) == np.bincount(channel[own]).argmax()
