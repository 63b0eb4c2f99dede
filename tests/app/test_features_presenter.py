"""Features: which coordinates there are, of which spikes, and in which order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from app_fakes import MASSES, WAYS
from tiny_project import tiny_project

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.features import present_features, principal_components
from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.project import Project


def with_coordinates(project: Project, coordinates: np.ndarray | None) -> Workspace:
    """Component 0 of the project, ten spikes of which two are sampled, with coordinates of all or of none."""
    whole = project.component(0)
    sampled = np.array([1, 8])
    component = replace(whole, sampled=sampled, posterior=whole.posterior.at_points(sampled))
    kept = ComponentWaveforms(
        np.zeros((2, 32, 1), np.float32), np.array([[0.0, 0.0], [3.0, 4.0]], np.float32), coordinates
    )
    components = (component, *project.components[1:])
    workspace = Workspace(replace(project, components=components, waveforms={0: kept}))
    workspace.show_component(0)
    return workspace


def test_the_component_with_the_largest_variance_comes_first(project) -> None:
    """Coordinates along two axes: the second spreads more."""
    coordinates = np.zeros((10, 2), np.float32)
    coordinates[:, 0] = [1, -1] * 5
    coordinates[:, 1] = np.arange(10)
    workspace = with_coordinates(project, coordinates)
    view = present_features(workspace, "PC 1", "PC 2")
    assert view.axes == ("PC 1", "PC 2", "amplitude", "time")
    assert np.ptp(view.points.x) == pytest.approx(9, rel=0.1)
    assert np.ptp(view.points.y) == pytest.approx(2, rel=0.3)
    assert view.points.labels.tolist() == [0] * 4 + [1] * 3 + [2] * 3
    assert view.note == ""


def test_without_coordinates_of_all_the_sampled_spikes_have_features(project) -> None:
    """Two points (0, 0) and (3, 4): five apart along their one component, nothing across it."""
    workspace = with_coordinates(project, None)
    view = present_features(workspace, "PC 1", "PC 2")
    assert sorted(view.points.x.tolist()) == pytest.approx([-2.5, 2.5])
    assert view.points.y.tolist() == pytest.approx([0, 0], abs=1e-9)
    assert view.points.labels.tolist() == [0, 2]
    assert view.note == "sampled spikes; View > Read all spikes"


def test_amplitude_and_time_are_there_of_every_spike(project) -> None:
    workspace = with_coordinates(project, None)
    view = present_features(workspace, "time", "amplitude")
    assert view.points.x.tolist() == pytest.approx([0.005 * k for k in range(1, 11)])
    assert view.points.y.tolist() == [10] * 4 + [20] * 3 + [30] * 3
    assert view.note == ""


def test_without_waveforms_amplitude_and_time_are_left(project) -> None:
    workspace = Workspace(replace(project, waveforms={}))
    workspace.show_component(0)
    view = present_features(workspace, "PC 1", "PC 2")
    assert (view.x, view.y, view.axes) == ("time", "amplitude", ("amplitude", "time"))
    assert len(view.points) == 10


def test_a_component_has_a_sign_that_does_not_change(project) -> None:
    values = np.array([[0.0, 0.0], [3.0, 4.0]], np.float32)
    workspace = with_coordinates(project, None)
    component = workspace.component()
    waveforms = ComponentWaveforms(np.zeros((2, 32, 1), np.float32), values)
    _, found = principal_components(component, waveforms)
    _, turned = principal_components(component, replace(waveforms, features=values[:, ::-1]))
    assert found[1, 0] == pytest.approx(2.5)
    assert turned[1, 0] == pytest.approx(2.5)


def test_without_anything_to_show_it_says_why() -> None:
    assert present_features(Workspace(), "PC 1", "PC 2").message == "Open a recording or a session to begin."
    waiting = Workspace(tiny_project(WAYS, masses=MASSES, sampled=False))
    words = "Features appear when these spikes are sampled."
    assert present_features(waiting, "PC 1", "PC 2").message == words
