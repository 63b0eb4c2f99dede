"""From a key to the painted panel: few files and signals on the way (drawn in docs/project/architecture.md).

The way is what is on the stack when the panel becomes stale, asks, is told and is painted: who called whom.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from PyQt5 import QtCore

import ncpgui
from ncpgui.analysis import correlograms as analysis
from ncpgui.app.work import measures
from ncpgui.gui.menus import ActionSet
from ncpgui.gui.panels import correlograms as panel
from ncpgui.gui.panels.correlograms import CorrelogramGrid, CorrelogramsPanel
from ncpgui.gui.worker import Workers
from tests.gui.windows import settle, show_only, shown_window

PACKAGE = Path(ncpgui.__file__).parent
FILES = (
    "gui/menus.py",
    "app/unit_actions.py",
    "app/model/workspace.py",
    "app/model/state.py",
    "gui/panels/base.py",
    "gui/redraws.py",
    "gui/panels/correlograms.py",
    "gui/items/correlogram_grid.py",
    "app/work/panel_data.py",
    "app/work/computed.py",
    "gui/worker.py",
    "app/work/measures.py",
    "analysis/correlograms.py",
    "app/presenters/correlograms.py",
)
SIGNALS = ["QAction.triggered", "moved", "selection_changed", "Workers._arrived", "arrived"]
"""Those without an owner are of the state, the workspace and the controller."""


def _in_package(code: CodeType) -> str:
    """File of some code in the package, '' of other code."""
    path = Path(code.co_filename)
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else ""


class Way:
    """Files of the package on the stack at each stop, and the signals that are being emitted then."""

    def __init__(self) -> None:
        self.is_followed = False
        self.files: dict[str, None] = {}
        self.signals: dict[str, None] = {}
        self.stops: list[str] = []
        self._emitted: list[str] = []

    def stop(self, code: CodeType) -> None:
        """Note who is on the way here, to a function."""
        if not self.is_followed:
            return
        self.stops.append(code.co_name)
        frame: FrameType | None = sys._getframe(1)
        files = [_in_package(code)]
        while frame is not None:
            files.append(_in_package(frame.f_code))
            if frame.f_code in OF_QT:
                self.signals[OF_QT[frame.f_code]] = None
            frame = frame.f_back
        self.files.update(dict.fromkeys(filter(None, reversed(files))))
        if threading.current_thread() is threading.main_thread():
            self.signals.update(dict.fromkeys(self._emitted))

    def stops_at(self, owner: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Stop there when it is called; where a panel becomes stale, only if it was not so already."""
        real = getattr(owner, name)

        def with_stop(*args: Any, **options: Any) -> Any:
            if not getattr(args[0], "_is_dirty", False):
                self.stop(real.__code__)
            return real(*args, **options)

        monkeypatch.setattr(owner, name, with_stop)

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Note what happens meanwhile."""
        self.is_followed = True
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            self.is_followed = False

    def _profile(self, _frame: FrameType, event: str, what: Any) -> None:
        """Keep which signals are being emitted now."""
        if event.startswith("c_") and getattr(what, "__name__", "") == "emit":
            if event == "c_call":
                self._emitted.append(getattr(what.__self__, "name", "?"))
            elif self._emitted:
                self._emitted.pop()


OF_QT = {ActionSet._run.__code__: "QAction.triggered", Workers._receive.__code__: "Workers._arrived"}
"""What a signal of Qt calls: its emission is on no stack of Python."""


def test_key_g_to_painted_correlograms(qtbot, tmp_path, session, monkeypatch) -> None:
    way = Way()
    way.stops_at(CorrelogramsPanel, "mark_dirty", monkeypatch)
    way.stops_at(Workers, "submit", monkeypatch)
    way.stops_at(measures, "correlograms", monkeypatch)
    way.stops_at(analysis, "correlograms", monkeypatch)
    way.stops_at(panel, "present_correlograms", monkeypatch)
    way.stops_at(CorrelogramGrid, "set_view", monkeypatch)
    with shown_window(qtbot, tmp_path, threads=True) as window:
        runner, bench = window.controller.runner, window.bench

        def is_done() -> bool:
            return window.workspace.state.project is not None and not runner.is_running

        window.open_path(session)
        window.bench.show_layout("inspect")
        show_only(bench, "correlograms")
        qtbot.waitUntil(lambda: bench.correlograms.grid.view.found is not None, timeout=20_000)
        window.workspace.select([unit.unit for unit in window.workspace.current().units][:2])
        settle()
        qtbot.waitUntil(is_done, timeout=20_000)
        before = bench.correlograms.grid.view
        with way.followed():
            qtbot.keyClick(window, QtCore.Qt.Key_G)
            settle()
            qtbot.waitUntil(
                lambda: (
                    bench.correlograms.grid.view.names != before.names
                    and bench.correlograms.grid.view.found is not None
                ),
                timeout=20_000,
            )
    assert way.stops.count("set_view") == 2, "without them, and with them"
    assert [*way.signals] == SIGNALS
    assert sorted(way.files) == sorted(FILES)
    assert len(FILES) <= 15
    assert len(SIGNALS) <= 5
