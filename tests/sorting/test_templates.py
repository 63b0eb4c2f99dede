"""Templates are means of the traces around spikes: of all of them, or of some where there are many."""

from __future__ import annotations

import numpy as np
import pytest
from spikeinterface.core import NumpyRecording

from ncpgui.core.motion import Places
from ncpgui.ephys.probes import load_probe
from ncpgui.sorting import templates
from ncpgui.sorting.least_gain import LeastGain
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.templates import evenly_chosen, mean_waveforms, pruned, templates_of

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
        inside = times[(unit == k) & (times >= 20) & (times <= N_SAMPLES - 40)]
        expected = np.mean([traces[time - 20 : time + 40] for time in inside], axis=0, dtype=np.float64)
        assert np.abs(found[k] - expected).max() < 1e-4 * np.abs(expected).max()
    assert (found[4] == 0).all()


def test_a_spike_counts_where_all_of_its_window_is_in_the_recording() -> None:
    times = np.array([19, 20, N_SAMPLES - 40, N_SAMPLES - 39])
    found = mean_waveforms(recording(), times, np.arange(4), n_units=4, n_before=20, n_after=40)
    traces = recording().get_traces()
    assert found.any(axis=(1, 2)).tolist() == [False, True, True, False]
    assert np.array_equal(found[1], traces[:60])
    assert np.array_equal(found[2], traces[-60:])


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


# -- where templates are seen, and which go --------------------------------------------------------------


def bank_of(*heights: list[float], n_places: int = 1) -> MovingBank:
    """Templates of ten samples, one of which has these heights on each channel."""
    waveforms = np.zeros((n_places, len(heights), 10, len(heights[0])), np.float32)
    waveforms[:, :, 4] = heights
    return MovingBank(waveforms, 4, np.full(n_places, 1 / n_places))


LINE = np.column_stack([np.zeros(3), [0.0, 100.0, 101.0]])


def seen_on(heights: list[float], n_spikes: int) -> list[int]:
    bank, _ = pruned(bank_of(heights), np.zeros(n_spikes, int), LINE, least_gain=None)
    return np.flatnonzero(bank.waveforms[0, 0].any(axis=0)).tolist()


def test_a_template_is_seen_where_it_spans_more_than_the_noise_and_far_away_than_that_of_its_mean() -> None:
    """The mean of 36 spikes spans 1 of noise; 100 um are near."""
    assert seen_on([9, 1.0, 0], 36) == [0]
    assert seen_on([9, 1.01, 0], 36) == [0, 1]
    assert seen_on([9, 0, 2.0], 36) == [0]
    assert seen_on([9, 0, 2.01], 36) == [0, 2]
    assert seen_on([9, 0, 6.9], 1) == [0]
    assert seen_on([9, 0, 7.1], 1) == [0, 2]


def test_a_template_that_is_seen_nowhere_is_kept_on_its_largest_channel() -> None:
    assert seen_on([0.2, 0.5, 0.1], 36) == [1]
    nothing, units = pruned(bank_of([0.0, 0, 0]), np.zeros(0, int), LINE, least_gain=None)
    assert (nothing.n_units, units.tolist()) == (1, [])


def kept(heights: list[list[float]], n_spikes: list[int], least: float) -> tuple[int, list[int]]:
    """How many units are left, and the new numbers of the first spikes of each."""
    units = np.repeat(np.arange(len(n_spikes)), n_spikes)
    bank, after = pruned(bank_of(*heights), np.append(units, -1), LINE, least_gain=LeastGain(least))
    assert after[-1] == -1
    return bank.n_units, [int(after[np.flatnonzero(units == k)[0]]) for k in range(len(n_spikes))]


def test_a_template_goes_if_its_energy_less_that_of_noise_is_less_than_the_least_gain() -> None:
    """A height of 5 in ten samples of the mean of ten spikes: 25 less 1."""
    assert kept([[5.0, 0, 0]], [10], 24.0) == (1, [0])
    assert kept([[5.0, 0, 0]], [10], 24.01) == (0, [-1])
    assert kept([[5.0, 0, 0]], [40], 24.5) == (1, [0])


def test_a_template_of_nine_spikes_goes_and_the_others_are_numbered_anew() -> None:
    assert kept([[9.0, 0, 0], [9.0, 0, 0], [0, 9.0, 0]], [9, 10, 11], 24.0) == (2, [-1, 0, 1])


def test_only_channels_where_a_template_is_seen_count_for_its_energy() -> None:
    """Beyond 100 um 2.5 is seen of the mean of 36 spikes, and not of that of 10."""
    heights = [4.0, 0, 2.5]
    # 16 + 6.25 less 10 / 36 of noise on each of two channels, or 16 less 1
    assert kept([heights], [36], 21.6) == (1, [0])
    assert kept([heights], [10], 15.0) == (1, [0])
    assert kept([heights], [10], 15.01) == (0, [-1])


def test_a_template_that_stands_out_at_one_place_of_the_tissue_stays_at_all() -> None:
    bank = bank_of([5.0, 0, 0], n_places=2)
    bank.waveforms[0] /= 4
    after, _ = pruned(bank, np.zeros(10, int), LINE, least_gain=LeastGain(24.0))
    assert after.n_units == 1
    bank.waveforms[1] /= 4
    after, _ = pruned(bank, np.zeros(10, int), LINE, least_gain=LeastGain(24.0))
    assert after.n_units == 0
