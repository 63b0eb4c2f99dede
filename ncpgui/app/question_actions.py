"""Actions of the menus Sorting and Go: questions are answered, sampled again, and gone through."""

from __future__ import annotations

from collections.abc import Callable

from ncpgui.app.action import (
    Action,
    Condition,
    Context,
    On,
    has_alternatives,
    has_component,
    has_project,
    has_units,
)
from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import adopt_better, step_alternative
from ncpgui.app.presenters.queue import neighbour_in_queue
from ncpgui.app.presenters.similar_units import step_similar
from ncpgui.app.unit_actions import step_unit
from ncpgui.app.work.asked_for import toggle_rarer
from ncpgui.core.errors import InputError

NEXT_AFTER = "next_after_answer"
IS_WAITING = Condition(
    lambda c: has_project(c) and bool(c.controller.sampling.waiting_ids()), "all questions are sampled"
)


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
    elif workspace.state.components.ids:
        workspace.state.told.emit("The queue has no other row")
    else:
        workspace.state.told.emit("This sorting has no questions; Down goes to the next unit")


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
    if following is not None and workspace.questions.status(following).state == "sampled":
        workspace.show_component(following)


def _is_settled(workspace: Workspace) -> bool:
    shown = workspace.component_id
    return shown is not None and workspace.questions.is_answered(shown)


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


def _go_to_time(context: Context) -> None:
    """Ask for a second, and show the traces there."""
    traces = context.window.part("traces", shown=True)
    words = context.window.ask_words("Time in the recording (s)", traces.second_words, ())
    if words is None:
        return
    try:
        second = float(words.replace(",", ".").removesuffix("s"))
    except ValueError:
        raise InputError(f"'{words}' is not a time; write seconds of the recording, such as 12.5") from None
    assert context.workspace.state.project is not None
    recording = context.workspace.state.project.recording
    begin, end = recording.clock.stretches_s(recording.n_samples)[[0, -1], [0, 1]].tolist()
    if not begin <= second <= end:
        raise InputError(f"{second:g} s is not in the recording, which lasts from {begin:g} to {end:g} s")
    traces.show_second(second)


QUESTION_ACTIONS: tuple[Action, ...] = (
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
        lambda c, number: c.workspace.show_alternative(number), has_alternatives, in_menu=False,
    ),
    Action(
        "adopt", "Use this sorting", ("Return", "Enter"), "Sorting",
        "Sort these spikes as shown, or do the split that is shown. On the sorting "
        "already in use, all its units are accepted.",
        lambda c, _: _decide(c, lambda: adopt(c.workspace)), has_alternatives, starts_section=True,
    ),
    Action(
        "adopt_better", "Use the most probable sorting", ("Shift+Return", "Shift+Enter"), "Sorting",
        "Use the sorting that is more probable than the one on screen, as its button says.",
        lambda c, _: _decide(c, lambda: adopt_better(c.workspace)), has_alternatives,
    ),
    Action(
        "next_after_answer", "Next question after an answer", (), "Sorting",
        "After an answer, go to the next question of the queue, or stay.",
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
        "Draw new samples of these spikes, given what was decided. "
        "This happens by itself when decisions leave fewer than 30 draws. While more are left it is refused, "
        "except after a search by beam.",
        lambda c, _: c.controller.sampling.resample(), has_component, in_toolbar=True,
    ),
    Action(
        "beam", "Search by beam", (), "Sorting",
        "Search the most probable sortings of these spikes, given what was decided. Cards then give the "
        "share of each among these alone, which is not a posterior. R, or undo, gives draws again.",
        lambda c, _: c.controller.sampling.resample("beam"), has_component,
    ),
    Action(
        "sample_waiting", "Sample all questions", (), "Sorting",
        "Sample the rows of the queue that were not reached yet, or failed.",
        lambda c, _: c.controller.sampling.sample_waiting(),
        IS_WAITING, starts_section=True,
    ),
    Action(
        "stop", "Stop", ("Escape",), "Sorting",
        "Leave the split that is shown, or clear the lasso; else stop the work under way and keep what it "
        "did; else leave the preview; else clear the selection.",
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
        lambda c, _: step_unit(c, 1), has_project, starts_section=True,
    ),
    Action(
        "previous_unit", "Previous unit", ("Up",), "Go", "Select the previous unit of the table.",
        lambda c, _: step_unit(c, -1), has_project,
    ),
    Action(
        "next_spike", "Next spike", ("Alt+PgDown",), "Go",
        "Show the traces around the next spike of the selected units, or of all units on screen.",
        On("traces", "step", (1,), shown=True), has_units, starts_section=True,
    ),
    Action(
        "previous_spike", "Previous spike", ("Alt+PgUp",), "Go",
        "Show the traces around the previous spike.",
        On("traces", "step", (-1,), shown=True), has_units,
    ),
    Action(
        "ambiguous_spike", "Next uncertain spike", ("Alt+Shift+PgDown",), "Go",
        "Show the traces around the spike whose unit is least certain, then the next of them.",
        On("traces", "step_ambiguous", shown=True), has_units,
    ),
    Action(
        "go_to_time", "Go to a time…", ("Alt+T",), "Go", "Show the traces at a second of the recording.",
        lambda c, _: _go_to_time(c), has_units,
    ),
    Action(
        "traces_forth", "Traces later", ("Alt+Right",), "Go", "Move the traces on by half of what is seen.",
        On("traces", "plot.move", (0.5,), shown=True), has_units, submenu="Traces",
    ),
    Action(
        "traces_back", "Traces earlier", ("Alt+Left",), "Go", "Move the traces back by half of what is seen.",
        On("traces", "plot.move", (-0.5,), shown=True), has_units, submenu="Traces",
    ),
    Action(
        "traces_narrow", "Shorter stretch", ("Alt++", "Alt+="), "Go", "See a shorter stretch of the traces.",
        On("traces", "plot.zoom", (1 / 1.5,), shown=True), has_units, submenu="Traces",
    ),
    Action(
        "traces_widen", "Longer stretch", ("Alt+-",), "Go", "See a longer stretch of the traces.",
        On("traces", "plot.zoom", (1.5,), shown=True), has_units, submenu="Traces",
    ),
    Action(
        "traces_larger", "Larger traces", ("Ctrl+Alt+Up",), "Go", "Scale the traces up.",
        On("traces", "plot.scale", (1.25,), shown=True), has_units, submenu="Traces",
    ),
    Action(
        "traces_smaller", "Smaller traces", ("Ctrl+Alt+Down",), "Go", "Scale the traces down.",
        On("traces", "plot.scale", (1 / 1.25,), shown=True), has_units, submenu="Traces",
    ),
    Action(
        "all_contacts", "Traces of all contacts", ("Alt+A",), "Go",
        "Show the traces of all contacts of the probe, or of those of the units on screen.",
        On("traces", "all_contacts.toggle", shown=True), has_units, submenu="Traces",
    ),
)  # fmt: skip
