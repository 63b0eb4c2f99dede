"""The traces of a project once more, as they were filtered when it was sorted."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from ncpgui.core.config import from_dict
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project
from ncpgui.sorting.config import SortingConfig, filter_options

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


def settings_of(project: Project) -> SortingConfig:
    """Settings that a project was sorted with; those that this version does not know are left out."""
    known = {item.name for item in fields(SortingConfig)}  # another version may have had others
    settings = {name: value for name, value in project.settings.items() if name in known}
    return from_dict(SortingConfig, settings, place="the settings in the session")


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
