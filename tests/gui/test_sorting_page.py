"""While units are found the window shows the step, activity along the probe and the first units."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt5 import QtCore

from ncpgui.app.presenters.unit_table import present_unit_table
from ncpgui.app.presenters.why_empty import why_no_waveforms
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Watched, show
from ncpgui.core.so_far import N_STRETCHES, SpikesSoFar, UnitsSoFar
from ncpgui.gui.main_window import MainWindow
from tests.app_fakes import FAKED, MASSES, WAYS, FakeJobs, request
from tests.gui.windows import settle, shown_window
from tests.later import Later
from tests.tiny_project import tiny_project

PROBE = Probe(np.array([[0.0, 20.0 * row] for row in range(8)]))


def spikes_until(seconds: float) -> SpikesSoFar:
    """Ten spikes a second on contact 2, in so much of 100 s."""
    n_spikes = np.zeros((N_STRETCHES, 8), np.int64)
    n_spikes[: int(N_STRETCHES * seconds / 100), 2] = round(1000 / N_STRETCHES)
    return SpikesSoFar(PROBE, seconds, 100.0, n_spikes)


def units_after(number: int) -> UnitsSoFar:
    """Two units: 12 sd deep on contact 2, 6 sd on contact 5."""
    waveforms = np.zeros((2, 40), np.float32)
    waveforms[:, 20] = [-12, -6]
    return UnitsSoFar(PROBE, number, 2, np.array([2, 5]), np.array([900, 70]), np.array([0, 1]), waveforms)


class Halted(Later):
    """Does the work of finding units up to a snapshot, and waits."""

    def shows(self, *found: object) -> None:
        """What waits first shows these values while it works."""
        task = self.waiting[0]
        task.started()
        progress = Watched(lambda done, total, message="": task.progressed(done / total, message), task.seen)
        progress(1, 4, "detecting spikes")
        for one in found:
            show(progress, lambda one=one: one)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeJobs:
    made = FakeJobs(tiny_project(WAYS, masses=MASSES))
    for name, module in FAKED.items():
        monkeypatch.setattr(module, name, getattr(made, name))
    return made


@pytest.fixture
def runner() -> Halted:
    return Halted()


@pytest.fixture
def sorting(qtbot, tmp_path: Path, fake: FakeJobs, runner: Halted) -> Iterator[MainWindow]:
    """The window while it looks for the units of a recording; nothing is found yet."""
    with shown_window(qtbot, tmp_path, runner=runner) as window:
        window.controller.open_recording(request(tmp_path))
        yield window
        runner.waiting.clear()


def _steps(window: MainWindow) -> dict[str, str]:
    assert window.sorting.view is not None
    return {row.words: row.state for row in window.sorting.view.steps}


def test_the_start_page_tells_until_the_first_spikes_are_detected(sorting: MainWindow) -> None:
    assert sorting.pages.currentWidget() is sorting.start
    assert sorting.start.activity.words.text() == "Finding units in retina.raw"


def test_spikes_are_shown_by_depth_and_time_as_they_are_detected(
    sorting: MainWindow, runner: Halted, screen: Any
) -> None:
    runner.shows(spikes_until(25))
    settle()
    page = sorting.sorting
    assert sorting.pages.currentWidget() is page
    assert page.title.text() == "Finding units in retina.raw"
    assert page.activity.bar.value() == 250
    assert _steps(sorting)["Spikes are detected"] == "now"
    assert "240 spikes detected in 25 s of 1 min 40 s" in page.figures.text()
    image = page.view.image
    assert image.contact.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]  # as on the screen, large depths on top
    assert np.isnan(image.shares[:, N_STRETCHES // 4 :]).all()
    assert (image.shares[5, : N_STRETCHES // 4] == 1).all()
    rect = page.over_time.plot_rect()
    busy = QtCore.QPointF(rect.left() + 0.1 * rect.width(), rect.top() + 5.5 / 8 * rect.height())
    assert screen.pixel(page.over_time, busy) == sorting.theme.accent.lower()
    later = QtCore.QPointF(rect.left() + 0.9 * rect.width(), busy.y())
    assert screen.pixel(page.over_time, later) == sorting.theme.sunken.lower()
    assert image.words(5, 0.1) == (
        "Contact 2, depth 40 µm, at 10 s: 9.6 spikes a second over all that was looked at"
    )
    assert page.no_units.isVisible()


def test_units_are_shown_after_each_round_with_their_waveforms(sorting: MainWindow, runner: Halted) -> None:
    runner.shows(spikes_until(100), units_after(0))
    settle()
    page = sorting.sorting
    assert [tile.caption for tile in page.tiles.tiles] == ["900 spikes", "70 spikes"]
    assert page.note.text().startswith("As the channels propose them")
    assert _steps(sorting)["Their spikes are found everywhere"] == "now"
    assert page.tiles.isVisible()
    assert page.over_time.isVisible()
    runner.shows(units_after(2))
    assert page.note.text().startswith("After round 2 of 2")
    assert _steps(sorting)["Units in doubt are put together"] == "now"
    assert page.tiles.tiles[0].tooltip == (
        "Contact 2, depth 40 µm: 900 spikes so far, 12 noise sd from trough to peak"
    )


def test_a_sorting_that_goes_on_shows_its_units_and_says_where_the_activity_is(
    sorting: MainWindow, runner: Halted
) -> None:
    runner.shows(units_after(1))
    settle()
    assert sorting.sorting.tiles.isVisible()
    assert sorting.sorting.no_activity.isVisible()
    assert "2 units so far" in sorting.sorting.figures.text()


def test_units_open_as_soon_as_they_are_found_and_wait_to_be_sampled(
    sorting: MainWindow, runner: Halted, fake: FakeJobs
) -> None:
    runner.shows(spikes_until(100), units_after(2))
    runner.work("work")
    runner.deliver()
    settle()
    assert sorting.pages.currentWidget() is sorting.bench
    assert sorting.workspace.state.clustering.unit_ids.tolist() == [0, 1, 2]
    assert fake.sampled == []
    assert [sorting.workspace.questions.status(one).state for one in (0, 1, 2)] == ["waiting"] * 3


def test_units_that_wait_to_be_sampled_are_in_the_table_and_panels_say_what_they_wait_for(
    sorting: MainWindow, runner: Halted
) -> None:
    runner.work("work")
    runner.deliver()
    workspace = sorting.workspace
    unit = 0  # matching found one in each component, with its number
    workspace.show_component(0)
    assert present_unit_table(workspace).ids.tolist() == [unit]
    assert present_unit_table(workspace, all_units=True).ids.tolist() == [0, 1, 2]
    workspace.select((unit,))
    settle()
    message = "Waveforms appear when these spikes are sampled."
    assert sorting.bench.waveforms.message.text() == message
    assert why_no_waveforms(workspace, "Waveforms") == message


def test_stop_brings_the_start_page_back(qtbot, sorting: MainWindow, runner: Halted) -> None:
    runner.shows(spikes_until(25))
    settle()
    qtbot.mouseClick(sorting.sorting.activity.stop, QtCore.Qt.LeftButton)
    settle()
    assert sorting.pages.currentWidget() is sorting.start
    assert sorting.start.buttons[0].isEnabled()
    assert runner.waiting == []
