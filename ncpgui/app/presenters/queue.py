"""Components in the order in which answers gain most, with what is known of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.questions import Standing
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import count, sentence, thousands, unit_names

OTHER = -1
BEYOND_CARDS = "no card settles it: labelled mua"


@dataclass(frozen=True)
class QueueRow:
    """One component.

    p_units : (number of units, probability) of the cards, by number of units, what is left over last
    under `OTHER`; n_wrong : spikes that are expected to be in a wrong unit; ambiguity : the same, relative to
    the largest of the queue; n_gained : those that an answer is expected to put right;
    units : names of the units in use, None while the component is not sampled.
    cut_from : what else it is in doubt with that is asked about apart, in words; '' without such
    doubts : what may be wrong with units as they stand, in words, one a unit
    is_beyond_cards : no card settles it
    """

    component_id: int
    contact: int
    units: tuple[str, ...] | None
    n_spikes: int
    status: ComponentStatus
    p_units: tuple[tuple[int, float], ...]
    ambiguity: float
    is_current: bool
    n_wrong: float = 0.0
    cut_from: str = ""
    doubts: tuple[str, ...] = ()
    n_gained: float = 0.0
    is_beyond_cards: bool = False
    twin: int = 0

    @property
    def name(self) -> str:
        """Its units, or where it is when it has none."""
        return self.names[0]

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be called, the longest first, for where there is little room."""
        if not self.units:
            return (f"Contact {self.contact}{f' ({self.twin})' if self.twin else ''}",)
        n, units = len(self.units), ", ".join(self.units)
        shorter = [f"{', '.join(self.units[:k])} + {n - k} more" for k in range(n - 1, 0, -1)]
        return (f"Unit{'s' * (n > 1)} {units}", units, *shorter)

    @property
    def place(self) -> str:
        """Where it is, and how large."""
        return f"ch {self.contact} · {count(self.n_spikes, 'spike')}"

    @property
    def caption(self) -> str:
        """What the row says beside its name."""
        if self.status.state == "failed":
            return "failed"
        if self.units is None:
            return self.status.words
        possible = {k for k, p in self.p_units if k != OTHER and p >= 0.02}
        in_use = {len(self.units)}
        ks = sorted(in_use if self.status.is_settled else possible | in_use)
        if ks == [0]:
            return "no units"
        text = f"{ks[0]}" if len(ks) == 1 else f"{ks[0]}–{ks[-1]}"
        return f"{text} unit{'s' if ks[-1] != 1 else ''}"

    @property
    def captions(self) -> tuple[str, ...]:
        """The same, the longest first, for where there is little room; the sign of the row says it too."""
        if self.status.state == "waiting":
            return self.caption, "not checked", ""
        short = " ".join(word for word in self.caption.split(" ") if any(c.isdigit() for c in word))
        return self.caption, f"{short} %" if self.status.state == "sampling" else short, ""

    @property
    def tooltip(self) -> str:
        """The row in full."""
        head = sentence(unit_names(self.units)) + ", contact" if self.units else "Contact"
        lines = [f"{head} {self.contact}: {thousands(self.n_spikes)} spikes, {self.status.words}"]
        lines += [
            f"{'other' if k == OTHER else f'{k} unit' + ('s' if k != 1 else '')}: {100 * p:.0f} %"
            for k, p in self.p_units
        ]
        if self.units is not None:
            lines.append(f"in use: {count(len(self.units), 'unit')}")
            lines.append(f"expected wrong assignments: {wrong_words(self.n_wrong)}")
            if not self.status.is_settled:
                lines.append(f"an answer is expected to put right: {wrong_words(self.n_gained)}")
        if self.is_beyond_cards:
            lines.append(f"{BEYOND_CARDS}; one spike in ten would be wrong whichever card is right")
        lines += [f"unit {words}" for words in self.doubts]
        if self.cut_from:
            lines.append(
                f"in doubt with {self.cut_from} too, in another question: one for all would be too large"
            )
        if self.status.message:
            lines.append(self.status.message)
        return "\n".join(lines)


