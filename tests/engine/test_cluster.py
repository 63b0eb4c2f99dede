"""One call from waveforms to a posterior: the contract of its result, and what it refuses."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import adjusted_rand_score

from ncpgui import engine
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.partition import canonical
from ncpgui.core.progress import CancelFlag, Cancelled
from ncpgui.engine import waveform_clustering
from ncpgui.engine.networks.checkpoint import load_checkpoint, save_checkpoint
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.sampling import memory


def planted(n_spikes: int, n_channels: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two units, 14 and 9 noise sd deep, of other shape and footprint, and their labels."""
    rng = np.random.default_rng(seed)
    t = np.arange(32) - 11.0
    narrow = -14 * np.exp(-(t**2) / 6) + 4 * np.exp(-((t - 7) ** 2) / 20)
    wide = -9 * np.exp(-(t**2) / 30) + 2 * np.exp(-((t - 12) ** 2) / 60)
    near, far = np.linspace(1, 0.2, n_channels), np.linspace(1, 0.9, n_channels)
    labels = np.arange(n_spikes) % 2
    templates = np.stack([narrow[:, None] * near, wide[:, None] * far])
    return (templates[labels] + rng.standard_normal((n_spikes, 32, n_channels))).astype(np.float32), labels


@pytest.mark.parametrize("n_channels", [1, 4, 7])
@pytest.mark.parametrize("n_spikes", [1, 2, 20, 150])
def test_the_result_has_the_promised_arrays(n_spikes, n_channels):
    waveforms, _ = planted(n_spikes, n_channels)
    result = engine.cluster(waveforms, samples=12, beam=5, seed=1)
    assert result.labels.shape == (12, n_spikes)
    assert result.log_prob.shape == (12,)
    assert result.beam_labels.shape[1] == n_spikes
    assert 1 <= len(result.beam_labels) <= 5
    assert len(result.beam_labels) == len(result.beam_log_prob)
    assert len(result.alternatives) == len(result.alternative_mass) <= 9
    assert result.features.shape[0] == n_spikes
    assert (result.labels == canonical(result.labels)).all()
    assert (result.map_labels == result.alternatives[0]).all()
    assert 0 < result.alternative_mass.sum() <= 1 + 1e-9
    assert (np.diff(result.alternative_mass) <= 0).all()
    assert np.isnan(result.log_prob).all()  # the samples were swept
    assert result.order.tolist() == [s % 8 for s in range(12)]


def test_draws_that_are_not_swept_have_their_log_q():
    waveforms, _ = planted(40, 4)
    plain = engine.cluster(waveforms, samples=8, beam=0, sweeps=0, seed=1)
    assert (plain.log_prob <= 0).all()


@pytest.mark.parametrize("sweeps", [0, 2])
@pytest.mark.parametrize("timed", [(), (0, 1, 2), (0, 2)])
def test_sets_side_by_side_get_the_draws_that_each_gets_alone(sweeps, timed):
    """Sets of other sizes and other numbers of channels beside it change nothing, with times and without."""
    sets = [planted(60, 4)[0], planted(25, 7, seed=1)[0], planted(40, 1, seed=2)[0]]
    places = [np.arange(2.0 * w.shape[2]).reshape(-1, 2) * 15 for w in sets]
    seconds = [np.linspace(0, 100, len(w)) ** 2 if n in timed else None for n, w in enumerate(sets)]
    given = {"samples": 10, "sweeps": sweeps, "model": "spikes"}
    together = engine.draws_side_by_side(
        sets, channel_positions=places, times_s=seconds, seeds=[5, 6, 7], **given
    )
    for waveforms, place, times_s, seed, one in zip(sets, places, seconds, [5, 6, 7], together, strict=True):
        alone = engine.cluster(
            waveforms, channel_positions=place, times_s=times_s, seed=seed, beam=0, **given
        )
        assert one.knows_times == alone.knows_times == (times_s is not None)
        np.testing.assert_array_equal(one.posterior.labels, alone.labels)
        assert one.posterior.log_prob == pytest.approx(alone.log_prob, abs=1e-3, nan_ok=True)
        np.testing.assert_array_equal(one.posterior.order, alone.order)
        np.testing.assert_array_equal(one.features, alone.features)
        assert one.model == alone.model


@pytest.mark.parametrize("n_channels", [1, 4, 7])
def test_two_well_separated_units_are_found(n_channels):
    waveforms, truth = planted(150, n_channels)
    result = engine.cluster(waveforms, samples=20, beam=0)
    assert adjusted_rand_score(result.map_labels, truth) > 0.95


