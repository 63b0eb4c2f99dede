"""Findings count spikes as the window does: of late recordings, parts, gaps and segments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from spikeinterface.core import NumpySorting

from ncpgui.analysis.correlograms import correlograms
from ncpgui.analysis.event_response import event_response
from ncpgui.analysis.receptive_field import receptive_field
from ncpgui.app.work.finding import findings_of_units
from ncpgui.core.clock import Clock
from ncpgui.core.errors import InputError
from ncpgui.core.events import Events
from ncpgui.core.project import Project
from ncpgui.core.stimulus import Stimulus
from ncpgui.findings.analyses import Psth, Rates, ReceptiveFields, Tuning
from ncpgui.findings.draws import draws
from ncpgui.findings.population import CorrelogramPeaks, Decoding
from ncpgui.findings.propagate import propagate
from tests.tiny_project import RATE, tiny_project

N = 40_000
"""Samples that are recorded: 2 s."""
LATE = Clock(RATE, [0], [100.0])
GAP = Clock(RATE, [0, 19_999, 20_000], [0.0, 19_999 / RATE, 31.0])
"""Half a minute is missing after a second."""
SEGMENTS = Clock(RATE, [0, 19_999, 20_000], [0.0, 19_999 / RATE, 31.0], [0, 20_000])
CLOCKS = {"plain": None, "late": LATE, "gap": GAP, "segments": SEGMENTS}


def project_of(clock: Clock | None, *, first_sample: int = 0, seed: int = 0) -> Project:
    """Two units of 300 spikes each at random, in 2 s."""
    project = tiny_project({0: [[0, 1] * 300]})
    samples = np.sort(np.random.default_rng(seed).choice(N, 600, replace=False))
    spikes = replace(project.spikes, sample_index=samples, n_samples=N)
    whole = None if clock is None else _later(clock, first_sample)
    recording = replace(project.recording, n_samples=N, own_clock=whole, first_sample=first_sample)
    return replace(project, spikes=spikes, recording=recording)


def _later(clock: Clock, first: int) -> Clock:
    """The clock of a recording of which this is the part from sample `first` on."""
    start = np.append(0, clock.segment_start[1:] + first)
    return Clock(RATE, clock.sample + first, clock.time_s, start)


def samples_of(project: Project, unit: int) -> np.ndarray:
    return project.spikes.sample_index[project.unit_of_spike == unit]


@pytest.mark.parametrize("first_sample", [0, 7000])
@pytest.mark.parametrize("name", CLOCKS)
def test_the_response_to_events_is_that_of_the_panel_events(name: str, first_sample: int) -> None:
    """Events near the ends, at the sides of the gap, and within: rates are nan where nothing was recorded."""
    project = project_of(CLOCKS[name], first_sample=first_sample)
    recording = project.recording
    events_s = recording.clock.seconds(np.array([0, 900, 12_000, 12_900, 13_000, 19_990, 20_010, 39_000]))
    window = {"before_s": 0.1, "after_s": 0.3, "bin_s": 0.02}
    found = propagate(draws(project, 2), Psth(events_s, **window), bootstraps=2)
    for unit in (0, 1):
        panel = event_response(
            samples_of(project, unit), events_s, clock=recording.clock, n_samples=N, **window
        )
        assert found[unit, "psth_hz"].in_use == pytest.approx(panel.rate_hz, nan_ok=True)
        assert (found[unit, "peak_hz"].in_use, found[unit, "latency_s"].in_use) == pytest.approx(panel.peak)


def test_the_panel_finding_says_of_events_what_the_panel_events_says() -> None:
    project = project_of(GAP, first_sample=0)
    events_s = np.array([0.2, 0.95, 31.0, 31.5])
    project = replace(project, events=Events(events_s))
    panel = event_response(
        samples_of(project, 1), events_s, clock=GAP, n_samples=N, before_s=0.2, after_s=0.8, bin_s=0.02
    )
    found = findings_of_units(project, "events")
    assert found["peak_hz"][1].in_use == pytest.approx(panel.peak[0])
    assert found["latency_s"][1].in_use == pytest.approx(panel.peak[1])


def test_a_peak_before_the_event_is_not_the_response() -> None:
    """Ten spikes 50 ms before each event and one 50 ms after it."""
    sorting = NumpySorting.from_unit_dict(
        [{0: np.sort(np.concatenate([np.arange(19_000, 19_010), [21_000]]))}], RATE
    )
    sorting.annotate(duration_s=2.0)
    found = propagate([sorting], Psth([1.0], 0.1, 0.1, 0.02), bootstraps=2)
    assert found[0, "latency_s"].in_use == pytest.approx(0.05)
    assert found[0, "peak_hz"].in_use == pytest.approx(50)


def test_an_event_that_was_not_recorded_is_named() -> None:
    with pytest.raises(InputError, match="the event at 15 s was not recorded; leave it out"):
        propagate(draws(project_of(GAP), 2), Psth([0.5, 15.0]))


@pytest.mark.parametrize("name", CLOCKS)
def test_a_rate_is_of_recorded_time(name: str) -> None:
    found = propagate(draws(project_of(CLOCKS[name]), 2), Rates())
    assert found[0, "rate_hz"].in_use == 150


def test_trials_are_in_seconds_of_the_clock() -> None:
    """Ten trials of 0.1 s in each of the two seconds, thirty seconds apart; counted one by one."""
    project = project_of(SEGMENTS)
    first_samples = np.r_[0:20_000:2000, 20_000:40_000:2000]
    starts_s = project.recording.clock.seconds(first_samples)
    values = np.tile(np.arange(5), 4)
    counts = np.array(
        [np.histogram(samples_of(project, unit), np.append(first_samples, N))[0] for unit in (0, 1)]
    )
    in_use = draws(project, 2).in_use
    decoding = Decoding(starts_s, 0.1, values, n_folds=4)
    assert decoding.counts(in_use).T.tolist() == counts.tolist()
    tuned = propagate(draws(project, 2), Tuning(starts_s, 0.1, values), bootstraps=2)[0, "curve_hz"]
    assert tuned.in_use == pytest.approx([counts[0][values == one].sum() / 0.4 for one in range(5)])


@pytest.mark.parametrize("start_s", [0.95, 5.0, -0.5, 31.95])
def test_a_trial_of_which_a_part_was_not_recorded_is_refused(start_s: float) -> None:
    starts_s = np.array([0.0, 0.1, 0.2, start_s])
    words = f"the trial of 0.1 s that begins at {start_s:g} s was not recorded as a whole; leave it out"
    with pytest.raises(InputError, match=words):
        propagate(draws(project_of(GAP), 2), Tuning(starts_s, 0.1, np.arange(4)))


def follower(clock: Clock | None) -> Project:
    """Eighteen spikes of unit 1 follow one of unit 0 by 4.5 ms; three of each are at two sides of a gap."""
    samples = np.sort(np.concatenate([np.arange(1000, 19_000, 1000) + late for late in (0, 90)]))
    samples = np.append(samples, [19_960, 19_970, 19_980, 20_050, 20_060, 20_070])
    project = tiny_project({0: [[0, 1] * 18 + [0, 0, 0, 1, 1, 1]]})
    return replace(
        project,
        spikes=replace(project.spikes, sample_index=samples, n_samples=N),
        recording=project_of(clock, first_sample=7000).recording,
    )


@pytest.mark.parametrize("name", CLOCKS)
def test_spikes_at_two_sides_of_a_gap_do_not_follow_each_other(name: str) -> None:
    """Five pairs more would be 4 to 5 ms apart; what was not recorded behind three spikes is no silence."""
    made = draws(follower(CLOCKS[name]), 2)
    has_gap = name in ("gap", "segments")
    peak = propagate(made, CorrelogramPeaks([(0, 1)], 10.0, 1.0), bootstraps=2)
    assert peak[(0, 1), "lag_ms"].in_use == pytest.approx(4.5)
    rate_hz = 18 / 0.018 if has_gap else 23 / 0.021
    assert peak[(0, 1), "height"].in_use == pytest.approx(rate_hz / (21 / 2))


def test_the_peak_of_a_correlogram_is_in_the_highest_bin_of_the_panel() -> None:
    project = follower(GAP)
    trains = [project.fired[project.unit_of_spike == unit] for unit in (0, 1)]
    panel = correlograms(trains, sampling_frequency_hz=RATE, window_ms=20.0, bin_ms=1.0)
    best = int(panel.counts[0, 1].argmax())
    peak = propagate(draws(project, 2), CorrelogramPeaks([(0, 1)], 10.0, 1.0), bootstraps=2)
    assert peak[(0, 1), "lag_ms"].in_use == pytest.approx(panel.edges_ms[best : best + 2].mean())


def test_a_spike_does_not_count_itself() -> None:
    """Of three spikes 0.5 ms apart, two are 0 to 1 ms after one, and three 0 to 1 ms before: one at 1 ms."""
    peak = propagate(draws(follower(None), 2), CorrelogramPeaks([(1, 1)], 10.0, 1.0), bootstraps=2)
    assert peak[(1, 1), "lag_ms"].in_use == pytest.approx(-0.5)
    assert peak[(1, 1), "height"].in_use == pytest.approx(3 / 0.021 / (21 / 2))


@pytest.mark.parametrize("name", ["plain", "segments"])
def test_the_field_of_a_recording_opened_in_part_is_that_of_the_panel(name: str) -> None:
    """Triggers of a project count from its own first sample, and so does what the panel Finding shows."""
    frames = np.random.default_rng(0).choice(np.array([-1, 1], np.int8), (400, 4, 5))
    project = project_of(CLOCKS[name], first_sample=7000)
    trigger = np.round(np.arange(400) * N / 400).astype(np.int64)
    bright = trigger[np.flatnonzero(frames[:, 1, 2] > 0)] + 10
    samples = bright
    project = replace(tiny_project({0: [[0] * len(samples)]}), recording=project.recording)
    project = replace(
        project,
        spikes=replace(project.spikes, sample_index=samples, n_samples=N),
        stimulus=Stimulus(frames, trigger),
    )
    panel = receptive_field(project.stimulus, samples)
    assert panel.is_clear
    found = findings_of_units(project, "stimulus")
    assert found["x_px"][0].in_use == pytest.approx(panel.center_px[0])
    of_draws = propagate(draws(project, 2), ReceptiveFields.of_project(project), bootstraps=2)
    assert of_draws[0, "peak_z"].in_use == pytest.approx(panel.peak_z)


def test_a_sorting_that_does_not_say_how_long_it_is_ends_where_it_must() -> None:
    """Its last spike is at 1 s: a trial until 3 s has no spike there, and is no error."""
    sorting = NumpySorting.from_unit_dict([{0: np.array([0, 10_000, 20_000])}], RATE)
    tuned = propagate([sorting], Tuning([0.0, 0.6, 1.2, 2.0], 0.6, range(4)), bootstraps=2)
    assert tuned[0, "curve_hz"].in_use == pytest.approx([2 / 0.6, 1 / 0.6, 0, 0])
    two = NumpySorting.from_unit_dict([{0: np.array([0])}, {0: np.array([0])}], RATE)
    with pytest.raises(InputError, match="takes recordings of one segment, this one has 2 and no clock"):
        propagate([two], Rates())
