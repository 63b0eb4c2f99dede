"""Traces: which spike comes next, which contacts and spikes are drawn, and what is said of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from app_fakes import MASSES, WAYS
from later import Later
from tiny_project import RATE, tiny_project

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.traces import (
    Look,
    TraceWindow,
    looked_at,
    next_ambiguous,
    next_spike,
    thinned,
    walk,
)
from ncpgui.app.presenters.traces import present_traces as present
from ncpgui.app.work import panel_data
from ncpgui.app.work.trace_reader import TraceReader
from ncpgui.core.clock import Clock
from ncpgui.core.errors import RecordingError
from ncpgui.core.project import Project
from ncpgui.core.spikes import SpikeEvents
from ncpgui.ephys.readers import open_recording
from ncpgui.sorting.reopened import reopened_traces


@pytest.fixture
def workspace(project: Project) -> Workspace:
    """Ten spikes 100 samples apart from 100 on: four of unit 0, three of 1, three of 2; contacts 0 and 1."""
    component = replace(project.component(0), contacts=np.array([0, 1]))
    workspace = Workspace(replace(project, components=(component, *project.components[1:]), waveforms={}))
    workspace.show_component(0)
    return workspace


def present_traces(workspace: Workspace, position: int | None, window: TraceWindow | None, **options: str):
    """The traces around a spike."""
    return present(workspace, looked_at(workspace, position), window, **options)


def window(center: int, start: int, n: int = 400) -> TraceWindow:
    """Contact 0 counts samples, contact 1 is their negative."""
    ramp = np.arange(start, start + n, dtype=np.float32)
    return TraceWindow(center, start, np.array([0, 1]), np.column_stack([ramp, -ramp]))


def test_one_goes_through_the_selected_units_in_order_of_time(workspace) -> None:
    assert walk(workspace).tolist() == list(range(10))
    workspace.select([2, 0])
    assert walk(workspace).tolist() == [0, 1, 2, 3, 7, 8, 9]
    assert next_spike(workspace, None, 1) == 0
    assert next_spike(workspace, 3, 1) == 7
    assert next_spike(workspace, 7, -1) == 3
    assert next_spike(workspace, 5, -1) == 3  # from a spike of another unit
    assert next_spike(workspace, 9, 1) == 9
    assert next_spike(workspace, 0, -1) == 0


def test_the_next_ambiguous_spike_is_the_least_certain_then_the_next_of_them(workspace, monkeypatch) -> None:
    probability = np.array([0.9, 0.2, 0.8, 0.7, 0.3, 0.99, 0.99, np.nan, 0.5, 0.6], np.float32)
    shown = workspace.shown()
    monkeypatch.setitem(shown.__dict__, "probability", probability)
    found = [next_ambiguous(workspace, None)]
    while len(found) < 10:
        found.append(next_ambiguous(workspace, found[-1]))
    assert found == [1, 4, 8, 9, 3, 2, 0, 5, 6, 1]  # after the last, the first; what is unknown is left out


def test_traces_are_those_around_the_spike_uppermost_contact_first(workspace) -> None:
    """Spike 2 is at sample 300; contact 1 lies 30 µm above contact 0."""
    view = present_traces(workspace, 2, window(300, 100))
    assert view.contacts == (1, 0)
    assert view.time_ms[[0, 200]].tolist() == [-10.0, 0.0]
    assert view.traces[:, 200].tolist() == [-300.0, 300.0]
    assert view.note.startswith("0.015 s · unit 0 · P(spike) ")


def test_a_spike_has_the_second_of_the_recording_s_clock_and_a_gap_beside_it_is_told(workspace) -> None:
    """The clock begins at 100 s; 30 s are missing before sample 240."""
    project = workspace.state.project
    clock = Clock(RATE, [0, 239, 240], [100.0, 100.01195, 130.012])
    workspace = Workspace(replace(project, recording=replace(project.recording, own_clock=clock)))
    workspace.show_component(0)
    note = present_traces(workspace, 2, window(300, 100)).note
    assert note.startswith("130.015 s · unit 0 · P(spike) ")
    assert note.endswith(" · not recorded just before -3 ms")
    assert present_traces(workspace, 2, window(300, 250)).note.count("not recorded") == 0


def test_spikes_have_the_colour_of_their_unit_on_the_main_contact(workspace) -> None:
    """Samples 100 to 499 hold spikes 0 to 3 of unit 0; 0.5 ms before to 1 ms after are 10 and 20 samples."""
    view = present_traces(workspace, 2, window(300, 100))
    color = workspace.shown().units[0].color
    assert [(s.color, s.row, s.start, s.stop) for s in view.snippets] == [
        (color, 1, 0, 21),  # the first is cut at the edge
        (color, 1, 90, 121),
        (color, 1, 190, 221),
        (color, 1, 290, 321),
    ]


def test_a_spike_is_coloured_on_every_contact_where_its_unit_is_large(project) -> None:
    """Waveforms of one contact with 10 sd and one with 4, then 2: the share of 0.3 is between."""
    for depth, rows in ((4.0, {0, 1}), (2.0, {1})):
        waveforms = np.zeros((10, 32, 2), np.float32)
        waveforms[:, 11] = [-10.0, -depth]
        component = replace(project.component(0), contacts=np.array([0, 1]))
        known = replace(project.waveforms[0], waveforms=waveforms)
        workspace = Workspace(
            replace(project, components=(component, *project.components[1:]), waveforms={0: known})
        )
        workspace.show_component(0)
        view = present_traces(workspace, 2, window(300, 100))
        assert {snippet.row for snippet in view.snippets} == rows


def test_without_traces_it_says_why(workspace) -> None:
    assert present_traces(Workspace(), None, None).message == "Open a recording or a session to begin."
    waiting = Workspace(tiny_project(WAYS, masses=MASSES, sampled=False))
    assert present_traces(waiting, None, None).message == "Traces appear when these spikes are sampled."
    assert present_traces(workspace, 0, None).message == "Traces are being read …"
    assert present_traces(workspace, 0, window(300, 100)).message == "Traces are being read …"
    problem = present_traces(workspace, 0, None, problem="it is gone; use File > Locate recording")
    assert problem.message == "No traces: it is gone; use File > Locate recording"


def test_any_time_and_all_contacts_can_be_looked_at(workspace) -> None:
    look = looked_at(workspace, 2, origin=240, half_ms=20.0, all_contacts=True)
    assert (look.center, look.half_ms, look.position) == (240, 20.0, None)
    assert look.contacts.tolist() == list(range(workspace.state.project.probe.n_channels))
    near = looked_at(workspace, 2, center=340)
    assert (near.center, near.origin, near.position) == (340, 300, 2)
    assert looked_at(workspace, 2, center=-50).center == 0
    view = present(workspace, near, window(340, 140))
    assert view.time_ms[[0, 160]].tolist() == [-8.0, 0.0]  # still from the spike at 300
    assert view.axis == "time from the spike (ms)"
    moment = looked_at(workspace, 2, origin=240)
    view = present(workspace, moment, window(240, 40))
    assert (view.note, view.axis) == ("0.012 s", "time from 0.012 s (ms)")
    assert view.limits_ms[0] == -12.0
    assert {snippet.start for snippet in view.snippets} == {50, 150, 250, 350}
    assert present(workspace, moment, window(240, 40, 400), problem="").message == ""
    assert (
        present(workspace, replace(moment, half_ms=9.0), window(240, 40)).message == "Traces are being read …"
    )


@pytest.mark.parametrize(
    ("center", "half_ms", "seen"),
    [
        (300, 5.0, 300),
        (0, 5.0, 100),  # 5 ms are 100 samples: the first that has so many before it
        (1199, 5.0, 1099),
        (300, 29.95, 599),  # 599 samples to either side of 1200: the last but one, or
        (600, 30.0, 599),  # 600: wider than the recording, its middle
        (0, 500.0, 599),
    ],
)
def test_what_is_looked_at_moves_into_the_recording(center: int, half_ms: float, seen: int) -> None:
    spikes = SpikeEvents(np.zeros(0, int), np.zeros(0, int), np.zeros(0), RATE, n_samples=1200)
    look = Look(center, half_ms, np.array([0]), center, None).inside(spikes)
    assert (look.center, look.origin, look.half_ms) == (seen, center, half_ms)


def test_many_columns_are_thinned_and_keep_their_peaks() -> None:
    time_ms, heights = np.arange(10_000.0), np.zeros((2, 10_000), np.float32)
    heights[0, 4321], heights[1, 77] = -30.0, 12.0
    few_ms, few = thinned(time_ms, heights, 1000)
    assert few.shape == (2, len(few_ms)) == (2, 1000)
    assert few[0].min() == -30.0
    assert few[1].max() == 12.0
    assert abs(few_ms[few[0].argmin()] - 4321) < 20
    same_ms, same = thinned(time_ms[:900], heights[:, :900], 1000)
    assert same_ms is not few_ms
    assert same.shape == (2, 900)


# -- reading ------------------------------------------------------------------------------------


@pytest.fixture
def recorded(project: Project, tmp_path: Path) -> Project:
    """The project with a recording: three seconds of noise on three contacts."""
    noise = np.random.default_rng(0).normal(0, 100, (60_000, 3)).astype(np.int16)
    noise.tofile(tmp_path / "noise.raw")
    options = {"probe": "linear-3-30", "sampling_frequency": RATE, "n_channels": 3, "dtype": "int16"}
    recording = open_recording(tmp_path / "noise.raw", **options)
    return replace(project, recording=recording.reference, probe=recording.probe)


def test_a_window_is_the_filtered_traces_and_is_cut_at_the_ends(recorded: Project) -> None:
    reader = TraceReader(recorded)
    found = reader.read(30_000, np.array([2, 0]), 5.0)
    with reopened_traces(recorded) as pre:
        expected = pre.traces(29_900, 30_101)[:, [2, 0]]
    assert found.start == 29_900
    np.testing.assert_array_equal(found.traces, expected)
    first = reader.read(20, np.array([1]), 5.0)
    assert (first.start, len(first.traces)) == (0, 121)
    reader.close()


def test_a_reader_that_is_closed_keeps_no_file_open(recorded: Project) -> None:
    reader = TraceReader(recorded)
    reader.read(1000, np.array([0]), 1.0)
    assert reader._pre is not None
    reader.close()
    assert reader._pre is None
    reader.read(1000, np.array([0]), 1.0)  # one that was under way when it was closed
    assert reader._pre is None


class FakeReader:
    """Counts what is read; fails while `problem` is not empty."""

    problem = ""
    read_centers: tuple[int, ...] = ()
    n_closed = 0

    def __init__(self, _project: Project) -> None:
        pass

    def read(self, center: int, contacts: np.ndarray, half_ms: float, *, progress: object) -> TraceWindow:
        FakeReader.read_centers += (center,)
        if FakeReader.problem:
            raise RecordingError(FakeReader.problem)
        return TraceWindow(center, center - 10, contacts, np.zeros((20, len(contacts)), np.float32))

    def close(self) -> None:
        FakeReader.n_closed += 1


def test_traces_are_read_in_the_background_and_only_the_last_that_was_asked_for(
    workspace, preferences: Preferences, monkeypatch
) -> None:
    monkeypatch.setattr(panel_data, "TraceReader", FakeReader)
    monkeypatch.setattr(FakeReader, "read_centers", ())
    monkeypatch.setattr(FakeReader, "n_closed", 0)
    runner = Later()
    controller = Controller(workspace, runner, preferences)
    for position in (0, 1, 2):
        assert controller.data.traces(looked_at(workspace, position)) is None
    assert [task.lane for task in runner.waiting if task.key == "traces"] == ["view"]
    runner.run()
    assert FakeReader.read_centers == (300,)
    assert controller.data.traces(looked_at(workspace, 2)).center == 300
    assert not runner.waiting
    controller.close()
    assert FakeReader.n_closed == 1
    assert controller.data.traces(looked_at(workspace, 2)) is None


def test_a_recording_that_is_gone_is_asked_for_once(workspace, preferences: Preferences, monkeypatch) -> None:
    monkeypatch.setattr(panel_data, "TraceReader", FakeReader)
    monkeypatch.setattr(FakeReader, "read_centers", ())
    monkeypatch.setattr(FakeReader, "problem", "it is gone")
    runner = Later()
    controller = Controller(workspace, runner, preferences)
    for position in (0, 1):
        assert controller.data.traces(looked_at(workspace, position)) is None
        runner.run()
    assert FakeReader.read_centers == (100,)
    assert controller.data.traces_problem == "it is gone"
    controller.close()
    assert controller.data.traces_problem == ""


def test_without_units_there_is_no_spike_to_go_to() -> None:
    workspace = Workspace(tiny_project({0: [[-1] * 4]}))
    workspace.show_component(0)
    assert walk(workspace).tolist() == []
    assert next_spike(workspace, None, 1) is None
    assert next_ambiguous(workspace, None) is None
    assert walk(Workspace()).tolist() == []
