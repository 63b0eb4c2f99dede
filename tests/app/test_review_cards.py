"""The card of the sorting that is reviewed says so, wherever it stands among the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.project import Project


def titles(project: Project) -> list[str]:
    workspace = Workspace(project)
    workspace.show_component(0)
    return [card.title for card in present_alternatives(workspace).cards]


def reviewed(project: Project) -> Project:
    rows = np.arange(len(project.spikes))
    return replace(project, given=GivenSorting("/data/phy", PHY, rows, "d"))


def test_only_the_sorting_of_the_folder_is_as_given(project: Project) -> None:
    assert titles(project) == ["3 units", "2 units"]
    assert titles(reviewed(project)) == ["3 units, as given", "2 units"]


def test_it_need_not_be_the_first(project: Project) -> None:
    first, *others = project.components
    turned = replace(first, alternatives=first.alternatives[::-1])
    again = reviewed(replace(project, components=(turned, *others)))
    assert titles(again) == ["2 units", "3 units, as given"]
