"""The open project, what is selected and shown of it, and every change made to it.

A workspace lives on one thread, the window's: its signals run their callbacks there. Long work
gets values from it and hands values back (`ncpgui.app.controller`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.colors import ColorBook
from ncpgui.app.shown import ShownSorting, current_sorting, preview_sorting
from ncpgui.app.status import CURATED, SAMPLED, WAITING, GroupStatus
from ncpgui.core.errors import CurationError, NcpguiError
from ncpgui.core.group import ChannelGroup, GroupWaveforms
from ncpgui.core.project import Project
from ncpgui.core.signals import Signal
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.adopt import adopt_command, present_alternative
from ncpgui.curation.change import Change
from ncpgui.curation.clustering import Clustering, Reassignment
from ncpgui.curation.commands import Assign, Command, Merge, SetLabel, SetLocked
from ncpgui.curation.history import History

MIN_GROUP_SPIKES = 1
SAMPLE_WORDS = "sample channel"
Value = TypeVar("Value")


class Session(Protocol):
    """What a workspace needs of a session file (`ncpgui.session.session_file.SessionFile`)."""

    @property
    def path(self) -> Path:
        """Where it is."""

    @property
    def n_entries(self) -> int:
        """Actions written so far."""

    def append(self, entry: dict[str, Any]) -> None:
        """Write an action to the journal."""

    def save(self, project: Project, *, n_entries: int | None = None) -> None:
        """Save the project."""

    def close(self) -> None:
        """Let others write."""


class Workspace:
    """The state that all panels show; see the signals for what can change.

    Signals: `opened` another project, or none; `groups_changed(channels)` their posterior or
    status; `current_changed` another channel group on screen; `shown_changed` another sorting of
    it; `selection_changed` selected units; `units_changed(change)` the sorting or its labels;
    `saved_changed`; `told(text)` something for the status bar.
    """

    opened: ClassVar[Signal] = Signal()
    groups_changed: ClassVar[Signal] = Signal(tuple)
    current_changed: ClassVar[Signal] = Signal()
    shown_changed: ClassVar[Signal] = Signal()
    selection_changed: ClassVar[Signal] = Signal()
    units_changed: ClassVar[Signal] = Signal(Change)
    saved_changed: ClassVar[Signal] = Signal()
    told: ClassVar[Signal] = Signal(str)

    def __init__(self, project: Project | None = None) -> None:
        self.project: Project | None = None
        self.session: Session | None = None
        self.colors = ColorBook()
        self.channel: int | None = None
        self.preview: int | None = None
        self.selected: tuple[int, ...] = ()
        self.is_saved = True
        self.revision = 0
        self.history = History(Clustering(np.zeros(0, dtype=np.int64)))
        self._states: dict[int, GroupStatus] = {}
        self._groups: dict[int, ChannelGroup] = {}
        self._n_spikes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._memo: dict[tuple[Any, ...], Any] = {}
        if project is not None:
            self.open(project)

    # -- opening ----------------------------------------------------------------------------

    def open(
        self,
        project: Project,
        *,
        session: Session | None = None,
        entries: Iterable[dict[str, Any]] = (),
    ) -> None:
        """Show a project; its history and then the `entries` of its journal are done again.

        Raises
        ------
        CurationError
            The history of the project cannot be done; the workspace is as before then.
        """
        history = History(Clustering(project.unit_of_spike, project.probability))
        history.replay(project.history)
        recovered, problem = _recover(history, entries)
        self.close()
        self.project, self.session, self.history = project, session, history
        self._groups = {group.channel: group for group in project.groups}
        self._n_spikes = np.bincount(project.spikes.channel, minlength=project.probe.n_channels)
        self.is_saved = session is not None
        self._listen()
        self._forget_derived()
        best = self.queue_order()
        self.channel = best[0] if best else None
        self.opened.emit()
        if recovered:
            n = f"{recovered} action{'s' if recovered > 1 else ''}"
            self.told.emit(f"{n} since the last save recovered from the journal")
        if problem:
            self.told.emit(problem)

    def close(self) -> None:
        """Forget the project; its session file is closed, its journal stays."""
        had_project = self.project is not None
        if self.session is not None:
            self.session.close()
        self.project = self.session = None
        self.colors = ColorBook()
        self.channel = self.preview = None
        self.selected = ()
        self.is_saved = True
        self._states.clear()
        self._groups = {}
        self.history = History(Clustering(np.zeros(0, dtype=np.int64)))
        self._forget_derived()
        if had_project:
            self.opened.emit()

    def _listen(self) -> None:
        self.history.recorded.connect(self._record)
        self.history.clustering.changed.connect(self._clustering_changed)
        self.history.labels.changed.connect(self._labels_changed)

    # -- groups -----------------------------------------------------------------------------

    @property
    def clustering(self) -> Clustering:
        """Unit of every spike as it stands."""
        return self.history.clustering

    @property
    def channels(self) -> list[int]:
        """Channels that have spikes."""
        return [int(c) for c in np.flatnonzero(self._n_spikes >= MIN_GROUP_SPIKES)]

    def n_spikes(self, channel: int) -> int:
        """Spikes whose main channel this is."""
        return int(self._n_spikes[channel])

    def group(self, channel: int | None = None) -> ChannelGroup | None:
        """Group of a channel (of the current one), None while it is not sampled."""
        return self._groups.get(self.channel if channel is None else channel)  # type: ignore[arg-type]

    def waveforms(self, channel: int | None = None) -> GroupWaveforms | None:
        """Waveforms of the sampled spikes of a group, if they are at hand."""
        if self.project is None:
            return None
        return self.project.waveforms.get(self.channel if channel is None else channel)  # type: ignore[arg-type]

    def status(self, channel: int) -> GroupStatus:
        """How far a group is."""
        if channel in self._states:
            return self._states[channel]
        if channel in self._groups:
            return CURATED if channel in self._curated() else SAMPLED
        if self.project is not None and channel in self.project.failed:
            return GroupStatus("failed", message=self.project.failed[channel])
        return WAITING

    def set_status(self, channel: int, status: GroupStatus | None) -> None:
        """Say how far sampling is; None goes back to what the project tells."""
        if status is None:
            self._states.pop(channel, None)
        else:
            self._states[channel] = status
        self.groups_changed.emit((channel,))

    def put_group(self, group: ChannelGroup, waveforms: GroupWaveforms | None = None) -> None:
        """Take a sampled group into the project, in place of what was there for its channel."""
        assert self.project is not None
        self._groups[group.channel] = group
        cache = dict(self.project.waveforms)
        if waveforms is not None:
            cache[group.channel] = waveforms
        failed = {c: text for c, text in self.project.failed.items() if c != group.channel}
        groups = tuple(self._groups[c] for c in sorted(self._groups))
        self.project = replace(self.project, groups=groups, waveforms=cache, failed=failed)
        self._states.pop(group.channel, None)
        self._forget_derived((group.channel,))
        self._set_saved(False)
        self.groups_changed.emit((group.channel,))
        if group.channel == self.channel:
            self.preview = None
            self.shown_changed.emit()

    def take_sampled(self, group: ChannelGroup, waveforms: GroupWaveforms) -> None:
        """Take in a group that was just sampled; its spikes get the units of its first alternative.

        Before any edit this extends the sorting that edits start from; after, it is an edit.
        """
        assert self.project is not None
        first = group.alternatives[0] if group.alternatives else None
        self.put_group(group, waveforms)
        if first is None or first.n_units == 0:
            return
        if self.history.entries:
            words = f"{SAMPLE_WORDS} {group.channel}"
            self.history.do(Assign(group.spike_ids, first.labels, first.probability, words))
            return
        units = np.arange(first.n_units) + self.clustering.next_unit_id
        table = np.array([*units, UNASSIGNED], dtype=np.int64)
        cluster = np.where(first.labels < 0, first.n_units, first.labels)
        new = Reassignment(group.spike_ids, cluster, table, first.probability)
        change = self.clustering.apply(new, f"{SAMPLE_WORDS} {group.channel}", restoring=True)
        self.project = replace(
            self.project,
            unit_of_spike=self.clustering.unit_of_spike.copy(),
            probability=self.clustering.probability.copy(),
        )
        self._clustering_changed(change)

    def set_failed(self, channel: int, message: str) -> None:
        """Note that a group could not be sampled, and why."""
        assert self.project is not None
        self._states.pop(channel, None)
        self.project = replace(self.project, failed={**self.project.failed, channel: message})
        self.groups_changed.emit((channel,))

    def put_waveforms(self, channel: int, waveforms: GroupWaveforms) -> None:
        """Take waveforms that were read again into the cache."""
        assert self.project is not None
        self.project = replace(self.project, waveforms={**self.project.waveforms, channel: waveforms})
        if channel == self.channel:
            self.shown_changed.emit()

    def rebase(self, unit_of_spike: NDArray[np.int64], probability: NDArray[np.float32]) -> None:
        """Take a sorting as the one before any curation; only while nothing was curated.

        Raises
        ------
        CurationError
            Something was curated already.
        """
        if self.history.entries:
            raise CurationError(
                "the sorting was edited already, it cannot be replaced; undo does not help here"
            )
        assert self.project is not None
        self.project = replace(self.project, unit_of_spike=unit_of_spike, probability=probability)
        self.history = History(Clustering(unit_of_spike, probability))
        self._listen()
        self._set_saved(False)
        self._clustering_changed(Change(description="", modified=tuple(self.clustering.unit_ids.tolist())))

    def _curated(self) -> frozenset[int]:
        """Channels that a person settled: an alternative adopted, or all units accepted."""

        def find() -> frozenset[int]:
            assert self.project is not None
            found = set()
            for command in self.history.commands:
                if isinstance(command, Assign) and not command.words.startswith(SAMPLE_WORDS):
                    found.add(int(np.bincount(self.project.spikes.channel[command.spike_ids]).argmax()))
            locked = self.history.labels.locked
            if locked:
                for channel, group in self._groups.items():
                    units = np.unique(self.clustering.unit_of_spike[group.spike_ids])
                    units = units[units != UNASSIGNED]
                    if len(units) and locked.issuperset(units.tolist()):
                        found.add(channel)
            return frozenset(found)

        return self.memo(("curated",), find)

    def queue_order(self) -> list[int]:
        """Channels with spikes, those where a decision would settle most first."""

        def key(channel: int) -> tuple[int, float, int]:
            group = self._groups.get(channel)
            if group is None:
                return (1, -float(self._n_spikes[channel]), channel)
            return (0, -group.ambiguity, channel)

        return sorted(self.channels, key=key)

    # -- what is on screen ------------------------------------------------------------------

    def show_channel(self, channel: int) -> None:
        """Put another channel group on screen."""
        if self.project is None or channel == self.channel or channel not in self.channels:
            return
        self.channel = channel
        self.preview = None
        self.selected = ()
        self.current_changed.emit()
        self.selection_changed.emit()

    def show_alternative(self, index: int | None) -> None:
        """Preview an alternative of the current group; None shows the current sorting."""
        group = self.group()
        if group is None:
            return
        if index is not None:
            if not 0 <= index < len(group.alternatives):
                raise CurationError(
                    f"this group has {len(group.alternatives)} alternatives, there is no number {index + 1}"
                )
            if index == self.present_alternative():
                index = None
        if index != self.preview:
            self.preview = index
            self.shown_changed.emit()

    @property
    def shown_alternative(self) -> int | None:
        """Index of the alternative on screen, previewed or in use; None for a hand-made sorting."""
        return self.present_alternative() if self.preview is None else self.preview

    def present_alternative(self, channel: int | None = None) -> int | None:
        """Index of the alternative that the current sorting of a group is, None when none."""
        group = self.group(channel)
        if group is None:
            return None
        return self.memo(("present", group.channel), lambda: present_alternative(self.clustering, group))

    def current(self) -> ShownSorting | None:
        """Current sorting of the group on screen."""
        return None if self.channel is None else self.current_of(self.channel)

    def current_of(self, channel: int) -> ShownSorting | None:
        """Current sorting of a channel group, None while it is not sampled."""
        group = self.group(channel)
        if group is None:
            return None
        return self.memo(
            ("current", group.channel), lambda: current_sorting(self.clustering, group, self.colors)
        )

    def shown(self) -> ShownSorting | None:
        """Sorting that the panels draw: the preview, or the current one."""
        return self.current() if self.preview is None else self.sorting_of(self.preview)

    def sorting_of(self, index: int) -> ShownSorting | None:
        """What adopting an alternative of the group on screen would give."""
        group = self.group()
        if group is None:
            return None
        return self.memo(
            ("preview", group.channel, index),
            lambda: preview_sorting(
                self.clustering,
                group,
                index,
                self.colors,
                locked=self.history.labels.locked,
                initial=self._initial(group),
            ),
        )

    def _initial(self, group: ChannelGroup) -> NDArray[np.int64] | None:
        """Sorting before curation, where it says which spikes are second sightings."""
        assert self.project is not None
        first = self.project.unit_of_spike
        return first if (first[group.spike_ids] != UNASSIGNED).any() else None

    def select(self, units: Iterable[int]) -> None:
        """Select units of the current sorting, in the order given; others are dropped."""
        chosen = tuple(dict.fromkeys(int(u) for u in units if int(u) in self.clustering))
        if chosen != self.selected:
            self.selected = chosen
            self.selection_changed.emit()

    # -- edits ------------------------------------------------------------------------------

    def do(self, command: Command) -> Change:
        """Do a command; a failing one raises and leaves no trace."""
        change = self.history.do(command)
        self.told.emit(_sentence(change.description))
        return change

    def merge(self, units: tuple[int, ...]) -> None:
        """Make one unit of several and select it."""
        change = self.do(Merge(units))
        self.select(change.added)

    def label(self, units: tuple[int, ...], label: str) -> None:
        """Call units good, mua, noise or unsorted."""
        self.do(SetLabel(units, label))

    def lock(self, units: tuple[int, ...], locked: bool) -> None:
        """Accept units, or open them again."""
        self.do(SetLocked(units, locked))

    def adopt(self) -> None:
        """Use the sorting on screen for its group; the one already in use is accepted as it is."""
        group = self.group()
        if group is None:
            raise CurationError("this group is not sampled yet; wait for it, or choose another")
        index = self.preview
        if index is None:
            self._accept_current()
            return
        command = adopt_command(
            self.clustering,
            group,
            group.alternatives[index],
            locked=self.history.labels.locked,
            initial=self._initial(group),
        )
        self.preview = None
        if command is None:
            self.shown_changed.emit()
            self._accept_current()
        else:
            self.do(command)

    def _accept_current(self) -> None:
        current = self.current()
        units = tuple(unit.unit for unit in current.units if unit.unit is not None) if current else ()
        if not units:
            raise CurationError("this group has no units to accept; show another alternative")
        if not self.history.labels.locked.issuperset(units):
            self.lock(units, True)
        elif current is not None:
            self.told.emit(f"Channel {current.channel} is accepted already")

    def undo(self) -> None:
        """Take back the last edit and show where it was."""
        self._stepped(self.history.undo())

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._stepped(self.history.redo())

    def _stepped(self, change: Change | None) -> None:
        if change is None:
            return
        self.told.emit(_sentence(change.description))
        units = [*change.added, *change.modified, *change.relabelled]
        homes = [self.main_channel(unit) for unit in units if unit in self.clustering]
        if homes and self.channel not in homes and self.group(homes[0]) is not None:
            self.show_channel(homes[0])
        self.select(change.added)

    def main_channel(self, unit: int) -> int:
        """Channel on which most spikes of a unit are largest."""
        assert self.project is not None
        return int(np.bincount(self.project.spikes.channel[self.clustering.spikes_of(unit)]).argmax())

    # -- saving -----------------------------------------------------------------------------

    def snapshot(self) -> Project:
        """Return the project with everything done so far in its history."""
        assert self.project is not None
        return replace(self.project, history=self.history.entries)

    def saved(self, session: Session, *, revision: int) -> None:
        """Note that the state of `revision` is in the file; later edits are in its journal."""
        if self.session is not session:
            if self.session is not None:
                self.session.close()
            self.session = session
        self._set_saved(revision == self.revision)

    def _set_saved(self, is_saved: bool) -> None:
        if not is_saved:
            self.revision += 1
        if is_saved != self.is_saved:
            self.is_saved = is_saved
            self.saved_changed.emit()

    # -- listeners --------------------------------------------------------------------------

    def _record(self, entry: dict[str, Any]) -> None:
        self._set_saved(False)
        if self.session is None:
            return
        try:
            self.session.append(entry)
        except NcpguiError as error:
            self.told.emit(f"The action was done but not written to the journal: {error}")

    def _clustering_changed(self, change: Change) -> None:
        touched = self._touched(change)
        self._forget_derived(touched)
        self.preview = None
        kept = tuple(unit for unit in self.selected if unit in self.clustering)
        if kept != self.selected:
            self.selected = kept
            self.selection_changed.emit()
        self.units_changed.emit(change)
        self.groups_changed.emit(touched)
        self.shown_changed.emit()

    def _labels_changed(self, units: tuple[int, ...]) -> None:
        self._forget_derived(())
        for key in [key for key in self._memo if key[0] == "preview"]:
            del self._memo[key]
        self.units_changed.emit(Change(relabelled=units))
        self.groups_changed.emit(tuple({self.main_channel(u) for u in units if u in self.clustering}))
        self.shown_changed.emit()

    def _touched(self, change: Change) -> tuple[int, ...]:
        units = [u for u in (*change.added, *change.modified) if u in self.clustering]
        if len(units) > 64:
            return tuple(self.channels)
        assert self.project is not None
        touched: set[int] = set()
        for unit in units:
            channels = self.project.spikes.channel[self.clustering.spikes_of(unit)]
            touched.update(np.flatnonzero(np.bincount(channels)).tolist())
        return tuple(sorted(touched))

    def memo(self, key: tuple[Any, ...], make: Callable[[], Value]) -> Value:
        """Value of `make()`, kept until the group changes: key is (name, channel, ...) or (name,)."""
        if key not in self._memo:
            self._memo[key] = make()
        return self._memo[key]

    def _forget_derived(self, channels: Iterable[int] | None = None) -> None:
        """Drop memos of all groups, or of some; those of no group in particular always go."""
        gone = None if channels is None else set(channels)
        for key in [k for k in self._memo if gone is None or len(k) < 2 or k[1] in gone]:
            del self._memo[key]


def _recover(history: History, entries: Iterable[dict[str, Any]]) -> tuple[int, str]:
    """Do the entries of a journal as far as they go: how many, and what stopped the rest."""
    n_done = 0
    for entry in entries:
        try:
            n_done += history.replay([entry])
        except CurationError as error:
            return n_done, f"Action {n_done + 1} of the journal and those after it cannot be done: {error}"
    return n_done, ""


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
