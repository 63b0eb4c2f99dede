"""A finding of each unit with its interval over draws of the sorting, and what questions it depends on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ncpgui.app.model.colors import Color
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.why_empty import OPEN_FIRST
from ncpgui.app.words import count
from ncpgui.core.percent import percent
from ncpgui.core.project import Project

DEPENDS_FROM = 0.19
"""Share of the variance from which on a finding depends on a question: its answer narrows the interval by a
tenth or more."""
UNSURE_FROM = 0.5
"""Share of the variance that comes from the sorting, from which on a finding without questions is unsure: its
unit may hide a second cell, or miss many spikes."""
MOST_NAMED = 2
Needs = Literal["", "stimulus", "events"]
"""What a session must have for a finding; those that need the same are of one analysis."""


@dataclass(frozen=True)
class FindingChoice:
    """A number of each unit that can be looked at.

    result : its name in `ncpgui.findings.analyses`; unit : in which it is; needs : what the session must have
    """

    name: str
    result: str
    unit: str
    needs: Needs = ""

    def is_possible(self, project: Project | None) -> bool:
        """Whether a project has what it needs."""
        if project is None:
            return False
        return not self.needs or getattr(project, self.needs) is not None


CHOICES = (
    FindingChoice("Firing rate", "rate_hz", "Hz"),
    FindingChoice("Field centre, x", "x_px", "px", "stimulus"),
    FindingChoice("Field centre, y", "y_px", "px", "stimulus"),
    FindingChoice("Field size", "size_px", "px", "stimulus"),
    FindingChoice("Peak rate after events", "peak_hz", "Hz", "events"),
    FindingChoice("Latency after events", "latency_s", "s", "events"),
)


@dataclass(frozen=True)
class FindingOfUnit:
    """A finding of one unit.

    in_use : of the sorting in use; mean, low, high : over draws, an interval of 90 %; nan where there is none
    from_sorting : share of the variance that is of the sorting; p_there : of the draws that have the unit
    questions : components whose answer narrows it, with the share of the variance, the largest first
    """

    unit: int
    in_use: float
    mean: float
    low: float
    high: float
    from_sorting: float
    p_there: float
    questions: tuple[tuple[int, float], ...] = ()

    @property
    def depends_on(self) -> tuple[int, ...]:
        """Components whose answer would narrow it by a tenth or more."""
        return tuple(component for component, share in self.questions if share >= DEPENDS_FROM)

    @property
    def is_robust(self) -> bool:
        """Whether neither an answer nor the rest of the doubt about the sorting would change it much."""
        return not self.depends_on and not self.from_sorting >= UNSURE_FROM


@dataclass(frozen=True)
class FindingRow:
    """A finding as the panel shows it.

    place, low, high, in_use : along the axis, 0 to 1; nan where the unit has no such finding
    value : words of mean and interval; verdicts : what it depends on, the longest words first
    is_robust : see `FindingOfUnit`; question : that it depends on most, None where there is none
    """

    unit: int
    color: Color
    value: str
    verdicts: tuple[str, ...]
    is_robust: bool
    is_selected: bool
    mean: float
    low: float
    high: float
    in_use: float
    question: int | None
    tooltip: str

    @property
    def verdict(self) -> str:
        """What it depends on, in full."""
        return self.verdicts[0]


@dataclass(frozen=True)
class FindingView:
    """Rows, those that depend on questions first; ends : words at the ends of the axis.

    message : what stands in place of the rows; is_asked_by_it : whether the queue has its order
    """

    rows: tuple[FindingRow, ...] = ()
    ends: tuple[str, str] = ("", "")
    message: str = ""
    note: str = ""
    is_asked_by_it: bool = False
    axis_help: str = ""


def possible_choices(workspace: Workspace) -> tuple[FindingChoice, ...]:
    """What can be looked at in the open project."""
    return tuple(one for one in CHOICES if one.is_possible(workspace.state.project))


def present_finding(
    workspace: Workspace,
    choice: FindingChoice,
    found: Sequence[FindingOfUnit] | None,
    *,
    problem: str = "",
) -> FindingView:
    """Rows of a finding; found : None while it is computed, or the `problem` why there is none."""
    if workspace.state.project is None:
        return FindingView(message=OPEN_FIRST)
    if problem:
        return FindingView(message=f"No {choice.name.lower()} over draws: {problem}")
    if found is None:
        return FindingView(message=f"{choice.name} is computed in draws of the whole sorting …")
    known = [one for one in found if math.isfinite(one.low) and math.isfinite(one.high)]
    if not known:
        return FindingView(message=f"No unit has a {choice.name.lower()} that is clear.")
    low, high = min(one.low for one in known), max(one.high for one in known)
    room = 0.03 * (high - low) or 1.0
    low, high = low - room, high + room

    def place(value: float) -> float:
        return (value - low) / (high - low)

    ordered = sorted(known, key=lambda one: (-max((s for _, s in one.questions), default=0.0), one.unit))
    ordered.sort(key=lambda one: (not one.depends_on, one.is_robust))
    rows = tuple(
        FindingRow(
            one.unit,
            workspace.coloring.of_unit(one.unit),
            f"{_number(one.mean)} ({_number(one.low)} to {_number(one.high)}) {choice.unit}",
            _verdicts(workspace, one),
            one.is_robust,
            one.unit in workspace.selected,
            place(one.mean),
            place(one.low),
            place(one.high),
            place(one.in_use),
            one.depends_on[0] if one.depends_on else None,
            _tooltip(workspace, choice, one),
        )
        for one in ordered
    )
    n_open = sum(not row.is_robust for row in rows)
    n_robust = len(rows) - n_open
    note = f"{n_robust} robust" + (f" · {n_open} open" if n_open else "")
    ends = (f"{_number(low)}", f"{_number(high)} {choice.unit}")
    is_asked = workspace.questions.asked_by == choice.name
    axis_help = f"{choice.name}, {choice.unit}: one axis for all rows, from fifty draws of the whole sorting"
    return FindingView(rows, ends, note=note, is_asked_by_it=is_asked, axis_help=axis_help)


def shares_of(findings: Sequence[FindingOfUnit]) -> dict[int, float]:
    """Sum over units of what the answer to each question takes away of the variance, by component."""
    total: dict[int, float] = {}
    for one in findings:
        for component, share in one.questions:
            total[component] = total.get(component, 0.0) + share
    return total


def _verdicts(workspace: Workspace, one: FindingOfUnit) -> tuple[str, ...]:
    if one.is_robust:
        return ("robust",)
    if not one.depends_on:
        return "unsure, and no question asks why", "unsure"
    names = [workspace.state.name(component) for component in one.depends_on[:MOST_NAMED]]
    more = len(one.depends_on) - MOST_NAMED
    whole = "depends on " + " and ".join(names) + (f" and {more} more" if more > 0 else "")
    return whole, "depends on " + count(len(one.depends_on), "question"), "depends", "open"


def _tooltip(workspace: Workspace, choice: FindingChoice, one: FindingOfUnit) -> str:
    lines = [
        f"Unit {one.unit}: {choice.name.lower()} {_number(one.mean)} {choice.unit} over the draws, 90 % "
        f"between {_number(one.low)} and {_number(one.high)}; in the sorting in use {_number(one.in_use)}.",
    ]
    if math.isfinite(one.from_sorting):
        lines.append(
            f"{percent(one.from_sorting)} of the variance comes from the sorting, the rest from the data."
        )
    lines += [
        f"Settling {workspace.state.name(component)} is expected to narrow the interval to "
        f"{percent(math.sqrt(max(1 - share, 0.0)))} of its width."
        for component, share in one.questions[:3]
    ]
    if one.p_there < 1:
        lines.append(f"The unit is there in {percent(one.p_there)} of the draws.")
    return "\n".join(lines)


def _number(value: float) -> str:
    return "–" if not math.isfinite(value) else f"{value:.3g}"
