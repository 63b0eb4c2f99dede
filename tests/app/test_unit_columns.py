"""The registry of columns: names, order, what is shown, and copies as CSV."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import numpy as np

from ncpgui.analysis.unit_metrics import UnitMetrics
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.unit_columns import (
    COLUMNS,
    LEFT_OUT_FIRST,
    ONLY_IF_GIVEN,
    PROBABILITIES,
    as_csv,
    column,
    names_shown,
)
from ncpgui.app.presenters.unit_table import present_unit_table
from ncpgui.core.given import SPIKEINTERFACE, GivenSorting
from ncpgui.core.project import Project
from ncpgui.core.unit_table import Row

METRICS = [one.name for one in COLUMNS if one.is_metric]


def rows(workspace: Workspace) -> list[Row]:
    return present_unit_table(workspace).rows()


def test_names_and_aliases_mean_one_column_each() -> None:
    names = [name for one in COLUMNS for name in (one.name, *one.aliases)]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)
    assert column("group") is column("label")
    assert set(LEFT_OUT_FIRST) <= {one.name for one in COLUMNS}


def test_metrics_are_shown_when_somebody_chooses_them_and_tags_and_notes_when_there_are_some(
    workspace: Workspace,
) -> None:
    shown = names_shown(rows(workspace))
    assert not set(shown) & {*METRICS, *ONLY_IF_GIVEN}
    workspace.write((1,), "tag", "axon")
    assert set(names_shown(rows(workspace))) - set(shown) == {"tag"}
    assert names_shown(rows(workspace), ["note", "fr", 7, "gone", *METRICS]) == ("id", "fr", *METRICS, "note")


def test_without_probabilities_their_columns_are_left_out_unless_somebody_chooses_them(
    workspace: Workspace,
) -> None:
    shown = names_shown(rows(workspace))
    without = names_shown(rows(workspace), has_probabilities=False)
    assert set(shown) - set(without) == {*PROBABILITIES}
    assert names_shown(rows(workspace), ["p_pure"], has_probabilities=False) == ("id", "p_pure")


def test_units_of_a_reviewed_sorting_are_shown_by_the_ids_they_have_there(project: Project) -> None:
    units = np.unique(project.unit_of_spike).tolist()
    names = {unit: f"shank0_{unit}" for unit in units}
    given = GivenSorting("there", SPIKEINTERFACE, np.arange(len(project.spikes)), "", names=names)
    workspace = Workspace(replace(project, given=given))
    assert "name" in names_shown(present_unit_table(workspace, all_units=True).rows())
    assert {row["id"]: row["name"] for row in present_unit_table(workspace, all_units=True).rows()} == names
    assert workspace.state.clustering.next_unit_id == max(units) + 1


def test_a_new_unit_has_a_number_above_all_that_the_reviewed_sorting_ever_had(project: Project) -> None:
    given = GivenSorting("there", SPIKEINTERFACE, np.arange(len(project.spikes)), "", highest=2**40)
    workspace = Workspace(replace(project, given=given))
    units = workspace.state.clustering.unit_ids.tolist()
    workspace.merge(tuple(units[:2]))
    assert workspace.state.clustering.unit_ids.max() == 2**40 + 1
    assert set(present_unit_table(workspace, all_units=True)["name"]) == {""}


def test_unknown_values_are_sorted_before_all_others() -> None:
    from tests.app.test_unit_filter import A, B, C

    key = column("p_neuron").sort_key
    assert [row["id"] for row in sorted((A, B, C), key=key)] == [31, 17, 3]
    assert [row["id"] for row in sorted((A, B, C), key=column("label").sort_key)] == [3, 17, 31]


def test_a_row_has_height_tag_note_and_metrics(workspace: Workspace) -> None:
    """Channel 1 is 30 um up; its only unit is 3."""
    workspace.show_component(1)
    workspace.write((3,), "note", "look again")
    known = {3: UnitMetrics(0.5, 0.1, 2.0, 0.01)}
    row = present_unit_table(workspace, metrics=lambda units: known).row(3)
    assert (row["id"], row["depth_um"], row["tag"], row["note"]) == (3, 30.0, "", "look again")
    assert [column(name).text(row) for name in METRICS] == ["0.50", "0.10", "2.0", "0.010"]
    assert column("presence_ratio").text(rows(workspace)[0]) == "–"


def test_csv_has_a_line_a_unit_and_empty_cells_for_what_is_not_known(workspace: Workspace) -> None:
    workspace.write((0,), "note", 'small, "axonal"')
    first = {**rows(workspace)[0], "p_neuron": 0.123456789, "p_pure": math.nan}
    text = as_csv([first], ["id", "accepted", "p_neuron", "p_pure", "note"])
    assert text == 'id,accepted,p_neuron,p_pure,note\n0,false,0.123457,,"small, ""axonal"""\n'
    workspace.write((0,), "note", "=A1")
    assert as_csv(rows(workspace)[:1], ["id", "note"]) == "id,note\n0,'=A1\n", "no spreadsheet computes it"
    assert list(csv.reader(io.StringIO(as_csv([], ["id", "fr"])))) == [["id", "fr"]]
