"""Units are looked for where matching can find them: by the energy of their templates on all contacts."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.sorting.least_gain import LeastGain
from ncpgui.sorting.matching import GAIN_A_HZ, match_units
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.templates import pruned

RATE_HZ = 20_000.0
N_SAMPLES = 20 * int(RATE_HZ)
N_CHANNELS = 8
PLACES_UM = np.column_stack([np.zeros(N_CHANNELS), 20.0 * np.arange(N_CHANNELS)])


def test_a_cell_that_all_contacts_see_a_little_is_found() -> None:
    """2.4 sd on each of eight contacts: hardly more than noise on any, 15 sd on all together."""
    rng = np.random.default_rng(0)
    time = np.arange(60) - 20
    trough = -np.exp(-((time / 4.0) ** 2)) + 0.3 * np.exp(-(((time - 10) / 8.0) ** 2))
    spikes = np.sort(rng.permutation(N_SAMPLES // 100 - 4)[:500]) * 100 + 150
    traces = rng.normal(0, 1, (N_SAMPLES, N_CHANNELS))
    for spike in spikes:
        traces[spike - 20 : spike + 40] += 2.4 * trough[:, None]
    recording = ArrayRecording(
        (traces * 50).astype(np.int16), sampling_frequency_hz=RATE_HZ, probe=Probe(PLACES_UM)
    )
    with preprocess(recording, reference="none") as pre:
        matched = match_units(pre, spikes[::3], np.zeros(len(spikes[::3]), np.int64))
    assert matched.n_units == 1
    near = np.abs(matched.sample_index[:, None] - spikes[None]) <= 8
    assert near.any(axis=0).mean() > 0.97
    assert near.any(axis=1).mean() > 0.97


@pytest.mark.parametrize(("depth_sd", "is_kept"), [(5.4, False), (5.6, True)])
def test_a_template_with_less_energy_than_matching_asks_for_is_not_looked_for(
    depth_sd: float, is_kept: bool
) -> None:
    """At 20 kHz it asks for 30: one sample of 5.48 sd; the noise of a mean of 7000 spikes adds 0.01."""
    waveforms = np.zeros((1, 1, 70, N_CHANNELS), np.float32)
    waveforms[0, 0, 20, 3] = -depth_sd
    _, units = pruned(
        MovingBank(waveforms, 20, np.ones(1)),
        np.zeros(7000, np.int64),
        PLACES_UM,
        least_gain=LeastGain(GAIN_A_HZ * RATE_HZ),
    )
    assert (units == (0 if is_kept else -1)).all()


def test_energy_that_is_the_noise_of_few_spikes_does_not_count() -> None:
    """The mean of 20 spikes has 28 of noise on eight contacts of 70 samples, beside 9 of its own."""
    rng = np.random.default_rng(0)
    waveforms = rng.normal(0, np.sqrt(1 / 20), (1, 1, 70, N_CHANNELS)).astype(np.float32)
    waveforms[0, 0, 20, 3] = -3.0
    _, units = pruned(
        MovingBank(waveforms, 20, np.ones(1)), np.zeros(20, np.int64), PLACES_UM, least_gain=LeastGain(30.0)
    )
    assert (units == -1).all()
