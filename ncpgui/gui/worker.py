"""Runs app tasks on threads; only here do values cross between threads.

Each lane is one thread with a priority queue. A task gets a ticket; what arrives for a ticket that
was cancelled or replaced is dropped. Nothing of Qt's widgets is touched outside the window's
thread: the threads emit queued signals and that is all, and they collect no garbage.

A task begins once what asked for it is painted: a thread that works holds Python's lock for parts of
the time, and the paint would wait for it.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from PyQt5 import QtCore

from ncpgui.app.work.tasks import LANES, Lane, Task
from ncpgui.core.progress import CancelFlag, Cancelled, Watched
from ncpgui.gui.garbage import GarbageCollection
from ncpgui.gui.soon import Soon

logger = logging.getLogger(__name__)

REPORT_EVERY_S = 0.05


@dataclass(eq=False)
class _Ticket:
    """A task on its way.

    dropped : nobody wants its result any more
    begins_at_s : it does not begin sooner, None until what asked for it is painted
    """

    number: int
    task: Task
    flag: CancelFlag = field(default_factory=CancelFlag)
    dropped: bool = False
    running: bool = False
    begins_at_s: float | None = None


class _Thread(threading.Thread):
    """The thread of one lane."""

    def __init__(self, owner: Workers, lane: Lane) -> None:
        super().__init__(name=f"ncpgui {lane}", daemon=True)
        self._owner = owner
        self._ready = threading.Condition()
        self._waiting: list[_Ticket] = []
        self._stopped = False

    def put(self, ticket: _Ticket) -> None:
        with self._ready:
            self._waiting.append(ticket)

    def let_begin(self) -> None:
        """What asked for those that wait is painted."""
        now = time.monotonic()
        with self._ready:
            for ticket in self._waiting:
                if ticket.begins_at_s is None:
                    ticket.begins_at_s = now + ticket.task.after_s
            self._ready.notify()

    def remove(self, tickets: list[_Ticket]) -> list[_Ticket]:
        """Take tickets out of the queue; those that run already are not returned."""
        with self._ready:
            taken = [ticket for ticket in tickets if ticket in self._waiting]
            self._waiting = [ticket for ticket in self._waiting if ticket not in taken]
        return taken

    def promote(self, key: Hashable, priority: float) -> None:
        with self._ready:
            for ticket in self._waiting:
                if ticket.task.key == key:
                    ticket.task = replace(ticket.task, priority=priority)

    def stop(self) -> None:
        with self._ready:
            self._stopped = True
            self._waiting.clear()
            self._ready.notify()

    def run(self) -> None:
        while True:
            with self._ready:
                while not self._stopped and not self._due():
                    times = [t.begins_at_s for t in self._waiting if t.begins_at_s is not None]
                    soonest = min(times, default=None)
                    self._ready.wait(None if soonest is None else soonest - time.monotonic())
                if self._stopped:
                    return
                ticket = min(self._due(), key=lambda t: (-t.task.priority, t.number))
                self._waiting.remove(ticket)
                ticket.running = True
            self._work(ticket)

    def _due(self) -> list[_Ticket]:
        now = time.monotonic()
        return [t for t in self._waiting if t.begins_at_s is not None and t.begins_at_s <= now]

    def _work(self, ticket: _Ticket) -> None:
        last = 0.0

        def progress(done: int, total: int, message: str = "") -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= REPORT_EVERY_S:
                last = now
                self._owner.send("progressed", ticket, (done / max(total, 1), message))

        watched = Watched(progress, lambda found: self._owner.send("seen", ticket, found))
        guarded = ticket.flag.guard(watched)
        self._owner.send("started", ticket, None)
        try:
            value = ticket.task.work(guarded)
        except Cancelled:
            self._owner.send("cancelled", ticket, None)
        except Exception as error:
            logger.info("task '%s' failed", ticket.task.words, exc_info=True)
            self._owner.send("failed", ticket, error)
        else:
            self._owner.send("done", ticket, value)


class Workers(QtCore.QObject):
    """The `Runner` of the window; lives on its thread."""

    _arrived = QtCore.pyqtSignal(str, object, object)
    idle = QtCore.pyqtSignal(str)

    def __init__(self, parent: QtCore.QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count()
        self._tickets: dict[int, _Ticket] = {}
        self._arrived.connect(self._receive, QtCore.Qt.QueuedConnection)
        self._garbage = GarbageCollection(self)
        self._threads: dict[Lane, _Thread] = {lane: _Thread(self, lane) for lane in LANES}
        self._painted = Soon(self, self._let_begin)
        self._drawn = Soon(self, self._painted.ask)
        for thread in self._threads.values():
            thread.start()

    # -- window's thread --------------------------------------------------------------------

    def submit(self, task: Task) -> None:
        """Run a task when its turn comes, after the next paint; an older one with the same key is dropped."""
        if task.key is not None:
            self.cancel_key(task.key)
        ticket = _Ticket(next(self._numbers), task)
        self._tickets[ticket.number] = ticket
        self._threads[task.lane].put(ticket)
        self._drawn.ask()

    def _let_begin(self) -> None:
        """What is stale was drawn in the turn of the event loop before this one, and painted after that."""
        for thread in self._threads.values():
            thread.let_begin()

    def promote(self, key: Hashable, priority: float) -> None:
        """Give a waiting task another priority."""
        for thread in self._threads.values():
            thread.promote(key, priority)

    def cancel(self, lane: Lane) -> None:
        """Drop what waits in a lane and stop what runs; each task is told at once."""
        self._drop([t for t in self._tickets.values() if t.task.lane == lane], tell=True)

    def cancel_key(self, key: Hashable) -> None:
        """Drop or stop the tasks with this key."""
        self._drop([t for t in self._tickets.values() if t.task.key == key], tell=True)

    def _drop(self, tickets: list[_Ticket], *, tell: bool) -> None:
        for ticket in tickets:
            if ticket.dropped:
                continue
            ticket.dropped = True
            ticket.flag.cancel()
            if self._threads[ticket.task.lane].remove([ticket]):
                self._tickets.pop(ticket.number, None)
            if tell:
                ticket.task.cancelled()

    def is_busy(self, lane: Lane) -> bool:
        """Whether a task of the lane runs or waits whose result is wanted."""
        return any(t.task.lane == lane and not t.dropped for t in self._tickets.values())

    @property
    def is_running(self) -> bool:
        """Whether any thread still works, even on something dropped."""
        return bool(self._tickets)

    def finish(self, lane: Lane, *, wait_s: float = 60.0) -> None:
        """Go on with the event loop until nothing of a lane is left, such as a last save."""
        deadline = time.monotonic() + wait_s
        while self.is_busy(lane) and time.monotonic() < deadline:
            QtCore.QCoreApplication.processEvents(QtCore.QEventLoop.AllEvents, 50)

    def stop(self, *, wait_s: float = 2.0) -> None:
        """Finish what is being written to files, stop everything else; called before the window goes."""
        self.finish("io")
        self.finish("export")
        self._drop(list(self._tickets.values()), tell=False)
        for thread in self._threads.values():
            thread.stop()
        deadline = time.monotonic() + wait_s
        for thread in self._threads.values():
            thread.join(max(0.0, deadline - time.monotonic()))
        if not any(thread.is_alive() for thread in self._threads.values()):
            self._garbage.end()

    def _receive(self, what: str, ticket: _Ticket, value: Any) -> None:
        ended = what in ("done", "failed", "cancelled")
        if ended:
            self._tickets.pop(ticket.number, None)
        if not ticket.dropped:
            if what == "started":
                ticket.task.started()
            elif what == "progressed":
                ticket.task.progressed(*value)
            elif what == "seen":
                ticket.task.seen(value)
            elif what == "done":
                ticket.task.done(value)
            elif what == "failed":
                ticket.task.failed(value)
            else:
                ticket.task.cancelled()
        if ended and not self._tickets:
            self.idle.emit(ticket.task.lane)

    # -- threads of the lanes ---------------------------------------------------------------

    def send(self, what: str, ticket: _Ticket, value: Any) -> None:
        """Hand something to the window's thread."""
        try:
            self._arrived.emit(what, ticket, value)
        except RuntimeError:  # the window is gone
            ticket.flag.cancel()
