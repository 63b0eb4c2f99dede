"""Sampling in the background: the window goes on, and stops it when asked. Times are reported."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore

from ncpgui.app.work.recordings import RecordingRequest
from ncpgui.gui.main_window import MainWindow
from tests.ephys.planted_recording import spike
from tests.gui.windows import shown_window

MAKES_MAPS = True
RATE_HZ = 20_000


class Heartbeat(QtCore.QObject):
    """Notes the longest time between two turns of the event loop."""

    def __init__(self) -> None:
        super().__init__()
        self.longest_s = 0.0
        self._last = time.perf_counter()
        self._timer = QtCore.QTimer(self)
        self._timer.timeout.connect(self._beat)
        self._timer.start(2)

    def _beat(self) -> None:
        now = time.perf_counter()
        self.longest_s = max(self.longest_s, now - self._last)
        self._last = now


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Twenty seconds of a tetrode with 1500 spikes of two cells on one channel, and few elsewhere."""
    rng = np.random.default_rng(0)
    traces = rng.normal(size=(20 * RATE_HZ, 4)) * 50
    shape = spike((np.arange(60) - 20) / RATE_HZ * 1000)
    for number, start in enumerate(range(200, 20 * RATE_HZ - 100, 266)):
        gains = (12.0, 3.0, 3.0, 1.0) if number % 2 else (9.0, 7.0, 2.0, 1.0)
        traces[start : start + 60] += 50 * shape[:, None] * gains
    path = tmp_path / "two_cells.raw"
    traces.astype(np.int16).tofile(path)
    return path


def request(recording: Path, tmp_path: Path, **settings: int) -> RecordingRequest:
    options = {"probe": "tetrode", "sampling_frequency": float(RATE_HZ), "n_channels": 4, "dtype": "int16"}
    return RecordingRequest(recording, options=options, settings=settings, session=tmp_path / "work.h5")


def sampling(window: MainWindow) -> bool:
    activity = window.controller.work.activity
    return activity is not None and activity.words.startswith("Sampling") and (activity.fraction or 0) > 0.02


def test_sampling_stops_when_asked_and_the_window_never_waits(
    qtbot, tmp_path: Path, recording: Path, measured
) -> None:
    with shown_window(qtbot, tmp_path, threads=True) as window:
        heart = Heartbeat()
        many = request(recording, tmp_path, posterior_samples=4000)  # so that the test sees them being drawn
        window.controller.open_recording(many)
        qtbot.waitUntil(lambda: sampling(window), timeout=90_000)
        measured(f"longest block of the event loop, opening and sampling: {1000 * heart.longest_s:.0f} ms")
        asked = time.perf_counter()
        qtbot.keyClick(window, QtCore.Qt.Key_Escape)
        assert not window.controller.sampling.is_under_way
        qtbot.waitUntil(lambda: not window.controller.runner.is_running, timeout=20_000)
        measured(f"a sampling run of 1500 spikes stopped {time.perf_counter() - asked:.2f} s after Escape")
        assert window.workspace.state.project is not None
        assert not window.banner.isVisible(), window.banner.text.text()
        assert window.workspace.component(0) is None
        assert window.workspace.questions.status(0).state == "waiting"


def test_a_recording_is_sorted_in_the_background_and_kept_in_its_session(
    qtbot, tmp_path: Path, recording: Path, measured
) -> None:
    with shown_window(qtbot, tmp_path, threads=True) as window:
        heart = Heartbeat()
        window.controller.open_recording(request(recording, tmp_path))
        qtbot.waitUntil(lambda: window.workspace.state.project is not None, timeout=90_000)
        qtbot.waitUntil(lambda: not window.controller.runner.is_running, timeout=90_000)
        measured(f"longest block of the event loop, a whole sorting: {1000 * heart.longest_s:.0f} ms")
        assert not window.banner.isVisible(), window.banner.text.text()
        assert (tmp_path / "work.h5").is_file()
        assert 1400 <= np.count_nonzero(window.workspace.state.clustering.unit_of_spike >= 0) <= 1510
        assert window.workspace.component(0) is not None
        assert window.bench.alternatives.cards
