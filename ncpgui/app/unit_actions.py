"""Actions of the menus Edit and Unit: units are selected, merged, split, labelled; edits are taken back."""

from __future__ import annotations

from ncpgui.app.action import (
    Action,
    Condition,
    Context,
    On,
    has_alternatives,
    has_project,
    has_selection,
    has_several,
    has_similar,
    has_units,
)
from ncpgui.app.presenters.consequences import propose_lasso_split, propose_split_as
from ncpgui.app.presenters.questions import mark_question, merge_question
from ncpgui.app.question import Question
from ncpgui.app.words import unit_names

NO_UNITS = "The table lists no unit; U lists all, and Ctrl+F filters them"
SCOPED = ("good", "mua", "noise", "unsorted")
CAN_UNDO = Condition(lambda c: c.workspace.state.history.can_undo, "there is nothing to undo")
CAN_REDO = Condition(lambda c: c.workspace.state.history.can_redo, "there is nothing to do again")


def _may(context: Context, question: Question | None) -> bool:
    """Whether an edit may be done: there is nothing to ask, or the answer is yes."""
    return question is None or context.window.confirm(question)


def _may_mark(context: Context, units: tuple[int, ...]) -> bool:
    listed = [*context.window.part("units").listed_units, *context.workspace.similar]
    return _may(context, mark_question(context.workspace, units, listed=listed))


def label_units(context: Context, label: str, units: tuple[int, ...]) -> None:
    """Label units; asks first where one of them is not on screen."""
    if _may_mark(context, units):
        context.workspace.label(units, label)


def _write(context: Context, kind: str) -> None:
    """Ask for a tag or a note of the selected units; what they agree on is there already."""
    workspace, labels = context.workspace, context.workspace.state.history.labels
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
        accepted = workspace.state.history.labels.accepted.issuperset(workspace.selected)
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


def step_unit(context: Context, step: int) -> None:
    """Select the next unit of the table."""
    unit = _neighbour(context, step, context.workspace.chosen)
    if unit is not None:
        context.workspace.select([unit])
    else:
        context.workspace.state.told.emit(NO_UNITS)


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
        step_unit(context, step)
        return
    place = units.index(chosen[-1]) + step
    if not 0 <= place < len(units):
        workspace.state.told.emit(f"The table ends at unit {chosen[-1]}")
        return
    if units[place] in chosen:
        workspace.select(chosen[: chosen.index(units[place]) + 1])
    else:
        workspace.select((*chosen, units[place]))


def _compare(context: Context, step: int) -> None:
    """Keep the unit that was selected first, and take the next one of the table beside it."""
    workspace = context.workspace
    if not workspace.selected:
        step_unit(context, step)
        return
    first = workspace.selected[0]
    other = _neighbour(context, step, workspace.selected)
    if other == first:
        other = _neighbour(context, step, (first,))
    if other is not None and other != first:
        workspace.select(dict.fromkeys((first, other)))
    else:
        workspace.state.told.emit("The table lists no other unit to compare with; U lists all units")


def _select_all(context: Context) -> None:
    units = context.window.part("units").listed_units
    context.workspace.select(units)
    if not units:
        context.workspace.state.told.emit(NO_UNITS)


UNIT_ACTIONS: tuple[Action, ...] = (
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
        "Type a command in a line, as in phy: c 3 7 selects, f filters, s sorts, l labels, g merges.",
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
        "List only some units: by an expression such as fr > 1 & p_neuron > .9, or by numbers and words.",
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
        "Show how the lasso splits the selected units, or the one unit that it is around, all their spikes "
        "included. K once more does it. "
        "Ctrl+click draws a lasso in Embedding, Features and Over time, a right click clears it.",
        lambda c, _: _split(c), has_units,
    ),
    Action(
        "split_as", "Split as shown", ("Shift+K",), "Unit",
        "Show how the card on screen splits the selected unit, and no other change. K does it.",
        lambda c, _: propose_split_as(c.workspace), has_alternatives,
    ),
    Action(
        "accept", "Accept unit", ("Y",), "Unit",
        "Accept the selected units, or take that back. An accepted unit is a neuron, all of it and nothing "
        "else: all probabilities take that as known, and other sortings leave the unit as it is.",
        lambda c, _: _toggle_lock(c), has_selection, in_toolbar=True,
    ),
    Action(
        "must_link", "Must be one neuron", ("J",), "Unit",
        "Say that the selected units are one neuron. No spike changes its unit; "
        "all probabilities take that as known.",
        lambda c, _: c.workspace.link(c.workspace.selected, same=True),
        has_several,
    ),
    Action(
        "never_merge", "Never merge", ("D",), "Unit",
        "Say that no two of the selected units are one neuron. No spike changes its unit; "
        "all probabilities take that as known, and a merge of them is refused.",
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
)  # fmt: skip
