"""What a click on a unit does, the same in every panel."""

from __future__ import annotations

from ncpgui.app.model.workspace import Workspace


def pick(workspace: Workspace, unit: int | None, *, adds: bool) -> None:
    """Select a unit that a person clicked; `adds` adds it to the selection, or takes it out.

    unit : None for a cluster that only adopting the preview would make: nothing happens.
    """
    if unit is None:
        return
    chosen = workspace.selected
    if not adds:
        workspace.select([unit])
    elif unit in chosen:
        workspace.select([other for other in chosen if other != unit])
    else:
        workspace.select([*chosen, unit])
