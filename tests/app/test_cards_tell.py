"""What a card says is what using it does: every spike, beside accepted units and after any edits."""

from __future__ import annotations

import re
from contextlib import suppress

import numpy as np
import pytest
from app_fakes import units
from tiny_project import tiny_project

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import Card, present_alternatives
from ncpgui.core.errors import CurationError
from ncpgui.core.partition import canonical
from ncpgui.core.project import Project
from ncpgui.core.seeds import stream

# 0 and 1 apart, beside 2; 0 and 1 together; 1 left out
APART = [0] * 8 + [1] * 6 + [2] * 5 + [-1]
TOGETHER = [0] * 14 + [1] * 5 + [-1]
LEFT_OUT = [0] * 8 + [-1] * 6 + [1] * 5 + [-1]


@pytest.fixture
def demo_like() -> Workspace:
    return Workspace(tiny_project({0: [APART, TOGETHER, LEFT_OUT]}, masses={0: [0.3, 0.5, 0.1]}))


def cards(workspace: Workspace) -> list[Card]:
    return list(present_alternatives(workspace).cards)


def test_no_spike_leaves_its_unit_beside_an_accepted_one(demo_like: Workspace) -> None:
    demo_like.lock((0,), True)
    assert cards(demo_like)[1].words == "same units; 0 stays as accepted"
    assert cards(demo_like)[1].counts == "0: 8 · 1: 6 · 2: 5 · 1 unassigned"
    demo_like.show_alternative(1)
    assert not present_alternatives(demo_like).can_adopt
    with pytest.raises(CurationError, match=r"only in what is accepted \(unit 0\); unlock it \(Y\) first"):
        demo_like.adopt()
    assert units(demo_like, 0) == APART
    assert [card.is_in_use for card in cards(demo_like)] == [True, False, False]


def test_a_sorting_that_unassigns_spikes_says_so_and_is_not_the_one_in_use(demo_like: Workspace) -> None:
    assert cards(demo_like)[2].words == "unassigns 6 spikes of 1"
    demo_like.show_alternative(2)
    demo_like.adopt()
    assert units(demo_like, 0).count(-1) == 7
    assert [card.is_in_use for card in cards(demo_like)] == [False, False, True]
    assert cards(demo_like)[2].line == "as the units are now, 7 unassigned"
    assert cards(demo_like)[0].words == "assigns 6 spikes to new"


def test_spikes_of_other_channels_that_come_along_are_told() -> None:
    workspace = Workspace(
        tiny_project({0: [[0] * 5 + [1] * 5, [0] * 10], 1: [[0] * 4]}, masses={0: [0.5, 0.5]})
    )
    workspace.merge((0, 2))  # 3: five spikes of channel 0 and four of channel 1
    workspace.show_component(0)
    assert cards(workspace)[1].words == "merges 1 + 3, takes 4 spikes from elsewhere along"


# -- any sequence of edits ----------------------------------------------------------------------


def some_project(rng: np.random.Generator) -> Project:
    """Two channels of 30 and 24 spikes that can be sorted in four ways, some spikes in no unit."""

    def way(n: int) -> list[int]:
        base = rng.integers(0, rng.integers(1, 5), n) if rng.random() < 0.5 else np.arange(n) // 8
        return canonical(np.where(rng.random(n) < 0.1, -1, base)).tolist()

    ways = {0: [way(30) for _ in range(4)], 1: [way(24) for _ in range(4)]}
    return tiny_project(ways, masses={0: [0.4, 0.3, 0.2, 0.1], 1: [0.4, 0.3, 0.2, 0.1]})


def told(words: str, what: str) -> int:
    """Spikes that the words say to be unassigned, assigned or taken along."""
    found = re.search(rf"\b{what} (\d+) spike", words)
    return int(found.group(1)) if found else 0


def company(unit: np.ndarray) -> np.ndarray:
    """(n, n) which spikes share a unit."""
    return (unit[:, None] == unit) & (unit >= 0)


def use(workspace: Workspace, index: int) -> None:
    """Use an alternative and compare what its card said with what happened."""
    component = workspace.component()
    assert component is not None
    card = next(card for card in cards(workspace) if card.index == index)
    names = {unit.name: unit.unit for unit in workspace.current().units}  # type: ignore[union-attr]
    before = workspace.clustering.unit_of_spike.copy()
    locked = [unit for unit in workspace.history.labels.locked if unit in workspace.clustering]
    workspace.show_alternative(index)
    with suppress(CurationError):  # nothing to change, which the card must have said
        workspace.adopt()
    after = workspace.clustering.unit_of_spike.copy()

    here = np.isin(np.arange(len(before)), component.spike_ids)
    assert told(card.words, "unassigns") == np.sum((before >= 0) & (after < 0))
    assert told(card.words, "assigns") == np.sum((before < 0) & (after >= 0))
    assert told(card.words, "takes") == np.sum((before != after) & ~here)
    assert card.n_unassigned == np.sum(after[here] < 0)
    assert sorted(unit.n_spikes for unit in card.units) == sorted(
        np.unique(after[here & (after >= 0)], return_counts=True)[1].tolist()
    )
    stays = card.is_in_use or card.words.startswith("same units")
    assert stays == (np.array_equal(company(before)[here][:, here], company(after)[here][:, here])
                     and np.array_equal(before[here] < 0, after[here] < 0))  # fmt: skip
    for unit in locked:
        assert np.array_equal(before == unit, after == unit)
    for merged in re.findall(r"merges ([^,;]+)", card.words):
        targets = []
        for name in merged.split(" + "):
            to, counts = np.unique(after[here & (before == names[name])], return_counts=True)
            assert counts.max() >= 0.6 * counts.sum()
            targets.append(to[counts.argmax()])
        assert len(set(targets)) == 1


@pytest.mark.parametrize("seed", range(12))
def test_after_any_edits_what_a_card_says_is_what_happens(seed: int) -> None:
    rng = stream(seed, "decisions")
    workspace = Workspace(some_project(rng))
    for _ in range(25):
        workspace.show_component(int(rng.integers(0, 2)))
        present = workspace.clustering.unit_ids
        move = rng.choice(["use", "use", "lock", "merge", "undo"])
        if move == "use":
            use(workspace, int(rng.integers(0, 4)))
        elif move == "lock" and len(present):
            unit = int(rng.choice(present))
            workspace.lock((unit,), not workspace.history.labels.is_locked(unit))
        elif move == "merge" and len(present) > 1:
            workspace.merge(tuple(int(u) for u in rng.choice(present, 2, replace=False)))
        elif move == "undo":
            workspace.undo()
        component, index = workspace.component(), workspace.present_alternative()
        if (
            component is not None and index is not None
        ):  # in use: the same spikes together, the same ones alone
            wanted = component.alternatives[index].labels
            now = workspace.clustering.unit_of_spike[component.spike_ids]
            assert np.array_equal(canonical(now), canonical(wanted))
