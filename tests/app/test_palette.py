"""The palette finds every action by a few of its letters, and units and components by their number."""

from __future__ import annotations

from pathlib import Path

import pytest
from app_fakes import FakeJobs
from read_once import saved_copy

from ncpgui.app.action import Context
from ncpgui.app.actions import ACTIONS
from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.palette import Entry, found, match
from ncpgui.app.preferences import Preferences
from ncpgui.app.work.tasks import Immediate
from tests.app.test_actions import FakeWindow

KEYS = {item.id: item.keys for item in ACTIONS}


@pytest.fixture
def context(fake: FakeJobs, preferences: Preferences, tmp_path: Path) -> Context:
    controller = Controller(Workspace(), Immediate(), preferences)
    saved_copy(fake.project, tmp_path / "s.h5")
    controller.open_session(tmp_path / "s.h5")
    return Context(controller.workspace, controller, FakeWindow())  # type: ignore[arg-type]


def names(context: Context, query: str) -> list[str]:
    return [entry.name for entry in found(context, KEYS, query)]


def entry(context: Context, query: str, name: str) -> Entry:
    return next(entry for entry in found(context, KEYS, query) if entry.name == name)


def test_without_a_query_it_lists_all_actions_in_the_order_of_the_menus(context: Context) -> None:
    listed = names(context, "")
    assert listed[:2] == ["Open recording", "Open session"]
    assert set(listed) == {item.name.rstrip("…") for item in ACTIONS if item.in_menu}


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("merge", "Merge"), ("mrg", "Merge"), ("never", "Never merge"), ("lbl good", "Label good"),
        ("SAVE AS", "Save session as"), ("undo", "Undo"), ("export phy", "Export"),
    ],
)  # fmt: skip
def test_a_few_letters_are_enough(context: Context, query: str, first: str) -> None:
    assert names(context, query)[0] == first


def test_what_does_not_match_is_not_listed(context: Context) -> None:
    assert names(context, "zzzq") == []
    assert "Quit" not in names(context, "merge")


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("merge", "Merge", "Never merge"),  # the name begins so, a later word does
        ("sa", "Use same", "Show alternative"),  # a word begins so, first letters of words
        ("sp", "Show probe", "Unspoken"),  # first letters of words, inside of a word
        ("ave", "Saved", "Arrival event"),  # inside of a word, letters in order
        ("lb", "Label", "Lower tab"),  # fewer letters in between
        ("lb", "Lower tab", "Quit"),  # letters in order, the help only
    ],
)
def test_words_that_begin_so_come_before_letters_in_between(query: str, better: str, worse: str) -> None:
    best, other = match(query, better), match(query, worse, more="lb of the screen")
    assert best is not None
    assert other is not None
    assert best < other


def test_the_best_is_listed_first(context: Context) -> None:
    help_of = {item.name.rstrip("…"): f"{item.id} {item.help}" for item in ACTIONS}
    for query in ("me", "s", "la", "un"):
        listed = names(context, query)
        ranks = [match(query, name, more=help_of[name]) for name in listed]
        assert len(set(ranks)) > 2
        assert ranks == sorted(ranks)


def test_an_entry_has_its_keys_and_why_it_is_not_allowed(context: Context) -> None:
    merge = entry(context, "merge", "Merge")
    assert (merge.keys, merge.reason) == ("G", "fewer than two units are selected")
    context.workspace.select([0, 1])
    assert entry(context, "merge", "Merge").reason == ""


def test_what_an_action_needs_is_an_open_project_first(preferences: Preferences) -> None:
    controller = Controller(Workspace(), Immediate(), preferences)
    empty = Context(controller.workspace, controller, FakeWindow())  # type: ignore[arg-type]
    assert entry(empty, "merge", "Merge").reason == "open a recording or a session first"
    assert entry(empty, "open session", "Open session").reason == ""
    assert names(empty, "unit 3") == [name for name in names(empty, "unit 3") if "Go to" not in name]


def test_every_action_that_is_not_allowed_says_why(context: Context) -> None:
    grey = [item for item in ACTIONS if not item.enabled(context)]
    assert grey
    assert all(item.why_not(context) not in ("", "this is not possible now") for item in grey)


def test_what_runs_is_the_action(context: Context) -> None:
    context.workspace.select([0, 1])
    entry(context, "merge", "Merge").run()
    assert context.workspace.selected == (5,)


def test_a_number_goes_to_the_unit_and_its_component(context: Context) -> None:
    """Unit 3 is on channel 1, which is component 1."""
    for query in ("3", "unit 3", "go to unit 3"):
        assert names(context, query)[0] == "Go to unit 3"
    entry(context, "3", "Go to unit 3").run()
    assert context.workspace.component_id == 1
    assert context.workspace.selected == (3,)
    assert "Go to unit 77" not in names(context, "77")


def test_a_component_is_found_by_its_units_and_its_contact(context: Context) -> None:
    name = "Go to question: unit 3 around contact 1"
    for query in ("question 3", "3", "contact 1", "ch 1"):
        assert name in names(context, query), query
    assert name not in names(context, "contact 2")
    entry(context, "question 3", name).run()
    assert context.workspace.component_id == 1
