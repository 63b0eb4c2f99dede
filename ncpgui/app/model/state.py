"""The open project: what is known of it, how it grows and is edited, what of it is in its session file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.components import Components
from ncpgui.app.model.recovery import kept_journal, recover
from ncpgui.app.model.remembered import Remembered
from ncpgui.app.model.saved_state import SaveState
from ncpgui.app.model.sortings import Sortings
from ncpgui.app.words import sentence, unit_names
from ncpgui.core.component import Alternative, Component, ComponentWaveforms, units_of_alternative
from ncpgui.core.errors import NcpguiError
from ncpgui.core.events import Events
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.signals import Signal
from ncpgui.curation.clustering import Change, Clustering, Reassignment
from ncpgui.curation.history import History
from ncpgui.curation.state import Command

if TYPE_CHECKING:
    from ncpgui.session.session_file import SessionFile

NO_SPIKES = np.zeros(0, dtype=np.int64)
NOT_KEPT = "The action was done but not written to the journal"
"""How a warning begins that is true until the next save."""


class State:
    """A project that grows while components are sampled, its history of edits, and its session file.

    It knows nothing of what is on screen: who shows it listens to its signals.

    Signals: `opened` another project, or none; `moved(ids)` spikes of these components changed their unit;
    `units_changed(change)` the sorting or its labels; `components_changed(ids)` their posterior or status;
    `progressed(id)` a component is being sampled as before, and further;
    `looks_changed(ids)` panels that show these components draw them anew, and all of them without ids;
    `decided(ids)` somebody decided something about these components; `events_changed`; `saved_changed`;
    `told(text)` something for the status bar; `warned(text)` something that stays there until it was
    read.

    components, places, sortings : of the project, where its units are, and what panels show of each component
    shapes : templates of a sorting that was opened without its recording, None while they are not at hand;
    shapes_problem : why there are none, '' where nothing is wrong
    """

    opened: ClassVar[Signal] = Signal()
    moved: ClassVar[Signal] = Signal(tuple)
    units_changed: ClassVar[Signal] = Signal(Change)
    components_changed: ClassVar[Signal] = Signal(tuple)
    progressed: ClassVar[Signal] = Signal(int)
    looks_changed: ClassVar[Signal] = Signal(tuple)
    decided: ClassVar[Signal] = Signal(tuple)
    events_changed: ClassVar[Signal] = Signal()
    saved_changed: ClassVar[Signal] = Signal()
    told: ClassVar[Signal] = Signal(str)
    warned: ClassVar[Signal] = Signal(str)

    def __init__(self) -> None:
        self.project: Project | None = None
        self.shapes: GivenShapes | None = None
        self.shapes_problem = ""
        self._save_state = SaveState()
        self._was_saved = True
        self._clear()

    def open(
        self,
        project: Project,
        *,
        session: SessionFile | None = None,
        entries: Iterable[dict[str, Any]] = (),
        read_only: bool = False,
    ) -> None:
        """Show a project; its history and then the `entries` of its journal are done again.

        read_only : whether it is in a session file that is not ours to write: what is done to it from now
        on is in memory only.

        Raises
        ------
        CurationError
            The history of the project cannot be done; everything is as before then.
        """
        history = History.of(project)
        recovered, problem = recover(history, entries)
        self.close()
        self.project = project
        self._take_history(history)
        in_file = session is not None and not problem
        saved = self.snapshot() if read_only else project if in_file else None
        self._save_state.start(session, saved, n_written=len(history.entries))
        self._was_saved = self.is_saved
        self.opened.emit()
        if recovered:
            n = f"{recovered} action{'s' if recovered > 1 else ''}"
            self.told.emit(f"{n} since the last save recovered from the journal")
        if problem:
            self.warned.emit(f"{problem}{kept_journal(session)}")

    def close(self) -> None:
        """Forget the project; its session file is closed, its journal stays."""
        had_project = self.project is not None
        session = self.release_session()
        if session is not None:
            session.close()
        self._clear()
        if had_project:
            self.opened.emit()

    def release_session(self) -> SessionFile | None:
        """Hand over the session file to somebody who closes it later."""
        return self._save_state.stop()

    def _clear(self) -> None:
        self.project, self._was_saved = None, True
        self.shapes, self.shapes_problem = None, ""
        self._take_history(History(Clustering(NO_SPIKES)))

    def _take_history(self, history: History) -> None:
        initial, least = NO_SPIKES, 0
        if self.project is not None:
            initial, least = self.project.unit_of_spike, self.project.min_cluster_spikes
        self.history = history
        self.remembered = Remembered()
        self.components = Components(self.project, history, self.remembered)
        self.places = self.components.places
        of_spike = self.components.component_of_spike
        self.sortings = Sortings(history, initial, self.places, of_spike, self.remembered, min_spikes=least)
        if not self.components.ids:  # nothing else says which units are beside which
            self.sortings.colors.spread(history.clustering.unit_ids.tolist())
        for waiting in () if self.project is None else self.project.waiting:
            units = self.places.units_in(waiting.spike_ids)
            for unit in units:  # a sorting that is on screen tells, and of these there is none yet
                self.sortings.colors.color(unit, beside=units)

    # -- what is known of it ------------------------------------------------------------------

    @property
    def clustering(self) -> Clustering:
        """Unit of every spike as it stands."""
        return self.history.clustering

    def is_decided(self, component_id: int) -> bool:
        """Whether something that was decided weighs the draws of a component."""
        given = self.components.given_of(component_id)
        return given is not None and given.is_decided_since

    def whole_as_sampled(self, component_id: int) -> Component:
        """A sampled component before any decision, with the rarer sortings that somebody asked for."""
        sampled = self.components.sampled(component_id)
        assert sampled is not None
        return self.components.given.whole(sampled)

    def n_rarer(self, component_id: int) -> int:
        """Number of sortings that are shown although they are too rare for a card of their own."""
        sampled, whole = self.components.sampled(component_id), self.components.get(component_id)
        return 0 if sampled is None or whole is None else len(whole.alternatives) - len(sampled.alternatives)

    def units_at(self, contact: int) -> tuple[int, ...]:
        """Units that are largest on a contact, where there are no components: without raw data."""
        if self.components.ids:
            return ()
        return self.remembered.get(("units at",), self.places.by_main_channel).get(contact, ())

    def name(self, component_id: int) -> str:
        """What a component is called within a sentence: its units and where it is."""
        place = f"around contact {self.components.contact(component_id)}"
        return f"{self.units_of(component_id) or 'the spikes'} {place}"

    def units_of(self, component_id: int) -> str:
        """Units of a component in words; '' when it has none, or is not sampled."""
        names = self.unit_names(component_id)
        return unit_names(names) if names else ""

    def unit_names(self, component_id: int) -> tuple[str, ...] | None:
        """Names of the units of a component, in order of number; None while it is not sampled."""
        component = self.components.get(component_id)
        return None if component is None else self.sortings.unit_names(component)

    # -- components -----------------------------------------------------------------------------

    def put_rarer(self, component: Component, alternatives: tuple[Alternative, ...]) -> None:
        """Show rarer sortings of a component, as it was sampled, beside the others."""
        self.components.given.put_rarer(component, alternatives)
        self._edited(Change(components=(component.id,)))

    def set_status(self, component_id: int, status: ComponentStatus | None) -> None:
        """Say how far sampling is; None goes back to what the project tells."""
        before = self.components.say(component_id, status)
        if status == before:
            return
        if status is not None and before is not None and status.state == before.state:
            self.progressed.emit(component_id)
        else:
            self.components_changed.emit((component_id,))

    def take_sampled(self, component: Component, waveforms: ComponentWaveforms) -> None:
        """Take in a component that was just sampled; its spikes get the units of its first alternative.

        Units that it has as they are keep their numbers, the others get new ones. This changes the sorting
        that edits start from. A component of which anything was edited stays as it is, and so do the units of
        a sorting that is reviewed.
        """
        assert self.project is not None
        self.take_draws(
            component,
            waiting=tuple(one for one in self.project.waiting if one.id != component.id),
            waveforms={**self.project.waveforms, component.id: waveforms},
        )
        ids, is_given = component.spike_ids, self.project.given is not None
        first = component.alternatives[0] if component.alternatives else None
        if first is None or first.n_units == 0 or is_given or self.history.is_edited(ids):
            return
        unit_of_spike, probability = self.project.unit_of_spike.copy(), self.project.probability.copy()
        table = units_of_alternative(unit_of_spike[ids], first, self.clustering.next_unit_id)
        cluster = np.where(first.labels < 0, first.n_units, first.labels)
        unit_of_spike[ids], probability[ids] = table[cluster], first.probability
        change = self.clustering.apply(
            Reassignment(ids, cluster, table, first.probability),
            f"sample component {component.id}",
            restoring=True,
        )
        highest = self.project.highest_unit
        self.project = replace(
            self.project, unit_of_spike=unit_of_spike, probability=probability, highest=highest
        )
        self.sortings.initial = unit_of_spike
        self._tell_saved()
        self._edited(change)

    def take_draws(self, component: Component, **also: Any) -> None:
        """Take in the draws of a component; units and their numbers stay.

        also : what else of the project is new with it
        """
        assert self.project is not None
        self.components.put(component)
        components = {**{known.id: known for known in self.project.components}, component.id: component}
        self.project = replace(
            self.project,
            components=tuple(components[key] for key in sorted(components)),
            failed=self.components.failed,
            **also,
        )
        self._tell_saved()
        self._edited(Change(components=(component.id,)))

    def set_failed(self, component_id: int, message: str) -> None:
        """Note that a component could not be sampled, and why."""
        assert self.project is not None
        self.components.fail(component_id, message)
        self.remembered.changed()
        self.project = replace(self.project, failed=self.components.failed)
        self._tell_saved()
        self.components_changed.emit((component_id,))

    def put_waveforms(self, component_id: int, waveforms: ComponentWaveforms) -> None:
        """Take waveforms that were read again into the cache."""
        assert self.project is not None
        self.project = replace(self.project, waveforms={**self.project.waveforms, component_id: waveforms})
        self.looks_changed.emit((component_id,))

    def put_shapes(self, shapes: GivenShapes | None, problem: str = "") -> None:
        """Take what the folder of a sorting without recording keeps of shapes, or why there is nothing."""
        self.shapes, self.shapes_problem = shapes, problem
        self.remembered.changed()
        self.looks_changed.emit(())

    def put_recording(self, recording: RecordingReference) -> None:
        """Note where the recording is now."""
        assert self.project is not None
        self.project = replace(self.project, recording=recording)
        self._tell_saved()

    def put_events(self, events: Events) -> None:
        """Take the times of what happened during the recording, in place of those that were there."""
        assert self.project is not None
        self.project = replace(self.project, events=events)
        self._tell_saved()
        self.events_changed.emit()

    # -- edits ------------------------------------------------------------------------------

    def do(self, command: Command) -> Change:
        """Do what somebody decided, and tell it; a command that fails raises and leaves no trace."""
        change = self.edit(command)
        self.told.emit(sentence(change.description))
        units = (*change.added, *change.modified, *change.relabelled)
        self.decided.emit(tuple({one: None for unit in units for one in self.places.components_of(unit)}))
        return change

    def edit(self, command: Command) -> Change:
        """Do a command that nobody is told of."""
        change = self.history.do(command)
        self._write_down(change)
        return change

    def undo(self) -> Change | None:
        """Take back the last edit; None when there is none."""
        return self._write_down(self.history.undo())

    def redo(self) -> Change | None:
        """Do again what was taken back last; None when there is nothing."""
        return self._write_down(self.history.redo())

    def _write_down(self, change: Change | None) -> Change | None:
        """Write what was done to the journal, then tell what changed."""
        if change is not None:
            self._tell_saved()
            self._guarded(self._save_state.write)
            self._edited(change)
        return change

    def _edited(self, change: Change) -> None:
        """Count what changed, then tell."""
        moved = self.places.update((*change.added, *change.removed, *change.modified))
        about = {one for unit in change.relabelled for one in self.places.components_of(unit)}
        anew = moved | about if change.decides else moved
        self.remembered.changed(anew, draws=change.components, marks=about)
        touched = moved | {*change.components}
        if touched:
            self.moved.emit((*touched,))
        self.units_changed.emit(change)
        self.question_changed(touched | about if change.decides else touched)

    def question_changed(self, component_ids: set[int]) -> None:
        """Tell that something else is known, or asked, of components."""
        ids = tuple(sorted(component_ids))
        if ids:
            self.components_changed.emit(ids)
            self.looks_changed.emit(ids)

    # -- saving -----------------------------------------------------------------------------

    @property
    def session(self) -> SessionFile | None:
        """The session file, None before the first save."""
        return self._save_state.session

    @property
    def is_saved(self) -> bool:
        """Whether the last save holds everything; what it lacks may be in the journal, see `is_safe`."""
        return self.project is None or self._save_state.is_saved(self.snapshot())

    @property
    def is_safe(self) -> bool:
        """Whether nothing is lost if the program is killed now."""
        return self.project is None or self._save_state.is_safe(self.snapshot())

    @property
    def is_behind(self) -> bool:
        """Whether edits wait for a save, because the journal cannot take them before."""
        return self.project is not None and self._save_state.is_behind(self.snapshot())

    def snapshot(self) -> Project:
        """Return the project with everything done so far in its history; its components as sampled first."""
        assert self.project is not None
        return replace(self.project, history=self.history.entries)

    def as_it_stands(self) -> Project:
        """Return the project with its components as they are: sampled again, given what was decided."""
        ids = [component.id for component in self.history.posteriors.components]
        components = [self.components.get(component_id) for component_id in ids]
        return replace(self.snapshot(), components=tuple(one for one in components if one is not None))

    def begin_save(self) -> tuple[Project, int]:
        """What to save now, to come back with (`saved`, or `not_saved`), and how long the journal is."""
        project = self.snapshot()
        return project, self._save_state.begin(project)

    def saved(self, session: SessionFile, project: Project) -> None:
        """Note that a save of `project` is done; edits since go to the journal of `session`."""
        self._guarded(lambda now: self._save_state.saved(session, project, now))
        self._tell_saved()

    def not_saved(self) -> None:
        """Note that a save failed; edits since it began go to the journal there was before."""
        self._guarded(self._save_state.missed)

    def _guarded(self, write: Callable[[Project], None]) -> None:
        try:
            write(self.snapshot())
        except NcpguiError as error:
            self.warned.emit(f"{NOT_KEPT}: {error}")

    def _tell_saved(self) -> None:
        """Tell whether everything is saved, where that is other than it was."""
        was, self._was_saved = self._was_saved, self.is_saved
        if was != self._was_saved:
            self.saved_changed.emit()
