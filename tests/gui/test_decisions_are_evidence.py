"""What is decided in the real window weighs the draws: on the cards, in the queue, and back by undo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore

from ncpgui.core.project import Project
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import Press, settle, shown_window
from tests.read_once import saved_copy
from tests.synthetic_project import synthetic_project


@pytest.fixture(scope="module")
def project() -> Project:
    return synthetic_project(7, spikes_per_unit=420, with_stimulus=False)


@pytest.fixture
def window(qtbot, tmp_path: Path, project: Project) -> Iterator[MainWindow]:
    path = tmp_path / "s.h5"
    saved_copy(project, path)
    with shown_window(qtbot, tmp_path) as made:
        made.open_path(path)
        settle()
        yield made


def masses(window: MainWindow) -> list[float]:
    return [widget.card.mass for widget in window.bench.alternatives.cards]


def test_never_merge_is_on_the_cards_and_undo_takes_it_off_to_the_last_bit(
    window: MainWindow, press: Press
) -> None:
    panel, clustering = window.bench.alternatives, window.workspace.state.clustering
    before, units = masses(window), clustering.unit_of_spike.copy()
    assert not panel.condition.isVisible()
    one, two = (unit.unit for unit in window.workspace.current().units[-2:])
    window.workspace.select([one, two])
    press("D")
    first, second = sorted((one, two))
    assert panel.condition.text().startswith(f"given: {first} and {second} apart (was ")
    assert all("given: " in widget.toolTip() for widget in panel.cards)
    merged = [k for k, w in enumerate(panel.cards) if f"merges {first} + {second}" in w.card.words]
    assert merged
    assert [masses(window)[k] for k in merged] == [0] * len(merged)
    assert sum(masses(window)) > 0.99
    assert np.array_equal(clustering.unit_of_spike, units)
    window.workspace.select([one, two])
    press("G")
    assert "contradicts" in window.banner.text.text() + window.statusBar().currentMessage()
    assert np.array_equal(clustering.unit_of_spike, units)
    press("Ctrl+Z")
    assert masses(window) == before
    assert not panel.condition.isVisible()
    assert not window.actions_["undo"].isEnabled()


def test_must_be_one_neuron_moves_no_spike_and_the_card_that_merges_has_all_mass(
    window: MainWindow, press: Press
) -> None:
    panel, clustering = window.bench.alternatives, window.workspace.state.clustering
    units = clustering.unit_of_spike.copy()
    one, two = sorted(unit.unit for unit in window.workspace.current().units[-2:])
    window.workspace.select([one, two])
    press("J")
    assert panel.condition.text().startswith(f"given: {one} + {two} one neuron (was ")
    assert np.array_equal(clustering.unit_of_spike, units)
    having = [w.card.mass for w in panel.cards if f"merges {one} + {two}" in w.card.words]
    assert sum(having) > 0.8
    assert [w.card.mass for w in panel.cards if w.card.is_in_use] == [0]  # it has them apart


def test_every_question_is_asked_once_and_the_queue_has_an_end(window: MainWindow, press: Press) -> None:
    workspace, queue = window.workspace, window.bench.queue
    asked: list[int] = []
    left = [workspace.questions.wrong_left()]
    for _ in workspace.state.components.ids:
        assert workspace.component_id == queue.model.rows[0].component_id or asked
        asked.append(workspace.component_id)
        press("Return", "Space")
        left.append(workspace.questions.wrong_left())
    n = len(workspace.state.components.ids)
    assert queue.note.text() == f"{n} of {n} settled"
    assert len(set(asked)) == n
    assert left == sorted(left, reverse=True)
    assert left[-1] == 0
    assert window.status.wrong_left.text() == "Expected wrong assignments left: 0"
    assert queue.toggle.text() == f"▸  Settled: {n}"


def test_what_is_left_over_can_be_opened_used_and_put_away(qtbot, window: MainWindow, press: Press) -> None:
    workspace, panel = window.workspace, window.bench.alternatives
    n_cards, other = len(panel.cards), panel.other._mass
    assert panel.other.isVisible()
    qtbot.mouseClick(panel.other, QtCore.Qt.LeftButton)
    settle()
    assert len(panel.cards) > n_cards
    assert other - panel.other._mass == pytest.approx(sum(masses(window)[n_cards:]))
    rare = panel.cards[n_cards].card
    before = workspace.state.clustering.unit_of_spike.copy()
    workspace.show_alternative(rare.index)
    press("Return")
    assert not np.array_equal(workspace.state.clustering.unit_of_spike, before)
    assert panel.cards[n_cards].card.is_in_use
    press("Ctrl+Z", "0")
    assert len(panel.cards) == n_cards
    assert panel.other._mass == pytest.approx(other)
    assert np.array_equal(workspace.state.clustering.unit_of_spike, before)
