"""Units under review in tissue that moved: pieces of one cell are one question, and are shown moved back."""

from __future__ import annotations

import logging
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.motion import Motion
from ncpgui.core.probe import Probe
from ncpgui.core.waveform_format import N_SAMPLES as SPIKE_SAMPLES
from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.sorting import review
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.review import given_units

from .planted import SAMPLING_FREQUENCY_HZ, leader_clustering, regular_times, template
from .test_pipeline import CONFIG
from .test_review import sorting_of

COLUMN = Probe(np.column_stack([np.zeros(8), 20.0 * np.arange(8)]))
N_SAMPLES = 12 * 20_000
MOVED_UM = 20.0
BACK_S = 7.0
"""The tissue is 20 µm further from then on, which is one contact."""
MOTION = Motion(
    time_s=np.array([0.0, 6.9, 7.1, 12.0]),
    depth_um=np.array([70.0]),
    displacement_um=np.array([[0.0], [0.0], [MOVED_UM], [MOVED_UM]]),
    axis=1,
    preset="planted",
    applied=True,
    reason="planted",
)
TIMES = regular_times(400, N_SAMPLES, 4)
MOVED = TIMES > BACK_S * SAMPLING_FREQUENCY_HZ


@pytest.fixture(scope="module")
def recording() -> ArrayRecording:
    """One cell, largest on contact 3 and then on contact 4."""
    traces = np.random.default_rng(7).standard_normal((N_SAMPLES, 8)).astype(np.float32)
    depth = 40 * np.exp(-0.5 * (np.arange(8) - 3) ** 2)
    for time, is_moved in zip(TIMES, MOVED, strict=True):
        wave = template(np.roll(depth, int(is_moved)).tolist())
        traces[time - TROUGH_SAMPLE : time - TROUGH_SAMPLE + SPIKE_SAMPLES] += wave
    return ArrayRecording(traces, sampling_frequency_hz=SAMPLING_FREQUENCY_HZ, probe=COLUMN)


@pytest.mark.parametrize("measured", ["all", "parts"])
def test_pieces_of_a_cell_at_two_places_are_one_question_with_a_card_that_joins_them(
    recording: ArrayRecording,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    measured: str,
) -> None:
    """At the jump each piece has ten spikes of the other place, as a sorter mistakes some."""
    monkeypatch.setattr(review, "motion_of", lambda *_, **__: MOTION)
    unit = np.where(MOVED, 9, 5)
    near = np.argsort(np.abs(TIMES - BACK_S * SAMPLING_FREQUENCY_HZ))[:20]
    unit[near] = np.where(unit[near] == 9, 5, 9)
    sorting = sorting_of({5: TIMES[unit == 5], 9: TIMES[unit == 9]})
    config = replace(CONFIG, motion="auto", measured=measured, measured_s=4.0)
    with caplog.at_level(logging.INFO):
        found = given_units(recording, sorting, config)
    with closing(found):
        (draw,) = found.draws
        assert draw.units.tolist() == [0, 1]
        assert draw.pieces[0].p_one > 0.9
        assert "may be one cell: 5 and 9 (" in caplog.text
        sampled, failed = sample_components(found, found.draws, cluster=leader_clustering)
        assert failed == {}
        explained = found.units.explained
        assert explained.shown is not None
        assert len(np.unique(explained.row)) == 4  # two units at two places
        often = np.flatnonzero(np.bincount(explained.shown) > 20)  # without those that were mistaken
        shown = explained.bank.waveforms[often]
        assert np.ptp(shown, axis=1).argmax(axis=1).tolist() == [3, 3]  # both shown at the first place
    component, _ = sampled[0]
    given, *others = component.alternatives
    assert given.n_units == 2
    joined = next(way for way in others if way.n_units == 1)
    assert joined.mass > 0.8
    assert given.mass < 0.2
