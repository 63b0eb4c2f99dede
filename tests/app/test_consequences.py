"""What a split or a merge would do is said before: counts, probabilities and close pairs by hand."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from app_fakes import MASSES, WAYS
from tiny_project import tiny_project

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.lasso import Lasso
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.consequences import (
    present_consequence,
    propose_lasso_split,
    propose_split_as,
)
from ncpgui.app.presenters.correlograms import units_of_grid
from ncpgui.app.presenters.lasso import nearest
from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.errors import CurationError
from ncpgui.core.motion import Motion
from ncpgui.core.project import Project

THIN = "\u2009"


def lasso(workspace: Workspace, x: tuple[float, float], y: tuple[float, float], *, plane="over time") -> None:
    """A rectangle in time (s) and amplitude."""
    axes = {"over time": ("time", "amplitude"), "features": ("time", "amplitude")}[plane]
    corners = np.array([(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])], dtype=float)
    workspace.draw_lasso(Lasso(workspace.component_id, plane, axes, corners))


@pytest.fixture
def workspace(project: Project) -> Workspace:
    """Component 0: spikes 0..3, 4..6, 7..9 of units 0, 1, 2, 5 ms apart; draws merge 0 and 1 in 40 %."""
    made = Workspace(project)
    made.show_component(0)
    return made


def words(workspace: Workspace) -> str:
    return present_consequence(workspace, None).text


def test_a_lasso_says_what_it_holds_of_the_selected_units(workspace) -> None:
    assert words(workspace) == ""
    lasso(workspace, (0.0, 0.0275), (0, 100))  # spikes of 0 and of 1
    assert words(workspace) == "Lasso: select the units that it is to split · Esc clears"
    workspace.select([0])
    lasso(workspace, (0.0, 0.0125), (0, 100))
    assert words(workspace) == "Lasso: 2 of 4 spikes of 0 inside · K shows the split · Esc clears"
    corners = workspace.lasso.corners[:2]
    workspace.draw_lasso(replace(workspace.lasso, corners=corners))
    assert words(workspace) == "Lasso: Ctrl+click sets more corners · Esc clears"


@pytest.mark.parametrize("plane", ["over time", "features"])
def test_the_split_is_on_screen_before_anything_is_changed(workspace, plane) -> None:
    workspace.select([0])
    lasso(workspace, (0.0, 0.0075), (0, 100), plane=plane)
    before = workspace.state.clustering.unit_of_spike.copy()
    propose_lasso_split(workspace, None)
    shown = workspace.shown()
    assert [(unit.name, unit.n_spikes) for unit in shown.units] == [("1", 3), ("2", 3), ("0a", 3), ("0b", 1)]
    assert shown.labels.tolist() == [3, 2, 2, 2, 0, 0, 0, 1, 1, 1]
    assert [unit.name for unit in units_of_grid(workspace)] == ["0a", "0b"]
    assert present_alternatives(workspace).adopt_text == "Split"
    assert np.array_equal(workspace.state.clustering.unit_of_spike, before)


def test_what_a_proposal_leaves_out_is_the_last_thing_that_its_tooltip_says(workspace) -> None:
    workspace.select([0])
    lasso(workspace, (0.0, 0.0075), (0, 100))
    propose_lasso_split(workspace, None)
    command = workspace.proposal.command
    workspace.propose(command, note="2 spikes have no waveforms")
    told = present_consequence(workspace, None).tooltip
    assert told.endswith("\n2 spikes have no waveforms.")
    workspace.propose(command)
    assert told.startswith(present_consequence(workspace, None).tooltip)


def test_enter_does_it_in_one_step_and_undo_takes_it_back(workspace) -> None:
    workspace.select([0])
    lasso(workspace, (0.0, 0.0075), (0, 100))
    propose_lasso_split(workspace, None)
    before = workspace.state.clustering.unit_of_spike.copy()
    adopt(workspace)
    assert workspace.state.clustering.unit_of_spike[:5].tolist() == [5, 6, 6, 6, 1]
    assert workspace.state.history.undo_words == "split 0 by lasso (1 | 3 spikes)"
    assert (workspace.lasso, workspace.proposal) == (None, None)
    assert workspace.selected == (5, 6)
    workspace.undo()
    assert np.array_equal(workspace.state.clustering.unit_of_spike, before)
    assert not workspace.state.history.can_undo


def timed(project: Project, at: dict[int, int]) -> Project:
    """Spikes 100 ms (2000 samples) apart, but for some that come so many samples after the one before."""
    samples = 2000 * np.arange(len(project.spikes))
    for spike, after in at.items():
        samples[spike] = samples[spike - 1] + after
    return replace(
        project, spikes=replace(project.spikes, sample_index=samples, n_samples=2000 * len(samples))
    )


def split_in_posterior(project: Project) -> Workspace:
    """Component 1: unit 3 of six spikes; one draw of ten has its halves apart."""
    workspace = Workspace(project)
    workspace.show_component(1)
    workspace.select([3])
    return workspace


def test_p_split_is_the_share_of_the_draws_that_part_the_two_sets(project) -> None:
    """Spikes 10 .. 15 are at 55, 60, ... 80 ms; in 10 % their halves are apart, and most of thirds too."""
    workspace = split_in_posterior(project)
    lasso(workspace, (0.0, 0.0675), (0, 100))
    propose_lasso_split(workspace, None)
    assert words(workspace).startswith(
        f"Split 3? 3a: 3 | 3b: 3 spikes · P(split) 10{THIN}% · within 2 ms of each other across the parts 0"
    )
    workspace.withdraw()
    lasso(workspace, (0.0, 0.0625), (0, 100))
    propose_lasso_split(workspace, None)
    assert f"3a: 4 | 3b: 2 spikes · P(split) 10{THIN}%" in words(workspace)


def test_spikes_at_refractory_distances_are_counted_within_the_parts_and_across(project) -> None:
    """Spikes 10 and 11 are 1.5 ms apart, 12 and 13 across the parts; 14 and 15 are 5 ms: 0.13 by chance."""
    at = {11: 30, 13: 30, 15: 100}
    workspace = split_in_posterior(timed(project, at))
    lasso(workspace, (0.0, 1.2005), (0, 100))
    propose_lasso_split(workspace, None)
    assert "within 2 ms of each other across the parts 1, expected 0" in words(workspace)
    told = present_consequence(workspace, None).tooltip
    assert "3a: 3 spikes, 1 pair of spikes 0.7 to 2 ms apart, 0.0 by chance." in told
    assert "3b: 3 spikes, 0 pairs of spikes 0.7 to 2 ms apart, 0.1 by chance." in told
    assert "Across the parts: 1 pair, 0.0 by chance." in told


def test_nothing_inside_everything_inside_and_accepted_units_are_said(workspace) -> None:
    workspace.select([0])
    lasso(workspace, (0.0225, 0.05), (0, 100))
    with pytest.raises(CurationError, match="no spike of unit 0 is inside the lasso; nothing is split"):
        propose_lasso_split(workspace, None)
    lasso(workspace, (0.0, 0.0225), (0, 100))
    with pytest.raises(CurationError, match="all spikes of unit 0 are inside the lasso; nothing is split"):
        propose_lasso_split(workspace, None)
    lasso(workspace, (0.0, 0.0125), (0, 100))
    workspace.set_accepted((0,), True)
    with pytest.raises(CurationError, match="unit 0 is accepted and not split"):
        propose_lasso_split(workspace, None)
    workspace.draw_lasso(None)
    with pytest.raises(CurationError, match=r"draw a lasso first: Ctrl\+click sets its corners"):
        propose_lasso_split(workspace, None)
    assert workspace.proposal is None


def test_another_selection_or_component_withdraws_what_is_proposed(workspace) -> None:
    workspace.select([0])
    lasso(workspace, (0.0, 0.0125), (0, 100))
    propose_lasso_split(workspace, None)
    workspace.select([1])
    assert workspace.proposal is None
    assert workspace.lasso is not None
    workspace.show_component(1)
    assert workspace.lasso is None


def sampled_in_part(project: Project, coordinates: np.ndarray | None) -> Workspace:
    """Component 1 with two of its six spikes sampled, the first and the last."""
    whole = project.component(1)
    sampled = np.array([0, 5])
    part = replace(whole, sampled=sampled, posterior=whole.posterior.at_points(sampled))
    waveforms = ComponentWaveforms(
        np.zeros((2, 32, 1), np.float32), np.array([[0.0, 0.0], [1.0, 0.0]], np.float32), coordinates
    )
    components = tuple(part if one.id == 1 else one for one in project.components)
    workspace = Workspace(replace(project, components=components, waveforms={1: waveforms}))
    workspace.show_component(1)
    workspace.select([3])
    return workspace


def embedding_lasso(workspace: Workspace) -> None:
    """Around the first of the two points of the t-SNE, (0, 0) and (9, 0)."""
    corners = np.array([(-1.0, -1), (1, -1), (1, 1), (-1, 1)])
    workspace.draw_lasso(Lasso(1, "embedding", ("t-SNE 1", "t-SNE 2"), corners))


TSNE = np.array([[0, 0], [9, 0]], np.float32)


def test_spikes_that_are_not_drawn_follow_the_most_alike_drawn_one(project) -> None:
    coordinates = np.array([[0, 0], [1, 0], [2, 0], [7, 0], [8, 0], [9, 0]], np.float32)
    workspace = sampled_in_part(project, coordinates)
    embedding_lasso(workspace)
    propose_lasso_split(workspace, TSNE)
    assert sorted(unit.positions.tolist() for unit in workspace.shown().units) == [[0, 1, 2], [3, 4, 5]]
    assert words(workspace).endswith("4 spikes not drawn follow the most similar drawn")
    assert f"P(split) 10{THIN}%" in words(workspace)


def test_without_their_coordinates_it_says_where_to_draw_instead(project) -> None:
    workspace = sampled_in_part(project, None)
    embedding_lasso(workspace)
    with pytest.raises(
        CurationError, match=r"4 spikes of the selected units were not sampled, and .* Over time"
    ):
        propose_lasso_split(workspace, TSNE)
    told = present_consequence(workspace, TSNE).text
    assert told.startswith("Lasso: 4 spikes of the selected units were not sampled")


def test_a_lasso_around_points_that_were_replaced_splits_nothing(project) -> None:
    workspace = sampled_in_part(project, np.zeros((6, 2), np.float32))
    embedding_lasso(workspace)
    with pytest.raises(CurationError, match="were replaced by others; draw it again"):
        propose_lasso_split(workspace, None)


def test_principal_components_stay_under_their_lasso_when_the_t_sne_comes(project) -> None:
    """Of two points, the principal plane has one at -1 and one at 1."""
    workspace = sampled_in_part(project, np.arange(12, dtype=np.float32).reshape(6, 2))
    corners = np.array([(0.5, -1.0), (1.5, -1), (1.5, 1), (0.5, 1)])
    workspace.draw_lasso(Lasso(1, "embedding", ("PCA 1", "PCA 2"), corners))
    propose_lasso_split(workspace, TSNE)
    assert sorted(unit.n_spikes for unit in workspace.shown().units) == [3, 3]


def test_the_nearest_is_found_for_more_spikes_than_fit_at_once() -> None:
    """10 000 spikes on a line between eleven sampled ones: each goes to the nearest whole number."""
    values = np.concatenate([np.arange(11.0), np.random.default_rng(0).uniform(0, 10, 10_000)])
    waveforms = ComponentWaveforms(
        np.zeros((11, 32, 1), np.float32),
        np.zeros((11, 2), np.float32),
        values[:, None].astype(np.float32),
    )
    found = nearest(waveforms, np.arange(11), np.arange(11, len(values)))
    assert np.array_equal(found, np.round(values[11:]).astype(int))


# -- one unit as an alternative has it ----------------------------------------------------------


def test_one_unit_is_split_as_the_alternative_on_screen_does(project) -> None:
    workspace = split_in_posterior(project)
    workspace.show_alternative(1)
    propose_split_as(workspace)
    assert words(workspace).startswith(f"Split 3? 3a: 3 | 3b: 3 spikes · P(split) 10{THIN}%")
    assert "no other unit changes" in words(workspace)
    workspace.withdraw()
    assert workspace.preview == 1
    propose_split_as(workspace)
    workspace.confirm()
    assert workspace.state.clustering.unit_of_spike[10:16].tolist() == [5, 5, 5, 6, 6, 6]
    assert workspace.state.history.undo_words == "split 3 as alternative 2 (3 | 3 spikes)"


def test_it_says_what_it_needs(project) -> None:
    workspace = split_in_posterior(project)
    with pytest.raises(CurationError, match="show an alternative that splits the unit first"):
        propose_split_as(workspace)
    workspace.show_alternative(1)
    workspace.select([])
    with pytest.raises(CurationError, match=r"select the one unit .* as alternative 2 does; 0 are selected"):
        propose_split_as(workspace)


# -- merges -------------------------------------------------------------------------------------


def test_a_merge_says_p_one_neuron_close_pairs_and_template_distance(workspace) -> None:
    """Draws have 0 and 1 together in four of ten (rounded from 40 %); troughs are 10 and 20 sd deep."""
    workspace.select([0, 1])
    assert words(workspace) == (
        f"Merge 0 + 1? one neuron 40{THIN}% · within 2 ms of each other counted together 0, expected 1 · "
        "templates 10.0 noise sd apart · G merges"
    )
    workspace.select([1])
    assert words(workspace) == ""


def test_where_the_tissue_stayed_nothing_is_loaded_that_tells_of_places_of_the_tissue(
    workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It loads SciPy, which would hold up the first selection of two units."""
    monkeypatch.setitem(sys.modules, "ncpgui.evidence.drift_turns", None)  # to import it is an error now
    workspace.select([unit.unit for unit in workspace.current().units][:2])
    assert words(workspace).startswith("Merge")


