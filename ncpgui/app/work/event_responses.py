"""Responses of units to events: each is computed when a panel first asks for it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.events import EventWindow, Response
from ncpgui.app.work import jobs
from ncpgui.app.work.tasks import Runner, Task
from ncpgui.core.signals import Signal

KEY = "responses to events"


class EventResponses:
    """Asks for what is missing, once each, and remembers what came.

    Signal: `changed` responses arrived, or another window or kind of events is looked at.

    window : around events; kind : of the events that are looked at, None for all;
    problem : why there are none, '' where there is no reason
    """

    changed: ClassVar[Signal] = Signal()

    def __init__(self, workspace: Workspace, runner: Runner) -> None:
        self.window = EventWindow()
        self.kind: int | None = None
        self.problem = ""
        self._known: dict[bytes, Response] = {}
        self._asked: set[bytes] = set()
        self._workspace = workspace
        self._runner = runner
        workspace.opened.connect(self._other_events)
        workspace.events_changed.connect(self._other_events)

    def look_at(self, *, window: EventWindow | None = None, kind: int | None = None) -> None:
        """Look at another window (None: the same), and at a kind of events (None: all)."""
        window = window or self.window
        if (window, kind) != (self.window, self.kind):
            self.window, self.kind = window, kind
            self._forget()
            self.changed.emit()

    def of(self, trains: dict[bytes, NDArray[np.int64]]) -> dict[bytes, Response]:
        """Responses that are there, by the keys of trains (samples); the others are asked for."""
        missing = {key: train for key, train in trains.items() if key not in self._known}
        if not self.problem and not missing.keys() <= self._asked:
            self._ask(missing)
        return {key: self._known[key] for key in trains if key in self._known}

    def _other_events(self) -> None:
        self.kind = None
        self._forget()
        self.changed.emit()

    def _forget(self) -> None:
        self._runner.cancel_key(KEY)
        self.problem = ""
        self._known.clear()
        self._asked.clear()

    def _ask(self, missing: dict[bytes, NDArray[np.int64]]) -> None:
        project = self._workspace.project
        if project is None or project.events is None:
            return
        self._asked = {*missing}  # the task takes the place of the one before, see `Task.key`
        recording, events_s, window = project.recording, project.events.times_of(self.kind), self.window
        asked_for = (project.events, window, self.kind)

        def is_wanted() -> bool:
            now = self._workspace.project
            return now is not None and (now.events, self.window, self.kind) == asked_for

        def done(found: dict[bytes, Response]) -> None:
            if is_wanted():
                self._asked -= missing.keys()
                self._known.update(found)
                self.changed.emit()

        def failed(error: Exception) -> None:
            if is_wanted():
                self.problem = str(error)
                self.changed.emit()

        def cancelled() -> None:
            self._asked -= missing.keys()

        self._runner.submit(
            Task(
                "Responses to events",
                lambda p: jobs.event_responses(missing, events_s, recording, window, progress=p),
                done,
                failed=failed,
                cancelled=cancelled,
                key=KEY,
                lane="view",
                priority=1,
            )
        )
