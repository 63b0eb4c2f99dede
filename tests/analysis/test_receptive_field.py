"""A planted filter is recovered; noise has no clear receptive field."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.analysis.receptive_field import receptive_field, spikes_per_frame
from ncpgui.core.errors import InputError
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys.simulated_cells import RetinaSettings, plan_simulation

FRAME = 600


def checkerboard(n_frames: int = 4000, side: int = 14, seed: int = 0) -> Stimulus:
    frames = np.random.default_rng(seed).integers(0, 2, (n_frames, side, side)).astype(np.int8) * 2 - 1
    return Stimulus(frames.astype(np.int8), 1000 + FRAME * np.arange(n_frames))


def gaussian(
    center: tuple[float, float], radii: tuple[float, float], angle: float, side: int = 14
) -> np.ndarray:
    y, x = np.mgrid[:side, :side]
    dx, dy = x - center[0], y - center[1]
    u = (np.cos(angle) * dx + np.sin(angle) * dy) / radii[0]
    v = (-np.sin(angle) * dx + np.cos(angle) * dy) / radii[1]
    return np.exp(-0.5 * (u**2 + v**2))


def spikes_of(stimulus: Stimulus, field: np.ndarray, lag: int, seed: int = 1) -> np.ndarray:
    """Poisson spikes driven by the frame `lag` before the one on screen."""
    rng = np.random.default_rng(seed)
    drive = np.tensordot(stimulus.frames.astype(float), field / np.linalg.norm(field), axes=2)
    rate = np.exp(1.0 * np.roll(drive, lag) - 0.5)
    rate[:lag] = 0
    frame = np.repeat(np.arange(len(rate)), rng.poisson(rate))
    return stimulus.trigger_sample[frame] + rng.integers(0, FRAME, len(frame))


@pytest.mark.parametrize("sign", [1, -1])
def test_planted_field_is_found_with_its_place_size_lag_and_sign(sign):
    stimulus = checkerboard()
    field = receptive_field(stimulus, spikes_of(stimulus, sign * gaussian((5.3, 8.6), (2.2, 1.2), 0.5), 2))
    assert field.is_clear
    assert np.sign(field.peak_z) == sign
    assert field.peak_lag == 2
    assert np.allclose(field.center_px, (5.3, 8.6), atol=0.3)
    assert np.allclose(field.ellipse[:2], (2.2, 1.2), rtol=0.25)
    assert field.ellipse[2] == pytest.approx(0.5, abs=0.3)
    others = np.delete(field.time_course, 2)
    assert np.abs(others).max() < 0.3 * abs(field.time_course[2])


def test_cells_that_ignore_the_stimulus_have_no_clear_field():
    stimulus = checkerboard()
    for seed in range(10):
        spikes = np.random.default_rng(seed).integers(0, 4000 * FRAME, 3000)
        assert not receptive_field(stimulus, spikes).is_clear


def test_without_a_field_pixels_are_standard_normal():
    stimulus = checkerboard()
    spikes = np.random.default_rng(3).integers(1000, 4000 * FRAME, 3000)
    field = receptive_field(stimulus, spikes)
    z = field.sta / field.sta.std()
    assert field.spatial.std() == pytest.approx(1, abs=0.15)
    assert np.abs(z).max() < 5


def test_spikes_outside_the_stimulus_do_not_count():
    stimulus = checkerboard(n_frames=100)
    end = 1000 + 100 * FRAME
    counts = spikes_per_frame(stimulus, np.array([0, 999, 1000, 1599, 1600, end - 1, end, 10**9]))
    assert counts[[0, 1, 99]].tolist() == [2, 1, 1]
    assert counts.sum() == 4


def test_the_last_frame_lasts_as_long_as_the_others_and_not_a_sample_longer():
    stimulus = Stimulus(np.zeros((3, 1, 1), np.int8), np.array([10, 20, 30]))
    assert spikes_per_frame(stimulus, np.array([9, 10, 19, 20, 29, 30, 39, 40])).tolist() == [2, 2, 2]
    alone = Stimulus(np.zeros((1, 1, 1), np.int8), np.array([10]))
    assert spikes_per_frame(alone, np.array([9, 10, 11])).tolist() == [1]


def test_sta_of_one_spike_is_the_stimulus_before_it():
    stimulus = checkerboard(n_frames=50)
    field = receptive_field(stimulus, np.array([1000 + 20 * FRAME + 5]), n_lags=3)
    frames = stimulus.frames - stimulus.frames.mean(axis=0)
    expected = np.stack([frames[20], frames[19], frames[18]]) / stimulus.frames.std()
    assert np.allclose(field.sta, expected, atol=1e-5)
    assert field.n_spikes == 1
    assert not field.is_clear


@pytest.mark.parametrize(("frame", "n_spikes"), [(1, 0), (2, 1), (3, 1), (4, 1)])
def test_a_spike_counts_from_the_frame_on_that_has_all_lags_before_it(frame: int, n_spikes: int) -> None:
    field = receptive_field(checkerboard(n_frames=50), np.array([1000 + frame * FRAME]), n_lags=3)
    assert field.n_spikes == n_spikes


def test_no_spikes_give_an_unclear_empty_field():
    field = receptive_field(checkerboard(n_frames=20), np.zeros(0, np.int64), n_lags=5)
    assert field.n_spikes == 0
    assert not field.is_clear
    assert not field.sta.any()
    height, width = field.spatial.shape
    assert field.center_px == ((width - 1) / 2, (height - 1) / 2)
    assert field.ellipse == (1.0, 1.0, 0.0)


def test_the_cells_of_the_demo_show_their_fields_in_a_minute_even_where_spikes_are_missing():
    plan = plan_simulation(RetinaSettings(duration_s=60.0), seed=0)
    truth, rng = plan.truth, np.random.default_rng(0)
    clear, errors = 0, []
    for unit, centre in zip(truth.unit_ids, plan.cells["field_centre_px"], strict=True):
        train = truth.spike_train(unit)
        found = np.sort(rng.choice(train, round(0.8 * len(train)), replace=False))
        field = receptive_field(plan.stimulus, found)
        assert np.sign(field.peak_z) == (1 if plan.cells["type"][unit].startswith("ON") else -1)
        errors.append(np.hypot(*(np.array(field.center_px) - centre)))
        clear += field.is_clear
    assert clear >= 30  # of 33
    assert np.median(errors) < 0.2
    assert max(errors) < 0.6


def test_more_lags_than_frames_is_refused():
    with pytest.raises(InputError, match="12 lags needs at least that many frames, got 5"):
        receptive_field(checkerboard(n_frames=5), np.array([1]))
