"""Tasks give the same results on threads, in processes and on a Dask cluster, and stop when asked to."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ncpgui.core.errors import CheckpointError, InputError, WorkerError
from ncpgui.core.progress import Cancelled, Progress, silent
from ncpgui.sorting.executors import (
    MAX_LOSSES,
    Pool,
    Threads,
    Workers,
    _Run,
    default_workers,
    run_all,
)
from ncpgui.sorting.process_workers import Processes

from .tasks import (
    Endless,
    KillsItsWorker,
    NeverReports,
    Square,
    dask_cluster,
    no_model,
    planted_error,
    threads_of_libraries,
)


def _run(
    tasks: Sequence[Callable[[Progress], Any]],
    *,
    workers: Workers | int = 2,
    progress: Progress = silent,
) -> list:
    return run_all(
        tasks,
        names=[f"task {i}" for i in range(len(tasks))],
        sizes=[10] * len(tasks),
        workers=workers,
        progress=progress,
        fatal=(CheckpointError,),
    )


@pytest.fixture(scope="module")
def dask() -> Iterator[Workers]:
    with dask_cluster() as client:
        from ncpgui.sorting.dask_workers import Dask

        yield Dask(client)


@pytest.fixture(params=["threads", "processes", pytest.param("dask", marks=pytest.mark.slow)])
def workers(request: pytest.FixtureRequest) -> Workers:
    if request.param == "dask":
        return request.getfixturevalue("dask")
    return Threads(2) if request.param == "threads" else Processes(2)


@pytest.mark.parametrize("n_threads", [1, 2, 9])
def test_results_come_in_the_order_of_the_tasks(n_threads: int) -> None:
    tasks = [lambda report, i=i: i * i for i in range(7)]
    assert _run(tasks, workers=n_threads) == [0, 1, 4, 9, 16, 25, 36]
    assert _run([], workers=n_threads) == []


def test_results_come_in_order_wherever_the_tasks_run(workers: Workers) -> None:
    results = _run([Square(n) for n in range(5)], workers=workers)
    assert [square for square, _ in results] == [0, 1, 4, 9, 16]
    here = {process == os.getpid() for _, process in results}
    assert here == {isinstance(workers, Threads)}


def test_two_tasks_run_at_the_same_time() -> None:
    meet = threading.Barrier(2, timeout=10)
    assert sorted(_run([lambda report: meet.wait(), lambda report: meet.wait()])) == [0, 1]


def test_a_task_that_fails_leaves_the_others_alone(workers: Workers) -> None:
    first, second = _run([planted_error, Square(3)], workers=workers)
    assert isinstance(first, InputError)
    assert str(first) == "planted"
    assert second[0] == 9


def test_a_fatal_error_stops_the_others_at_their_next_report(workers: Workers, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such model"):
        _run([no_model, Endless(tmp_path / "began")], workers=workers)


def test_after_a_fatal_error_no_other_task_begins() -> None:
    ended: list[int] = []
    with pytest.raises(CheckpointError):
        _run([no_model, *[lambda report: ended.append(1)] * 3], workers=1)
    assert ended == []


def test_cancelling_drops_what_waits_stops_what_runs_and_is_passed_on(
    workers: Workers, tmp_path: Path
) -> None:
    places = [tmp_path / str(i) for i in range(5)]
    calls: list[float] = []

    def progress(done: int, total: int, message: str = "") -> None:
        calls.append(done / total)
        if any(place.exists() for place in places):
            raise Cancelled

    with pytest.raises(Cancelled):
        _run([Endless(place) for place in places], workers=workers, progress=progress)
    assert calls == sorted(calls)
    assert 1 <= sum(place.exists() for place in places) <= 2
    assert [square for square, _ in _run([Square(2)], workers=workers)] == [4]  # nothing blocks the workers


def test_a_process_is_stopped_in_the_middle_of_a_step(tmp_path: Path) -> None:
    def progress(done: int, total: int, message: str = "") -> None:
        if (tmp_path / "began").exists():
            raise Cancelled

    with pytest.raises(Cancelled):
        _run([NeverReports(tmp_path / "began")], workers=Processes(1), progress=progress)


def test_progress_is_told_on_the_calling_thread_and_ends_with_all_done(workers: Workers) -> None:
    seen: list[tuple[int, int, str]] = []
    threads: set[int] = set()

    def progress(done: int, total: int, message: str = "") -> None:
        seen.append((done, total, message))
        threads.add(threading.get_ident())

    _run([Square(1)] * 3, progress=progress, workers=workers)
    assert threads == {threading.get_ident()}
    assert seen[0] == (0, 30_000, "0 of 3 done, task 0")
    assert seen[-1] == (30_000, 30_000, "")
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)


def test_progress_within_a_task_is_told(workers: Workers, tmp_path: Path) -> None:
    def progress(done: int, total: int, message: str = "") -> None:
        if 0 < done < total:
            raise Cancelled

    with pytest.raises(Cancelled):
        _run([Endless(tmp_path / "began")], workers=workers, progress=progress)


@pytest.mark.slow
def test_a_process_computes_with_one_thread() -> None:
    for threads in _run([threads_of_libraries] * 2, workers=Processes(2)):
        assert set(threads) == {1}


@pytest.mark.parametrize("times", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_what_a_killed_process_did_is_done_again_and_the_others_are_not_disturbed(
    tmp_path: Path, times: int
) -> None:
    *squares, killer = _run(
        [*(Square(n) for n in range(4)), KillsItsWorker(tmp_path, times)], workers=Processes(2)
    )
    assert [square for square, _ in squares] == [0, 1, 4, 9]
    assert killer == times + 1


@pytest.mark.slow
def test_a_task_that_always_kills_its_process_ends_with_an_error_that_says_so(tmp_path: Path) -> None:
    killer, square = _run([KillsItsWorker(tmp_path, 99), Square(3)], workers=Processes(2))
    assert isinstance(killer, WorkerError)
    assert str(killer).startswith("a worker process ended 4 times at task 0: it was killed, for example")
    assert len(list(tmp_path.iterdir())) == 4
    assert square[0] == 9


@pytest.mark.slow
def test_what_a_killed_dask_worker_did_is_done_again(dask: Workers, tmp_path: Path) -> None:
    *squares, killer = _run([*(Square(n) for n in range(4)), KillsItsWorker(tmp_path, 1)], workers=dask)
    assert [square for square, _ in squares] == [0, 1, 4, 9]
    assert killer == 2


@pytest.mark.slow
def test_a_task_of_a_cluster_that_goes_away_ends_with_an_error(tmp_path: Path) -> None:
    with dask_cluster(1) as client:
        from ncpgui.sorting.dask_workers import Dask

        workers = Dask(client)

        def progress(done: int, total: int, message: str = "") -> None:
            if (tmp_path / "began").exists():
                client.close()

        (outcome,) = _run([Endless(tmp_path / "began")], workers=workers, progress=progress)
    assert isinstance(outcome, WorkerError)
    assert "task 0 was given up by the workers" in str(outcome)


def test_workers_are_at_least_one_and_at_most_four() -> None:
    assert 1 <= default_workers() <= 4


def run_of(sizes: list[int], known: dict[int, str]) -> tuple[_Run[str], list[tuple[int, int, str]]]:
    """Tasks a, b, ... of these sizes of which some are known, and what is told of them."""
    told: list[tuple[int, int, str]] = []
    tasks = [lambda report: "done"] * len(sizes)

    def progress(done: int, total: int, message: str = "") -> None:
        told.append((done, total, message))

    return _Run(tasks, "abc"[: len(sizes)], sizes, progress, (), known, None), told


def pool_at(*reached: float) -> Pool:
    return cast("Pool", SimpleNamespace(reached=list(reached)))


def test_progress_is_what_was_done_of_the_size_of_all_and_never_goes_back() -> None:
    run, told = run_of([1, 3, 2], {0: "x"})
    assert run.left() == [1, 2]
    run._tell(pool_at(-1, 0.5, -1))
    run._tell(pool_at(-1, 0, -1))
    run.outcomes[1] = "y"
    run._tell(pool_at(-1, 0.5, 0))
    assert told == [
        (2500, 6000, "1 of 3 done, b"),
        (2500, 6000, "1 of 3 done, b"),
        (4000, 6000, "2 of 3 done, c"),
    ]


def test_tasks_without_a_size_are_told_of_all_the_same() -> None:
    run, told = run_of([0], {})
    run._tell(pool_at(1))
    assert told == [(0, 1000, "0 of 1 done, a")]


@pytest.mark.parametrize(
    ("reached", "blamed"), [((0.3, -1), [0]), ((-1, 0), [1]), ((-1, -1), [0, 1]), ((0, 0.5), [0, 1])]
)
def test_a_loss_is_of_the_tasks_that_were_running_or_of_all_where_none_was(
    reached: tuple[float, ...], blamed: list[int]
) -> None:
    run, _ = run_of([1, 1], {})
    for count in range(1, MAX_LOSSES + 2):
        run.outcomes.update({0: BrokenExecutor(), 1: BrokenExecutor()})
        run._take_back([0, 1], pool_at(*reached))
        assert run.losses == dict.fromkeys(blamed, count)
        assert sorted(run.outcomes) == (blamed if count > MAX_LOSSES else [])
    assert str(run.outcomes[blamed[0]]).startswith(
        f"a worker process ended {MAX_LOSSES + 1} times at {'ab'[blamed[0]]}: it was killed"
    )