def test_the_same_seed_gives_the_same_posterior():
    waveforms, _ = planted(30, 4)
    first, again = (engine.cluster(waveforms, samples=5, beam=3, seed=4) for _ in range(2))
    np.testing.assert_array_equal(first.labels, again.labels)
    np.testing.assert_array_equal(first.beam_labels, again.beam_labels)


def test_a_masked_channel_is_a_channel_that_is_not_there():
    waveforms, _ = planted(40, 4)
    positions = np.array([[0, 0], [50, 0], [0, 50], [50, 50.0]])
    mask = np.array([True, True, True, False])
    masked = engine.cluster(waveforms, channel_positions=positions, channel_mask=mask, samples=4, beam=0)
    cut = engine.cluster(waveforms[..., :3], channel_positions=positions[:3], samples=4, beam=0)
    np.testing.assert_array_equal(masked.labels, cut.labels)


def test_of_more_channels_than_the_network_reads_the_nearest_are_used():
    n_read = load_checkpoint(None).card["input"]["max_channels"]
    waveforms, _ = planted(20, 14)
    positions = np.column_stack([20.0 * np.arange(14), np.zeros(14)])
    many = engine.cluster(waveforms, channel_positions=positions, samples=4, beam=0)
    near = engine.cluster(waveforms[..., :n_read], channel_positions=positions[:n_read], samples=4, beam=0)
    np.testing.assert_array_equal(many.labels, near.labels)


def test_clamped_spikes_keep_their_company_in_every_sample():
    waveforms, _ = planted(40, 4)
    clamped = np.full(40, -1)
    clamped[:6] = [0, 0, 1, 1, 0, 1]
    result = engine.cluster(waveforms, samples=30, beam=4, clamped=clamped)
    for labels in (result.labels, result.beam_labels):
        assert (labels[:, 0] == labels[:, 1]).all()
        assert (labels[:, 2] == labels[:, 3]).all()
        assert (labels[:, 0] != labels[:, 2]).all()


def test_a_cancelled_call_raises_cancelled():
    flag = CancelFlag()
    flag.cancel()
    with pytest.raises(Cancelled):
        engine.cluster(planted(10, 4)[0], progress=flag.guard())


NAN = planted(5, 4)[0]
NAN[3, 2, 1] = np.nan


@pytest.mark.parametrize(
    ("waveforms", "options", "message"),
    [
        (np.zeros((0, 32, 7), np.float32), {}, "holds no spikes"),
        (
            np.zeros((4, 32), np.float32),
            {},
            r"must be \(n_spikes, n_samples, n_channels\), got shape \(4, 32\)",
        ),
        (np.zeros((4, 40, 7), np.float32), {}, "of 40 samples at 20000 Hz there are 0.00 ms before it"),
        (planted(4, 4)[0], {"sampling_frequency": 30.0}, "got 30 Hz; give it in Hz"),
        (NAN, {}, "spike 3 holds NaN"),
        (planted(4, 4)[0], {"channel_positions": np.zeros((3, 2))}, "waveforms have 4 channels"),
        (planted(4, 4)[0], {"channel_mask": [False, True, True, True]}, "main channel"),
        (planted(4, 4)[0], {"channel_mask": [1, 1, np.nan, 1]}, "channel_mask must be .*1 or 0.*, got nan"),
        (planted(4, 4)[0], {"channel_mask": [1, 2, 0, 1]}, "channel_mask must be .*, got 2"),
        (
            planted(4, 4)[0],
            {"channel_positions": 0.025 * np.arange(8).reshape(4, 2)},
            r"channel_positions: contacts of the probe are 0\.07\d* um apart.*are they in mm\?",
        ),
        (
            planted(4, 4)[0],
            {"channel_positions": 1e9 * np.arange(8).reshape(4, 2)},
            r"channel_positions: contacts of the probe are 6e\+09 um apart, which is farther",
        ),
        (
            planted(4, 4)[0],
            {"channel_positions": np.zeros((4, 2))},
            r"channel_positions: contacts 0 and 1 of the probe share the position \(0, 0\)",
        ),
        (planted(4, 9)[0], {}, "9 channels without positions"),
        (
            8 * planted(40, 4)[0],
            {},
            r"in noise sd, but their noise is about [67]\.\d where 1 is expected.* µV",
        ),
        (planted(4, 4)[0], {"samples": 0, "beam": 0}, "samples must be a whole number from 1 on"),
        (planted(4, 4)[0], {"device": "abacus"}, "unknown device 'abacus'"),
    ],
)
def test_input_that_cannot_be_clustered_is_refused_with_the_reason(waveforms, options, message):
    with pytest.raises(InputError, match=message):
        engine.cluster(waveforms, **options)


