"""Tasks on threads: what waits before it begins can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from ncpgui.app.work.tasks import Task
from ncpgui.core.progress import show
from ncpgui.gui.items.painted_widget import PaintedWidget
from ncpgui.gui.redraws import REDRAWS
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


class Panel(PaintedWidget):
    """A panel that asks for something while it is drawn, as one that is stale after an edit does."""

    def __init__(self, ask: Callable[[], None], paint: Callable[[], None]) -> None:
        super().__init__()
        self._ask, self._paint = ask, paint

    def redraw_if_stale(self) -> None:
        self.update()
        self._ask()

    def paint(self, *_: object) -> None:
        self._paint()


def test_tasks_begin_once_what_asked_for_them_is_painted(qtbot, workers: Workers) -> None:
    """The one that an edit submits, and the one that a panel asks for when it is drawn after the edit."""
    began, told = threading.Event(), []

    def work(_: object) -> None:
        began.set()
        told.append("worked")

    def paint() -> None:
        told.append("painted late" if began.wait(0.05) else "painted")

    panel = Panel(lambda: workers.submit(Task("of a panel", work, lane="view")), paint)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    told.clear()
    workers.submit(Task("of an edit", work, lane="io"))
    REDRAWS.add(panel)
    qtbot.waitUntil(lambda: len(told) == 3)
    assert told == ["painted", "worked", "worked"]


def test_a_task_that_is_dropped_before_anything_is_painted_never_begins(qtbot, workers: Workers) -> None:
    told: list[str] = []
    workers.submit(
        Task("dropped", lambda _: told.append("worked"), cancelled=lambda: told.append("cancelled"), key=1)
    )
    workers.cancel_key(1)
    workers.submit(Task("next", lambda _: None, done=lambda _: told.append("done")))
    qtbot.waitUntil(lambda: "done" in told)
    assert told == ["cancelled", "done"]


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


def test_of_those_that_wait_the_largest_priority_runs_first_then_the_first_that_came(
    qtbot, workers: Workers
) -> None:
    told: list[str] = []
    for words, priority in (("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 0.0)):
        workers.submit(
            Task(words, lambda _, words=words: words, done=told.append, priority=priority, key=words)
        )
    workers.promote("d", 3.0)
    workers.promote("nobody", 9.0)
    assert workers.is_busy("work")
    assert not workers.is_busy("io")
    with qtbot.waitSignal(workers.idle) as idle:
        qtbot.waitUntil(lambda: len(told) == 4)
    assert told == ["d", "b", "c", "a"]
    assert idle.args == ["work"]
    assert not workers.is_busy("work")
    assert not workers.is_running


def test_a_task_that_fails_says_why_and_what_was_found_until_then(qtbot, workers: Workers) -> None:
    told: list[object] = []

    def work(progress) -> None:
        show(progress, lambda: "half of it")
        raise ValueError("no more")

    workers.submit(Task("fails", work, seen=told.append, failed=told.append, done=told.append))
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told[0] == "half of it"
    assert isinstance(told[1], ValueError)


def test_a_lane_that_is_cancelled_stops_what_runs_and_drops_what_waits_and_leaves_the_others(
    qtbot, workers: Workers
) -> None:
    told: list[str] = []
    runs, go_on = threading.Event(), threading.Event()

    def work(progress) -> str:
        runs.set()
        go_on.wait(10)
        progress(1, 2)
        return "not stopped"

    def cancelled(words: str) -> Callable[[], None]:
        return lambda: told.append(f"{words} cancelled")

    workers.submit(Task("runs", work, done=told.append, cancelled=cancelled("runs")))
    workers.submit(Task("waits", lambda _: "waited", done=told.append, cancelled=cancelled("waits")))
    workers.submit(Task("other", lambda _: "other", done=told.append, lane="io"))
    qtbot.waitUntil(lambda: runs.is_set() and "other" in told)
    workers.cancel("work")
    assert told == ["other", "runs cancelled", "waits cancelled"], "they are told at once, and once"
    assert not workers.is_busy("work")
    assert workers.is_running, "its thread goes on until its next report"
    go_on.set()
    qtbot.waitUntil(lambda: not workers.is_running)
    assert len(told) == 3
