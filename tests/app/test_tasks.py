"""Tasks on this thread behave as on others: order, replacement, cancelling, what is closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from later import Later

from ncpgui.app.work.activity import Activity, Work, time_left
from ncpgui.app.work.tasks import Immediate, Task, closed_if_dropped
from ncpgui.core.errors import InputError
from ncpgui.core.progress import Cancelled, Progress


class Log:
    """Makes tasks that write down what happens to them."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def task(self, name: str, work: Callable[[Progress], Any] = lambda _: None, **options: Any) -> Task:
        return Task(
            name,
            work,
            lambda value: self.lines.append(f"{name} done"),
            failed=lambda error: self.lines.append(f"{name} failed: {error}"),
            cancelled=lambda: self.lines.append(f"{name} cancelled"),
            progressed=lambda fraction, message: self.lines.append(f"{name} {fraction:.0%} {message}"),
            started=lambda: self.lines.append(f"{name} started"),
            **options,
        )


@pytest.fixture
def log() -> Log:
    return Log()


def test_a_task_is_started_reports_and_is_done(log: Log) -> None:
    Immediate().submit(log.task("a", lambda progress: progress(1, 4, "half way to half")))
    assert log.lines == ["a started", "a 25% half way to half", "a done"]


def test_a_task_that_raises_has_failed(log: Log) -> None:
    def work(_: Progress) -> None:
        raise InputError("too few spikes")

    Immediate().submit(log.task("a", work))
    assert log.lines[-1] == "a failed: too few spikes"


def test_tasks_submitted_by_a_task_run_by_priority_before_submit_returns(log: Log) -> None:
    runner = Immediate()

    def work(_: Progress) -> None:
        for priority, name in enumerate("bcd"):
            runner.submit(log.task(name, priority=float(priority), key=name))
        runner.promote("b", 9.0)

    runner.submit(log.task("a", work))
    assert [line for line in log.lines if line.endswith("done")] == ["a done", "b done", "d done", "c done"]


def test_a_newer_task_takes_the_place_of_an_older_one_with_its_key(log: Log) -> None:
    runner = Immediate()

    def work(_: Progress) -> None:
        runner.submit(log.task("old", key="view"))
        runner.submit(log.task("new", key="view"))

    runner.submit(log.task("a", work))
    assert log.lines == ["a started", "old cancelled", "a done", "new started", "new done"]


def test_a_running_task_that_is_cancelled_stops_at_its_next_report(log: Log) -> None:
    runner = Immediate()

    def work(progress: Progress) -> None:
        runner.submit(log.task("b"))
        runner.submit(log.task("c", lane="io"))
        runner.cancel("work")
        assert not runner.is_busy("work")
        assert runner.is_busy("io")
        progress(1, 2, "never told")

    runner.submit(log.task("a", work))
    assert log.lines == ["a started", "b cancelled", "a cancelled", "c started", "c done"]


def test_a_task_cancelled_during_its_last_step_is_not_done(log: Log) -> None:
    runner = Immediate()
    runner.submit(log.task("a", lambda _: runner.cancel_key("k"), key="k"))
    assert log.lines == ["a started", "a cancelled"]


def test_work_that_cancels_itself_is_told_once(log: Log) -> None:
    def work(_: Progress) -> None:
        raise Cancelled

    Immediate().submit(log.task("a", work))
    assert log.lines == ["a started", "a cancelled"]


def test_a_result_that_is_taken_is_not_closed(log: Log) -> None:
    closed: list[Any] = []
    Immediate().submit(closed_if_dropped(log.task("a", lambda _: "file"), closed.append))
    assert log.lines[-1] == "a done"
    assert closed == []


def test_a_result_that_is_dropped_on_its_way_is_closed(log: Log) -> None:
    closed: list[Any] = []
    runner = Later()
    runner.submit(closed_if_dropped(log.task("a", lambda _: "file"), closed.append))
    runner.work()
    runner.cancel("work")
    runner.deliver()
    assert (closed, log.lines) == (["file"], ["a started", "a cancelled"])


def test_a_result_that_is_made_after_it_was_dropped_is_closed(log: Log) -> None:
    closed: list[Any] = []
    runner = Immediate()

    def work(_: Progress) -> str:
        runner.cancel("work")
        return "file"

    runner.submit(closed_if_dropped(log.task("a", work), closed.append))
    assert (closed, log.lines) == (["file"], ["a started", "a cancelled"])


def test_of_several_activities_the_last_begun_is_shown_and_then_the_one_before() -> None:
    work = Work(Immediate())
    shown: list[str | None] = []
    work.activity_changed.connect(lambda activity: shown.append(None if activity is None else activity.words))
    work.show("sampling", Activity("Sampling", 0.1))
    work.show("export", Activity("Exporting", None))
    work.show("sampling", Activity("Sampling on", 0.2))
    work.finish("export")
    work.finish("sampling")
    work.finish("sampling")
    assert shown == ["Sampling", "Exporting", "Sampling on", None]
    assert work.activity is None


def test_time_left_is_told_when_it_can_be_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncpgui.app.work.activity.time.monotonic", lambda: 100.0)
    assert time_left(40.0, 0.5) == "1 min left"
    assert time_left(10.0, 0.5) == "2 min left"  # 90 s: what is not known to the second is not said so
    assert time_left(40.0, 0.01) == ""
    assert time_left(60.0, 0.04) == ""  # after 40 s: libraries were loaded
    assert time_left(0.0, 0.04) == "40 min left"
    assert time_left(99.5, 0.5) == ""
    assert time_left(99.0, 0.5) == "1 s left"
    assert time_left(40.0, 0.02) == "49 min left"
    assert time_left(60.0, 0.05) == "13 min left"


def test_work_that_fails_is_told_in_words_that_go_on_a_sentence() -> None:
    def fail(progress: Progress) -> None:
        raise InputError("no")

    work, told = Work(Immediate()), []
    work.failed.connect(lambda error, doing: told.append((str(error), doing)))
    work.submit("Reading traces", fail, lambda _: None, key="traces")
    assert told == [("no", "reading traces")]


@pytest.mark.parametrize(("raised", "told"), [(InputError("which?"), "instead"), (OSError(5), "failed")])
def test_a_kind_of_failure_that_somebody_takes_care_of_is_told_to_nobody_else(
    raised: Exception, told: str
) -> None:
    work, seen = Work(Immediate()), []
    work.failed.connect(lambda error, _: seen.append(("failed", error)))

    def fails(_: Progress) -> None:
        raise raised

    instead = (InputError, lambda error: seen.append(("instead", error)))
    work.submit("Opening", fails, seen.append, key="open", instead=instead)
    assert seen == [(told, raised)]
    assert work.activity is None
