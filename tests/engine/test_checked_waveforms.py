"""Waveforms of any length and sampling frequency are brought to what a network reads, and that is said."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ncpgui import engine
from ncpgui.core.errors import InputError
from ncpgui.engine.checked_waveforms import as_read, checked_waveforms


def spike(t_ms: np.ndarray, depth: float = 10.0, width_ms: float = 0.12) -> np.ndarray:
    """A trough at time 0 and what follows it, of no frequency over 8 kHz to speak of."""
    trough = -depth * np.exp(-((t_ms / width_ms) ** 2))
    return trough + 0.3 * depth * np.exp(-(((t_ms - 0.45) / (2 * width_ms)) ** 2))


def cut(rate_hz: float, n_samples: int, trough: float, **shape: float) -> np.ndarray:
    """One spike on two channels: (1, T, 2)."""
    t_ms = (np.arange(n_samples) - trough) * 1000 / rate_hz
    return np.stack([spike(t_ms, **shape), 0.4 * spike(t_ms, **shape)], axis=-1)[None].astype(np.float32)


@pytest.mark.parametrize(
    ("rate_hz", "n_samples", "trough"),
    [
        (30_000.0, 61, 20.0),
        (24_000.0, 50, 17.4),
        (20_000.0, 48, 20.0),
        (10_000.0, 20, 7.0),
        (44_100.0, 90, 33.3),
    ],
)
def test_a_spike_of_any_rate_and_length_becomes_that_cut_at_20_khz(rate_hz, n_samples, trough):
    read, (note,) = as_read(cut(rate_hz, n_samples, trough), rate_hz)
    expected = cut(20_000.0, 32, 11.0)
    assert read.shape == (1, 32, 2)
    assert np.abs(read - expected).max() < 0.25  # of a trough of 10
    assert f"{n_samples} samples at {rate_hz:g} Hz were brought to 32 at 20000 Hz" in note
    assert "stand for the rest" not in note


def test_what_the_network_reads_is_left_as_it_is():
    waveforms = cut(20_000.0, 32, 14.0)
    read, notes = as_read(waveforms, 20_000.0)
    assert read is waveforms
    assert notes == ()


def test_short_waveforms_go_on_as_they_begin_and_end_and_that_is_said():
    read, (note,) = as_read(cut(20_000.0, 16, 6.0), 20_000.0)
    np.testing.assert_allclose(read[0, :5], np.broadcast_to(read[0, 5], (5, 2)), atol=0.1)
    np.testing.assert_allclose(read[0, 21:], np.broadcast_to(read[0, 20], (11, 2)), atol=0.1)
    assert "they hold 0.30 ms before and 0.45 ms after it of the 0.55 and 1 ms that the network reads" in note


@pytest.mark.parametrize(
    ("waveforms", "rate_hz", "message"),
    [
        (cut(20_000.0, 32, 11.0), 30.0, "at least 5000 Hz to show spikes, got 30 Hz; give it in Hz"),
        (cut(20_000.0, 32, 11.0), np.nan, "at least 5000 Hz"),
        (cut(30_000.0, 12, 2.0), 30_000.0, r"of 12 samples at 30000 Hz there are 0.07 ms before it"),
        (cut(20_000.0, 1, 0.0), 20_000.0, r"must hold 0.25 ms before and after their trough"),
    ],
)
def test_waveforms_that_cannot_be_brought_there_are_refused_with_the_way_out(waveforms, rate_hz, message):
    with pytest.raises(InputError, match=message):
        as_read(waveforms, rate_hz)


def test_two_units_are_found_in_waveforms_of_another_rate():
    rng, labels = np.random.default_rng(0), np.arange(80) % 2
    units = np.concatenate(
        [cut(30_000.0, 60, 20.0, depth=16.0), cut(30_000.0, 60, 20.0, depth=11.0, width_ms=0.2)]
    )
    waveforms = units[labels] + rng.standard_normal((80, 60, 2))
    found = engine.cluster(waveforms, sampling_frequency=30_000.0, samples=12, beam=0)
    assert adjusted_rand_score(found.map_labels, labels) > 0.95
    assert "60 samples at 30000 Hz were brought to 32 at 20000 Hz" in found.notes[0]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_one_sample_that_is_no_number_is_refused_with_its_spike(value: float) -> None:
    spikes = np.zeros((5, 32, 2), np.float32)
    spikes[3, 7, 1] = value
    with pytest.raises(InputError, match="spike 3 holds NaN or infinity; remove it"):
        checked_waveforms(spikes, np.array([[0.0, 0.0], [30.0, 0.0]]))


def test_five_khz_is_enough_to_show_spikes_and_less_is_not() -> None:
    waveforms = np.zeros((3, 16, 1), np.float32)
    waveforms[:, 6] = -5
    assert as_read(waveforms, 5000.0)[0].shape == (3, 32, 1)
    with pytest.raises(InputError, match="must be at least 5000 Hz"):
        as_read(waveforms, 4999.9)
