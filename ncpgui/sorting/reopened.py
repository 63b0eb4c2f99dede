"""What a project was made of, once more: its settings, the sorting that was given, and its traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncpgui.core.config import from_dict
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.sorting.config import SortingConfig, filter_options

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


def settings_of(project: Project) -> SortingConfig:
    """Settings that a project was sorted with."""
    return from_dict(SortingConfig, project.settings, place="the settings in the session")


def sorting_given(project: Project) -> Sorting:
    """The sorting that a project began with."""
    spikes = project.spikes
    return Sorting(spikes.sample_index, project.unit_of_spike, spikes.sampling_frequency_hz, spikes.n_samples)


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
