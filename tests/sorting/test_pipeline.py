"""The whole way from traces to a project, with a stand-in for the network."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.progress import Cancelled
from ncpgui.core.project import Project
from ncpgui.ephys.recording import ArrayRecording
from ncpgui.sorting.cluster_channels import cluster_group
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Threads
from ncpgui.sorting.pipeline import detect, sort_recording
from ncpgui.sorting.process_workers import Processes
from ncpgui.sorting.recluster import resample_rest

from .planted import (
    SAMPLING_FREQUENCY_HZ,
    SQUARE,
    Cell,
    failing_on,
    leader_clustering,
    planted_recording,
    regular_times,
)
from .tasks import dask_cluster

N_SAMPLES = 20 * 20_000
CONFIG = SortingConfig(spikes_per_group=150, posterior_samples=8, reference="none")
FEW = SortingConfig(spikes_per_group=60, posterior_samples=6, min_cluster_spikes=5, reference="none")
CELLS = [
    Cell([40, 15, 10, 5], regular_times(200, N_SAMPLES, 1)),
    Cell([25, 4, 16, 4], regular_times(120, N_SAMPLES, 2)),
    Cell([4, 4, 8, 30], regular_times(90, N_SAMPLES, 3)),
]


@pytest.fixture(scope="module")
def recording() -> ArrayRecording:
    return planted_recording(CELLS, N_SAMPLES)


@pytest.fixture(scope="module")
def project(recording: ArrayRecording) -> Project:
    return sort_recording(recording, CONFIG, cluster=leader_clustering)


def _unit_at(project: Project, times: np.ndarray) -> np.ndarray:
    """Unit of the spike nearest to each planted one, -2 where none is within 0.5 ms."""
    found = project.spikes.sample_index
    near = np.abs(found[:, None] - times[None]).argmin(axis=0)
    return np.where(np.abs(found[near] - times) <= 10, project.unit_of_spike[near], -2)


def test_planted_cells_become_units(project: Project) -> None:
    assert set(np.unique(project.unit_of_spike).tolist()) <= {-1, 0, 1, 2}
    answers = []
    for cell in CELLS:
        units = _unit_at(project, cell.times)
        values, counts = np.unique(units, return_counts=True)
        assert counts.max() >= 0.93 * len(cell.times)
        answers.append(int(values[counts.argmax()]))
    assert sorted(answers) == [0, 1, 2]
    assert project.model == "stand-in"


def test_groups_hold_every_spike_once_and_the_alternatives(project: Project) -> None:
    ids = np.concatenate([group.spike_ids for group in project.groups])
    assert np.sort(ids).tolist() == list(range(len(project.spikes)))
    group = project.group(0)
    assert group is not None
    assert len(group.sampled) == 150
    assert [alternative.n_units for alternative in group.alternatives[:2]] == [2, 1]
    assert [alternative.mass for alternative in group.alternatives[:2]] == [0.75, 0.25]
    cache = project.waveforms[0]
    assert cache.waveforms.shape == (150, 32, 4)
    assert cache.coordinates is not None
    assert cache.coordinates.shape == (len(group.spike_ids), 16)


def test_the_same_seed_gives_the_same_result_and_one_group_alone_too(
    recording: ArrayRecording, project: Project
) -> None:
    again = sort_recording(recording, CONFIG, cluster=leader_clustering, workers=1)
    assert again.unit_of_spike.tolist() == project.unit_of_spike.tolist()
    assert again.probability.tolist() == project.probability.tolist()
    found = detect(recording, CONFIG)
    alone, _ = cluster_group(found.pre, found.spikes, 0, CONFIG, cluster=leader_clustering)
    found.pre.close()
    group = project.group(0)
    assert group is not None
    assert alone.alternatives[0].labels.tolist() == group.alternatives[0].labels.tolist()


@pytest.fixture(scope="module")
def few_spikes(recording: ArrayRecording) -> ArrayRecording:
    return ArrayRecording(
        recording.array[: 4 * 20_000], sampling_frequency_hz=SAMPLING_FREQUENCY_HZ, probe=SQUARE
    )


@pytest.fixture(scope="module")
def serial(few_spikes: ArrayRecording) -> Project:
    """Sorted with the network that is shipped, one group after the other."""
    return sort_recording(few_spikes, FEW, workers=1)


def _assert_same(first: Project, second: Project) -> None:
    """Draw for draw and unit for unit."""
    assert [group.channel for group in first.groups] == [group.channel for group in second.groups]
    assert len(first.groups) >= 2
    for a, b in zip(first.groups, second.groups, strict=True):
        assert a.posterior.labels.tolist() == b.posterior.labels.tolist()
        np.testing.assert_array_equal(a.posterior.log_prob, b.posterior.log_prob)
        np.testing.assert_array_equal(a.posterior.order, b.posterior.order)
    assert first.unit_of_spike.tolist() == second.unit_of_spike.tolist()
    assert first.probability.tolist() == second.probability.tolist()


def test_threads_find_what_one_thread_finds(few_spikes: ArrayRecording, serial: Project) -> None:
    _assert_same(serial, sort_recording(few_spikes, FEW, workers=Threads(2)))


@pytest.mark.slow
def test_processes_find_what_one_thread_finds(few_spikes: ArrayRecording, serial: Project) -> None:
    _assert_same(serial, sort_recording(few_spikes, FEW, workers=Processes(2)))


@pytest.mark.slow
def test_a_dask_cluster_finds_what_one_thread_finds_even_if_a_worker_is_killed(
    few_spikes: ArrayRecording, serial: Project
) -> None:
    with dask_cluster() as client:
        from ncpgui.sorting.dask_workers import Dask

        process = client.run(os.getpid)
        killed: list[str] = []

        def progress(done: int, total: int, message: str = "") -> None:
            if " done, clustering " in message and not killed:
                busy = [worker for worker, tasks in client.processing().items() if tasks]
                for worker in busy[:1]:
                    os.kill(process[worker], signal.SIGKILL)
                    killed.append(worker)

        project = sort_recording(few_spikes, FEW, workers=Dask(client), progress=progress)
    assert killed
    _assert_same(serial, project)


def test_a_failing_group_is_named_and_the_others_are_kept(recording: ArrayRecording) -> None:
    project = sort_recording(recording, CONFIG, cluster=failing_on((0.0, 0.0)))
    assert project.failed == {0: "planted failure"}
    assert project.group(0) is None
    assert project.group(3) is not None
    assert (project.unit_of_spike[project.spikes.channel == 0] == -1).all()


def test_all_groups_failing_is_an_error(recording: ArrayRecording) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("out of memory")

    with pytest.raises(InputError, match=r"none of the . channel groups could be sampled.*out of memory"):
        sort_recording(recording, CONFIG, cluster=broken)


def test_a_model_that_cannot_be_loaded_stops_everything(recording: ArrayRecording) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise CheckpointError("no such model")

    with pytest.raises(CheckpointError, match="no such model"):
        sort_recording(recording, CONFIG, cluster=broken)


def test_no_spikes_is_an_error_that_says_what_to_do() -> None:
    quiet = planted_recording([], 40_000)
    with pytest.raises(
        InputError, match=r"no spikes found under -50 noise sd on 4 channels .* lower threshold_sd"
    ):
        sort_recording(quiet, SortingConfig(threshold_sd=50.0, reference="none"), cluster=leader_clustering)


def test_progress_grows_to_its_end_and_cancelling_stops(recording: ArrayRecording) -> None:
    seen: list[float] = []
    words: list[str] = []

    def progress(done: int, total: int, message: str = "") -> None:
        seen.append(done / total)
        words.append(message)

    sort_recording(recording, CONFIG, cluster=leader_clustering, progress=progress)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert any(message.startswith("0 of ") and " done, clustering " in message for message in words)
    assert words[-1].startswith("3 units on ")

    def stop(done: int, total: int, message: str = "") -> None:
        if "clustering" in message:
            raise Cancelled

    with pytest.raises(Cancelled):
        sort_recording(recording, CONFIG, cluster=leader_clustering, progress=stop)


def test_a_dead_channel_is_left_out_of_groups_and_waveforms(recording: ArrayRecording) -> None:
    traces = recording.array.copy()
    traces[:, 2] = 7
    dead = ArrayRecording(traces, sampling_frequency_hz=SAMPLING_FREQUENCY_HZ, probe=SQUARE)
    project = sort_recording(dead, CONFIG, cluster=leader_clustering)
    assert {group.channel for group in project.groups} == {0, 3}
    assert all(2 not in group.neighbours for group in project.groups)
    assert (project.unit_of_spike >= 0).mean() > 0.9


def test_one_loud_spike_is_a_group_without_a_unit() -> None:
    one = planted_recording([Cell([40, 15, 10, 5], np.array([10_000]))], 40_000)
    project = sort_recording(
        one, SortingConfig(threshold_sd=12.0, reference="none"), cluster=leader_clustering
    )
    assert len(project.spikes) == 1
    assert project.unit_of_spike.tolist() == [-1]


def test_resampling_passes_what_is_settled_to_the_network_and_keeps_it(project: Project) -> None:
    group = project.group(0)
    assert group is not None
    first = group.alternatives[0].labels
    held = np.where(first == 0, 0, -1)
    received: list[np.ndarray] = []

    def cluster(waveforms: np.ndarray, *, clamped: np.ndarray, **rest: Any) -> Any:
        received.append(clamped)
        result = leader_clustering(waveforms, **rest)
        result.labels[:] = np.where(clamped == 0, 0, 1)
        return result

    cache = project.waveforms[0]
    for waveforms in (cache, replace(cache, coordinates=None)):
        new = resample_rest(group, waveforms, held, project.probe, CONFIG, cluster=cluster)
        assert received[-1].tolist() == held[group.sampled].tolist()
        labels = new.alternatives[0].labels
        assert len(set(labels[held == 0].tolist())) == 1
        assert new.alternatives[0].n_units == 2
        assert (labels == first).mean() > 0.97


def test_resampling_refuses_labels_that_do_not_fit(project: Project) -> None:
    group = project.group(0)
    assert group is not None
    n = len(group.spike_ids)
    with pytest.raises(InputError, match="held labels must be one a spike of channel 0"):
        resample_rest(group, project.waveforms[0], np.zeros(3), SQUARE, CONFIG, cluster=leader_clustering)
    with pytest.raises(InputError, match="unlock one to sample again"):
        resample_rest(group, project.waveforms[0], np.zeros(n), SQUARE, CONFIG, cluster=leader_clustering)


def test_the_recording_of_the_project_is_the_one_that_was_sorted(
    recording: ArrayRecording, project: Project
) -> None:
    assert project.recording == recording.reference
    assert project.spikes.sampling_frequency_hz == SAMPLING_FREQUENCY_HZ
    assert project.settings["spikes_per_group"] == 150
