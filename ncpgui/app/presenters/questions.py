"""What a person is asked before an edit of units that are accepted, or that a preview hides."""

from __future__ import annotations

from collections.abc import Sequence

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.question import Question

MOST_NAMED = 4
"""Units whose numbers are on a button."""


def merge_question(workspace: Workspace, units: Sequence[int]) -> Question | None:
    """What to ask before units are merged: None when all of them are drawn now, and none is accepted."""
    accepted = [unit for unit in units if workspace.state.history.labels.is_accepted(unit)]
    reasons = _previewed(workspace, units)
    if accepted:
        reasons.append(f"{_names(accepted)} {_is(accepted)} accepted.")
    if not reasons:
        return None
    merge = f"Merge {' + '.join(map(str, sorted(units)))}"
    short = merge if len(units) <= MOST_NAMED else f"Merge the {len(units)} units"
    return Question(" ".join([*reasons, f"{merge} all the same?"]), short, f"Keep the {len(units)} units")


def mark_question(workspace: Workspace, units: Sequence[int], *, listed: Sequence[int]) -> Question | None:
    """What to ask before units are labelled or accepted: None when each is drawn, or `listed` in a table."""
    reasons = _previewed(workspace, [unit for unit in units if unit not in listed])
    if not reasons:
        return None
    text = " ".join([*reasons, f"Change {'it' if len(units) == 1 else 'them'} all the same?"])
    if len(units) == 1:
        return Question(text, f"Change unit {units[0]}", "Leave it as it is")
    return Question(text, f"Change the {len(units)} units", "Leave them as they are")


def _previewed(workspace: Workspace, units: Sequence[int]) -> list[str]:
    """A sentence on units that are in use and not drawn, because a preview takes their place."""
    shown = workspace.shown()
    drawn = {unit.unit for unit in shown.units} if shown is not None else set(units)
    hidden = [unit for unit in units if unit not in drawn]
    if not hidden:
        return []
    return [f"{_names(hidden)} {_is(hidden)} in use but not on screen, which shows a preview."]


def _names(units: Sequence[int]) -> str:
    ordered = sorted(units)
    if len(ordered) == 1:
        return f"Unit {ordered[0]}"
    return f"Units {', '.join(map(str, ordered[:-1]))} and {ordered[-1]}"


def _is(units: Sequence[int]) -> str:
    return "is" if len(units) == 1 else "are"
