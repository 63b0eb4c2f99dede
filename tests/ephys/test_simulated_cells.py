"""Cells, stimulus and spikes of simulated recordings: limits of settings, edges, and the same for a seed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.ephys.simulated_cells import (
    RetinaSettings,
    SimulationPlan,
    in_sorting_band,
    plan_simulation,
    spikes_at_rates,
)

SMALL = RetinaSettings(duration_s=2.0, probe="tetrode", n_cells=8, n_twins=1)


@pytest.fixture(scope="module")
def plan() -> SimulationPlan:
    return plan_simulation(SMALL, seed=0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"duration_s": 0.0}, "duration_s of a simulation must be positive, got 0.0"),
        ({"mean_rate_hz": -1.0}, "mean_rate_hz of a simulation must be positive"),
        ({"noise_uv": float("inf")}, "noise_uv of a simulation must be positive, got inf"),
        ({"gain_uv": float("nan")}, "gain_uv of a simulation must be positive"),
        ({"frame_rate_hz": 0.0}, "frame_rate_hz of a simulation must be positive"),
        (
            {"sampling_frequency_hz": 13_999.0},
            "must be at least 14000 to hold spikes of up to 6 kHz, got 13999",
        ),
        ({"n_cells": 0}, "n_cells must be at least 1, got 0"),
        ({"n_twins": -1}, "n_twins must not be negative, got -1"),
        ({"min_amplitude_sd": 0.0}, "0 < min_amplitude_sd <= max_amplitude_sd"),
        ({"min_amplitude_sd": 9.0, "max_amplitude_sd": 8.9}, "0 < min_amplitude_sd <= max_amplitude_sd"),
        ({"stimulus_side_px": 1}, "stimulus_side_px must be at least 2, got 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        plan_simulation(replace(SMALL, **change), seed=0)


def test_settings_at_their_limits_are_simulated() -> None:
    limits = replace(
        SMALL,
        duration_s=0.1,
        sampling_frequency_hz=14_000.0,
        n_cells=1,
        n_twins=0,
        min_amplitude_sd=0.5,
        max_amplitude_sd=0.5,
        stimulus_side_px=2,
    )
    one = plan_simulation(limits, seed=0)
    assert one.n_samples == 1400
    assert one.cells["amplitude_sd"].tolist() == [0.5]
    assert one.stimulus.frames.shape[1:] == (2, 2)


def test_the_stimulus_begins_after_half_a_second_and_lasts_to_the_end(plan: SimulationPlan) -> None:
    trigger = plan.stimulus.trigger_sample
    assert len(trigger) == 45  # 1.5 s of 30 Hz
    assert trigger[:2].tolist() == [10_000, 10_667]
    # a tetrode of 25 um and 80 um on both sides, over 16 pixels
    positions = plan.probe.positions_um
    extent = max(float(np.ptp(positions[:, axis])) for axis in (0, 1))
    assert plan.stimulus.pixel_um == pytest.approx((extent + 160) / 16)


def test_in_a_recording_shorter_than_that_one_frame_is_shown_in_the_middle() -> None:
    short = plan_simulation(replace(SMALL, duration_s=0.4), seed=0)
    assert short.stimulus.trigger_sample.tolist() == [4000]


def test_templates_have_their_trough_at_its_row_and_begin_and_end_at_0(plan: SimulationPlan) -> None:
    assert plan.before == 24
    assert plan.templates.shape == (8, 16, 24 + 56 + 1, 4)
    first = plan.templates[:, 0]
    main = plan.cells["main_channel"]
    troughs = first[np.arange(8), :, main].argmin(axis=1)
    assert (np.abs(troughs - 24) <= 1).all()
    assert not first[:, [0, -1]].any()


def test_a_cell_is_as_deep_in_the_band_of_sorters_as_its_amplitude_says(plan: SimulationPlan) -> None:
    for template, main, amplitude in zip(
        plan.templates[:, 0], plan.cells["main_channel"], plan.cells["amplitude_sd"], strict=True
    ):
        assert -in_sorting_band(template, 20_000.0)[:, main].min() == pytest.approx(amplitude, rel=0.1)


def test_true_spikes_are_at_the_nearest_sample_inside_the_recording(plan: SimulationPlan) -> None:
    edges = replace(
        plan,
        times=np.array([-0.001, 0.00102, 0.00103, 2.1]),
        units=np.array([0, 1, 2, 3]),
        scale=np.ones(4, np.float32),
    )
    assert edges.truth.sample_index.tolist() == [0, 20, 21, 39_999]
    assert edges.truth.main_channel == dict(enumerate(plan.cells["main_channel"].tolist()))


def test_spikes_after_a_pause_are_as_high_as_the_cell_and_those_in_bursts_are_lower() -> None:
    settings = replace(SMALL, amplitude_variation=0.0, burst_attenuation=0.5)
    rates = [np.array([100.0]), np.array([0.0]), np.array([20.0])]
    times, units, scale = spikes_at_rates(settings, rates, np.array([0.0, 10.0]), seed=3)
    assert (np.diff(times) >= 0).all()
    assert set(units.tolist()) == {0, 2}
    own = np.flatnonzero(units == 0)
    gaps_ms = np.diff(times[own]) * 1000
    assert scale[own][1:] == pytest.approx(1 - 0.5 * np.exp(-gaps_ms / 15), rel=1e-5)
    assert scale[own[0]] == pytest.approx(1)
    varied = spikes_at_rates(replace(settings, amplitude_variation=0.1), rates, np.array([0.0, 10.0]), seed=3)
    assert np.array_equal(varied[0], times)
    assert np.std(varied[2] / scale) == pytest.approx(0.1, rel=0.15)


def test_the_band_of_sorters_is_300_to_6000_hz() -> None:
    time = np.arange(4000) / 20_000.0
    for hz, share in ((50.0, 0.0), (300.0, 0.5), (1500.0, 1.0), (6000.0, 0.5), (9500.0, 0.0)):
        wave = np.sin(2 * np.pi * hz * time)[:, None]
        kept = in_sorting_band(wave, 20_000.0)[1000:3000]
        assert kept.std() / wave.std() == pytest.approx(share, abs=0.02), hz
    assert in_sorting_band(wave, 20_000.0).shape == wave.shape


def test_twins_that_are_more_than_there_are_pairs_are_as_many_as_there_are() -> None:
    cells = plan_simulation(replace(SMALL, duration_s=0.1, n_twins=99), seed=0).cells
    n_pairs = min(np.count_nonzero(cells["type"] == name) for name in ("ON midget", "OFF midget"))
    assert np.count_nonzero(cells["twin_of"] >= 0) == n_pairs > 1


def test_a_recording_of_a_seed_is_the_same_in_every_release() -> None:
    """Benchmarks and tutorials name recordings by their seed: these are the numbers of version 0.1.0."""
    plan = plan_simulation(replace(SMALL, duration_s=0.5, n_cells=5), seed=0)
    cells = plan.cells
    assert cells["kind"].tolist() == [0, 1, 2, 3, 3]
    assert cells["twin_of"].tolist() == [-1, -1, -1, -1, 2]
    assert cells["main_channel"].tolist() == [3, 3, 0, 1, 0]
    assert cells["amplitude_sd"] == pytest.approx([10.15, 15.2, 4.47, 7.67, 3.99], abs=0.006)
    assert cells["rate_hz"] == pytest.approx([8.85, 12.69, 14.6, 8.19, 12.49], abs=0.006)
    assert cells["position_um"][[0, 3]] == pytest.approx(np.array([[47.3, 51.3], [64.6, -12.9]]), abs=0.06)
    assert cells["field_centre_px"][0] == pytest.approx([9.65, 8.75], abs=0.006)
    ellipses = np.array([[3.15, 2.87, 1.35], [1.82, 1.58, 0.44]])
    assert cells["field_ellipse_px"][[0, 3]] == pytest.approx(ellipses, abs=0.006)
    courses = np.array([[0.15, 0.82, -0.19, -0.44], [0.04, 0.69, 0.47, -0.15]])
    assert cells["time_course"][[0, 3], :4] == pytest.approx(courses, abs=0.006)
    assert plan.receptive_fields[[0, 1, 3], 3, 12] == pytest.approx([0.018, -0.044, -0.315], abs=0.0006)
    troughs = np.array([[-1.2, -2.8, -2.4, -11.2], [-1.2, -9.6, -0.6, -1.2]])
    assert plan.templates[[0, 3], 0].min(axis=1) == pytest.approx(troughs, abs=0.06)
    peaks = np.array([[0.5, 1.1, 0.9, 3.3], [0.6, 1.6, 0.3, 0.6]])
    assert plan.templates[[0, 3], 0].max(axis=1) == pytest.approx(peaks, abs=0.06)
    assert np.bincount(plan.units).tolist() == [3, 4, 8, 2, 4]
    assert plan.times[:4] == pytest.approx([0.0186, 0.0447, 0.0547, 0.0931], abs=6e-5)
    assert plan.scale[:4] == pytest.approx([0.998, 1.026, 0.889, 1.066], abs=6e-4)
