"""What other cards would make: their tiles below those on screen, and sortings too rare for a card."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from later import Later
from tiny_project import tiny_project

from ncpgui.app.model.colors import Color, ColorBook
from ncpgui.app.model.lasso import Lasso
from ncpgui.app.model.making_sortings import _colors
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters import cards
from ncpgui.app.presenters.lasso import plane_points
from ncpgui.app.presenters.receptive_fields import ReceptiveFieldsView, sortings_with_fields
from ncpgui.app.work import jobs
from ncpgui.app.work.asked_for import toggle_rarer
from ncpgui.core.component import Alternative
from ncpgui.core.errors import InputError
from ncpgui.curation.commands import Assign

WAYS = {0: [[0, 0, 0, 1, 1, 1], [0] * 6, [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]]}
MASSES = {0: [0.5, 0.3, 0.1, 0.1]}


@pytest.fixture
def workspace() -> Workspace:
    made = Workspace(tiny_project(WAYS, masses=MASSES))
    made.show_component(0)
    return made


def groups(workspace: Workspace, *, others: bool = True) -> list[tuple[str, tuple[int, ...], int | None]]:
    return [(one.title, one.rows, one.alternative) for one in sortings_with_fields(workspace, others=others)]


def test_units_of_other_cards_have_tiles_where_no_card_before_has_them(workspace) -> None:
    """The second joins both units; the third parts the second of them; the fourth has one unit of its own."""
    assert groups(workspace) == [
        ("", (0, 1), None),
        ("card 2: 30\u2009%", (0,), 1),
        ("card 3: 10\u2009%", (1, 2), 2),
        ("card 4: 10\u2009%", (0, 1, 2), 3),
    ]
    assert groups(workspace, others=False) == [("", (0, 1), None)]
    view = ReceptiveFieldsView(groups=tuple(sortings_with_fields(workspace, others=True)))
    assert [view.group_of(tile).alternative for tile in range(8)] == [None, None, 1, 2, 2, 3, 3, 3]


def test_while_a_card_is_looked_at_what_is_in_use_comes_next(workspace) -> None:
    workspace.show_alternative(1)
    assert groups(workspace)[:3] == [
        ("", (0,), None),
        ("in use", (0, 1), None),
        ("card 3: 10\u2009%", (1, 2), 2),
    ]


def test_four_other_cards_have_tiles_at_most() -> None:
    pairs = [[0] * 12] + [[int(k in (a, a + 1)) for k in range(12)] for a in range(0, 12, 2)]
    workspace = Workspace(tiny_project({0: pairs}, masses={0: [0.4] + [0.1] * 6}))
    workspace.show_component(0)
    assert [alternative for _, _, alternative in groups(workspace)] == [None, 1, 2, 3, 4]


# -- sortings too rare for a card ----------------------------------------------------------------


def rarer(labels: list[int]) -> Alternative:
    n = max(labels) + 1
    return Alternative(
        np.array(labels, np.int32), np.ones(len(labels), np.float32), 0.01, 0.0, np.ones(n, np.float32)
    )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is asked for, and found: one rarer sorting."""
    found: list[Any] = [(rarer([0, 1, 2, 3, 4, 5]),)]
    monkeypatch.setattr(jobs, "rarer_sortings", lambda *_, progress: found[-1])
    return found


def test_rarer_sortings_are_shown_when_asked_for_and_put_away_again(workspace, asked) -> None:
    runner = Later()
    toggle_rarer(workspace, runner)  # type: ignore[arg-type]
    assert [(task.key, task.lane, task.priority) for task in runner.waiting] == [(("rarer", 0), "view", 2)]
    assert runner.waiting[0].words == "Rarer sortings of units 0 and 1 around contact 0"
    runner.run()
    assert workspace.state.n_rarer(0) == 1
    assert len(workspace.component().alternatives) == 5
    toggle_rarer(workspace, runner)  # type: ignore[arg-type]
    assert runner.waiting == []
    assert workspace.state.n_rarer(0) == 0


def test_where_there_are_no_rarer_sortings_or_none_can_be_found_it_is_said(
    workspace, asked, monkeypatch
) -> None:
    told: list[str] = []
    workspace.state.told.connect(told.append)
    runner = Later()
    asked.append(())
    toggle_rarer(workspace, runner)  # type: ignore[arg-type]
    runner.run()

    def fail(*_: Any, progress: Any) -> None:
        raise InputError("no draws")

    monkeypatch.setattr(jobs, "rarer_sortings", fail)
    toggle_rarer(workspace, runner)  # type: ignore[arg-type]
    runner.run()
    assert told == ["All other samples differ by single spikes only", "No rarer sortings: no draws"]
    assert workspace.state.n_rarer(0) == 0


