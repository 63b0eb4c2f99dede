"""Adopting: what is on screen is used for the component that the cards ask about."""

from __future__ import annotations

import numpy as np

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import sentence
from ncpgui.core.errors import CurationError
from ncpgui.curation.adopt import adopt_command
from ncpgui.curation.commands import NONE, Assign


def adopt(workspace: Workspace) -> None:
    """Use what is on screen; the sorting already in use is accepted as it is.

    Raises
    ------
    CurationError
        The component is not sampled yet, or what is on screen differs in nothing but what is accepted.
    """
    state, component = workspace.state, workspace.component()
    if component is None:
        raise CurationError("this question is not checked yet; wait for it, or choose another")
    if workspace.proposal is not None:
        workspace.confirm()
        return
    if workspace.preview is None:
        _accept_current(workspace)
        return
    as_sampled = state.components.sampled(component.id)
    command = adopt_command(
        state.clustering,
        component if as_sampled is None else as_sampled,
        component.alternatives[workspace.preview],
        accepted=state.history.labels.accepted,
    )
    if command is not None:
        state.do(command)
        return
    preview = workspace.sorting_of(workspace.preview)
    if preview is not None and preview.held:
        names = ", ".join(map(str, preview.held))
        raise CurationError(
            f"this sorting differs from the one in use only in what is accepted (unit {names}); "
            "take its acceptance back (Y) first"
        )
    workspace.show_alternative(None)
    _accept_current(workspace)


def _accept_current(workspace: Workspace) -> None:
    """Accept all units of the component, or say that it has none."""
    state, current = workspace.state, workspace.current()
    assert current is not None
    component, units = current.component, current.unit_ids
    if not state.history.labels.accepted.issuperset(units):
        workspace.set_accepted(units, True)
    elif workspace.questions.is_answered(component.id):
        state.told.emit(
            f"There is no unit around contact {state.components.contact(component.id)}"
            if workspace.questions.standing(component.id).is_empty
            else sentence(f"{state.name(component.id)}: accepted already")
        )
    else:  # no units, although another alternative has some
        ids = component.spike_ids
        words = f"accept contact {component.channel} without units"
        state.do(Assign(ids, np.full(len(ids), NONE), words=words))
