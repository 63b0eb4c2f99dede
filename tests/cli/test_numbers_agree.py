"""What cards, table, `info` and each export say of a unit is equal, whatever was decided.

The posteriors are random and small: a few clusters whose spikes are scattered, so that cards, P(pure) and
P(complete) are all in doubt.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.unit_table import present_unit_table
from ncpgui.app.presenters.waveforms import present_waveforms
from ncpgui.core.alternatives import group_alternatives
from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.core.unit_table import UnitTable
from ncpgui.curation.conditioned import as_it_stands
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.evidence.draws_by_alternative import with_masses
from ncpgui.evidence.units import NUMBERS
from ncpgui.export.from_project import bundle_of
from ncpgui.session.session_file import create_session
from tests.cli.conftest import Command
from tests.tiny_project import tiny_project, tiny_waveforms

N = 60
NAMES = NUMBERS


def random_project(seed: int) -> Project:
    """A component of 60 spikes in three clusters; draws scatter spikes, merge two of them, or split one."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], [30, 20, 10])
    rows = np.repeat(truth[None], 40, axis=0)
    rows[rng.random(40) < rng.uniform(0.1, 0.6)] = np.where(truth == 1, 0, truth)
    rows[np.ix_(rng.random(40) < rng.uniform(0, 0.3), np.arange(N) < 13)] = 3
    stray = rng.random((40, N)) < rng.uniform(0, 0.25)
    rows = np.where(stray, rng.integers(0, 3, (40, N)), rows)
    posterior = PosteriorSamples(rows, np.zeros(40), rng.dirichlet(np.ones(40)))
    ways = [
        Alternative(mode.labels, np.ones(N, np.float32), 0.0, 0.0, np.ones(mode.labels.max() + 1, np.float32))
        for mode in group_alternatives(posterior)
    ]
    weighed = sorted(with_masses(ways, posterior, np.arange(N)), key=lambda way: -way.mass)
    component = Component(0, np.array([0]), np.arange(N), np.arange(N), posterior, tuple(weighed))
    first = weighed[0].labels.tolist()
    project = tiny_project({0: [first]})
    p_neuron = rng.uniform(0, 1, N).astype(np.float32)
    return replace(project, components=(component,), waveforms={0: tiny_waveforms(first)}, p_neuron=p_neuron)


def accept_one(workspace: Workspace) -> None:
    workspace.set_accepted((0,), True)


def use_the_second(workspace: Workspace) -> None:
    component = workspace.component()
    assert component is not None
    if len(component.alternatives) > 1:
        workspace.show_alternative(1)
        adopt(workspace)


def accept_what_no_draw_has(workspace: Workspace) -> None:
    units = tuple(workspace.state.clustering.unit_ids.tolist())
    if len(units) > 1:
        workspace.merge(units)
    adopt(workspace)


EDITS = [lambda workspace: None, adopt, accept_one, use_the_second, accept_what_no_draw_has]


def numbers_of(workspace: Workspace) -> dict[int, dict[str, float]]:
    """What the table says of each unit, by name."""
    return values_of(present_unit_table(workspace))


def values_of(table: UnitTable) -> dict[int, dict[str, float]]:
    return {row["id"]: {name: row[name] for name in NAMES} for row in table.rows()}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("seed", [0, 1])
def test_table_waveforms_info_and_exports_say_the_same_of_each_unit(
    ncpgui: Command, tmp_path: Path, seed: int, edit: object
) -> None:
    project = random_project(seed)
    workspace = Workspace(project)
    assert callable(edit)
    edit(workspace)
    table = numbers_of(workspace)
    columns = present_waveforms(workspace).columns
    assert {column.unit: (column.p_pure, column.p_complete) for column in columns} == {
        unit: (known["p_pure"], known["p_complete"]) for unit, known in table.items()
    }
    with create_session(workspace.state.snapshot(), tmp_path / "s.h5"):
        pass
    info = json.loads(ncpgui("info", tmp_path / "s.h5", "--json").out)
    assert {one["id"]: {name: one[name] for name in NAMES} for one in info["units"]} == table
    ways = info["components"][0]["alternatives"]
    for card in present_alternatives(workspace).cards:
        assert card.index is None or card.mass == ways[card.index]["mass"]
    assert info["components"][0]["expected_gain"] == pytest.approx(workspace.questions.standing(0).n_gained)
    assert {one["id"]: one["label"] for one in info["units"] if one["label"] != "good"} == {
        row["id"]: row["label"] for row in present_unit_table(workspace).rows() if row["label"] != "unsorted"
    }
    decisions = CuratedSorting.of(workspace.state.history, project.unit_of_spike)
    bundle = bundle_of(workspace.state.as_it_stands(), decisions)
    assert bundle.numbers is not None
    assert values_of(bundle.numbers) == table
    for format_ in ("csv", "npz", "mat"):
        found = exported(ncpgui, tmp_path, format_)
        assert found.keys() == table.keys()
        for unit, known in found.items():
            assert known == pytest.approx(table[unit], abs=1e-4), format_


def exported(ncpgui: Command, folder: Path, format_: str) -> dict[int, dict[str, float]]:
    """What `ncpgui export` writes of each unit."""
    out = folder / f"out.{format_}"
    assert ncpgui("export", folder / "s.h5", "--format", format_, "--out", out).code == 0
    if format_ == "csv":
        with (folder / "out_units.csv").open(encoding="utf-8") as file:
            return {
                int(row["unit"]): {name: float(row[name]) for name in NAMES} for row in csv.DictReader(file)
            }
    if format_ == "npz":
        with np.load(out) as file:
            return {
                int(unit): {name: float(file[f"unit_{name}"][k]) for name in NAMES}
                for k, unit in enumerate(file["unit_ids"])
            }
    from scipy.io import loadmat

    units = loadmat(out, simplify_cells=True)["units"]
    rows = units if isinstance(units, (list, np.ndarray)) else [units]
    return {int(row["id"]): {name: float(row[name]) for name in NAMES} for row in rows}


@pytest.mark.parametrize("seed", range(8))
def test_what_is_accepted_was_as_probable_as_its_card_said(seed: int) -> None:
    workspace = Workspace(random_project(seed))
    (in_use,) = [card for card in present_alternatives(workspace).cards if card.is_in_use]
    adopt(workspace)
    given = workspace.state.components.given_of(0)
    assert given is not None
    assert given.conditions[0].was == in_use.mass
    assert f"accepted (was {in_use.percent})" in given.text


@pytest.mark.parametrize("edit", [adopt, use_the_second, accept_what_no_draw_has])
@pytest.mark.parametrize("seed", range(5))
def test_a_unit_of_a_settled_component_exists(seed: int, edit: object) -> None:
    workspace = Workspace(random_project(seed))
    assert callable(edit)
    edit(workspace)
    if workspace.questions.status(0).state == "curated":
        assert all(known["p_exists"] > 0 for known in numbers_of(workspace).values())


def test_what_an_export_has_is_what_the_window_has(tmp_path: Path) -> None:
    """Components are given what was decided in both: `as_it_stands`."""
    workspace = Workspace(random_project(3))
    workspace.set_accepted((0,), True)
    (there,) = as_it_stands(workspace.state.snapshot(), workspace.state.history).components
    (here,) = workspace.state.as_it_stands().components
    assert [way.mass for way in there.alternatives] == [way.mass for way in here.alternatives]
    assert there.posterior.weight.tolist() == here.posterior.weight.tolist()
