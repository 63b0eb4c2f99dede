"""Places of peaks are those that SpikeInterface finds, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from spikeinterface.core import NumpyRecording
from spikeinterface.preprocessing.motion import get_motion_parameters_preset
from spikeinterface.sortingcomponents.peak_localization import localize_peaks, peak_localization_methods
from spikeinterface.sortingcomponents.peak_localization.grid import LocalizeGridConvolution

from ncpgui.ephys.grid_places import GridPlaces, use_grid_places

RATE_HZ, N_CHANNELS = 20_000.0, 24
PLACES_UM = np.array([[32.0 * (c // 12), 20.0 * (c % 12)] for c in range(N_CHANNELS)])


def recording_with_peaks() -> tuple[NumpyRecording, np.ndarray]:
    """Noise with a spike every 150 samples, each near some contact; and its peaks."""
    rng = np.random.default_rng(0)
    traces = rng.normal(size=(60_000, N_CHANNELS)).astype(np.float32)
    times = np.arange(100, 59_900, 150)
    peaks = np.zeros(
        len(times),
        [("sample_index", int), ("channel_index", int), ("amplitude", float), ("segment_index", int)],
    )
    peaks["sample_index"], peaks["channel_index"] = times, rng.integers(N_CHANNELS - 3, size=len(times))
    course = np.exp(-(((np.arange(20) - 8) / 3.0) ** 2))
    for time, channel in zip(times, peaks["channel_index"], strict=True):
        far_um = np.linalg.norm(PLACES_UM - PLACES_UM[channel] - rng.normal(0, 8, 2), axis=1)
        traces[time - 8 : time + 12] -= (20 * course[:, None] * np.exp(-far_um / 25)).astype(np.float32)
    peaks["amplitude"] = traces[times, peaks["channel_index"]]
    recording = NumpyRecording([traces], RATE_HZ)
    recording.set_dummy_probe_from_locations(PLACES_UM)
    return recording, peaks


@pytest.mark.parametrize("chunk_s", [0.3, 10.0])
def test_places_are_those_of_spikeinterface_to_the_last_bit(
    chunk_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all channels but three, in one piece and in several, by the settings of the motion preset."""
    recording, peaks = recording_with_peaks()
    settings = get_motion_parameters_preset("dredge_fast")["localize_peaks_kwargs"]
    found = []
    for method in (LocalizeGridConvolution, GridPlaces):
        monkeypatch.setitem(peak_localization_methods, method.name, method)
        found.append(
            localize_peaks(
                recording, peaks, method_kwargs=dict(settings), job_kwargs={"chunk_duration": chunk_s}
            )
        )
    theirs, ours = found
    assert ours.dtype == theirs.dtype
    assert len(ours) == len(peaks)
    for axis in "xyz":
        np.testing.assert_array_equal(ours[axis], theirs[axis])
    off_um = np.hypot(
        ours["x"] - PLACES_UM[peaks["channel_index"], 0], ours["y"] - PLACES_UM[peaks["channel_index"], 1]
    )
    assert np.median(off_um) < 20


def test_the_method_of_the_motion_presets_is_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(peak_localization_methods, "grid_convolution", LocalizeGridConvolution)
    use_grid_places()
    assert peak_localization_methods["grid_convolution"] is GridPlaces
