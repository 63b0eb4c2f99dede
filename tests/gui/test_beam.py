"""Search by beam in the real window, on its worker thread with the real network: cards, progress, cancel."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ncpgui.app.work import jobs
from ncpgui.app.work.tasks import Immediate
from ncpgui.core.posterior import NOT_A_POSTERIOR
from ncpgui.core.project import Project
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog
from ncpgui.gui.main_window import MainWindow
from ncpgui.session.session_file import create_session
from tests.gui.painted_text import collisions, painted_texts
from tests.gui.windows import keep_draws, settle, shown_window
from tests.synthetic_project import synthetic_project

WIDTH = 12


@pytest.fixture(scope="module")
def project() -> Project:
    """Seven contacts with two to four cells each, of which 60 spikes were sampled; a narrow beam."""
    made = synthetic_project(max_sampled=60, spikes_per_unit=40, with_stimulus=False)
    return replace(made, settings={"beam": WIDTH, "device": "cpu"})


@pytest.fixture
def window(qtbot, tmp_path: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    keep_draws(monkeypatch)
    create_session(project, tmp_path / "s.h5").close()
    with shown_window(qtbot, tmp_path, threads=True) as made:
        made.open_path(tmp_path / "s.h5")
        qtbot.waitUntil(lambda: made.workspace.state.project is not None, timeout=20_000)
        settle()
        yield made


def choose(window: MainWindow, name: str) -> None:
    """Choose an action from its menu."""
    action = window.actions_[name]
    assert action.isEnabled()
    action.trigger()
    settle()


def test_the_menu_searches_the_component_on_screen_and_its_cards_are_of_a_beam(
    window: MainWindow, qtbot
) -> None:
    workspace, panel = window.workspace, window.bench.alternatives
    menu = next(action.menu() for action in window.menuBar().actions() if action.text() == "Sorting")
    assert window.actions_["beam"] in menu.actions()
    component_id = workspace.component_id
    shares: list[float] = []
    window.controller.work.activity_changed.connect(
        lambda activity: (
            shares.append(activity.fraction)
            if activity is not None and " by beam" in activity.words and activity.fraction is not None
            else None
        )
    )
    choose(window, "beam")
    qtbot.waitUntil(lambda: workspace.component().posterior.sampler == "beam", timeout=90_000)
    settle()
    assert workspace.component_id == component_id
    assert workspace.component().posterior.n_samples == WIDTH
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert panel.badge.isVisible()
    assert panel.badge.badge.text == f"beam of {WIDTH}, not a posterior"
    for widget in panel.cards:
        assert NOT_A_POSTERIOR in widget.toolTip()
        assert " of the beam" in widget.accessibleName()
        texts = painted_texts(widget)
        assert "of the beam" in [text.words for text in texts]
        assert collisions(texts) == []
    assert window.controller.work.activity is None
    choose(window, "undo")
    assert workspace.component().posterior.sampler == "draws"
    assert panel.badge.badge is None or panel.badge.badge.trust != "beam"


def test_a_search_ends_within_a_second_when_it_is_cancelled(
    window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real search of a beam so wide that it would take minutes; seconds of this process's own work."""
    workspace, workers = window.workspace, window.controller.runner
    wide = replace(workspace.state.project, settings={"beam": 20_000, "device": "cpu"})
    resample, under_way, ended_s = jobs.resample, threading.Event(), []

    def search(_, component, waveforms, held, *, sampler, progress):
        def reported(done: int, total: int, message: str = "") -> None:
            progress(done, total, message)
            if 0 < done < total:
                under_way.set()

        try:
            return resample(wide, component, waveforms, held, sampler=sampler, progress=reported)
        finally:
            ended_s.append(time.process_time())

    monkeypatch.setattr(jobs, "resample", search)
    before = workspace.component().posterior
    choose(window, "beam")
    qtbot.waitUntil(under_way.is_set, timeout=90_000)
    begun_s = time.process_time()
    choose(window, "stop")
    assert window.controller.work.activity is None
    assert workspace.questions.status(workspace.component_id).state == "sampled"
    qtbot.waitUntil(lambda: not workers.is_running, timeout=20_000)
    assert ended_s[0] - begun_s < 1.0
    assert workspace.component().posterior is before
    assert not workspace.state.history.can_undo


def test_the_open_dialog_offers_a_beam_and_its_width(qtbot, tmp_path: Path) -> None:
    dialog = OpenRecordingDialog(None, Immediate(), path=str(tmp_path / "r.raw"))
    qtbot.addWidget(dialog)
    details = dialog.details
    assert "sampler" not in dialog.request().settings
    assert not details.beam.isEnabled()
    details.beam.setValue(40)
    assert "beam" not in dialog.request().settings
    qtbot.keyClicks(details.sampler, "beam")
    assert details.beam.isEnabled()
    assert details.sampler.currentText() == "beam search, not a posterior"
    assert NOT_A_POSTERIOR in details.sampler.toolTip()
    settings = dialog.request().settings
    assert (settings["sampler"], settings["beam"]) == ("beam", 40)