@pytest.mark.parametrize("n_channels", [1, 4])
def test_spikes_that_are_all_alike_are_one_unit_and_a_note_says_that_there_is_no_noise(n_channels):
    spike = planted(1, n_channels)[0]
    result = engine.cluster(np.repeat(spike, 60, axis=0), samples=20, beam=4)
    assert set(result.map_labels) == {0}
    assert len(result.notes) == 1
    assert "differ by 0 a sample, where noise of 1 is expected" in result.notes[0]


def test_the_spread_over_orders_is_told_and_a_note_says_when_it_is_large(monkeypatch):
    waveforms, _ = planted(60, 4)
    found = engine.cluster(waveforms, samples=80, beam=0)
    assert 0 <= found.order_spread < 0.06
    assert found.notes == ()
    assert np.isnan(engine.cluster(waveforms, samples=8, beam=0).order_spread)
    monkeypatch.setattr(waveform_clustering, "order_spread", lambda posterior: 0.2)
    (note,) = engine.cluster(waveforms, samples=8, beam=0).notes
    assert "moves the probability that two share a unit by 0.20" in note


def test_waveforms_in_noise_sd_need_no_note_and_more_channels_than_the_model_takes_do():
    assert engine.cluster(planted(60, 4)[0], samples=4, beam=0).notes == ()
    positions = np.column_stack([20.0 * np.arange(14), np.zeros(14)])
    result = engine.cluster(planted(60, 14)[0], channel_positions=positions, samples=4, beam=0)
    assert result.notes == ("of 14 channels the model takes 12; those nearest to the main one were used",)


def test_without_a_word_draws_stay_on_the_cpu_where_they_are_compiled_and_beams_take_the_gpu(monkeypatch):
    loaded = []

    def load(path, device):
        loaded.append(device)
        return load_checkpoint(path)

    monkeypatch.setattr(waveform_clustering, "kept_checkpoint", load)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    for device, beam, expected in (("auto", False, "cpu"), ("auto", True, "cuda"), ("cuda", False, "cuda")):
        waveform_clustering.opened_model("spikes", device, beam=beam)
        assert loaded[-1] == expected, (device, beam)


def test_importing_the_engine_does_not_load_torch():
    code = "import sys, ncpgui.engine; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_shipped_model_has_a_card_that_says_how_to_retrain_it():
    cards = engine.models()
    assert engine.default_model() in [card["name"] for card in cards]
    for card in cards:
        assert card["training"]["command"].startswith("ncpgui train")
        assert card["scores"]["nll"] > 0
        assert card["curve"]


@pytest.mark.parametrize(("n_calls", "n_threads"), [(1, 4), (2, 2), (3, 1), (8, 1)])
def test_calls_side_by_side_share_the_threads_of_torch(monkeypatch, n_calls, n_threads):
    import torch

    known = [4]
    monkeypatch.setattr(torch, "get_num_threads", lambda: known[-1])
    monkeypatch.setattr(torch, "set_num_threads", known.append)
    with engine.shared_cores(n_calls):
        assert known[-1] == n_threads
    assert known[-1] == 4


