"""Sortings that are probable enough are used without a person, as edits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.motion import Motion
from ncpgui.core.project import Project
from ncpgui.curation.by_itself import parts_of, taken_off, with_probable_sortings
from ncpgui.curation.history import History
from ncpgui.evidence.tempered import widened
from tests.tiny_project import tiny_project

ONE, TWO = [0] * 60, [0] * 30 + [1] * 30


@pytest.fixture
def project() -> Project:
    """As given, the first component is one unit at 4 %, the second two at 30 %, the third one at 97 %."""
    return tiny_project(
        {0: [ONE, TWO], 1: [TWO, ONE], 2: [ONE, TWO]},
        masses={0: [0.04, 0.96], 1: [0.3, 0.7], 2: [0.97, 0.03]},
    )


def decided(project: Project) -> History:
    history = History.of(replace(project, history=()))
    history.replay(project.history)
    return history


def n_units(history: History, project: Project) -> list[int]:
    return [len(np.unique(history.clustering.unit_of_spike[one.spike_ids])) for one in project.components]


@pytest.mark.parametrize(
    ("least", "expected", "n_decisions"), [(0.97, [1, 2, 1], 0), (0.96, [2, 2, 1], 1), (0.6, [2, 1, 1], 2)]
)
def test_what_is_probable_enough_and_not_in_use_is_used(
    project: Project, least: float, expected: list[int], n_decisions: int
) -> None:
    done, words = with_probable_sortings(project, least)
    history = decided(done)
    assert n_units(history, done) == expected
    assert len(words) == len(history.commands) == n_decisions
    assert np.array_equal(done.unit_of_spike, project.unit_of_spike)  # the sorting before it is kept


def test_a_decision_says_what_it_did_and_can_be_undone(project: Project) -> None:
    done, words = with_probable_sortings(project, 0.9)
    assert words == ("sort 0 as 2 units, by itself at 96 %",)
    history = decided(done)
    assert history.undo_words == words[0]
    history.undo()
    assert n_units(history, done) == [1, 2, 1]


def test_few_draws_and_beams_decide_nothing(project: Project) -> None:
    first = project.components[0]
    drawn = np.full(200, 1 / 200)
    labels = np.array([ONE] * 199 + [TWO])
    few = first.posterior.changed(
        rows=labels,
        log_prob=np.zeros(200),
        weight=widened(drawn, np.eye(200)[199]),
        order=None,
        drawn_weight=drawn,
    )
    for posterior in (few, first.posterior.changed(sampler="beam", order=None)):
        components = (replace(first, posterior=posterior), *project.components[1:])
        assert with_probable_sortings(replace(project, components=components), 0.9)[1] == ()


@pytest.mark.parametrize("least", [0.5, 0.0, 1.01, float("nan")])
def test_a_probability_that_decides_nothing_for_sure_is_refused(project: Project, least: float) -> None:
    with pytest.raises(InputError, match="probability"):
        with_probable_sortings(project, least)


@pytest.mark.parametrize(("depth_sd", "label"), [(3.9, "noise"), (4.0, "unsorted")])
def test_a_part_with_a_small_waveform_that_a_split_takes_off_is_labelled_noise(
    depth_sd: float, label: str
) -> None:
    """Its spikes are 3 sd less and more deep, so that the mean is what counts."""
    split = [0] * 50 + [1] * 10
    project = tiny_project({0: [ONE, split]}, masses={0: [0.04, 0.96]})
    waveforms = project.waveforms[0].waveforms.copy()
    waveforms[50:] = 0
    waveforms[50:, 12, 0] = -depth_sd + 3 * (-1.0) ** np.arange(10)
    project = replace(
        project,
        p_neuron=np.ones(len(project.unit_of_spike), np.float32),
        waveforms={0: replace(project.waveforms[0], waveforms=waveforms)},
    )
    done, words = with_probable_sortings(project, 0.9)
    history = decided(done)
    part = int(history.clustering.unit_of_spike[project.components[0].spike_ids[-1]])
    rest = int(history.clustering.unit_of_spike[project.components[0].spike_ids[0]])
    assert history.labels.label(part) == label
    assert history.labels.label(rest) == "unsorted"
    expected = (f"label unit {part} noise, by itself at 96 %",) if label == "noise" else ()
    assert words[1:] == expected
    assert history.undo_words == words[-1]


def test_a_large_part_is_noise_where_it_is_more_probably_no_cell() -> None:
    before, after = np.zeros(60, int), np.repeat([5, 6], [35, 25])
    assert taken_off(before, after, np.repeat([0.9, 0.4], [35, 25])) == (6,)
    assert taken_off(before, after, np.repeat([0.9, 0.6], [35, 25])) == ()
    assert taken_off(before, after) == ()


@pytest.mark.parametrize(("least_spikes", "off"), [(25, ()), (26, (6,)), (36, (6,))])
def test_a_part_of_few_spikes_is_no_unit_however_deep_and_what_is_left_stays_one(
    least_spikes: int, off: tuple[int, ...]
) -> None:
    before, after = np.zeros(60, int), np.repeat([5, 6], [35, 25])
    assert taken_off(before, after, np.ones(60), lambda _: 20.0, least_spikes) == off


@pytest.mark.parametrize(("min_cluster_spikes", "label"), [(15, "unsorted"), (16, "noise")])
def test_a_part_needs_twice_the_spikes_of_the_smallest_cluster(
    project: Project, min_cluster_spikes: int, label: str
) -> None:
    """The first component is cut into parts of thirty spikes."""
    asked = replace(project, settings={**project.settings, "min_cluster_spikes": min_cluster_spikes})
    done, _ = with_probable_sortings(asked, 0.9)
    history = decided(done)
    part = int(history.clustering.unit_of_spike[project.components[0].spike_ids[-1]])
    assert history.labels.label(part) == label


def test_of_a_unit_of_noise_that_hides_a_cell_what_is_left_is_noise() -> None:
    before, after = np.zeros(60, int), np.repeat([5, 6], [35, 25])

    def off(left_sd: float, part_sd: float, p_neuron: float) -> tuple[int, ...]:
        return taken_off(before, after, np.full(60, p_neuron), lambda own: left_sd if own[0] else part_sd)

    assert off(2.0, 5.0, 0.1) == (5,)
    assert off(2.0, 5.0, 0.9) == ()
    assert off(5.0, 5.0, 0.1) == ()
    assert off(2.0, 2.0, 0.1) == (5, 6)
    assert off(5.0, 2.0, 0.9) == (6,)


def test_of_a_component_without_waveforms_no_part_is_small(project: Project) -> None:
    bare = replace(project, waveforms={})
    assert with_probable_sortings(bare, 0.9)[1] == ("sort 0 as 2 units, by itself at 96 %",)


def test_what_a_sorting_moves_or_puts_together_is_no_part_taken_off() -> None:
    before = np.repeat([0, 1], [50, 50])
    assert taken_off(before, np.full(100, 7)) == ()  # merged
    assert taken_off(before, np.repeat([8, 9], [45, 55])) == ()  # five spikes are moved
    assert taken_off(before, np.repeat([8, -1, 9], [45, 5, 50])) == ()  # five are in no unit
    noise = np.repeat([0.9, 0.1, 0.9], [45, 5, 50])
    assert taken_off(before, np.repeat([8, 6, 9], [45, 5, 50]), noise) == (6,)
    assert taken_off(np.repeat([-1, 1], [50, 50]), np.repeat([3, 4], [50, 50])) == ()


def test_where_the_tissue_moved_a_unit_is_not_made_several_without_asking(project: Project) -> None:
    """The first component would become two units; a little is taken off all the same: a sixth of a unit."""
    moved = replace(project, motion=Motion(applied=True))
    assert with_probable_sortings(moved, 0.9)[1] == ()
    assert len(with_probable_sortings(moved, 0.6)[1]) == 1  # the second component, which is merged
    small = tiny_project({0: [ONE, [0] * 50 + [1] * 10]}, masses={0: [0.04, 0.96]})
    words = with_probable_sortings(replace(small, motion=Motion(applied=True)), 0.9)[1]
    assert [one.split(",")[0] for one in words] == ["sort 0 as 2 units"]


def test_a_unit_half_of_which_comes_from_one_unit_is_no_part_of_it() -> None:
    """Units of 6 and 4 spikes become parts of 4 and 2 of the first, the latter with 1 to 3 of the second."""
    before = np.repeat([0, 1], [6, 4])
    for n_second, parts in ((1, {6: 1 / 3}), (2, {}), (3, {})):
        after = np.array([5, 5, 5, 5, 6, 6, *[6] * n_second, *[7] * (4 - n_second)])
        found = parts_of(before, after)
        assert {unit: share for unit, share in found.items() if unit == 6} == pytest.approx(parts)


def test_of_two_parts_as_large_the_first_is_the_unit_and_the_other_a_part() -> None:
    assert parts_of(np.zeros(4, int), np.array([8, 8, 9, 9])) == {9: 0.5}
    assert parts_of(np.zeros(6, int), np.array([7, 7, 7, 8, 8, 9])) == pytest.approx({8: 1 / 3, 9: 1 / 6})
    assert parts_of(np.zeros(4, int), np.array([8, 8, 8, -1])) == {}


def test_a_part_is_taken_off_only_if_it_is_more_probably_no_cell_than_one() -> None:
    before, after = np.zeros(10, int), np.array([5] * 8 + [6] * 2)
    assert taken_off(before, after, np.repeat([0.9, 0.5], [8, 2])) == ()
    assert taken_off(before, after, np.repeat([0.9, 0.49], [8, 2])) == (6,)


@pytest.mark.parametrize(("n_off", "n_decisions"), [(11, 1), (12, 0)])
def test_where_the_tissue_moved_a_unit_may_lose_less_than_a_fifth(n_off: int, n_decisions: int) -> None:
    """A fifth of 60 spikes is 12."""
    split = [0] * (60 - n_off) + [1] * n_off
    project = tiny_project({0: [ONE, split]}, masses={0: [0.04, 0.96]})
    moved = replace(project, motion=Motion(applied=True))
    assert len(with_probable_sortings(moved, 0.9)[1]) == n_decisions
    assert len(with_probable_sortings(project, 0.9)[1]) == 1


@pytest.mark.parametrize(("mass", "share"), [(0.99, "99"), (0.991, ">99"), (1.0, ">99"), (0.969, "96")])
def test_a_probability_is_said_as_a_whole_percent_from_below_or_above_99(mass: float, share: str) -> None:
    project = tiny_project({0: [ONE, TWO]}, masses={0: [1 - mass, mass]}, rows=1000)
    assert with_probable_sortings(project, 0.9)[1] == (f"sort 0 as 2 units, by itself at {share} %",)


def test_all_of_the_mass_may_be_asked_for() -> None:
    certain = tiny_project({0: [ONE, TWO]}, masses={0: [0.0, 1.0]})
    assert len(with_probable_sortings(certain, 1.0)[1]) == 1
    assert len(with_probable_sortings(certain, 0.51)[1]) == 1
