"""Tasks run side by side, give their results in order, and stop when asked to."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.progress import Cancelled, Progress, silent
from ncpgui.sorting.executors import default_workers, run_all


def _run(tasks: list[Callable[[Progress], int]], *, workers: int = 2, progress: Progress = silent) -> list:
    return run_all(
        tasks,
        names=[f"task {i}" for i in range(len(tasks))],
        sizes=[10] * len(tasks),
        workers=workers,
        progress=progress,
        fatal=(CheckpointError,),
    )


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_results_come_in_the_order_of_the_tasks(workers: int) -> None:
    assert _run([lambda report, i=i: i * i for i in range(7)], workers=workers) == [0, 1, 4, 9, 16, 25, 36]
    assert _run([], workers=workers) == []


def test_two_tasks_run_at_the_same_time() -> None:
    meet = threading.Barrier(2, timeout=10)
    assert sorted(_run([lambda report: meet.wait(), lambda report: meet.wait()])) == [0, 1]


def test_a_task_that_fails_leaves_the_others_alone() -> None:
    def failing(report: Progress) -> int:
        raise InputError("planted")

    first, second = _run([failing, lambda report: 1])
    assert isinstance(first, InputError)
    assert second == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_a_fatal_error_stops_the_others_at_their_next_report(workers: int) -> None:
    ended: list[int] = []

    def fatal(report: Progress) -> int:
        raise CheckpointError("no such model")

    def endless(report: Progress) -> int:
        while True:
            report(1, 2)

    def short(report: Progress) -> int:
        ended.append(1)
        return 0

    others = [endless] if workers > 1 else [short] * 3
    with pytest.raises(CheckpointError, match="no such model"):
        _run([fatal, *others], workers=workers)
    assert len(ended) < 4


def test_cancelling_stops_all_tasks_and_is_passed_on() -> None:
    def endless(report: Progress) -> int:
        while True:
            report(1, 2)

    calls: list[float] = []

    def progress(done: int, total: int, message: str = "") -> None:
        calls.append(done / total)
        if len(calls) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        _run([endless] * 5, progress=progress)
    assert calls == sorted(calls)


def test_progress_is_told_on_the_calling_thread_and_ends_with_all_done() -> None:
    seen: list[tuple[int, int, str]] = []
    threads: set[int] = set()

    def progress(done: int, total: int, message: str = "") -> None:
        seen.append((done, total, message))
        threads.add(threading.get_ident())

    def task(report: Progress) -> int:
        report(1, 2)
        return 0

    _run([task] * 3, progress=progress)
    assert threads == {threading.get_ident()}
    assert seen[0] == (0, 30_000, "0 of 3 done, task 0")
    assert seen[-1] == (30_000, 30_000, "")
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)


def test_workers_are_at_least_one_and_at_most_four() -> None:
    assert 1 <= default_workers() <= 4
