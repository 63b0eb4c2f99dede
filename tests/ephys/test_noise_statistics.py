"""The noise of a recording is found as it was drawn, between its spikes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.signal import butter, sosfilt

from ncpgui.core.errors import InputError
from ncpgui.core.measured_noise import smallest_eigenvalue
from ncpgui.core.probe import Probe
from ncpgui.core.spikes import Sorting
from ncpgui.ephys import noise_statistics
from ncpgui.ephys.measured_templates import MeasuredTemplate
from ncpgui.ephys.noise_statistics import _by_lag, _free, fit_fall_off, measure_noise
from ncpgui.ephys.probes import load_probe


@dataclass
class Filtered:
    """What is asked of filtered traces, which are an array here."""

    values: np.ndarray
    probe: Probe
    sampling_frequency_hz: float = 20_000.0
    bad_channels: tuple[int, ...] = ()

    @property
    def good_channels(self) -> np.ndarray:
        return np.setdiff1d(np.arange(self.n_channels), self.bad_channels)

    @property
    def n_samples(self) -> int:
        return len(self.values)

    @property
    def n_channels(self) -> int:
        return self.values.shape[1]

    def traces(self, start: int, stop: int) -> np.ndarray:
        return self.values[start:stop].astype(np.float32)


def no_spikes(pre: Filtered) -> Sorting:
    empty = np.zeros(0, np.int64)
    return Sorting(empty, empty, pre.sampling_frequency_hz, pre.n_samples)


def white(n_seconds: float, n_channels: int, *, rate: float = 20_000.0, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(round(n_seconds * rate), n_channels))


def test_an_ma_and_an_ar_process_are_found() -> None:
    """MA(1) with weight 0.6: 0.6 / 1.36 at lag 1, nothing after; AR(1): 0.7^lag."""
    e = white(20, 4)
    ma = e.copy()
    ma[1:] += 0.6 * e[:-1]
    found = measure_noise(Filtered(ma, load_probe("tetrode")), no_spikes(Filtered(ma, load_probe("tetrode"))))
    assert found.autocorrelation[:3] == pytest.approx([1, 0.6 / 1.36, 0], abs=0.005)
    assert np.abs(found.autocorrelation[2:]).max() < 0.005
    ar = sosfilt([[1.0, 0, 0, 1, -0.7, 0]], e, axis=0)
    pre = Filtered(ar / ar.std(), load_probe("tetrode"))
    found = measure_noise(pre, no_spikes(pre))
    assert found.autocorrelation[:12] == pytest.approx(0.7 ** np.arange(12), abs=0.015)


def test_in_time_noise_is_that_of_all_contacts_the_first_and_the_last_too() -> None:
    """MA(1) with a weight of 0.6 on one of two contacts: 0.6 of 1.36 + 1 at lag 1, whichever it is."""
    for smooth in (0, 1):
        noise = white(20, 2)
        noise[1:, smooth] += 0.6 * white(20, 2)[:-1, smooth]
        pre = Filtered(noise, load_probe("linear-2-25"))
        found = measure_noise(pre, no_spikes(pre))
        assert found.autocorrelation[1] == pytest.approx(0.6 / 2.36, abs=0.01)


def test_products_at_a_distance_are_summed_over_samples_and_channels_and_never_around_the_end() -> None:
    values = np.random.default_rng(0).normal(size=(16, 3))
    literal = [sum(float(values[i] @ values[i + lag]) for i in range(16 - lag)) for lag in range(6)]
    np.testing.assert_allclose(_by_lag(values, 6), literal, atol=1e-12)


def test_lags_are_those_of_20_khz_whatever_the_recording_has() -> None:
    """Noise smoothed by a Gaussian has a Gaussian autocorrelation sqrt(2) as wide, in time."""
    rate, width_s = 32_000.0, 60e-6
    t = np.arange(-30, 31) / rate
    kernel = np.exp(-0.5 * (t / width_s) ** 2)
    smooth = np.apply_along_axis(np.convolve, 0, white(20, 2, rate=rate), kernel, "same")
    pre = Filtered(smooth / smooth.std(), load_probe("linear-2-25"), rate)
    lag = np.arange(8) / 20_000
    wanted = np.exp(-0.25 * (lag / width_s) ** 2)
    assert measure_noise(pre, no_spikes(pre)).autocorrelation[:8] == pytest.approx(wanted, abs=0.015)


def test_correlation_between_contacts_is_found() -> None:
    probe = load_probe("hex49")
    gap = np.linalg.norm(probe.positions_um[:, None] - probe.positions_um[None], axis=2)
    space = 0.7 * np.exp(-gap / 50) + 0.3 * np.eye(len(gap))
    pre = Filtered(white(3, 49) @ np.linalg.cholesky(space).T, probe)
    found = measure_noise(pre, no_spikes(pre))
    assert found.correlation == pytest.approx(0.7 * np.exp(-found.distance_um / 50), abs=0.02)
    near = np.array([20.0, 40.0, 70.0])
    fitted = found.shared_part * np.exp(-near / found.length_um)
    assert fitted == pytest.approx(0.7 * np.exp(-near / 50), abs=0.05)


def test_the_fit_finds_its_own_curves_and_stays_in_the_middle_without_any() -> None:
    distance = np.arange(10.0, 150.0, 10.0)
    for shared, length in ((0.3, 100.0), (0.6, 60.0), (0.9, 30.0)):
        found = fit_fall_off(distance, shared * np.exp(-distance / length))
        assert found == pytest.approx((shared, length), rel=0.08)
    assert fit_fall_off(np.zeros(0), np.zeros(0)) == pytest.approx((0.5, 60.0))


def test_spikes_are_left_out_on_the_channels_that_see_them() -> None:
    """Spikes of 4 sd every 10 ms on one of two channels, few of which cross the threshold."""
    values = white(20, 2)
    times = np.arange(200, len(values) - 200, 200)
    shape = -4 * np.exp(-0.5 * (np.arange(-20, 30) / 4.0) ** 2)
    for t in times:
        values[t - 20 : t + 30, 0] += shape
    pre = Filtered(values, load_probe("linear-2-25"))
    sorting = Sorting(times, np.zeros(len(times), np.int64), 20_000.0, len(values))
    waveform = np.zeros((64, 2))
    waveform[2:52, 0] = shape
    unit = MeasuredTemplate(0, len(times), np.array([0, 1]), pre.probe.positions_um, waveform, 0.0)
    assert measure_noise(pre, sorting).autocorrelation[3] > 0.1
    assert np.abs(measure_noise(pre, sorting, [unit]).autocorrelation[1:]).max() < 0.01


def test_a_band_without_noise_at_some_frequencies_still_has_a_factor() -> None:
    sos = butter(3, [300, 6000], "bandpass", fs=20_000, output="sos")
    values = sosfilt(sos, sosfilt(sos, white(20, 2), axis=0)[::-1], axis=0)
    pre = Filtered(values / values.std(), load_probe("linear-2-25"))
    found = measure_noise(pre, no_spikes(pre))
    assert smallest_eigenvalue(found.autocorrelation) == pytest.approx(1e-3, abs=1e-4)


def test_spikes_that_leave_nothing_are_said() -> None:
    pre = Filtered(40 * white(2, 2), load_probe("linear-2-25"))
    with pytest.raises(InputError, match=r"noise needs 0\.5 s without spikes, summed over channels; 0\.0"):
        measure_noise(pre, no_spikes(pre))


def test_a_spike_of_the_piece_before_or_after_takes_samples_of_this_one() -> None:
    """Samples from 1.2 ms before a spike until 2.2 ms after it, at 10 kHz: 12 and 22."""
    fired = np.array([80, 100, 300, 511, 520])
    sorting = Sorting(fired, np.zeros(5, np.int64), 10_000.0, 1000)
    unit = MeasuredTemplate(0, 5, np.array([0]), np.zeros((1, 2)), np.full((64, 1), -4.0), 0.0)
    found = _free(np.zeros((400, 2)), 100, np.array([0, 1]), sorting, [unit], 10_000.0)
    literal = [not any(s - 12 <= t < s + 22 for s in fired) for t in range(100, 500)]
    np.testing.assert_array_equal(found[:, 0], literal)
    assert not found[:22, 0].any()
    assert found[-1, 0] != found[-1, 1], "the spike 11 samples past the end"
    assert found[:, 1].all()


def test_a_channel_is_free_again_once_a_spike_is_over() -> None:
    """Of one spike in a second of 20 000 samples a few ms are lost, on the channel that sees it."""
    sorting = Sorting(np.array([5_000]), np.zeros(1, np.int64), 20_000.0, 20_000)
    waveform = np.zeros((64, 2))
    waveform[22, 0] = -20.0
    unit = MeasuredTemplate(0, 1, np.array([0, 1]), np.zeros((2, 2)), waveform, 0.0)
    traces = np.zeros((20_000, 2))
    free = noise_statistics._free(traces, 0, np.arange(2), sorting, [unit], 20_000.0)
    assert free[:, 1].all()
    lost = np.flatnonzero(~free[:, 0])
    before, after = (round(ms * 20) for ms in (noise_statistics.BEFORE_MS, noise_statistics.AFTER_MS))
    assert lost.tolist() == list(range(5_000 - before, 5_000 + after))


def test_a_crossing_of_the_threshold_is_left_out_with_what_is_around_it() -> None:
    traces = np.zeros((20_000, 2))
    traces[7_000, 1] = -50.0
    free = noise_statistics._free(
        traces, 0, np.arange(2), no_spikes(Filtered(traces, load_probe("linear-2-25"))), [], 20_000.0
    )
    before, after = (round(ms * 20) for ms in (noise_statistics.BEFORE_MS, noise_statistics.AFTER_MS))
    assert free[:, 0].all()
    assert np.flatnonzero(~free[:, 1]).tolist() == list(range(7_000 - before, 7_000 + after))


# -- pairs of contacts ---------------------------------------------------------------------------------


def pairs(*places: tuple[float, float], shank: list[int] | None = None, **changes: object) -> list[float]:
    """Distances at which the noise of contacts at these places is told, in bins of 10 um."""
    probe = Probe(np.array(places, float), None if shank is None else np.array(shank))
    values = white(1, len(places))
    for channel in changes.pop("dead", ()):  # type: ignore[attr-defined]
        values[:, channel] = 0
    pre = Filtered(values, probe, **changes)  # type: ignore[arg-type]
    return measure_noise(pre, no_spikes(pre)).distance_um.tolist()


def test_correlations_are_means_in_bins_of_10_um() -> None:
    assert pairs((0, 0), (0, 9), (0, 19)) == [9, 14.5]  # 9; 10 and 19
    assert pairs((0, 0), (0, 9)) == [9]
    assert pairs((0, 0)) == []


def test_pairs_up_to_150_um_or_three_pitches_are_told() -> None:
    assert pairs((0, 0), (0, 50), (0, 150)) == [50, 100, 150]
    assert pairs((0, 0), (0, 50), (0, 151)) == [50, 101]
    assert pairs(*[(0, 60.0 * k) for k in range(5)]) == [60, 120, 180]


def test_contacts_of_other_shanks_dead_ones_and_bad_ones_are_in_no_pair() -> None:
    assert pairs((0, 0), (0, 20), (0, 50), shank=[0, 1, 0]) == [50]
    assert pairs((0, 0), (0, 20), (0, 50), dead=[0]) == [30]
    assert pairs((0, 0), (0, 20), (0, 50), bad_channels=(1,)) == [50]


def test_what_contacts_share_is_told_as_it_is() -> None:
    """Two contacts have half of their power in common, a third one has its sign changed."""
    e = white(10, 4)
    values = np.column_stack([e[:, 0] + e[:, 1], e[:, 0] + e[:, 2], -e[:, 0] + e[:, 3]])
    pre = Filtered(values, Probe(np.array([(0.0, 0.0), (0, 10), (0, 30)])))
    found = measure_noise(pre, no_spikes(pre))
    assert found.distance_um.tolist() == [10, 20, 30]
    assert found.correlation == pytest.approx([0.5, -0.5, -0.5], abs=0.02)


def test_progress_is_told_of_each_piece_and_of_the_end() -> None:
    told: list[tuple[int, int]] = []
    for n_seconds, n_pieces in ((0.9, 1), (1.9, 1), (3, 3), (41, 40)):
        told.clear()
        pre = Filtered(white(n_seconds, 1), Probe(np.zeros((1, 2))))
        measure_noise(pre, no_spikes(pre), progress=lambda done, total, _="": told.append((done, total)))
        assert told == [(k, n_pieces) for k in range(n_pieces + 1)]
