"""Filtering all channels side by side gives what SciPy and SpikeInterface give."""

import numpy as np
import pytest
from scipy.signal import iirfilter, sosfiltfilt
from spikeinterface.core import NumpyRecording
from spikeinterface.preprocessing import bandpass_filter

from ncpgui.ephys.band_pass import SideBySide, filtered_both_ways

RATE_HZ = 20_000.0


@pytest.mark.parametrize("kind", ["bandpass", "highpass"])
@pytest.mark.parametrize("order", [1, 3, 4])
def test_sections_are_run_as_by_scipy_to_the_last_bit(kind: str, order: int) -> None:
    band = (300, 6000) if kind == "bandpass" else 300
    sos = iirfilter(order, band, fs=RATE_HZ, btype=kind, output="sos")
    traces = np.random.default_rng(0).normal(0, 100, (500, 5)).astype(np.int16)
    np.testing.assert_array_equal(filtered_both_ways(sos, traces), sosfiltfilt(sos, traces, axis=0))


def test_traces_are_those_of_spikeinterface_wherever_they_begin_and_end() -> None:
    traces = np.random.default_rng(1).normal(0, 100, (4000, 3)).astype(np.int16)
    theirs = bandpass_filter(
        NumpyRecording([traces], RATE_HZ), freq_min=300.0, freq_max=6000.0, filter_order=3, dtype="float32"
    )
    ours = SideBySide(theirs)
    for first, end in ((0, 4000), (0, 100), (1500, 2200), (3990, 4000)):
        np.testing.assert_array_equal(
            ours.get_traces(start_frame=first, end_frame=end),
            theirs.get_traces(start_frame=first, end_frame=end),
        )
    assert ours.get_traces(start_frame=0, end_frame=10).dtype == np.float32
    assert ours.is_filtered()


def test_traces_shorter_than_what_they_are_continued_by_are_refused() -> None:
    sos = iirfilter(3, (300, 6000), fs=RATE_HZ, btype="bandpass", output="sos")
    with pytest.raises(ValueError, match="a filter of 7 taps needs more than 21 samples, got 21"):
        filtered_both_ways(sos, np.zeros((21, 2)))
    assert filtered_both_ways(sos, np.zeros((22, 2))).shape == (22, 2)
