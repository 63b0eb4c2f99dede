"""Simulated recordings: reproducible, saved whole, with true spikes that are where they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.errors import ExportError, InputError, RecordingError
from ncpgui.core.progress import CancelFlag, Cancelled
from ncpgui.ephys import simulated_cells
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.readers import load_stimulus, open_recording, open_sorting
from ncpgui.ephys.simulated_cells import plan_simulation
from ncpgui.ephys.simulated_traces import _Noise
from ncpgui.ephys.simulation import RetinaSettings, simulate_to_folder

SMALL = RetinaSettings(duration_s=5.0, probe="hex7", n_cells=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("simulated") / "small"


@pytest.fixture(scope="module")
def small(folder):
    return simulate_to_folder(SMALL, folder, seed=1)


def traces_of(made):
    return made.recording.traces(0, made.recording.n_samples)


def test_the_same_seed_gives_the_same_recording_and_another_does_not(small, tmp_path):
    again, other = (simulate_to_folder(SMALL, tmp_path / str(seed), seed=seed) for seed in (1, 2))
    assert np.array_equal(traces_of(again), traces_of(small))
    assert np.array_equal(again.truth.sample_index, small.truth.sample_index)
    assert not np.array_equal(traces_of(other), traces_of(small))


def test_a_seed_gives_the_recording_that_it_gave_when_results_were_kept(small):
    """Kept results name seeds: a change that moves these numbers makes other recordings of all of them."""
    trains = [small.truth.spike_train(unit) for unit in small.truth.unit_ids]
    assert [len(train) for train in trains] == [69, 36, 42, 30, 37]
    assert [train.sum() for train in trains] == [3271753, 2002114, 1956701, 1416522, 1565096]
    sizes = np.abs(traces_of(small).astype(np.int64)).sum(axis=0)
    assert sizes == pytest.approx([4868949, 5394137, 4276006, 4112787, 4012782, 4574696, 5213794], rel=1e-4)
    weights = np.arange(small.stimulus.frames.size).reshape(small.stimulus.frames.shape)
    assert (small.stimulus.frames * weights).sum() == 695064
    assert small.stimulus.trigger_sample[[0, 1, -1]].tolist() == [10000, 10667, 99333]
    assert np.abs(small.cells["time_course"].sum()) == pytest.approx(0.1127, abs=1e-4)


def test_true_spikes_are_as_deep_as_they_say_after_filtering(small):
    pre = preprocess(small.recording)
    traces = pre.traces(0, pre.n_samples)
    for unit in small.truth.unit_ids:
        train = small.truth.spike_train(unit)
        depth = traces[train, small.cells["main_channel"][unit]]
        said = small.cells["amplitude_sd"][unit]
        # Half a noise sd more for spikes of other cells, and up to 15 % less in bursts.
        assert -np.median(depth) == pytest.approx(said, rel=0.12, abs=0.5)


def test_noise_has_the_sd_that_amplitudes_refer_to(small):
    pre = preprocess(small.recording)
    noise_uv = pre.noise_sd * small.settings.gain_uv
    assert (np.abs(noise_uv / small.settings.noise_uv - 1) < 0.25).all()


def test_noise_is_shared_between_contacts_the_less_the_farther_they_are_apart():
    """Contacts r apart have the part `noise_shared` exp(-r / `noise_length_um`) in common."""
    settings = replace(SMALL, noise_shared=0.6, noise_length_um=40.0)
    noise = _Noise(plan_simulation(settings, seed=0)).draw(60_000)
    places = load_probe("hex7").positions_um
    apart_um = np.linalg.norm(places[:, None] - places[None], axis=2)
    expected = np.where(apart_um == 0, 1.0, 0.6 * np.exp(-apart_um / 40.0))
    assert np.corrcoef(noise.T) == pytest.approx(expected, abs=0.04)


def test_no_two_spikes_of_a_cell_are_closer_than_the_dead_time(small):
    for unit in small.truth.unit_ids:
        gaps_ms = np.diff(small.truth.spike_train(unit)) / 20
        assert gaps_ms.min() >= 1.75


def test_every_spike_of_every_cell_is_in_the_truth(small):
    assert small.truth.unit_ids.tolist() == [0, 1, 2, 3, 4]
    assert small.cells["amplitude_sd"].min() >= 4
    assert small.cells["amplitude_sd"].max() <= 25
    assert small.receptive_fields.shape == (5, 16, 16)


def test_default_array_has_49_contacts_and_33_cells(tmp_path):
    tiny = simulate_to_folder(RetinaSettings(duration_s=0.2), tmp_path / "tiny")
    assert tiny.recording.n_channels == 49
    assert len(tiny.cells["unit_id"]) == 33
    assert set(tiny.cells["type"]) == {"ON parasol", "OFF parasol", "ON midget", "OFF midget"}


def test_cells_lie_on_all_of_the_array_and_up_to_a_third_of_a_pitch_beside_it():
    settings = RetinaSettings(n_cells=400, duration_s=0.2)
    cells = plan_simulation(settings, seed=0).cells["position_um"]
    probe = load_probe(settings.probe)
    low, high = probe.positions_um.min(axis=0), probe.positions_um.max(axis=0)
    beside_um = np.array([low - cells.min(axis=0), cells.max(axis=0) - high])
    assert (beside_um > 0).all()
    assert (beside_um <= 0.35 * probe.pitch_um).all()


def test_twins_differ_by_what_was_asked_for_and_see_the_same_place_in_opposite_contrast():
    plan = plan_simulation(RetinaSettings(duration_s=0.5, n_twins=3, twin_distance_sd=(4.0, 8.0)), seed=0)
    cells = plan.cells
    twins = np.flatnonzero(cells["twin_of"] >= 0)
    models = cells["twin_of"][twins]
    apart = cells["template_sd"][twins] - cells["template_sd"][models]
    assert np.linalg.norm(apart, axis=(1, 2)) == pytest.approx([4, 6, 8], rel=1e-3)
    assert set(cells["type"][models]) == {"ON midget"}
    assert set(cells["type"][twins]) == {"OFF midget"}
    assert (cells["main_channel"][twins] == cells["main_channel"][models]).all()
    assert np.abs(cells["amplitude_sd"][twins] / cells["amplitude_sd"][models] - 1).max() < 0.2
    overlap = (plan.receptive_fields[twins] * plan.receptive_fields[models]).sum(axis=(1, 2))
    assert (overlap < -0.3).all()


def test_a_tenth_of_the_cells_are_twins_unless_it_is_said_how_many():
    plan = plan_simulation(RetinaSettings(duration_s=0.2, n_cells=20), seed=0)
    assert np.count_nonzero(plan.cells["twin_of"] >= 0) == 2


def test_a_twin_keeps_the_way_in_which_it_differs_from_its_sibling():
    templates = np.random.default_rng(0).normal(size=(3, 1, 81, 4)).astype(np.float32)
    cells = {
        "twin_of": np.array([-1, 0, -1]),
        "amplitude_sd": np.array([9.0, 8.0, 7.0]),
        "main_channel": np.array([0, 1, 2]),
    }
    apart = templates[1] - templates[0]
    settings = RetinaSettings(twin_distance_sd=(3.0, 3.0))
    moved, told = simulated_cells._twin_templates(settings, cells, templates.copy())
    np.testing.assert_allclose(moved[1], templates[0] + 3 * apart / np.linalg.norm(apart), atol=1e-5)
    assert np.array_equal(moved[[0, 2]], templates[[0, 2]])
    assert told["amplitude_sd"][[0, 2]].tolist() == [9.0, 7.0]
    assert told["main_channel"].tolist() == [0, int(moved[1, 0].min(axis=0).argmin()), 2]
    assert np.array_equal(told["template_sd"], moved[:, 0])


def test_tetrodes_can_be_simulated(tmp_path):
    tetrode = simulate_to_folder(RetinaSettings(duration_s=1.0, probe="tetrode"), tmp_path / "tetrode")
    assert tetrode.recording.n_channels == 4
    assert len(tetrode.cells["unit_id"]) == 4


def test_folder_opens_with_spikes_stimulus_and_probe(small, folder):
    recording = open_recording(folder)
    assert np.array_equal(recording.traces(0, 5000), small.recording.traces(0, 5000))
    assert recording.n_samples == small.recording.n_samples
    assert np.allclose(recording.probe.positions_um, small.recording.probe.positions_um)
    truth = open_sorting(folder)
    assert np.array_equal(truth.sample_index, small.truth.sample_index)
    assert truth.main_channel == small.truth.main_channel
    stimulus = load_stimulus(folder)
    assert np.array_equal(stimulus.frames, small.stimulus.frames)
    assert np.array_equal(stimulus.trigger_sample, small.stimulus.trigger_sample)


def test_cancelled_simulation_leaves_nothing_behind(tmp_path):
    flag = CancelFlag()
    flag.cancel()
    with pytest.raises(Cancelled):
        simulate_to_folder(SMALL, tmp_path / "simulated", progress=flag.guard())
    assert list(tmp_path.iterdir()) == []


def test_unwritable_folder_is_an_export_error(tmp_path):
    with pytest.raises(ExportError, match="cannot write"):
        simulate_to_folder(SMALL, tmp_path / "missing" / "simulated")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"duration_s": 0}, "duration_s of a simulation must be positive, got 0"),
        ({"sampling_frequency_hz": 8000.0}, "at least 14000"),
        ({"n_cells": 0}, "n_cells must be at least 1"),
        ({"n_twins": -1}, "n_twins must not be negative, got -1"),
        ({"min_amplitude_sd": 30.0}, "min_amplitude_sd <= max_amplitude_sd"),
    ],
)
def test_impossible_settings_are_refused(change, message, tmp_path):
    with pytest.raises(InputError, match=message):
        simulate_to_folder(RetinaSettings(**{"duration_s": 1.0, **change}), tmp_path / "none")


def test_damaged_simulated_folders_are_refused(tmp_path):
    folder = tmp_path / "simulated"
    simulate_to_folder(RetinaSettings(duration_s=0.2, probe="hex7"), folder)
    with (folder / "recording.raw").open("ab") as file:
        file.write(b"x")
    with pytest.raises(RecordingError, match="1 bytes are left over"):
        open_recording(folder)
    (folder / "truth.npz").write_bytes(b"PK")
    with pytest.raises(RecordingError, match=r"cannot be read as|is damaged"):
        open_sorting(folder)
    (folder / "recording.json").write_text('{"format": "ncpgui-recording", "version": 2}')
    with pytest.raises(RecordingError, match="version 2 is newer"):
        open_recording(folder)


def test_stimulus_without_triggers_is_refused(small, tmp_path):
    assert load_stimulus(tmp_path) is None
    np.savez(tmp_path / "stimulus.npz", frames=small.stimulus.frames)
    with pytest.raises(RecordingError, match="has no array 'trigger_sample'"):
        load_stimulus(tmp_path)
    np.savez(tmp_path / "stimulus.npz", frames=small.stimulus.frames, trigger_sample=np.arange(3))
    with pytest.raises(RecordingError, match=r"\d+ frames but 3 triggers"):
        load_stimulus(tmp_path)
