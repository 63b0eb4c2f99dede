"""The path of waveforms: a line for each spike and contact."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.gui.items.waveform import waveform_path
from ncpgui.gui.items.waveform_layout import WaveformLayout

LAYOUT = WaveformLayout(x0=np.array([10.0, 50.0]), y0=np.array([100.0, 200.0]), sample_px=3.0, sd_px=2.0)
SPIKES = np.array([[[0, 1], [-5, 4]], [[2, 0], [3, 0]]], np.float32)  # (spike, sample, contact)
FIRST = [(10, 100), (13, 110)]
LINES = [FIRST, [(50, 198), (53, 192)], [(10, 96), (13, 94)], [(50, 200), (53, 200)]]


def lines(waveforms: np.ndarray) -> list[list[tuple[float, float]]]:
    found: list[list[tuple[float, float]]] = []
    path = waveform_path(waveforms, LAYOUT)
    for element in map(path.elementAt, range(path.elementCount())):
        if element.isMoveTo():
            found.append([])
        found[-1].append((element.x, element.y))
    return found


def test_each_spike_has_a_line_at_each_contact_with_troughs_downwards() -> None:
    assert lines(SPIKES) == LINES


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_contact_that_is_not_known_has_no_line(value: float) -> None:
    spikes = SPIKES.copy()
    spikes[1, :, 0] = value
    assert lines(spikes) == [LINES[0], LINES[1], LINES[3]]


def test_no_waveforms_are_no_path() -> None:
    assert lines(SPIKES[:0]) == lines(SPIKES[:, :, :0]) == []
