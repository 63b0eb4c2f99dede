"""Colours of units that say their label, depth, P(neuron) or shank, in every panel alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.app.action import Context
from ncpgui.app.actions import action
from ncpgui.app.controller import Controller
from ncpgui.app.model.coloring import LABELS
from ncpgui.app.model.colors import Color
from ncpgui.app.model.unit_numbers import unit_label
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.embedding import present_embedding
from ncpgui.app.presenters.features import present_features
from ncpgui.app.presenters.unit_table import present_unit_table
from ncpgui.app.presenters.waveforms import present_waveforms
from ncpgui.app.work.tasks import Immediate
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project
from ncpgui.export.from_project import bundle_of
from tests.app.test_actions import FakeWindow
from tests.tiny_project import tiny_project

# channel 0: units 0 and 1, or one unit; channel 1: unit 2
WAYS = {0: [[0] * 6 + [1] * 4, [0] * 10], 1: [[0] * 5]}


@pytest.fixture
def project() -> Project:
    """Contacts 0 and 1 at 0 and 40 µm, of two shanks; P(neuron) of the units is 0.9, 0.5 and unknown."""
    made = tiny_project(WAYS)
    p_neuron = np.select([made.unit_of_spike == 0, made.unit_of_spike == 1], [0.9, 0.5], np.nan)
    n = made.probe.n_channels
    place = np.column_stack([np.zeros(n), 40.0 * np.arange(n)])
    shanks = np.arange(n)
    return replace(made, probe=Probe(place, shank=shanks), p_neuron=p_neuron.astype(np.float32))


@pytest.fixture
def workspace(project: Project) -> Workspace:
    made = Workspace(project)
    made.show_component(0)
    return made


def table(workspace: Workspace) -> dict[int, Color]:
    return {row["id"]: row["color"] for row in present_unit_table(workspace, all_units=True).rows()}


def test_unless_somebody_chooses_colours_tell_units_apart(workspace: Workspace) -> None:
    assert table(workspace)[0] != table(workspace)[1]
    assert workspace.coloring.legend() is None


def test_by_depth_a_unit_has_the_place_of_its_main_channel_on_the_probe(
    workspace: Workspace, project: Project
) -> None:
    workspace.coloring.color_by("depth")
    height = project.probe.positions_um[:, 1].max()
    assert table(workspace) == {0: Color(-1, 0.0), 1: Color(-1, 0.0), 2: Color(-1, 40.0 / height)}
    legend = workspace.coloring.legend()
    assert legend is not None
    assert [words for words, _ in legend.entries] == ["0", f"{height:.0f} µm"]


def test_by_p_neuron_what_is_unknown_is_grey(workspace: Workspace) -> None:
    workspace.coloring.color_by("P(neuron)")
    found = table(workspace)
    assert (found[0].share, found[1].share) == pytest.approx((0.9, 0.5))
    assert found[2] == Color(9)
    legend = workspace.coloring.legend()
    assert legend is not None
    assert legend.entries == (("0", Color(-1, 0.0)), ("100\u2009%", Color(-1, 1.0)))


def test_by_label_the_colour_follows_the_label_at_once(workspace: Workspace) -> None:
    """Nobody labelled 1, which P(neuron) calls multi-unit."""
    workspace.coloring.color_by("label")
    assert table(workspace)[1] == Color(LABELS["mua"])
    workspace.label((1,), "noise")
    assert table(workspace)[1] == Color(LABELS["noise"])


def test_by_shank_units_of_one_shank_have_one_colour(workspace: Workspace) -> None:
    workspace.coloring.color_by("shank")
    assert table(workspace) == {0: Color(0), 1: Color(0), 2: Color(1)}
    legend = workspace.coloring.legend()
    assert legend is not None
    assert legend.entries == (("0", Color(0)), ("1", Color(1)))


def test_all_panels_show_the_same_colours(workspace: Workspace) -> None:
    workspace.coloring.color_by("P(neuron)")
    found = tuple(table(workspace)[unit] for unit in (0, 1))
    assert tuple(column.color for column in present_waveforms(workspace).columns) == found
    assert present_embedding(workspace, None).points.colors == found
    assert present_features(workspace, "PC 1", "PC 2").points.colors == found
    card = present_alternatives(workspace).cards[0]
    assert tuple(unit.color for unit in card.units) == found


def test_a_unit_that_a_card_would_make_has_the_mean_of_its_spikes(workspace: Workspace) -> None:
    """Six spikes of 0.9 and four of 0.5."""
    workspace.coloring.color_by("P(neuron)")
    workspace.show_alternative(1)
    (merged,) = present_waveforms(workspace).columns
    assert merged.color.share == pytest.approx(0.74)


def test_the_choice_is_told_once_and_kept(tmp_path: Path, project: Project) -> None:
    preferences = Preferences(tmp_path)
    controller = Controller(Workspace(project), Immediate(), preferences)
    told: list[str] = []
    controller.workspace.coloring.changed.connect(lambda: told.append(controller.workspace.coloring.by))
    context = Context(controller.workspace, controller, FakeWindow())  # type: ignore[arg-type]
    for _ in range(2):
        action("color_depth").run(context, 0)
    assert told == ["depth"]
    again = Controller(Workspace(project), Immediate(), Preferences(tmp_path))
    assert again.workspace.coloring.by == "depth"


def test_a_likely_neuron_that_is_likely_two_is_called_mua_as_in_exports() -> None:
    """The unit in use is whole in one draw of five."""
    made = tiny_project({0: [[0] * 10, [0] * 6 + [1] * 4], 1: [[0] * 5]}, masses={0: [0.2, 0.8], 1: [1.0]})
    made = replace(made, p_neuron=np.full(len(made.unit_of_spike), 0.95, np.float32))
    workspace = Workspace(made)
    workspace.show_component(0)
    (row,) = present_unit_table(workspace).rows()
    assert row["p_pure"] == pytest.approx(0.2)
    assert (row["label"], row["is_label_given"]) == ("mua", False)
    assert bundle_of(made).sorting.labels == {0: "mua", 1: "good"}
    assert unit_label(workspace.state, 1) == "unsorted"


@pytest.mark.parametrize(
    ("own", "beside", "found"),
    [
        ((0, 1, 2), (), (0, 1, 2)),
        ((0, 0, 1), (), (0, 1, 2)),  # the second takes the first that is free, the third what is left
        ((3, 3), (0, 1), (3, 2)),  # not those of units on cards
        ((0, 4), (0,), (1, 4)),  # nor its own, where a card has it
    ],
)
def test_units_that_are_drawn_together_have_colours_of_their_own(
    project: Project, own: tuple[int, ...], beside: tuple[int, ...], found: tuple[int, ...]
) -> None:
    workspace = Workspace(project)
    colors = workspace.state.sortings.colors
    units, others = range(100, 100 + len(own)), range(200, 200 + len(beside))
    for unit, index in zip((*units, *others), (*own, *beside), strict=True):
        colors.give(unit, index)
    workspace.coloring.set_apart(units, others)
    assert tuple(workspace.coloring.of_unit(unit).index for unit in units) == found
    workspace.coloring.set_apart(())
    assert tuple(workspace.coloring.of_unit(unit).index for unit in units) == own


def test_where_colours_run_out_a_unit_that_is_drawn_keeps_apart_from_the_others_that_are(
    project: Project,
) -> None:
    """Of thirty colours twenty-nine are on cards; two units of the colour of one take what is left."""
    workspace = Workspace(project)
    colors = workspace.state.sortings.colors
    for index in range(29):
        colors.give(200 + index, index)
    for unit in (100, 101):
        colors.give(unit, 0)
    workspace.coloring.set_apart((100, 101), range(200, 229))
    assert [workspace.coloring.of_unit(unit).index for unit in (100, 101)] == [29, 0]
