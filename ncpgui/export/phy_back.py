"""Decisions written back into the folder of another program that was reviewed, when somebody asks for it."""

from __future__ import annotations

from ncpgui.core.errors import ExportError
from ncpgui.core.given import PHY
from ncpgui.core.project import Project
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.export.into_phy import write_into_phy
from ncpgui.export.into_spikeinterface import curation_place, write_curation
from ncpgui.export.written_back import WrittenBack

__all__ = ["WrittenBack", "curation_place", "write_back"]


def write_back(project: Project, decisions: CuratedSorting) -> WrittenBack:
    """Write the units as they stand into the folder that the project reviews.

    Raises
    ------
    ExportError
        The project reviews no folder; it is gone, changed since it was read, or cannot be written. Nothing
        is changed then.
    """
    given = project.given
    if given is None:
        raise ExportError("this sorting was made here and reviews no other; write it with 'ncpgui export'")
    if given.kind == PHY:
        return write_into_phy(project, given, decisions)
    return write_curation(project, given, decisions)
