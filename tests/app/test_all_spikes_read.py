"""Principal components of all spikes, read from the recording where a session does not have them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from later import Later
from tiny_project import RATE, tiny_project

from ncpgui.app.controller import Controller
from ncpgui.app.model.lasso import Lasso
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.features import present_features
from ncpgui.app.presenters.lasso import spikes_inside
from ncpgui.app.work import jobs
from ncpgui.app.work.asked_for import read_all_spikes
from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.errors import CurationError, RecordingError
from ncpgui.core.project import Project
from ncpgui.ephys.readers import open_recording
from ncpgui.ephys.waveforms import extract_waveforms
from ncpgui.sorting.reopened import reopened_traces

SAMPLED = np.arange(0, 30, 3)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Thirty spikes in three seconds of noise on three contacts, ten of them sampled; an old cache."""
    noise = np.random.default_rng(0).normal(0, 100, (60_000, 3)).astype(np.int16)
    noise.tofile(tmp_path / "noise.raw")
    options = {"probe": "linear-3-30", "sampling_frequency": RATE, "n_channels": 3, "dtype": "int16"}
    recording = open_recording(tmp_path / "noise.raw", **options)
    made = tiny_project({0: [[0] * 15 + [1] * 15]})
    made = replace(made, recording=recording.reference, probe=recording.probe)
    whole = made.component(0)
    component = replace(
        whole, contacts=np.arange(3), sampled=SAMPLED, posterior=whole.posterior.at_points(SAMPLED)
    )
    old = jobs.read_waveforms(made, component)
    return replace(made, components=(component,), waveforms={0: old})


@pytest.fixture
def runner() -> Later:
    return Later()


@pytest.fixture
def controller(project: Project, runner: Later, tmp_path: Path) -> Controller:
    made = Controller(Workspace(project), runner, Preferences(tmp_path / "preferences"))
    made.workspace.show_component(0)
    return made


def read(runner: Later) -> None:
    """Do what was asked for first, and leave the t-SNE waiting."""
    runner.work("view")
    runner.deliver()


def test_each_spike_has_the_components_of_its_waveform_in_the_recording(project, monkeypatch) -> None:
    """In two pieces; the axes are those of the sampled spikes, whose components stay what they were."""
    monkeypatch.setattr(jobs, "READ_AT_ONCE", 12)
    component, old = project.component(0), project.waveforms[0]
    found = jobs.read_coordinates(project, component, old)
    with reopened_traces(project) as pre:
        every = extract_waveforms(
            pre, project.spikes.sample_index[component.spike_ids], component.contacts
        ).reshape(30, -1)
    centre = old.waveforms.reshape(10, -1).mean(axis=0)
    assert found.coordinates.shape[0] == 30
    _, _, axes = np.linalg.svd(old.waveforms.reshape(10, -1) - centre, full_matrices=False)
    for k in range(3):
        expected = (every - centre) @ axes[k]
        size = np.abs(found.coordinates[:, k] - expected), np.abs(found.coordinates[:, k] + expected)
        assert min(size[0].max(), size[1].max()) < 1e-2 * np.abs(expected).max()
    assert found.waveforms is old.waveforms


def test_features_say_that_only_sampled_spikes_are_there_and_how_to_get_all(controller, runner) -> None:
    workspace = controller.workspace
    view = present_features(workspace, "PC 1", "PC 2")
    assert (len(view.points), view.note) == (10, "sampled spikes; View > Read all spikes")
    read_all_spikes(controller.workspace, controller.work)
    read(runner)
    view = present_features(workspace, "PC 1", "PC 2")
    assert (len(view.points), view.note) == (30, "")
    with pytest.raises(CurationError, match="principal components of all these spikes are there already"):
        read_all_spikes(controller.workspace, controller.work)


def test_a_lasso_that_lacks_spikes_names_the_way_out_which_works(controller, runner) -> None:
    workspace = controller.workspace
    view = present_features(workspace, "PC 1", "PC 2")
    low, high = view.points.x.min() - 100, view.points.x.max() + 100
    corners = np.array([[low, -1000], [high, -1000], [high, 1000], [low, 1000]], float)
    lasso = Lasso(0, "features", ("PC 1", "PC 2"), corners)
    with pytest.raises(CurationError, match=r"20 spikes of .* use View > Read all spikes, or draw"):
        spikes_inside(workspace, lasso, None, (0, 1))
    read_all_spikes(controller.workspace, controller.work)
    read(runner)
    assert spikes_inside(workspace, lasso, None, (0, 1)).inside.all()


def test_amplitude_and_time_are_of_all_spikes_as_the_message_says(controller) -> None:
    view = present_features(controller.workspace, "time", "amplitude")
    assert (len(view.points), view.note) == (30, "")


def test_without_its_recording_that_is_said_and_nothing_changes(controller, runner, project) -> None:
    Path(project.recording.path).unlink()
    told: list[tuple[Exception, str]] = []
    controller.work.failed.connect(lambda error, doing: told.append((error, doing)))
    before = controller.workspace.waveforms()
    read_all_spikes(controller.workspace, controller.work)
    read(runner)
    ((error, doing),) = told
    assert isinstance(error, RecordingError)
    assert "Locate recording" in str(error)
    assert doing == "reading all spikes of units 0 and 1 around contact 0"
    assert controller.workspace.waveforms() is before


def test_a_component_that_was_sampled_again_meanwhile_keeps_its_own(controller, runner) -> None:
    read_all_spikes(controller.workspace, controller.work)
    other = ComponentWaveforms(np.zeros((10, 32, 3), np.float32), np.zeros((10, 2), np.float32))
    controller.workspace.state.put_waveforms(0, other)
    read(runner)
    assert controller.workspace.waveforms() is other
