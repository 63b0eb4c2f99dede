"""Drive our window over a session, and time it: what `gui.py` starts as a process of its own.

python -m benchmarks.window.gui_window JOB.json
"""

from __future__ import annotations

import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PyQt5 import QtCore, QtWidgets

from benchmarks.window.gui_clock import Timings, answer, growth_mib, job, resident_mib, since_start_s
from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.gui.application import qt_application
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.worker import Workers

LONGEST_WAIT_S = 300.0
BEAT_MS = 5


class Parts:
    """CPU milliseconds of the window's thread in each part of an edit: what the key does, then each panel."""

    def __init__(self) -> None:
        self._taken: dict[str, list[dict[str, float]]] = {}
        self._now: dict[str, float] = {}
        redraw = Panel.redraw_now

        def timed(panel: Panel) -> None:
            begun = time.thread_time()
            redraw(panel)
            self._add(panel.title or "Cards", begun)

        Panel.redraw_now = timed  # type: ignore[method-assign]

    def _add(self, part: str, begun: float) -> None:
        self._now[part] = self._now.get(part, 0.0) + 1000 * (time.thread_time() - begun)

    def take(self, timings: Timings, what: str, do: Callable[[], object]) -> None:
        """Time an edit (`Timings.take`), and its parts."""
        begun = 0.0

        def noted() -> None:
            nonlocal begun
            self._now.clear()
            begun = time.thread_time()
            do()
            self._now["the key"] = 1000 * (time.thread_time() - begun) - sum(self._now.values())

        timings.take(what, noted)
        whole = 1000 * (time.thread_time() - begun)
        self._now["painting"] = whole - sum(self._now.values())
        self._taken.setdefault(what, []).append(dict(self._now))

    def told(self) -> dict[str, dict[str, float]]:
        """Median of each part, by the kind of edit; 0 where a panel was not drawn."""
        return {
            what: {
                part: statistics.median(one.get(part, 0.0) for one in taken)
                for part in dict.fromkeys(part for one in taken for part in one)
            }
            for what, taken in self._taken.items()
        }


class Driven:
    """The window on a session, as a person has it; start_cpu_s : of each part of the start."""

    def __init__(self, session: Path, layout: str = "decide") -> None:
        self.parts = Parts()
        imported_s = time.process_time()
        self.application = qt_application()
        self.workers = Workers()
        self.workspace = Workspace()
        preferences = Preferences(Path(tempfile.mkdtemp(prefix="ncpgui-gui-")))
        preferences.set("toured", True)
        preferences.set("layout", layout)
        self.controller = Controller(self.workspace, self.workers, preferences)
        self.window = MainWindow(self.workspace, self.controller)
        self.window.resize(1600, 1000)
        self.window.show()
        self.settle()
        shown_s, own_s = time.process_time(), time.thread_time()
        self.window.open_path(session)
        self.wait(lambda: self.workspace.state.project is not None)
        self.settle()
        opened_s, own_s = time.process_time() - shown_s, time.thread_time() - own_s
        self.start_cpu_s = {
            "program and libraries": imported_s,
            "empty window": shown_s - imported_s,
            "reading, on another thread": opened_s - own_s,
            "units, questions, panels": own_s,
        }

    @property
    def is_painted(self) -> bool:
        """Whether no panel on screen has anything left to draw."""
        stale = any(panel._is_dirty for panel in self.window.bench.panels if panel.isVisible())
        return not stale and not self.window._refresh.isActive()

    def settle(self) -> float:
        """Go on with the event loop until all is painted, and return when that was."""
        QtWidgets.QApplication.processEvents()
        while not self.is_painted:
            QtWidgets.QApplication.processEvents()
        QtWidgets.QApplication.processEvents()
        return time.perf_counter()

    def wait(self, is_over: Any) -> None:
        """Go on with the event loop until something is so."""
        end = time.monotonic() + LONGEST_WAIT_S
        while not is_over():
            QtWidgets.QApplication.processEvents(QtCore.QEventLoop.WaitForMoreEvents)
            if time.monotonic() > end:
                raise SystemExit("the window was not ready in time")

    def rest(self) -> None:
        """Let what the screen waits for arrive; draws that a decision asks for are stopped."""
        self.workers.cancel("work")
        self.wait(lambda: not self.workers.is_running)
        self.settle()

    def press(self, action: str) -> None:
        """Do what a key does."""
        self.window.actions_[action].trigger()


def edits(driven: Driven, timings: Timings, repeats: int) -> None:
    """Time each kind of edit on several components, each edit taken back, with nothing else under way."""
    workspace = driven.workspace

    def take(what: str, do: Callable[[], object]) -> None:
        driven.rest()
        driven.parts.take(timings, what, do)

    def press(what: str, action: str) -> None:
        take(what, lambda: driven.press(action))

    for _ in range(repeats):
        press("next question", "next_row")
        driven.rest()
        units = [unit.unit for unit in workspace.current().units]
        for unit in units[:2]:
            take("select", lambda unit=unit: workspace.select([unit]))
        ten = units_of_components(workspace, units)
        take("select ten", lambda ten=ten: workspace.select(ten))
        workspace.select(units[:1])
        press("accept", "accept")
        press("undo", "undo")
        workspace.select(units[:1])
        press("label", "good")
        press("undo", "undo")
        if len(workspace.component().alternatives) > 1:
            press("switch", "next_alternative")
            press("switch", "previous_alternative")
            press("to another", "next_alternative")
            press("use", "adopt")
            press("undo", "undo")
        lasso_around_half(driven, units[0])
        press("show a split", "split")
        press("split", "split")
        press("undo", "undo")
        if len(units) > 1:
            workspace.select(units[:2])
            press("merge", "merge")
            press("undo", "undo")


