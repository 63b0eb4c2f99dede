"""An inverted recording is seen by the side to which its spikes point, and said; others are not doubted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from tests.sorting.planted import SQUARE, Cell, planted_recording, regular_times

N_SAMPLES = 100_000
CELLS = [
    Cell([25, 10, 8, 4], regular_times(120, N_SAMPLES, 1)),
    Cell([4, 20, 6, 4], regular_times(90, N_SAMPLES, 2)),
]


def filtered(sign: int, cells: list[Cell] = CELLS) -> Preprocessed:
    traces = planted_recording(cells, N_SAMPLES).traces(0, N_SAMPLES)
    return preprocess(ArrayRecording(sign * traces, sampling_frequency_hz=20_000.0, probe=SQUARE))


@pytest.fixture(scope="module", params=[1, -1])
def signed(request: pytest.FixtureRequest) -> Iterator[tuple[int, Preprocessed]]:
    with filtered(request.param) as pre:
        yield request.param, pre


def test_spikes_on_the_other_side_are_said(
    signed: tuple[int, Preprocessed], caplog: pytest.LogCaptureFixture
) -> None:
    sign, pre = signed
    wrong, right, way = ("pos", "neg", "down") if sign == 1 else ("neg", "pos", "up")
    detect_spikes(pre, peak_sign=wrong)
    assert f"spikes that were looked at point {way}wards; if the recording is inverted" in caplog.text
    assert f"sort it with --peak-sign {right}, or both" in caplog.text
    caplog.clear()
    for fitting in (right, "both"):
        detect_spikes(pre, peak_sign=fitting)
    assert caplog.text == ""


def test_noise_alone_and_a_few_large_spikes_are_no_hint(caplog: pytest.LogCaptureFixture) -> None:
    few = [Cell([25, 10, 8, 4], np.arange(1, 12) * 8000)]
    for cells in ([], few):
        with filtered(-1, cells) as pre:
            detect_spikes(pre, threshold_sd=4.5)
    assert caplog.text == ""
