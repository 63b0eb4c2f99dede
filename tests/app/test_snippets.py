"""Lines as phy takes them after a colon: select, filter, sort, label, merge."""

from __future__ import annotations

from pathlib import Path

import pytest
from app_fakes import FakeJobs
from read_once import saved_copy

from ncpgui.app.action import Context
from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.snippets import SNIPPETS, run_snippet
from ncpgui.app.work.tasks import Immediate
from ncpgui.core.errors import NcpguiError
from tests.app.test_actions import FakeWindow


@pytest.fixture
def context(fake: FakeJobs, preferences: Preferences, tmp_path: Path) -> Context:
    """Units 0, 1, 2 are of the component on screen, 3 and 4 of others."""
    controller = Controller(Workspace(), Immediate(), preferences)
    saved_copy(fake.project, tmp_path / "s.h5")
    controller.open_session(tmp_path / "s.h5")
    window = FakeWindow()
    window.workspace = controller.workspace
    return Context(controller.workspace, controller, window)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "units"),
    [
        ("c 0 2", (0, 2)),
        ("c 3-99999999999", (3, 4)),
        (":c 2,0", (2, 0)),
        ("c 0-2", (0, 1, 2)),
        (" c  1 ", (1,)),
        ("c 1, 0-1", (1, 0)),
    ],
)
def test_c_selects_units_in_the_order_given(context: Context, line: str, units: tuple[int, ...]) -> None:
    run_snippet(context, line)
    assert context.workspace.selected == units


def test_c_goes_to_where_the_units_are(context: Context) -> None:
    run_snippet(context, "c 3")
    assert context.workspace.component_id == 1
    assert context.workspace.selected == (3,)
    run_snippet(context, "c 3 0")  # one of them is on screen: stay
    assert context.workspace.component_id == 1
    assert context.workspace.selected == (3, 0)


def test_f_and_s_go_to_the_table(context: Context) -> None:
    run_snippet(context, "f fr > 1 & p_neuron > .9")
    run_snippet(context, "f")
    run_snippet(context, "s SNR desc")
    run_snippet(context, "s ch")
    asked = context.window.asked  # type: ignore[attr-defined]
    assert asked == [
        "units.set_filter fr > 1 & p_neuron > .9",
        "units.set_filter ",
        "units.sort_by SNR True",
        "units.sort_by ch False",
    ]


def test_l_labels_the_selected_units_or_those_named(context: Context) -> None:
    labels = context.workspace.state.history.labels
    context.workspace.select([0, 1])
    run_snippet(context, "l good")
    assert [labels.label(unit) for unit in (0, 1, 2)] == ["good", "good", "unsorted"]
    run_snippet(context, "l mua 2")
    assert labels.label(2) == "mua"


def test_g_merges_the_selected_units_or_those_named(context: Context) -> None:
    context.workspace.select([0, 1])
    run_snippet(context, "g")
    assert context.workspace.selected == (5,)
    run_snippet(context, ":g 5 2")
    assert context.workspace.selected == (6,)


def test_what_asks_first_asks_here_too(context: Context) -> None:
    context.workspace.set_accepted((0,), True)
    run_snippet(context, "g 0 1")
    assert context.window.questions == [  # type: ignore[attr-defined]
        "Unit 0 is accepted. Merge 0 + 1 all the same?"
    ]
    assert 5 not in context.workspace.state.clustering


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "write a letter and what it takes: c 3 7 selects units"),
        ("x 3", "there is no snippet 'x'; there are c (select), f (filter), s (sort), l (label), g (merge)"),
        ("c", "c needs unit numbers, such as 'c 3 7' or 'c 3-7'"),
        ("c 1 seven", "'seven' is not a unit number"),
        ("c 2-0", "2-0 is not a range: the second number is smaller"),
        ("c 0 99 98", "there are no units 99 and 98"),
        ("c 90-99", "there is no unit in 90-99"),
        ("s", "s needs a column"),
        ("s SNR sideways", "sorting is asc or desc, got 'sideways'"),
        ("l", "l needs a label"),
        ("l good", "no unit is selected"),
        ("g", "fewer than two units are selected"),
        ("g 1", "fewer than two units are selected"),
    ],
)
def test_what_cannot_be_done_is_explained_and_changes_nothing(
    context: Context, line: str, words: str
) -> None:
    with pytest.raises(NcpguiError) as error:
        run_snippet(context, line)
    assert words in str(error.value)
    assert context.workspace.selected == ()
    assert context.workspace.state.history.entries == ()


def test_without_a_project_it_says_what_comes_first(preferences: Preferences) -> None:
    controller = Controller(Workspace(), Immediate(), preferences)
    empty = Context(controller.workspace, controller, FakeWindow())  # type: ignore[arg-type]
    with pytest.raises(NcpguiError, match="open a recording or a session first"):
        run_snippet(empty, "c 3")


def test_every_snippet_has_an_example(context: Context) -> None:
    context.workspace.select([0, 1])
    for snippet in SNIPPETS:
        run_snippet(context, snippet.example)
