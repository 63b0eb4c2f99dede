"""What the window does with a recording, step by step, is what `ncpgui sort` does at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.app.work import jobs, recordings
from ncpgui.core.errors import RecordingError
from ncpgui.core.progress import Cancelled
from ncpgui.core.project import Project
from ncpgui.ephys.readers import open_recording
from ncpgui.session import store
from ncpgui.sorting.component_waveforms import read_spikes
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import shown_first, sort_recording
from tests.sorting.planted import SQUARE, Cell, leader_clustering, planted_recording, regular_times
from tests.sorting.stopping import assert_same

N_SAMPLES = 5 * 20_000
SETTINGS = {"reference": "none", "spikes_per_group": 30, "posterior_samples": 8}
OPTIONS = {"probe": SQUARE, "sampling_frequency": 20_000.0, "n_channels": 4, "dtype": "int16"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cells 30 sd deep, on contacts 0 and 3 of a raw file."""
    cells = [
        Cell([30.0, 4.0, 0.0, 0.0], regular_times(100, N_SAMPLES, 1)),
        Cell([0.0, 0.0, 4.0, 30.0], regular_times(80, N_SAMPLES, 2)),
    ]
    file = tmp_path_factory.mktemp("raw") / "two.raw"
    np.round(planted_recording(cells, N_SAMPLES).traces(0, N_SAMPLES) * 50).astype(np.int16).tofile(file)
    return file


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three cells, on contacts 0, 2 and 3 of a raw file."""
    cells = [
        Cell([30.0, 0.0, 0.0, 0.0], regular_times(100, N_SAMPLES, 1)),
        Cell([0.0, 0.0, 25.0, 0.0], regular_times(80, N_SAMPLES, 2)),
        Cell([0.0, 0.0, 0.0, 35.0], regular_times(60, N_SAMPLES, 3)),
    ]
    file = tmp_path_factory.mktemp("raw") / "three.raw"
    np.round(planted_recording(cells, N_SAMPLES).traces(0, N_SAMPLES) * 50).astype(np.int16).tofile(file)
    return file


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncpgui.sorting.sampling._engine_cluster", lambda: leader_clustering)


def _sampled(live: recordings.Live, project: Project) -> Project:
    results = [jobs.sample(live, waiting) for waiting in project.waiting]
    return replace(project, components=tuple(component for component, _ in results), waiting=())


def test_units_found_then_components_sampled_one_by_one_are_the_sorting_at_once(path: Path) -> None:
    live, project = recordings.find_units(recordings.RecordingRequest(path, OPTIONS, SETTINGS))
    assert np.bincount(project.unit_of_spike).tolist() == [100, 80]
    assert [(one.id, one.channel) for one in project.waiting] == [(0, 0), (1, 3)]
    done = _sampled(live, project)
    live.close()
    at_once = sort_recording(open_recording(path, **OPTIONS), SortingConfig(**SETTINGS))
    units, _ = shown_first(project.unit_of_spike, project.probability, done.components)
    assert units.tolist() == at_once.unit_of_spike.tolist()
    for one, other in zip(done.components, at_once.components, strict=True):
        assert one.posterior.labels.tolist() == other.posterior.labels.tolist()
        assert one.alternatives[0].labels.tolist() == other.alternatives[0].labels.tolist()


def test_components_that_were_not_reached_are_sampled_when_the_recording_is_opened_again(path: Path) -> None:
    live, project = recordings.find_units(recordings.RecordingRequest(path, OPTIONS, SETTINGS))
    expected = _sampled(live, project).components[1]
    live.close()
    again = recordings.reopen(replace(project, waiting=project.waiting[1:]))
    assert again.left == {one.id for one in project.waiting[1:]}  # the first is sampled
    found, _ = jobs.sample(again, project.waiting[1])
    again.close()
    assert found.posterior.labels.tolist() == expected.posterior.labels.tolist()


def test_a_session_whose_spikes_are_found_otherwise_now_says_to_sort_again(path: Path) -> None:
    live, project = recordings.find_units(recordings.RecordingRequest(path, OPTIONS, SETTINGS))
    live.close()
    spikes = replace(project.spikes, sample_index=project.spikes.sample_index + 1)
    with pytest.raises(RecordingError, match=r"another version sorted.* sort the recording again"):
        recordings.reopen(replace(project, spikes=spikes))


def test_a_search_that_was_stopped_goes_on_when_the_recording_is_opened_again(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = recordings.RecordingRequest(path, OPTIONS, SETTINGS, session=tmp_path / "s.h5")
    whole, expected = recordings.find_units(replace(request, session=None))
    whole.close()

    def stopped(*_: object, **__: object) -> None:
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr("ncpgui.sorting.pipeline.found_units", stopped)
        with pytest.raises(Cancelled):
            recordings.find_units(request)
    assert (tmp_path / "s.h5.steps" / "matching.npz").is_file()
    monkeypatch.setattr("ncpgui.sorting.pipeline.propose", stopped)
    monkeypatch.setattr("ncpgui.sorting.matching._Rounds.run", stopped)
    live, project = recordings.find_units(request)
    assert_same(project, expected)
    live.close()


def test_steps_stay_until_every_component_is_sampled_and_the_session_is_there(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = tmp_path / "s.h5"
    steps = tmp_path / "s.h5.steps"
    live, project = recordings.find_units(
        recordings.RecordingRequest(path, OPTIONS, SETTINGS, session=session)
    )
    first = jobs.sample(live, project.waiting[0])
    live.close()
    assert steps.is_dir()
    store.save(replace(project, components=(first[0],), waiting=project.waiting[1:]), session)

    def searched(*_: object, **__: object) -> None:
        raise AssertionError("its units were found before")

    monkeypatch.setattr("ncpgui.sorting.pipeline.propose", searched)
    monkeypatch.setattr("ncpgui.sorting.matching._Rounds.run", searched)
    again = recordings.reopen(store.load(session), session)
    assert again.notes == ()
    jobs.sample(again, project.waiting[1])
    again.close()
    assert not steps.exists()


def test_steps_of_another_run_are_left_and_the_window_says_that_nothing_is_kept(
    path: Path, tmp_path: Path
) -> None:
    session = tmp_path / "s.h5"
    live, _ = recordings.find_units(recordings.RecordingRequest(path, OPTIONS, SETTINGS, session=session))
    live.close()
    before = sorted(item.name for item in (tmp_path / "s.h5.steps").iterdir())
    other = recordings.RecordingRequest(path, OPTIONS, SETTINGS | {"threshold_sd": 6.0}, session=session)
    live, _ = recordings.find_units(other)
    assert len(live.notes) == 1
    assert live.notes[0].startswith("a search for units that is stopped will begin anew: ")
    assert "settings threshold_sd was 4.5 and is 6.0" in live.notes[0]
    live.close()
    assert sorted(item.name for item in (tmp_path / "s.h5.steps").iterdir()) == before


def test_spikes_of_components_that_wait_are_read_together_but_for_those_of_the_first(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A way through the recording takes all spikes out of all traces, whichever component it is for."""
    read: list[list[int]] = []

    def counted(pre: Any, units: Any, draws: Any, config: Any, **options: Any) -> Any:
        read.append([draw.id for draw in draws])
        return read_spikes(pre, units, draws, config, **options)

    monkeypatch.setattr("ncpgui.sorting.component_waveforms.read_spikes", counted)
    live, project = recordings.find_units(recordings.RecordingRequest(three, OPTIONS, SETTINGS))
    together = _sampled(live, project)
    assert [len(ids) for ids in read] == [1, 2]
    assert live.read == {}
    live.close()
    read.clear()
    monkeypatch.setattr(jobs, "READ_AHEAD_BYTES", 0)
    live, project = recordings.find_units(recordings.RecordingRequest(three, OPTIONS, SETTINGS))
    alone = _sampled(live, project)
    live.close()
    assert read == [[0], [1], [2]]
    assert_same(together, alone)
