"""Every user action: name, key, menu, help, when allowed, what it does.

Menus, toolbar, keys and the help page are made from this one list. Keys are phy's where phy has
the action; the others are free in phy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ncpgui.app.action import (
    Action,
    Condition,
    Context,
    On,
    has_alternatives,
    has_component,
    has_project,
    has_selection,
    has_several,
    has_similar,
    has_units,
    shown_keys,
)
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.panel_actions import PANEL_ACTIONS
from ncpgui.app.presenters.alternatives import adopt_better, step_alternative
from ncpgui.app.presenters.consequences import propose_lasso_split, propose_split_as
from ncpgui.app.presenters.questions import mark_question, merge_question
from ncpgui.app.presenters.queue import neighbour_in_queue
from ncpgui.app.presenters.similar_units import step_similar
from ncpgui.app.words import unit_names
from ncpgui.app.work.asked_for import toggle_rarer
from ncpgui.app.work.reviewing import is_reviewed, write_back, write_back_question

MENUS = ("File", "Edit", "Unit", "Sorting", "Go", "View", "Help")


NEXT_AFTER = "next_after_answer"
NO_UNITS = "The table lists no unit; U lists all, and Ctrl+F filters them"
SCOPED = ("good", "mua", "noise", "unsorted")


def _may(context: Context, question: str) -> bool:
    """Whether an edit may be done: there is nothing to ask, or the answer is yes."""
    return not question or context.window.confirm(question)


def _may_mark(context: Context, units: tuple[int, ...]) -> bool:
    listed = [*context.window.part("units").listed_units, *context.workspace.similar]
    return _may(context, mark_question(context.workspace, units, listed=listed))


def label_units(context: Context, label: str, units: tuple[int, ...]) -> None:
    """Label units; asks first where one of them is not on screen."""
    if _may_mark(context, units):
        context.workspace.label(units, label)


def _write(context: Context, kind: str) -> None:
    """Ask for a tag or a note of the selected units; what they agree on is there already."""
    workspace, labels = context.workspace, context.workspace.history.labels
    units = workspace.selected
    if not _may_mark(context, units):
        return
    present = {getattr(labels.mark(unit), kind) for unit in units}
    names = unit_names([str(unit) for unit in units])
    question = f"{'Label of your own' if kind == 'tag' else 'Note'} on {names}"
    known = labels.tags if kind == "tag" else ()
    text = context.window.ask_words(question, present.pop() if len(present) == 1 else "", known)
    if text is not None and any(getattr(labels.mark(unit), kind) != text for unit in units):
        workspace.write(units, kind, text)


def _toggle_lock(context: Context) -> None:
    workspace = context.workspace
    if _may_mark(context, workspace.selected):
        accepted = workspace.history.labels.accepted.issuperset(workspace.selected)
        workspace.set_accepted(workspace.selected, not accepted)


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
        propose_lasso_split(workspace, context.controller.data.embedding())


def _go(context: Context, step: int) -> None:
    """Walk the list of similar units while it is on screen and about a unit, else the queue."""
    if context.workspace.chosen and context.window.part("similar").isVisible():
        step_similar(context.workspace, step)
    else:
        _go_in_queue(context, step)


def _go_in_queue(context: Context, step: int) -> None:
    workspace = context.workspace
    component_id = neighbour_in_queue(workspace, step)
    if component_id is not None:
        workspace.show_component(component_id)
    elif workspace.component_ids:
        workspace.told.emit("The queue has no other row")
    else:
        workspace.told.emit("No question is asked of this sorting; Down goes to the next unit")


def _goes_on(context: Context) -> bool:
    """Whether the next question comes once one is answered."""
    return bool(context.controller.preferences.get(NEXT_AFTER, True))


def _decide(context: Context, decide: Callable[[], None]) -> None:
    """Answer the question on screen; the next one comes, unless somebody wants to stay."""
    workspace = context.workspace
    asked, was_settled = workspace.component_id, _is_settled(workspace)
    decide()
    if was_settled or not _goes_on(context) or workspace.component_id != asked or not _is_settled(workspace):
        return
    following = neighbour_in_queue(workspace, 1)
    if following is not None and workspace.status(following).state == "sampled":
        workspace.show_component(following)


def _is_settled(workspace: Workspace) -> bool:
    shown = workspace.component_id
    return shown is not None and workspace.status(shown).is_settled


def _step_unit(context: Context, step: int) -> None:
    """Select the next unit of the table."""
    unit = _neighbour(context, step, context.workspace.chosen)
    if unit is not None:
        context.workspace.select([unit])
    else:
        context.workspace.told.emit(NO_UNITS)


def _neighbour(context: Context, step: int, chosen: tuple[int, ...]) -> int | None:
    """Unit of the table after the one that was chosen last, or before it; None without any."""
    units = context.window.part("units").listed_units
    if not units:
        return None
    start = units.index(chosen[-1]) if chosen and chosen[-1] in units else (-1 if step > 0 else 0)
    return units[(start + step) % len(units)]


def _extend(context: Context, step: int) -> None:
    """Select one more unit of the table, or one less on the way back."""
    workspace, units = context.workspace, context.window.part("units").listed_units
    chosen = workspace.selected
    if not chosen or chosen[-1] not in units:
        _step_unit(context, step)
        return
    place = units.index(chosen[-1]) + step
    if not 0 <= place < len(units):
        workspace.told.emit(f"The table ends at unit {chosen[-1]}")
        return
    if units[place] in chosen:
        workspace.select(chosen[: chosen.index(units[place]) + 1])
    else:
        workspace.select((*chosen, units[place]))


def _compare(context: Context, step: int) -> None:
    """Keep the unit that was selected first, and take the next one of the table beside it."""
    workspace = context.workspace
    if not workspace.selected:
        _step_unit(context, step)
        return
    first = workspace.selected[0]
    other = _neighbour(context, step, workspace.selected)
    if other == first:
        other = _neighbour(context, step, (first,))
    if other is not None and other != first:
        workspace.select(dict.fromkeys((first, other)))
    else:
        workspace.told.emit("The table lists no other unit to compare with; U lists all units")


def _select_all(context: Context) -> None:
    units = context.window.part("units").listed_units
    context.workspace.select(units)
    if not units:
        context.workspace.told.emit(NO_UNITS)


def _save(context: Context) -> None:
    if context.controller.saving.path is None:
        context.window.ask_save_as()
    else:
        context.controller.save()


def _write_back(context: Context) -> None:
    if context.window.confirm(write_back_question(context.workspace)):
        write_back(context.workspace, context.controller.work)


def _stop(context: Context) -> None:
    """Leave the split that is shown, else the lasso, else long work, the preview, the selection."""
    workspace, activity = context.workspace, context.controller.work.activity
    if workspace.proposal is not None:
        workspace.withdraw()
    elif workspace.lasso is not None:
        workspace.draw_lasso(None)
    elif activity is not None and activity.can_cancel:
        context.controller.cancel()
    elif workspace.preview is not None:
        workspace.show_alternative(None)
    else:
        workspace.select(())


def _show_number(context: Context, index: int) -> None:
    context.workspace.show_alternative(index)


CAN_UNDO = Condition(lambda c: c.workspace.history.can_undo, "there is nothing to undo")
CAN_REDO = Condition(lambda c: c.workspace.history.can_redo, "there is nothing to do again")
IS_WAITING = Condition(
    lambda c: has_project(c) and bool(c.controller.sampling.waiting_ids()), "nothing waits"
)

ACTIONS: tuple[Action, ...] = (
    Action(
        "open", "Open recording…", ("Ctrl+O",), "File",
        "Open a recording: its spikes are found, and the posterior over their sortings is sampled.",
        lambda c, _: c.window.ask_open(), in_toolbar=True,
    ),
    Action(
        "open_session", "Open session…", ("Ctrl+Shift+O",), "File",
        "Go on with a session that was saved; what a crash left in its journal is done again.",
        lambda c, _: c.window.ask_session(),
    ),
    Action(
        "review", "Review another sorter's result…", ("Ctrl+Alt+O",), "File",
        "Open a folder of Phy, Kilosort or SpikeInterface: its units stay as they are, and the queue asks "
        "where the posterior doubts them.",
        lambda c, _: c.window.ask_review(),
    ),
    Action(
        "review_file", "Review the units of an NWB file…", (), "File",
        "Open an NWB file that another program put units into, to review these.",
        lambda c, _: c.window.ask_review_file(),
    ),
    Action(
        "open_demo", "Open the demo", (), "File",
        "A simulated 49-channel hexagonal array on a retina, sorted before your eyes.",
        lambda c, _: c.controller.open_demo(c.controller.preferences.folder / "demo"),
    ),
    Action(
        "save", "Save session", ("Ctrl+S",), "File",
        "Write the session. Every action is in its journal already, whether you save or not.",
        lambda c, _: _save(c), has_project, in_toolbar=True, starts_section=True,
    ),
    Action(
        "save_as", "Save session as…", ("Ctrl+Shift+S",), "File",
        "Keep the session in another file from now on.",
        lambda c, _: c.window.ask_save_as(), has_project,
    ),
    Action(
        "export", "Export…", ("Ctrl+E", "X"), "File",
        "Write the sorting as it stands for Phy, SpikeInterface, NWB, MATLAB, NumPy or as tables.",
        lambda c, _: c.window.ask_export(), has_project, in_toolbar=True,
    ),
    Action(
        "write_back", "Write decisions back…", (), "File",
        "Write units and labels into the folder that is reviewed; files that are replaced are kept there.",
        lambda c, _: _write_back(c),
        Condition(lambda c: is_reviewed(c.workspace), "what is open is no review of another sorter's folder"),
    ),
    Action(
        "locate", "Locate recording…", (), "File", "Tell where the recording is, when it moved.",
        lambda c, _: c.window.ask_recording_place(), has_project,
    ),
    Action(
        "load_events", "Load events…", (), "File",
        "Read times of stimuli or behaviour, and see how units respond to them: .npz with seconds, .csv with "
        "the column time_s, or trials of .nwb.",
        lambda c, _: c.window.ask_events(), has_project,
    ),
    Action(
        "picture", "Save picture…", ("Ctrl+P",), "File", "Save the window as a PNG.",
        lambda c, _: c.window.save_picture(), has_project,
    ),
    Action(
        "close", "Close project", ("Ctrl+W",), "File", "Back to the start page; nothing is lost.",
        lambda c, _: c.window.close_project(), has_project, starts_section=True,
    ),
    Action(
        "quit", "Quit", ("Ctrl+Q",), "File",
        "Close the window; nothing is lost.", lambda c, _: c.window.quit(),
    ),
    Action(
        "undo", "Undo", ("Ctrl+Z",), "Edit", "Take back the last edit, without limit.",
        lambda c, _: c.workspace.undo(), CAN_UNDO, in_toolbar=True,
    ),
    Action(
        "redo", "Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "Edit", "Do again what was taken back.",
        lambda c, _: c.workspace.redo(), CAN_REDO, in_toolbar=True,
    ),
    Action(
        "history", "History", ("Ctrl+H",), "Edit",
        "Show or hide the list of edits; a click on one goes there, by undo or redo.",
        On("layout", "toggle_panel", ("history",)), has_project,
    ),
    Action(
        "select_all", "Select all units", ("Ctrl+A",), "Edit",
        "Select every unit that the table lists.",
        lambda c, _: _select_all(c), has_project, starts_section=True,
    ),
    Action(
        "palette", "Command palette", ("Ctrl+K",), "Edit",
        "Find any action by a few letters, or a unit by its number, and do it or go there with Enter.",
        On("commands", "show_palette"), starts_section=True,
    ),
    Action(
        "snippet", "Snippet", (":",), "Edit",
        "Write what to do in a line, as in phy: c 3 7 selects, f filters, s sorts, l labels, g merges.",
        On("commands", "show_snippet_line"), has_project,
    ),
    Action(
        "select_next", "Select the next unit too", ("Shift+Down",), "Edit",
        "Add the next unit of the table to the selection; on the way back, take it off again.",
        lambda c, _: _extend(c, 1), has_project,
    ),
    Action(
        "select_previous", "Select the previous unit too", ("Shift+Up",), "Edit",
        "Add the previous unit of the table to the selection; on the way back, take it off again.",
        lambda c, _: _extend(c, -1), has_project,
    ),
    Action(
        "compare_next", "Compare with the next unit", ("Ctrl+Down",), "Edit",
        "Keep the unit that was selected first, and select the next one of the table beside it.",
        lambda c, _: _compare(c, 1), has_project,
    ),
    Action(
        "compare_previous", "Compare with the previous unit", ("Ctrl+Up",), "Edit",
        "Keep the unit that was selected first, and select the previous one of the table beside it.",
        lambda c, _: _compare(c, -1), has_project,
    ),
    Action(
        "filter", "Filter units", ("Ctrl+F",), "Edit",
        "List some units only: fr > 1 & p_neuron > .9, or numbers and words to look for.",
        On("units", "filter.begin", shown=True), has_project, starts_section=True,
    ),
    Action(
        "copy", "Copy units as CSV", ("Ctrl+C",), "Edit",
        "Copy the selected rows of the unit table, or all, with the columns on screen.",
        On("units", "copy"), has_project,
    ),
    Action(
        "merge", "Merge", ("G",), "Unit",
        "Make one unit of the selected ones; asks first if one is accepted, or hidden by a preview.",
        lambda c, _: _merge(c),
        has_several, in_toolbar=True,
    ),
    Action(
        "split", "Split along the lasso", ("K",), "Unit",
        "Show what the lasso makes of all spikes of the selected units; once more does it. "
        "Ctrl+click draws a lasso in Embedding, Features and Over time, a right click clears it.",
        lambda c, _: _split(c), has_units,
    ),
    Action(
        "split_as", "Split as shown", ("Shift+K",), "Unit",
        "Show the split of the selected unit that the alternative on screen has, that one alone; K does it.",
        lambda c, _: propose_split_as(c.workspace), has_alternatives,
    ),
    Action(
        "accept", "Accept unit", ("Y",), "Unit",
        "Accept the selected units, or open them again: each is a neuron, all of it and nothing else. "
        "All probabilities are given that, and other sortings leave it as it is.",
        lambda c, _: _toggle_lock(c), has_selection, in_toolbar=True,
    ),
    Action(
        "must_link", "Must be one neuron", ("J",), "Unit",
        "Say that the selected units are one neuron. No spike changes its unit; "
        "all probabilities are given that.",
        lambda c, _: c.workspace.link(c.workspace.selected, same=True),
        has_several,
    ),
    Action(
        "never_merge", "Never merge", ("D",), "Unit",
        "Say that no two of the selected units are one neuron. No spike changes its unit; "
        "all probabilities are given that, and a merge of them is refused.",
        lambda c, _: c.workspace.link(c.workspace.selected, same=False),
        has_several,
    ),
    Action(
        "good", "Label good", ("Alt+G",), "Unit",
        "Call the selected units good; those taken from the similarity list are left as they are.",
        lambda c, _: label_units(c, "good", c.workspace.chosen), has_selection, starts_section=True,
    ),
    Action(
        "mua", "Label MUA", ("Alt+M",), "Unit", "Call the selected units multi-unit activity.",
        lambda c, _: label_units(c, "mua", c.workspace.chosen), has_selection,
    ),
    Action(
        "noise", "Label noise", ("Alt+N",), "Unit", "Call the selected units noise.",
        lambda c, _: label_units(c, "noise", c.workspace.chosen), has_selection,
    ),
    Action(
        "unsorted", "Label unsorted", ("Alt+U",), "Unit", "Take the label off the selected units.",
        lambda c, _: label_units(c, "unsorted", c.workspace.chosen), has_selection,
    ),
    Action(
        "label_similar", "Label similar good, MUA, noise or unsorted",
        ("Ctrl+G", "Ctrl+M", "Ctrl+N", "Ctrl+U"), "Unit",
        "Label the units taken from the similarity list, and no others.",
        lambda c, k: label_units(c, SCOPED[k], c.workspace.similar), has_similar, in_menu=False,
    ),
    Action(
        "label_both", "Label selected and similar good, MUA, noise or unsorted",
        ("Ctrl+Alt+G", "Ctrl+Alt+M", "Ctrl+Alt+N", "Ctrl+Alt+U"), "Unit",
        "Label the selected units and those taken from the similarity list.",
        lambda c, k: label_units(c, SCOPED[k], c.workspace.selected), has_selection, in_menu=False,
    ),
    Action(
        "tag", "Label of your own…", ("L",), "Unit",
        "Give the selected units a label in your own words, beside good, MUA and noise.",
        lambda c, _: _write(c, "tag"), has_selection,
    ),
    Action(
        "note", "Note…", ("Shift+L",), "Unit", "Write a note on the selected units.",
        lambda c, _: _write(c, "note"), has_selection,
    ),
    Action(
        "next_alternative", "Next alternative", ("]",), "Sorting", "Show the next way to sort these spikes.",
        lambda c, _: step_alternative(c.workspace, 1), has_alternatives,
    ),
    Action(
        "previous_alternative", "Previous alternative", ("[",), "Sorting",
        "Show the previous way to sort these spikes.",
        lambda c, _: step_alternative(c.workspace, -1), has_alternatives,
    ),
    Action(
        "number", "Show alternative 1 to 9", tuple("123456789"), "Sorting",
        "Show an alternative by its number.",
        _show_number, has_alternatives, in_menu=False,
    ),
    Action(
        "adopt", "Use this sorting", ("Return", "Enter"), "Sorting",
        "Sort these spikes as shown, or do the split that is shown. On the sorting "
        "already in use, all its units are accepted.",
        lambda c, _: _decide(c, c.workspace.adopt), has_alternatives, starts_section=True,
    ),
    Action(
        "adopt_better", "Use the most probable sorting", ("Shift+Return", "Shift+Enter"), "Sorting",
        "Use the sorting that is more probable than the one on screen, as its button says.",
        lambda c, _: _decide(c, lambda: adopt_better(c.workspace)), has_alternatives,
    ),
    Action(
        "next_after_answer", "Next question after an answer", (), "Sorting",
        "Go to the next question of the queue when one is answered, or stay where you are.",
        lambda c, _: c.controller.preferences.set(NEXT_AFTER, not _goes_on(c)), has_project,
        is_on=lambda c: _goes_on(c),
    ),
    Action(
        "open_other", "Open or close rarer sortings", ("0",), "Sorting",
        "Show cards of the sortings that make up \"other\", or put them away.",
        lambda c, _: toggle_rarer(c.workspace, c.controller.runner), has_alternatives,
    ),
    Action(
        "resample", "Resample the rest", ("R",), "Sorting",
        "Sample the posterior of these spikes again, given what was decided. "
        "It is done by itself where decisions leave fewer than 30 draws, and refused where more are left, "
        "unless a beam is in their place.",
        lambda c, _: c.controller.sampling.resample(), has_component, in_toolbar=True,
    ),
    Action(
        "beam", "Search by beam", (), "Sorting",
        "Search the most probable label vectors of these spikes, given what was decided. Cards then say how "
        "probable each sorting is among these alone: they are no posterior. R, or undo, gives draws again.",
        lambda c, _: c.controller.sampling.resample("beam"), has_component,
    ),
    Action(
        "sample_waiting", "Sample what waits", (), "Sorting",
        "Sample the rows of the queue that were not reached yet, or failed.",
        lambda c, _: c.controller.sampling.sample_waiting(),
        IS_WAITING, starts_section=True,
    ),
    Action(
        "stop", "Stop", ("Escape",), "Sorting",
        "Leave the split that is shown, or clear the lasso; else stop the work under way and keep what it "
        "did; else leave the preview; else select nothing.",
        lambda c, _: _stop(c),
    ),
    Action(
        "next_in_queue", "Next in the queue", ("Space",), "Go",
        "Go to the next row of the queue that is not settled. While the list of similar units is on screen "
        "and a unit is selected: show the next unit of the list beside it.",
        lambda c, _: _go(c, 1), has_project,
    ),
    Action(
        "previous_in_queue", "Previous in the queue", ("Shift+Space",), "Go",
        "Go to the previous row that is not settled, or show the unit of the list before.",
        lambda c, _: _go(c, -1), has_project,
    ),
    Action(
        "next_row", "Next row in any case", (".",), "Go",
        "Go to the next row of the queue, whether the list of similar units is on screen or not.",
        lambda c, _: _go_in_queue(c, 1), has_project,
    ),
    Action(
        "previous_row", "Previous row in any case", (",",), "Go",
        "Go to the previous row of the queue.",
        lambda c, _: _go_in_queue(c, -1), has_project,
    ),
    Action(
        "next_unit", "Next unit", ("Down",), "Go", "Select the next unit of the table.",
        lambda c, _: _step_unit(c, 1), has_project, starts_section=True,
    ),
    Action(
        "previous_unit", "Previous unit", ("Up",), "Go", "Select the previous unit of the table.",
        lambda c, _: _step_unit(c, -1), has_project,
    ),
    Action(
        "next_spike", "Next spike", ("Alt+PgDown",), "Go",
        "Show the traces around the next spike of the selected units, or of all units on screen.",
        On("traces", "step", (1,), shown=True), has_units, starts_section=True,
    ),
    Action(
        "previous_spike", "Previous spike", ("Alt+PgUp",), "Go",
        "Show the traces around the spike before.",
        On("traces", "step", (-1,), shown=True), has_units,
    ),
    Action(
        "ambiguous_spike", "Next ambiguous spike", ("Alt+Shift+PgDown",), "Go",
        "Show the traces around the spike whose unit is least certain, then the next of them.",
        On("traces", "step_ambiguous", shown=True), has_units,
    ),
    Action(
        "theme", "Light or dark", ("Ctrl+T",), "View", "Change between the light and the dark theme.",
        lambda c, _: c.window.toggle_theme(), in_toolbar=True,
    ),
    Action(
        "system_theme", "Theme of the system", (), "View",
        "Be light or dark as the system is, which is so until you choose a theme.",
        lambda c, _: c.window.follow_system_theme(),
    ),
    *PANEL_ACTIONS,
    Action(
        "all_units", "List all units", ("U",), "View",
        "List the units of the whole recording, or those on screen.",
        On("units", "toggle_all_units"), has_project,
    ),
    Action(
        "similar", "List similar units", ("S",), "View",
        "Show or hide the list of units that may be the same neuron as the selected one.",
        On("layout", "toggle_panel", ("similar",)), has_project,
    ),
    Action(
        "intervals", "Intervals between spikes", ("I",), "View",
        "Show intervals in place of the autocorrelograms, or these again.",
        On("correlograms", "intervals.toggle"), has_project,
    ),
    Action(
        "height", "Amplitude, depth, raster", ("A",), "View",
        "Show amplitudes over time, then the depth of the spikes along the probe, then a row for each unit.",
        On("over time", "toggle_height"), has_project,
    ),
    Action(
        "decide", "Layout: decide", ("F2",), "View",
        "Show what a decision is about: waveforms, embedding, receptive fields, units.",
        On("layout", "show_layout", ("decide",)), has_project, starts_section=True,
    ),
    Action(
        "inspect", "Layout: inspect", ("F3",), "View",
        "Show the evidence: correlograms, amplitudes over time, features, traces.",
        On("layout", "show_layout", ("inspect",)), has_project,
    ),
    Action(
        "reset_layout", "Panels where they were at first", (), "View",
        "Put all panels back to their first places and sizes, as in the layout \"decide\".",
        On("layout", "reset"), has_project,
    ),
    Action("help", "Keys", ("H", "F1"), "Help", "Show this page.", On("commands", "show_keys")),
    Action(
        "tour", "Tour", (), "Help", "The window in three steps, as at the first start.",
        lambda c, _: c.window.show_tour(), has_project,
    ),
    Action(
        "about", "About ncpgui", ("?",), "Help",
        "What this program is.", lambda c, _: c.window.show_about(),
    ),
)  # fmt: skip


def action(name: str) -> Action:
    """Return the action with this id."""
    return next(item for item in ACTIONS if item.id == name)


def help_page(
    keys: Mapping[str, tuple[str, ...]] | None = None,
) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """(menu, [(keys, name, help)]) of all actions: the key page; `keys` in force, phy's when left out."""
    in_force = {item.id: item.keys for item in ACTIONS} if keys is None else keys
    return [
        (
            menu,
            [
                (shown_keys(in_force[item.id]), item.name.rstrip("…"), item.help)
                for item in ACTIONS
                if item.menu == menu
            ],
        )
        for menu in MENUS
        if any(item.menu == menu for item in ACTIONS)
    ]
