"""Seconds in the window are those of the recording's clock, and intervals across a gap are the real ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny_project import RATE, tiny_project

from ncpgui.app.model.lasso import Lasso
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.amplitudes import present_amplitudes
from ncpgui.app.presenters.correlograms import present_correlograms, spikes_of_grid
from ncpgui.app.presenters.features import present_features
from ncpgui.app.presenters.lasso import spikes_inside
from ncpgui.app.presenters.unit_table import present_unit_table
from ncpgui.core.clock import Clock
from ncpgui.core.motion import Motion
from ncpgui.core.project import Project

WAYS = {0: [[0, 0, 0, 0, 1, 1]]}
GAP_S = 30.0


@pytest.fixture
def project() -> Project:
    """Spikes at samples 100 to 600 of 800; the clock begins at 100 s; 30 s are missing before sample 250."""
    known = np.array([0, 249, 250])
    clock = Clock(RATE, known, 100.0 + known / RATE + GAP_S * (known >= 250))
    made = tiny_project(WAYS)
    return replace(made, recording=replace(made.recording, own_clock=clock))


@pytest.fixture
def workspace(project: Project) -> Workspace:
    made = Workspace(project)
    made.show_component(0)
    return made


TIMES_S = [100.005, 100.01, 130.015, 130.02, 130.025, 130.03]


def test_spikes_over_time_are_at_their_seconds_and_the_axis_is_that_of_the_recording(workspace) -> None:
    view = present_amplitudes(workspace, "amplitude")
    np.testing.assert_allclose(view.points.x, TIMES_S)
    np.testing.assert_allclose(view.range_s, (100.0, 130.04))
    np.testing.assert_allclose(view.rate_edges_s[[0, -1]], (100.0, 130.04))


def test_rates_are_of_the_time_that_was_recorded(workspace) -> None:
    """30 bins of about a second: 250 samples were recorded in the first, 550 in the last, none between."""
    view = present_amplitudes(workspace, "amplitude")
    assert view.rates_hz.shape == (2, 30)
    np.testing.assert_allclose(view.rates_hz[0, 0], 2 / (250 / RATE), rtol=1e-2)
    np.testing.assert_allclose(view.rates_hz[0, -1], 2 / (550 / RATE), rtol=1e-2)
    assert not view.rates_hz[:, 1:-1].any()


def test_features_have_the_same_seconds(workspace) -> None:
    np.testing.assert_allclose(present_features(workspace, "time", "amplitude").points.x, TIMES_S)


def test_a_lasso_is_drawn_in_these_seconds(workspace) -> None:
    corners = np.array([(100.0, 0.0), (101.0, 0.0), (101.0, 99.0), (100.0, 99.0)])
    found = spikes_inside(workspace, Lasso(0, "over time", ("time", "amplitude"), corners), None, (0,))
    assert found.inside.tolist() == [True, True, False, False, False, False]


def test_motion_is_drawn_where_the_clock_has_it(project: Project) -> None:
    """Motion is known at 5 and 20 ms of samples: 100.005 s, and 130.02 s past the gap."""
    motion = Motion(
        axis=1,
        preset="dredge_fast",
        applied=True,
        time_s=np.array([0.005, 0.02]),
        depth_um=np.zeros(1),
        displacement_um=np.array([[0.0], [8.0]]),
    )
    workspace = Workspace(replace(project, motion=motion))
    workspace.show_component(0)
    view = present_amplitudes(workspace, "depth")
    np.testing.assert_allclose(view.motion_s, [100.005, 130.02])
    np.testing.assert_allclose(np.diff(view.motion_um), [8.0])


def test_spikes_at_the_sides_of_a_gap_are_no_pair(project: Project) -> None:
    """Unit 0 fires at samples 236 and 264, 1.4 ms apart if 30 s were not missing between them."""
    spikes = replace(project.spikes, sample_index=np.array([100, 236, 264, 400, 500, 600]))
    for has_gap in (True, False):
        recording = project.recording if has_gap else replace(project.recording, own_clock=None)
        workspace = Workspace(replace(project, spikes=spikes, recording=recording))
        workspace.show_component(0)
        _, spikes_of = spikes_of_grid(workspace)
        apart = np.diff(workspace.state.project.fired[spikes_of[0]])[1]
        assert apart == (GAP_S * RATE + 28 if has_gap else 28)
        assert present_unit_table(workspace).row(0)["violations"] == pytest.approx(0.0 if has_gap else 1 / 3)
        assert present_correlograms(workspace, None).names == ("0", "1")
