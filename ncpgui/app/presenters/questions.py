"""What a person is asked before an edit of units that are accepted, or that are not on screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ncpgui.app.model.workspace import Workspace


def merge_question(workspace: Workspace, units: Sequence[int]) -> str:
    """What to ask before units are merged: '' when all of them are drawn now, and none is accepted."""
    shown = workspace.shown()
    drawn = {unit.unit for unit in shown.units} if shown is not None else set()
    hidden = [unit for unit in units if unit not in drawn]
    locked = [unit for unit in units if workspace.history.labels.is_locked(unit)]
    reasons = _where(workspace, hidden)
    if hidden:
        reasons += _distance(workspace, units)
    if locked:
        reasons.append(f"{_names(locked)} {_is(locked)} accepted.")
    return (
        " ".join([*reasons, f"Merge {' + '.join(map(str, sorted(units)))} all the same?"]) if reasons else ""
    )


def mark_question(workspace: Workspace, units: Sequence[int], *, listed: Sequence[int]) -> str:
    """What to ask before units are labelled or accepted: '' when the unit table has all of them `listed`."""
    hidden = [unit for unit in units if unit not in listed]
    reasons = _where(workspace, hidden)
    return (
        " ".join([*reasons, f"Change {'it' if len(units) == 1 else 'them'} all the same?"]) if reasons else ""
    )


def _where(workspace: Workspace, hidden: Sequence[int]) -> list[str]:
    """Sentences that say why units are not to be seen."""
    current = workspace.current()
    here = {unit.unit for unit in current.units} if current is not None else set()
    previewed = [unit for unit in hidden if unit in here]
    elsewhere = [unit for unit in hidden if unit not in here]
    reasons = []
    if previewed:
        reasons.append(
            f"{_names(previewed)} {_is(previewed)} in use but not on screen, which shows a preview."
        )
    if elsewhere:
        channels = sorted({workspace.main_channel(unit) for unit in elsewhere})
        place = f"contact{'s' * (len(channels) > 1)} {' and '.join(map(str, channels))}"
        reasons.append(f"{_names(elsewhere)} {_is(elsewhere)} on {place}, not on screen.")
    return reasons


def _distance(workspace: Workspace, units: Sequence[int]) -> list[str]:
    """How far apart the main channels of units are, if they are apart."""
    assert workspace.project is not None
    places = workspace.project.probe.positions_um[[workspace.main_channel(unit) for unit in units]]
    farthest = float(np.linalg.norm(places[:, None] - places, axis=-1).max())
    return [f"They are up to {farthest:.0f} µm apart."] if farthest > 0 else []


def _names(units: Sequence[int]) -> str:
    ordered = sorted(units)
    if len(ordered) == 1:
        return f"Unit {ordered[0]}"
    return f"Units {', '.join(map(str, ordered[:-1]))} and {ordered[-1]}"


def _is(units: Sequence[int]) -> str:
    return "is" if len(units) == 1 else "are"