def test_without_a_component_on_screen_nothing_rarer_is_asked_for() -> None:
    runner = Later()
    toggle_rarer(Workspace(), runner)  # type: ignore[arg-type]
    waiting = Workspace(tiny_project(WAYS, sampled=False))
    waiting.show_component(0)
    toggle_rarer(waiting, runner)  # type: ignore[arg-type]
    assert runner.waiting == []


# -- under a lasso -------------------------------------------------------------------------------


def test_without_waveforms_no_spikes_are_under_a_lasso() -> None:
    project = replace(tiny_project(WAYS), waveforms={})
    workspace = Workspace(project)
    workspace.show_component(0)
    lasso = Lasso(0, "embedding", ("PC 1", "PC 2"), np.zeros((3, 2)))
    positions, points = plane_points(workspace, lasso, None)
    assert (positions.shape, points.shape) == ((0,), (0, 2))


def test_a_lasso_is_of_one_component_one_panel_and_its_axes_and_closed_from_three_corners() -> None:
    lasso = Lasso(4, "features", ("a", "b"), np.zeros((2, 2)))
    assert lasso.is_in(4, "features", ("a", "b"))
    assert not lasso.is_in(5, "features", ("a", "b"))
    assert not lasso.is_in(4, "over time", ("a", "b"))
    assert not lasso.is_in(4, "features", ("b", "a"))
    assert not lasso.is_closed
    assert lasso.with_corner(1.0, 2.0).is_closed
    assert lasso.with_corner(1.0, 2.0).corners[-1].tolist() == [1, 2]


def test_a_split_that_is_proposed_is_withdrawn_when_another_lasso_is_drawn(workspace) -> None:
    lasso = Lasso(0, "features", ("a", "b"), np.zeros((3, 2)))
    workspace.draw_lasso(lasso)
    workspace.propose(Assign(np.arange(3), [0, 0, 1]))
    workspace.draw_lasso(lasso)
    assert workspace.proposal is not None, "the same one"
    workspace.draw_lasso(lasso.with_corner(1.0, 1.0))
    assert workspace.proposal is None
    workspace.propose(Assign(np.arange(3), [0, 0, 1]))
    workspace.draw_lasso(None)
    assert workspace.proposal is None


def test_units_of_several_components_that_are_drawn_together_are_those_that_are_selected_now() -> None:
    workspace = Workspace(tiny_project({channel: [[0] * 4] for channel in range(3)}))

    def shown(*units: int) -> list[int | None]:
        workspace.select(units)
        sorting = workspace.shown()
        assert sorting is not None
        return [unit.unit for unit in sorting.units]

    assert [shown(0, 1), shown(0, 2), shown(0, 1, 2), shown(0)] == [[0, 1], [0, 2], [0, 1, 2], [0]]


@pytest.mark.parametrize(
    ("pure", "complete", "is_doubtful"),
    [(0.5, 0.5, False), (0.49, 0.9, True), (0.9, 0.49, True), (float("nan"), 0.9, False)],
)
def test_a_unit_in_use_is_in_doubt_where_it_is_more_probably_not_right(
    workspace, monkeypatch: pytest.MonkeyPatch, pure: float, complete: float, is_doubtful: bool
) -> None:
    numbers = {"p_pure": np.array([1.0, pure]), "p_complete": np.array([1.0, complete])}
    monkeypatch.setattr(cards, "unit_numbers", lambda *_: numbers)
    assert cards._is_doubtful(workspace, workspace.current()) is is_doubtful


def test_units_that_stay_keep_their_colour_and_a_part_has_that_of_the_unit_it_is_mostly_of() -> None:
    """Unit 0 stays; of the three spikes of unit 3 two are one new unit, and one is another."""
    book = ColorBook()
    book.give(0, 5)
    before: Any = SimpleNamespace(
        units=(
            SimpleNamespace(unit=0, color=Color(5), n_spikes=2),
            SimpleNamespace(unit=3, color=Color(2), n_spikes=3),
        ),
        labels=np.array([0, 0, 1, 1, 1]),
    )
    after = np.array([0, 0, 1, 1, 2], np.int32)
    assert [color.index for color in _colors(before, after, [0, -1, -1], book)] == [5, 2, 0]