def test_close_pairs_of_a_merge_are_those_of_the_parts_and_those_across(project) -> None:
    """Spikes 0 and 1 of unit 0 are 1.5 ms apart, so are 3 of unit 0 and 4 of unit 1."""
    workspace = Workspace(timed(project, {1: 30, 4: 30}))
    workspace.show_component(0)
    workspace.select([0, 1])
    assert "within 2 ms of each other counted together 2, expected 0" in words(workspace)


def test_where_the_tissue_moved_a_merge_says_whether_the_units_take_turns() -> None:
    """Each is at one of two places but for one spike; the tissue is 20 µm further in the second half."""
    early, late = [0] * 30 + [1], [1] * 30 + [0]
    project = tiny_project({0: [early + late]})
    n = project.spikes.n_samples
    seconds = n / project.spikes.sampling_frequency_hz
    middle = project.spikes.sample_index[31] / project.spikes.sampling_frequency_hz
    moved = Motion(
        np.array([0.0, middle - 1e-4, middle + 1e-4, seconds]),
        np.zeros(1),
        np.array([[0.0], [0.0], [20.0], [20.0]]),
        applied=True,
    )
    workspace = Workspace(replace(project, motion=moved))
    workspace.show_component(0)
    workspace.select(workspace.state.clustering.unit_ids.tolist())
    said = present_consequence(workspace, None)
    assert " · take turns as the tissue moves · " in said.text
    assert "Spikes at 2 places of the tissue, from 0 to 20 µm along the probe: 30 1 | 1 30." in said.tooltip
    mixed = replace(tiny_project({0: [[0, 1] * 31]}), motion=moved)
    workspace = Workspace(mixed)
    workspace.show_component(0)
    workspace.select(workspace.state.clustering.unit_ids.tolist())
    assert " · fire at the same places of the tissue · " in words(workspace)
    still = Workspace(replace(mixed, motion=replace(moved, applied=False)))
    still.show_component(0)
    still.select(still.state.clustering.unit_ids.tolist())
    assert "tissue" not in words(still)


def test_of_units_in_different_components_no_posterior_tells(workspace) -> None:
    workspace.select([0, 3])
    said = "Merge 0 + 3? one neuron: unknown, they were never sampled together · within 2 ms"
    assert words(workspace).startswith(said)


def test_many_units_are_too_many_to_tell_of() -> None:
    workspace = Workspace(tiny_project({0: [[k // 2 for k in range(14)]]}))
    workspace.select(range(7))
    assert words(workspace) == "7 units selected; select 6 or fewer to see what a merge does"


def test_numbers_follow_what_was_decided() -> None:
    """Told that 0 and 1 are one neuron, all draws that are left have them so."""
    workspace = Workspace(tiny_project(WAYS, masses=MASSES))
    workspace.show_component(0)
    workspace.select([0, 1])
    workspace.link((0, 1), same=True)
    assert words(workspace).startswith(f"Merge 0 + 1? one neuron 100{THIN}%")