@pytest.mark.parametrize(("chosen", "policy"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_wait_without_spinning_unless_somebody_wants_them_to(monkeypatch, chosen, policy):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if chosen:
        monkeypatch.setenv("OMP_WAIT_POLICY", chosen)
    script = "import os, ncpgui.engine; print(os.environ['OMP_WAIT_POLICY'])"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == policy


def test_links_are_kept_and_cost_what_they_are_worth():
    waveforms, truth = planted(60, 4)
    same, other = np.flatnonzero(truth == 0)[:2], np.flatnonzero(truth == 1)[0]
    likely = engine.cluster(waveforms, samples=40, must_link=[tuple(same)], cannot_link=[(same[0], other)])
    assert (likely.labels[:, same[0]] == likely.labels[:, same[1]]).all()
    assert likely.links_log_prob > np.log(0.5)
    assert np.isnan(likely.log_prob).all()  # swept, but for the linked spikes
    assert np.bincount(likely.order).tolist() == [5] * 8
    for best in likely.beam_labels:
        assert best[same[0]] == best[same[1]]
    absurd = engine.cluster(waveforms, samples=40, must_link=[(same[0], other)])
    assert (absurd.labels[:, same[0]] == absurd.labels[:, other]).all()
    assert absurd.links_log_prob < np.log(0.05)


def test_without_samples_the_beam_stands_in_for_them():
    waveforms, truth = planted(40, 4)
    same, other = np.flatnonzero(truth == 0)[:2], np.flatnonzero(truth == 1)[0]
    links = {"must_link": [tuple(same)], "cannot_link": [(same[0], other)]}
    found = engine.cluster(waveforms, samples=0, beam=6, seed=1, **links)
    assert found.sampler == "beam"
    assert found.labels.tolist() == found.beam_labels.tolist()
    share = np.exp(found.log_prob - found.log_prob.max())
    np.testing.assert_allclose(found.weight, share / share.sum())
    assert found.order is None
    assert np.isnan(found.alternative_mass_se).all()
    assert (found.labels[:, same[0]] == found.labels[:, same[1]]).all()
    assert (found.labels[:, same[0]] != found.labels[:, other]).all()
    assert engine.cluster(waveforms, samples=2, beam=0, sweeps=0).sampler == "draws"


def test_sets_side_by_side_are_drawn_from_or_searched_by_beam():
    sets = [planted(30, 4)[0], planted(20, 4)[0]]
    places = [np.array([[0.0, 0], [30, 0], [0, 30], [30, 30]])] * 2
    given = {"channel_positions": places, "seeds": [1, 2]}
    found = engine.draws_side_by_side(sets, samples=0, beam=5, **given)
    alone = [
        engine.cluster(one, channel_positions=places[0], samples=0, beam=5, seed=seed)
        for one, seed in zip(sets, [1, 2], strict=True)
    ]
    assert [one.posterior.sampler for one in found] == ["beam", "beam"]
    assert [one.posterior.labels.tolist() for one in found] == [one.labels.tolist() for one in alone]
    for both in ({"samples": 3, "beam": 5}, {"samples": 0, "beam": 0}):
        with pytest.raises(InputError, match="drawn from or searched by beam, got samples="):
            engine.draws_side_by_side(sets, **both, **given)


def test_a_cpu_searches_one_beam_at_a_time_and_a_gpu_several():
    import torch

    from ncpgui.engine.sampling.beams import GPU_ROWS, sets_at_once

    assert engine.beams_at_once("cpu", 150) == 1
    assert sets_at_once(torch.device("cuda"), 150) == GPU_ROWS // 150 > 1
    assert sets_at_once(torch.device("cuda"), 10**6) == 1


def test_a_model_of_other_things_than_spikes_is_refused(tmp_path):
    from ncpgui.engine.networks.checkpoint import save_checkpoint
    from ncpgui.engine.networks.registry import NetworkSettings, build_network

    settings = NetworkSettings(encoder="points", encoder_options={"h_dim": 8}, network_options={"h_dim": 8})
    path = tmp_path / "plane.safetensors"
    save_checkpoint(path, build_network(settings), settings, {"input": {"kind": "points", "n_dims": 2}})
    with pytest.raises(CheckpointError, match="model 'plane' clusters points, not spikes"):
        engine.cluster(planted(5, 4)[0], model=path)


def test_more_spikes_than_memory_holds_are_refused_before_they_are_encoded(monkeypatch):
    monkeypatch.setattr(memory, "_physical_memory", lambda: 10**6)
    monkeypatch.setattr(waveform_clustering, "encoded", lambda *_, **__: pytest.fail("encoded"))
    with pytest.raises(InputError, match=r"20 samples of 300 points need .* cluster a part of the points"):
        engine.cluster(planted(300, 4)[0], samples=20, beam=0)


def test_times_must_be_one_for_each_spike():
    waveforms, _ = planted(30, 4)
    with pytest.raises(InputError, match=r"one time in seconds for each of 30 spikes, got shape \(29,\)"):
        engine.cluster(waveforms, times_s=np.linspace(0, 9.5, 29), samples=2, beam=0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((7, np.nan), "time of spike 7 is NaN or infinite; leave that spike out"),
        ((7, 30.0), "must not go back, but spike 8 is at 2.93103 s after one at 30 s; sort the spikes"),
    ],
)
def test_times_that_are_missing_or_go_back_are_refused(change, message):
    waveforms, _ = planted(30, 4)
    times = np.linspace(0, 10, 30) * 1.0625
    times[change[0]] = change[1]
    with pytest.raises(InputError, match=message):
        engine.cluster(waveforms, times_s=times, samples=2, beam=0)


def test_sample_numbers_in_place_of_seconds_are_refused():
    waveforms, _ = planted(30, 4)
    with pytest.raises(InputError, match="all are whole numbers up to 290000, as samples are; divide by the"):
        engine.cluster(waveforms, times_s=np.arange(30) * 10_000, samples=2, beam=0)


def test_words_in_place_of_times_are_refused():
    waveforms, _ = planted(2, 4)
    with pytest.raises(InputError, match="times_s must be an array of numbers, got an array of <U"):
        engine.cluster(waveforms, times_s=["early", "late"], samples=2, beam=0)


def test_times_in_milliseconds_are_pointed_out():
    waveforms, _ = planted(30, 4)
    result = engine.cluster(waveforms, times_s=np.linspace(0, 7_000.5, 30), samples=2, beam=0)
    assert any("spikes are 2.4e+02 s apart on average" in note for note in result.notes)


def untrained(folder: Path, **options: object) -> Path:
    """A model of spikes that has learnt nothing."""
    settings = NetworkSettings(network_options={"components": 3, "whitened": True, **options})
    path = folder / "untrained.safetensors"
    torch.manual_seed(0)
    network = build_network(settings)
    for parameter in network.parameters():
        if not parameter.any():  # parts that begin at zero
            torch.nn.init.normal_(parameter)
    save_checkpoint(path, network, settings, {})
    return path


def test_a_model_without_times_says_that_it_does_not_use_them(tmp_path):
    waveforms, _ = planted(30, 4)
    given = {"model": untrained(tmp_path), "samples": 4, "beam": 0}
    with_times = engine.cluster(waveforms, times_s=np.linspace(0, 9.5, 30), **given)
    assert (with_times.labels == engine.cluster(waveforms, **given).labels).all()
    assert any(
        "'untrained' knows nothing of time; the times were not used" in note for note in with_times.notes
    )


def test_a_model_with_times_uses_them_and_their_beginning_does_not_matter(tmp_path):
    waveforms, _ = planted(30, 4)
    times = np.linspace(0, 9.5, 30) ** 1.5
    given = {"model": untrained(tmp_path, time_knots=[3]), "samples": 8, "beam": 0}
    first = engine.cluster(waveforms, times_s=times, **given)
    assert (first.labels != engine.cluster(waveforms, **given).labels).any()
    assert (first.labels == engine.cluster(waveforms, times_s=times + 7200, **given).labels).all()
    assert not any("time" in note for note in first.notes)


def test_a_model_of_spikes_that_can_be_loaded_has_a_name_and_another_one_is_refused(tmp_path):
    assert engine.checked_model("spikes") == "spikes"
    with pytest.raises(CheckpointError, match="model 'gauss2d' clusters points, not spikes"):
        engine.checked_model("gauss2d")
    with pytest.raises(InputError, match="unknown device 'abacus'"):
        engine.checked_model("spikes", device="abacus")
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"no network")
    with pytest.raises(CheckpointError, match="broken"):
        engine.checked_model(broken)


def test_a_model_is_checked_again_when_its_file_was_changed(tmp_path):
    path = untrained(tmp_path)
    assert engine.checked_model(path) == path.stem
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(CheckpointError, match="checksums differ"):
        engine.checked_model(path)


@pytest.mark.parametrize("beam", [0, 20])
def test_progress_grows_to_its_end_with_a_beam_and_without(beam):
    told = []
    engine.cluster(
        planted(10, 4)[0], samples=8, beam=beam, progress=lambda done, total, _="": told.append(done / total)
    )
    assert told == sorted(told)
    assert min(told) >= 0
    assert told[-1] == 1


def test_what_is_not_said_is_as_documented():
    """Without moves: the draws are those of the network, weighed by its heaps."""
    options = inspect.signature(engine.cluster).parameters
    known = {name: one.default for name, one in options.items() if one.default not in (None, one.empty)}
    assert known == {
        "sampling_frequency": 20_000.0, "samples": 200, "beam": 150, "moves": 0, "heaps": True, "seed": 0,
        "device": "auto", "must_link": (), "cannot_link": (),
    }  # fmt: skip
