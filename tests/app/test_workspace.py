"""What a person does to an open project, on projects small enough to count by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from app_fakes import WAYS, heard, units
from tiny_project import tiny_project

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.waveforms import present_waveforms
from ncpgui.core.errors import CurationError
from ncpgui.core.project import Project
from ncpgui.curation.commands import Assign, Merge

TWO_PLUS, MERGED = WAYS[0]


# -- opening --------------------------------------------------------------------------------


def test_the_component_where_a_decision_settles_most_is_shown_first(workspace: Workspace) -> None:
    assert workspace.questions.queue_order() == [0, 1, 2]
    assert workspace.component_id == 0
    spike_ids = workspace.state.components.spike_ids
    assert [len(spike_ids(c)) for c in workspace.state.components.ids] == [10, 6, 4]


def test_components_that_wait_come_last_those_with_most_spikes_first() -> None:
    project = tiny_project({0: [[0] * 3], 1: [[0] * 5], 2: [[0, 0, 1, 1], [0] * 4]}, masses={2: [0.5, 0.5]})
    some = Workspace(tiny_project({0: [[0] * 3], 1: [[0] * 5]}, sampled=False))
    assert some.questions.queue_order() == [1, 0]
    some.state.open(project)
    assert some.questions.queue_order()[0] == 2


def test_channels_without_spikes_are_no_components() -> None:
    workspace = Workspace(tiny_project({1: [[0, 0]], 3: [[0, 0]]}))
    assert workspace.state.components.ids == [1, 3]
    workspace.show_component(2)
    assert workspace.component_id in (1, 3)


def test_an_empty_workspace_shows_nothing_and_has_nothing_to_lose() -> None:
    workspace = Workspace()
    assert (workspace.component(), workspace.waveforms(), workspace.current(), workspace.shown()) == (
        None,
    ) * 4
    assert workspace.state.is_saved
    assert workspace.state.is_safe
    workspace.undo()
    workspace.show_alternative(0)
    with pytest.raises(CurationError, match="not checked yet"):
        adopt(workspace)


def test_a_history_that_cannot_be_done_leaves_the_workspace_as_it_was(
    workspace: Workspace, project: Project
) -> None:
    bad = replace(project, history=({"do": "merge", "unit_ids": [0, 99]},))
    with pytest.raises(CurationError, match="entry 1 of the history cannot be done: unit 99"):
        workspace.state.open(bad)
    assert workspace.state.project is project


def test_closing_leaves_nothing_behind(workspace: Workspace) -> None:
    log = heard(workspace, "opened")
    workspace.select([0])
    workspace.show_alternative(1)
    workspace.state.close()
    assert (workspace.state.project, workspace.component_id, workspace.preview, workspace.selected) == (
        None,
        None,
        None,
        (),
    )
    assert workspace.state.components.ids == []
    assert log == [("opened",)]


# -- showing --------------------------------------------------------------------------------


def test_the_sorting_in_use_is_the_alternative_that_it_equals(workspace: Workspace) -> None:
    assert workspace.present_alternative() == 0
    assert workspace.preview is None


def test_an_alternative_is_previewed_and_left_again(workspace: Workspace) -> None:
    log = heard(workspace, "shown_changed")
    workspace.show_alternative(1)
    assert workspace.preview == 1
    shown = workspace.shown()
    assert shown is not None
    assert [unit.n_spikes for unit in shown.units] == [7, 3]
    workspace.show_alternative(1)
    workspace.show_alternative(0)  # the one in use is no preview
    assert workspace.preview is None
    assert len(log) == 2


def test_an_alternative_that_is_not_there_is_refused(workspace: Workspace) -> None:
    with pytest.raises(CurationError, match="there are 2 sortings of these spikes, none has the number 9"):
        workspace.show_alternative(8)


def test_another_component_comes_without_preview_and_selection(workspace: Workspace) -> None:
    workspace.select([0])
    workspace.show_alternative(1)
    log = heard(workspace, "current_changed", "selection_changed")
    workspace.show_component(1)
    assert (workspace.component_id, workspace.preview, workspace.selected) == (1, None, ())
    assert log == [("current_changed",), ("selection_changed",)]


def test_only_units_that_exist_can_be_selected_each_once_in_order(workspace: Workspace) -> None:
    log = heard(workspace, "selection_changed")
    workspace.select([2, 0, 2, 77, -1])
    workspace.select([2, 0])
    assert workspace.selected == (2, 0)
    assert len(log) == 1


# -- adopting and accepting -----------------------------------------------------------------


def test_adopting_gives_what_was_previewed(workspace: Workspace) -> None:
    workspace.show_alternative(1)
    preview = workspace.shown()
    assert preview is not None
    adopt(workspace)
    current = workspace.current()
    assert current is not None
    assert workspace.preview is None
    assert workspace.present_alternative() == 1
    assert current.labels.tolist() == preview.labels.tolist()
    assert [u.color for u in current.units] == [u.color for u in preview.units]
    assert units(workspace, 0) == [5] * 7 + [2] * 3  # 2 is as it was and keeps its number


def test_the_sorting_in_use_is_accepted_by_locking_its_units(workspace: Workspace) -> None:
    log = heard(workspace, "told")
    adopt(workspace)
    assert workspace.state.history.labels.accepted == {0, 1, 2}
    adopt(workspace)
    assert log[-1] == ("told", "Units 0, 1 and 2 around contact 0: accepted already")
    assert len(workspace.state.history.entries) == 1


def test_a_preview_that_only_accepted_units_keep_from_changing_anything_is_not_used(
    workspace: Workspace,
) -> None:
    workspace.set_accepted((0, 1, 2), True)
    workspace.show_alternative(1)
    with pytest.raises(
        CurationError, match=r"in what is accepted \(unit 0, 1\); take its acceptance back \(Y\) first"
    ):
        adopt(workspace)
    assert workspace.preview == 1
    assert units(workspace, 0) == TWO_PLUS


def test_a_component_in_which_no_sorting_has_a_unit_settles_itself() -> None:
    workspace = Workspace(tiny_project({0: [[0, 0]], 1: [[-1] * 3]}))
    assert [workspace.questions.status(c).state for c in (0, 1)] == ["sure", "curated"]
    workspace.show_component(1)
    log = heard(workspace, "told")
    adopt(workspace)
    assert log == [("told", "There is no unit around contact 1")]
    assert workspace.state.history.entries == ()


def test_an_empty_component_that_may_have_a_unit_is_accepted_as_it_is_and_opened_again_by_undo() -> None:
    workspace = Workspace(tiny_project({0: [[-1] * 4, [0] * 4]}, masses={0: [0.75, 0.25]}))
    assert workspace.questions.status(0).state == "sampled"
    adopt(workspace)
    assert workspace.questions.status(0).state == "curated"
    assert units(workspace, 0) == [-1] * 4
    assert workspace.state.history.undo_words == "accept contact 0 without units"
    log = heard(workspace, "told")
    adopt(workspace)
    assert log == [("told", "The spikes around contact 0: accepted already")]
    workspace.undo()
    assert workspace.questions.status(0).state == "sampled"


def test_what_was_accepted_is_not_accepted_again_while_new_draws_are_made() -> None:
    workspace = Workspace(tiny_project({0: [[-1] * 4, [0] * 4]}, masses={0: [0.75, 0.25]}))
    adopt(workspace)
    workspace.state.set_status(0, ComponentStatus("sampling", 0.5))
    adopt(workspace)
    assert len(workspace.state.history.entries) == 1


def test_a_component_is_settled_by_adopting_or_by_accepting_all_its_units(workspace: Workspace) -> None:
    assert [workspace.questions.status(c).state for c in (0, 1, 2)] == ["sampled", "sampled", "sure"]
    workspace.show_alternative(1)
    adopt(workspace)
    assert workspace.questions.status(0).state == "curated"
    workspace.set_accepted((3,), True)
    assert [workspace.questions.status(c).state for c in (0, 1, 2)] == ["curated", "curated", "sure"]
    workspace.undo()
    workspace.undo()
    assert [workspace.questions.status(c).state for c in (0, 1, 2)] == ["sampled", "sampled", "sure"]


def test_accepting_some_units_does_not_settle_the_component(workspace: Workspace) -> None:
    workspace.set_accepted((0, 1), True)
    assert workspace.questions.status(0).state == "sampled"


# -- merge, undo, redo ----------------------------------------------------------------------


def test_merged_units_become_a_new_one_that_is_selected(workspace: Workspace) -> None:
    log = heard(workspace, "units_changed", "components_changed", "shown_changed")
    workspace.select([1, 2])
    workspace.merge(workspace.selected)
    assert units(workspace, 0) == [0, 0, 0, 0, 5, 5, 5, 5, 5, 5]
    assert workspace.selected == (5,)
    assert [name for name, *_ in log] == ["units_changed", "components_changed", "shown_changed"]
    assert log[0][1].added == (5,)
    assert log[1][1] == (0,)
    assert workspace.present_alternative() is None


def test_a_merge_of_one_unit_fails_without_a_trace(workspace: Workspace) -> None:
    log = heard(workspace, "units_changed", "saved_changed", "told")
    with pytest.raises(CurationError, match="two different units"):
        workspace.merge((1,))
    with pytest.raises(CurationError, match="unit 99 does not exist"):
        workspace.merge((1, 99))
    assert log == []
    assert workspace.state.history.entries == ()


def test_undo_shows_where_the_edit_was_and_selects_what_came_back(workspace: Workspace) -> None:
    workspace.merge((0, 1))
    workspace.show_component(1)
    workspace.undo()
    assert workspace.component_id == 0
    assert workspace.selected == (0, 1)
    workspace.show_component(2)
    workspace.redo()
    assert workspace.component_id == 0
    assert workspace.selected == (5,)


def test_undo_of_a_label_shows_the_unit_too(workspace: Workspace) -> None:
    workspace.label((3,), "good")
    assert workspace.component_id == 0
    workspace.undo()
    assert workspace.component_id == 1
    assert workspace.state.history.labels.label(3) == "unsorted"


def test_undo_in_the_component_on_screen_stays_there_when_the_unit_reaches_elsewhere(
    workspace: Workspace,
) -> None:
    workspace.show_component(1)
    workspace.merge((0, 3))  # most spikes of the new unit are on channel 1
    workspace.undo()
    assert workspace.component_id == 1


def test_undo_and_redo_go_all_the_way_and_then_do_nothing(workspace: Workspace) -> None:
    for label in ("good", "mua", "noise"):
        workspace.label((0,), label)
    for _ in range(5):
        workspace.undo()
    assert not workspace.state.history.can_undo
    for _ in range(5):
        workspace.redo()
    assert workspace.state.history.labels.label(0) == "noise"
    assert len(workspace.state.history.entries) == 9


def test_units_that_come_back_have_their_number_and_colour(workspace: Workspace) -> None:
    before = workspace.current()
    workspace.merge((0, 1))
    merged = workspace.current()
    workspace.undo()
    after = workspace.current()
    assert before is not None
    assert merged is not None
    assert after is not None
    assert [(u.name, u.color) for u in after.units] == [(u.name, u.color) for u in before.units]
    assert merged.units[0].color == before.units[0].color  # the larger of the two


def test_a_selected_unit_that_is_gone_is_not_selected_any_more(workspace: Workspace) -> None:
    workspace.select([0, 3])
    workspace.state.do(Merge((0, 1)))
    assert workspace.selected == (3,)


# -- what panels remember is dropped when it changes -----------------------------------------


def test_a_component_whose_last_unit_was_dissolved_is_drawn_anew(workspace: Workspace) -> None:
    workspace.show_component(2)
    current = workspace.current()
    assert current is not None
    assert len(current.units) == 1
    log = heard(workspace, "components_changed", "shown_changed")
    workspace.state.do(Assign(current.component.spike_ids, [-1] * 4))
    after = workspace.current()
    assert after is not None
    assert after.units == ()
    assert log == [("components_changed", (2,)), ("shown_changed",)]
    workspace.undo()
    again = workspace.current()
    assert again is not None
    assert [unit.name for unit in again.units] == ["4"]


def trough_of_first(workspace: Workspace) -> float:
    """Depth of the mean waveform of the first unit of the second card."""
    mean = present_alternatives(workspace).cards[1].units[0].waveform
    assert mean is not None
    return float(mean.min())


def test_locking_a_unit_changes_the_previews_that_cards_and_waveforms_show(workspace: Workspace) -> None:
    workspace.show_alternative(1)
    assert [len(card.units) for card in present_alternatives(workspace).cards] == [3, 2]
    assert [c.name for c in present_waveforms(workspace).columns] == ["0+1", "2"]
    assert trough_of_first(workspace) == pytest.approx(-(4 * 10 + 3 * 20) / 7)
    workspace.set_accepted((0,), True)
    names = [[unit.name for unit in card.units] for card in present_alternatives(workspace).cards]
    assert names == [["0", "1", "2"], ["0", "1", "2"]]  # 4 of the 7 are accepted, so the other 3 stay 1
    assert trough_of_first(workspace) == -10.0
    assert [c.name for c in present_waveforms(workspace).columns] == ["0", "1", "2"]
    workspace.undo()
    assert [len(card.units) for card in present_alternatives(workspace).cards] == [3, 2]


def test_memos_of_a_component_go_with_it_and_others_stay(workspace: Workspace) -> None:
    made: list[tuple[Any, ...]] = []

    def ask(*key: Any) -> None:
        workspace.state.remembered.get(key, lambda: made.append(key))

    for _ in range(2):
        ask("x", 0)
        ask("x", 1)
        ask("everywhere")
    assert made == [("x", 0), ("x", 1), ("everywhere",)]
    made.clear()
    workspace.merge((0, 1))
    ask("x", 0)
    ask("x", 1)
    ask("everywhere")
    assert made == [("x", 0), ("everywhere",)]


def test_a_merge_across_channels_changes_both_components(workspace: Workspace) -> None:
    log = heard(workspace, "components_changed")
    workspace.merge((2, 3))
    assert log == [("components_changed", (0, 1))]
    assert workspace.state.places.main_channel(5) == 1  # 6 of its 9 spikes


def test_a_label_leaves_all_that_is_known_of_the_posterior_and_a_lock_does_not(workspace: Workspace) -> None:
    before = workspace.current()
    log = heard(workspace, "shown_changed")
    workspace.label((0,), "good")
    assert workspace.current() is before
    assert log == []
    workspace.set_accepted((0,), True)
    assert workspace.current() is not before
    assert log == [("shown_changed",)]


def test_what_is_made_of_the_draws_stays_until_they_are_drawn_again(workspace: Workspace) -> None:
    made: list[str] = []

    def ask() -> None:
        for name in ("pca", "cards"):
            workspace.state.remembered.get((name, 0), lambda name=name: made.append(name))

    ask()
    workspace.merge((0, 1))
    ask()
    assert made == ["pca", "cards", "cards"]
    component = workspace.state.components.sampled(0)
    again = replace(component, posterior=component.posterior)
    workspace.state.take_sampled(again, workspace.state.project.waveforms[0])
    ask()
    assert made == ["pca", "cards", "cards", "pca", "cards"]
