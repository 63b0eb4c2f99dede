"""Components are known by their id: several may sit on one contact, and their spikes on several contacts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny_project import tiny_project

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.unit_numbers import unit_numbers
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.probe_map import present_probe_map
from ncpgui.app.presenters.queue import present_queue
from ncpgui.app.presenters.unit_table import present_unit_table
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.export.from_project import bundle_of
from ncpgui.session.store import load, save

A, B, C = 40, 41, 7
# spikes 0 .. 5 are of A (units 0, 1), 6 .. 9 of B (2), 10 .. 12 of C (3); 13 is of unit 4 and in no component
CHANNEL = np.array([2, 2, 2, 2, 2, 1, 2, 2, 2, 1, 1, 1, 2, 0])


@pytest.fixture
def project() -> Project:
    """Components A and B at contact 2, C at contact 1, and a unit that is in no component."""
    made = tiny_project({0: [[0, 0, 0, 1, 1, 1], [0] * 6], 1: [[0] * 4], 2: [[0] * 3], 3: [[0]]})
    places = {0: (A, [2, 1]), 1: (B, [2, 0]), 2: (C, [1, 2])}
    components = tuple(
        replace(component, id=places[component.id][0], contacts=np.array(places[component.id][1]))
        for component in made.components[:3]
    )
    waveforms = {
        places[key][0]: replace(value, waveforms=np.repeat(value.waveforms, 2, axis=2))
        for key, value in made.waveforms.items()
        if key in places
    }
    spikes = replace(made.spikes, channel=CHANNEL)
    return replace(made, components=components, waveforms=waveforms, spikes=spikes)


def test_two_components_on_one_contact_are_told_apart_by_their_units(project: Project) -> None:
    workspace = Workspace(project)
    rows = {row.component_id: (row.name, row.place) for row in present_queue(workspace)}
    assert rows == {
        A: ("Units 0, 1", "ch 2 · 6 spikes"),
        B: ("Unit 2", "ch 2 · 4 spikes"),
        C: ("Unit 3", "ch 1 · 3 spikes"),
    }
    assert [workspace.state.name(one) for one in (A, B)] == [
        "units 0 and 1 around contact 2",
        "unit 2 around contact 2",
    ]
    workspace.show_component(B)
    assert present_alternatives(workspace).title == "Unit 2"
    assert present_alternatives(workspace).subtitle.startswith("contact 2 · 4 spikes")


def test_a_contact_shows_the_component_with_most_spikes_there_and_then_the_next(project: Project) -> None:
    workspace = Workspace(project)
    workspace.show_component(C)
    seen = []
    for _ in range(4):
        workspace.show_contact(2)  # five spikes of A, three of B, one of C, which is on screen
        seen.append(workspace.component_id)
    assert seen == [A, B, C, A]
    workspace.show_contact(0)  # its spike is in no component
    assert workspace.component_id == A


def test_the_probe_tells_all_that_is_at_a_contact(project: Project) -> None:
    workspace = Workspace(project)
    view = present_probe_map(workspace)
    assert view.tooltips[2].splitlines() == [
        "Contact 2: units 0 and 1, 6 spikes, settled by itself",
        "Unit 2, 4 spikes, settled by itself",
        "Unit 3, 3 spikes, settled by itself",
    ]
    assert view.states == ("", "sure", "sure", "")
    workspace.show_component(B)
    assert (present_probe_map(workspace).current, present_probe_map(workspace).neighbours) == (2, (2, 0))


def test_the_main_channel_of_a_unit_is_where_most_of_its_spikes_are(project: Project) -> None:
    workspace = Workspace(project)
    assert {unit: workspace.state.places.main_channel(unit) for unit in range(5)} == {
        0: 2,
        1: 2,
        2: 2,
        3: 1,
        4: 0,
    }
    workspace.merge((1, 3))  # spikes 3, 4, 5 on contacts 2, 2, 1 and 10, 11, 12 on 1, 1, 2: three on each
    assert workspace.state.places.main_channel(5) == 1
    assert workspace.state.places.components_of(5) == (C, A)


def test_a_unit_that_reaches_into_two_components_is_in_the_table_of_both(project: Project) -> None:
    workspace = Workspace(project)
    workspace.merge((1, 2))
    for component_id, units in ((A, [0, 5]), (B, [5]), (C, [3])):
        workspace.show_component(component_id)
        assert present_unit_table(workspace).ids.tolist() == units
    assert present_unit_table(workspace, all_units=True).ids.tolist() == [0, 3, 4, 5]
    assert np.isnan(unit_numbers(workspace.state, (5,))["p_pure"][0])  # no posterior is of both


def test_a_neuron_of_two_components_is_asked_about_in_one(project: Project) -> None:
    two = PosteriorSamples(np.repeat([[0, 0, 1]], 40, axis=0), np.zeros(40))  # of C: unit 3 is two
    doubted = tuple(replace(way, mass=0.5) for way in project.component(C).alternatives)
    unsure = replace(project.component(C), posterior=two, alternatives=doubted)
    components = tuple(unsure if one.id == C else one for one in project.components)
    workspace = Workspace(replace(project, components=components))
    assert workspace.questions.status(C).state == "sampled"
    assert workspace.questions.wrong_left() == pytest.approx(1)
    workspace.merge((2, 3))  # four spikes of B and three of C
    assert workspace.questions.status(C).state == "sure"
    assert workspace.questions.wrong_left() == 0


def test_a_unit_in_no_component_is_listed_with_all_units(project: Project) -> None:
    table = present_unit_table(Workspace(project), all_units=True)
    assert table.ids.tolist() == [0, 1, 2, 3, 4]
    assert np.isnan(table["p_exists"]).tolist() == [False] * 4 + [True]


def test_accepting_settles_the_component_alone(project: Project) -> None:
    workspace = Workspace(project)
    workspace.show_component(B)
    adopt(workspace)
    assert {one: workspace.questions.status(one).state for one in workspace.state.components.ids} == {
        A: "sure", B: "curated", C: "sure",
    }  # fmt: skip


def test_a_session_keeps_them(project: Project, tmp_path) -> None:
    save(project, tmp_path / "s.h5")
    again = load(tmp_path / "s.h5")
    assert [(one.id, one.channel) for one in again.components] == [(A, 2), (B, 2), (C, 1)]
    assert sorted(again.waveforms) == [C, A, B]


def test_an_export_has_every_unit_on_the_contacts_of_its_component(project: Project) -> None:
    workspace = Workspace(project)
    decisions = CuratedSorting.of(workspace.state.history, project.unit_of_spike)
    bundle = bundle_of(project, decisions)
    assert bundle.sorting.main_channel == {0: 2, 1: 2, 2: 2, 3: 1, 4: 0}
    assert [(one["id"], one["channel"], one["unit_ids"]) for one in bundle.ncp["components"]] == [
        (A, 2, [0, 1]),
        (B, 2, [2]),
        (C, 1, [3]),
    ]
    assert np.isnan(bundle.sorting.p_exists[4])
    assert bundle.templates is not None
    seen = np.abs(bundle.templates).max(axis=1) > 0
    assert seen.tolist() == [
        [False, True, True, False],
        [False, True, True, False],
        [True, False, True, False],
        [False, True, True, False],
        [False] * 4,
    ]


def test_a_doubt_that_was_cut_is_said_in_the_queue_and_on_the_cards(project: Project) -> None:
    components = tuple(replace(one, cut_from=(B,)) if one.id == A else one for one in project.components)
    workspace = Workspace(replace(project, components=components))
    rows = {row.component_id: row for row in present_queue(workspace)}
    assert rows[A].tooltip.splitlines()[-1] == (
        "in doubt with unit 2 around contact 2 too, in another question: one for all would be too large"
    )
    assert "apart" not in rows[B].tooltip
    workspace.show_component(A)
    assert present_alternatives(workspace).subtitle.endswith(" · in doubt with unit 2 around contact 2 too")
    workspace.show_component(B)
    assert "in doubt" not in present_alternatives(workspace).subtitle
