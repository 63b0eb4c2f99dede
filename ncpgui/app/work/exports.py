"""Exports as plain functions: what there is to choose, and what would be in the way."""

from __future__ import annotations

from pathlib import Path

from ncpgui.app.question import Question
from ncpgui.core.errors import ExportError
from ncpgui.core.project import Project


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


def replace_question(present: list[Path]) -> Question:
    """What to ask before files that are there are replaced."""
    names = " and ".join(file.name for file in present)
    if len(present) == 1:
        return Question(f"{names} exists already. Replace it?", f"Replace {names}", "Keep it")
    return Question(f"{names} exist already. Replace them?", f"Replace the {len(present)} files", "Keep them")


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
