"""The dialog for exports of a project, on screen."""

from __future__ import annotations

from pathlib import Path

from ncpgui.app.work import exports
from ncpgui.core.project import Project
from ncpgui.gui.dialogs.export import ExportDialog


def shown_export(qtbot, project: Project, tmp_path: Path) -> ExportDialog:
    dialog = ExportDialog(
        None,
        exports.export_formats(),
        folder=tmp_path,
        stem="two",
        left_out=exports.left_out_of_exports(project),
        trace_bytes=exports.traces_to_copy(project)[0],
        copy_first=exports.traces_to_copy(project)[1],
    )
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog
