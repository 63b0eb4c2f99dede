"""The real tetrode recording is read, filtered and detected as it should be."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.readers import open_recording
from ncpgui.ephys.waveforms import extract_many


@pytest.mark.shared_data
def test_locust_tetrode_from_file_to_waveforms(locust_recording):
    recording = open_recording(
        locust_recording, sampling_frequency=15_000.0, n_channels=4, dtype="int16", probe="tetrode"
    )
    assert (recording.n_samples, recording.n_channels) == (431_548, 4)
    pre = preprocess(recording)
    assert ((pre.noise_sd > 40) & (pre.noise_sd < 70)).all()
    assert pre.bad_channels == ()
    events = detect_spikes(pre, threshold_sd=5.0, radius_um=100.0)
    assert 500 < len(events) < 1500
    neighbours = {c: pre.probe.neighbours(c, radius_um=100) for c in range(4)}
    waveforms = extract_many(pre, events.sample_index, events.channel, neighbours)
    large = waveforms[0][waveforms[0].min(axis=(1, 2)) < -14]
    assert len(large) > 30
    mean = large.mean(axis=0)
    assert mean[:, 0].argmin() == TROUGH_SAMPLE
    # One cell: its spikes lie close to their mean.
    assert np.median(np.abs(large - mean).mean(axis=(1, 2))) < 1.0
