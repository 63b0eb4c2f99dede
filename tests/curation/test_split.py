"""Splits: all spikes of a unit go to one side or the other, and nothing else moves."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.component import Alternative, Component
from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import SetAccepted
from ncpgui.curation.history import History
from ncpgui.curation.split import lasso_split, split_as

# spikes 0..9 are the component's, 10..12 lie in other components; -1 has no unit
NOW = [0, 0, 0, 0, 1, 1, 1, 2, 2, -1, 0, 1, 5]
IDS = np.arange(10)


def component(*ways: list[int]) -> Component:
    vectors = ways or ([0, 0, 0, 0, 1, 1, 1, 2, 2, -1],)
    alternatives = tuple(
        Alternative(np.array(way, np.int32), np.ones(10, np.float32), 0.5, 0.1, np.ones(3, np.float32))
        for way in vectors
    )
    posterior = PosteriorSamples(np.array([vectors[0]]).clip(0), np.zeros(1))
    return Component(4, np.array([4]), IDS, IDS, posterior, alternatives)


def inside(*spikes: int) -> np.ndarray:
    return np.isin(IDS, spikes)


def after(history: History, command: object) -> list[int]:
    history.do(command)
    return history.clustering.unit_of_spike.tolist()


def test_inside_and_outside_are_units_of_their_own_and_others_stay() -> None:
    """Spike 10 of unit 0 is elsewhere: it goes with the three outside. Spikes 5 and 9 are of no matter."""
    history = History(Clustering(NOW))
    command = lasso_split(history.clustering, component(), inside(3, 5, 9), [0])
    assert after(history, command) == [7, 7, 7, 6, 1, 1, 1, 2, 2, -1, 7, 1, 5]
    assert history.undo_words == "split 0 by lasso (1 | 4 spikes)"


def test_undo_brings_everything_back_in_one_step() -> None:
    history = History(Clustering(NOW))
    history.do(lasso_split(history.clustering, component(), inside(3), [0]))
    history.undo()
    assert history.clustering.unit_of_spike.tolist() == NOW
    assert not history.can_undo


def test_what_is_inside_of_several_units_is_one_unit() -> None:
    """As in phy: each of them keeps what is left of it apart from the others."""
    history = History(Clustering(NOW))
    command = lasso_split(history.clustering, component(), inside(3, 4), [0, 1])
    assert after(history, command) == [7, 7, 7, 6, 6, 8, 8, 2, 2, -1, 7, 8, 5]
    assert history.undo_words == "split 0 + 1 by lasso (2 | 4 | 3 spikes)"


def test_a_selected_unit_that_the_lasso_does_not_touch_stays() -> None:
    history = History(Clustering(NOW))
    command = lasso_split(history.clustering, component(), inside(3), [0, 1])
    assert after(history, command)[4:7] == [1, 1, 1]


def test_spikes_keep_the_probability_that_they_had() -> None:
    sure = np.linspace(0.1, 1, 13)
    history = History(Clustering(NOW, sure))
    history.do(lasso_split(history.clustering, component(), inside(3), [0]))
    np.testing.assert_allclose(history.clustering.probability, sure.astype(np.float32))


@pytest.mark.parametrize(
    ("spikes", "units", "accepted", "words"),
    [
        ((4, 5), [0], (), "no spike of unit 0 is inside the lasso; nothing is split"),
        ((0, 1, 2, 3, 7), [0], (), "all spikes of unit 0 are inside the lasso; nothing is split"),
        ((0, 1, 2, 3), [0, 1], (), "the lasso divides none of units 0 and 1: each is inside or outside"),
        ((3,), [], (), "select the unit that the lasso is to split"),
        ((3,), [5], (), "unit 5 has no spikes on screen"),
        ((3,), [0], (0,), r"unit 0 is accepted and not split; open it \(Y\) first"),
        ((3, 4), [0, 1], (0, 1), r"units 0 and 1 are accepted and not split; open them \(Y\) first"),
    ],
)
def test_what_cannot_be_split_is_said(spikes, units, accepted, words) -> None:
    with pytest.raises(CurationError, match=words):
        lasso_split(Clustering(NOW), component(), inside(*spikes), units, accepted=accepted)


def test_a_locked_unit_that_the_lasso_does_not_touch_is_no_matter() -> None:
    assert lasso_split(Clustering(NOW), component(), inside(3), [0, 1], accepted=(1,)).unit_ids == (-1, -1)


def test_one_unit_is_split_as_an_alternative_does_and_no_other_is_touched() -> None:
    """The alternative splits 0 in two and merges 1 with 2; spike 10 goes with the first of equal parts."""
    history = History(Clustering(NOW))
    way = component([0, 0, 0, 0, 1, 1, 1, 2, 2, -1], [0, 0, 1, 1, 2, 2, 2, 2, 2, 2])
    assert after(history, split_as(history.clustering, way, 1, 0)) == [6, 6, 7, 7, 1, 1, 1, 2, 2, -1, 6, 1, 5]
    assert history.undo_words == "split 0 as alternative 2 (3 | 2 spikes)"


def test_single_spikes_that_the_alternative_has_elsewhere_stay_with_the_largest_part() -> None:
    """Of unit 0 it has spikes 0 .. 4 and 5 .. 7 apart, 8 with other spikes, 9 in no unit."""
    ids = np.arange(10)
    way = component([0] * 10, [0, 0, 0, 0, 0, 1, 1, 1, 2, -1])
    command = split_as(Clustering([0] * 10), way, 1, 0)
    assert command.cluster[np.searchsorted(command.spike_ids, ids)].tolist() == [0] * 5 + [1] * 3 + [0, 0]


@pytest.mark.parametrize(
    ("unit", "accepted", "words"),
    [
        (1, (), "alternative 2 leaves unit 1 in one piece"),
        (5, (), "unit 5 has no spikes on screen"),
        (0, (0,), r"unit 0 is accepted and not split; open it \(Y\) first"),
    ],
)
def test_a_split_that_the_alternative_does_not_have_is_said(unit, accepted, words) -> None:
    way = component([0, 0, 0, 0, 1, 1, 1, 2, 2, -1], [0, 0, 1, 1, 2, 2, 2, 2, 2, 2])
    with pytest.raises(CurationError, match=words):
        split_as(Clustering(NOW), way, 1, unit, accepted=accepted)


def test_a_split_says_that_the_parts_are_of_different_neurons() -> None:
    """Parts of two spikes of ten count as units: the posterior is weighed by that from then on."""
    history = History(Clustering(NOW))
    history.do(lasso_split(history.clustering, component(), inside(2, 3), [0]))
    assert [(one.kind, one.words) for one in history.decisions] == [("different", "0 split in 2")]
    history.do(SetAccepted((6,)))
    assert [one.kind for one in history.decisions] == ["neuron", "different"]
