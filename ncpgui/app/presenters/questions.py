"""What a person is asked before an edit of units that are accepted, or that a preview hides."""

from __future__ import annotations

from collections.abc import Sequence

from ncpgui.app.model.workspace import Workspace


def merge_question(workspace: Workspace, units: Sequence[int]) -> str:
    """What to ask before units are merged: '' when all of them are drawn now, and none is accepted."""
    accepted = [unit for unit in units if workspace.state.history.labels.is_accepted(unit)]
    reasons = _previewed(workspace, units)
    if accepted:
        reasons.append(f"{_names(accepted)} {_is(accepted)} accepted.")
    return (
        " ".join([*reasons, f"Merge {' + '.join(map(str, sorted(units)))} all the same?"]) if reasons else ""
    )


def mark_question(workspace: Workspace, units: Sequence[int], *, listed: Sequence[int]) -> str:
    """What to ask before units are labelled or accepted: '' when each is drawn, or `listed` in the table."""
    reasons = _previewed(workspace, [unit for unit in units if unit not in listed])
    return (
        " ".join([*reasons, f"Change {'it' if len(units) == 1 else 'them'} all the same?"]) if reasons else ""
    )


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
