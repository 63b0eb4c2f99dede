"""A sorting or a review that was stopped goes on from its finished steps, with the same result to the bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.errors import InputError
from ncpgui.core.given import GivenSorting
from ncpgui.core.motion import Motion
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording
from ncpgui.sorting.process_workers import Processes
from ncpgui.sorting.review import review_recording

from .planted import SAMPLING_FREQUENCY_HZ, Cell, leader_clustering, planted_recording, regular_times
from .stopping import StepsInMemory, Stopped, assert_same
from .tasks import dask_cluster

N_SAMPLES = 3 * 20_000
CONFIG = SortingConfig(spikes_per_group=30, posterior_samples=8, min_cluster_spikes=5, reference="none")
CELLS = [
    Cell([40, 15, 10, 5], regular_times(60, N_SAMPLES, 1)),
    Cell([25, 4, 16, 4], regular_times(45, N_SAMPLES, 2)),
    Cell([4, 4, 8, 30], regular_times(40, N_SAMPLES, 3)),
]
SORTED = [
    "motion", "channel-0", "channel-2", "channel-3", "proposals", "round-0", "found-0", "round-1", "found-1",
    "matching", "component-0", "component-1", "component-2",
]  # fmt: skip
AT_LAST = ["component-0", "component-1", "component-2", "matching", "motion", "proposals"]


@pytest.fixture(scope="module")
def recording() -> ArrayRecording:
    return planted_recording(CELLS, N_SAMPLES)


def sort(recording: ArrayRecording, **options: Any) -> Project:
    return sort_recording(recording, CONFIG, **{"cluster": leader_clustering, "workers": 1, **options})


@pytest.fixture(scope="module")
def uninterrupted(recording: ArrayRecording) -> Project:
    return sort(recording)


def stopped_after(n_steps: int, recording: ArrayRecording, **options: Any) -> StepsInMemory:
    """What a sorting leaves that is stopped when it has kept so many steps."""
    steps = StepsInMemory(stop_after=n_steps)
    with pytest.raises(Stopped):
        sort(recording, steps=steps, **options)
    steps.stop_after = None
    return steps


def test_each_step_of_a_sorting_is_kept_and_what_later_ones_replace_is_dropped(
    recording: ArrayRecording, uninterrupted: Project
) -> None:
    steps = StepsInMemory()
    assert_same(sort(recording, steps=steps), uninterrupted)
    assert sorted(steps.kept) == sorted(SORTED)
    assert sorted(steps.values) == AT_LAST


@pytest.mark.parametrize(
    "n_steps",
    [
        n if n in (2, 7, 10, 12) else pytest.param(n, marks=pytest.mark.slow)
        for n in range(1, len(SORTED) + 1)
    ],
)
def test_a_sorting_stopped_after_any_step_goes_on_to_the_same_result(
    recording: ArrayRecording, uninterrupted: Project, n_steps: int
) -> None:
    steps = stopped_after(n_steps, recording)
    last = steps.kept[-1]
    assert_same(sort(recording, steps=steps), uninterrupted)
    assert sorted(steps.kept) == sorted(SORTED)  # no step was done twice
    assert last in steps.used


def test_a_sorting_stopped_again_and_again_comes_to_the_same_end(
    recording: ArrayRecording, uninterrupted: Project
) -> None:
    steps = StepsInMemory()
    for n_steps in range(1, len(SORTED) + 1):
        steps.stop_after = n_steps
        with pytest.raises(Stopped):
            sort(recording, steps=steps)
    steps.stop_after = None
    assert_same(sort(recording, steps=steps), uninterrupted)


def test_what_is_kept_is_not_sampled_again(recording: ArrayRecording) -> None:
    steps = stopped_after(len(SORTED), recording)

    def cluster(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was sampled already")

    assert len(sort(recording, steps=steps, cluster=cluster).components) == 3


def test_a_component_that_failed_is_tried_again_when_the_sorting_goes_on(
    recording: ArrayRecording, uninterrupted: Project
) -> None:
    n_calls = 0

    def out_of_memory(*arguments: Any, **options: Any) -> Any:
        nonlocal n_calls
        n_calls += 1
        if n_calls > 5:  # three channels and two components
            raise RuntimeError("out of memory")
        return leader_clustering(*arguments, **options)

    steps = StepsInMemory()
    assert len(sort(recording, steps=steps, cluster=out_of_memory).failed) == 1
    assert_same(sort(recording, steps=steps), uninterrupted)


def test_a_recording_without_spikes_leaves_nothing_to_go_on_with() -> None:
    steps = StepsInMemory()
    with pytest.raises(InputError, match="no spikes found"):
        sort_recording(planted_recording([], 40_000), replace(CONFIG, threshold_sd=50.0), steps=steps)
    assert steps.kept == ["motion"]
    assert steps.values == {}


@pytest.mark.parametrize("name", ["motion", "channel", "proposals", "round-1", "matching", "component"])
def test_a_step_that_lacks_an_array_is_refused_and_done_again(
    recording: ArrayRecording, uninterrupted: Project, name: str
) -> None:
    n_steps = next(n for n, one in enumerate(SORTED, start=1) if one.startswith(name))
    steps = stopped_after(n_steps, recording)
    (damaged,) = [one for one in steps.values if one.startswith(name)]
    del steps.values[damaged][next(iter(steps.values[damaged]))]
    assert_same(sort(recording, steps=steps), uninterrupted)
    assert list(steps.refused) == [damaged]
    assert steps.refused[damaged].startswith("it lacks '")


@pytest.mark.parametrize("workers", [3, pytest.param(Processes(2), marks=pytest.mark.slow)])
def test_a_sorting_goes_on_with_other_workers_to_the_same_result(
    recording: ArrayRecording, uninterrupted: Project, workers: Any
) -> None:
    for n_steps in (2, 11):
        steps = stopped_after(n_steps, recording, workers=workers)
        assert_same(sort(recording, steps=steps), uninterrupted)
        steps = stopped_after(n_steps, recording)
        assert_same(sort(recording, steps=steps, workers=workers), uninterrupted)


@pytest.mark.slow
def test_a_sorting_goes_on_on_a_dask_cluster_to_the_same_result(
    recording: ArrayRecording, uninterrupted: Project
) -> None:
    with dask_cluster() as client:
        from ncpgui.sorting.dask_workers import Dask

        workers = Dask(client)
        for n_steps in (2, 11):
            steps = stopped_after(n_steps, recording, workers=workers)
            assert_same(sort(recording, steps=steps, workers=workers), uninterrupted)
            assert_same(
                sort(recording, steps=stopped_after(n_steps, recording), workers=workers), uninterrupted
            )


def test_a_recording_whose_tissue_moves_goes_on_with_the_motion_that_was_found(
    recording: ArrayRecording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two places, each with templates of its own; the second time the motion is not looked for."""
    moved = Motion(
        time_s=np.array([0.75, 2.25]), depth_um=np.array([0.0, 20.0]),
        displacement_um=np.array([[0.0, 0.0], [8.0, 8.0]]), preset="planted", applied=True, reason="Moved.",
    )  # fmt: skip
    monkeypatch.setattr("ncpgui.sorting.pipeline.motion_of", lambda *_: moved)
    whole = sort(recording)
    assert whole.motion is moved
    for n_steps in (1, 6, 8, 10):
        steps = stopped_after(n_steps, recording)
        with monkeypatch.context() as patch:
            patch.setattr("ncpgui.sorting.pipeline.motion_of", lambda *_: pytest.fail("it is known"))
            assert_same(sort(recording, steps=steps), whole)


