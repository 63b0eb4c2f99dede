"""Another program's sorting opened to be reviewed, and decisions written back to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.question import Question
from ncpgui.app.words import sentence
from ncpgui.app.work.activity import Work
from ncpgui.app.work.recordings import Live, with_steps
from ncpgui.core.config import from_dict
from ncpgui.core.errors import ExportError
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project
from ncpgui.curation.curated_sorting import CuratedSorting


@dataclass(frozen=True)
class ReviewRequest:
    """A finished sorting to review.

    path : its folder; recording : where the folder does not lead to it; options : of that recording
    (sampling_frequency, n_channels, dtype, probe); settings : of `SortingConfig` that differ from its
    defaults; session : where to keep the work.
    """

    path: Path
    recording: Path | None = None
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    session: Path | None = None


def find_given(
    request: ReviewRequest, *, progress: Progress = silent
) -> tuple[Live | None, Project, tuple[str, ...]]:
    """Open a finished sorting and its recording; no component is sampled yet. Then what was repaired.

    Without its recording there is nothing to sample, and no recording that is open.
    """
    from ncpgui.ephys.given_folder import open_reviewed
    from ncpgui.sorting.config import SortingConfig
    from ncpgui.sorting.parts import parts_of
    from ncpgui.sorting.review import given_project, given_units
    from ncpgui.sorting.run import run_of
    from ncpgui.sorting.without_traces import project_without_traces

    config = from_dict(SortingConfig, request.settings, place="the sorting settings")
    progress(0, 1, f"reading {request.path.name}")
    recording, opened = open_reviewed(request.path, recording=request.recording, **request.options)
    if not recording.reference.has_traces:
        project = project_without_traces(recording, opened.sorting, opened.given, config)
        return None, project, (*recording.notes, *opened.notes)
    together = opened.given.proposed_merges
    parts = parts_of(opened.sorting, config, n_channels=recording.n_channels, n_samples=recording.n_samples)
    live = with_steps(
        request.session,
        lambda: run_of(recording, config, opened.sorting, together=together),
        lambda steps: given_units(
            recording, opened.sorting, config, together=together, steps=steps, progress=progress
        ),
        (*recording.notes, *([] if parts is None else [parts.note])),
    )
    return live, given_project(live.found, recording, opened.given), opened.notes


def is_reviewed(workspace: Workspace) -> bool:
    """Whether the project on screen reviews another program's sorting."""
    return workspace.state.project is not None and workspace.state.project.given is not None


def write_back_question(workspace: Workspace) -> Question:
    """What to ask before decisions are written back."""
    project = workspace.state.project
    assert project is not None
    assert project.given is not None
    return Question(
        f"Write the current units and labels into {project.given.path}? The files that are replaced "
        "are kept there in the folder before-ncpgui; close other programs that have the folder open.",
        f"Write into {Path(project.given.path).name}",
        "Leave the folder as it is",
    )


def write_back(workspace: Workspace, work: Work) -> None:
    """Write the sorting as it stands into the folder that it reviews.

    Raises
    ------
    ExportError
        It reviews none.
    """
    if not is_reviewed(workspace):
        raise ExportError("this session is not a review of another sorting; write it with File > Export…")
    project = workspace.state.as_it_stands()
    assert project.given is not None
    decisions = CuratedSorting.of(workspace.state.history, project.unit_of_spike)

    def written(progress: Progress) -> str:
        from ncpgui.export.phy_back import write_back as written_back

        progress(0, 1, "writing back")
        return written_back(project, decisions).words

    name = Path(project.given.path).name
    work.submit(
        f"Writing decisions back to {name}",
        written,
        lambda words: workspace.state.told.emit(sentence(words)),
        lane="export",
        key=("write back", name),
    )
