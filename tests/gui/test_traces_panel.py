"""Traces: the spikes in the colours of their units, and the way from one to the next."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pyqtgraph as pg
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.traces import TraceWindow
from ncpgui.app.work import panel_data
from ncpgui.core.errors import RecordingError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.ephys.readers import open_recording
from ncpgui.gui.panels.features import FeaturesPanel
from ncpgui.gui.panels.traces import TracesPanel
from ncpgui.gui.panels.waveforms import WaveformsPanel
from ncpgui.gui.theme import DARK, LIGHT
from tests.gui.windows import redraws

BLUE, ORANGE = (LIGHT.unit(Color(k)) for k in (0, 1))


class FlatReader:
    """Flat traces but for a trough of 20 noise sd at the middle of the window."""

    problem = ""
    reads: ClassVar[list[tuple[int, float, int]]] = []

    def __init__(self, _project: object) -> None:
        pass

    def read(self, center: int, contacts: np.ndarray, half_ms: float, *, progress: object) -> TraceWindow:
        if FlatReader.problem:
            raise RecordingError(FlatReader.problem)
        half = round(half_ms * 20)
        start, stop = max(0, center - half), min(40_000, center + half + 1)
        FlatReader.reads.append((center, half_ms, len(contacts)))
        traces = np.zeros((stop - start, len(contacts)), np.float32)
        traces[center - start] = -20.0
        return TraceWindow(center, start, contacts, traces, half_ms)

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


def test_each_contact_has_a_curve_of_its_own_below_the_one_before(panel) -> None:
    """Flat at 0 and -1 but for the trough, and not joined where one ends and the next begins."""
    lines = [item for item in panel.plot.items() if isinstance(item, pg.PlotCurveItem)]
    curve = next(line for line in lines if len(line.getData()[0]) >= panel.plot.view.traces.size)
    x, y = curve.getData()
    half = len(x) // 2
    assert (np.median(y[:half]), np.median(y[half:])) == (0, -1)
    assert np.array_equal(x[:half], x[half:])
    assert np.flatnonzero(~curve.opts["connect"]).tolist() == [half - 1, len(x) - 1]


def test_the_axis_of_time_is_named(panel) -> None:
    assert panel.plot.getAxis("bottom").labelText == "time from the spike (ms)"


def test_the_spike_is_painted_in_the_colour_of_its_unit(panel, screen) -> None:
    seen = [QtGui.QColor(color) for color in screen.colors(panel.plot)]

    def is_seen(unit: QtGui.QColor) -> bool:
        return any(abs(c.hue() - unit.hue()) < 8 and c.saturation() > 120 for c in seen)

    assert is_seen(BLUE)
    assert not is_seen(ORANGE)


def test_buttons_go_to_the_next_spike_and_back(panel, runner, screen, qtbot) -> None:
    back, forward, *_ = panel.findChildren(QtWidgets.QPushButton)
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
    workspace.state.open(replace(small_project, recording=recording.reference))
    panel, waveforms = show(TracesPanel), show(WaveformsPanel)
    read(runner, screen)
    assert panel.message.text() == ""
    assert panel.plot.isVisible()
    raw.unlink()
    workspace.state.open(replace(small_project, recording=recording.reference))
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


# -- any time, as wide and as large as one likes ------------------------------------------------


def seen_soon(panel, runner, screen) -> None:
    """What a person waits for after a move: the rest is read."""
    assert panel._soon.isActive()
    panel._soon.stop()
    panel.read_what_is_seen()
    read(runner, screen)


def test_a_move_beyond_what_was_read_reads_on_and_stays_where_it_is(panel, runner, screen) -> None:
    """From the spike at 50 ms on: half of 100 ms later one sees 0 to 100 ms from it."""
    panel.plot.move(0.5)
    assert panel.plot.seen_ms == pytest.approx((0, 100))
    seen_soon(panel, runner, screen)
    assert panel.plot.isVisible()
    assert panel.plot.seen_ms == pytest.approx((0, 100))
    assert FlatReader.reads[-1] == (2000, 100.0, 2)
    assert panel.plot.view.time_ms[[0, -1]] == pytest.approx([-50, 150])
    assert panel.note.text().startswith("0.050 s · unit 0")
    before = len(FlatReader.reads)
    panel.plot.move(0.2)  # to 120 ms: that is there
    panel.read_what_is_seen()
    read(runner, screen)
    assert len(FlatReader.reads) == before


def test_a_selection_begins_anew_around_its_spike(panel, workspace, runner, screen) -> None:
    panel.plot.move(0.5)
    seen_soon(panel, runner, screen)
    workspace.select([1])
    read(runner, screen)
    assert panel.note.text().startswith("0.150 s · unit 1 · ")
    assert panel.plot.seen_ms == pytest.approx((-50, 50))
    assert FlatReader.reads[-1] == (3000, 50.0, 2)


def test_it_stays_visible_while_more_is_read(panel, runner, screen) -> None:
    panel.plot.move(0.5)
    panel.read_what_is_seen()
    screen.settle()
    assert runner.held
    assert panel.plot.isVisible()
    assert not panel.message.isVisible()


def test_the_ends_of_the_recording_are_the_ends(panel, runner, screen) -> None:
    for _ in range(3):
        panel.plot.move(-1.0)
    assert panel.plot.seen_ms[0] == pytest.approx(-50)  # the first sample
    panel.read_what_is_seen()
    read(runner, screen)
    assert not panel.message.isVisible()


def test_at_the_ends_of_the_recording_all_that_is_seen_is_read_at_once(panel, runner, screen) -> None:
    """A plot shows nothing beyond the ends, so that 100 ms around 10 ms are the first 100 ms."""
    for second, (first_ms, last_ms), center in ((0.01, (-10, 90), 1000), (1.99, (-90, 10), 38_999)):
        panel.show_second(second)
        read(runner, screen)
        assert panel.plot.seen_ms == pytest.approx((first_ms, last_ms), abs=0.1)
        assert panel.plot.view.time_ms[[0, -1]] == pytest.approx([first_ms, last_ms], abs=0.1)
        assert FlatReader.reads[-1] == (center, 50.0, 2)
        n_reads = len(FlatReader.reads)
        panel.read_what_is_seen()
        read(runner, screen)
        assert len(FlatReader.reads) == n_reads


def test_another_spike_is_in_the_middle_after_one_at_the_begin_of_the_recording(
    panel, runner, screen
) -> None:
    """The traces of the first spike, at 50 ms, are there already: nothing is read in between."""
    panel.show_second(0.01)
    read(runner, screen)
    assert panel.plot.seen_ms == pytest.approx((-10, 90))
    panel.show_second(0.05)
    screen.settle()
    assert not runner.held
    assert panel.plot.seen_ms == pytest.approx((-50, 50))


def test_zoom_reads_a_longer_stretch_and_has_its_limits(panel, runner, screen) -> None:
    panel.plot.zoom(3.0)
    assert np.ptp(panel.plot.seen_ms) == pytest.approx(300)
    seen_soon(panel, runner, screen)
    assert FlatReader.reads[-1][1] >= 200
    assert panel.plot.view.time_ms[-1] > 200
    panel.plot.zoom(100.0)
    assert np.ptp(panel.plot.seen_ms) <= 1000
    panel.plot.zoom(1e-9)
    assert np.ptp(panel.plot.seen_ms) >= 1.0


def test_the_gain_scales_what_is_painted_and_a_double_click_takes_all_back(panel, screen, qtbot) -> None:
    def depth() -> float:
        curve = next(item for item in panel.plot.getPlotItem().curves)
        return -float(np.nanmin(curve.getData()[1] + 1))

    before = depth()
    panel.plot.scale(2.0)
    assert depth() == pytest.approx(2 * before)
    event = QtGui.QWheelEvent(
        QtCore.QPointF(150, 80), panel.plot.mapToGlobal(QtCore.QPoint(150, 80)), QtCore.QPoint(),
        QtCore.QPoint(0, 120), QtCore.Qt.NoButton, QtCore.Qt.ControlModifier, QtCore.Qt.NoScrollPhase, False,
    )  # fmt: skip
    seen = panel.plot.seen_ms
    panel.plot.wheelEvent(event)
    assert depth() == pytest.approx(2.4 * before)
    assert panel.plot.seen_ms == seen
    panel.plot.move(0.3)
    qtbot.mouseDClick(panel.plot.viewport(), QtCore.Qt.LeftButton, pos=QtCore.QPoint(150, 80))
    assert depth() == pytest.approx(before)
    assert panel.plot.seen_ms == pytest.approx((-50, 50))


def test_all_contacts_are_those_of_the_probe(panel, workspace, runner, screen, qtbot) -> None:
    workspace.show_component(1)  # which waits: nothing to see yet
    workspace.show_component(0)
    read(runner, screen)
    panel.all_contacts.click()
    read(runner, screen)
    assert panel.all_contacts.isChecked()
    assert FlatReader.reads[-1][2] == workspace.state.project.probe.n_channels
    assert "contacts of the probe" in panel.all_contacts.toolTip()


def test_any_time_can_be_looked_at_and_the_next_spike_goes_back(panel, runner, screen) -> None:
    panel.show_second(1.5)
    read(runner, screen)
    assert panel.note.text() == "1.500 s"
    assert panel.plot.getAxis("bottom").labelText == "time from 1.500 s (ms)"
    assert panel.second == 1.5
    panel.step(1)
    read(runner, screen)
    assert panel.note.text().startswith("0.051 s · unit 0")
    assert panel.plot.seen_ms == pytest.approx((-50, 50))


def test_a_spike_that_is_clicked_in_another_panel_is_shown(panel, workspace, runner, screen, show) -> None:
    """The sixth spike of the component is at sample 11000, of unit 0."""
    features = show(FeaturesPanel)
    scatter = features.scatter
    point = int(np.flatnonzero(scatter.points.spike_ids == 6)[0])
    where = scatter.mapFromScene(QtCore.QPointF(*scatter.pixels()[point]))
    assert workspace.state.project.spikes.sample_index[6] == 11000
    screen.click(scatter.viewport(), QtCore.QPointF(where))
    read(runner, screen)
    assert workspace.selected == (0,)
    assert panel.note.text().startswith("0.550 s · unit 0")
    workspace.select([1])  # another selection goes on from there
    read(runner, screen)
    assert panel.note.text().startswith("0.450 s · unit 1") or panel.note.text().startswith(
        "0.650 s · unit 1"
    )


def test_a_click_on_a_spike_reaches_a_panel_that_is_shown_later(panel, workspace, runner, screen) -> None:
    panel.hide()
    workspace.spike_chosen.emit(11)  # sample 21000
    panel.show()
    read(runner, screen)
    assert panel.note.text().startswith("1.050 s · unit 0")


def test_names_of_many_contacts_do_not_cover_each_other(panel) -> None:
    many = replace(panel.plot.view, contacts=tuple(range(384)), traces=np.zeros((384, 50), np.float32),
                   time_ms=np.arange(50.0), snippets=())  # fmt: skip
    panel.plot.set_view(many, LIGHT)
    ticks = panel.plot.getAxis("left")._tickLevels[0]
    assert 2 <= len(ticks) <= panel.plot.height() / 13
    assert panel.plot.most_ms == pytest.approx(80_000 / 384)


def test_a_hidden_panel_reads_nothing(panel, workspace, runner, screen) -> None:
    panel.hide()
    workspace.select([1])
    screen.settle()
    assert [task for task in runner.held if task.key == "traces"] == []


def test_both_themes_have_their_own_ground(panel, screen) -> None:
    screen.in_theme(panel, DARK)
    assert DARK.panel.lower() in screen.colors(panel.plot)
    assert LIGHT.panel.lower() not in screen.colors(panel.plot)


def test_axes_say_what_is_along_them(panel) -> None:
    below, left = (
        panel.plot.getAxis(side).mapToScene(panel.plot.getAxis(side).rect().center())
        for side in ("bottom", "left")
    )
    assert panel.plot.tooltip_at(below) == "Time from the spike (ms)\nFrom the clock of the recording."
    assert panel.plot.tooltip_at(left).startswith(
        "Contact\nNumbers of the contacts, ch; heights are in noise sd"
    )
