"""The most similar unit of each one on screen, also of other components."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.app.model.colors import Color
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alike import Ghost, most_alike, near_by_ghosts
from ncpgui.app.presenters.similar_units import deepest, mean_waveform
from ncpgui.app.presenters.waveforms import present_waveforms
from tests.synthetic_project import synthetic_project


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(synthetic_project(spikes_per_unit=60, with_stimulus=False))


def ghost(name: str, *heights: float) -> Ghost:
    """A unit of one sample, on as many contacts as it has heights."""
    return Ghost(name, Color(0), np.array([heights], dtype=np.float32))


def test_the_nearest_other_unit_is_found_and_an_unknown_contact_counts_as_flat() -> None:
    nan = float("nan")
    one, two = ghost("1", -9, -4), ghost("2", -2, -8)
    beside = ghost("3", -8, nan)  # 1 + 16 from unit 1, 36 + 64 from unit 2
    assert [other.name for other in most_alike([one, two], [one, two, beside]) if other] == ["3", "1"]
    assert most_alike([one], [one, ghost("4", 0, 0), ghost("5", nan, nan)]) == [None]


def test_units_near_by_are_drawn_on_the_contacts_that_both_components_have(workspace: Workspace) -> None:
    shown = workspace.shown()
    assert shown is not None
    here = {unit.name for unit in shown.units}
    found = near_by_ghosts(workspace, shown)
    assert found
    for other in found:
        assert other.name not in here
        known = mean_waveform(workspace, int(other.name))
        assert known is not None
        assert deepest(*known) in shown.component.contacts
        column = shown.component.contacts.tolist().index(deepest(*known))
        row = known[0].tolist().index(deepest(*known))
        assert np.array_equal(other.mean[:, column], known[1][:, row])
        assert not set(known[0].tolist()) & set(
            shown.component.contacts[np.isnan(other.mean).any(axis=0)].tolist()
        )


def test_only_who_looks_around_is_shown_a_unit_of_another_component(workspace: Workspace) -> None:
    on_screen = {unit.name for unit in workspace.shown().units}  # type: ignore[union-attr]
    columns = present_waveforms(workspace).columns
    assert {column.neighbour.name for column in columns if column.neighbour} <= on_screen
    around = present_waveforms(workspace, looks_around=True).columns
    for near, far in zip(columns, around, strict=True):
        assert near.neighbour is not None
        assert far.neighbour is not None
        apart = [
            ((np.nan_to_num(one.mean) - near.mean) ** 2).sum() for one in (near.neighbour, far.neighbour)
        ]
        assert apart[1] <= apart[0]
