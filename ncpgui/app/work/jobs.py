"""Long work on sessions and components as plain functions: values and `progress` in, values out.

They run on worker threads, so they touch no workspace. What is slow to import is imported inside.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ncpgui.app.work.recordings import Live
from ncpgui.core.allocator import give_back
from ncpgui.core.component import Alternative, Clamp, Component, ComponentWaveforms, WaitingComponent
from ncpgui.core.errors import (
    InputError,
    NcpguiError,
    SessionError,
    SessionReplacedError,
)
from ncpgui.core.events import Events
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.posterior import Sampler
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project

if TYPE_CHECKING:
    from ncpgui.session.session_file import SessionFile
    from ncpgui.sorting.components import ComponentDraw

SESSION_SUFFIXES = (".h5", ".hdf5")


READ_AHEAD_BYTES = 512 << 20
"""Spikes of components that wait to be sampled, which are read on one way through the recording."""
READ_AT_ONCE = 20_000
"""Spikes whose waveforms are in memory at a time, where only their principal components are kept."""


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


def sample(
    live: Live, waiting: WaitingComponent, *, progress: Progress = silent
) -> tuple[Component, ComponentWaveforms] | None:
    """Sample the posterior of a component that waits for it; None where it has to wait for the others.

    Its spikes are read on the way through the recording, and with them those of others that wait, as many as
    `READ_AHEAD_BYTES` has room for. The first that is sampled is read alone: somebody waits for it. One that
    needs spikes outside the parts of a long recording that were read (`sorting.parts`) waits until no other
    is left: all such are read in one pass.
    """
    from ncpgui.core.steps import NOTHING_KEPT
    from ncpgui.sorting.component_posterior import sample_components

    found, steps = live.found, live.steps or NOTHING_KEPT
    if waiting.id in found.aside:
        raise InputError(found.aside[waiting.id][1])
    draws = [draw for draw in found.draws if draw.id == waiting.id]
    if waiting.id not in live.read:
        from ncpgui.sorting.component_waveforms import read_spikes

        batch = [*draws, *_ahead(live, waiting.id)]
        reading, progress = portion(progress, 0, 1, 2), portion(progress, 1, 2, 2)
        every = waiting.id in live.parting
        if every:
            found.pre.keep_no_more()
        live.read.update(
            read_spikes(found.pre, found.units, batch, found.config, every=every, progress=reading)
        )
    read = {waiting.id: live.read[waiting.id]}
    sampled, _ = sample_components(found, draws, steps=steps, read=read, complete=False, progress=progress)
    del live.read[waiting.id]
    if waiting.id not in sampled:
        live.parting.add(waiting.id)
        return None
    live.left.discard(waiting.id)
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
        if (draw.id in live.parting) != (component_id in live.parting):
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
    """Whether a component was settled by a part of its draws, and can get the others.

    Where they were copied for echoes or pieces of a cell, which of them were drawn is not known any more.
    Where not all spikes were read, new sortings could not say of each where it belongs.
    """
    from ncpgui.sorting.enough_draws import rounds_left
    from ncpgui.sorting.reopened import settings_of

    read = project.waveforms.get(component.id)
    return (
        not component.echoes
        and read is not None
        and (read.coordinates is not None or len(component.sampled) == len(component.spike_ids))
        and bool(rounds_left(component.posterior, settings_of(project)))
    )


def all_draws(project: Project, component: Component, *, progress: Progress = silent) -> Component:
    """A component that lacks draws with those of all rounds (`sorting.recluster.with_all_draws`)."""
    from ncpgui.sorting.recluster import with_all_draws
    from ncpgui.sorting.reopened import settings_of

    waveforms = project.waveforms[component.id]
    return with_all_draws(project, component, waveforms, settings_of(project), progress=progress)


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
    config = replace(settings_of(project), sampler=sampler)
    report = portion(progress, 1, 4, 4)
    return resample_rest(project, component, waveforms, held, config, progress=report), waveforms


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


def load_events(project: Project, path: Path, *, progress: Progress = silent) -> tuple[Events, str]:
    """Events of the recording of a project from a file, and a note where some were left out."""
    from ncpgui.ephys.event_files import read_events

    progress(0, 1, "reading events")
    return read_events(path, project.recording)


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
