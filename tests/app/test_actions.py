"""The one list of actions: complete, without clashes, and every one of them works."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import MASSES, WAYS, FakeJobs
from tiny_project import tiny_project

from ncpgui.app.action import Action, Context
from ncpgui.app.actions import ACTIONS, MENUS, action, help_page
from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.unit_table import present_unit_table
from ncpgui.app.question import Question
from ncpgui.app.question_actions import NEXT_AFTER
from ncpgui.app.work.tasks import Immediate
from ncpgui.core.errors import CurationError
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.session.store import save

KEY = re.compile(
    r"((Ctrl|Alt|Shift)\+)*([A-Z0-9\[\]?:.,+=-]|F\d+|Return|Enter|Escape|Space|Up|Down|Left|Right|PgUp|PgDown)"
)
ASKS_THE_WINDOW = {
    "open": "ask_open", "open_session": "ask_session", "save_as": "ask_save_as", "export": "ask_export",
    "locate": "ask_recording_place", "picture": "save_picture", "close": "close_project", "quit": "quit",
    "theme": "toggle_theme", "arrangement": "waveforms.toggle_arrangement",
    "waveforms": "waveforms.step_shown 1", "waveforms_back": "waveforms.step_shown -1",
    "means": "waveforms.toggle_means", "other_fields": "fields.toggle_others",
    "all_units": "units.toggle_all_units", "intervals": "correlograms.intervals.toggle",
    "height": "over time.toggle_height", "decide": "layout.show_layout decide",
    "inspect": "layout.show_layout inspect", "next_spike": "traces!.step 1",
    "previous_spike": "traces!.step -1", "ambiguous_spike": "traces!.step_ambiguous",
    "system_theme": "follow_system_theme", "tour": "show_tour", "history": "layout.toggle_panel history",
    "reset_layout": "layout.reset", "palette": "commands.show_palette",
    "snippet": "commands.show_snippet_line", "filter": "units!.filter.begin", "copy": "units.copy",
    "similar": "layout.toggle_panel similar", "review": "ask_review", "review_file": "ask_review_file",
    "help": "commands.show_keys", "about": "show_about",
}  # fmt: skip


NEEDS_FIRST = {
    "read_all_spikes": "of all these spikes are there already",
    "split": "draw a lasso first",
    "split_as": "show an alternative that splits the unit first",
    "adopt_better": "what is on screen is the most probable sorting",
}


class Part:
    """A part of that window: a panel, or what is around them; one that is shown for it has a "!"."""

    def __init__(self, window: FakeWindow, name: str, path: str) -> None:
        self._window, self._name, self._path = window, name, path

    @property
    def listed_units(self) -> tuple[int, ...]:
        table = present_unit_table(self._window.workspace, all_units=self._window.all_units)
        return tuple(table.ids.tolist())

    def isVisible(self) -> bool:
        return self._name == "similar" and self._window.similar_is_shown

    def __getattr__(self, name: str) -> Part:
        return Part(self._window, self._name, f"{self._path}.{name}".replace("..", "."))

    def __call__(self, *what: object, **more: object) -> None:
        self._window.asked.append(" ".join(map(str, (self._path, *what, *more.values()))))


class FakeWindow:
    """A window that writes down what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.questions: list[str] = []
        self.answers = ("", "")
        self.says_yes = False
        self.all_units = False
        self.similar_is_shown = False
        self.words: str | None = None
        self.workspace = Workspace()

    def confirm(self, question: Question) -> bool:
        self.questions.append(question.text)
        self.answers = question.yes, question.no
        return self.says_yes

    def part(self, name: str, *, shown: bool = False) -> Any:
        return self if name == "window" else Part(self, name, f"{name}{'!' if shown else ''}.")

    def ask_words(self, question: str, present: str, known: tuple[str, ...]) -> str | None:
        self.questions.append(f"{question}: '{present}' of {', '.join(known)}")
        return self.words

    def __getattr__(self, name: str) -> Any:
        return lambda *what: self.asked.append(" ".join(map(str, (name, *what))))


