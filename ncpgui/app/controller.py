"""Keeps a workspace and its long work together: opening, sampling, saving, exporting.

Everything here runs on the window's thread. Work goes out as `Task`; results come back to it.
A result that is late, of a project closed meanwhile or of a component sampled again, is dropped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ncpgui.app import demo
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.words import count, sentence
from ncpgui.app.work import jobs, recordings, reviewing
from ncpgui.app.work.activity import Work
from ncpgui.app.work.panel_data import PanelData
from ncpgui.app.work.recognition import kept_elsewhere, recognize
from ncpgui.app.work.sampling import Sampling
from ncpgui.app.work.saving import Saving
from ncpgui.app.work.tasks import Runner
from ncpgui.core.errors import (
    InputError,
    MissingRecordingError,
    NcpguiError,
    SessionUnwritableError,
    SeveralStreamsError,
)
from ncpgui.core.events import Events
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.signals import Signal


class Controller:
    """Starts long work for a workspace and takes its results in.

    Signals, beside those of its `work`: `arrived(kind)` something of `data` is there, or will not come;
    `only_readable(path, error)` a session cannot be opened for writing, but
    `open_session(path, read_only=True)` opens it;
    `recording_wanted(request, problem)` a sorting does not lead to its recording: `open_review` it with one;
    `choice_wanted(path)` a recording has several streams: `open_recording` with one of them.
    """

    arrived: ClassVar[Signal] = Signal(str)
    only_readable: ClassVar[Signal] = Signal(object, object)
    recording_wanted: ClassVar[Signal] = Signal(object, object)
    choice_wanted: ClassVar[Signal] = Signal(object)

    def __init__(self, workspace: Workspace, runner: Runner, preferences: Preferences) -> None:
        self.workspace = workspace
        self.runner = runner
        self.preferences = preferences
        self.work = Work(runner)
        self.data = PanelData(workspace, runner, self.arrived.emit)
        self.read_only_path: Path | None = None
        self._begin()
        workspace.coloring.color_by(preferences.get("color_by", ""))
        workspace.current_changed.connect(self._look_at_current)
        workspace.state.opened.connect(self._renew_data)
        workspace.state.units_changed.connect(self._save_if_behind)
        workspace.state.decided.connect(lambda ids: self.sampling.draw_where_few_are_left(ids))
        workspace.state.units_changed.connect(lambda _: self.sampling.stop_what_was_taken_back())

    # -- opening ----------------------------------------------------------------------------

    def open_path(self, path: Path) -> None:
        """Open a session, a recording or a finished sorting, whichever it is.

        A recording that does not say what it takes to read it fails with words that say so; one of several
        streams asks which.
        """

        def done(what: Path | recordings.RecordingRequest | reviewing.ReviewRequest) -> None:
            if isinstance(what, reviewing.ReviewRequest):
                self.open_review(what)
            elif isinstance(what, recordings.RecordingRequest):
                self.open_recording(what)
            else:
                self.open_session(what)

        self.work.submit(
            f"Looking at {path.name}",
            lambda p: recognize(path, progress=p),
            done,
            instead=(SeveralStreamsError, lambda _: self.choice_wanted.emit(path)),
            key="open",
            lane="view",
        )

    def open_session(self, path: Path, *, read_only: bool = False) -> None:
        """Open a session file; `read_only` leaves it to whoever writes it, and its lock alone."""

        def done(session: Any) -> None:
            try:
                self.workspace.state.open(
                    session.project,
                    session=None if read_only else session,
                    entries=session.journal_entries,
                    read_only=read_only,
                )
            except NcpguiError as error:
                session.close()
                self.work.failed.emit(error, f"opening {path.name}")
                return
            if read_only:
                session.close()
                self._begin(read_only=path)
            else:
                self._begin(session.path)
            self.preferences.remember_file(path)
            if session.notes:
                self.workspace.state.warned.emit("; ".join(session.notes))
            self.workspace.state.saved_changed.emit()
            if not read_only:
                self._look_at_current()

        self.close()
        self.work.submit(
            f"Opening {path.name}",
            lambda p: jobs.open_session(path, read_only=read_only, progress=p),
            done,
            instead=(SessionUnwritableError, lambda error: self.only_readable.emit(path, error)),
            key="open",
            lane="io",  # after the save of the project before, which may be this very file
            close=lambda session: session.close(),
            can_cancel=True,
        )

    def open_recording(self, request: recordings.RecordingRequest) -> None:
        """Find the units of a recording, then sample all its components."""

        def done(result: tuple[recordings.Live, Project]) -> None:
            self._take_sorting(request, *result)

        self.close()
        self.work.submit(
            f"Finding units in {request.path.name}",
            lambda p: recordings.find_units(request, progress=p),
            done,
            key="open",
            close=lambda result: result[0].close(),
        )

    def open_review(self, request: reviewing.ReviewRequest) -> None:
        """Open another program's sorting, then sample the components of its units."""

        def done(result: tuple[recordings.Live | None, Project, tuple[str, ...]]) -> None:
            self._take_sorting(request, *result)
            if result[0] is None:
                self.recording_wanted.emit(request, "; ".join(result[2]))

        wrong = MissingRecordingError if request.recording is None else NcpguiError
        self.close()
        self.work.submit(
            f"Opening {request.path.name}",
            lambda p: reviewing.find_given(request, progress=p),
            done,
            instead=(wrong, lambda error: self.recording_wanted.emit(request, str(error))),
            key="open",
            close=lambda result: None if result[0] is None else result[0].close(),
        )

    def _take_sorting(
        self,
        request: recordings.RecordingRequest | reviewing.ReviewRequest,
        live: recordings.Live | None,
        project: Project,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Show a project that was just made, and sample its components."""
        self.workspace.state.open(project)
        self._begin(request.session, live)
        self.preferences.remember_file(request.path)
        said = [*notes, kept_elsewhere(request.path, request.session)]
        if any(said):
            self.workspace.state.warned.emit("; ".join(filter(None, said)))
        for note in () if live is None else live.notes:
            self.workspace.state.told.emit(sentence(note))
        self.workspace.state.saved_changed.emit()
        if live is None:  # nothing is sampled, after which it would be saved
            self.saving.autosave()
        self.sampling.sample_waiting()

    def open_demo(self, folder: Path) -> None:
        """Open the demo: its session if it was sorted before, else simulate it and sort it."""
        session = demo.session_of(folder)
        if session.is_file():
            self.open_session(session)
            return
        self.close()
        self.work.submit(
            "Simulating 49 channels on a retina",
            lambda p: demo.prepare(folder, progress=p),
            self.open_recording,
            key="open",
        )

    def locate_recording(self, path: Path) -> None:
        """Note where the recording of this session is now, if it is the same recording."""
        project = self.workspace.state.project
        if project is None:
            raise InputError("there is no recording to locate; open a session first")
        opening = self.saving

        def done(recording: RecordingReference) -> None:
            if self.saving is not opening:
                return
            self.workspace.state.put_recording(recording)
            self.sampling.try_again()
            self.workspace.state.told.emit(f"The recording is now {recording.path}")
            self.saving.autosave()
            self._renew_data()
            self.workspace.shown_changed.emit()

        self.work.submit(
            f"Looking at {path.name}",
            lambda p: recordings.locate(project, path, progress=p),
            done,
            key="locate",
            lane="view",
        )

    def load_events(self, path: Path) -> None:
        """Take times of stimuli or behaviour from a file; they are kept in the session.

        Raises
        ------
        InputError
            There is no recording that they are of.
        """
        project = self.workspace.state.project
        if project is None:
            raise InputError("events need a recording; open a recording or a session first")
        opening = self.saving

        def done(result: tuple[Events, str]) -> None:
            events, note = result
            if self.saving is not opening:
                return
            self.workspace.state.put_events(events)
            if note:
                self.workspace.state.warned.emit(f"{path.name}: {note}")
            self.workspace.state.told.emit(f"{count(len(events), 'event')} from {path.name}")
            self.saving.autosave()

        self.work.submit(
            "Loading events",
            lambda p: jobs.load_events(project, path, progress=p),
            done,
            key="load events",
            lane="view",
        )

    def close(self) -> None:
        """Stop all work and close the project; what was done stays in its session and journal."""
        self.runner.cancel_key("open")
        self.runner.cancel("work")
        self.runner.cancel("view")
        self.sampling.leave()
        self.saving.leave()
        self.workspace.state.close()
        self._begin()

    def _begin(
        self,
        session: Path | None = None,
        live: recordings.Live | None = None,
        *,
        read_only: Path | None = None,
    ) -> None:
        """Another project is there: what belonged to the one before is left behind."""
        self.read_only_path = read_only
        self.saving = Saving(self.workspace, self.work, self.preferences, session)
        self.sampling = Sampling(self.workspace, self.work, self.saving, live)

    def _renew_data(self) -> None:
        """Compute for the project that is there now, and from its recording as it is now."""
        self.data.close()
        self.data = PanelData(self.workspace, self.runner, self.arrived.emit)

    def _look_at_current(self) -> None:
        self.sampling.look_at(self.workspace.component_id)

    def cancel(self) -> None:
        """Stop the long work under way; what it did so far stays."""
        was_sampling = self.sampling.is_under_way
        self.runner.cancel("work")
        self.runner.cancel_key("open")
        self.workspace.state.told.emit(
            "Sampling stopped; the questions sampled so far are kept" if was_sampling else "Stopped"
        )
        if was_sampling:
            self.sampling.stop()

    # -- files ------------------------------------------------------------------------------

    def save(self, path: Path | None = None) -> None:
        """Save the session; `path` saves it elsewhere from now on.

        Raises
        ------
        InputError
            There is nothing to save, or it is not known where.
        """
        if self.workspace.state.project is None:
            raise InputError("there is nothing to save; open a recording or a session first")
        self.saving.save(path)

    def _save_if_behind(self, _change: Any) -> None:
        """Edits that the journal cannot take wait for a save: do it now."""
        if self.workspace.state.is_behind:
            self.saving.autosave()
