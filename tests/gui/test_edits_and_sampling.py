"""Keys pressed while components are sampled, and around sampling a component again, in the real window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt5 import QtWidgets

from ncpgui.app.work import jobs, recordings
from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.curation import conditioned
from ncpgui.gui.main_window import MainWindow
from ncpgui.sorting.pipeline import shown_first
from tests.gui.windows import shown_window
from tests.synthetic_project import synthetic_project
from tests.tiny_project import unsampled

Press = Callable[[str], None]


class FakeLive:
    notes = ()

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture(scope="module")
def project() -> Project:
    return synthetic_project(5)


@pytest.fixture
def window(qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: Project) -> Iterator[MainWindow]:
    monkeypatch.setattr(recordings, "find_units", lambda request, *, progress: (FakeLive(), matched(project)))
    monkeypatch.setattr(jobs, "sample", lambda live, waiting, *, progress: sampled(project, waiting.id))
    monkeypatch.setattr(jobs, "resample", without_network)
    with shown_window(qtbot, tmp_path) as made:
        yield made


def without_network(*_: Any, **__: Any) -> Any:
    raise InputError("no network here")


def sampled(project: Project, channel: int) -> Any:
    return project.component(channel), project.waveforms[channel]


def matched(project: Project) -> Project:
    """The project before any component was sampled: matching found one unit in each."""
    unit = np.full(len(project.spikes), -1)
    for component in project.components:
        unit[component.spike_ids] = component.id
    return replace(unsampled(project), waveforms={}, unit_of_spike=unit)


def recording(window: MainWindow) -> None:
    window.controller.open_recording(recordings.RecordingRequest(Path("array.raw")))


def test_g_at_the_third_component_ends_as_g_after_the_last(
    window: MainWindow, press: Press, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_sampled = 0

    def sample(live: Any, waiting: Any, *, progress: Any) -> Any:
        nonlocal n_sampled
        n_sampled += 1
        if n_sampled == 3:
            press("Ctrl+A")
            press("G")
        return sampled(project, waiting.id)

    monkeypatch.setattr(jobs, "sample", sample)
    recording(window)
    workspace = window.workspace
    channel, words = workspace.component_id, workspace.state.history.undo_words
    assert words.startswith("merge ")
    during = workspace.state.clustering.unit_of_spike.copy()
    press("Ctrl+Z")
    finished, _ = shown_first(matched(project).unit_of_spike, project.probability, project.components)
    assert canonical(workspace.state.clustering.unit_of_spike).tolist() == canonical(finished).tolist()
    assert not window.actions_["undo"].isEnabled()

    n_sampled = 10
    window.controller.close()
    recording(window)
    workspace.show_component(channel)
    press("Ctrl+A")
    press("G")
    assert canonical(workspace.state.clustering.unit_of_spike).tolist() == canonical(during).tolist()
    assert workspace.state.history.undo_words == words


def test_undo_of_r_and_y_brings_the_cards_before_them_back(
    window: MainWindow, press: Press, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(
        project: Project, component: Any, waveforms: Any, held: Any, *, sampler: str, progress: Any
    ) -> Any:
        ways = tuple(replace(way, mass=0.9 / 10**i) for i, way in enumerate(component.alternatives))
        first = PosteriorSamples(ways[0].labels[component.sampled][None], np.zeros(1))
        return replace(component, posterior=first, alternatives=ways), waveforms

    monkeypatch.setattr(jobs, "resample", again)
    monkeypatch.setattr(conditioned, "FEW_DRAWS", 1000)  # those that there are do not suffice
    recording(window)
    panel = window.bench.alternatives

    def shown() -> tuple[list[str], bool]:
        QtWidgets.QApplication.processEvents()
        return [w.card.percent for w in panel.cards if w.card.index is not None], panel.condition.isVisible()

    before = shown()
    press("Down")
    press("Y")
    unit = window.workspace.selected[0]
    weighed = shown()
    assert weighed[1]
    press("R")
    under_condition = shown()
    assert under_condition[0][0] == "90\u2009%"
    assert panel.condition.text() == f"given: {unit} accepted"
    assert all(f"given: {unit}" in widget.toolTip() for widget in panel.cards)
    press("Ctrl+Z")
    assert shown() == weighed
    press("Ctrl+Z")
    assert shown() == before
    assert not window.workspace.state.history.labels.accepted
    press("Ctrl+Y")
    press("Ctrl+Y")
    assert shown() == under_condition
