"""A sorting without its recording is a project of units: contacts and heights are those of its templates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.errors import MissingRecordingError, RecordingError
from ncpgui.core.given import PHY, SPIKEINTERFACE, GivenSorting
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.probe import Probe
from ncpgui.core.spikes import Sorting
from ncpgui.sorting import without_traces
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.without_traces import project_without_traces, shapes_of

THREE = Probe(np.column_stack([np.zeros(3), 20.0 * np.arange(3)]))
RECORDING = ArrayRecording(np.zeros((100, 3), np.int16), sampling_frequency_hz=20_000, probe=THREE)
SORTING = Sorting(np.array([5, 9, 20, 31]), np.array([7, 7, 2, 2]), 20_000.0, 100)


def shapes() -> GivenShapes:
    """Templates: a trough of 8 on contact 1; a peak of 5 beside a trough of 3 on contact 2."""
    templates = np.zeros((2, 32, 3), np.float32)
    templates[0, 10, 1] = -8
    templates[0, 20, 1] = 3
    templates[1, 10, 2], templates[1, 12, 2] = 5, -3
    templates[1, 10, 0] = -7  # lower from its trough to its peak than contact 2
    none = np.zeros((0, 0, 0), np.float32)
    return GivenShapes(
        templates,
        np.array([0, 0, 1, 1]),
        np.array([1, 0.5, 1, 2], np.float32),
        np.zeros(0, np.int64),
        none,
        np.zeros((2, 0), np.int64),
    )


def given(kind: str = PHY, path: str = "/data/sorted") -> GivenSorting:
    return GivenSorting(path, kind, np.arange(4), "digest")


def test_spikes_are_on_the_contact_where_their_template_is_largest_and_as_high_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(without_traces, "shapes_of", lambda *_, **__: shapes())
    project = project_without_traces(RECORDING, SORTING, given(), SortingConfig())
    assert project.spikes.channel.tolist() == [1, 1, 2, 2]
    assert project.spikes.amplitude.tolist() == [-8, -4, 5, 10]
    assert project.unit_of_spike.tolist() == [7, 7, 2, 2]
    assert project.probability.tolist() == [1] * 4
    assert project.noise_sd.tolist() == [1] * 3
    assert (project.components, project.model) == ((), "")
    assert project.spikes.n_samples == 100


def test_of_a_trough_and_a_peak_that_are_as_high_the_trough_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    even = shapes()
    even.templates[1, 10, 2], even.templates[1, 12, 2] = 5, -5
    monkeypatch.setattr(without_traces, "shapes_of", lambda *_, **__: even)
    project = project_without_traces(RECORDING, SORTING, given(), SortingConfig())
    assert project.spikes.amplitude.tolist() == [-8, -4, -5, -10]


def test_a_sorting_that_keeps_no_shapes_has_its_spikes_on_the_first_contact_without_a_height(
    caplog: pytest.LogCaptureFixture,
) -> None:
    project = project_without_traces(RECORDING, SORTING, given(SPIKEINTERFACE), SortingConfig())
    assert project.spikes.channel.tolist() == [0] * 4
    assert project.spikes.amplitude.tolist() == [0] * 4
    assert project.given is not None
    assert project.given.kind == SPIKEINTERFACE
    assert "keeps no templates that can be shown" in caplog.text
    assert "all units are shown at the first contact, and spikes without a height" in caplog.text


def test_shapes_are_those_of_a_folder_of_phy_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="keeps no templates that can be shown without its recording"):
        shapes_of(given(SPIKEINTERFACE), n_contacts=3, rate_hz=20_000.0)
    with pytest.raises(MissingRecordingError, match="is not there any more; put it back, or mount its disk"):
        shapes_of(given(path=str(tmp_path / "gone")), n_contacts=3, rate_hz=20_000.0)
    with pytest.raises(RecordingError, match=r"has no templates\.npy"):
        shapes_of(given(path=str(tmp_path)), n_contacts=3, rate_hz=20_000.0)
