"""Units of a reviewed sorting have the labels that they came with, before anything is done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ncpgui.app.model.workspace import Workspace
from ncpgui.core.project import Project
from ncpgui.session import store


def test_what_units_are_called_there_comes_back_as_it_was(project: Project, path: Path) -> None:
    assert project.given is not None
    names: dict[int, int | str] = {0: -1, 7: "007", 8: 98765432109876543210, 9: "9"}
    given = replace(project.given, names=names, silent=(30, 31), highest=2**40)
    store.save(replace(project, history=(), given=given), path)
    back = store.load(path).given
    assert back is not None
    assert (back.names, back.silent, back.highest) == (names, (30, 31), 2**40)


def test_units_keep_the_labels_they_came_with_and_undo_ends_there(project: Project, path: Path) -> None:
    store.save(replace(project, history=()), path)
    workspace = Workspace()
    workspace.state.open(store.load(path))
    labels = workspace.state.history.labels
    assert (labels.label(0), labels.label(7)) == ("good", "noise")
    assert not workspace.state.history.can_undo
    workspace.label([7], "mua")
    workspace.undo()
    assert labels.label(7) == "noise"
    workspace.label([7], "good")
    workspace.merge([0, 7])
    assert labels.label(8) == "good"