@pytest.fixture(scope="module")
def saved_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project in a session, for each test to copy."""
    path = tmp_path_factory.mktemp("saved") / "s.h5"
    save(tiny_project(WAYS, masses=MASSES), path)
    return path


@pytest.fixture
def context(fake: FakeJobs, preferences: Preferences, saved_session: Path, tmp_path: Path) -> Context:
    """Channel 0 of the project, opened from a session."""
    preferences.set(NEXT_AFTER, False)
    controller = Controller(Workspace(), Immediate(), preferences)
    for path in saved_session.parent.iterdir():
        shutil.copy(path, tmp_path)
    controller.open_session(tmp_path / "s.h5")
    window = FakeWindow()
    window.workspace = controller.workspace
    return Context(controller.workspace, controller, window)  # type: ignore[arg-type]


def press(context: Context, name: str, key: int = 0) -> None:
    item = action(name)
    assert item.enabled(context), f"{name} is not enabled"
    item.run(context, key)


def test_names_are_unique_and_every_menu_is_known() -> None:
    assert len({item.id for item in ACTIONS}) == len(ACTIONS)
    assert len({item.name for item in ACTIONS}) == len(ACTIONS)
    assert {item.menu for item in ACTIONS} == set(MENUS)


def test_no_key_does_two_things() -> None:
    keys = [key for item in ACTIONS for key in item.keys]
    assert len(set(keys)) == len(keys)


def test_keys_are_written_as_qt_reads_them() -> None:
    keys = [key for item in ACTIONS for key in item.keys]
    assert [key for key in keys if not KEY.fullmatch(key)] == []
    gui = pytest.importorskip("PyQt5.QtGui")
    read = {key: gui.QKeySequence(key).toString() for key in keys}
    assert {key: text for key, text in read.items() if text != key} == {"Escape": "Esc"}


def test_every_action_says_what_it_does_in_a_sentence() -> None:
    for item in ACTIONS:
        assert item.help.endswith("."), item.id
        assert item.help[0].isupper(), item.id


def test_the_key_page_has_every_action_with_its_keys() -> None:
    page = help_page()
    assert [menu for menu, _ in page] == list(MENUS)
    rows = {name: keys for _, items in page for keys, name, _ in items}
    assert set(rows) == {item.name.rstrip("…") for item in ACTIONS}
    assert rows["Show alternative 1 to 9"] == "1 – 9"
    assert rows["Use this sorting"] == "Enter"
    assert rows["Redo"] == "Ctrl+Shift+Z · Ctrl+Y"
    assert rows["Stop"] == "Esc"


@pytest.mark.parametrize(("name", "asked"), ASKS_THE_WINDOW.items())
def test_questions_go_to_the_window(context: Context, name: str, asked: str) -> None:
    press(context, name)
    assert context.window.asked == [asked]  # type: ignore[attr-defined]


def test_with_nothing_open_only_opening_and_looking_are_possible(
    preferences: Preferences, tmp_path: Path
) -> None:
    controller = Controller(Workspace(), Immediate(), preferences)
    empty = Context(controller.workspace, controller, FakeWindow())  # type: ignore[arg-type]
    possible = {item.id for item in ACTIONS if item.enabled(empty)}
    assert possible == {
        "open",
        "open_session",
        "review",
        "review_file",
        "open_demo",
        "quit",
        "stop",
        "theme",
        "help",
        "about",
        "palette",
        "system_theme",
    }
    press(empty, "stop")


@pytest.mark.parametrize("item", ACTIONS, ids=lambda item: item.id)
def test_every_action_runs_with_each_of_its_keys(
    item: Action, context: Context, fake: FakeJobs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ncpgui.app.demo.simulate", lambda folder, *_, progress: folder.mkdir())
    workspace = context.workspace
    if item.id == "sample_waiting":
        save(fake.detected, tmp_path / "waiting.h5")
        context.controller.open_session(tmp_path / "waiting.h5")
    else:
        workspace.label((0,), "good")
        workspace.label((0,), "mua")
    if item.id == "write_back":  # asks first, and the answer is no
        given = GivenSorting(str(tmp_path), PHY, np.arange(len(fake.project.spikes)), "d")
        workspace.state.open(replace(fake.project, given=given))
    problems: list[str] = []
    context.controller.work.failed.connect(lambda error, doing: problems.append(f"{doing}: {error}"))
    for key in range(len(item.keys) or 1):
        if item.id == "redo":
            workspace.undo()
        workspace.select([0, 1], similar=[1] if item.id == "label_similar" else [])
        assert item.enabled(context)
        if item.id == "number" and key > 1:
            with pytest.raises(CurationError, match="there are 2 sortings of these spikes, none has"):
                item.run(context, key)
        elif item.id in NEEDS_FIRST:
            with pytest.raises(CurationError, match=NEEDS_FIRST[item.id]):
                item.run(context, key)
        else:
            item.run(context, key)
    assert problems == []
    context.controller.close()


def test_selected_units_are_merged_labelled_and_accepted(context: Context) -> None:
    workspace = context.workspace
    assert not action("merge").enabled(context)
    assert not action("good").enabled(context)
    workspace.select([0])
    assert not action("merge").enabled(context)
    for name in ("good", "mua", "noise", "unsorted"):
        press(context, name)
        assert workspace.state.history.labels.label(0) == name
    press(context, "accept")
    assert workspace.state.history.labels.accepted == {0}
    workspace.select([0, 1])
    press(context, "accept")  # one is open: accept both
    assert workspace.state.history.labels.accepted == {0, 1}
    press(context, "accept")
    assert workspace.state.history.labels.accepted == set()
    press(context, "merge")
    assert workspace.selected == (5,)


def test_undo_and_redo_are_there_when_there_is_something(context: Context) -> None:
    assert not action("undo").enabled(context)
    context.workspace.merge((0, 1))
    assert not action("redo").enabled(context)
    press(context, "undo")
    press(context, "redo", 1)
    assert context.workspace.state.clustering.unit_of_spike[0] == 5


def test_brackets_step_through_the_alternatives_and_digits_jump(context: Context) -> None:
    workspace = context.workspace
    press(context, "next_alternative")
    assert workspace.preview == 1
    press(context, "next_alternative")
    assert workspace.preview is None
    press(context, "previous_alternative")
    assert workspace.preview == 1
    press(context, "number", 0)
    assert workspace.preview is None
    press(context, "number", 1)
    press(context, "adopt")
    assert workspace.present_alternative() == 1


def test_a_sorting_made_by_hand_is_one_of_the_steps(context: Context) -> None:
    workspace = context.workspace
    workspace.merge((1, 2))
    assert workspace.present_alternative() is None
    for expected in (0, 1, None):
        press(context, "next_alternative")
        assert workspace.preview == expected


def test_escape_leaves_the_preview_and_then_the_selection(context: Context) -> None:
    workspace = context.workspace
    workspace.select([0])
    workspace.show_alternative(1)
    press(context, "stop")
    assert (workspace.preview, workspace.selected) == (None, (0,))
    press(context, "stop")
    assert workspace.selected == ()


# -- nothing is edited unseen -------------------------------------------------------------------


def questions(context: Context) -> list[str]:
    return context.window.questions  # type: ignore[attr-defined, no-any-return]


def test_what_is_on_screen_is_merged_without_a_question(context: Context) -> None:
    context.workspace.select([0, 1])
    press(context, "merge")
    assert (questions(context), context.workspace.selected) == ([], (5,))


@pytest.mark.parametrize("yes", [False, True])
def test_a_merge_during_a_preview_asks_when_a_unit_is_not_drawn(context: Context, yes: bool) -> None:
    workspace = context.workspace
    context.window.says_yes = yes  # type: ignore[attr-defined]
    workspace.select([0, 2])
    workspace.show_alternative(1)  # 0 and 1 as one, 2 as it is
    press(context, "merge")
    assert questions(context) == [
        "Unit 0 is in use but not on screen, which shows a preview. Merge 0 + 2 all the same?"
    ]
    assert (5 in workspace.state.clustering) == yes
    assert len(workspace.state.history.entries) == yes
    assert workspace.preview == (None if yes else 1)


def test_accepted_units_are_merged_after_a_question_only(context: Context) -> None:
    workspace = context.workspace
    workspace.set_accepted((0, 1), True)
    workspace.select([0, 1, 2])
    press(context, "merge")
    assert questions(context) == ["Units 0 and 1 are accepted. Merge 0 + 1 + 2 all the same?"]
    assert context.window.answers == ("Merge 0 + 1 + 2", "Keep the 3 units")  # type: ignore[attr-defined]
    assert 5 not in workspace.state.clustering


def test_units_of_several_questions_are_on_screen_when_selected_and_merged_at_once(context: Context) -> None:
    workspace = context.workspace
    workspace.select([3, 4])
    press(context, "merge")
    assert questions(context) == []
    assert len(workspace.state.history.entries) == 1
    assert not {3, 4} & {*workspace.state.clustering.unit_ids.tolist()}


@pytest.mark.parametrize("name", ["accept", "good", "mua", "noise", "unsorted"])
def test_a_unit_of_another_question_is_on_screen_when_selected_and_marked_at_once(
    context: Context, name: str
) -> None:
    workspace = context.workspace
    assert workspace.component_id == 0
    workspace.select([3])
    assert workspace.component_id == 1
    press(context, name)
    assert questions(context) == []
    assert len(workspace.state.history.entries) == 1


def test_space_goes_to_the_next_in_queue_that_is_not_settled(context: Context) -> None:
    workspace = context.workspace
    press(context, "next_in_queue")
    assert workspace.component_id == 1
    press(context, "next_in_queue")
    assert workspace.component_id == 0  # component 2 settles itself
    press(context, "previous_in_queue")
    assert workspace.component_id == 1
    workspace.set_accepted((3,), True)
    workspace.show_component(0)
    press(context, "next_in_queue")
    assert workspace.component_id == 1  # no other question: simply the next


@pytest.mark.parametrize(
    ("ways", "words"),
    [
        ({0: WAYS[0]}, "The queue has no other row"),
        ({}, "This sorting has no questions; Down goes to the next unit"),
    ],
)
def test_where_the_queue_has_no_other_row_it_is_said(context: Context, ways: dict, words: str) -> None:
    project = tiny_project({0: WAYS[0]})
    workspace = Workspace(project if ways else replace(project, components=()))
    said: list[str] = []
    workspace.state.told.connect(said.append)
    press(Context(workspace, context.controller, context.window), "next_row")
    assert said == [words]


LISTS_NONE = "The table lists no unit; U lists all, and Ctrl+F filters them"


@pytest.mark.parametrize(
    ("listed", "selected", "name", "words"),
    [
        ((0, 1, 2), [2], "select_next", "The table ends at unit 2"),
        ((0, 1, 2), [0], "select_previous", "The table ends at unit 0"),
        ((0,), [0], "compare_next", "The table lists no other unit to compare with; U lists all units"),
        ((), [], "next_unit", LISTS_NONE),
        ((), [], "select_all", LISTS_NONE),
        ((), [], "select_next", LISTS_NONE),
        ((), [], "compare_next", LISTS_NONE),
    ],
)
def test_where_the_table_has_no_such_unit_it_is_said_and_the_selection_stays(
    context: Context, monkeypatch: pytest.MonkeyPatch, listed, selected, name, words
) -> None:
    monkeypatch.setattr(Part, "listed_units", listed)
    context.workspace.select(selected)
    said: list[str] = []
    context.workspace.state.told.connect(said.append)
    press(context, name)
    assert said == [words]
    assert context.workspace.selected == tuple(selected)


def test_where_there_is_no_other_sorting_it_is_said(context: Context) -> None:
    workspace = Workspace(tiny_project({0: [[0] * 8]}))
    workspace.show_component(0)
    said: list[str] = []
    workspace.state.told.connect(said.append)
    press(Context(workspace, context.controller, context.window), "next_alternative")
    assert said == ["There is no other sorting of these spikes"]
    assert workspace.preview is None


def test_arrows_go_round_the_units_of_the_component(context: Context) -> None:
    workspace = context.workspace
    seen = []
    for name in ("next_unit", "next_unit", "next_unit", "next_unit", "previous_unit"):
        press(context, name)
        seen.append(workspace.selected[0])
    assert seen == [0, 1, 2, 0, 2]
    workspace.select(())
    press(context, "previous_unit")
    assert workspace.selected == (2,)
    press(context, "select_all")
    assert workspace.selected == (0, 1, 2)


def test_saving_a_project_without_a_file_asks_where(context: Context) -> None:
    context.workspace.label((0,), "good")
    press(context, "save")
    assert context.workspace.state.is_saved
    workspace = context.workspace
    project = workspace.state.project
    context.controller.close()
    assert project is not None
    workspace.state.open(project)
    press(context, "save")
    assert context.window.asked == ["ask_save_as"]  # type: ignore[attr-defined]


def test_resampling_is_for_components_that_are_sampled_and_waiting_ones_for_the_others(
    context: Context,
) -> None:
    assert action("resample").enabled(context)
    assert not action("sample_waiting").enabled(context)
    press(context, "resample")
    component = context.workspace.component()
    assert component is not None
    assert len(component.alternatives) == 1


def labels(context: Context) -> dict[int, str]:
    known = context.workspace.state.history.labels
    return {unit: known.label(unit) for unit in (0, 1, 2) if known.label(unit) != "unsorted"}


def test_labels_have_the_scopes_of_phy(context: Context) -> None:
    """Alt labels the selected unit, Ctrl those taken from the similarity list, Ctrl+Alt both."""
    context.workspace.select([0])
    context.workspace.take_similar([1])
    press(context, "good")
    assert labels(context) == {0: "good"}
    press(context, "label_similar", key=1)
    assert labels(context) == {0: "good", 1: "mua"}
    press(context, "label_both", key=2)
    assert labels(context) == {0: "noise", 1: "noise"}
    press(context, "label_both", key=3)
    assert labels(context) == {}
    keys = {key for name in ("good", "label_similar", "label_both") for key in action(name).keys}
    assert keys >= {"Alt+G", "Ctrl+G", "Ctrl+Alt+G"}
    context.workspace.select([0])
    assert not action("label_similar").enabled(context)


def test_shift_and_arrows_grow_and_shrink_a_selection_in_the_order_of_the_table(context: Context) -> None:
    workspace = context.workspace
    context.window.all_units = True  # type: ignore[attr-defined]
    workspace.select([1])
    selections = []
    for name in ("select_next", "select_next", "select_previous", "select_next", "select_next"):
        press(context, name)
        selections.append(workspace.selected)
    assert selections == [(1, 2), (1, 2, 3), (1, 2), (1, 2, 3), (1, 2, 3, 4)]
    press(context, "select_next")
    assert workspace.selected == (1, 2, 3, 4)
    workspace.select([1])
    press(context, "select_previous")
    press(context, "select_previous")
    assert workspace.selected == (1, 0)
    workspace.select([])
    press(context, "select_next")
    assert workspace.selected == (0,)


def test_ctrl_and_arrows_keep_the_first_unit_and_walk_the_other(context: Context) -> None:
    workspace = context.workspace
    workspace.select([0])
    for expected in ((0, 1), (0, 2), (0, 1)):
        press(context, "compare_next")
        assert workspace.selected == expected
    press(context, "compare_previous")
    assert workspace.selected == (0, 2)


def test_space_walks_the_list_of_similar_units_while_it_is_on_screen_and_the_queue_else(
    context: Context,
) -> None:
    workspace, window = context.workspace, context.window
    assert workspace.component_id == 0
    workspace.select([0])
    window.similar_is_shown = True  # type: ignore[attr-defined]
    press(context, "next_in_queue")
    assert (workspace.selected, workspace.component_id) == ((0, 1), 0)
    press(context, "next_in_queue")
    press(context, "previous_in_queue")
    assert (workspace.selected, workspace.component_id) == ((0, 1), 0)
    press(context, "next_row")
    assert workspace.component_id == 1
    assert workspace.selected == ()
    press(context, "next_in_queue")  # no unit is selected
    assert workspace.component_id == 0
    press(context, "previous_row")
    assert workspace.component_id == 1
    window.similar_is_shown = False  # type: ignore[attr-defined]
    workspace.select([3])
    press(context, "next_in_queue")
    assert workspace.component_id == 0


def test_a_tag_is_asked_for_with_those_in_use_offered(context: Context) -> None:
    workspace, window = context.workspace, context.window
    workspace.write((2,), "tag", "axon")
    workspace.select([0, 1])
    window.words = "soma"  # type: ignore[attr-defined]
    press(context, "tag")
    assert window.questions == ["Label of your own on units 0 and 1: '' of axon"]  # type: ignore[attr-defined]
    assert workspace.state.history.labels.words("tag", (0, 1, 2)) == {0: "soma", 1: "soma", 2: "axon"}
    n_entries = len(workspace.state.history.entries)
    press(context, "tag")  # the same again is no edit
    window.words = None  # type: ignore[attr-defined]
    press(context, "note")
    assert len(workspace.state.history.entries) == n_entries
    window.words = "look again"  # type: ignore[attr-defined]
    press(context, "note")
    assert window.questions[-1] == "Note on units 0 and 1: '' of "  # type: ignore[attr-defined]
    assert workspace.state.history.labels.words("note", (0, 1)) == {0: "look again", 1: "look again"}


def test_all_units_that_the_table_lists_are_selected(context: Context) -> None:
    press(context, "select_all")
    assert context.workspace.selected == (0, 1, 2)
    context.window.all_units = True  # type: ignore[attr-defined]
    press(context, "select_all")
    assert context.workspace.selected == (0, 1, 2, 3, 4)