def present_queue(workspace: Workspace) -> tuple[QueueRow, ...]:
    """Rows of the queue: those whose answer gains most, what waits, what no card settles, what is settled."""
    questions, remembered = workspace.questions, workspace.state.remembered
    order, standings, statuses = questions.queue_order(), questions.standings(), questions.statuses()
    told = {one: remembered.get(("queue row", one), partial(_told, workspace, one)) for one in order}
    twins = _twins(told)
    largest = max((standings[one].n_wrong for one in order), default=0.0) or 1.0
    rows = []
    for component_id in order:
        standing, status, (contact, units, n_spikes, shares) = (
            standings[component_id],
            statuses[component_id],
            told[component_id],
        )
        rows.append(
            QueueRow(
                component_id=component_id,
                contact=contact,
                units=units,
                n_spikes=n_spikes,
                status=status,
                p_units=shares,
                ambiguity=standing.n_wrong / largest,
                n_wrong=standing.n_wrong,
                n_gained=standing.n_gained,
                is_beyond_cards=standing.is_beyond_cards and not status.is_settled,
                is_current=component_id == workspace.component_id,
                cut_from=cut_from_words(workspace, component_id),
                doubts=doubt_words(standing) if standing.doubts else (),
                twin=twins.get(component_id, 0),
            )
        )
    return tuple(rows)


Told = tuple[int, tuple[str, ...] | None, int, tuple[tuple[int, float], ...]]
"""Contact, names of units, number of spikes, and P(number of units) of a component."""


def _told(workspace: Workspace, component_id: int) -> Told:
    components = workspace.state.components
    return (
        components.contact(component_id),
        workspace.state.unit_names(component_id),
        len(components.spike_ids(component_id)),
        p_units(workspace, component_id),
    )


def _twins(told: Mapping[int, Told]) -> dict[int, int]:
    """Numbers 1, 2, ... of components without units that are at one contact, and would have one name."""
    at: dict[int, list[int]] = {}
    for component_id in sorted(told):
        contact, units, *_ = told[component_id]
        if not units:
            at.setdefault(contact, []).append(component_id)
    return {one: n for ids in at.values() if len(ids) > 1 for n, one in enumerate(ids, 1)}


def present_queue_message(workspace: Workspace) -> str:
    """What stands in place of rows where there can be none; ''."""
    project = workspace.state.project
    if project is None or project.recording.has_traces:
        return ""
    return "Without raw data there are no probabilities, and so no questions.\nThe table lists all units."


def settled_words(rows: tuple[QueueRow, ...]) -> str:
    """How many rows are settled, of those that can be; '' without rows."""
    n_failed = sum(row.status.state == "failed" for row in rows)
    n_settled = sum(row.status.is_settled for row in rows)
    words = f"{n_settled} of {len(rows) - n_failed} settled" if rows else ""
    return f"{words} · {n_failed} cannot be sampled" if n_failed else words


def cut_from_words(workspace: Workspace, component_id: int) -> str:
    """What else a component is in doubt with that is asked about apart: ``unit 7 around contact 3``; ''."""
    component = workspace.state.components.sampled(component_id)
    others = () if component is None else component.cut_from
    if not others:
        return ""
    return " and ".join(workspace.state.name(one) for one in others if one in workspace.state.components.ids)


def doubt_words(standing: Standing) -> tuple[str, ...]:
    """What may be wrong with units as they stand: ``7 may have lost 35 % of its spikes``, one a unit."""
    return tuple(f"{unit} {doubt.words}" for unit, doubt in sorted(standing.doubts.items()))


def wrong_words(n: float) -> str:
    """``340``, ``<1``: an expected number of spikes."""
    return "<1" if 0 < n < 1 else thousands(round(n))


def present_wrong_left(workspace: Workspace) -> str:
    """What the questions left are about, '' without a project: when it is small enough, stop."""
    if workspace.state.project is None or not workspace.state.project.recording.has_traces:
        return ""
    return f"expected wrong assignments left: {wrong_words(workspace.questions.wrong_left())}"


def p_units(workspace: Workspace, component_id: int) -> tuple[tuple[int, float], ...]:
    """P(number of units) as the cards of a component tell it; what they leave over comes last."""
    component = workspace.component(component_id)
    if component is None:
        return ()
    mass: dict[int, float] = {}
    for index, alternative in enumerate(component.alternatives):
        n_units = workspace.questions.n_units(component_id, index)
        mass[n_units] = mass.get(n_units, 0.0) + alternative.mass
    rest = 1.0 - sum(mass.values())
    result = sorted(mass.items())
    if rest > 0.005:
        result.append((OTHER, rest))
    return tuple(result)


def neighbour_in_queue(workspace: Workspace, step: int) -> int | None:
    """Channel that Space (+1) or Shift+Space (-1) goes to: the next that is sampled and not settled.

    Without one, simply the next of the queue; None when there is no other component.
    """
    order = workspace.questions.queue_order()
    if workspace.component_id not in order or len(order) < 2:
        return None
    start = order.index(workspace.component_id)
    ring = [order[(start + step * k) % len(order)] for k in range(1, len(order))]
    return next(
        (
            component_id
            for component_id in ring
            if workspace.questions.status(component_id).state == "sampled"
        ),
        ring[0],
    )