def units_of_components(
    workspace: Workspace, first: list[int], *, n_units: int = 10, of: int = 5
) -> list[int]:
    """So many units of so many components, those of the component on screen first; another set each time."""
    state = workspace.state
    here = workspace.component_id
    rest = [one for one in state.components.ids if one > here] + [
        one for one in state.components.ids if one < here
    ]
    chosen, each = [first[: n_units // of]], n_units // of
    for component_id in rest:
        shown = state.sortings.current(state.components.get(component_id))
        found = [unit.unit for unit in shown.units if unit.unit is not None]
        if len(found) >= each and len(chosen) < of:
            chosen.append(found[:each])
    return [unit for units in chosen for unit in units]


def lasso_around_half(driven: Driven, unit: int) -> None:
    """Draw a lasso around the spikes of a unit in the earlier half of the recording."""
    from ncpgui.app.model.lasso import Lasso

    workspace = driven.workspace
    workspace.select([unit])
    half = workspace.state.project.spikes.duration_s / 2
    corners = [[-1, -1e3], [half, -1e3], [half, 1e3], [-1, 1e3]]
    import numpy as np

    plane = Lasso(workspace.component_id, "over time", ("time", "amplitude"), np.array(corners, float))
    workspace.draw_lasso(plane)
    driven.settle()


class Heartbeat(QtCore.QObject):
    """Notes the times between turns of the event loop, blocks above the beat, and CPU time in them.

    n_before : blocks until draws were made, while PyTorch was loaded
    """

    def __init__(self) -> None:
        super().__init__()
        self.blocks_ms: list[float] = []
        self.cpu_ms: list[float] = []
        self.n_before = 0
        self._last, self._last_cpu = time.perf_counter(), time.thread_time()
        self._timer = QtCore.QTimer(self)
        self._timer.setTimerType(QtCore.Qt.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def _beat(self) -> None:
        now, cpu = time.perf_counter(), time.thread_time()
        self.blocks_ms.append(1000 * (now - self._last))
        self.cpu_ms.append(1000 * (cpu - self._last_cpu))
        self._last, self._last_cpu = now, cpu

    def begin(self) -> None:
        """Draws are made from now on."""
        self.n_before = self.n_before or len(self.blocks_ms)

    def told(self) -> dict[str, float]:
        """Longest block while draws were made, how many were over 100 ms, the most CPU time of the window's
        thread in one; and the longest before.
        """
        sampling = self.blocks_ms[self.n_before :]
        return {
            "longest": max(sampling),
            "over 100 ms": sum(block > 100 for block in sampling),
            "beats": len(sampling),
            "CPU": max(self.cpu_ms[self.n_before :]),
            "loading": max(self.blocks_ms[: self.n_before], default=0.0),
        }


def is_sampled_again(driven: Driven, component: int) -> bool:
    """Use the least probable sorting of a component; whether few draws have it, so that others are made."""
    workspace = driven.workspace
    workspace.show_component(component)
    driven.rest()
    workspace.show_alternative(len(workspace.component().alternatives) - 1)
    driven.rest()
    driven.press("adopt")
    driven.settle()
    if driven.workers.is_busy("work"):
        return True
    driven.press("undo")
    driven.rest()
    return False


def stalls(driven: Driven, timings: Timings) -> dict[str, float]:
    """Blocks of the event loop while a component is sampled again: its least probable sorting is used."""
    workspace = driven.workspace
    driven.rest()
    doubtful = [
        one for one in workspace.state.components.ids if workspace.questions.status(one).state == "sampled"
    ]
    if not any(is_sampled_again(driven, one) for one in doubtful):
        raise SystemExit("nothing is sampled again: no sorting leaves few draws")
    heart, sampled = Heartbeat(), workspace.component_id
    workspace.state.progressed.connect(
        lambda _: heart.begin() if workspace.questions.status(sampled).fraction else None
    )
    units = itertools.cycle(unit.unit for unit in workspace.current().units)
    ends = time.monotonic() + LONGEST_WAIT_S
    while driven.workers.is_busy("work") and time.monotonic() < ends:
        until = time.monotonic() + 1.0
        driven.wait(lambda until=until: time.monotonic() > until)
        timings.take("select while sampling", lambda: workspace.select([next(units)]))
    driven.rest()
    return heart.told()


def main() -> None:
    """Time what the job asks for."""
    asked = job()
    driven = Driven(Path(asked["session"]), asked.get("layout", "decide"))
    start = {"CPU s": time.process_time(), "wall s": since_start_s(), "MiB": resident_mib()}
    start["parts, CPU s"] = driven.start_cpu_s
    found: dict[str, Any] = {"start": start, "spikes": len(driven.workspace.state.project.spikes)}
    if not asked.get("only_start"):
        timings = Timings(driven.settle)
        driven.rest()
        edits(driven, timings, asked["repeats"])
        found["MiB after edits"] = resident_mib()
        ids = [unit.unit for unit in driven.workspace.current().units]
        found["growth MiB"] = growth_mib(
            driven.workspace.select, ids, driven.settle, asked["selections"], rest=driven.rest
        )
        if asked.get("sampling"):
            found["stalls"] = stalls(driven, timings)
        found["times"] = timings.told()
        found["parts"] = driven.parts.told()
    answer(asked, found)


if __name__ == "__main__":
    main()
