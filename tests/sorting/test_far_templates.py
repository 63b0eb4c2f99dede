"""Templates reach as far as a cell is seen: what a large cell leaves beyond is no unit of its own."""

from __future__ import annotations

import numpy as np

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.sorting.found_units import found_units
from ncpgui.sorting.least_gain import LeastGain
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.templates import TEMPLATE_RADIUS_UM, pruned

RATE_HZ = 20_000.0
N_CHANNELS = 8
PLACES_UM = np.column_stack([np.zeros(N_CHANNELS), 40.0 * np.arange(N_CHANNELS)])
"""Contacts from the fourth on are beyond the radius of one that is on the first."""


def seen_on(span_sd: list[float], n_spikes: int) -> list[int]:
    """Channels that the template of a unit keeps which spans so much on each."""
    waveforms = np.zeros((1, 1, 70, N_CHANNELS), np.float32)
    waveforms[0, 0, 20] = -np.asarray(span_sd)
    units = np.zeros(n_spikes, np.int64)
    bank, _ = pruned(MovingBank(waveforms, 20, np.ones(1)), units, PLACES_UM, least_gain=LeastGain(0.0))
    return np.flatnonzero((bank.waveforms != 0).any(axis=(0, 1, 2))).tolist()


def test_beyond_the_radius_a_template_is_kept_where_it_is_more_than_the_noise_of_its_mean() -> None:
    """The mean of 900 spikes has noise that spans 0.2 sd, that of 36 spikes 1.0 sd."""
    assert PLACES_UM[2, 1] < TEMPLATE_RADIUS_UM < PLACES_UM[3, 1]
    span_sd = [40, 12, 1.1, 1.1, 1.5, 2.5, 0.9, 0]
    assert seen_on(span_sd, 900) == [0, 1, 2, 4, 5]
    assert seen_on(span_sd, 36) == [0, 1, 2, 5]


def test_nothing_of_a_large_cell_is_left_on_far_contacts() -> None:
    """A cell of 60 sd is seen late with 8 sd on all contacts from the fourth on: 600 spikes cross 4.5 sd."""
    rng = np.random.default_rng(0)
    n_samples = 20 * int(RATE_HZ)
    time = np.arange(80) - 20
    trough = -np.exp(-((time / 3.0) ** 2)) + 0.4 * np.exp(-(((time - 8) / 6.0) ** 2))
    late = -np.exp(-(((time - 15) / 3.0) ** 2)) + 0.4 * np.exp(-(((time - 23) / 6.0) ** 2))
    cell = np.zeros((80, N_CHANNELS))
    cell[:, :3] = 60 * trough[:, None] * [1.0, 0.4, 0.2]
    cell[:, 3:] = 8 * late[:, None]
    spikes = np.sort(rng.permutation(n_samples // 100 - 4)[:600]) * 100 + 150
    traces = rng.normal(0, 1, (n_samples, N_CHANNELS))
    for spike in spikes:
        traces[spike - 20 : spike + 60] += cell
    recording = ArrayRecording(
        (traces * 50).astype(np.int16), sampling_frequency_hz=RATE_HZ, probe=Probe(PLACES_UM)
    )
    with preprocess(recording, reference="none") as pre:
        matched = match_units(pre, spikes, np.zeros(600, np.int64))
        left = found_units(pre, matched).explained.residual(pre, 0, n_samples)
    assert len(matched.sample_index) == 600
    assert (left[:, 3:].min(axis=1) < -4.5).sum() < 30
