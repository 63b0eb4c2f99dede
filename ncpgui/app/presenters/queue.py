"""Channel groups in the order in which decisions settle most, with what is known of each."""

from __future__ import annotations

from dataclasses import dataclass

from ncpgui.app.presenters.words import count, thousands
from ncpgui.app.status import GroupStatus
from ncpgui.app.workspace import Workspace

OTHER = -1


@dataclass(frozen=True)
class QueueRow:
    """One channel group.

    p_units : (number of units, probability) of the cards, by number of units, what is left over last
    under `OTHER`; ambiguity : spikes x entropy, relative to the largest of the queue;
    n_units : units in use, None while the group is not sampled.
    """

    channel: int
    n_spikes: int
    status: GroupStatus
    p_units: tuple[tuple[int, float], ...]
    ambiguity: float
    is_current: bool
    n_units: int | None = None

    @property
    def caption(self) -> str:
        """What the row says beside its channel."""
        if self.status.state == "failed":
            return "failed"
        if self.n_units is None:
            return self.status.words
        possible = {k for k, p in self.p_units if k != OTHER and p >= 0.02}
        ks = sorted({self.n_units} if self.status.state == "curated" else possible | {self.n_units})
        if ks == [0]:
            return "no units"
        text = f"{ks[0]}" if len(ks) == 1 else f"{ks[0]}–{ks[-1]}"
        return f"{text} unit{'s' if ks[-1] != 1 else ''}"

    @property
    def tooltip(self) -> str:
        """The row in full."""
        lines = [f"Channel {self.channel}: {thousands(self.n_spikes)} spikes, {self.status.words}"]
        lines += [
            f"{'other' if k == OTHER else f'{k} unit' + ('s' if k != 1 else '')}: {100 * p:.0f} %"
            for k, p in self.p_units
        ]
        if self.n_units is not None:
            lines.append(f"in use: {count(self.n_units, 'unit')}")
        if self.status.message:
            lines.append(self.status.message)
        return "\n".join(lines)


def present_queue(workspace: Workspace) -> tuple[QueueRow, ...]:
    """Rows of the queue, most ambiguous first, groups that wait last."""
    order = workspace.queue_order()
    groups = {channel: workspace.group(channel) for channel in order}
    largest = max((g.ambiguity for g in groups.values() if g is not None), default=0.0) or 1.0
    rows = []
    for channel in order:
        group = groups[channel]
        current = workspace.current_of(channel)
        rows.append(
            QueueRow(
                channel=channel,
                n_spikes=workspace.n_spikes(channel),
                status=workspace.status(channel),
                p_units=p_units(workspace, channel),
                ambiguity=0.0 if group is None else group.ambiguity / largest,
                is_current=channel == workspace.channel,
                n_units=None if current is None else len(current.units),
            )
        )
    return tuple(rows)


def p_units(workspace: Workspace, channel: int) -> tuple[tuple[int, float], ...]:
    """P(number of units) as the cards of a group tell it; what they leave over comes last."""
    group = workspace.group(channel)
    if group is None:
        return ()
    mass: dict[int, float] = {}
    for index, alternative in enumerate(group.alternatives):
        n_units = workspace.n_units(channel, index)
        mass[n_units] = mass.get(n_units, 0.0) + alternative.mass
    rest = 1.0 - sum(mass.values())
    result = sorted(mass.items())
    if rest > 0.005:
        result.append((OTHER, rest))
    return tuple(result)


def neighbour_in_queue(workspace: Workspace, step: int) -> int | None:
    """Channel that Space (+1) or Shift+Space (-1) goes to: the next that is sampled and not settled.

    Without one, simply the next of the queue; None when there is no other group.
    """
    order = workspace.queue_order()
    if workspace.channel not in order or len(order) < 2:
        return None
    start = order.index(workspace.channel)
    ring = [order[(start + step * k) % len(order)] for k in range(1, len(order))]
    return next((channel for channel in ring if workspace.status(channel).state == "sampled"), ring[0])
