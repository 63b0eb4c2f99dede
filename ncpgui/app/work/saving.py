"""Keeps a project in its session file, one save at a time; writes exports."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.words import sentence
from ncpgui.app.work import jobs
from ncpgui.app.work.activity import Work
from ncpgui.app.work.tasks import Task
from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress
from ncpgui.core.project import Project
from ncpgui.curation.curated_sorting import CuratedSorting

if TYPE_CHECKING:
    from ncpgui.export.whole_project import Exported
    from ncpgui.session.session_file import SessionFile

SAVE_EVERY_S = 20.0
_FIRST = math.inf
"""Priority of saves in their lane: a session opens after the save of what was open before, often itself."""


class Saving:
    """Saves one project, from when it was opened until it is left and its file is closed.

    A save that is under way when the project is left goes on here, apart from the workspace, which
    may hold another project by then.

    Parameters
    ----------
    path : session file to save to; None until somebody says where
    """

    def __init__(
        self, workspace: Workspace, work: Work, preferences: Preferences, path: Path | None = None
    ) -> None:
        self.path = path
        self._workspace = workspace
        self._work = work
        self._preferences = preferences
        self._saved_at = time.monotonic() - SAVE_EVERY_S
        self._is_saving = False
        self._again: tuple[Path, bool, bool] | None = None
        self._is_left = False
        self._made: Any = None

    def save(self, path: Path | None = None) -> None:
        """Save the session; `path` saves it elsewhere from now on.

        Raises
        ------
        InputError
            It is not known where.
        """
        target = path or self.path
        if target is None:
            raise InputError("this project has no session file yet; choose one with Save as")
        self._save(target, tell=True, replace_other=path is not None)

    def autosave(self) -> None:
        """Save if it is known where; after the save under way, if that does not hold everything."""
        if self.path is not None:
            self._save(self.path, tell=False)

    def autosave_now_and_then(self) -> None:
        """Save unless that was done a moment ago, or is being done."""
        if not self._is_saving and time.monotonic() - self._saved_at > SAVE_EVERY_S:
            self.autosave()

    def leave(self) -> None:
        """The project is about to be closed: save what the file lacks, then close it; no journal stays."""
        workspace = self._workspace
        self._is_left = True
        last = None if workspace.state.is_saved else workspace.state.snapshot()
        is_in_journal = workspace.state.is_safe
        session = workspace.state.release_session()
        if self._is_saving or (last is not None and self.path is not None):
            words = "Saving" if self.path is None else f"saving {self.path.name}"
            self._work.runner.submit(
                Task(
                    sentence(words),
                    lambda p: self._finish(session, last, is_in_journal, p),
                    failed=lambda error: self._work.failed.emit(error, words),
                    lane="io",
                    priority=_FIRST,
                )
            )
        elif session is not None:
            session.close()

    def _finish(self, session: Any, last: Project | None, is_in_journal: bool, progress: Progress) -> None:
        """Save and close; runs in the lane of saves, after the one that was under way."""
        made = self._made or session
        if session is not None and session is not made:
            session.close()
        target = self.path if made is None else made.path
        if last is not None and target is not None:
            jobs.save_and_close(made, target, last, is_in_journal=is_in_journal, progress=progress)
        elif made is not None:
            made.close()

    def _save(self, target: Path, *, tell: bool, replace_other: bool = False) -> None:
        if self._is_saving:
            if tell or self._again is None:
                self._again = (target, tell, replace_other)
            return
        project, n_in_journal = self._workspace.state.begin_save()
        self._saved_at = time.monotonic()

        def done(session: SessionFile) -> None:
            if not self._is_left:
                self._take(session, project, target, tell)

        def failed(error: Exception) -> None:
            if not self._is_left:
                self._workspace.state.not_saved()
            self._work.failed.emit(error, f"saving {target.name}")
            self._save_again()

        session = self._workspace.state.session
        write = partial(jobs.save, session, target, project, n_in_journal)
        self._submit(target, partial(write, replace_other=replace_other), done, failed)

    def _take(self, session: SessionFile, project: Project, target: Path, tell: bool) -> None:
        self.path = session.path
        if session.path.name != target.resolve().name:
            self._workspace.state.warned.emit(
                f"{target.name} appeared meanwhile and is not replaced; the session is kept as {session.path}"
            )
        self._workspace.state.saved(session, project)
        self._work.succeeded.emit(f"saving {target.name}")
        self._preferences.remember_file(session.path)
        if tell:
            self._workspace.state.told.emit(f"Saved {session.path.name}")
        self._save_again()
        if self._workspace.state.is_behind and not self._is_saving:
            self.autosave()

    def _save_again(self) -> None:
        again, self._again = self._again, None
        if again is None or self._is_left:
            return
        target, tell, replace_other = again
        if tell or not self._workspace.state.is_safe:
            self._save(target, tell=tell, replace_other=replace_other)

    def _submit(self, target: Path, save: Callable[..., SessionFile], done: Any, failed: Any) -> None:
        self._is_saving, self._made = True, None

        def write(progress: Progress) -> SessionFile:
            self._made = save(progress=progress)
            return self._made

        def ended(then: Any) -> Any:
            def end(value: Any) -> None:
                self._is_saving = False
                then(value)

            return end

        self._work.runner.submit(
            Task(
                f"Saving {target.name}",
                write,
                ended(done),
                failed=ended(failed),
                lane="io",
                priority=_FIRST,
            )
        )


def export(
    workspace: Workspace,
    work: Work,
    format_name: str,
    path: Path,
    *,
    min_probability: float = 0.0,
    copy_traces: bool = False,
    replace_files: bool = False,
) -> None:
    """Write the sorting as it stands for another tool; spikes below `min_probability` are left out.

    copy_traces : whether the traces of the recording are copied into it
    replace_files : whether files that are there by then are replaced

    Raises
    ------
    InputError
        There is none.
    """
    if workspace.state.project is None:
        raise InputError("there is nothing to export; open a recording or a session first")
    project = workspace.state.as_it_stands()
    decisions = CuratedSorting.of(workspace.state.history, project.unit_of_spike)

    def done(exported: Exported) -> None:
        lacking = f"; left out: {'; '.join(exported.left_out)}" if exported.left_out else ""
        workspace.state.told.emit(f"Exported to {exported.path}{lacking}")

    def write(progress: Progress) -> Exported:
        from ncpgui.export.whole_project import export_project

        return export_project(
            project,
            decisions,
            format_name,
            path,
            min_probability=min_probability,
            copy_traces=copy_traces,
            replace_files=replace_files,
            progress=progress,
        )

    work.submit(
        f"Exporting to {path.name}",
        write,
        done,
        lane="export",  # it may read the whole recording: no save waits for that
        key=("export", str(path)),
    )
