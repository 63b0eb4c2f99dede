"""Exports as plain functions: what there is to choose, what would be in the way, and the export itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ncpgui.core.errors import ExportError
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project

if TYPE_CHECKING:
    from ncpgui.curation.curated_sorting import CuratedSorting
    from ncpgui.export.whole_project import Exported


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
