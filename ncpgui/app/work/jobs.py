"""Long work as plain functions: values and `progress` in, values out.

They run on worker threads, so they touch no workspace. What is slow to import is imported inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.allocator import give_back
from ncpgui.core.component import Alternative, Clamp, Component, ComponentWaveforms, WaitingComponent
from ncpgui.core.config import from_dict
from ncpgui.core.errors import (
    ExportError,
    InputError,
    NcpguiError,
    RecordingError,
    SessionError,
    SessionLockedError,
    SessionReplacedError,
)
from ncpgui.core.events import Events
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.posterior import Sampler
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.seeds import stream_seed
from ncpgui.core.stimulus import Stimulus

if TYPE_CHECKING:
    from ncpgui.analysis.correlograms import Correlograms
    from ncpgui.analysis.event_response import EventResponse
    from ncpgui.analysis.receptive_field import ReceptiveField
    from ncpgui.analysis.unit_metrics import UnitMetrics
    from ncpgui.app.presenters.events import EventWindow
    from ncpgui.core.motion import Places
    from ncpgui.core.steps import Steps
    from ncpgui.curation.curated_sorting import CuratedSorting
    from ncpgui.export.whole_project import Exported
    from ncpgui.session.session_file import SessionFile
    from ncpgui.session.steps_folder import StepsFolder
    from ncpgui.sorting.component_waveforms import ReadSpikes
    from ncpgui.sorting.components import ComponentDraw
    from ncpgui.sorting.config import SortingConfig
    from ncpgui.sorting.pipeline import Found

SESSION_SUFFIXES = (".h5", ".hdf5")


READ_AHEAD_BYTES = 512 << 20
"""Spikes of components that wait to be sampled, which are read on one way through the recording."""
READ_AT_ONCE = 20_000
"""Spikes whose waveforms are in memory at a time, where only their principal components are kept."""


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
    """

    found: Found
    notes: tuple[str, ...] = ()
    steps: StepsFolder | None = None
    left: set[int] = field(default_factory=set)
    read: dict[int, ReadSpikes] = field(default_factory=dict)

    def close(self) -> None:
        """Close the files of the recording; steps stay as long as the session may need them."""
        self.found.close()
        if self.steps is None:
            return
        if self.left or not self.steps.session.is_file():
            self.steps.close()
        else:
            self.steps.finish()


def is_session(path: Path) -> bool:
    """Whether a path names a session by its ending (other programs use .h5 too: see `recognition`)."""
    return path.suffix.lower() in SESSION_SUFFIXES


def open_session(path: Path, *, read_only: bool = False, progress: Progress = silent) -> SessionFile:
    """Open a session, for writing unless `read_only`, with its project and journal.

    Memory that reading took beside what was read goes back to the system.
    """
    from ncpgui.session.session_file import open_session as opened

    words = f"reading {path.name}"
    progress(0, 1, words)
    session = opened(
        path, read_only=read_only, progress=lambda done, total, _="": progress(done, total, words)
    )
    give_back()
    return session


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
    from ncpgui.sorting.reopened import settings_of
    from ncpgui.sorting.review import given_units, sorting_given
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


def sample(
    live: Live, waiting: WaitingComponent, *, progress: Progress = silent
) -> tuple[Component, ComponentWaveforms]:
    """Sample the posterior of a component that waits for it.

    Its spikes are read on the way through the recording, and with them those of others that wait, as many as
    `READ_AHEAD_BYTES` has room for. The first that is sampled is read alone: somebody waits for it.
    """
    from ncpgui.core.steps import NOTHING_KEPT
    from ncpgui.sorting.component_posterior import sample_components
    from ncpgui.sorting.review import sample_given

    found, steps = live.found, live.steps or NOTHING_KEPT
    if waiting.id in found.aside:
        raise InputError(found.aside[waiting.id][1])
    draws = [draw for draw in found.draws if draw.id == waiting.id]
    if waiting.id not in live.read:
        from ncpgui.sorting.component_waveforms import read_spikes

        batch = [*draws, *_ahead(live, waiting.id)]
        reading, progress = portion(progress, 0, 1, 2), portion(progress, 1, 2, 2)
        live.read.update(read_spikes(found.pre, found.units, batch, found.config, progress=reading))
    read = {waiting.id: live.read[waiting.id]}
    if found.unit_ids is not None:
        sampled, _ = sample_given(found, draws, steps=steps, read=read, progress=progress)
    else:
        sampled, _ = sample_components(
            found.pre,
            found.units,
            draws,
            found.pre.probe,
            found.config,
            noise=found.noise,
            steps=steps,
            read=read,
            progress=progress,
        )
    live.left.discard(waiting.id)
    del live.read[waiting.id]
    return sampled[waiting.id]


