"""What a card says is what using it does: every spike, beside accepted units and after any edits."""

from __future__ import annotations

import re
from contextlib import suppress

import numpy as np
import pytest
from app_fakes import units
from tiny_project import tiny_project

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.card import Card
from ncpgui.app.presenters.consequences import present_consequence, propose_split_as
from ncpgui.core.errors import CurationError
from ncpgui.core.partition import canonical
from ncpgui.core.project import Project
from ncpgui.core.seeds import stream
from ncpgui.curation.commands import Assign

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
    demo_like.set_accepted((0,), True)
    assert [card.index for card in cards(demo_like)] == [0, 2]  # 1 would give what is in use
    assert "2 plausible sortings" in present_alternatives(demo_like).subtitle
    demo_like.show_alternative(1)
    assert cards(demo_like)[1].words == "same units; 0 stays as accepted"
    assert cards(demo_like)[1].counts == "0: 8 · 1: 6 · 2: 5 · 1 unassigned"
    assert not present_alternatives(demo_like).can_adopt
    with pytest.raises(
        CurationError, match=r"only in what is accepted \(unit 0\); take its acceptance back \(Y\) first"
    ):
        adopt(demo_like)
    assert units(demo_like, 0) == APART
    assert [card.is_in_use for card in cards(demo_like)] == [True, False, False]


def test_what_differs_by_single_spikes_from_a_card_is_that_card_edited_by_hand(demo_like: Workspace) -> None:
    masses = [card.mass for card in cards(demo_like)]
    demo_like.state.do(Assign(np.array([0]), np.array([-1])))
    first, *others = cards(demo_like)
    assert [card.mass for card in (first, *others)] == masses
    assert (first.index, first.is_in_use, first.is_shown) == (0, True, True)
    assert first.line == "as the units are now, edited by hand, about 4 spikes in a wrong unit, 2 unassigned"
    assert first.words == "assigns 1 spike to 0"  # what using it as it was does
    demo_like.show_alternative(0)
    first = cards(demo_like)[0]
    assert (first.index, first.is_in_use, first.is_shown) == (0, False, True)
    adopt(demo_like)
    assert canonical(np.array(units(demo_like, 0))).tolist() == APART


def test_what_is_decided_leaves_the_probability_before_it_beside(demo_like: Workspace) -> None:
    before = [card.percent for card in cards(demo_like)]
    assert [card.was for card in cards(demo_like)] == ["", "", ""]
    demo_like.link((0, 1), same=False)
    after = cards(demo_like)
    assert [card.was for card in after if card.was] == [
        f"was {told}" for told, card in zip(before, after, strict=True) if told != card.percent
    ]
    assert after[0].percent != before[0]
    assert after[0].beside[0].endswith(f"was {before[0]}")


def test_a_sorting_that_unassigns_spikes_says_so_and_is_not_the_one_in_use(demo_like: Workspace) -> None:
    assert cards(demo_like)[2].words == "unassigns 6 spikes of 1"
    demo_like.show_alternative(2)
    adopt(demo_like)
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
    assert cards(workspace)[1].words == "merges 1 + 3, takes 4 spikes of other questions along"


# -- any sequence of decisions ------------------------------------------------------------------

MOVES = ("use", "use", "use", "split", "lock", "label", "link", "link", "merge", "undo")


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
    workspace.show_alternative(index)
    card = next(card for card in cards(workspace) if card.index == index)
    names = {unit.name: unit.unit for unit in workspace.current().units}  # type: ignore[union-attr]
    before = workspace.state.clustering.unit_of_spike.copy()
    accepted = [
        unit for unit in workspace.state.history.labels.accepted if unit in workspace.state.clustering
    ]
    refused = ""
    try:
        adopt(workspace)
    except CurationError as error:
        refused = str(error)
    after = workspace.state.clustering.unit_of_spike.copy()
    if "contradicts" in refused:
        assert np.array_equal(before, after)
        return  # else there was nothing to change, which the card must have said

    here = np.isin(np.arange(len(before)), component.spike_ids)
    assert told(card.words, "unassigns") == np.sum((before >= 0) & (after < 0))
    assert told(card.words, "assigns") == np.sum((before < 0) & (after >= 0))
    assert told(card.words, "takes") == np.sum((before != after) & ~here)
    assert card.n_unassigned == np.sum(after[here] < 0)
    assert sorted(unit.n_spikes for unit in card.units) == sorted(
        np.unique(after[here & (after >= 0)], return_counts=True)[1].tolist()
    )
    stays = (card.is_in_use and not card.is_edited) or card.words.startswith("same units")
    assert stays == (np.array_equal(company(before)[here][:, here], company(after)[here][:, here])
                     and np.array_equal(before[here] < 0, after[here] < 0))  # fmt: skip
    for unit in accepted:
        assert np.array_equal(before == unit, after == unit)
    for merged in re.findall(r"merges ([^,;]+)", card.words):
        targets = []
        for name in merged.split(" + "):
            to, counts = np.unique(after[here & (before == names[name])], return_counts=True)
            assert counts.max() >= 0.6 * counts.sum()
            targets.append(to[counts.argmax()])
        assert len(set(targets)) == 1


