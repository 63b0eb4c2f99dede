"""From a recording to its units, as plain functions: opened, described, searched, found again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ncpgui.core.config import from_dict
from ncpgui.core.errors import (
    ExportError,
    InputError,
    RecordingError,
    SessionLockedError,
)
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.stimulus import Stimulus

if TYPE_CHECKING:
    from ncpgui.core.steps import Steps
    from ncpgui.session.steps_folder import StepsFolder
    from ncpgui.sorting.component_waveforms import ReadSpikes
    from ncpgui.sorting.config import SortingConfig
    from ncpgui.sorting.found import Found


@dataclass(frozen=True)
class RecordingRequest:
    """A recording to open and how: what the open dialog asks for.

    options : of `ephys.readers.open_recording` (probe, sampling_frequency, n_channels, dtype, stream, ...);
    settings : of `SortingConfig` that differ from its defaults; session : where to keep the work;
    stimulus : file of the stimulus, None for the one beside the recording, if any.
    """

    path: Path
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    session: Path | None = None
    stimulus: Path | None = None


@dataclass(frozen=True)
class RecordingInfo:
    """What a recording is, before it is sorted.

    streams : (name, channels, Hz) of those that it has, () where there is no choice; stream : the one
    that was opened; problem : why none could be opened, when one has to be chosen first;
    n_segments : parts that are joined; clock : its seconds in words, '' where they count from the start;
    notes : what was chosen or repaired
    """

    n_channels: int
    sampling_frequency_hz: float
    duration_s: float
    has_stimulus: bool
    streams: tuple[tuple[str, int, float], ...] = ()
    stream: str | None = None
    problem: str = ""
    n_segments: int = 1
    clock: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Live:
    """A recording open for sorting: filtered traces, its units, settings. Close it when done.

    notes : what was chosen or repaired when it was opened, a sentence each
    steps : where finished steps are kept beside the session, None where nowhere
    left : ids of components that are still to be sampled
    read : spikes of those that were read ahead
    parting : ids of those that need spikes outside the parts of the recording that were read
    """

    found: Found
    notes: tuple[str, ...] = ()
    steps: StepsFolder | None = None
    left: set[int] = field(default_factory=set)
    read: dict[int, ReadSpikes] = field(default_factory=dict)
    parting: set[int] = field(default_factory=set)

    def close(self) -> None:
        """Close the files of the recording; steps stay as long as the session may need them."""
        self.found.close()
        if self.steps is None:
            return
        if self.left or not self.steps.session.is_file():
            self.steps.close()
        else:
            self.steps.finish()


def describe_recording(request: RecordingRequest, *, progress: Progress = silent) -> RecordingInfo:
    """Open a recording just to say what it is; raises what is wrong with the request.

    Where it has several streams and none is chosen, that is the `problem` of what is returned.
    """
    from ncpgui.ephys.readers import available_streams, is_undescribed, open_recording
    from ncpgui.ephys.streams import of_spikes
    from ncpgui.sorting.config import SortingConfig

    progress(0, 1, "reading")
    from_dict(SortingConfig, request.settings, place="the sorting settings")
    streams: tuple[tuple[str, int, float], ...] = ()
    if request.path.exists() and not is_undescribed(request.path):
        found = of_spikes(available_streams(request.path))
        streams = tuple((s.name, s.n_channels, s.sampling_frequency_hz) for s in found)
    try:
        recording = open_recording(request.path, **request.options)
    except InputError as error:
        if len(streams) < 2 or "stream" in request.options:
            raise
        return RecordingInfo(0, 0.0, 0.0, False, streams, problem=str(error))
    if request.settings.get("model"):
        from ncpgui.engine import checked_model

        checked_model(request.settings["model"])
    return RecordingInfo(
        n_channels=recording.n_channels,
        sampling_frequency_hz=recording.sampling_frequency_hz,
        duration_s=recording.n_samples / recording.sampling_frequency_hz,
        has_stimulus=_stimulus(request) is not None,
        streams=streams if len(streams) > 1 else (),
        stream=recording.reference.options.get("stream"),
        n_segments=recording.reference.clock.n_segments,
        clock=recording.reference.clock_words,
        notes=recording.notes,
    )


def find_units(request: RecordingRequest, *, progress: Progress = silent) -> tuple[Live, Project]:
    """Open a recording and find its units; the project has no sampled component yet."""
    from ncpgui.ephys.readers import open_recording, stimulus_of
    from ncpgui.sorting.config import SortingConfig
    from ncpgui.sorting.pipeline import find_units as found_in
    from ncpgui.sorting.pipeline import project_of
    from ncpgui.sorting.run import run_of
    from ncpgui.sorting.stimulus_notes import stimulus_notes

    recording = open_recording(request.path, **request.options)
    config = from_dict(SortingConfig, request.settings, place="the sorting settings")
    stimulus = stimulus_of(recording, _stimulus(request))
    live = with_steps(
        request.session,
        lambda: run_of(recording, config),
        lambda steps: found_in(recording, config, stimulus=stimulus, steps=steps, progress=progress),
        (*recording.notes, *stimulus_notes(stimulus, config)),
    )
    return live, project_of(live.found, recording.reference)


def with_steps(
    session: Path | None,
    run: Callable[[], dict[str, Any]],
    find: Callable[[Steps], Found],
    notes: tuple[str, ...] = (),
) -> Live:
    """Find units; what a stopped search kept beside the session is used, and what is found now is kept there.

    Steps of another run stay as they are; then nothing is kept, and a note says so.
    """
    from ncpgui.core.steps import NOTHING_KEPT
    from ncpgui.session.steps_folder import steps_beside

    steps = None
    if session is not None:
        try:
            steps = steps_beside(session, run(), go_on=True)
        except (InputError, ExportError, SessionLockedError) as error:
            notes = (*notes, f"a search for units that is stopped will begin anew: {error}")
    try:
        found = find(steps or NOTHING_KEPT)
    except BaseException:
        if steps is not None:
            steps.close()
        raise
    return Live(found, notes, steps, {draw.id for draw in found.draws})


def _stimulus(request: RecordingRequest) -> Stimulus | None:
    """Stimulus that was asked for, or that lies in the folder of the recording."""
    from ncpgui.ephys.readers import load_stimulus

    if request.stimulus is None:
        return load_stimulus(request.path if request.path.is_dir() else request.path.parent)
    if not request.stimulus.is_file():
        raise InputError(
            f"stimulus {request.stimulus} does not exist; give an .npz with frames and trigger_sample"
        )
    return load_stimulus(request.stimulus)


def reopen(project: Project, session: Path | None = None, *, progress: Progress = silent) -> Live:
    """Open the recording of a project again, to sample components that were not reached.

    session : beside which finished steps may be

    Raises
    ------
    RecordingError
        The recording moved, changed or cannot be read, or its units are no longer found as they were.
    """
    from ncpgui.ephys.readers import reopen as reopen_recording
    from ncpgui.sorting.pipeline import find_units as found_in
    from ncpgui.sorting.reopened import settings_of, sorting_given
    from ncpgui.sorting.review import given_units
    from ncpgui.sorting.run import run_of

    recording, config = reopen_recording(project.recording), settings_of(project)
    sorting = None if project.given is None else sorting_given(project)
    together = () if project.given is None else project.given.proposed_merges
    shown = project.stimulus

    def find(steps: Steps) -> Found:
        if sorting is None:
            return found_in(recording, config, stimulus=shown, steps=steps, progress=progress)
        return given_units(
            recording, sorting, config, stimulus=shown, together=together, steps=steps, progress=progress
        )

    live = with_steps(session, lambda: run_of(recording, config, sorting, together=together), find)
    found = live.found
    places = {one.id: one.spike_ids for one in project.waiting}
    draws = (*found.draws, *(draw for draw, _ in found.aside.values()))
    again = {draw.id: draw.spike_ids for draw in draws if draw.id in places}
    if (
        not np.array_equal(found.units.matched.sample_index, project.spikes.sample_index)
        or again.keys() != places.keys()
        or any(not np.array_equal(again[key], places[key]) for key in places)
    ):
        live.close()
        raise RecordingError(
            "the spikes found in the recording differ from those of this session, which another version "
            "sorted: questions that are sampled can be used; sort the recording again to sample the rest"
        )
    live.left.intersection_update(places)
    return live


def locate(project: Project, path: Path, *, progress: Progress = silent) -> RecordingReference:
    """Reference to the recording of a project at the place where it is now.

    path : the recording, or a file in its folder. Raises RecordingError when it is another recording.
    """
    from ncpgui.ephys.readers import reopen as reopen_recording

    progress(0, 1, "comparing it with what was sorted")
    places = [path, path.parent] if path.is_file() else [path]
    problem: RecordingError | None = None
    for place in places:
        try:
            return reopen_recording(replace(project.recording, path=str(place))).reference
        except RecordingError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def default_settings() -> SortingConfig:
    """Settings of a sorting unless somebody says otherwise."""
    from ncpgui.sorting.config import SortingConfig

    return SortingConfig()


def known_extensions() -> Sequence[str]:
    """Endings of recordings that the open dialog suggests."""
    from ncpgui.ephys.formats import FORMATS, RAW_ENDINGS

    endings = (*RAW_ENDINGS, *(ending for known in FORMATS for ending in known.endings))
    return [f"*{ending}" for ending in dict.fromkeys(endings)]
