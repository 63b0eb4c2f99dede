"""A project exported, with what its waveforms or its recording are needed for; what had to be left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.counted import count, few
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.export.destination import SECONDS
from ncpgui.export.features import n_without_waveforms
from ncpgui.export.from_project import bundle_of
from ncpgui.export.raw_file import RawFile, raw_file
from ncpgui.export.registry import ExportFormat, export, export_format

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


@dataclass(frozen=True)
class Exported:
    """What was written and where; left_out : what the format could hold and is not there, and why."""

    path: Path
    n_spikes: int
    n_units: int
    left_out: tuple[str, ...]


def left_out(
    project: Project,
    format_name: str,
    *,
    has_recording: bool | None = None,
    copy_traces: bool = False,
) -> tuple[str, ...]:
    """Say what an export lacks without the recording, or the waveforms of all spikes.

    has_recording : whether the traces can be read; by default, whether something is at its place
    copy_traces : whether the traces are copied into the export
    """
    chosen, path = export_format(format_name), project.recording.path
    there = (bool(path) and Path(path).exists()) if has_recording is None else has_recording
    where = f"the recording is not at {path}" if path else "no file holds the recording"
    parts = []
    clock = project.recording.clock_words
    if chosen.counts_samples and clock:
        parts.append(
            f"the clock of the recording, {clock} (samples are counted there; {SECONDS} has the seconds)"
        )
    if chosen.with_traces and not copy_traces and raw_file(project.recording) is None:
        no_file = "the recording is not a raw binary file; they can be copied"
        parts.append(f"the traces ({no_file if there else where})")
    if there:
        return tuple(parts)
    n_missing = n_without_waveforms(project)
    uncached = [one.channel for one in project.components if one.id not in project.waveforms]
    if chosen.with_templates and uncached:
        which = "" if len(uncached) == len(project.components) else f" around {_contacts(uncached)}"
        parts.append(f"templates{which} (no recording, and no waveforms in the cache)")
    if chosen.with_features and n_missing:
        spikes = count(n_missing, "spike")
        parts.append(f"principal components (no recording, and no waveforms of {spikes} in the cache)")
    return tuple(parts)


def export_project(
    project: Project,
    decisions: CuratedSorting,
    format_name: str,
    path: Path,
    *,
    min_probability: float = 0.0,
    copy_traces: bool = False,
    replace_files: bool = True,
    progress: Progress = silent,
) -> Exported:
    """Write a project, as a person decided, in a format.

    min_probability : spikes that belong to their unit with less are left out
    copy_traces : whether the traces of the recording are copied into it, for formats that show them
    replace_files : whether files that are there by then are replaced, see `registry.export`

    Raises
    ------
    InputError
        The format is not known, or has no place for traces.
    ExportError
        No spike is in a unit, or the output cannot be written, or is too large for its disk.
    RecordingError
        The traces cannot be copied.
    """
    chosen = export_format(format_name)
    chosen.check_package()
    copy = _copying(project, chosen, path, portion(progress, 90, 100, 100)) if copy_traces else None
    with _traces(project, chosen, portion(progress, 0, 10, 100)) as (traces, problem):
        bundle = bundle_of(
            project,
            decisions,
            min_probability=min_probability,
            with_features=chosen.with_features,
            traces=traces,
            progress=portion(progress, 10, 90, 100),
        )
    if chosen.with_gain:
        bundle = replace(bundle, gain_uv=_gain_uv(project))
    progress(90, 100, f"writing {path.name}")
    bundle = replace(bundle, copy_traces=copy)
    place = export(bundle, format_name, path, replace=replace_files)
    lacking = left_out(
        project, format_name, has_recording=False if problem else None, copy_traces=copy_traces
    )
    if chosen.with_gain and bundle.templates is not None and bundle.gain_uv is None:
        lacking += ("templates in volts (the recording does not say its gain); those in noise sd are there",)
    return Exported(
        place, len(bundle.sorting), len(bundle.unit_ids), (*lacking, *([problem] if problem else []))
    )


def _copying(
    project: Project, chosen: ExportFormat, path: Path, progress: Progress
) -> Callable[[Path], RawFile]:
    """What copies the traces of a project into a folder; the disk is asked whether it has place."""
    from ncpgui.ephys.readers import reopen_whole
    from ncpgui.export.copied_traces import check_place, copy_traces

    if not chosen.with_traces:
        raise InputError(f"{chosen.title} holds no traces; leave out --copy-traces, or export to phy")
    recording = reopen_whole(project.recording)
    check_place(recording, path)
    return lambda folder: copy_traces(recording, folder, progress=progress)


def _gain_uv(project: Project) -> NDArray[np.float64] | None:
    """µV that one unit of the recording's traces is, on each channel; None where it cannot be had."""
    from ncpgui.ephys.readers import gain_uv, reopen

    try:
        return gain_uv(reopen(project.recording))
    except (RecordingError, InputError):
        return None


@contextmanager
def _traces(
    project: Project, chosen: ExportFormat, progress: Progress
) -> Iterator[tuple[Preprocessed | None, str]]:
    """Traces where the format needs some that are not in the cache; None and why when they cannot be read."""
    uncached = any(component.id not in project.waveforms for component in project.components)
    if not ((chosen.with_templates and uncached) or (chosen.with_features and n_without_waveforms(project))):
        yield None, ""
        return
    from ncpgui.sorting.reopened import reopened_traces

    try:
        traces = reopened_traces(project, progress=progress)
    except RecordingError as error:
        yield None, str(error)
        return
    try:
        yield traces, ""
    finally:
        traces.close()


def _contacts(contacts: list[int]) -> str:
    different = sorted(set(contacts))
    return f"{'contact' if len(different) == 1 else 'the contacts'} {few(different)}"