@pytest.fixture(scope="module")
def given(recording: ArrayRecording) -> tuple[Sorting, GivenSorting]:
    """The planted cells as units 5, 6 and 9; unit 8 has two spikes."""
    trains = {5: CELLS[0].times, 6: CELLS[1].times, 9: CELLS[2].times, 8: np.array([20, 30_001])}
    times = np.concatenate(list(trains.values()))
    units = np.repeat(list(trains), [len(train) for train in trains.values()])
    order = np.argsort(times, kind="stable")
    sorting = Sorting(times[order], units[order], SAMPLING_FREQUENCY_HZ, N_SAMPLES)
    return sorting, GivenSorting("given", "phy", np.arange(len(times)), "digest", {}, {})


def test_a_review_stopped_after_any_step_goes_on_to_the_same_result(
    recording: ArrayRecording, given: tuple[Sorting, GivenSorting]
) -> None:
    def review(**options: Any) -> Project:
        return review_recording(recording, *given, CONFIG, cluster=leader_clustering, workers=1, **options)

    whole, all_steps = review(), StepsInMemory()
    assert_same(review(steps=all_steps), whole)
    assert sorted(all_steps.kept)[-2:] == ["matching", "motion"]
    assert all(name.startswith("component-") for name in sorted(all_steps.kept)[:-2])
    for n_steps in range(1, len(all_steps.kept) + 1):
        steps = StepsInMemory(stop_after=n_steps)
        with pytest.raises(Stopped):
            review(steps=steps)
        steps.stop_after = None
        assert_same(review(steps=steps), whole)
        assert len(steps.kept) == len(all_steps.kept)
