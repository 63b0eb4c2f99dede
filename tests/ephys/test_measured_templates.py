"""Templates of planted units are found as they were planted, and poor units are counted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from ncpgui.core.spikes import Sorting
from ncpgui.ephys.measured_templates import measure_templates
from ncpgui.ephys.preprocessing import preprocess
from tests.ephys.planted_recording import spike

N_SAMPLES, TROUGH = 64, 22


def sorted_units(plant, trains, *, n_seconds=20, rate=20_000.0, labels=None, late=0):
    """A recording of units given as unit -> (times, channel, depth), and its sorting, `late` samples late."""
    spikes = [(t, channel, depth) for times, channel, depth in trains.values() for t in times]
    recording = plant(n_samples=round(n_seconds * rate), spikes=spikes, rate_hz=rate)
    index = np.concatenate([np.round(times).astype(np.int64) for times, _, _ in trains.values()]) + late
    unit = np.repeat(list(trains), [len(times) for times, _, _ in trains.values()])
    order = np.argsort(index, kind="stable")
    sorting = Sorting(index[order], unit[order], rate, recording.n_samples, labels=labels or {})
    return recording, sorting


def measured(recording, sorting, **options):
    with preprocess(recording) as pre:
        return measure_templates(pre, sorting, n_samples=N_SAMPLES, trough_sample=TROUGH, **options)


def times(n, *, seed=0, n_seconds=20, rate=20_000.0):
    """Times between samples, at least 5 ms apart."""
    rng = np.random.default_rng(seed)
    slots = rng.permutation(int(n_seconds * 100) - 2)[:n] + 1
    return np.sort((slots + rng.uniform(0.25, 0.75, n)) / 100 * rate)


def filtered_spike():
    """The planted spike after the filter of sorting, trough -1 at `TROUGH`."""
    sos = butter(3, [300, 6000], "bandpass", fs=20_000, output="sos")
    shape = sosfiltfilt(sos, spike(np.arange(-500, 500) / 20.0))[500 - TROUGH : 500 - TROUGH + N_SAMPLES]
    return shape / -shape.min()


@pytest.mark.parametrize(("rate", "late"), [(20_000.0, 0), (20_000.0, 7), (30_000.0, -9)])
def test_a_template_is_the_planted_spike_at_20_khz_wherever_the_sorter_put_its_time(plant, rate, late):
    found = measured(*sorted_units(plant, {3: (times(600, rate=rate), 2, 30.0)}, rate=rate, late=late))
    (template,) = found.templates
    assert (template.unit, template.n_spikes) == (3, 600)
    assert template.channels[0] == 2
    assert template.waveform.shape == (64, 4)
    main = template.waveform[:, 0]
    assert main.argmin() == TROUGH
    assert main[6:-6] / -main.min() == pytest.approx(filtered_spike()[6:-6], abs=0.015)
    others = np.abs(template.waveform[:, 1:])
    assert others.max() < 6 * template.noise_sd
    assert template.waveform[[0, -1]].max() == 0.0


def test_units_that_are_no_templates_are_left_out_and_counted(plant):
    trains = {
        1: (times(200, seed=1), 0, 20.0),
        2: (times(49, seed=2), 1, 20.0),
        3: (times(200, seed=3), 2, 1.5),
        4: (times(200, seed=4), 3, -20.0),
        5: (times(200, seed=5), 3, 20.0),
        6: (times(200, seed=6), 2, 20.0),
    }
    found = measured(*sorted_units(plant, trains, labels={5: "mua", 6: "good"}))
    assert [template.unit for template in found.templates] == [1, 6]
    assert found.left_out == {
        "of fewer than 50 spikes": 1,
        "of a trough under 4 noise sd": 1,
        "whose peak is larger than the trough": 1,
        "labelled mua": 1,
    }


def test_the_same_seed_gives_the_same_templates(plant):
    recording, sorting = sorted_units(plant, {1: (times(900), 0, 10.0)})
    first, again, other = (measured(recording, sorting, seed=s).templates[0] for s in (0, 0, 1))
    assert first.n_spikes == 800
    assert np.array_equal(first.waveform, again.waveform)
    assert not np.array_equal(first.waveform, other.waveform)


def test_a_unit_at_the_limits_is_a_template_and_its_error_is_that_of_a_median(plant):
    recording, sorting = sorted_units(plant, {1: (times(100, n_seconds=3), 0, 10.0)}, n_seconds=3)
    (template,) = measured(recording, sorting, min_spikes=100).templates
    assert template.noise_sd == pytest.approx(1.25 / 10)
    assert measured(recording, sorting, min_spikes=101).left_out == {"of fewer than 101 spikes": 1}
    trough = -template.waveform.min()
    assert measured(recording, sorting, min_trough_sd=trough).left_out == {}
    left_out = measured(recording, sorting, min_trough_sd=trough + 0.01).left_out
    assert left_out == {f"of a trough under {trough + 0.01:g} noise sd": 1}
