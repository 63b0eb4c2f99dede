"""What opening a project and looking at its queue takes, and that shortcuts say what the long way says."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.app.model import making_sortings, sortings
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.queue import present_queue
from ncpgui.core.project import Project
from tests.synthetic_project import synthetic_project


@pytest.fixture(scope="module")
def array() -> Project:
    """Seven components of two to four units."""
    return synthetic_project(spikes_per_unit=60, with_waveforms=False, with_stimulus=False)


def test_the_queue_of_a_project_makes_no_preview(array: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    monkeypatch.setattr(
        sortings, "preview_sorting", lambda clustering, component, index, *_, **__: made.append(index)
    )
    rows = present_queue(Workspace(array))
    assert len(rows) == 7
    assert made == []


@pytest.mark.parametrize("n_locked", [0, 1, 2])
def test_as_many_units_are_counted_as_a_preview_would_show(array: Project, n_locked: int) -> None:
    workspace = Workspace(array)
    for component_id in workspace.state.components.ids:
        workspace.show_component(component_id)
        current, component = workspace.current(), workspace.component()
        assert current is not None
        assert component is not None
        if n_locked:
            units = tuple(unit.unit for unit in current.units[:n_locked] if unit.unit is not None)
            workspace.set_accepted(units, True)
        counted = [
            workspace.questions.n_units(component_id, index) for index in range(len(component.alternatives))
        ]
        previews = [workspace.sorting_of(index) for index in range(len(component.alternatives))]
        assert counted == [len(preview.units) for preview in previews if preview is not None]


def test_a_locked_unit_that_an_alternative_would_merge_counts_as_one_more(array: Project) -> None:
    """Ways are two units, or one; with one of the two accepted, both ways leave two."""
    workspace = Workspace(array)
    merged = next(
        (one, index)
        for one in workspace.state.components.ids
        for index, way in enumerate(workspace.state.components.sampled(one).alternatives)  # type: ignore[union-attr]
        if way.n_units < len(workspace.current_of(one).units)  # type: ignore[union-attr]
    )
    component_id, index = merged
    before = workspace.questions.n_units(component_id, index)
    units = [unit.unit for unit in workspace.current_of(component_id).units]  # type: ignore[union-attr]
    workspace.set_accepted(tuple(unit for unit in units if unit is not None), True)
    assert workspace.questions.n_units(component_id, index) == len(units) == before + 1


def test_units_are_listed_by_size_without_regard_to_the_size_of_their_numbers() -> None:
    units = np.array([-1, 2_000_000_000, 5, 5, -1, 7, 2_000_000_000, 5])
    codes, labels, counts = making_sortings._ordered(units)
    assert codes == [5, 2_000_000_000, 7]
    assert labels.tolist() == [-1, 1, 0, 0, -1, 2, 1, 0]
    assert counts == [3, 2, 1]