def split(workspace: Workspace, unit: int, index: int) -> None:
    """Split a unit as an alternative does, and compare what the line above the cards said."""
    before = workspace.state.clustering.unit_of_spike.copy()
    workspace.show_alternative(index)
    workspace.select((unit,))
    with suppress(CurationError):  # it does not split this one, or it is accepted
        propose_split_as(workspace)
    if workspace.proposal is None:
        return
    line = present_consequence(workspace, None).text
    sizes = [int(n) for n in re.findall(r"[:] (\d+)", line.split(" spikes")[0])]
    with suppress(CurationError):  # it contradicts something
        workspace.confirm()
    after = workspace.state.clustering.unit_of_spike
    if np.array_equal(before, after):
        workspace.withdraw()
        return
    changed = before != after
    assert line.startswith(f"Split {unit}?")
    assert set(before[changed].tolist()) == {unit}
    assert sorted(sizes) == sorted(np.unique(after[changed], return_counts=True)[1].tolist())


def say(workspace: Workspace, what: str, units: tuple[int, ...], *, yes: bool) -> None:
    """Say something of units that is no edit: no spike changes its unit."""
    before = workspace.state.clustering.unit_of_spike.copy()
    with suppress(CurationError):  # it contradicts something, or the units are of different components
        if what == "lock":
            workspace.set_accepted(units[:1], not workspace.state.history.labels.is_accepted(units[0]))
        elif what == "label":
            workspace.label(units, "good" if yes else "mua")
        else:
            workspace.link(units, same=yes)
    assert np.array_equal(workspace.state.clustering.unit_of_spike, before)


def join(workspace: Workspace, units: tuple[int, ...]) -> None:
    """Merge units: their spikes, and no others, are one unit afterwards."""
    before = workspace.state.clustering.unit_of_spike.copy()
    with suppress(CurationError):  # it contradicts something
        workspace.merge(units)
        after = workspace.state.clustering.unit_of_spike
        assert len(set(after[np.isin(before, units)].tolist())) == 1
        assert np.array_equal(before != after, np.isin(before, units))


def everything(workspace: Workspace) -> list[bytes]:
    """Units of all spikes, and all that the posteriors say, to the last bit."""
    found = [workspace.state.clustering.unit_of_spike.tobytes()]
    for component_id in workspace.state.components.ids:
        component = workspace.component(component_id)
        assert component is not None
        masses = np.array([(way.mass, way.mass_se) for way in component.alternatives])
        found += [component.posterior.weight.tobytes(), masses.tobytes()]
    return found


@pytest.mark.parametrize("seed", range(12))
def test_after_any_decisions_what_is_said_is_what_happens_and_undo_takes_all_of_it_back(seed: int) -> None:
    rng = stream(seed, "decisions")
    workspace = Workspace(some_project(rng))
    start = everything(workspace)
    for _ in range(40):
        workspace.show_component(int(rng.integers(0, 2)))
        present = workspace.state.clustering.unit_ids
        units = tuple(int(u) for u in rng.choice(present, min(2, len(present)), replace=False))
        move, yes = str(rng.choice(MOVES)), bool(rng.random() < 0.5)
        if move == "use":
            use(workspace, int(rng.integers(0, 4)))
        elif move == "split" and units:
            split(workspace, units[0], int(rng.integers(0, 4)))
        elif move in ("lock", "label", "link") and len(units) > 1:
            say(workspace, move, units, yes=yes)
        elif move == "merge" and len(units) > 1:
            join(workspace, units)
        elif move == "undo":
            before = everything(workspace)
            if workspace.state.history.can_undo:
                workspace.undo()
                workspace.redo()
                assert everything(workspace) == before
                workspace.undo()
        component, index = workspace.component(), workspace.present_alternative()
        if (
            component is not None and index is not None
        ):  # in use: the same spikes together, the same ones alone
            wanted = component.alternatives[index].labels
            now = workspace.state.clustering.unit_of_spike[component.spike_ids]
            assert np.array_equal(canonical(now), canonical(wanted))
    while workspace.state.history.can_undo:
        workspace.undo()
    assert everything(workspace) == start
