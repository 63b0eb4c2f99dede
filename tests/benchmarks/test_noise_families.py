"""Noise that is added has the spectrum, size and reach that its family says; cells are of their kinds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import probeinterface
import pytest
from numpy.typing import NDArray
from scipy.signal import welch

from benchmarks.recordings.generator import UV_PER_COUNT, band_passed
from benchmarks.recordings.noise_families import (
    FAMILIES,
    HZ,
    MEASURED,
    PEAK_300_HZ,
    SPECTRA,
    Family,
    as_loud,
    flat,
    loudness,
    with_noise,
)
from benchmarks.recordings.real_backgrounds import sd_of, with_units
from benchmarks.recordings.varied_cells import KINDS, in_bursts, kind_of, positive_first, wide

RATE_HZ = 20_000.0
N = 200_000
PLACES_UM = np.column_stack([np.zeros(4), 25.0 * np.arange(4)])


def in_noise(family: Family, seed: int = 0) -> NDArray[np.float64]:
    """Noise of a family alone, in uV: (N, 4)."""
    silence = np.zeros((N, 4), np.float32)
    return with_noise(silence, family, PLACES_UM, RATE_HZ, np.random.default_rng(seed)) * UV_PER_COUNT


def power(trace: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return welch(trace, RATE_HZ, nperseg=4096)


def test_there_are_ten_spectra_and_white_noise_is_none_of_them() -> None:
    assert len(SPECTRA) == 10
    assert "white" not in SPECTRA


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.spectrum is not None])
def test_noise_is_as_large_as_its_family_says(name: str) -> None:
    family = FAMILIES[name]
    sd = in_noise(family).std(axis=0)
    n = round(family.part * 4)
    drifting = np.sqrt(1 + family.drift**2 / 2)
    assert sd[:n] == pytest.approx(family.sd_uv * drifting, rel=0.1)
    assert (sd[n:] == 0).all()


def test_noise_is_as_loud_in_the_band_as_what_it_adds_there() -> None:
    """White noise of the same sd doubles the power; slow noise adds nothing from 300 Hz on."""
    assert loudness(Family(None)) == 1
    assert loudness(Family(np.ones_like, 7.0), white_uv=7.0) == pytest.approx(np.sqrt(2), abs=1e-3)
    assert loudness(Family(lambda f: (f < 100) + 1e-9, 50.0), white_uv=7.0) == pytest.approx(1, abs=0.01)


def test_white_noise_as_loud_as_a_peak_has_its_sd_behind_the_band_pass_and_not_before() -> None:
    coloured, white = in_noise(PEAK_300_HZ), in_noise(as_loud(PEAK_300_HZ, flat, RATE_HZ))
    sd = [band_passed(one, RATE_HZ).std() for one in (coloured, white)]
    assert sd[1] == pytest.approx(sd[0], rel=0.02)
    assert white.std() < 0.8 * coloured.std()


def test_noise_that_is_not_gaussian_is_not_made_as_loud() -> None:
    with pytest.raises(ValueError, match="no spectrum"):
        as_loud(FAMILIES["artefacts"], flat, RATE_HZ)


def test_a_peak_is_where_it_is_said_to_be() -> None:
    hz, found = power(in_noise(FAMILIES["peak 800 Hz"])[:, 0])
    assert hz[found.argmax()] == pytest.approx(800, abs=60)


def test_a_measured_spectrum_comes_back() -> None:
    hz, found = power(in_noise(replace(FAMILIES["locust tetrode"], reach_um=0.0))[:, 0])
    at = [HZ.index(one) for one in (100, 300, 1500, 5000)]
    ratio = np.interp(np.array(HZ)[at], hz, found) / np.array(MEASURED["locust tetrode"])[at]
    assert ratio == pytest.approx(ratio.mean(), rel=0.3)


def test_lines_of_the_mains_hold_nearly_all_of_the_hum() -> None:
    spectrum = np.abs(np.fft.rfft(in_noise(FAMILIES["hum"])[:, 0])) ** 2
    hz = np.fft.rfftfreq(N, 1 / RATE_HZ)
    on_a_line = (np.abs(hz % 100 - 50) < 3) & (hz < 2000)
    assert spectrum[on_a_line].sum() > 0.95 * spectrum.sum()


def test_noise_is_shared_by_contacts_as_far_as_it_reaches() -> None:
    shared = np.corrcoef(in_noise(FAMILIES["1/f^2"]).T)
    assert shared[0, 1] == pytest.approx(np.exp(-25 / 50), abs=0.1)
    alone = np.corrcoef(in_noise(FAMILIES["1/f"]).T)
    assert abs(alone[0, 1]) < 0.1


def test_an_artefact_is_on_all_contacts_and_silence_is_between() -> None:
    traces = in_noise(Family(None, artefacts_hz=0.5), seed=4)
    loud = np.abs(traces).max(axis=1) > 20
    assert 0 < loud.mean() < 0.2
    assert np.corrcoef(traces[loud].T).min() > 0.95


def test_far_cells_make_noise_with_a_heavy_tail_that_contacts_share() -> None:
    traces = in_noise(FAMILIES["far cells, heavy tail"])
    trace = traces[:, 0] - traces[:, 0].mean()
    assert (trace**4).mean() / (trace**2).mean() ** 2 > 3.5
    assert np.corrcoef(traces.T)[0, 1] > 0.5


def test_coarse_steps_are_steps() -> None:
    rng = np.random.default_rng(0)
    traces = 7 * rng.standard_normal((N, 4)).astype(np.float32)
    counts = with_noise(traces, FAMILIES["coarse steps"], PLACES_UM, RATE_HZ, rng)
    gaps = np.diff(np.unique(counts)) * UV_PER_COUNT
    assert gaps == pytest.approx(8.0, abs=2 * UV_PER_COUNT)


def test_a_burst_shrinks_to_half_and_ends_before_the_next_one() -> None:
    first = np.array([1000, 1150, 50_000])
    spikes, sizes = in_bursts(first, RATE_HZ, np.random.default_rng(1))
    assert np.isin(first, spikes).all()
    assert (np.diff(spikes) >= 60).all()
    assert sizes[np.isin(spikes, first)].tolist() == [1, 1, 1]
    assert (sizes >= 0.5).all()
    long = in_bursts(np.arange(300) * 10_000, RATE_HZ, np.random.default_rng(1))[1]
    assert long.min() == 0.5


def test_a_cell_without_spikes_has_no_burst() -> None:
    spikes, sizes = in_bursts(np.zeros(0, np.int64), RATE_HZ, np.random.default_rng(1))
    assert (len(spikes), len(sizes)) == (0, 0)


def test_wide_and_positive_first_spikes_are_what_their_names_say() -> None:
    time = np.arange(90) - 30.0
    template = -np.exp(-((time / 3) ** 2))[:, None] * [1.0, 0.5]
    stretched = wide(template, 30)
    assert stretched[30] == pytest.approx(template[30])
    assert (stretched < -0.5).sum() == pytest.approx(2 * (template < -0.5).sum(), abs=2)
    axon = positive_first(template, 30, 1.5, RATE_HZ)
    assert axon[:, 0].argmax() < axon[:, 0].argmin() == 30
    assert axon.max(axis=0) == pytest.approx([1.5, 0.75], rel=0.1)


def test_every_kind_of_cell_comes_in_turn() -> None:
    assert [kind_of(unit) for unit in range(5)] == [*KINDS, KINDS[0]]


def test_inserted_units_are_as_high_as_asked_in_the_filtered_noise() -> None:
    probe = probeinterface.generate_linear_probe(4, ypitch=25)
    noise = np.random.default_rng(0).standard_normal((N, 4))
    mixed, cells = with_units(noise, RATE_HZ, probe, (8.0, 20.0), seed=3)
    inside = mixed - noise
    seen = band_passed(inside, RATE_HZ) / sd_of(noise, RATE_HZ)
    for unit, height in enumerate((8.0, 20.0)):
        train = cells.get_unit_spike_train(unit)
        troughs = [seen[spike - 20 : spike + 20].min() for spike in train[1:-1]]
        assert np.median(troughs) == pytest.approx(-height, rel=0.1)
