"""Spikes over time: amplitude, depth, firing rate, the motion of the tissue, and what is thinned out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from app_fakes import MASSES, WAYS
from tiny_project import tiny_project

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters import points
from ncpgui.app.presenters.amplitudes import depths_um, present_amplitudes, rate_edges_s, rates_hz
from ncpgui.app.presenters.points import evenly_thinned
from ncpgui.core.clock import Clock
from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.motion import Motion
from ncpgui.core.probe import Probe
from ncpgui.core.spikes import SpikeEvents


@pytest.fixture
def workspace(project) -> Workspace:
    """Ten spikes 5 ms apart from 5 ms on; units 0, 1, 2 have amplitudes 10, 20 and 30 noise sd."""
    workspace = Workspace(project)
    workspace.show_component(0)
    return workspace


def test_a_point_is_a_spike_at_its_time_with_its_amplitude_upwards(workspace) -> None:
    view = present_amplitudes(workspace, "amplitude")
    assert view.points.x.tolist() == pytest.approx([0.005 * k for k in range(1, 11)])
    assert view.points.y.tolist() == [10] * 4 + [20] * 3 + [30] * 3
    assert view.points.labels.tolist() == [0] * 4 + [1] * 3 + [2] * 3
    assert view.points.names == ("0", "1", "2")
    assert view.axis == "amplitude (noise sd)"


def test_the_rate_is_spikes_a_second(workspace) -> None:
    """A recording shorter than a second is one bin of its length, 2200 samples."""
    view = present_amplitudes(workspace, "amplitude")
    assert view.rates_hz[:, 0].tolist() == pytest.approx([4 / 0.11, 3 / 0.11, 3 / 0.11])
    assert rate_edges_s(0.0, 600.0).tolist() == [10.0 * k for k in range(61)]
    assert rate_edges_s(0.0, 3.0).tolist() == [0, 1, 2, 3]
    assert rate_edges_s(100.0, 102.0).tolist() == [100, 101, 102]


def test_the_preview_has_its_own_units_and_a_selection_dims_the_others(workspace) -> None:
    workspace.select([2])
    view = present_amplitudes(workspace, "amplitude")
    assert view.points.is_dimmed.tolist() == [True] * 7 + [False] * 3
    workspace.show_alternative(1)
    view = present_amplitudes(workspace, "amplitude")
    assert view.points.names == ("0+1", "2")
    assert view.points.labels.tolist() == [0] * 7 + [1] * 3
    assert view.rates_hz.shape == (2, 1)


def test_nothing_is_dimmed_when_nothing_is_selected(workspace) -> None:
    assert not present_amplitudes(workspace, "amplitude").points.is_dimmed.any()


def test_depth_is_the_mean_of_the_contacts_weighed_by_energy(project) -> None:
    """Peak to peak 2 at 0 µm and 1 at 50 µm: (4 * 0 + 1 * 50) / 5."""
    shape = np.zeros((1, 32, 2), np.float32)
    shape[0, 11] = [-2, -1]
    component = replace(project.component(0), contacts=np.array([0, 1]))
    probe = Probe(np.array([[0.0, 0.0], [7.0, 50.0]]))
    waveforms = ComponentWaveforms(shape, np.zeros((1, 2), np.float32))
    assert depths_um(waveforms, component, probe).tolist() == [10.0]
    lying = Probe(probe.positions_um[:, ::-1])  # its longer axis is x
    assert depths_um(waveforms, component, lying).tolist() == [10.0]
    assert lying.depth_um.tolist() == probe.depth_um.tolist() == [0.0, 50.0]


def test_the_motion_is_drawn_where_depth_is(project) -> None:
    """The contact of component 0 is at 0 µm; the tissue there goes 6 µm up."""
    motion = Motion(
        np.array([0.0, 0.1]),
        np.array([0.0]),
        np.array([[0.0], [6.0]]),
        preset="x",
        applied=True,
        reason="found",
    )
    workspace = Workspace(replace(project, motion=motion))
    workspace.show_component(0)
    view = present_amplitudes(workspace, "depth")
    assert view.motion_s.tolist() == [0.0, 0.1]
    assert view.motion_um.tolist() == [0.0, 6.0]
    assert view.note == "motion 6 µm"
    assert len(present_amplitudes(workspace, "amplitude").motion_s) == 0
    workspace = Workspace(replace(project, motion=replace(motion, applied=False)))
    workspace.show_component(0)
    assert present_amplitudes(workspace, "depth").note == "motion 6 µm, not followed"


def test_without_motion_depth_has_no_line(workspace) -> None:
    view = present_amplitudes(workspace, "depth")
    assert len(view.motion_s) == 0
    assert view.note == ""
    assert view.axis == "depth (µm)"


def test_only_points_that_are_drawn_are_computed(workspace, monkeypatch) -> None:
    """Of the ten spikes at most two of each unit are drawn; all ten count in the rates."""
    asked: list[int] = []
    seconds = Clock.seconds
    monkeypatch.setattr(points, "MOST_POINTS", 2)
    monkeypatch.setattr(Clock, "seconds", lambda clock, at: asked.append(np.size(at)) or seconds(clock, at))
    for height in ("amplitude", "raster"):
        view = present_amplitudes(workspace, height)
        assert len(view.points) == 6
        assert (view.rates_hz[:, 0] * 0.11).tolist() == pytest.approx([4, 3, 3])
    assert max(asked) == 6


@pytest.mark.parametrize(("most_in_all", "drawn"), [(10, [3, 3, 3]), (6, [2, 2, 2]), (2, [1, 1, 1])])
def test_units_share_the_points_that_are_drawn_in_all(workspace, monkeypatch, most_in_all, drawn) -> None:
    """Three units have four, three and three spikes."""
    monkeypatch.setattr(points, "MOST_IN_ALL", most_in_all)
    view = present_amplitudes(workspace, "amplitude")
    assert np.bincount(view.points.labels).tolist() == drawn


def test_rates_are_those_of_a_histogram(project) -> None:
    """The clock has a gap and a rate of its own; spikes lie on borders of bins and on the last sample."""
    rng = np.random.default_rng(0)
    n, rate = 60_000, project.spikes.sampling_frequency_hz
    clock = Clock(rate, np.array([0, 20_000, 20_001, n]), np.array([5.0, 7.0, 20.0, 25.1]))
    samples = np.sort(np.concatenate([[0, 20_000, 20_001, n - 1], rng.integers(0, n, 300)]))
    spikes = SpikeEvents(samples, np.zeros(304, int), np.full(304, -5.0), rate, n)
    shown = Workspace(project).shown()
    labels = rng.integers(-1, 2, 304).astype(np.int32)
    units = tuple(replace(shown.units[row], labels=labels, row=row) for row in (0, 1))
    shown = replace(
        shown, component=replace(shown.component, spike_ids=np.arange(304)), units=units, labels=labels
    )
    edges_s = np.linspace(5.0, float(clock.seconds(n - 1)) + 1 / rate, 21)
    edges = clock.positions(edges_s)
    recorded_s = np.diff(edges) / rate
    found = rates_hz(shown, spikes, edges)
    for row in (0, 1):
        expected = np.histogram(clock.seconds(samples[labels == row]), edges_s)[0]
        np.testing.assert_allclose(found[row] * recorded_s, expected, atol=1e-9)


def test_a_unit_is_thinned_evenly_and_a_small_one_stays_whole() -> None:
    labels = np.array([0, 1, 0, 0, 0, 0, 0, 1], np.int32)
    assert evenly_thinned(labels, most=3).tolist() == [0, 1, 3, 5, 7]


def test_without_anything_to_show_it_says_why(project) -> None:
    assert present_amplitudes(Workspace(), "depth").message == "Open a recording or a session to begin."
    waiting = Workspace(tiny_project(WAYS, masses=MASSES, sampled=False))
    assert "when these spikes are sampled" in present_amplitudes(waiting, "amplitude").message
    without = Workspace(replace(project, waveforms={}))
    assert present_amplitudes(without, "depth").message == (
        "Depths come from waveforms, which are read from the recording (File > Locate recording)."
    )
    assert present_amplitudes(without, "amplitude").message == ""


@pytest.mark.parametrize(
    ("end_s", "n_bins"), [(0.5, 1), (1.0, 1), (2.5, 2), (59.9, 59), (60.0, 60), (9000.0, 60)]
)
def test_bins_of_the_rate_are_a_second_at_least_and_sixty_at_most(end_s: float, n_bins: int) -> None:
    edges = rate_edges_s(0.0, end_s)
    assert len(edges) == n_bins + 1
    assert (edges[0], edges[-1]) == (0, end_s)
