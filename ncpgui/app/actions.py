"""Every user action: name, key, menu, help, when allowed, what it does.

Menus, toolbar, keys and the help page are made from this one list. Keys are phy's where phy has
the action; the others are free in phy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import step_alternative
from ncpgui.app.presenters.consequences import propose_lasso_split, propose_split_as
from ncpgui.app.presenters.questions import mark_question, merge_question
from ncpgui.app.presenters.queue import neighbour_in_queue
from ncpgui.app.presenters.unit_table import present_unit_table

MENUS = ("File", "Edit", "Unit", "Sorting", "Go", "View", "Help")


class Front(Protocol):
    """The window, as far as actions need one: questions to the person and the look of things."""

    def ask_open(self) -> None:
        """Ask for a recording and open it."""

    def ask_session(self) -> None:
        """Ask for a session and open it."""

    def ask_save_as(self) -> None:
        """Ask where to save, and save."""

    def ask_export(self) -> None:
        """Ask for format and place, and export."""

    def ask_recording_place(self) -> None:
        """Ask where the recording of the session is now."""

    def confirm(self, question: str) -> bool:
        """Ask a question that is answered with yes or no."""

    def lists_all_units(self) -> bool:
        """Whether the unit table lists the units of the whole recording."""

    def demo_folder(self) -> Path:
        """Folder of the demo."""

    def show_help(self) -> None:
        """Show the key page."""

    def show_about(self) -> None:
        """Show what this program is."""

    def toggle_theme(self) -> None:
        """Change between light and dark."""

    def toggle_arrangement(self) -> None:
        """Change between waveforms in columns and at probe geometry."""

    def step_waveforms(self) -> None:
        """Go on from spikes to means, to means beside the most alike other unit, and back."""

    def toggle_all_units(self) -> None:
        """Change between the units on screen and all units."""

    def show_layout(self, name: str) -> None:
        """Put the panels of a ready layout on screen: "decide" or "inspect"."""

    def step_spike(self, step: int) -> None:
        """Show the traces around the next spike, or (-1) the one before."""

    def step_ambiguous(self) -> None:
        """Show the traces around the next spike by how uncertain its unit is."""

    def toggle_intervals(self) -> None:
        """Change between autocorrelograms and intervals."""

    def toggle_height(self) -> None:
        """Go on from amplitude over time to depth, to a raster, and back."""

    def save_picture(self) -> None:
        """Ask for a file and save a picture of the window."""

    def close_project(self) -> None:
        """Close the project and show the start page."""

    def quit(self) -> None:
        """Close the window."""


@dataclass(frozen=True)
class Context:
    """What an action works on."""

    workspace: Workspace
    controller: Controller
    front: Front


def _always(_: Context) -> bool:
    return True


def _has_project(context: Context) -> bool:
    return context.workspace.project is not None


def _has_component(context: Context) -> bool:
    return context.workspace.component() is not None


def _has_alternatives(context: Context) -> bool:
    component = context.workspace.component()
    return component is not None and len(component.alternatives) > 0


def _has_selection(context: Context) -> bool:
    return len(context.workspace.selected) > 0


@dataclass(frozen=True)
class Action:
    """One thing a person can do.

    keys : the first is shown in menus; run(context, k) gets the index of the key that was pressed.
    """

    id: str
    name: str
    keys: tuple[str, ...]
    menu: str
    help: str
    run: Callable[[Context, int], None]
    enabled: Callable[[Context], bool] = _always
    in_menu: bool = True
    in_toolbar: bool = False
    starts_section: bool = False

    @property
    def key_text(self) -> str:
        """Keys as the help page shows them."""
        if len(self.keys) > 3:
            return f"{self.keys[0]} – {self.keys[-1]}"
        shown = [_KEY_NAMES.get(key, key) for key in self.keys]
        return " · ".join(dict.fromkeys(shown))


_KEY_NAMES = {"Return": "Enter", "Escape": "Esc"}


def _may(context: Context, question: str) -> bool:
    """Whether an edit may be done: there is nothing to ask, or the answer is yes."""
    return not question or context.front.confirm(question)


def _may_mark(context: Context) -> bool:
    workspace = context.workspace
    listed = present_unit_table(workspace, all_units=context.front.lists_all_units())
    return _may(context, mark_question(workspace, workspace.selected, listed=[row.unit for row in listed]))


def _label(context: Context, label: str) -> None:
    if _may_mark(context):
        context.workspace.label(context.workspace.selected, label)


def _toggle_lock(context: Context) -> None:
    workspace = context.workspace
    if _may_mark(context):
        locked = workspace.history.labels.locked.issuperset(workspace.selected)
        workspace.lock(workspace.selected, not locked)


def _merge(context: Context) -> None:
    workspace = context.workspace
    if _may(context, merge_question(workspace, workspace.selected)):
        workspace.merge(workspace.selected)


def _split(context: Context) -> None:
    """Show what the lasso splits; do what is shown."""
    workspace = context.workspace
    if workspace.proposal is not None:
        workspace.confirm()
    else:
        propose_lasso_split(workspace, context.controller.embedding())


def _go(context: Context, step: int) -> None:
    component_id = neighbour_in_queue(context.workspace, step)
    if component_id is not None:
        context.workspace.show_component(component_id)


def _step_unit(context: Context, step: int) -> None:
    """Select the next unit on screen."""
    current = context.workspace.current()
    units = [unit.unit for unit in current.units if unit.unit is not None] if current else []
    if not units:
        return
    chosen = context.workspace.selected
    start = units.index(chosen[-1]) if chosen and chosen[-1] in units else (-1 if step > 0 else 0)
    context.workspace.select([units[(start + step) % len(units)]])


def _select_all(context: Context) -> None:
    current = context.workspace.current()
    if current is not None:
        context.workspace.select([unit.unit for unit in current.units if unit.unit is not None])


def _save(context: Context) -> None:
    if context.controller.session_path is None:
        context.front.ask_save_as()
    else:
        context.controller.save()


def _stop(context: Context) -> None:
    """Leave the split that is shown, else the lasso, else long work, the preview, the selection."""
    workspace = context.workspace
    if workspace.proposal is not None:
        workspace.withdraw()
    elif workspace.lasso is not None:
        workspace.draw_lasso(None)
    elif context.controller.activity is not None and context.controller.activity.can_cancel:
        context.controller.cancel()
    elif workspace.preview is not None:
        workspace.show_alternative(None)
    else:
        workspace.select(())


def _show_number(context: Context, index: int) -> None:
    context.workspace.show_alternative(index)


ACTIONS: tuple[Action, ...] = (
    Action(
        "open", "Open recording…", ("Ctrl+O",), "File",
        "Open a recording: its spikes are found, and the posterior over their sortings is sampled.",
        lambda c, _: c.front.ask_open(), in_toolbar=True,
    ),
    Action(
        "open_session", "Open session…", ("Ctrl+Shift+O",), "File",
        "Go on with a session that was saved; what a crash left in its journal is done again.",
        lambda c, _: c.front.ask_session(),
    ),
    Action(
        "open_demo", "Open the demo", (), "File",
        "A simulated 49-channel hexagonal array on a retina, sorted before your eyes.",
        lambda c, _: c.controller.open_demo(c.front.demo_folder()),
    ),
    Action(
        "save", "Save session", ("Ctrl+S",), "File",
        "Write the session. Every action is in its journal already, whether you save or not.",
        lambda c, _: _save(c), _has_project, in_toolbar=True, starts_section=True,
    ),
    Action(
        "save_as", "Save session as…", ("Ctrl+Shift+S",), "File",
        "Keep the session in another file from now on.",
        lambda c, _: c.front.ask_save_as(), _has_project,
    ),
    Action(
        "export", "Export…", ("Ctrl+E", "X"), "File",
        "Write the sorting as it stands for Phy, SpikeInterface, NumPy or as tables.",
        lambda c, _: c.front.ask_export(), _has_project, in_toolbar=True,
    ),
    Action(
        "locate", "Locate recording…", (), "File", "Tell where the recording is, when it moved.",
        lambda c, _: c.front.ask_recording_place(), _has_project,
    ),
    Action(
        "picture", "Save picture…", ("Ctrl+P",), "File", "Save the window as a PNG.",
        lambda c, _: c.front.save_picture(), _has_project,
    ),
    Action(
        "close", "Close project", ("Ctrl+W",), "File", "Back to the start page; nothing is lost.",
        lambda c, _: c.front.close_project(), _has_project, starts_section=True,
    ),
    Action(
        "quit", "Quit", ("Ctrl+Q",), "File",
        "Close the window; nothing is lost.", lambda c, _: c.front.quit(),
    ),
    Action(
        "undo", "Undo", ("Ctrl+Z",), "Edit", "Take back the last edit, without limit.",
        lambda c, _: c.workspace.undo(), lambda c: c.workspace.history.can_undo, in_toolbar=True,
    ),
    Action(
        "redo", "Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "Edit", "Do again what was taken back.",
        lambda c, _: c.workspace.redo(), lambda c: c.workspace.history.can_redo, in_toolbar=True,
    ),
    Action(
        "select_all", "Select all units on screen", ("Ctrl+A",), "Edit",
        "Select every unit in use on screen.",
        lambda c, _: _select_all(c), _has_component, starts_section=True,
    ),
    Action(
        "merge", "Merge", ("G",), "Unit",
        "Make one unit of the selected ones; asks first if one is accepted or not on screen.",
        lambda c, _: _merge(c),
        lambda c: len(c.workspace.selected) > 1, in_toolbar=True,
    ),
    Action(
        "split", "Split along the lasso", ("K",), "Unit",
        "Show what the lasso makes of all spikes of the selected units; once more does it. "
        "Ctrl+click draws a lasso in Embedding, Features and Over time, a right click clears it.",
        lambda c, _: _split(c), _has_component,
    ),
    Action(
        "split_as", "Split as shown", ("Shift+K",), "Unit",
        "Show the split of the selected unit that the alternative on screen has, that one alone; K does it.",
        lambda c, _: propose_split_as(c.workspace), _has_alternatives,
    ),
    Action(
        "lock", "Accept unit", ("Y",), "Unit",
        "Accept (lock) the selected units, or open them again: each is a neuron, all of it and nothing else. "
        "All probabilities are given that, and other sortings leave it as it is.",
        lambda c, _: _toggle_lock(c), _has_selection, in_toolbar=True,
    ),
    Action(
        "must_link", "Must be one neuron", ("J",), "Unit",
        "Say that the selected units are one neuron. No spike changes its unit; "
        "all probabilities are given that.",
        lambda c, _: c.workspace.link(c.workspace.selected, same=True),
        lambda c: len(c.workspace.selected) > 1,
    ),
    Action(
        "never_merge", "Never merge", ("D",), "Unit",
        "Say that no two of the selected units are one neuron. No spike changes its unit; "
        "all probabilities are given that, and a merge of them is refused.",
        lambda c, _: c.workspace.link(c.workspace.selected, same=False),
        lambda c: len(c.workspace.selected) > 1,
    ),
    Action(
        "good", "Label good", ("Alt+G",), "Unit", "Call the selected units good.",
        lambda c, _: _label(c, "good"), _has_selection, starts_section=True,
    ),
    Action(
        "mua", "Label MUA", ("Alt+M",), "Unit", "Call the selected units multi-unit activity.",
        lambda c, _: _label(c, "mua"), _has_selection,
    ),
    Action(
        "noise", "Label noise", ("Alt+N",), "Unit", "Call the selected units noise.",
        lambda c, _: _label(c, "noise"), _has_selection,
    ),
    Action(
        "unsorted", "Label unsorted", ("Alt+U",), "Unit", "Take the label off the selected units.",
        lambda c, _: _label(c, "unsorted"), _has_selection,
    ),
    Action(
        "next_alternative", "Next alternative", ("]",), "Sorting", "Show the next way to sort these spikes.",
        lambda c, _: step_alternative(c.workspace, 1), _has_alternatives,
    ),
    Action(
        "previous_alternative", "Previous alternative", ("[",), "Sorting",
        "Show the previous way to sort these spikes.",
        lambda c, _: step_alternative(c.workspace, -1), _has_alternatives,
    ),
    Action(
        "number", "Show alternative 1 to 9", tuple("123456789"), "Sorting",
        "Show an alternative by its number.",
        _show_number, _has_alternatives, in_menu=False,
    ),
    Action(
        "adopt", "Use this sorting", ("Return", "Enter"), "Sorting",
        "Sort these spikes as shown, or do the split that is shown. The sorting already in use is accepted: "
        "all its units are locked.",
        lambda c, _: c.workspace.adopt(), _has_alternatives, starts_section=True,
    ),
    Action(
        "open_other", "Open or close rarer sortings", ("0",), "Sorting",
        "Show cards of the sortings that make up \"other\", or put them away.",
        lambda c, _: c.controller.open_other(), _has_alternatives,
    ),
    Action(
        "resample", "Resample the rest", ("R",), "Sorting",
        "Sample the posterior of these spikes again, given what was decided. "
        "It is done by itself where decisions leave fewer than 30 draws, and refused where more are left.",
        lambda c, _: c.controller.resample(), _has_component, in_toolbar=True,
    ),
    Action(
        "sample_waiting", "Sample what waits", (), "Sorting",
        "Sample the rows of the queue that were not reached yet, or failed.",
        lambda c, _: c.controller.sample_waiting(),
        lambda c: _has_project(c) and bool(c.controller.waiting_ids()), starts_section=True,
    ),
    Action(
        "stop", "Stop", ("Escape",), "Sorting",
        "Leave the split that is shown, or clear the lasso; else stop the work under way and keep what it "
        "did; else leave the preview; else select nothing.",
        lambda c, _: _stop(c),
    ),
    Action(
        "next_in_queue", "Next in the queue", ("Space",), "Go",
        "Go to the next row of the queue that is not settled.",
        lambda c, _: _go(c, 1), _has_project,
    ),
    Action(
        "previous_in_queue", "Previous in the queue", ("Shift+Space",), "Go",
        "Go to the previous row that is not settled.",
        lambda c, _: _go(c, -1), _has_project,
    ),
    Action(
        "next_unit", "Next unit", ("Down",), "Go", "Select the next unit on screen.",
        lambda c, _: _step_unit(c, 1), _has_component, starts_section=True,
    ),
    Action(
        "previous_unit", "Previous unit", ("Up",), "Go", "Select the previous unit on screen.",
        lambda c, _: _step_unit(c, -1), _has_component,
    ),
    Action(
        "next_spike", "Next spike", ("Alt+PgDown",), "Go",
        "Show the traces around the next spike of the selected units, or of all units on screen.",
        lambda c, _: c.front.step_spike(1), _has_component, starts_section=True,
    ),
    Action(
        "previous_spike", "Previous spike", ("Alt+PgUp",), "Go",
        "Show the traces around the spike before.",
        lambda c, _: c.front.step_spike(-1), _has_component,
    ),
    Action(
        "ambiguous_spike", "Next ambiguous spike", ("Alt+Shift+PgDown",), "Go",
        "Show the traces around the spike whose unit is least certain, then the next of them.",
        lambda c, _: c.front.step_ambiguous(), _has_component,
    ),
    Action(
        "theme", "Light or dark", ("Ctrl+T",), "View", "Change between the light and the dark theme.",
        lambda c, _: c.front.toggle_theme(), in_toolbar=True,
    ),
    Action(
        "arrangement", "Waveforms at probe geometry", ("P",), "View",
        "Draw the contacts where they are on the probe, or one under the other.",
        lambda c, _: c.front.toggle_arrangement(), _has_project,
    ),
    Action(
        "waveforms", "Spikes, means, most alike", ("W",), "View",
        "Draw some spikes of each unit, then means alone, then beside each the most alike unit in grey.",
        lambda c, _: c.front.step_waveforms(), _has_project,
    ),
    Action(
        "all_units", "List all units", ("U",), "View",
        "List the units of the whole recording, or those on screen.",
        lambda c, _: c.front.toggle_all_units(), _has_project,
    ),
    Action(
        "intervals", "Intervals between spikes", ("I",), "View",
        "Show intervals in place of the autocorrelograms, or these again.",
        lambda c, _: c.front.toggle_intervals(), _has_project,
    ),
    Action(
        "height", "Amplitude, depth, raster", ("A",), "View",
        "Show amplitudes over time, then the depth of the spikes along the probe, then a row for each unit.",
        lambda c, _: c.front.toggle_height(), _has_project,
    ),
    Action(
        "decide", "Layout: decide", ("F2",), "View",
        "Show what a decision is about: waveforms, embedding, receptive fields, units.",
        lambda c, _: c.front.show_layout("decide"), _has_project, starts_section=True,
    ),
    Action(
        "inspect", "Layout: inspect", ("F3",), "View",
        "Show the evidence: correlograms, amplitudes over time, features, traces.",
        lambda c, _: c.front.show_layout("inspect"), _has_project,
    ),
    Action("help", "Keys", ("H", "F1"), "Help", "Show this page.", lambda c, _: c.front.show_help()),
    Action(
        "about", "About ncpgui", ("?",), "Help",
        "What this program is.", lambda c, _: c.front.show_about(),
    ),
)  # fmt: skip


def action(name: str) -> Action:
    """Return the action with this id."""
    return next(item for item in ACTIONS if item.id == name)


def help_page() -> list[tuple[str, list[tuple[str, str, str]]]]:
    """(menu, [(keys, name, help)]) of all actions: the key page."""
    return [
        (menu, [(item.key_text, item.name.rstrip("…"), item.help) for item in ACTIONS if item.menu == menu])
        for menu in MENUS
        if any(item.menu == menu for item in ACTIONS)
    ]
