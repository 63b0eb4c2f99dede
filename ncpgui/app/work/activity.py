"""Long work with its progress on show: what runs, how far it is, and what went wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ncpgui.app.words import duration, sentence
from ncpgui.app.work.tasks import Lane, Runner, Task, closed_if_dropped
from ncpgui.core.progress import Progress
from ncpgui.core.signals import Signal

EARLY_S = 60.0
"""Seconds in which a twentieth of the work tells nothing of the rest: libraries are loaded."""
ON_SCREEN = 1e9
"""Priority of what somebody looks at and waits for."""


@dataclass(frozen=True)
class Activity:
    """Long work under way: fraction 0 .. 1, None when unknown; time_left in words, '' when unknown.

    title : what the work is as a whole; words : what it does at the moment
    so_far : what it has found, the last of each kind of value (`core.so_far`)
    """

    words: str
    fraction: float | None
    time_left: str = ""
    can_cancel: bool = True
    title: str = ""
    so_far: tuple[object, ...] = ()


class Work:
    """Submits tasks and tells how far they are; of several at a time, the one begun last.

    Signals: `activity_changed(activity or None)`; `failed(error, doing)` work went wrong; `succeeded(doing)`
    it is done.
    """

    activity_changed: ClassVar[Signal] = Signal(object)
    failed: ClassVar[Signal] = Signal(object, str)
    succeeded: ClassVar[Signal] = Signal(str)

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self._shown: dict[Hashable, Activity] = {}

    @property
    def activity(self) -> Activity | None:
        """What is shown now."""
        return next(reversed(self._shown.values()), None)

    def submit(
        self,
        words: str,
        work: Callable[[Progress], Any],
        done: Callable[[Any], None],
        *,
        key: Hashable,
        lane: Lane = "work",
        instead: tuple[type[Exception], Callable[[Exception], None]] | None = None,
        close: Callable[[Any], None] | None = None,
        can_cancel: bool = False,
    ) -> None:
        """Run `work` and show how far it is; a failure is told as going wrong while doing `words`.

        instead : a kind of failure, and what is called with one of it instead;
        close : called with a result that nobody takes any more;
        can_cancel : whether it can be stopped though it is not of the lane "work".
        """
        owner = object()
        started = time.monotonic()
        now = Activity(words, None, can_cancel=can_cancel or lane == "work", title=words)
        found: dict[type, object] = {}

        def show(**changes: Any) -> None:
            nonlocal now
            now = replace(now, **changes)
            self.show(owner, now)

        def progressed(fraction: float, message: str) -> None:
            show(words=sentence(message or words), fraction=fraction, time_left=time_left(started, fraction))

        def seen(value: object) -> None:
            found[type(value)] = value
            show(so_far=tuple(found.values()))

        def finished(value: Any) -> None:
            self.finish(owner)
            self.succeeded.emit(words)
            done(value)

        def went_wrong(error: Exception) -> None:
            self.finish(owner)
            if instead is not None and isinstance(error, instead[0]):
                instead[1](error)
            else:
                self.failed.emit(error, words[:1].lower() + words[1:])

        task = Task(
            words,
            work,
            finished,
            failed=went_wrong,
            cancelled=lambda: self.finish(owner),
            progressed=progressed,
            seen=seen,
            key=key,
            lane=lane,
            priority=ON_SCREEN,
        )
        self.show(owner, now)
        self.runner.submit(task if close is None else closed_if_dropped(task, close))

    def show(self, owner: Hashable, activity: Activity) -> None:
        """Show how far the work of `owner` is."""
        self._shown[owner] = activity
        self._tell(activity)

    def finish(self, owner: Hashable) -> None:
        """Show the work of `owner` no more."""
        if self._shown.pop(owner, None) is not None:
            self._tell(self.activity)

    def _tell(self, activity: Activity | None) -> None:
        if activity is self.activity:
            self.activity_changed.emit(activity)


def time_left(started: float, fraction: float) -> str:
    """Words for the time left when `fraction` was done since `started` (time.monotonic)."""
    spent = time.monotonic() - started
    if fraction < 0.02 or spent < 1.0 or (fraction < 0.05 and spent < EARLY_S):
        return ""
    left = spent * (1 - fraction) / fraction
    return f"{duration(left if left < 60 else 60 * round(left / 60))} left"
