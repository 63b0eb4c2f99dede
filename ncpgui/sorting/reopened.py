"""The traces of a project once more, as they were filtered when it was sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncpgui.core.config import from_dict
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project
from ncpgui.sorting.config import SortingConfig, filter_options

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


def settings_of(project: Project) -> SortingConfig:
    """Settings that a project was sorted with."""
    return from_dict(SortingConfig, project.settings, place="the settings in the session")


def reopened_traces(project: Project, *, progress: Progress = silent) -> Preprocessed:
    """Open the recording of a project and filter it as before. Close it when done.

    Raises
    ------
    RecordingError
        The recording moved, changed or cannot be read.
    """
    from ncpgui.ephys.preprocessing import preprocess
    from ncpgui.ephys.readers import reopen

    config = settings_of(project)
    return preprocess(
        reopen(project.recording),
        **filter_options(config),
        progress=progress,
    )