def _ahead(live: Live, component_id: int) -> list[ComponentDraw]:
    """Components whose spikes are read together with those of one: those with most spikes come next."""
    from ncpgui.sorting.component_waveforms import bytes_of

    found = live.found
    if len(live.left) == len(found.draws):
        return []
    n_bytes = sum(one.waveforms.nbytes + one.coordinates.nbytes for one in live.read.values())
    chosen = []
    for draw in sorted(found.draws, key=lambda draw: -len(draw.spike_ids)):
        if draw.id not in live.left or draw.id in live.read or draw.id == component_id:
            continue
        n_bytes += bytes_of(draw, found.config)
        if n_bytes > READ_AHEAD_BYTES:
            break
        chosen.append(draw)
    return chosen


def read_waveforms(
    project: Project, component: Component, *, progress: Progress = silent
) -> ComponentWaveforms:
    """Waveforms of the sampled spikes of a component, from the recording.

    As they are there, other spikes among them, and without the network's features: principal components of
    the waveforms stand in for them.
    """
    from ncpgui.ephys.waveforms import extract_waveforms
    from ncpgui.sorting.assignment import fit_features
    from ncpgui.sorting.reopened import reopened_traces, settings_of

    with reopened_traces(project, progress=portion(progress, 0, 1, 2)) as pre:
        times = project.spikes.sample_index[component.spike_ids[component.sampled]]
        read = extract_waveforms(pre, times, component.contacts, progress=portion(progress, 1, 2, 2))
        waveforms = pre.in_white_noise(read, component.contacts)
    space = fit_features(waveforms, settings_of(project).assignment_dims)
    return ComponentWaveforms(waveforms, space.project(waveforms))


