"""Long work itself, as far as it is decided here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tiny_project import tiny_project

from ncpgui.app.work import exports, jobs, measures, recordings
from ncpgui.app.work.recognition import unused_session
from ncpgui.core.component import Clamp
from ncpgui.core.errors import CheckpointError, InputError, RecordingError
from ncpgui.core.project import RecordingReference

BESIDE = {0: [[0] * 30 + [1] * 30], 1: [[0] * 30]}


def test_a_recording_is_found_by_a_file_in_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "traces.raw").touch()

    class Found:
        def __init__(self, reference: RecordingReference) -> None:
            self.reference = reference

    def reopen(reference: RecordingReference) -> Found:
        if Path(reference.path) != tmp_path:
            raise RecordingError(f"{reference.path} changed since it was sorted")
        return Found(reference)

    monkeypatch.setattr("ncpgui.ephys.readers.reopen", reopen)
    project = tiny_project(BESIDE)
    said: list[tuple[Any, ...]] = []
    for place in (tmp_path, tmp_path / "traces.raw"):
        found = recordings.locate(project, place, progress=lambda *step: said.append(step))
        assert found.path == str(tmp_path)
    assert said == 2 * [(0, 1, "comparing it with what was sorted")]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "traces.raw").touch()
    with pytest.raises(RecordingError, match=r"other/traces\.raw changed"):
        recordings.locate(project, tmp_path / "other" / "traces.raw")


def test_a_recording_is_described_before_it_is_sorted(tmp_path: Path) -> None:
    """Half a second of two channels; the first thing that is said is that nothing of it was read yet."""
    path, said = tmp_path / "traces.raw", []
    np.zeros((10_000, 2), np.int16).tofile(path)
    options = {"probe": "linear-2-30", "sampling_frequency": 20_000.0, "n_channels": 2, "dtype": "int16"}
    request = recordings.RecordingRequest(path, options)
    found = recordings.describe_recording(request, progress=lambda *step: said.append(step))
    assert (found.n_channels, found.sampling_frequency_hz, found.duration_s) == (2, 20_000.0, 0.5)
    assert (found.streams, found.problem, found.has_stimulus) == ((), "", False)
    assert said[0] == (0, 1, "reading")
    np.savez(tmp_path / "stimulus.npz", frames=np.zeros((1, 2, 2)), trigger_sample=np.array([5]))
    assert recordings.describe_recording(request).has_stimulus, "beside it"
    with pytest.raises(InputError, match=r"nowhere\.npz does not exist; give an .npz with frames"):
        recordings.describe_recording(replace(request, stimulus=tmp_path / "nowhere.npz"))
    with pytest.raises(InputError, match="the sorting settings"):
        recordings.describe_recording(replace(request, settings={"loudness": 3}))
    with pytest.raises(CheckpointError, match="no model 'nobody'"):
        recordings.describe_recording(replace(request, settings={"model": "nobody"}))


def test_a_session_gets_a_name_that_no_file_has(tmp_path: Path) -> None:
    recording = tmp_path / "retina.raw"
    assert unused_session(recording) == tmp_path / "retina.ncp.h5"
    (tmp_path / "retina.ncp.h5").touch()
    (tmp_path / "retina-2.ncp.h5").touch()
    assert unused_session(recording) == tmp_path / "retina-3.ncp.h5"


def test_a_map_of_too_many_spikes_is_refused() -> None:
    with pytest.raises(InputError, match="a map takes at most 2000 spikes, this question has 2001 sampled"):
        measures.embed(np.zeros((2001, 2), np.float32))


def test_formats_are_offered_with_what_the_dialog_needs() -> None:
    formats = {
        name: (title, is_folder, suffix) for name, title, is_folder, suffix, _ in exports.export_formats()
    }
    assert formats["phy"][1]
    assert {"phy", "spikeinterface", "npz", "csv"} <= set(formats)


def test_what_ends_like_a_session_may_be_one() -> None:
    assert [jobs.is_session(Path(name)) for name in ("a.h5", "a.HDF5", "a.raw", "h5")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_session_with_a_setting_that_there_is_not_is_not_sampled_on() -> None:
    project = tiny_project(BESIDE)
    project = replace(project, settings={**project.settings, "threshold": 4.25})
    held = Clamp(np.full(60, -1, dtype=np.int32))
    with pytest.raises(
        InputError, match=r"unknown key 'threshold' in the settings in the session; did you mean"
    ):
        jobs.resample(project, project.components[0], project.waveforms[0], held)


def test_work_begins_at_nought_and_says_what_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it calls is replaced, and gives back what it was given."""
    project: Any = tiny_project(BESIDE)
    for place in (
        "ncpgui.sorting.recluster.rarer_sortings",
        "ncpgui.sorting.without_traces.shapes_of",
        "ncpgui.ephys.event_files.read_events",
    ):
        monkeypatch.setattr(place, lambda *values, **_: values)
    saved: list[Any] = []
    path = tmp_path / "a.h5"
    session: Any = SimpleNamespace(path=path, save=lambda *values, **options: saved.append((values, options)))
    said: list[tuple[Any, ...]] = []

    def say(*step: Any) -> None:
        said.append(step)

    component = project.components[0]
    assert jobs.rarer_sortings(project, component, None, progress=say)[:2] == (component, None)
    assert jobs.load_events(project, path, progress=say) == (path, project.recording)
    given: Any = SimpleNamespace(given=path, probe=project.probe, recording=project.recording)
    assert jobs.given_shapes(given, progress=say) == (path,)
    assert jobs.save(session, path, project, 7, progress=say) is session
    assert saved == [((project,), {"n_entries": 7})]
    steps = ["rarer sortings", "reading events", "reading templates", "saving a.h5"]
    assert said == [(0, 1, words) for words in steps]
