"""What always holds of decisions in the real window: by keys at random, and on posteriors that are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.app.presenters.questions import merge_question
from ncpgui.app.presenters.queue import present_queue
from ncpgui.app.work import jobs
from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.core.project import Project
from ncpgui.core.seeds import stream
from ncpgui.gui.main_window import MainWindow
from ncpgui.session.session_file import create_session
from tests.doubtful_project import component_of, component_of_all_partitions, posterior_of, project_of
from tests.gui.windows import press_keys, settle, shown_window
from tests.tiny_project import tiny_project

APART = [0] * 8 + [1] * 6 + [2] * 5 + [-1]
WAYS = {
    0: [APART, [0] * 14 + [1] * 5 + [-1], [0] * 8 + [-1] * 6 + [1] * 5 + [-1]],
    1: [[0] * 6, [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]],
    2: [[0] * 4 + [1] * 4, [0] * 8],
}
MASSES = {0: [0.4, 0.4, 0.1], 1: [0.6, 0.3, 0.1], 2: [0.5, 0.5]}
MOVES_NOTHING = ("1", "2", "3", "Y", "J", "D", "Alt+G", "Space", "Shift+Space")
KEYS = (*MOVES_NOTHING, "Return", "Return", "Return", "G", "Ctrl+Z")


@pytest.fixture
def opened(qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Project], Any]:
    """Open a project in the window; there is no network, decisions weigh the draws there are."""

    def no_network(*_: Any, **__: Any) -> Any:
        raise InputError("no network here")

    monkeypatch.setattr(jobs, "resample", no_network)

    @contextmanager
    def open_it(project: Project) -> Iterator[MainWindow]:
        create_session(project, tmp_path / "s.h5").close()
        with shown_window(qtbot, tmp_path) as made:
            made.open_path(tmp_path / "s.h5")
            settle()
            yield made

    return open_it


def everything(window: MainWindow) -> list[Any]:
    """Units of all spikes, weights of all draws and the cards, to the last bit."""
    workspace = window.workspace
    found: list[Any] = [workspace.state.clustering.unit_of_spike.tolist()]
    for component_id in workspace.state.components.ids:
        component = workspace.component(component_id)
        assert component is not None
        found += [component.posterior.weight.tobytes(), [way.mass for way in component.alternatives]]
    return found


def masses(window: MainWindow) -> list[float]:
    return [widget.card.mass for widget in window.bench.alternatives.cards]


def told(words: str, what: str) -> int:
    """Spikes that the words say to be unassigned, assigned or taken along."""
    found = re.search(rf"\b{what} (\d+) spike", words)
    return int(found.group(1)) if found else 0


def check_use(window: MainWindow, card: Any, before: np.ndarray, ids: np.ndarray) -> None:
    """What the card on screen said is what using it did."""
    after = window.workspace.state.clustering.unit_of_spike
    here = np.isin(np.arange(len(before)), ids)
    if "contradicts" in window.banner.text.text() + window.statusBar().currentMessage():
        assert np.array_equal(before, after)
        return
    assert told(card.words, "unassigns") == np.sum((before >= 0) & (after < 0))
    assert told(card.words, "assigns") == np.sum((before < 0) & (after >= 0))
    assert told(card.words, "takes") == np.sum((before != after) & ~here)
    sizes = np.unique(after[here & (after >= 0)], return_counts=True)[1].tolist()
    assert sorted(unit.n_spikes for unit in card.units) == sorted(sizes)
    if card.is_in_use or card.words.startswith("same units"):
        assert np.array_equal(canonical(before[ids]), canonical(after[ids]))


@pytest.mark.parametrize("seed", range(3))
def test_no_spike_changes_its_unit_unless_the_card_said_so_and_undo_gives_all_back(
    qtbot, opened: Callable[[Project], Any], seed: int
) -> None:
    rng = stream(seed, "keys")
    with opened(tiny_project(WAYS, masses=MASSES)) as window:
        workspace, press = window.workspace, partial(press_keys, qtbot, window)
        start = everything(window)
        for _ in range(40):
            shown = [unit.unit for unit in workspace.shown().units if unit.unit is not None]
            chosen = [int(unit) for unit in rng.permutation(shown)[:2]]
            workspace.select(chosen)
            key = str(rng.choice(KEYS))
            if key in "GYAlt+G" and merge_question(workspace, chosen):
                continue  # a person would be asked first
            before = workspace.state.clustering.unit_of_spike.copy()
            ids = workspace.component().spike_ids
            cards = {widget.card.index: widget.card for widget in window.bench.alternatives.cards}
            card = None if workspace.preview is None else cards[workspace.preview]
            window.banner.text.setText("")
            window.statusBar().clearMessage()
            press(key)
            after = workspace.state.clustering.unit_of_spike
            if key in MOVES_NOTHING or (key == "Return" and card is None):
                assert np.array_equal(before, after), key
            elif key == "Return":
                check_use(window, card, before, ids)
            elif key == "G" and not np.array_equal(before, after):
                assert np.array_equal(before != after, np.isin(before, chosen))
                assert len(set(after[np.isin(before, chosen)].tolist())) == 1
        while window.actions_["undo"].isEnabled():
            press("Ctrl+Z")
        assert everything(window) == start


def test_accepting_what_is_nearly_sure_leaves_the_other_cards_as_they_were(
    qtbot, opened: Callable[[Project], Any]
) -> None:
    """Unit 0 has 98.5 %; 2 and 3 are one in 28 % of the draws, whatever it is."""
    with opened(project_of(component_of(posterior_of()))) as window:
        cards = [widget.card for widget in window.bench.alternatives.cards]
        window.workspace.select((0,))
        press_keys(qtbot, window, "Y")
        assert window.bench.alternatives.condition.text() == "given: 0 accepted (was 98\u2009%)"
        after = {widget.card.index: widget.card.mass for widget in window.bench.alternatives.cards}
        for card in cards:
            if card.mass < 0.02:  # unit 0 is cut in two: what the decision rules out
                assert after.get(card.index, 0) == 0
            else:
                assert abs(after[card.index] - card.mass) < card.mass_se


@pytest.mark.parametrize(("key", "same"), [("J", True), ("D", False)], ids=["must-link", "never-merge"])
def test_a_link_shows_the_exact_conditional_of_every_partition_and_undo_takes_it_off(
    qtbot, opened: Callable[[Project], Any], key: str, same: bool
) -> None:
    """All 15 partitions of four spikes are cards."""
    component = component_of_all_partitions(4)
    labels = np.array([way.labels for way in component.alternatives])
    before = np.array([way.mass for way in component.alternatives])
    holds = (labels[:, 1] == labels[:, 3]) == same
    with opened(project_of(component)) as window:
        window.workspace.select((1, 3))
        start = everything(window)
        press_keys(qtbot, window, key)
        assert masses(window) == pytest.approx(np.where(holds, before, 0) / before[holds].sum())
        assert window.workspace.state.clustering.unit_of_spike.tolist() == [0, 1, 2, 3]
        press_keys(qtbot, window, "Ctrl+Z")
        assert everything(window) == start


def test_a_neuron_is_asked_about_once_and_every_question_ends(
    qtbot, opened: Callable[[Project], Any]
) -> None:
    """Also one whose spikes are in two components: it is a question of that with most of them."""
    with opened(tiny_project(WAYS, masses=MASSES)) as window:
        workspace, press = window.workspace, partial(press_keys, qtbot, window)
        workspace.merge((0, 3))  # spikes of contacts 0 and 1
        asked: list[str] = []
        for _ in workspace.state.components.ids:
            open_ = [row for row in present_queue(workspace) if not row.status.is_settled]
            if not open_:
                break
            workspace.show_component(open_[0].component_id)
            asked += workspace.state.unit_names(open_[0].component_id) or ()
            press("Return")
        n = len(workspace.state.components.ids)
        assert window.bench.queue.note.text() == f"{n} of {n} settled"
        assert len(asked) == len(set(asked))
        assert workspace.questions.wrong_left() == 0
