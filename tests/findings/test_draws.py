"""Draws of whole sortings: their probabilities are those of the posterior, counted by enumeration."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import ncpgui
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.curation.command_json import to_json
from ncpgui.curation.commands import Assign, Link, Merge, SetAccepted, SetLabel
from ncpgui.findings.component_draws import ComponentDraws, followed_points, matched
from ncpgui.findings.draws import draws, joint_posterior
from ncpgui.session import store
from ncpgui.session.decided import decided
from tests.doubtful_project import component_of, component_of_all_partitions, posterior_of, project_of
from tests.tiny_project import tiny_project

SPLIT = [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 1]]
"""Two units; or one; or the last spike of the first is of the second."""


def two_components() -> Project:
    """Units 0 and 1, one with 3 in 10 and with a spike elsewhere in 2 in 10; units 2 and 3, one in 1 in 2."""
    return tiny_project({0: SPLIT, 1: SPLIT[:2]}, masses={0: [0.5, 0.3, 0.2], 1: [0.5, 0.5]})


def edited(project: Project, *commands: object) -> Project:
    """The project after some edits."""
    session = decided(project)
    for command in commands:
        session.history.do(command)  # type: ignore[arg-type]
    return replace(project, history=session.history.entries)


def units_of(project: Project, n: int = 10, **options: object) -> np.ndarray:
    """Unit of each spike in n draws: (n, n_spikes)."""
    made = draws(project, n, **options)  # type: ignore[arg-type]
    return np.array([made.unit_of_spike(k) for k in range(n)])


def test_each_spike_is_of_each_unit_as_often_as_the_posterior_says() -> None:
    found = units_of(two_components())
    share_of = {unit: (found == unit).mean(axis=0) for unit in range(4)}
    np.testing.assert_allclose(share_of[0], [1, 1, 1, 0.8, 0.3, 0.3, 0.3, 0.3, *[0] * 8], atol=1e-12)
    np.testing.assert_allclose(share_of[1], [0, 0, 0, 0.2, 0.7, 0.7, 0.7, 0.7, *[0] * 8], atol=1e-12)
    np.testing.assert_allclose(share_of[2][8:], [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5], atol=1e-12)
    np.testing.assert_allclose(share_of[3][8:], [0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5], atol=1e-12)


def test_components_are_drawn_independently() -> None:
    found = units_of(two_components(), 4000)
    both = ((found[:, 4] == 0) & (found[:, 12] == 2)).mean()
    assert both == pytest.approx(0.3 * 0.5, abs=4 * np.sqrt(0.15 * 0.85 / 4000))


def test_a_weight_that_no_number_of_draws_divides_is_met_but_for_one_draw() -> None:
    component = component_of_all_partitions(4)
    made = draws(project_of(component), 100, seed=3)
    times = np.bincount(made.rows[0], minlength=15)
    assert (np.abs(times - 100 * component.posterior.weight) < 1).all()


def test_units_are_matched_so_that_most_spikes_keep_theirs() -> None:
    """Against all ways to match, for all partitions of five spikes and three units in use."""
    in_use = np.array([0, 0, 1, 1, 2])
    for row in component_of_all_partitions(5).posterior.rows.astype(np.int64):
        n_clusters = int(row.max()) + 1
        table = np.array([[((row == c) & (in_use == u)).sum() for u in range(3)] for c in range(n_clusters)])
        padded = np.pad(table, ((0, 5 - n_clusters), (0, 2)))
        most = max(sum(padded[c, u] for c, u in enumerate(way)) for way in permutations(range(5)))
        pairs = matched(row, in_use, n_clusters, 3)
        kept = sum(table[c, u] for c, u in pairs)
        dropped = [  # pairs that share less than half of the smaller
            table[c, u]
            for c in range(n_clusters)
            for u in range(3)
            if 0 < table[c, u] < min((row == c).sum(), (in_use == u).sum()) / 2
        ]
        assert len({c for c, _ in pairs}) == len({u for _, u in pairs}) == len(pairs)
        assert kept == most or (dropped and kept >= most - sum(dropped))


def test_units_that_a_draw_joins_or_splits_are_counted_as_gone_and_new() -> None:
    posterior = posterior_of(200)
    first = np.repeat(np.arange(4), (60, 40, 40, 40)).astype(np.int32)
    component = component_of(posterior, first)
    made = draws(project_of(component), 200)
    joined = float(posterior.weight @ (posterior.rows[:, -1] == posterior.rows[:, -41]))
    split = float(posterior.weight @ (posterior.rows[:, 0] != posterior.rows[:, 59]))
    assert made.p_there == pytest.approx({0: 1, 1: 1, 2: 1, 3: 1 - joined})
    gone = [one.get_annotation("ncpgui_not_there") for one in made]
    assert sum(3 in units for units in gone) == pytest.approx(200 * joined, abs=1e-6)
    new = [one.unit_ids[one.get_property("is_new")].tolist() for one in made]
    assert sum(bool(units) for units in new) == pytest.approx(200 * split, abs=1e-6)
    assert len({unit for units in new for unit in units}) == 1  # found again and again: one number


def test_a_cluster_too_small_to_be_a_unit_is_in_none() -> None:
    """One spike of a hundred is by itself in every second draw: it is of the unit in the others."""
    rows = np.zeros((2, 100), dtype=int)
    rows[1, 99] = 1
    posterior = PosteriorSamples(rows, np.zeros(2))
    found = units_of(project_of(component_of(posterior)), 10)
    assert (found[:, :99] == 0).all()
    assert sorted(found[:, 99].tolist()) == [-1] * 5 + [0] * 5


def test_spikes_that_were_not_sampled_go_with_those_in_their_place() -> None:
    """Without coordinates: with sampled spikes that all alternatives have in the same units."""
    project = tiny_project({0: SPLIT[:2]}, masses={0: [0.6, 0.4]})
    whole = project.components[0]
    few = np.array([0, 1, 4, 5])
    component = replace(whole, sampled=few, posterior=whole.posterior.at_points(few))
    found = units_of(replace(project, components=(component,), waveforms={}))
    share = (found == 0).mean(axis=0)
    np.testing.assert_allclose(share, [1, 1, 1, 1, 0.4, 0.4, 0.4, 0.4], atol=1e-12)


def test_spikes_that_were_not_sampled_go_with_the_nearest_in_the_coordinates() -> None:
    project = tiny_project({0: [[0] * 8]})
    few = np.array([0, 7])
    component = replace(
        project.components[0],
        sampled=few,
        posterior=PosteriorSamples(np.array([[0, 1]]), np.zeros(1)),
    )
    coordinates = np.array([0, 1, 2, 3, 6, 7, 8, 9], dtype=np.float32)[:, None]
    waveforms = replace(project.waveforms[0], coordinates=coordinates)
    followed = followed_points(component, waveforms, np.random.default_rng(0))
    assert followed.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_a_spike_that_may_be_of_none_is_left_out_as_often_as_it_is() -> None:
    """Of a unit of P(neuron) 0.8 three spikes are left-overs with 0.25: the others are always there."""
    project = tiny_project({0: [[0] * 8]})
    project = replace(project, p_neuron=np.array([0.8] * 5 + [0.6] * 3, dtype=np.float32))
    n = 2000
    counts = np.zeros(8)
    for one in draws(project, n):
        train = one.get_unit_spike_train(0)
        counts += np.isin(project.spikes.sample_index, train)
        assert one.get_property("p_neuron")[0] <= 0.8 + 1e-6
    assert (counts[:5] == n).all()
    np.testing.assert_allclose(counts[5:] / n, 0.75, atol=4 * np.sqrt(0.75 * 0.25 / n))


def test_missed_spikes_are_told_and_not_put_in() -> None:
    """Log-normal around one missed for four found: the median of the draws is that."""
    project = replace(tiny_project({0: [[0] * 8]}), lost=np.full(8, 0.25, dtype=np.float32))
    made = [one.get_property("missed_per_found")[0] for one in draws(project, 1000)]
    assert np.median(made) == pytest.approx(0.25, rel=0.1)
    assert np.log(made).std() == pytest.approx(0.7, rel=0.1)


@pytest.mark.parametrize(
    ("command", "never", "always"),
    [
        (Merge((0, 1)), None, (0, 4)),
        (Link((0, 1), same=True), None, (0, 4)),
        (Link((0, 1), same=False), (0, 4), None),
    ],
)
def test_a_decision_holds_in_every_draw(
    command: object, never: tuple[int, int] | None, always: tuple[int, int] | None
) -> None:
    found = units_of(edited(two_components(), command))
    if always is not None:
        assert (found[:, always[0]] == found[:, always[1]]).all()
    if never is not None:
        assert (found[:, never[0]] != found[:, never[1]]).all()
    assert (found[:, 12] == found[:, 8]).mean() == pytest.approx(0.5)  # what was not decided stays open


def test_an_accepted_unit_keeps_its_spikes_and_gets_no_other() -> None:
    found = units_of(edited(two_components(), SetAccepted((0,), True)))
    assert (found[:, :4] == 0).all()
    assert not (found[:, 4:] == 0).any()


def test_a_merge_that_no_draw_has_holds_all_the_same() -> None:
    project = tiny_project({0: [[0, 0, 0, 0, 1, 1, 1, 1]]})
    found = units_of(edited(project, Merge((0, 1))))
    assert (found == found[0, 0]).all()


def test_units_called_noise_and_spikes_taken_out_are_in_no_draw() -> None:
    taken = Assign(np.array([9]), np.array([-1]), np.zeros(1, np.float32), "take out")
    found = units_of(edited(two_components(), SetLabel((0,), "noise"), taken))
    in_use = decided(two_components()).decisions.unit_of_spike
    assert (found[:, in_use == 0] == -1).all()
    assert (found[:, 9] == -1).all()


def test_units_of_two_components_are_one_as_often_as_the_caller_says() -> None:
    """Nothing is known together of components whose doubt was cut; the default is to draw them apart."""
    project = two_components()
    cut = replace(project.components[0], cut_from=(1,))
    project = replace(project, components=(cut, project.components[1]))
    assert joint_posterior(project).cut == ((0, 1),)
    assert not (units_of(project)[:, 8] == 0).any()
    found = units_of(project, 2000, p_same={(0, 2): 0.25})
    assert (found[:, 8] == 0).mean() == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / 2000))


def test_spikes_of_no_sampled_component_stay_as_they_are() -> None:
    project = two_components()
    found = units_of(replace(project, components=project.components[:1]))
    assert (found[:, 8:] == project.unit_of_spike[8:]).all()


def test_draws_are_made_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    whole = ComponentDraws.units
    monkeypatch.setattr(ComponentDraws, "units", lambda self, row: asked.append(row) or whole(self, row))
    made = draws(two_components(), 1000)
    assert len(made) == 1000
    assert asked == []
    next(iter(made))
    assert len(asked) == 2


def test_the_same_seed_gives_the_same_draws_and_another_others() -> None:
    first, again, other = (units_of(two_components(), 20, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_draw_is_a_sorting_of_spikeinterface_with_the_samples_of_the_recording() -> None:
    project = two_components()
    reference = replace(project.recording, first_sample=1000)
    one = ncpgui.draws(replace(project, recording=reference), 1)[0]
    assert one.get_sampling_frequency() == project.spikes.sampling_frequency_hz
    trains = np.concatenate([one.get_unit_spike_train(unit) for unit in one.unit_ids])
    assert sorted(trains.tolist()) == (project.spikes.sample_index + 1000).tolist()
    assert ncpgui.draws(project, 3)[1:] != []
    with pytest.raises(IndexError):
        ncpgui.draws(project, 3)[3]


def test_a_session_file_is_drawn_from_with_the_decisions_of_its_history(tmp_path: Path) -> None:
    project = edited(two_components(), Merge((0, 1)))
    assert project.history == (to_json(Merge((0, 1), into=4)),)
    store.save(project, tmp_path / "session.h5")
    made = draws(tmp_path / "session.h5", 10)
    assert np.array_equal([made.unit_of_spike(k) for k in range(10)], units_of(project))


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (3, {}, "draws are made of a session, its file, or a sorting of ncpgui.sort, got int"),
        (None, {"n": 0}, "n must be a whole number from 1 on, got 0"),
        (None, {"p_same": {(0, 9): 0.5}}, "two units in use are one neuron, got \\(0, 9\\): 0.5"),
        (None, {"p_same": {(0, 2): 1.5}}, "is the probability, 0 to 1"),
    ],
)
def test_what_cannot_be_drawn_from_is_refused(source: object, options: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        draws(two_components() if source is None else source, **options)


def test_a_component_by_itself_has_a_number_for_each_new_unit() -> None:
    """Five spikes in one unit: whatever partition is drawn, new units have numbers of their own."""
    whole = component_of_all_partitions(5)
    drawn = ComponentDraws(whole, np.arange(5), np.zeros(5, np.int64), first_new=7)
    for row, labels in enumerate(whole.posterior.rows):
        units = drawn.units(row)
        assert (units[units >= 7] < 7 + drawn.n_new).all()
        for unit in np.unique(units[units >= 0]):
            assert len(np.unique(labels[units == unit])) == 1


def test_new_units_have_the_number_of_the_alternative_s_unit_that_they_are_most_like() -> None:
    """In use is one unit of 20 spikes. Alternatives have two that it lacks: spikes 0 to 7, and 14 to 19."""
    alternatives = [[0] * 20, [0] * 8 + [1] * 12, [0] * 14 + [1] * 6]
    whole = tiny_project({0: alternatives}).components[0]
    others = [
        [0] * 7 + [1] * 13,  # 7 of the 8 are it
        [0] * 4 + [1] * 16,  # 4 of 8 are as much as not: another one
        [0] * 10 + [1] * 6 + [2] * 4,  # 10 spikes stay; 4 of those 6 are the second one, the others are new
        [0] * 11 + [1] * 2 + [2] * 3 + [3] * 4,
    ]
    posterior = PosteriorSamples(np.array([*alternatives, *others]), np.zeros(7))
    component = replace(whole, posterior=posterior)
    drawn = ComponentDraws(component, np.arange(20), np.zeros(20, np.int64), first_new=5)
    assert drawn.n_new == 4 + 2
    assert [drawn.units(row).tolist() for row in range(7)] == [
        [0] * 20,
        [5] * 8 + [0] * 12,
        [0] * 14 + [6] * 6,
        [5] * 7 + [0] * 13,
        [7] * 4 + [0] * 16,
        [0] * 10 + [7] * 6 + [6] * 4,
        [0] * 11 + [8] * 2 + [7] * 3 + [6] * 4,
    ]
