"""Simulated traces: every spike where and as high as planned, noise of the sd that is asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.ephys import simulated_traces
from ncpgui.ephys.simulated_cells import RetinaSettings, SimulationPlan, plan_simulation
from ncpgui.ephys.simulated_traces import simulated_pieces


@pytest.fixture(scope="module")
def plan() -> SimulationPlan:
    """A second of a tetrode, to which spikes are given; the noise is too small to see."""
    settings = RetinaSettings(duration_s=1.0, probe="tetrode", n_cells=4, n_twins=0)
    return plan_simulation(settings, seed=0)


def traces(plan: SimulationPlan, times: list[float], scale: list[float], noise_sd: float = 0.0) -> np.ndarray:
    """Traces in noise sd of each contact with these spikes of the first cell."""
    n = len(times)
    own = replace(plan, times=np.array(times), units=np.zeros(n, np.int64), scale=np.array(scale, np.float32))
    whole = np.concatenate(list(simulated_pieces(own)))
    alone = np.concatenate(list(simulated_pieces(replace(own, scale=np.zeros(n, np.float32)))))
    spread = simulated_traces.stream(0, "channel noise").uniform(0.85, 1.15, 4)
    return (whole.astype(float) - alone) * plan.settings.gain_uv / (plan.settings.noise_uv * spread)


def test_a_spike_lies_with_its_trough_at_its_time_and_is_as_high_as_its_factor(plan: SimulationPlan) -> None:
    found = traces(plan, [0.5], [2.0])
    template = 2 * plan.templates[0, 0]
    first = 10_000 - plan.before
    assert found[first : first + len(template)] == pytest.approx(template, abs=0.05)
    assert not found[:first].any()
    assert not found[first + len(template) :].any()


def test_a_spike_between_samples_has_the_template_of_that_sixteenth(plan: SimulationPlan) -> None:
    found = traces(plan, [(10_000 + 5 / 16) / 20_000], [1.0])
    first = 10_000 - plan.before
    assert found[first : first + plan.templates.shape[2]] == pytest.approx(plan.templates[0, 5], abs=0.05)


def test_spikes_at_the_ends_of_a_recording_and_of_pieces_are_whole(
    plan: SimulationPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [0.0, 0.25, 0.2512, 0.4999, 0.9999]
    whole = traces(plan, times, [1.0] * 5)
    monkeypatch.setattr(simulated_traces, "PIECE_S", 0.25)
    assert np.abs(traces(plan, times, [1.0] * 5) - whole).max() < 0.03  # samples are whole numbers
    trough = np.abs(whole).max(axis=1)
    assert trough[0] > 1
    assert trough[-1] > 1


def test_noise_has_the_sd_that_is_asked_for_within_15_percent_on_each_contact(plan: SimulationPlan) -> None:
    none = replace(plan, times=np.zeros(0), units=np.zeros(0, np.int64), scale=np.zeros(0, np.float32))
    values = np.concatenate(list(simulated_pieces(none))) * plan.settings.gain_uv
    band = simulated_traces.in_sorting_band(values, 20_000.0)
    spread = simulated_traces.stream(0, "channel noise").uniform(0.85, 1.15, 4)
    assert band.std(axis=0) / plan.settings.noise_uv == pytest.approx(spread, rel=0.04)
    assert values.shape == (20_000, 4)


def test_values_beyond_int16_are_its_ends(plan: SimulationPlan) -> None:
    own = replace(plan, times=np.array([0.5]), units=np.zeros(1, np.int64), scale=np.array([1e6], np.float32))
    values = np.concatenate(list(simulated_pieces(own)))
    assert values.dtype == np.int16
    assert (values.min(), values.max()) == (-32768, 32767)