def read_coordinates(
    project: Project, component: Component, waveforms: ComponentWaveforms, *, progress: Progress = silent
) -> ComponentWaveforms:
    """`waveforms` with principal components of all spikes of the component, from the recording.

    The axes are those of the sampled spikes, which keep their waveforms; the others are read as they are in
    the recording, other spikes among them, `READ_AT_ONCE` at a time.
    """
    from ncpgui.ephys.waveforms import extract_waveforms
    from ncpgui.sorting.assignment import fit_features
    from ncpgui.sorting.reopened import reopened_traces, settings_of

    space = fit_features(waveforms.waveforms, settings_of(project).assignment_dims)
    others = np.setdiff1d(np.arange(len(component.spike_ids)), component.sampled)
    found = np.zeros((len(component.spike_ids), space.basis.shape[1]), np.float32)
    found[component.sampled] = space.project(waveforms.waveforms)
    pieces = np.array_split(others, max(1, -(-len(others) // READ_AT_ONCE)))
    n = len(pieces) + 1
    with reopened_traces(project, progress=portion(progress, 0, 1, n)) as pre:
        for number, piece in enumerate(pieces, start=1):
            times = project.spikes.sample_index[component.spike_ids[piece]]
            report = portion(progress, number, number + 1, n)
            read = extract_waveforms(pre, times, component.contacts, progress=report)
            found[piece] = space.project(pre.in_white_noise(read, component.contacts))
    return replace(waveforms, coordinates=found)


def lacks_draws(project: Project, component: Component) -> bool:
    """Whether a component was settled by half of its draws, and can get the others.

    Where they were copied for echoes or pieces of a cell, which of them were drawn is not known any more.
    """
    from ncpgui.sorting.enough_draws import are_left
    from ncpgui.sorting.reopened import settings_of

    return (
        not component.echoes
        and component.id in project.waveforms
        and are_left(component.posterior, settings_of(project))
    )


def all_draws(project: Project, component: Component, *, progress: Progress = silent) -> Component:
    """A component that lacks draws with those of all rounds (`sorting.recluster.with_all_draws`)."""
    from ncpgui.sorting.recluster import with_all_draws
    from ncpgui.sorting.reopened import settings_of

    return with_all_draws(
        component,
        project.waveforms[component.id],
        project.probe,
        settings_of(project),
        spikes=project.spikes,
        clock=project.recording.clock,
        places=_places(project),
        stimulus=project.stimulus,
        progress=progress,
    )


def _places(project: Project) -> Places | None:
    """Where the tissue was; None where nothing is known of it."""
    from ncpgui.sorting.motion import places_during

    if project.motion is None:
        return None
    spikes = project.spikes
    return places_during(
        project.motion, n_samples=spikes.n_samples, sampling_frequency_hz=spikes.sampling_frequency_hz
    )


def resample(
    project: Project,
    component: Component,
    waveforms: ComponentWaveforms | None,
    held: Clamp,
    *,
    sampler: Sampler = "draws",
    progress: Progress = silent,
) -> tuple[Component, ComponentWaveforms]:
    """Sample a component again under what was decided, or search it by beam.

    Waveforms are read again if need be; all settings but the sampler are those of the project.
    """
    from ncpgui.sorting.recluster import resample_rest
    from ncpgui.sorting.reopened import settings_of

    if waveforms is None:
        waveforms = read_waveforms(project, component, progress=portion(progress, 0, 1, 4))
    again = resample_rest(
        component,
        waveforms,
        held,
        project.probe,
        replace(settings_of(project), sampler=sampler),
        spikes=project.spikes,
        clock=project.recording.clock,
        places=_places(project),
        stimulus=project.stimulus,
        progress=portion(progress, 1, 4, 4),
    )
    return again, waveforms


def given_shapes(project: Project, *, progress: Progress = silent) -> GivenShapes:
    """Templates, amplitudes and features of a sorting that was opened without its recording."""
    from ncpgui.sorting.without_traces import shapes_of

    progress(0, 1, "reading templates")
    assert project.given is not None
    return shapes_of(
        project.given,
        n_contacts=project.probe.n_channels,
        rate_hz=project.recording.sampling_frequency_hz,
    )


def rarer_sortings(
    project: Project,
    component: Component,
    waveforms: ComponentWaveforms | None,
    *,
    progress: Progress = silent,
) -> tuple[Alternative, ...]:
    """Sortings of a component that are too rare for a card of their own, the most probable first."""
    from ncpgui.sorting.recluster import rarer_sortings as rarer
    from ncpgui.sorting.reopened import settings_of

    progress(0, 1, "rarer sortings")
    return rarer(component, waveforms, settings_of(project))


def embed(
    features: NDArray[np.float32], *, seed: int = 0, progress: Progress = silent
) -> NDArray[np.float32]:
    """t-SNE of encoder features: (m, 2)."""
    from ncpgui.analysis.embedding import MAX_POINTS, tsne

    if len(features) <= MAX_POINTS:
        return tsne(features, seed=stream_seed(seed, "t-SNE"), progress=progress)
    raise InputError(f"a map takes at most {MAX_POINTS} spikes, this question has {len(features)} sampled")


def receptive_fields(
    stimulus: Stimulus, spike_samples: dict[bytes, NDArray[np.int64]], *, progress: Progress = silent
) -> dict[bytes, ReceptiveField]:
    """Receptive field of each set of spikes."""
    from ncpgui.analysis.receptive_field import receptive_field

    result = {}
    for done, (key, samples) in enumerate(spike_samples.items()):
        progress(done, len(spike_samples), "receptive fields")
        result[key] = receptive_field(stimulus, samples)
    return result


def load_events(project: Project, path: Path, *, progress: Progress = silent) -> tuple[Events, str]:
    """Events of the recording of a project from a file, and a note where some were left out."""
    from ncpgui.ephys.event_files import read_events

    progress(0, 1, "reading events")
    return read_events(path, project.recording)


def event_responses(
    trains: Mapping[bytes, NDArray[np.int64]],
    events_s: NDArray[np.float64],
    recording: RecordingReference,
    window: EventWindow,
    *,
    progress: Progress = silent,
) -> dict[bytes, EventResponse]:
    """Spikes (samples) of each train around events of a recording."""
    from ncpgui.analysis.event_response import event_response

    found = {}
    for done, (key, samples) in enumerate(trains.items()):
        progress(done, len(trains), "responses to events")
        found[key] = event_response(
            samples,
            events_s,
            clock=recording.clock,
            n_samples=recording.n_samples,
            before_s=window.before_s,
            after_s=window.after_s,
            bin_s=window.bin_s,
        )
    return found


def correlograms(
    trains: Sequence[NDArray[np.int64]],
    sampling_frequency_hz: float,
    *,
    half_ms: float,
    bin_ms: float,
    progress: Progress = silent,
) -> Correlograms:
    """Correlograms and intervals of spike trains (sorted samples), up to `half_ms` to either side."""
    from ncpgui.analysis.correlograms import correlograms as found

    progress(0, 1, "correlograms")
    return found(trains, sampling_frequency_hz=sampling_frequency_hz, window_ms=2 * half_ms, bin_ms=bin_ms)


def unit_metrics(
    trains: dict[int, NDArray[np.int64]],
    fired: dict[int, NDArray[np.int64]],
    amplitudes: dict[int, NDArray[np.float32]],
    sampling_frequency_hz: float,
    n_samples: int,
    *,
    progress: Progress = silent,
) -> dict[int, UnitMetrics]:
    """Quality metrics of units, by SpikeInterface."""
    from ncpgui.analysis.unit_metrics import unit_metrics as compute

    return compute(
        trains,
        amplitudes,
        fired=fired,
        sampling_frequency_hz=sampling_frequency_hz,
        n_samples=n_samples,
        progress=progress,
    )


def pair_times(
    trains: dict[int, NDArray[np.int64]],
    pairs: list[tuple[int, int]],
    sampling_frequency_hz: float,
    *,
    progress: Progress = silent,
) -> dict[tuple[int, int], float]:
    """What firing times say of pairs of units: nats for one neuron against two."""
    from ncpgui.evidence.same_neuron import pair_nats

    found = {}
    for done, (one, other) in enumerate(pairs):
        progress(done, len(pairs), "firing times of pairs")
        found[one, other] = pair_nats(trains[one], trains[other], sampling_frequency_hz=sampling_frequency_hz)
    return found


def save(
    session: SessionFile | None,
    path: Path,
    project: Project,
    n_entries: int | None,
    *,
    replace_other: bool = False,
    progress: Progress = silent,
) -> SessionFile:
    """Save to the open session, or as a new one when it lies elsewhere.

    n_entries : actions in the journal of the open session that `project` includes; all when None.
    replace_other : whether a file that is where the new one goes is replaced; else that goes beside it
    """
    from ncpgui.core.files import free_name
    from ncpgui.session.session_file import create_session

    progress(0, 1, f"saving {path.name}")
    if session is not None and session.path.resolve() == path.resolve():
        session.save(project, n_entries=n_entries)
        return session
    try:
        return create_session(project, path, replace=replace_other)
    except SessionReplacedError:
        return create_session(project, free_name(path), replace=False)


def save_and_close(
    session: SessionFile | None,
    path: Path,
    project: Project,
    *,
    is_in_journal: bool,
    progress: Progress = silent,
) -> None:
    """Save for the last time and close the file, which may be opened again at once.

    is_in_journal : whether nothing is lost without it; else it goes beside `path` if it cannot go there
    """
    try:
        save(session, path, project, None, progress=progress).close()
    except NcpguiError as error:
        if session is not None:
            session.close()
        if is_in_journal:
            raise
        raise _kept_beside(project, path, error) from error


def _kept_beside(project: Project, path: Path, problem: NcpguiError) -> NcpguiError:
    """Save a project under a free name beside where it cannot be saved; the error that says all this."""
    from ncpgui.core.files import free_name
    from ncpgui.session.store import save as save_new

    place = free_name(path)
    try:
        save_new(project, place)
    except SessionError:
        return problem
    return SessionError(f"{problem}; what was open is kept in {place}")


def export_formats() -> list[tuple[str, str, bool, str, str]]:
    """(name, title, is a folder, suffix, what has to be installed first) of the formats to export to."""
    from ncpgui.export.registry import FORMATS

    return [(f.name, f.title, f.is_folder, f.suffix, f.lacks) for f in FORMATS.values()]


def files_in_the_way(format_name: str, path: Path) -> list[Path]:
    """Files that are where an export would write its own, after what one that was killed left to do."""
    from ncpgui.export.registry import export_format

    chosen = export_format(format_name)
    try:
        return chosen.in_the_way(path)
    except ExportError:  # the export says so itself
        return [file for file in chosen.files(path) if file.exists()]


def traces_to_copy(project: Project) -> tuple[int, bool]:
    """Bytes of the traces that an export can copy, 0 where they are not there; whether it needs the copy.

    A tool that reads raw files only finds the traces of a raw file where they are.
    """
    from ncpgui.export.raw_file import raw_file

    recording = project.recording
    if not recording.path or not Path(recording.path).exists():
        return 0, False
    return 2 * recording.n_samples * recording.n_channels, raw_file(recording) is None


def left_out_of_exports(project: Project) -> dict[tuple[str, bool], tuple[str, ...]]:
    """What each format could hold and an export of this project lacks, and why; () when it is whole.

    Keys are the format, and whether the traces are copied into it, where it shows traces.
    """
    from ncpgui.export.registry import FORMATS
    from ncpgui.export.whole_project import left_out

    kinds = [
        (f.name, copy) for f in FORMATS.values() for copy in ((False, True) if f.with_traces else (False,))
    ]
    return {(name, copy): left_out(project, name, copy_traces=copy) for name, copy in kinds}


def export(
    project: Project,
    decisions: CuratedSorting,
    format_name: str,
    path: Path,
    *,
    min_probability: float = 0.0,
    copy_traces: bool = False,
    replace_files: bool = False,
    progress: Progress = silent,
) -> Exported:
    """Write the sorting as it stands for another tool."""
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


def default_settings() -> SortingConfig:
    """Settings of a sorting unless somebody says otherwise."""
    from ncpgui.sorting.config import SortingConfig

    return SortingConfig()


def known_extensions() -> Sequence[str]:
    """Endings of recordings that the open dialog suggests."""
    from ncpgui.ephys.formats import FORMATS, RAW_ENDINGS

    endings = (*RAW_ENDINGS, *(ending for known in FORMATS for ending in known.endings))
    return [f"*{ending}" for ending in dict.fromkeys(endings)]
