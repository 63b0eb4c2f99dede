"""The list of edits: where one stands, what was taken back, and going to any of them."""

from __future__ import annotations

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.history import present_history, step_to


def shown(workspace: Workspace) -> list[tuple[str, bool, bool]]:
    return [(row.words, row.is_done, row.is_present) for row in present_history(workspace)]


def test_without_a_project_there_is_no_history() -> None:
    assert present_history(Workspace()) == ()


def test_edits_are_listed_oldest_first_with_what_was_taken_back_after_them(workspace: Workspace) -> None:
    assert shown(workspace) == [("As it was sorted", True, True)]
    workspace.label((2,), "good")
    workspace.merge((0, 1))
    workspace.undo()
    assert shown(workspace) == [
        ("As it was sorted", True, False), ("Label unit 2 good", True, True), ("Merge 0 + 1", False, False),
    ]  # fmt: skip


def test_one_goes_to_any_of_them_and_back(workspace: Workspace) -> None:
    said: list[str] = []
    workspace.label((2,), "good")
    workspace.merge((0, 1))
    workspace.set_accepted((2,), True)
    everything = workspace.state.clustering.unit_of_spike.copy()
    rows = shown(workspace)
    workspace.state.told.connect(said.append)
    step_to(workspace, 0)
    assert said[-1] == "3 edits taken back"
    assert [row[2] for row in shown(workspace)] == [True, False, False, False]
    assert workspace.state.history.labels.label(2) == "unsorted"
    step_to(workspace, 3)
    assert said[-1] == "3 edits done again"
    assert shown(workspace) == rows
    assert (workspace.state.clustering.unit_of_spike == everything).all()
    step_to(workspace, 2)
    assert not workspace.state.history.labels.is_accepted(2)
    step_to(workspace, 2)  # where one stands already
    assert [row[2] for row in shown(workspace)] == [False, False, True, False]
    assert len(workspace.state.history.entries) == 3 + 3 + 3 + 1  # every step is in the journal


def test_a_new_edit_ends_what_could_be_done_again(workspace: Workspace) -> None:
    workspace.merge((0, 1))
    step_to(workspace, 0)
    workspace.label((2,), "mua")
    assert [row[0] for row in shown(workspace)] == ["As it was sorted", "Label unit 2 mua"]
    step_to(workspace, 99)
    assert shown(workspace)[-1] == ("Label unit 2 mua", True, True)
