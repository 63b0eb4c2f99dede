"""A unit has one depth in all panels: along the longer axis of the probe, on arrays too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.app.presenters.unit_columns import COLUMNS
from ncpgui.core.project import Project
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import settle, shown_window
from tests.synthetic_project import PITCH_UM

TITLES = [column.title for column in COLUMNS]


@pytest.fixture(params=["upright", "lying"])
def window(
    qtbot, tmp_path: Path, array_project: Project, request: pytest.FixtureRequest
) -> Iterator[MainWindow]:
    """A hexagonal array, stretched along y or along x."""
    stretched = array_project.probe.positions_um * ([1.0, 3.0] if request.param == "upright" else [3.0, 1.0])
    probe = replace(array_project.probe, positions_um=stretched)
    with shown_window(qtbot, tmp_path) as made:
        made.resize(1920, 1200)
        made.workspace.state.open(replace(array_project, probe=probe))
        made.bench.show_layout("inspect")
        made.bench.units.set_all_units(True)
        made.bench.amplitudes.choice.setCurrentText("depth")
        settle(deleted=True)
        yield made
        made.controller.close()


def test_table_and_over_time_agree_on_the_depth_of_every_unit(window: MainWindow) -> None:
    table, axis = window.bench.units, window.workspace.state.project.probe.depth_axis
    places = window.workspace.state.project.probe.positions_um[:, axis]
    assert np.ptp(places) == max(np.ptp(window.workspace.state.project.probe.positions_um, axis=0))
    compared = 0
    for row, unit in enumerate(table.listed_units):
        told = float(table.model.index(row, TITLES.index("depth")).data())
        assert np.abs(places - told).min() < 0.51, "the place of a contact"
        window.workspace.select([unit])
        settle()
        points = window.bench.amplitudes.view.points
        own = points.labels == points.names.index(str(unit))
        if own.any():
            assert abs(float(np.median(points.y[own])) - told) < 3 * PITCH_UM
            compared += 1
    assert compared > 5
