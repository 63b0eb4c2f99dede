"""The open project: how it grows and is edited, and what of it is in its session file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.components import Components
from ncpgui.app.model.project_view import ProjectView
from ncpgui.app.model.remembered import Remembered
from ncpgui.app.model.saved_state import SaveState, Session
from ncpgui.app.model.sortings import Sortings
from ncpgui.core.component import Alternative, Component, ComponentWaveforms, units_of_alternative
from ncpgui.core.errors import CurationError, NcpguiError
from ncpgui.core.events import Events
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.signals import Signal
from ncpgui.curation.clustering import Change, Clustering, Reassignment
from ncpgui.curation.history import History

NO_SPIKES = np.zeros(0, dtype=np.int64)
NOT_KEPT = "The action was done but not written to the journal"
"""How a warning begins that is true until the next save."""


class OpenProject(ProjectView):
    """A project that grows while components are sampled, its history of edits, and its session file.

    What is on screen, and how a person edits, is added by `ncpgui.app.model.workspace.Workspace`.

    shapes : templates of a sorting that was opened without its recording, None while they are not at hand;
    shapes_problem : why there are none, '' where nothing is wrong
    """

    opened: ClassVar[Signal] = Signal()
    components_changed: ClassVar[Signal] = Signal(tuple)
    units_changed: ClassVar[Signal] = Signal(Change)
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
        session: Session | None = None,
        entries: Iterable[dict[str, Any]] = (),
        read_only: bool = False,
    ) -> None:
        """Show a project; its history and then the `entries` of its journal are done again.

        read_only : whether it is in a session file that is not ours to write: what is done to it from now
        on is in memory only.

        Raises
        ------
        CurationError
            The history of the project cannot be done; the workspace is as before then.
        """
        history = History.of(project)
        recovered, problem = _recover(history, entries)
        self.close()
        self.project = project
        self._take_history(history)
        in_file = session is not None and not problem
        saved = self.snapshot() if read_only else project if in_file else None
        self._save_state.start(session, saved, n_written=len(history.entries))
        self._was_saved = self.is_saved
        self._start_screen()
        self.opened.emit()
        if recovered:
            n = f"{recovered} action{'s' if recovered > 1 else ''}"
            self.told.emit(f"{n} since the last save recovered from the journal")
        if problem:
            self.warned.emit(f"{problem}{_kept_journal(session)}")

    def close(self) -> None:
        """Forget the project; its session file is closed, its journal stays."""
        had_project = self.project is not None
        session = self.release_session()
        if session is not None:
            session.close()
        self._clear()
        if had_project:
            self.opened.emit()

    def release_session(self) -> Session | None:
        """Hand over the session file to somebody who closes it later."""
        return self._save_state.stop()

    def _clear(self) -> None:
        self.project, self._was_saved = None, True
        self.shapes, self.shapes_problem = None, ""
        self._take_history(History(Clustering(NO_SPIKES)))
        self._start_screen()

    def _take_history(self, history: History) -> None:
        initial, least = NO_SPIKES, 0
        if self.project is not None:
            initial, least = self.project.unit_of_spike, self.project.min_cluster_spikes
        self.history = history
        self._remembered = Remembered()
        self._components = Components(self.project, history, self._remembered)
        self._places = self._components.places
        of_spike = self._components.component_of_spike
        self._sortings = Sortings(
            history, initial, self._places, of_spike, self._remembered, min_spikes=least
        )
        if not self.component_ids:  # nothing else says which units are beside which
            self.colors.spread(history.clustering.unit_ids.tolist())
        history.recorded.connect(self._record)
        history.changed.connect(self._edited)

    # -- components -----------------------------------------------------------------------------

    def put_rarer(self, component: Component, alternatives: tuple[Alternative, ...]) -> None:
        """Show rarer sortings of a component, as it was sampled, beside the others."""
        self._components.given.put_rarer(component, alternatives)
        self._edited(Change(components=(component.id,)))

    def set_status(self, component_id: int, status: ComponentStatus | None) -> None:
        """Say how far sampling is; None goes back to what the project tells."""
        self._components.say(component_id, status)
        self.components_changed.emit((component_id,))

    def take_sampled(self, component: Component, waveforms: ComponentWaveforms) -> None:
        """Take in a component that was just sampled; its spikes get the units of its first alternative.

        Units that it has as they are keep their numbers, the others get new ones. This changes the sorting
        that edits start from. A component of which anything was edited stays as it is, and so do the units of
        a sorting that is reviewed.
        """
        assert self.project is not None
        self._components.put(component)
        components = {**{known.id: known for known in self.project.components}, component.id: component}
        self.project = replace(
            self.project,
            components=tuple(components[key] for key in sorted(components)),
            waiting=tuple(one for one in self.project.waiting if one.id != component.id),
            waveforms={**self.project.waveforms, component.id: waveforms},
            failed=self._components.failed,
        )
        self._tell_saved()
        self._edited(Change(components=(component.id,)))
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
        self._sortings.initial = unit_of_spike
        self._tell_saved()
        self._edited(change)

    def take_draws(self, component: Component) -> None:
        """Take in more draws of a component that is sampled; units and their numbers stay."""
        assert self.project is not None
        self._components.put(component)
        others = {known.id: known for known in self.project.components}
        components = tuple({**others, component.id: component}.values())
        self.project = replace(self.project, components=components)
        self._tell_saved()
        self._edited(Change(components=(component.id,)))

    def set_failed(self, component_id: int, message: str) -> None:
        """Note that a component could not be sampled, and why."""
        assert self.project is not None
        self._components.fail(component_id, message)
        self._remembered.changed()
        self.project = replace(self.project, failed=self._components.failed)
        self._tell_saved()
        self.components_changed.emit((component_id,))

    def put_waveforms(self, component_id: int, waveforms: ComponentWaveforms) -> None:
        """Take waveforms that were read again into the cache."""
        assert self.project is not None
        self.project = replace(self.project, waveforms={**self.project.waveforms, component_id: waveforms})
        self._show_again({component_id})

    def put_shapes(self, shapes: GivenShapes | None, problem: str = "") -> None:
        """Take what the folder of a sorting without recording keeps of shapes, or why there is nothing."""
        self.shapes, self.shapes_problem = shapes, problem
        self._remembered.changed()
        self._shapes_came()

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

    # -- saving -----------------------------------------------------------------------------

    @property
    def session(self) -> Session | None:
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
        components = [self._components.get(component_id) for component_id in ids]
        return replace(self.snapshot(), components=tuple(one for one in components if one is not None))

    def begin_save(self) -> tuple[Project, int]:
        """What to save now, to come back with (`saved`, or `not_saved`), and how long the journal is."""
        project = self.snapshot()
        return project, self._save_state.begin(project)

    def saved(self, session: Session, project: Project) -> None:
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

    # -- listeners --------------------------------------------------------------------------

    def _record(self, _entry: dict[str, Any]) -> None:
        self._tell_saved()
        self._guarded(self._save_state.write)

    def _edited(self, change: Change) -> None:
        """Count what changed, then tell."""
        moved = self._places.update((*change.added, *change.removed, *change.modified))
        about = {one for unit in change.relabelled for one in self._places.components_of(unit)}
        self._remembered.changed(moved | (about if change.decides else set()), draws=change.components)
        touched = moved | {*change.components}
        if touched:
            self._forget_shown(touched)
        touched |= {one for one in about if change.decides or self.is_doubted(one, change.relabelled)}
        self.units_changed.emit(change)
        self.components_changed.emit(tuple(sorted(touched)))
        self._show_again(touched)

    # -- for the one who shows it -------------------------------------------------------------

    def _start_screen(self) -> None:
        """Another project, or none, is there: called before `opened`."""

    def _forget_shown(self, component_ids: set[int]) -> None:
        """Spikes of these components changed their unit: called before anybody is told."""

    def _show_again(self, component_ids: set[int]) -> None:
        """What is shown of these components may look different: called when everybody was told."""

    def _shapes_came(self) -> None:
        """Templates of a sorting without recording are there, or will not be."""


def _kept_journal(session: Session | None) -> str:
    """Keep a journal that the next save will not hold all of; say where."""
    if session is None:
        return ""
    try:
        return f"; the journal is kept as {session.keep_journal().name}"
    except NcpguiError as error:
        return f"; {error}"


def _recover(history: History, entries: Iterable[dict[str, Any]]) -> tuple[int, str]:
    """Do the entries of a journal as far as they go: how many, and what stopped the rest."""
    n_done = 0
    for entry in entries:
        try:
            n_done += history.replay([entry])
        except CurationError as error:
            return (
                n_done,
                f"Action {n_done + 1} of the journal and those after it cannot be repeated: {error}",
            )
    return n_done, ""
