"""Adopting an alternative keeps the numbers of units that stay, and leaves accepted ones alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.curation.adopt import _is_owned_by_locked, _unit_rows, adopt_command, present_alternative
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Assign
from ncpgui.curation.history import History


def _alternative(labels: list[int]) -> Alternative:
    array = np.array(labels, dtype=np.int32)
    return Alternative(array, np.full(len(array), 0.75, np.float32), 0.5, 0.1, np.ones(3, np.float32))


def _component(ids: list[int], *alternatives: list[int]) -> Component:
    posterior = PosteriorSamples(np.array([alternatives[0]]).clip(0), np.zeros(1))
    return Component(
        4,
        np.array([4]),
        np.array(ids),
        np.arange(len(ids)),
        posterior,
        tuple(map(_alternative, alternatives)),
    )


# spikes 0..7 are the component's, 8 and 9 belong to other components
NOW = [0, 0, 0, 1, 1, 2, 2, 2, 2, 5]
IDS = [0, 1, 2, 3, 4, 5, 6, 7]


def adopted(
    labels: list[int], *, now: list[int] = NOW, accepted: Iterable[int] = ()
) -> tuple[Assign, list[int]]:
    """The command that sorts the first spikes like this, and the units of all spikes when it is done."""
    component, history = _component(list(range(len(labels))), labels), History(Clustering(now))
    command = adopt_command(
        history.clustering, component, component.alternatives[0], accepted=frozenset(accepted)
    )
    assert command is not None
    history.do(command)
    return command, history.clustering.unit_of_spike.tolist()


def test_a_cluster_with_the_same_spikes_keeps_its_number() -> None:
    command, units = adopted([0, 0, 0, 1, 1, 1, 1, 1])
    assert units == [0, 0, 0, 6, 6, 6, 6, 6, 6, 5]
    assert command.words == "sort 0, 1, 2 as 2 units"


def test_spikes_elsewhere_follow_the_cluster_that_takes_most_of_their_unit() -> None:
    # Unit 2 is spikes 5, 6, 7 here and 8 elsewhere; the cluster {3..7} has 3 of 5: Jaccard 0.6.
    command, _ = adopted([0, 0, 0, 1, 1, 1, 1, 1])
    assert command.spike_ids.tolist() == [3, 4, 5, 6, 7, 8]


def test_spikes_elsewhere_stay_when_no_cluster_takes_most_of_their_unit() -> None:
    assert adopted([0, 0, 0, 0, 0, 0, 0, 1])[1] == [6, 6, 6, 6, 6, 6, 6, 7, 2, 5]


def test_adopting_what_is_shown_is_nothing() -> None:
    component = _component(IDS, [1, 1, 1, 0, 0, 2, 2, 2])
    assert adopt_command(Clustering(NOW), component, component.alternatives[0]) is None


def test_adopting_there_and_back_gives_the_same_partition() -> None:
    component = _component(IDS, [0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 1, 1, 1, -1])
    history = History(Clustering(NOW))
    for index in (1, 0, 1):
        command = adopt_command(history.clustering, component, component.alternatives[index])
        assert command is not None
        history.do(command)
        assert present_alternative(history.clustering.unit_of_spike[IDS], component) == index
    history.undo()
    assert present_alternative(history.clustering.unit_of_spike[IDS], component) == 0


def test_locked_units_lose_nothing_and_gain_nothing() -> None:
    # Cluster 0 is mostly the accepted unit 0: spike 3 cannot go there and stays in its unit.
    assert adopted([0, 0, 0, 0, 1, 1, 1, 1], accepted={0})[1] == [0, 0, 0, 1, 6, 6, 6, 6, 6, 5]


def test_a_unit_that_would_join_a_locked_one_stays_whole() -> None:
    component = _component(IDS, [0, 0, 0, 0, 0, 1, 1, 1])
    command = adopt_command(Clustering(NOW), component, component.alternatives[0], accepted={0})
    assert command is None


def test_spikes_that_may_not_join_a_locked_unit_go_where_most_of_their_unit_goes() -> None:
    # Unit 2 is spikes 5, 6, 7 here and 8 elsewhere; 5 may not join the accepted 0, 6 and 7 join 3 and 4.
    assert adopted([0, 0, 0, 1, 1, 0, 1, 1], accepted={0})[1] == [0, 0, 0, 6, 6, 6, 6, 6, 6, 5]


def test_spikes_that_the_alternative_leaves_out_lose_their_unit() -> None:
    assert adopted([0, 0, 0, 1, 1, 2, 2, -1])[1] == [0, 0, 0, 1, 1, 6, 6, -1, 6, 5]


def test_a_sorting_that_differs_in_unassigned_spikes_is_another_one() -> None:
    component = _component(IDS, [0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 2, 2, -1])
    assert present_alternative(np.array(NOW)[IDS], component) == 0
    assert present_alternative(np.array([0, 0, 0, 1, 1, 2, 2, -1]), component) == 1
    assert present_alternative(np.array([0, 0, 0, -1, -1, 2, 2, 2]), component) is None


def test_an_edit_of_a_person_is_none_of_the_alternatives() -> None:
    component = _component(IDS, [0, 0, 0, 1, 1, 1, 1, 1])
    assert present_alternative(np.array(NOW)[IDS], component) is None


def test_spikes_of_no_unit_that_stay_so_are_no_part_of_it() -> None:
    command, _ = adopted([0, 0, 0, 1, 1, 2, 2, -1], now=[0, 0, 0, 1, 1, 1, 1, -1, 2, 5])
    assert 7 not in command.spike_ids
    assert set(command.spike_ids.tolist()) <= {3, 4, 5, 6}


def test_spikes_elsewhere_follow_the_only_cluster_that_takes_most_of_the_only_unit() -> None:
    assert adopted([0, 0, -1], now=[0, 0, 0, 0])[1] == [1, 1, -1, 1]


def test_a_command_says_which_alternative_it_adopts_if_the_component_has_it() -> None:
    component = _component(IDS, [0, 0, 0, 1, 1, 2, 2, 2], [0] * 8)
    joined = component.alternatives[1]
    command = adopt_command(Clustering(NOW), component, joined)
    again = adopt_command(Clustering(NOW), component, replace(joined, mass=0.9))
    other = adopt_command(Clustering(NOW), component, _alternative([0] * 8))
    assert command is not None
    assert again is not None
    assert other is not None
    assert (command.adopts, again.adopts, other.adopts) == ((4, 1), (4, 1), None)


def test_a_cluster_is_of_accepted_units_where_more_than_half_of_it_is() -> None:
    wanted = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, -1])
    fixed = np.isin(np.arange(10), [0, 1, 4, 5, 9])
    owned = _is_owned_by_locked(wanted, fixed)
    assert np.flatnonzero(owned).tolist() == [4, 5, 6]
    assert not _is_owned_by_locked(wanted, np.zeros(10, bool)).any()


def test_rows_of_units_begin_at_nought_and_the_unassigned_come_last() -> None:
    row, table = _unit_rows(np.array([7, -1, 3, 7, 0]))
    assert (row.tolist(), table.tolist()) == ([2, 3, 1, 2, 0], [0, 3, 7])
    row, table = _unit_rows(np.zeros(0, int))
    assert (len(row), len(table)) == (0, 0)
    row, table = _unit_rows(np.full(2, -1))
    assert (row.tolist(), table.tolist()) == ([0, 0], [])
