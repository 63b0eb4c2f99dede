"""Units that may be the same neuron: their order, what is said of each pair, and the walk through them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.similar_units import near_by, present_similar, step_similar
from ncpgui.core.project import Project


def rows(workspace: Workspace) -> list[tuple[int, float]]:
    return [(row.unit, row.p_same) for row in present_similar(workspace).rows]


def test_units_are_listed_by_p_same_then_by_the_distance_of_their_templates(workspace: Workspace) -> None:
    """Half of the draws know three units, two in five join 0 and 1; unit k is 10 (k + 1) sd deep.

    Units 3 and 4 are on other contacts, 30 and 60 um away: they were never in doubt with unit 0.
    """
    workspace.select([0])
    view = present_similar(workspace)
    assert view.unit == 0
    assert [row.unit for row in view.rows] == [1, 2, 3, 4]
    assert [row.p_same for row in view.rows] == pytest.approx([0.4, 0, 0, 0])
    assert [row.is_elsewhere for row in view.rows] == [False, False, True, True]


def test_templates_are_compared_on_common_contacts(workspace: Workspace) -> None:
    """The troughs of units 0 and 1 are 10 and 20 sd, of one shape: 10 sd apart, cosine 1."""
    workspace.select([0])
    one, two = present_similar(workspace).rows[:2]
    waveform = workspace.waveforms().waveforms  # type: ignore[union-attr]
    labels = workspace.current().sampled_labels  # type: ignore[union-attr]
    means = [waveform[labels == row].mean(axis=0) for row in range(3)]
    assert one.distance_sd == pytest.approx(np.linalg.norm(means[1] - means[0]), rel=1e-5)
    assert two.distance_sd == pytest.approx(np.linalg.norm(means[2] - means[0]), rel=1e-5)
    assert one.cosine == pytest.approx(1)


def test_what_is_not_at_hand_is_unknown_and_comes_last(project: Project) -> None:
    workspace = Workspace(replace(project, waveforms={}))
    workspace.select([0])
    view = present_similar(workspace, lambda unit, others: {2: 1.5} if unit == 0 and 2 in others else {})
    assert all(np.isnan(row.distance_sd) and np.isnan(row.cosine) for row in view.rows)
    assert [np.isnan(row.nats) for row in view.rows] == [True, False, True, True]
    assert view.rows[0].unit == 1


def test_units_far_away_are_not_listed(project: Project) -> None:
    probe = replace(project.probe, positions_um=np.array([[0.0, 0.0], [0.0, 100.0], [0.0, 201.0]]))
    workspace = Workspace(replace(project, probe=probe))
    assert near_by(workspace, 0) == (1, 2, 3)
    assert near_by(workspace, 3) == (0, 1, 2)
    workspace.select([4])
    assert present_similar(workspace).message == "No other unit is near unit 4."


def test_messages_say_what_to_do(workspace: Workspace) -> None:
    assert present_similar(workspace).message.startswith("Select a unit")
    workspace.state.close()
    assert present_similar(workspace).message == "Open a recording or a session to begin."


def test_decisions_count_at_once(workspace: Workspace) -> None:
    workspace.select([0])
    workspace.link((0, 1), same=False)
    assert rows(workspace)[0][1] == 0
    workspace.undo()
    workspace.select([0])
    assert rows(workspace)[0] == (1, pytest.approx(0.4))
    workspace.merge((0, 1))
    assert present_similar(workspace).unit == 5
    assert [unit for unit, _ in rows(workspace)] == [2, 3, 4]


def test_the_walk_takes_one_unit_after_the_other_beside_the_chosen_one(workspace: Workspace) -> None:
    told: list[str] = []
    workspace.state.told.connect(told.append)
    workspace.select([0])
    for pair in ((0, 1), (0, 2), (0, 3), (0, 4)):
        step_similar(workspace, 1)
        assert workspace.selected == pair
        assert (workspace.chosen, workspace.similar) == ((0,), pair[1:])
    step_similar(workspace, 1)
    assert workspace.selected == (0, 4)
    assert told == ["That was the last unit near unit 0"]
    step_similar(workspace, -1)
    assert workspace.selected == (0, 3)
    for _ in range(4):
        step_similar(workspace, -1)
    assert (workspace.selected, workspace.similar) == ((0,), ())


def test_selecting_by_hand_forgets_what_was_taken_from_the_list(workspace: Workspace) -> None:
    workspace.select([0])
    step_similar(workspace, 1)
    workspace.select([0, 1])
    assert (workspace.chosen, workspace.similar) == ((0, 1), ())
    workspace.select([0])
    workspace.take_similar([1])
    workspace.merge((0, 1))
    assert (workspace.selected, workspace.similar) == ((5,), ())
    step_similar(Workspace(), 1)


def test_templates_that_are_not_seen_on_each_others_contacts_are_not_compared(project: Project) -> None:
    """Units 2 and 3 share contact 0 only, and unit 3 is largest on contact 1."""
    first, second, third = project.components
    both = replace(second, contacts=np.array([1, 0]))
    waveforms = project.waveforms[1]
    wide = replace(waveforms, waveforms=waveforms.waveforms * np.array([1.0, 0.5], np.float32))
    workspace = Workspace(
        replace(project, components=(first, both, third), waveforms={**project.waveforms, 1: wide})
    )
    workspace.select([2])
    rows = {row.unit: row for row in present_similar(workspace).rows}
    assert np.isnan(rows[3].distance_sd)
    assert not np.isnan(rows[1].distance_sd)
