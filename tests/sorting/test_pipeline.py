"""The whole way from traces to a project, with a stand-in for the network."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.component import Clamp, Component
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.progress import Cancelled
from ncpgui.core.project import Project
from ncpgui.core.seeds import stream_seed
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.trace_cache import cache_file
from ncpgui.sorting import components
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Threads
from ncpgui.sorting.pipeline import shown_first, sort_recording
from ncpgui.sorting.process_workers import Processes
from ncpgui.sorting.recluster import resample_rest
from tests.phy_folder import CELLS, N_SAMPLES

from .planted import (
    SAMPLING_FREQUENCY_HZ,
    SQUARE,
    Cell,
    leader_clustering,
    planted_recording,
)
from .tasks import dask_cluster

CONFIG = SortingConfig(
    spikes_per_group=150, posterior_samples=8, reference="none", heaps=False, firing_times=False
)
FEW = SortingConfig(spikes_per_group=30, posterior_samples=6, min_cluster_spikes=5, reference="none")


def test_one_copy_of_the_traces_is_on_the_disk_for_as_long_as_a_sort_runs(
    recording: ArrayRecording, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []

    def counted(n_bytes: int) -> Any:
        opened.append(n_bytes)
        return cache_file(n_bytes)

    monkeypatch.setattr("ncpgui.ephys.cached_recording.cache_file", counted)
    sort_recording(recording, FEW, cluster=leader_clustering)
    assert opened == [2 * N_SAMPLES * recording.n_channels]


@pytest.fixture(scope="module")
def project(recording: ArrayRecording) -> Project:
    """The first two cells are asked about together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(components, "DOUBTFUL", 60.0)
        return sort_recording(recording, CONFIG, cluster=leader_clustering)


def _hits(project: Project, unit: int, cell: Cell, within: int) -> tuple[float, float]:
    """Recall and precision of a unit."""
    found = project.spikes.sample_index[project.unit_of_spike == unit]
    near = np.abs(found[:, None] - cell.times[None]) <= within
    return near.any(axis=0).mean(), near.any(axis=1).mean()


def test_planted_cells_become_units_with_times_at_their_troughs(project: Project) -> None:
    assert np.unique(project.unit_of_spike).tolist() == [0, 1, 2]
    for unit, cell in enumerate(CELLS):
        recall, precision = _hits(project, unit, cell, within=1)
        assert recall > 0.97
        assert precision > 0.97
    assert project.model == "stand-in"


