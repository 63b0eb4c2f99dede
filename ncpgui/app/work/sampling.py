"""Samples the components of a recording one after the other, the one on screen first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import count, sentence
from ncpgui.app.work import jobs, recordings
from ncpgui.app.work.activity import ON_SCREEN, Activity, Work, time_left
from ncpgui.app.work.asked_again import Asked
from ncpgui.app.work.saving import Saving
from ncpgui.app.work.tasks import ONCE_SETTLED_S, Task
from ncpgui.core.component import Component, ComponentWaveforms, WaitingComponent
from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import NOT_A_POSTERIOR, Sampler
from ncpgui.core.project import Project
from ncpgui.curation.resample import Resample
from ncpgui.evidence.point_events import FEW_DRAWS

LAST = -1.0
"""Priority of a component that needs more of a long recording than all others do."""


class Sampling:
    """Samples the components of one project; made anew for each that is opened.

    A result that comes after `leave` is dropped.

    Parameters
    ----------
    saving : told when there is something worth saving
    live : the recording, when it is open already
    """

    def __init__(
        self, workspace: Workspace, work: Work, saving: Saving, live: recordings.Live | None = None
    ) -> None:
        self._workspace = workspace
        self._work = work
        self._saving = saving
        self._live = live
        self._queue: set[int] = set()
        self._tried: set[int] = set()
        self._drawn: set[int] = set()
        self._again_of: dict[int, Asked] = {}
        self._n_batch = 0
        self._started = 0.0
        self._is_left = False

    @property
    def is_under_way(self) -> bool:
        """Whether components are being sampled or wait for it."""
        return bool(self._queue)

    def waiting_ids(self) -> list[int]:
        """Ids of components whose posterior is still to be sampled, and not in the queue for it."""
        project, questions = self._workspace.state.project, self._workspace.questions
        ids = sorted(one.id for one in (() if project is None else project.waiting))
        return [
            one
            for one in ids
            if one not in self._queue and questions.status(one).state in ("waiting", "failed")
        ]

    def sample_waiting(self) -> None:
        """Sample all components that have no posterior yet, those with most spikes first."""
        self._sample(self.waiting_ids())

    def _sample(self, waiting: list[int]) -> None:
        project = self._workspace.state.project
        if not waiting or project is None:
            return
        self._tried.update(waiting)
        if self._live is None:
            session = self._saving.path
            self._work.submit(
                "Opening the recording",
                lambda p: recordings.reopen(project, session, progress=p),
                lambda live: self._opened(live, waiting),
                key="reopen",
                close=lambda live: live.close(),
            )
            return
        if not self._queue:
            self._n_batch, self._started = 0, time.monotonic()
        self._n_batch += len(waiting)
        self._queue.update(waiting)
        self._report(0.0)
        for one in project.waiting:
            if one.id in waiting:
                self._work.runner.submit(self._task(self._live, one))

    def look_at(self, component_id: int | None) -> None:
        """Put a component first, somebody looks at it and waits; one that waits for nothing is sampled.

        One that could not be sampled, or was stopped, is sampled again when somebody asks for it.
        One that was settled by a part of its draws gets the others.
        """
        if component_id is None:
            return
        self._draw_the_rest(component_id)
        if component_id in self._queue:
            self._work.runner.promote(("sample", component_id), ON_SCREEN + time.monotonic())
        elif (
            component_id not in self._tried
            and self._workspace.questions.status(component_id).state == "waiting"
        ):
            self._sample([component_id])

    def try_again(self) -> None:
        """What could not be read may be readable now."""
        self._tried.clear()
        self.look_at(self._workspace.component_id)

    def stop(self) -> None:
        """Go on without the components that still wait; the caller cancels the tasks."""
        self._queue.clear()
        self._finish()

    def leave(self) -> None:
        """The project is about to be closed; the caller cancels the tasks."""
        self._is_left = True
        self._queue.clear()
        self._work.finish(self)
        self._close_recording()

    def _opened(self, live: recordings.Live, waiting: list[int]) -> None:
        if self._is_left:
            live.close()
            return
        self._live = live
        self._sample(
            [one for one in waiting if self._workspace.questions.status(one).state in ("waiting", "failed")]
        )

    def _task(self, live: recordings.Live, waiting: WaitingComponent) -> Task:
        workspace, component_id = self._workspace, waiting.id

        def progressed(fraction: float, _message: str = "") -> None:
            workspace.state.set_status(component_id, ComponentStatus("sampling", fraction))
            self._report(fraction)

        def done(result: tuple[Component, ComponentWaveforms] | None) -> None:
            if result is None:
                workspace.state.set_status(component_id, None)
                self._work.runner.submit(replace(self._task(live, waiting), priority=LAST))
                return
            self._queue.discard(component_id)
            workspace.state.take_sampled(*result)
            self._after_group()

        def failed(error: Exception) -> None:
            self._queue.discard(component_id)
            workspace.state.set_failed(component_id, str(error) or type(error).__name__)
            self._after_group()

        def cancelled() -> None:
            self._queue.discard(component_id)
            self._tried.discard(component_id)
            workspace.state.set_status(component_id, None)

        def unless_left(then: Callable[..., None]) -> Callable[..., None]:
            return lambda *values: None if self._is_left else then(*values)

        return Task(
            words=f"Sampling {workspace.state.name(component_id)}",
            work=lambda p: jobs.sample(live, waiting, progress=p),
            done=unless_left(done),
            failed=unless_left(failed),
            cancelled=unless_left(cancelled),
            progressed=unless_left(progressed),
            started=unless_left(lambda: progressed(0.0)),
            key=("sample", component_id),
            priority=ON_SCREEN
            if component_id == workspace.component_id
            else float(len(workspace.state.components.spike_ids(component_id))),
        )

    def _after_group(self) -> None:
        if self._queue:
            self._report(0.0)
            self._saving.autosave_now_and_then()
        else:
            self._finish()

    def _finish(self) -> None:
        """All components sampled, or the rest not wanted: save, let go."""
        self._work.finish(self)
        self._close_recording()
        workspace = self._workspace
        project = workspace.state.project
        assert project is not None
        words = f"{count(len(project.components), 'question')} sampled"
        workspace.state.told.emit(words + (f", {len(project.failed)} failed" if project.failed else ""))
        self._saving.autosave()
        self.draw_where_few_are_left(workspace.state.components.ids)

    def _close_recording(self) -> None:
        """Close it when nobody reads it any more: tasks of a lane run one after the other."""
        live, self._live = self._live, None
        if live is not None:
            self._work.runner.submit(Task("Closing the recording", lambda _: live.close()))

    def _report(self, fraction: float) -> None:
        """Show how far sampling is as a whole."""
        done = self._n_batch - len(self._queue)
        share = (done + fraction) / max(self._n_batch, 1)
        words = f"Sampling the posterior: {done} of {count(self._n_batch, 'question')}"
        self._work.show(self, Activity(words, share, time_left(self._started, share)))

    def _draw_the_rest(self, component_id: int) -> None:
        """Make the draws that a component did without, unless it was edited: its cards stay as they were."""
        workspace, project = self._workspace, self._workspace.state.project
        component = workspace.state.components.sampled(component_id)
        if component is None or project is None or component_id in self._drawn or self._is_edited(component):
            return
        if not jobs.lacks_draws(project, component):
            return
        self._drawn.add(component_id)
        owner, words = object(), f"Drawing more of {workspace.state.name(component_id)}"

        def progressed(fraction: float, _message: str = "") -> None:
            self._work.show(owner, Activity(words, fraction))

        def done(found: Component) -> None:
            self._work.finish(owner)
            is_same = workspace.state.components.sampled(component_id) is component
            if not self._is_left and is_same and not self._is_edited(component):
                workspace.state.take_draws(found)
                self._saving.autosave_now_and_then()

        def failed(error: Exception) -> None:
            self._work.finish(owner)
            workspace.state.told.emit(f"No more draws of {workspace.state.name(component_id)}: {error}")

        def cancelled() -> None:
            self._work.finish(owner)
            self._drawn.discard(component_id)

        self._work.runner.submit(
            Task(
                words,
                lambda p: jobs.all_draws(project, component, progress=p),
                done,
                failed=failed,
                cancelled=cancelled,
                progressed=progressed,
                key=("sample", component_id),
                priority=ON_SCREEN,
                after_s=ONCE_SETTLED_S,
            )
        )

    def _is_edited(self, component: Component) -> bool:
        return self._workspace.state.history.is_edited(component.spike_ids) or bool(component.given)

    # -- one component again --------------------------------------------------------------------

    def resample(self, sampler: Sampler = "draws") -> None:
        """Sample the component on screen again, or search it by beam, what was decided held as it is.

        Raises
        ------
        CurationError
            There is no such component, all of it is decided, the draws that are left are many, or the same
            beam is there already.
        """
        workspace = self._workspace
        component_id, project = workspace.component_id, workspace.state.project
        component = None if component_id is None else workspace.state.components.sampled(component_id)
        if component is None or project is None:
            raise CurationError("this question is not checked yet; wait for it, or choose another")
        asked = Asked.of(workspace, component)
        if asked.is_all_accepted:
            raise CurationError(
                f"{workspace.state.name(component.id)}: all is decided, nothing is left to sample; "
                "take the acceptance of one of them back (Y) first"
            )
        given = workspace.state.components.given_of(component.id)
        assert given is not None
        was_beam = component.posterior.sampler == "beam"
        if sampler == "beam" and was_beam and not given.is_decided_since:
            raise CurationError(
                f"{workspace.state.name(component.id)}: these are the sortings of a beam already, and "
                "nothing was decided since; the same search would find them again"
            )
        if sampler == "draws" and not was_beam and given.has_enough:
            raise CurationError(
                f"{workspace.state.name(component.id)}: {given.n_effective:.0f} draws agree with what was "
                f"decided, and {FEW_DRAWS:.0f} are enough; sampling again would change probabilities by "
                "chance only"
            )
        self._work.runner.submit(self._again(project, asked, sampler))

    def stop_what_was_taken_back(self) -> None:
        """Stop drawing again what a decision asked for that is not in force any more."""
        for component_id, asked in [*self._again_of.items()]:
            if not asked.is_still_so(self._workspace):
                del self._again_of[component_id]
                self._work.runner.cancel_key(("sample", component_id))

    def draw_where_few_are_left(self, component_ids: Iterable[int]) -> None:
        """Sample components again of which decisions leave few draws, in the background.

        While components are sampled for the first time this waits for the last of them.
        """
        workspace, project = self._workspace, self._workspace.state.project
        if self.is_under_way:
            return
        for component_id in component_ids:
            component, given = (
                workspace.state.components.sampled(component_id),
                workspace.state.components.given_of(component_id),
            )
            if component is None or given is None or project is None or not given.needs_draws:
                continue
            asked = Asked.of(workspace, component)
            if not asked.is_all_accepted:
                sampler = component.posterior.sampler
                self._work.runner.cancel_key(("sample", component_id))
                self._again_of[component_id] = asked
                workspace.state.set_status(component_id, ComponentStatus("sampling"))  # drawn with the edit
                self._work.runner.submit(self._again(project, asked, sampler, is_asked=False))

    def _again(self, project: Project, asked: Asked, sampler: Sampler, *, is_asked: bool = True) -> Task:
        workspace, component, component_id = self._workspace, asked.component, asked.component.id
        waveforms = workspace.waveforms(component_id)
        name = workspace.state.name(component_id)
        by_beam = sampler == "beam"
        words = f"Searching {name} by beam" if by_beam else f"Sampling {name} again"
        owner = object()

        def progressed(fraction: float, _message: str = "") -> None:
            if not self._is_left:
                workspace.state.set_status(component_id, ComponentStatus("sampling", fraction))
                self._work.show(owner, Activity(words, fraction))

        def ended() -> None:
            self._again_of.pop(component_id, None)
            self._work.finish(owner)
            if not self._is_left:
                workspace.state.set_status(component_id, None)

        def done(result: tuple[Component, ComponentWaveforms]) -> None:
            ended()
            if self._is_left:
                return
            if not is_asked and (workspace.state.history.can_redo or not asked.is_still_so(workspace)):
                return  # another decision asks again; what was taken back can be done again
            if not asked.is_still_so(workspace):
                workspace.state.told.emit(
                    f"{sentence(name)} changed while being searched: what was found is dropped; search again"
                    if by_beam
                    else f"{sentence(name)} changed while being sampled again: the samples are dropped; "
                    "press R again"
                )
                return
            again, used = result
            if waveforms is None:
                workspace.state.put_waveforms(component_id, used)
            given = f", given {', '.join(map(str, asked.given))}" if asked.given else ""
            edit = f"search {name} by beam" if by_beam else f"sample {name} again"
            command = Resample(
                component_id, asked.given, again.posterior, again.alternatives, f"{edit}{given}"
            )
            workspace.state.edit(command)
            n = count(len(again.alternatives), "sorting" if by_beam else "plausible sorting")
            told = f"Searched by beam: {name}, {n}; {NOT_A_POSTERIOR}"
            workspace.state.told.emit(told if by_beam else f"Sampled again: {name}, {n}")

        def failed(error: Exception) -> None:
            ended()
            if is_asked:
                self._work.failed.emit(error, words[:1].lower() + words[1:])
                return
            workspace.state.told.emit(
                f"No new draws of {name}: {error}. Its probabilities are those of the old draws"
            )

        return Task(
            words,
            lambda p: jobs.resample(project, component, waveforms, asked.held, sampler=sampler, progress=p),
            done,
            failed=failed,
            cancelled=ended,
            progressed=progressed,
            started=lambda: progressed(0.0),
            key=("sample", component_id),
            priority=ON_SCREEN,
            after_s=0.0 if is_asked else ONCE_SETTLED_S,
        )
