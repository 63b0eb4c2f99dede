"""Samples the groups of a recording one after the other, the one on screen first."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app import jobs
from ncpgui.app.presenters.words import count
from ncpgui.app.saving import Saving
from ncpgui.app.status import GroupStatus
from ncpgui.app.tasks import Task
from ncpgui.app.work import ON_SCREEN, Activity, Work, time_left
from ncpgui.app.workspace import Workspace
from ncpgui.core.errors import CurationError
from ncpgui.core.group import ChannelGroup, GroupWaveforms
from ncpgui.core.project import Project
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.adopt import locked_labels
from ncpgui.curation.resample import Resample


@dataclass(frozen=True)
class Asked:
    """What a group is when it is sampled again: the samples are of this, and of nothing else.

    units : (n,) unit of each of its spikes; given : its accepted units, which are held.
    """

    group: ChannelGroup
    units: NDArray[np.int64]
    given: tuple[int, ...]

    @staticmethod
    def of(workspace: Workspace, group: ChannelGroup) -> Asked:
        """The group as it stands."""
        units = workspace.clustering.unit_of_spike[group.spike_ids]
        here = np.unique(units[units != UNASSIGNED]).tolist()
        return Asked(group, units, tuple(u for u in here if workspace.history.labels.is_locked(u)))

    def is_still_so(self, workspace: Workspace) -> bool:
        """Whether nobody edited the group since; labels and other groups do not matter."""
        if workspace.group(self.group.channel) is not self.group:
            return False
        now = Asked.of(workspace, self.group)
        return now.given == self.given and np.array_equal(now.units, self.units)


class Sampling:
    """Samples the groups of one project; made anew for each that is opened.

    A result that comes after `leave` is dropped.

    Parameters
    ----------
    saving : told when there is something worth saving
    live : the recording, when it is open already
    """

    def __init__(
        self, workspace: Workspace, work: Work, saving: Saving, live: jobs.Live | None = None
    ) -> None:
        self._workspace = workspace
        self._work = work
        self._saving = saving
        self._live = live
        self._queue: set[int] = set()
        self._n_batch = 0
        self._started = 0.0
        self._is_left = False

    @property
    def is_under_way(self) -> bool:
        """Whether groups are being sampled or wait for it."""
        return bool(self._queue)

    def waiting_channels(self) -> list[int]:
        """Channels whose posterior is still to be sampled, and not in the queue for it."""
        states = {c: self._workspace.status(c).state for c in self._workspace.channels}
        return [c for c, state in states.items() if state in ("waiting", "failed") and c not in self._queue]

    def sample_waiting(self) -> None:
        """Sample all groups that have no posterior yet, those with most spikes first."""
        waiting = self.waiting_channels()
        project = self._workspace.project
        if not waiting or project is None:
            return
        if self._live is None:
            self._work.submit(
                "Opening the recording",
                lambda p: jobs.reopen(project, progress=p),
                self._opened,
                key="reopen",
                close=lambda live: live.close(),
            )
            return
        if not self._queue:
            self._n_batch, self._started = 0, time.monotonic()
        self._n_batch += len(waiting)
        self._queue.update(waiting)
        self._report(0.0)
        for channel in waiting:
            self._work.runner.submit(self._task(self._live, channel))

    def look_at(self, channel: int | None) -> None:
        """Put a group first: somebody looks at it and waits."""
        if channel in self._queue:
            self._work.runner.promote(("sample", channel), ON_SCREEN + time.monotonic())

    def stop(self) -> None:
        """Go on without the groups that still wait; the caller cancels the tasks."""
        self._queue.clear()
        self._finish()

    def leave(self) -> None:
        """The project is about to be closed; the caller cancels the tasks."""
        self._is_left = True
        self._queue.clear()
        self._work.finish(self)
        self._close_recording()

    def _opened(self, live: jobs.Live) -> None:
        if self._is_left:
            live.close()
            return
        self._live = live
        self.sample_waiting()

    def _task(self, live: jobs.Live, channel: int) -> Task:
        workspace = self._workspace

        def progressed(fraction: float, _message: str = "") -> None:
            workspace.set_status(channel, GroupStatus("sampling", fraction))
            self._report(fraction)

        def done(result: tuple[ChannelGroup, GroupWaveforms]) -> None:
            self._queue.discard(channel)
            workspace.take_sampled(*result)
            self._after_group()

        def failed(error: Exception) -> None:
            self._queue.discard(channel)
            workspace.set_failed(channel, str(error) or type(error).__name__)
            self._after_group()

        def cancelled() -> None:
            self._queue.discard(channel)
            workspace.set_status(channel, None)

        def unless_left(then: Callable[..., None]) -> Callable[..., None]:
            return lambda *values: None if self._is_left else then(*values)

        return Task(
            words=f"Sampling channel {channel}",
            work=lambda p: jobs.sample_group(live, channel, progress=p),
            done=unless_left(done),
            failed=unless_left(failed),
            cancelled=unless_left(cancelled),
            progressed=unless_left(progressed),
            started=unless_left(lambda: progressed(0.0)),
            key=("sample", channel),
            priority=ON_SCREEN if channel == workspace.channel else float(workspace.n_spikes(channel)),
        )

    def _after_group(self) -> None:
        if self._queue:
            self._report(0.0)
            self._saving.autosave_now_and_then()
        else:
            self._finish()

    def _finish(self) -> None:
        """All groups sampled, or the rest not wanted: keep units seen twice once, save, let go."""
        self._work.finish(self)
        self._close_recording()
        workspace = self._workspace
        project = workspace.project
        assert project is not None
        words = f"{count(len(project.groups), 'group')} sampled"
        workspace.told.emit(words + (f", {len(project.failed)} failed" if project.failed else ""))
        if not project.groups:
            self._saving.autosave()
            return

        def combined(result: tuple[NDArray[np.int64], NDArray[np.float32]]) -> None:
            now = workspace.project
            if self._is_left or now is None:
                return
            if now.groups is project.groups:  # else others are being sampled: they will be joined with these
                workspace.rebase(*result)
            self._saving.autosave()

        def failed(error: Exception) -> None:
            if not self._is_left:
                self._saving.autosave()
            self._work.failed.emit(error, "joining channels")

        self._work.runner.submit(
            Task(
                "Joining channels",
                lambda p: jobs.combine_groups(project, progress=p),
                combined,
                failed=failed,
                key="combine",
                lane="view",
                priority=1,
            )
        )

    def _close_recording(self) -> None:
        """Close it when nobody reads it any more: tasks of a lane run one after the other."""
        live, self._live = self._live, None
        if live is not None:
            self._work.runner.submit(Task("Closing the recording", lambda _: live.close()))

    def _report(self, fraction: float) -> None:
        """Show how far sampling is as a whole."""
        done = self._n_batch - len(self._queue)
        share = (done + fraction) / max(self._n_batch, 1)
        words = f"Sampling the posterior: {done} of {count(self._n_batch, 'group')}"
        self._work.show(self, Activity(words, share, time_left(self._started, share)))

    # -- one group again --------------------------------------------------------------------

    def resample(self) -> None:
        """Sample the group on screen again, the accepted units held as they are.

        Raises
        ------
        CurationError
            There is no such group, or all of it is accepted.
        """
        workspace = self._workspace
        group, project = workspace.group(), workspace.project
        if group is None or project is None:
            raise CurationError("this group is not sampled yet; wait for it, or choose another")
        asked = Asked.of(workspace, group)
        held = locked_labels(workspace.clustering, group, asked.given)
        if (held >= 0).all():
            raise CurationError(
                f"all units of channel {group.channel} are accepted, nothing is left to sample; "
                "unlock one of them (Y) first"
            )
        self._work.runner.submit(self._again(project, asked, held))

    def _again(self, project: Project, asked: Asked, held: NDArray[np.int32]) -> Task:
        workspace, group, channel = self._workspace, asked.group, asked.group.channel
        waveforms = workspace.waveforms(channel)
        words = f"Sampling channel {channel} again"
        owner = object()

        def progressed(fraction: float, _message: str = "") -> None:
            if not self._is_left:
                workspace.set_status(channel, GroupStatus("sampling", fraction))
                self._work.show(owner, Activity(words, fraction))

        def ended() -> None:
            self._work.finish(owner)
            if not self._is_left:
                workspace.set_status(channel, None)

        def done(result: tuple[ChannelGroup, GroupWaveforms]) -> None:
            ended()
            if self._is_left:
                return
            if not asked.is_still_so(workspace):
                workspace.told.emit(
                    f"Channel {channel} changed while it was sampled again: the samples are dropped; "
                    "press R again"
                )
                return
            again, used = result
            if waveforms is None:
                workspace.put_waveforms(channel, used)
            command = Resample(channel, asked.given, again.posterior, again.alternatives)
            workspace.history.do(command)
            n = count(len(again.alternatives), "plausible sorting")
            workspace.told.emit(f"Channel {channel} sampled again: {n}")

        def failed(error: Exception) -> None:
            ended()
            self._work.failed.emit(error, f"sampling channel {channel} again")

        return Task(
            words,
            lambda p: jobs.resample(project, group, waveforms, held, progress=p),
            done,
            failed=failed,
            cancelled=ended,
            progressed=progressed,
            started=lambda: progressed(0.0),
            key=("sample", channel),
            priority=ON_SCREEN,
        )
