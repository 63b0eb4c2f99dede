"""Traces: the spikes in the colours of their units, and the way from one to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.traces import TraceWindow
from ncpgui.app.work import panel_data
from ncpgui.core.errors import RecordingError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.ephys.readers import open_recording
from ncpgui.gui.panels.traces import TracesPanel
from ncpgui.gui.panels.waveforms import WaveformsPanel
from ncpgui.gui.theme import DARK, LIGHT, apply_theme
from tests.gui.windows import redraws

BLUE, ORANGE = (LIGHT.unit(Color(k)) for k in (0, 1))


class FlatReader:
    """Flat traces but for a trough of 20 noise sd at the middle of the window."""

    problem = ""

    def __init__(self, _project: object) -> None:
        pass

    def read(self, center: int, contacts: np.ndarray, half_ms: float, *, progress: object) -> TraceWindow:
        if FlatReader.problem:
            raise RecordingError(FlatReader.problem)
        start = max(0, center - 1000)
        traces = np.zeros((2001, len(contacts)), np.float32)
        traces[center - start] = -20.0
        return TraceWindow(center, start, contacts, traces)

    def close(self) -> None:
        pass


@pytest.fixture
def small_project(small_project: Project) -> Project:
    """Two spikes of unit 1, at 0.15 and 0.45 s, are of unit 0 in one draw of four each."""
    component = small_project.components[0]
    rows = component.posterior.labels.copy()
    rows[0, 2] = rows[1, 4] = rows[0, 0]
    posterior = PosteriorSamples(rows, np.zeros(4))
    return replace(small_project, components=(replace(component, posterior=posterior),))


@pytest.fixture
def panel(show, runner, screen, monkeypatch) -> TracesPanel:
    """At the first spike of unit 0, with its traces there."""
    monkeypatch.setattr(panel_data, "TraceReader", FlatReader)
    panel = show(TracesPanel)
    runner.let_go()
    screen.settle()
    return panel


def read(runner, screen) -> None:
    screen.settle()
    runner.let_go()
    screen.settle()


def test_it_begins_at_the_first_spike_and_says_which_it_is(panel) -> None:
    """Sample 1000 at 20 kHz, in the cell of unit 0 in all draws."""
    assert panel.note.text() == "0.050 s · unit 0 · P(spike) 100\u2009%"
    assert not panel.message.isVisible()
    assert panel.plot.view.contacts == (1, 0)  # the probe lies: the contact further along it comes first


def test_the_axis_of_time_is_named(panel) -> None:
    assert panel.plot.getAxis("bottom").labelText == "time from the spike (ms)"


def test_the_spike_is_painted_in_the_colour_of_its_unit(panel, screen) -> None:
    seen = [QtGui.QColor(color) for color in screen.colors(panel.plot)]

    def is_seen(unit: QtGui.QColor) -> bool:
        return any(abs(c.hue() - unit.hue()) < 8 and c.saturation() > 120 for c in seen)

    assert is_seen(BLUE)
    assert not is_seen(ORANGE)


def test_buttons_go_to_the_next_spike_and_back(panel, runner, screen, qtbot) -> None:
    back, forward, _ = panel.findChildren(QtWidgets.QPushButton)
    qtbot.mouseClick(forward, QtCore.Qt.LeftButton)
    qtbot.mouseClick(forward, QtCore.Qt.LeftButton)
    read(runner, screen)
    assert panel.note.text().startswith("0.150 s · unit 1 · ")
    qtbot.mouseClick(back, QtCore.Qt.LeftButton)
    read(runner, screen)
    assert panel.note.text().startswith("0.051 s · unit 0 · ")


def test_the_most_ambiguous_spike_is_of_the_less_certain_unit(panel, runner, screen) -> None:
    panel.step_ambiguous()
    read(runner, screen)
    assert panel.note.text() == "0.150 s · unit 1 · P(spike) 75\u2009%"
    panel.step_ambiguous()
    read(runner, screen)
    assert panel.note.text() == "0.450 s · unit 1 · P(spike) 75\u2009%"
    panel.step(-1)
    panel.step_ambiguous()
    read(runner, screen)
    assert panel.note.text().startswith("0.150 s · unit 1")  # from the least certain again


def test_a_selection_goes_to_the_nearest_of_its_spikes(panel, workspace, runner, screen) -> None:
    workspace.select([1])
    read(runner, screen)
    assert panel.note.text().startswith("0.150 s · unit 1 · ")
    panel.step(1)
    read(runner, screen)
    assert panel.note.text().startswith("0.450 s · unit 1 · ")


def test_a_decision_leaves_the_traces_where_they_were(panel, workspace, runner, screen) -> None:
    panel.step(1)
    panel.step(1)
    read(runner, screen)
    workspace.set_accepted((1,), True)  # the component is weighed anew
    read(runner, screen)
    assert panel.note.text().startswith("0.150 s · unit 1 · ")


def test_while_traces_are_read_it_says_so(show, screen, monkeypatch) -> None:
    monkeypatch.setattr(panel_data, "TraceReader", FlatReader)
    panel = show(TracesPanel)
    assert panel.message.text() == "Traces are being read …"


def test_a_recording_that_is_not_there_is_said_in_its_place(show, runner, screen, monkeypatch) -> None:
    monkeypatch.setattr(panel_data, "TraceReader", FlatReader)
    monkeypatch.setattr(FlatReader, "problem", "the recording is gone; put it back")
    panel = show(TracesPanel)
    read(runner, screen)
    assert panel.message.text() == "No traces: the recording is gone; put it back"
    assert not panel.plot.isVisible()


def test_a_recording_that_goes_away_while_it_is_open_leaves_the_rest_of_the_window_alive(
    show, small_project, workspace, controller, runner, screen, tmp_path
) -> None:
    raw = tmp_path / "two.raw"
    np.random.default_rng(0).integers(-99, 99, (40_000, 2)).astype("<i2").tofile(raw)
    recording = open_recording(raw, probe="linear-2-30", sampling_frequency=20_000.0, n_channels=2)
    workspace.open(replace(small_project, recording=recording.reference))
    panel, waveforms = show(TracesPanel), show(WaveformsPanel)
    read(runner, screen)
    assert panel.message.text() == ""
    assert panel.plot.isVisible()
    raw.unlink()
    workspace.open(replace(small_project, recording=recording.reference))
    read(runner, screen)
    assert f"No traces: the recording {raw} is not there any more; put it back" in panel.message.text()
    drawn = redraws(waveforms)
    workspace.merge((0, 1))
    read(runner, screen)
    assert drawn
    np.random.default_rng(0).integers(-99, 99, (40_000, 2)).astype("<i2").tofile(raw)
    controller.locate_recording(raw)
    read(runner, screen)
    read(runner, screen)
    assert panel.plot.isVisible()


def test_a_hidden_panel_reads_nothing(panel, workspace, runner, screen) -> None:
    panel.hide()
    workspace.select([1])
    screen.settle()
    assert [task for task in runner.held if task.key == "traces"] == []


def test_both_themes_have_their_own_ground(panel, screen, qapp) -> None:
    apply_theme(qapp, DARK)
    panel.set_theme(DARK)
    screen.settle()
    assert DARK.panel.lower() in screen.colors(panel.plot)
    assert LIGHT.panel.lower() not in screen.colors(panel.plot)
