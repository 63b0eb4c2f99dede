"""Filtered traces: what passes, what does not, and in which unit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.probes import load_probe

RATE = 20_000.0


def recording_of(traces: np.ndarray, probe: Probe | str = "tetrode") -> ArrayRecording:
    return ArrayRecording(traces, sampling_frequency_hz=RATE, probe=load_probe(probe))


def white(n_samples: int = 40_000, n_channels: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n_samples, n_channels)).astype(np.float32)


def test_noise_has_sd_one_in_each_channel_whatever_the_unit():
    pre = preprocess(recording_of(white() * np.array([1, 5, 50, 1000], dtype=np.float32) + 2050))
    assert np.allclose(pre.traces(0, 40_000).std(axis=0), 1, atol=0.03)
    ratios = pre.noise_sd / pre.noise_sd[0]
    assert np.allclose(ratios, [1, 5, 50, 1000], rtol=0.05)


@pytest.mark.parametrize(("frequency_hz", "kept"), [(50, 0.001), (1500, 1.0), (9500, 0.01)])
def test_sinusoids_outside_the_band_are_removed(frequency_hz, kept):
    noise = 1e-3 * white()
    tone = np.sin(2 * np.pi * frequency_hz * np.arange(40_000) / RATE)[:, None].astype(np.float32)
    pre = preprocess(recording_of(noise + tone, "tetrode"))
    filtered = pre.traces(10_000, 30_000) * pre.noise_sd
    amplitude = np.sqrt(2) * filtered.std(axis=0)
    assert (np.abs(amplitude - kept) <= 0.01).all() if kept == 1.0 else (amplitude < kept + 0.003).all()


def test_noise_is_measured_in_three_steps_from_nought():
    told: list[tuple[int, int, str]] = []
    preprocess(recording_of(white()), progress=lambda *step: told.append(step))
    assert told == [(step, 3, "measuring noise") for step in range(4)]


def test_common_median_is_removed_on_large_probes_only():
    common = white(n_channels=1, seed=3) * 5
    large = preprocess(recording_of(white(n_channels=16) + common, "linear-16"))
    assert np.corrcoef(large.traces(0, 40_000).T)[0, 1] < 0.1
    assert large.settings.reference == "median"
    small = preprocess(recording_of(white() + common))
    assert np.corrcoef(small.traces(0, 40_000).T)[0, 1] > 0.9
    assert small.settings.reference == "none"


def test_traces_do_not_depend_on_how_they_are_asked_for():
    source = recording_of(white(200_000))
    whole = preprocess(source).traces(0, 200_000)
    pieces = preprocess(source)
    assert pieces.piece_samples < 200_000
    joined = np.concatenate([pieces.traces(a, min(a + 33_333, 200_000)) for a in range(0, 200_000, 33_333)])
    assert np.array_equal(joined, whole)


def test_without_room_for_a_cache_traces_are_the_same(monkeypatch):
    source = recording_of(white(200_000))
    kept = preprocess(source).traces(1000, 190_000)
    monkeypatch.setattr("ncpgui.ephys.cached_recording.cache_file", lambda n_bytes, **_: None)
    assert np.array_equal(preprocess(source).traces(1000, 190_000), kept)


def test_traces_are_still_there_after_close():
    with preprocess(recording_of(white())) as pre:
        before = pre.traces(0, 500)
    assert np.array_equal(pre.traces(0, 500), before)


def test_dead_channels_are_named_and_zero(caplog):
    traces = white()
    traces[:, 2] = 7
    pre = preprocess(recording_of(traces))
    assert pre.bad_channels == (2,)
    assert not pre.traces(0, 1000)[:, 2].any()
    assert "left out: 2" in caplog.text


def test_dead_channels_do_not_move_the_reference():
    traces = white(n_channels=10)
    traces[:, :4] = 0
    pre = preprocess(recording_of(traces, "linear-10"))
    assert pre.bad_channels == (0, 1, 2, 3)
    assert np.allclose(pre.traces(0, 40_000)[:, 4:].std(axis=0), 1, atol=0.03)


def test_noisy_channels_are_found_as_by_spikeinterface_named_and_zero(caplog):
    traces = white(n_channels=10)
    traces[:, 3] *= 8
    traces[:, 4] *= 4
    recording = recording_of(traces, "linear-10")
    pre = preprocess(recording)
    assert pre.bad_channels == (3,)
    assert not pre.traces(0, 1000)[:, 3].any()
    assert "more than 5 times the usual noise are left out: 3" in caplog.text
    from spikeinterface.preprocessing import bandpass_filter, detect_bad_channels

    filtered = bandpass_filter(recording.extractor(), freq_min=300, freq_max=6000, dtype="float32")
    assert detect_bad_channels(filtered, method="mad", seed=0)[0].tolist() == [3]


def test_on_few_channels_a_loud_one_is_not_called_noisy():
    traces = white() * np.array([1, 1, 1, 8], dtype=np.float32)
    assert preprocess(recording_of(traces)).bad_channels == ()


def test_a_dead_channel_does_not_make_its_neighbours_noisy():
    traces = white(n_channels=12)
    traces[:, :7] = 0
    assert preprocess(recording_of(traces, "linear-12")).bad_channels == tuple(range(7))


@pytest.mark.parametrize(("probe", "n_channels"), [("tetrode", 4), ("linear-16", 16)])
def test_traces_are_what_filtering_the_whole_recording_at_once_gives(probe, n_channels):
    """Forward and backward Butterworth filter, median of the others, noise by the median deviation."""
    raw = white(100_000, n_channels) * np.linspace(1, 3, n_channels, dtype=np.float32)
    sos = butter(3, [300, 6000], "bandpass", fs=RATE, output="sos")
    expected = sosfiltfilt(sos, raw.astype(np.float64), axis=0)
    if n_channels >= 8:
        others = [np.median(np.delete(expected, c, axis=1), axis=1) for c in range(n_channels)]
        expected -= np.stack(others, axis=1)
    pre = preprocess(recording_of(raw, probe))
    found = pre.traces(0, 100_000)[400:-400] * pre.noise_sd
    assert np.abs(found - expected[400:-400]).max() < 0.01


@pytest.mark.parametrize("piece_s", [0.05, 0.4321, 1.7])
def test_pieces_of_any_size_give_the_same_traces(piece_s, monkeypatch):
    source = recording_of(white(60_000, 8), "linear-8")
    source.array[30_000:40_000] *= 30  # an artefact that pieces cut
    whole = preprocess(source)
    monkeypatch.setattr("ncpgui.ephys.cached_recording.PIECE_S", piece_s)
    pieces = preprocess(source)
    assert pieces.piece_samples == max(1000, int(piece_s * RATE)) < whole.piece_samples
    difference = pieces.traces(0, 60_000) - whole.traces(0, 60_000)
    assert np.abs(difference).max() < 0.005  # of float16


def test_the_good_channels_are_a_recording_of_spikeinterface():
    traces = white(n_channels=4)
    traces[:, 1] = 0
    probe = Probe(np.array([[0.0, 0], [0, 20], [0, 0], [0, 20]]), np.array([0, 0, 1, 1]))
    pre = preprocess(recording_of(traces, probe))
    recording = pre.in_noise_sd
    assert np.array_equal(recording.get_traces(), pre.traces(0, 40_000)[:, [0, 2, 3]])
    assert recording.channel_ids.tolist() == [0, 2, 3]
    places = recording.get_channel_locations()
    assert np.array_equal(places[:, 1], [0, 0, 20])
    assert places[1, 0] - places[0, 0] > 1e5  # shanks do not see each other


def test_channels_that_were_sampled_one_after_the_other_are_moved_to_one_time():
    from spikeinterface.core import NumpyRecording

    from ncpgui.ephys.readers import recording_of as opened

    time = np.arange(40_000)
    shift = np.array([0.0, 0.25, 0.5, 0.75])
    signal = sum(np.sin(2 * np.pi * f * (time[:, None] + shift) / RATE + f) for f in (700, 1300, 2900))
    extractor = NumpyRecording([signal.astype(np.float32)], RATE)
    before = preprocess(opened(extractor, probe="tetrode")).traces(10_000, 30_000)
    extractor.set_property("inter_sample_shift", shift)
    after = preprocess(opened(extractor, probe="tetrode")).traces(10_000, 30_000)
    assert np.abs(before - before[:, :1]).max() > 0.5
    assert np.abs(after - after[:, :1]).max() < 0.02


def test_all_channels_constant_is_an_error():
    with pytest.raises(RecordingError, match="all 4 channels of these traces are constant"):
        preprocess(recording_of(np.ones((10_000, 4), dtype=np.int16)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("sample", [0, 5, 31_234])
def test_not_finite_samples_are_named(value, sample):
    traces = white()
    traces[sample, 1] = value
    with pytest.raises(RecordingError, match=rf"channel 1 is NaN or infinite at sample {sample} \("):
        preprocess(recording_of(traces)).traces(0, 40_000)


def test_not_finite_sample_far_from_where_noise_is_measured_is_found(monkeypatch):
    monkeypatch.setattr("ncpgui.ephys.noise_levels.N_SLICES", 1)
    traces = white(300_000)
    traces[[100, 150_000, 299_990], 3] = np.nan
    with pytest.raises(RecordingError, match="channel 3 is NaN or infinite at sample"):
        preprocess(recording_of(traces)).traces(0, 300_000)


def test_impossible_band_is_refused():
    with pytest.raises(InputError, match="needs 0 < high-pass < low-pass, got 7000 and 6000 Hz"):
        preprocess(recording_of(white(1000)), highpass_hz=7000)
    with pytest.raises(InputError, match="'median' or 'none'"):
        preprocess(recording_of(white(1000)), reference="mean")


def test_lowpass_follows_low_sampling_frequencies():
    recording = ArrayRecording(white(), sampling_frequency_hz=10_000.0, probe=load_probe("tetrode"))
    assert preprocess(recording).settings.lowpass_hz == 4500


def test_very_short_recordings_are_filtered_and_shorter_ones_refused():
    assert preprocess(recording_of(white(64))).traces(0, 64).shape == (64, 4)
    with pytest.raises(RecordingError, match="has only 63 samples; filtering needs at least 64"):
        preprocess(recording_of(white(63)))


@pytest.mark.parametrize("rate", [5_000.0, 1_000_000.0])
def test_white_noise_has_sd_one_at_the_slowest_and_the_fastest_sampling(rate):
    """The band of the filter holds a share of the power of white noise, so its sd is known."""
    recording = ArrayRecording(white(400_000), sampling_frequency_hz=rate, probe=load_probe("tetrode"))
    pre = preprocess(recording)
    band = (pre.settings.lowpass_hz - pre.settings.highpass_hz) / (rate / 2)
    raw = white(400_000).std(axis=0)
    assert pre.noise_sd == pytest.approx(raw * np.sqrt(band), rel=0.1)


@pytest.mark.parametrize("rate", [4_999.0, 1.1e6, 1e12])
def test_traces_too_slow_or_too_fast_for_spikes_are_refused(rate):
    with pytest.raises(InputError, match="at a sampling frequency of 5000 to 1000000 Hz, got"):
        ArrayRecording(white(1000), sampling_frequency_hz=rate, probe=load_probe("tetrode"))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint16, np.int32])
def test_a_channel_that_spans_its_whole_range_is_not_constant(dtype):
    rails = np.iinfo(dtype)
    traces = (white() * (20 if dtype is np.int8 else 100)).astype(np.int64) + (rails.max + rails.min + 1) // 2
    traces[5_000::10_000, 1] = rails.min  # a stimulation artefact
    traces[5_001::10_000, 1] = rails.max
    pre = preprocess(recording_of(np.clip(traces, rails.min, rails.max).astype(dtype)))
    assert pre.bad_channels == ()


def test_a_recording_that_goes_from_rail_to_rail_is_not_constant():
    square = np.where(np.arange(40_000) // 25 % 2, -32_768, 32_767).astype(np.int16)
    pre = preprocess(recording_of(np.repeat(square[:, None], 4, axis=1)))
    assert pre.bad_channels == ()


def test_a_recording_that_stays_at_a_rail_is_called_saturated():
    traces = np.full((40_000, 4), 32_767, dtype=np.int16)
    traces[::4_000] = -32_768
    with pytest.raises(
        RecordingError, match=r"these traces stay at one value but for a few jumps.*check the gain"
    ):
        preprocess(recording_of(traces))
