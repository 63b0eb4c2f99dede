"""Tasks on threads: what waits before it begins can be stopped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ncpgui.app.work.tasks import Task
from ncpgui.gui.worker import Workers

LONG_S = 600.0


@pytest.fixture
def workers(qapp) -> Iterator[Workers]:
    made = Workers()
    yield made
    made.stop(wait_s=10)


def test_a_task_that_waits_before_it_begins_is_stopped_at_once(qtbot, workers: Workers) -> None:
    told: list[str] = []
    waits = Task(
        "waits",
        lambda _: told.append("worked"),
        started=lambda: told.append("started"),
        cancelled=lambda: told.append("cancelled"),
        key="same",
        after_s=LONG_S,
    )
    workers.submit(waits)
    workers.submit(Task("next", lambda _: 7, done=lambda value: told.append(f"done {value}"), key="same"))
    qtbot.waitUntil(lambda: "done 7" in told)
    assert told == ["cancelled", "done 7"]


def test_a_task_begins_after_it_waited(qtbot, workers: Workers) -> None:
    told: list[int] = []
    workers.submit(Task("waits a little", lambda _: 3, done=told.append, after_s=0.01))
    qtbot.waitUntil(lambda: told == [3])


def test_a_task_that_waits_before_it_begins_lets_others_go_first(qtbot, workers: Workers) -> None:
    told: list[str] = []
    workers.submit(Task("long", lambda _: "late", done=told.append, priority=9, after_s=LONG_S))
    workers.submit(Task("little", lambda _: "second", done=told.append, priority=9, after_s=0.02))
    workers.submit(Task("none", lambda _: "first", done=told.append))
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told == ["first", "second"]


def test_a_task_tells_that_it_began_how_far_it_is_and_what_came_of_it(qtbot, workers: Workers) -> None:
    told: list[object] = []

    def work(progress) -> int:
        progress(1, 4, "a quarter")
        return 3

    task = Task(
        "told",
        work,
        started=lambda: told.append("started"),
        progressed=lambda *what: told.append(what),
        done=told.append,
    )
    workers.submit(task)
    qtbot.waitUntil(lambda: 3 in told)
    assert told == ["started", (0.25, "a quarter"), 3]
