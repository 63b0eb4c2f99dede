"""Templates are means of the traces around spikes: of all of them, or of some where there are many."""

from __future__ import annotations

import numpy as np
import pytest
from spikeinterface.core import NumpyRecording

from ncpgui.core.motion import Places
from ncpgui.ephys.probes import load_probe
from ncpgui.sorting import templates
from ncpgui.sorting.templates import evenly_chosen, mean_waveforms, templates_of

RATE_HZ, N_SAMPLES = 20_000.0, 60_000


def recording() -> NumpyRecording:
    """Traces that rise by one a sample on the first of eight channels, noise on the others."""
    traces = np.random.default_rng(0).normal(size=(N_SAMPLES, 8)).astype(np.float32)
    traces[:, 0] = np.arange(N_SAMPLES) % 1000
    made = NumpyRecording([traces], RATE_HZ)
    made.set_dummy_probe_from_locations(load_probe("linear-8").positions_um)
    return made


def test_means_are_those_of_windows_cut_one_by_one_without_spikes_of_none_and_at_the_ends() -> None:
    """More than one second is read, so that windows lie over the ends of what is read at a time."""
    rng = np.random.default_rng(1)
    times = np.append(rng.integers(0, N_SAMPLES, 300), [3, 19_995, 20_005, N_SAMPLES - 2])
    unit = rng.integers(-1, 4, len(times))
    found = mean_waveforms(recording(), times, unit, n_units=5, n_before=20, n_after=40)
    traces = recording().get_traces()
    for k in range(4):
        inside = times[(unit == k) & (times >= 20) & (times < N_SAMPLES - 40)]
        expected = np.mean([traces[time - 20 : time + 40] for time in inside], axis=0, dtype=np.float64)
        assert np.abs(found[k] - expected).max() < 1e-4 * np.abs(expected).max()
    assert (found[4] == 0).all()


def test_points_are_chosen_evenly_from_the_first_to_the_last_of_each_cluster() -> None:
    labels = np.array([0] * 7 + [-1, -1] + [1] * 2 + [2] * 3)
    assert np.flatnonzero(evenly_chosen(labels, 3, 3)).tolist() == [0, 3, 6, 9, 10, 11, 12, 13]


def test_of_a_unit_with_many_spikes_the_mean_is_of_some_from_all_of_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 59 spikes 30 are where the rise is at 100, then 29 where it is at 300."""
    monkeypatch.setattr(templates, "MOST_SPIKES", 20)
    spikes = np.append(1000 * np.arange(1, 31) - 900, 1000 * np.arange(30, 59) + 300).astype(np.int64)
    bank, units = templates_of(recording(), spikes, np.zeros(len(spikes), np.int64), Places.one(N_SAMPLES))
    assert bank.waveforms[0, 0, bank.n_before, 0] == pytest.approx(200, abs=1e-3)
    assert (units == 0).all()