def test_firing_times_keep_cells_apart_that_fire_regardless_of_each_other(
    recording: ArrayRecording, project: Project
) -> None:
    """The stand-in merges the first two in one of eight draws; beside each other they leave no gap."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(components, "DOUBTFUL", 60.0)
        timed = sort_recording(recording, replace(CONFIG, firing_times=True), cluster=leader_clustering)
    without, found = project.components[0], timed.components[0]
    assert without.posterior.drawn_weight is None
    assert {one.mass_waveforms for one in without.alternatives} == {None}
    assert found.posterior.drawn_weight.tolist() == without.posterior.weight.tolist()
    assert found.alternatives[0].n_units == 2
    assert found.alternatives[0].mass_waveforms == pytest.approx(without.alternatives[0].mass)
    assert found.alternatives[0].mass > without.alternatives[0].mass + 0.1


def test_spikes_lie_on_the_main_channel_of_their_unit_with_the_amplitude_there(
    recording: ArrayRecording, project: Project
) -> None:
    spikes = project.spikes
    for unit, channel in enumerate([0, 0, 3]):
        assert set(spikes.channel[project.unit_of_spike == unit].tolist()) == {channel}
    with preprocess(recording, reference="none") as pre:
        traces = pre.traces(0, N_SAMPLES)
    off = traces[spikes.sample_index, spikes.channel] - spikes.amplitude
    assert abs(np.median(off)) < 0.5  # the trough lies between samples: what is read is less deep
    assert np.median(np.abs(off)) < 1.5


def test_units_in_doubt_are_a_component_and_one_without_doubt_is_its_own(project: Project) -> None:
    assert [np.unique(project.unit_of_spike[one.spike_ids]).tolist() for one in project.components] == [
        [0, 1],
        [2],
    ]
    ids = np.concatenate([component.spike_ids for component in project.components])
    assert np.sort(ids).tolist() == list(range(len(project.spikes)))
    component = project.component(0)
    assert component is not None
    assert component.contacts[0] == 0
    assert sorted(component.contacts.tolist()) == [0, 1, 2, 3]
    assert len(component.sampled) == 150
    assert [alternative.n_units for alternative in component.alternatives[:2]] == [2, 1]
    assert [alternative.mass for alternative in component.alternatives[:2]] == [0.75, 0.25]
    cache = project.waveforms[0]
    assert cache.waveforms.shape == (150, 32, 4)
    assert cache.coordinates is not None
    assert cache.coordinates.shape == (len(component.spike_ids), 16)


def test_a_doubt_that_is_cut_is_said(
    recording: ArrayRecording, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(components, "DOUBTFUL", 60.0)
    monkeypatch.setattr(components, "MAX_UNITS", 1)
    project = sort_recording(recording, CONFIG, cluster=leader_clustering, posterior=False)
    assert len(project.waiting) == 3
    assert "units in doubt that are asked about apart: 0 and 1" in caplog.text


def test_the_same_seed_gives_the_same_result_with_any_number_of_workers(recording: ArrayRecording) -> None:
    one, two = (
        sort_recording(recording, CONFIG, cluster=leader_clustering, workers=workers) for workers in (1, 3)
    )
    assert one.spikes.sample_index.tolist() == two.spikes.sample_index.tolist()
    assert one.unit_of_spike.tolist() == two.unit_of_spike.tolist()
    assert one.probability.tolist() == two.probability.tolist()
    for first, second in zip(one.components, two.components, strict=True):
        assert first.posterior.labels.tolist() == second.posterior.labels.tolist()


def test_a_component_that_fails_is_named_and_its_units_are_kept_as_matched(recording: ArrayRecording) -> None:
    third = stream_seed(CONFIG.seed, "posterior", 2)

    def cluster(waveforms: np.ndarray, *, samples: int, **rest: Any) -> Any:
        if rest["seed"] == third:
            raise InputError("planted failure")
        return leader_clustering(waveforms, samples=samples, **rest)

    project = sort_recording(recording, CONFIG, cluster=cluster, workers=1)
    assert project.failed == {2: "planted failure"}
    assert [waiting.id for waiting in project.waiting] == [2]
    assert [component.id for component in project.components] == [0, 1]
    recall, precision = _hits(project, 2, CELLS[2], within=1)
    assert min(recall, precision) > 0.97


def test_without_the_posterior_there_are_units_and_no_components(
    recording: ArrayRecording, project: Project
) -> None:
    plain = sort_recording(recording, CONFIG, cluster=leader_clustering, posterior=False)
    assert plain.components == ()
    assert [one.spike_ids.tolist() for one in plain.waiting] == [
        np.flatnonzero(plain.unit_of_spike == unit).tolist() for unit in range(3)
    ]
    assert plain.unit_of_spike.tolist() == project.unit_of_spike.tolist()
    assert (plain.probability > 0.9).mean() > 0.95


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
    assert first.components
    for a, b in zip(first.components, second.components, strict=True):
        assert a.spike_ids.tolist() == b.spike_ids.tolist()
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


def test_all_channels_failing_is_an_error(recording: ArrayRecording) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("out of memory")

    with pytest.raises(InputError, match=r"none of the . channels could be sampled.*out of memory"):
        sort_recording(recording, CONFIG, cluster=broken)


def test_a_model_that_cannot_be_loaded_stops_everything(recording: ArrayRecording) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise CheckpointError("no such model")

    with pytest.raises(CheckpointError, match="no such model"):
        sort_recording(recording, CONFIG, cluster=broken)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"model": "gauss2d"}, "model 'gauss2d' clusters points, not spikes"),
        ({"model": "nonesuch"}, "no model 'nonesuch'"),
        ({"device": "abacus"}, "unknown device 'abacus'"),
    ],
)
def test_a_model_that_clusters_no_spikes_is_refused_before_anything_is_read(
    recording: ArrayRecording, settings: dict[str, Any], words: str
) -> None:
    done: list[str] = []
    with pytest.raises((CheckpointError, InputError), match=words):
        sort_recording(
            recording, replace(CONFIG, **settings), progress=lambda done_, total, words="": done.append(words)
        )
    assert done == []


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
    assert words[-1] == "3 units in 3 components"
    at = dict(zip(words, seen, strict=True))
    assert at["estimating motion"] == pytest.approx(0.02 * 0.6), "finding units is three fifths"

    def stop(done: int, total: int, message: str = "") -> None:
        if "clustering" in message:
            raise Cancelled

    with pytest.raises(Cancelled):
        sort_recording(recording, CONFIG, cluster=leader_clustering, progress=stop)


def test_a_dead_channel_is_left_out_of_waveforms(recording: ArrayRecording) -> None:
    traces = recording.array.copy()
    traces[:, 2] = 7
    dead = ArrayRecording(traces, sampling_frequency_hz=SAMPLING_FREQUENCY_HZ, probe=SQUARE)
    project = sort_recording(dead, CONFIG, cluster=leader_clustering)
    assert set(project.spikes.channel.tolist()) == {0, 3}
    assert all(2 not in component.contacts for component in project.components)
    assert len(project.components) == 3


def test_one_loud_spike_is_no_unit_and_a_project_without_units_is_made() -> None:
    one = planted_recording([Cell([40, 15, 10, 5], np.array([10_000]))], 40_000)
    project = sort_recording(
        one, SortingConfig(threshold_sd=12.0, reference="none"), cluster=leader_clustering
    )
    assert len(project.spikes) == 0
    assert project.components == ()


def test_resampling_passes_what_is_settled_to_the_network_and_keeps_it(project: Project) -> None:
    component = project.component(0)
    assert component is not None
    first = component.alternatives[0].labels
    held = np.where(first == 0, 0, -1)
    free = np.flatnonzero(held[component.sampled] < 0)
    links = {"must_link": ((int(free[0]), int(free[1])),), "cannot_link": ((0, int(free[0])),)}
    received: list[np.ndarray] = []

    def cluster(waveforms: np.ndarray, *, clamped: np.ndarray, **rest: Any) -> Any:
        received.append(clamped)
        assert {name: rest[name] for name in links} == links
        result = leader_clustering(waveforms, **rest)
        result.labels[:] = np.where(clamped == 0, 0, 1)
        return result

    cache = project.waveforms[0]
    for waveforms in (cache, replace(cache, coordinates=None)):
        new = resample_rest(project, component, waveforms, Clamp(held, **links), CONFIG, cluster=cluster)
        assert received[-1].tolist() == held[component.sampled].tolist()
        labels = new.alternatives[0].labels
        assert len(set(labels[held == 0].tolist())) == 1
        assert new.alternatives[0].n_units == 2
        assert (labels == first).mean() > 0.97


def test_resampling_refuses_labels_that_do_not_fit(project: Project) -> None:
    component = project.component(0)
    assert component is not None
    n, waveforms = len(component.spike_ids), project.waveforms[0]
    with pytest.raises(InputError, match="held labels must be one a spike of the component around contact 0"):
        resample_rest(project, component, waveforms, Clamp(np.zeros(3, int)), CONFIG)
    with pytest.raises(InputError, match="take the acceptance of one back to sample again"):
        resample_rest(project, component, waveforms, Clamp(np.zeros(n, int)), CONFIG)


def test_the_recording_of_the_project_is_the_one_that_was_sorted(
    recording: ArrayRecording, project: Project
) -> None:
    assert project.recording == recording.reference
    assert project.spikes.sampling_frequency_hz == SAMPLING_FREQUENCY_HZ
    assert project.settings["spikes_per_group"] == 150


def component_of(spike_ids: list[int], labels: list[int]) -> Component:
    """What is shown first of it, as surely as its spikes are numbered."""
    first = SimpleNamespace(
        labels=np.array(labels, np.int32),
        n_units=max(labels) + 1,
        probability=np.array(spike_ids, np.float32) / 10,
    )
    return cast("Component", SimpleNamespace(spike_ids=np.array(spike_ids), alternatives=(first, None)))


def test_units_that_an_alternative_has_as_they_are_keep_their_place_and_new_ones_come_last() -> None:
    matched = np.array([0, 0, 1, 1, 2, 2, -1])
    sure = np.full(7, 0.5, np.float32)
    kept = component_of([4, 5], [0, 0])
    units, probability = shown_first(matched, sure, [component_of([0, 1, 2, 3], [1, 1, 1, 0]), kept])
    assert units.tolist() == [2, 2, 2, 1, 0, 0, -1]
    assert probability == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.5])
    units, _ = shown_first(matched, sure, [component_of([0, 1], [0, 1]), component_of([4, 5], [1, 0])])
    assert units.tolist() == [1, 2, 0, 0, 4, 3, -1]
    units, _ = shown_first(matched, sure, [component_of([0, 1], [-1, 0])])
    assert units.tolist() == [-1, 2, 0, 0, 1, 1, -1]
    assert matched.tolist() == [0, 0, 1, 1, 2, 2, -1]
    assert sure.tolist() == [0.5] * 7
