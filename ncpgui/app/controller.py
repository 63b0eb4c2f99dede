"""Keeps a workspace and its long work together: opening, sampling, saving, exporting.

Everything here runs on the window's thread. Work goes out as `Task`; results come back to it.
A result that is late, of a project closed meanwhile or of a group sampled again, is dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.app import jobs
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.receptive_fields import Field, spikes_key
from ncpgui.app.presenters.words import count, duration
from ncpgui.app.status import GroupStatus
from ncpgui.app.tasks import Runner, Task
from ncpgui.app.workspace import Workspace
from ncpgui.core.errors import CurationError, InputError
from ncpgui.core.group import ChannelGroup, GroupWaveforms
from ncpgui.core.progress import Progress
from ncpgui.core.project import Project
from ncpgui.core.signals import Signal
from ncpgui.curation.adopt import locked_labels

SAVE_EVERY_S = 20.0
ON_SCREEN = 1e9


@dataclass(frozen=True)
class Activity:
    """Long work under way: fraction 0 .. 1, None when unknown; time_left in words, '' when unknown."""

    words: str
    fraction: float | None
    time_left: str = ""
    can_cancel: bool = True


class Controller:
    """Starts long work for a workspace and takes its results in.

    Signals: `activity_changed(activity or None)`; `derived_changed` an embedding or a receptive
    field arrived; `failed(error, doing)` work went wrong.
    """

    activity_changed: ClassVar[Signal] = Signal(object)
    derived_changed: ClassVar[Signal] = Signal()
    failed: ClassVar[Signal] = Signal(object, str)

    def __init__(self, workspace: Workspace, runner: Runner, preferences: Preferences) -> None:
        self.workspace = workspace
        self.runner = runner
        self.preferences = preferences
        self.activity: Activity | None = None
        self.fields: dict[bytes, Field] = {}
        self.wants_fields = False
        self._embeddings: dict[int, tuple[GroupWaveforms, NDArray[np.float32]]] = {}
        self._asked: set[Any] = set()
        self._live: jobs.Live | None = None
        self._session_path: Path | None = None
        self._queue: set[int] = set()
        self._batch = 0
        self._batch_started = 0.0
        self._saved_at = 0.0
        self._is_saving = False
        workspace.current_changed.connect(self._look_at_current)
        workspace.shown_changed.connect(self.refresh_views)
        workspace.opened.connect(self._forget_views)
        workspace.units_changed.connect(self._save_base_for_edits)

    # -- opening ----------------------------------------------------------------------------

    def open_session(self, path: Path) -> None:
        """Open a session file."""

        def done(session: Any) -> None:
            self._finish_activity()
            try:
                self.workspace.open(session.project, session=session, entries=session.journal_entries)
            except BaseException:
                session.close()
                raise
            self._session_path = session.path
            self.preferences.remember_file(path)
            for note in session.notes:
                self.workspace.told.emit(note)
            self.refresh_views()

        self.close()
        self._submit(f"Opening {path.name}", lambda p: jobs.open_session(path, progress=p), done, key="open")

    def open_recording(self, request: jobs.RecordingRequest) -> None:
        """Detect the spikes of a recording, then sample all its groups."""
        words = f"Finding spikes in {request.path.name}"

        def done(result: tuple[jobs.Live, Project]) -> None:
            live, project = result
            self._finish_activity()
            self.workspace.open(project)
            self._live = live
            self._session_path = request.session
            self.workspace._set_saved(False)
            self.preferences.remember_file(request.path)
            self.sample_waiting()

        self.close()
        self._submit(words, lambda p: jobs.detect(request, progress=p), done, key="open")

    def open_demo(self, folder: Path) -> None:
        """Open the demo: its session if it was sorted before, else simulate it and sort it."""
        session = folder / "session.h5"
        if session.is_file():
            self.open_session(session)
            return
        self.close()
        self._submit(
            "Simulating 49 channels on a retina",
            lambda p: jobs.run_demo(folder, progress=p),
            self.open_recording,
            key="open",
        )

    def close(self) -> None:
        """Stop all work and close the project; what was done stays in its session and journal."""
        for lane in ("work", "view"):
            self.runner.cancel(lane)  # type: ignore[arg-type]
        self._close_live()
        self._queue.clear()
        self._session_path = None
        self.workspace.close()
        self._finish_activity()

    def _close_live(self) -> None:
        if self._live is not None:
            self._live.close()
            self._live = None

    # -- sampling ---------------------------------------------------------------------------

    @property
    def is_sampling(self) -> bool:
        """Whether groups are being sampled or wait for it."""
        return bool(self._queue)

    def waiting_channels(self) -> list[int]:
        """Channels whose posterior is still to be sampled."""
        states = {c: self.workspace.status(c).state for c in self.workspace.channels}
        return [c for c, state in states.items() if state in ("waiting", "failed") and c not in self._queue]

    def sample_waiting(self) -> None:
        """Sample all groups that have no posterior yet, those with most spikes first."""
        waiting = self.waiting_channels()
        if not waiting:
            return
        project = self.workspace.project
        assert project is not None
        if self._live is None:

            def opened(live: jobs.Live) -> None:
                self._finish_activity()
                self._live = live
                self.sample_waiting()

            self._submit("Opening the recording", lambda p: jobs.reopen(project, progress=p), opened)
            return
        if not self._queue:
            self._batch, self._batch_started = 0, time.monotonic()
        self._batch += len(waiting)
        self._queue.update(waiting)
        for channel in waiting:
            self._submit_group(self._live, channel)
        self._report(0.0)

    def _submit_group(self, live: jobs.Live, channel: int) -> None:
        workspace = self.workspace
        project_of = workspace.project

        def is_late() -> bool:
            return self._live is not live or workspace.project is None or project_of is None

        def started() -> None:
            workspace.set_status(channel, GroupStatus("sampling", 0.0))

        def progressed(fraction: float, _message: str) -> None:
            if not is_late():
                workspace.set_status(channel, GroupStatus("sampling", fraction))
                self._report(fraction)

        def done(result: tuple[ChannelGroup, GroupWaveforms]) -> None:
            if is_late():
                return
            group, waveforms = result
            self._queue.discard(channel)
            workspace.take_sampled(group, waveforms)
            self._after_group()

        def failed(error: Exception) -> None:
            if is_late():
                return
            self._queue.discard(channel)
            workspace.set_failed(channel, str(error) or type(error).__name__)
            self._after_group()

        def cancelled() -> None:
            self._queue.discard(channel)
            if workspace.project is not None:
                workspace.set_status(channel, None)

        on_screen = channel == workspace.channel
        self.runner.submit(
            Task(
                words=f"Sampling channel {channel}",
                work=lambda p: jobs.sample_group(live, channel, progress=p),
                done=done,
                failed=failed,
                cancelled=cancelled,
                progressed=progressed,
                started=started,
                key=("sample", channel),
                priority=ON_SCREEN if on_screen else float(workspace.n_spikes(channel)),
            )
        )

    def _after_group(self) -> None:
        if self._queue:
            self._report(0.0)
            if time.monotonic() - self._saved_at > SAVE_EVERY_S:
                self._autosave()
        else:
            self._finish_sampling()

    def _finish_sampling(self) -> None:
        """All groups sampled, or the rest cancelled: keep units seen twice once, save, let go."""
        self._finish_activity()
        self._close_live()
        workspace = self.workspace
        if workspace.project is None or not workspace.project.groups:
            return
        project = workspace.project
        n_failed = len(project.failed)
        words = f"{count(len(project.groups), 'group')} sampled"
        workspace.told.emit(words + (f", {n_failed} failed" if n_failed else ""))
        if workspace.history.entries:
            self._autosave()
            return

        def combined(result: tuple[NDArray[np.int64], NDArray[np.float32]]) -> None:
            if workspace.project is project and not workspace.history.entries:
                workspace.rebase(*result)
            self._autosave()

        self.runner.submit(
            Task(
                "Joining channels",
                lambda p: jobs.combine_groups(project, progress=p),
                combined,
                failed=self._failed("joining channels"),
                key="combine",
                lane="view",
                priority=1,
            )
        )

    def cancel(self) -> None:
        """Stop the long work under way; what it did so far stays."""
        was_sampling = self.is_sampling
        self.runner.cancel("work")
        self._queue.clear()
        self._finish_activity()
        self.workspace.told.emit(
            "Sampling stopped; the groups done so far are kept" if was_sampling else "Stopped"
        )
        if was_sampling:
            self._finish_sampling()

    def resample(self) -> None:
        """Sample the group on screen again, the accepted units held as they are.

        Raises
        ------
        CurationError
            There is no such group, or all of it is accepted.
        """
        workspace = self.workspace
        group, project = workspace.group(), workspace.project
        if group is None or project is None:
            raise CurationError("this group is not sampled yet; wait for it, or choose another")
        held = locked_labels(workspace.clustering, group, workspace.history.labels.locked)
        if (held >= 0).all():
            raise CurationError(
                f"all units of channel {group.channel} are accepted, nothing is left to sample; "
                "unlock one of them (Y) first"
            )
        channel, waveforms = group.channel, workspace.waveforms(group.channel)

        def done(result: tuple[ChannelGroup, GroupWaveforms]) -> None:
            self._finish_activity()
            if workspace.project is None or workspace.group(channel) is not group:
                return
            workspace.put_group(*result)
            n = len(result[0].alternatives)
            workspace.told.emit(f"Channel {channel} sampled again: {count(n, 'plausible sorting')}")
            self._autosave()

        def progressed(fraction: float, _message: str) -> None:
            workspace.set_status(channel, GroupStatus("sampling", fraction))
            self._set_activity(f"Sampling channel {channel} again", fraction)

        def stopped() -> None:
            workspace.set_status(channel, None)
            self._finish_activity()

        def failed(error: Exception) -> None:
            stopped()
            self.failed.emit(error, f"sampling channel {channel} again")

        workspace.set_status(channel, GroupStatus("sampling", 0.0))
        self._set_activity(f"Sampling channel {channel} again", 0.0)
        self.runner.submit(
            Task(
                f"Sampling channel {channel} again",
                lambda p: jobs.resample(project, group, waveforms, held, progress=p),
                done,
                failed=failed,
                cancelled=stopped,
                progressed=progressed,
                key=("sample", channel),
                priority=ON_SCREEN,
            )
        )

    # -- what panels wait for ---------------------------------------------------------------

    def embedding(self) -> NDArray[np.float32] | None:
        """t-SNE of the group on screen, None while it is computed."""
        waveforms = self.workspace.waveforms()
        known = self._embeddings.get(self.workspace.channel or 0)
        return known[1] if known is not None and known[0] is waveforms else None

    def _look_at_current(self) -> None:
        channel = self.workspace.channel
        if channel in self._queue:
            self.runner.promote(("sample", channel), ON_SCREEN + time.monotonic())
        self.refresh_views()

    def refresh_views(self) -> None:
        """Ask for what the panels of the group on screen still lack."""
        workspace = self.workspace
        group, waveforms = workspace.group(), workspace.waveforms()
        if group is None or workspace.project is None:
            return
        if waveforms is None:
            self._ask_waveforms(workspace.project, group)
        elif self.embedding() is None:
            self._ask_embedding(group.channel, waveforms)
        if self.wants_fields:
            self._ask_fields(workspace.project)

    def _ask_waveforms(self, project: Project, group: ChannelGroup) -> None:
        key = ("waveforms", group.channel)
        if key in self._asked:
            return
        self._asked.add(key)

        def done(waveforms: GroupWaveforms) -> None:
            if self.workspace.group(group.channel) is group:
                self.workspace.put_waveforms(group.channel, waveforms)

        def failed(error: Exception) -> None:
            self.workspace.told.emit(str(error))

        self.runner.submit(
            Task(
                f"Reading waveforms of channel {group.channel}",
                lambda p: jobs.read_waveforms(project, group, progress=p),
                done,
                failed=failed,
                cancelled=lambda: self._asked.discard(key),
                key="waveforms",
                lane="view",
                priority=2,
            )
        )

    def _ask_embedding(self, channel: int, waveforms: GroupWaveforms) -> None:
        key = ("t-SNE", channel, id(waveforms))
        if key in self._asked:
            return
        self._asked.add(key)

        def done(points: NDArray[np.float32]) -> None:
            self._embeddings[channel] = (waveforms, points)
            self.derived_changed.emit()

        self.runner.submit(
            Task(
                f"t-SNE of channel {channel}",
                lambda p: jobs.embed(waveforms.features, progress=p),
                done,
                failed=lambda error: self.workspace.told.emit(f"No t-SNE: {error}"),
                cancelled=lambda: self._asked.discard(key),
                key="t-SNE",
                lane="view",
            )
        )

    def _ask_fields(self, project: Project) -> None:
        shown, stimulus = self.workspace.shown(), project.stimulus
        if shown is None or stimulus is None:
            return
        wanted = {}
        for unit in shown.units:
            key = spikes_key(shown.channel, unit.positions)
            if key not in self.fields and key not in self._asked:
                wanted[key] = project.spikes.sample_index[shown.group.spike_ids[unit.positions]]
        if not wanted:
            return
        self._asked.update(wanted)

        def done(fields: dict[bytes, Field]) -> None:
            self.fields.update(fields)
            self.derived_changed.emit()

        self.runner.submit(
            Task(
                "Receptive fields",
                lambda p: jobs.receptive_fields(stimulus, wanted, progress=p),
                done,
                failed=lambda error: self.workspace.told.emit(f"No receptive fields: {error}"),
                cancelled=lambda: self._asked.difference_update(wanted),
                key=("fields", tuple(wanted)),
                lane="view",
                priority=1,
            )
        )

    def _forget_views(self) -> None:
        self._embeddings.clear()
        self.fields.clear()
        self._asked.clear()

    # -- files ------------------------------------------------------------------------------

    @property
    def session_path(self) -> Path | None:
        """Where the project is kept, or will be."""
        return self._session_path

    def save(self, path: Path | None = None) -> None:
        """Save the session; `path` saves it elsewhere from now on.

        Raises
        ------
        InputError
            It is not known where.
        """
        target = path or self._session_path
        if self.workspace.project is None:
            raise InputError("there is nothing to save; open a recording or a session first")
        if target is None:
            raise InputError("this project has no session file yet; choose one with Save as")
        self._session_path = target
        self._submit_save(target, tell=True)

    def _autosave(self) -> None:
        if self._session_path is not None and self.workspace.project is not None and not self._is_saving:
            self._submit_save(self._session_path, tell=False)

    def _save_base_for_edits(self, _change: Any) -> None:
        """Journal entries follow a saved sorting: save it when the first edit comes before that."""
        workspace = self.workspace
        if workspace.session is None and workspace.history.entries:
            self._autosave()

    def _submit_save(self, target: Path, *, tell: bool) -> None:
        workspace = self.workspace
        session: Any = workspace.session
        project, revision = workspace.snapshot(), workspace.revision
        n_entries = 0 if session is None else session.n_entries
        n_done = len(workspace.history.entries)
        self._saved_at = time.monotonic()
        self._is_saving = True

        def done(saved: Any) -> None:
            self._is_saving = False
            if workspace.project is None:
                saved.close()
                return
            is_new = saved is not session
            workspace.saved(saved, revision=revision)
            self.preferences.remember_file(saved.path)
            if is_new:
                for entry in workspace.history.entries[n_done:]:
                    saved.append(entry)
            if tell:
                workspace.told.emit(f"Saved {saved.path.name}")

        def failed(error: Exception) -> None:
            self._is_saving = False
            self.failed.emit(error, f"saving {target.name}")

        self.runner.submit(
            Task(
                f"Saving {target.name}",
                lambda p: jobs.save(session, target, project, n_entries, progress=p),
                done,
                failed=failed,
                key="save",
                lane="io",
            )
        )

    def export(self, format_name: str, path: Path) -> None:
        """Write the sorting as it stands for another tool."""
        workspace = self.workspace
        if workspace.project is None:
            raise InputError("there is nothing to export; open a recording or a session first")
        project, clustering = workspace.snapshot(), workspace.clustering
        units = clustering.unit_of_spike.copy()
        probability = clustering.probability.copy()
        labels = dict(workspace.history.labels.as_dict(clustering.unit_ids.tolist()))
        accepted = workspace.history.labels.locked

        def done(place: Path) -> None:
            self._finish_activity()
            workspace.told.emit(f"Exported to {place}")

        self._submit(
            f"Exporting to {path.name}",
            lambda p: jobs.export(
                project, units, probability, labels, accepted, format_name, path, progress=p
            ),
            done,
            lane="io",
            key=("export", str(path)),
        )

    # -- activity ---------------------------------------------------------------------------

    def _submit(
        self,
        words: str,
        work: Callable[[Progress], Any],
        done: Callable[[Any], None],
        *,
        key: Any = None,
        lane: Any = "work",
    ) -> None:
        started = time.monotonic()
        self._set_activity(words, None, can_cancel=lane == "work")
        self.runner.submit(
            Task(
                words,
                work,
                done,
                failed=self._failed(words[:1].lower() + words[1:]),
                cancelled=self._finish_activity,
                progressed=lambda fraction, message: self._set_activity(
                    message[:1].upper() + message[1:] if message else words,
                    fraction,
                    _time_left(started, fraction),
                    can_cancel=lane == "work",
                ),
                key=key,
                lane=lane,
                priority=ON_SCREEN,
            )
        )

    def _failed(self, doing: str) -> Callable[[Exception], None]:
        def failed(error: Exception) -> None:
            self._finish_activity()
            self.failed.emit(error, doing)

        return failed

    def _report(self, fraction: float) -> None:
        """Show how far sampling is as a whole."""
        done = self._batch - len(self._queue)
        share = (done + fraction) / max(self._batch, 1)
        words = f"Sampling the posterior: {done} of {count(self._batch, 'group')}"
        self._set_activity(words, share, _time_left(self._batch_started, share))

    def _set_activity(
        self, words: str, fraction: float | None, time_left: str = "", *, can_cancel: bool = True
    ) -> None:
        self.activity = Activity(words, fraction, time_left, can_cancel)
        self.activity_changed.emit(self.activity)

    def _finish_activity(self) -> None:
        if self.activity is not None:
            self.activity = None
            self.activity_changed.emit(None)


def _time_left(started: float, fraction: float) -> str:
    spent = time.monotonic() - started
    if fraction < 0.02 or spent < 1.0:
        return ""
    return f"{duration(spent * (1 - fraction) / fraction)} left"
