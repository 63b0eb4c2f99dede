"""What a session of version 1 holds, brought to what this program works with.

Version 1 knew the spikes of one main channel (a channel group) in the place of components: the channel is the
id of each. Actions of its history and of its journal named the channel.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ncpgui.core.project import Project


def brought_forward(project: Project) -> Project:
    """The project with the actions of its history as they are written now."""
    return replace(project, history=tuple(action_forward(entry) for entry in project.history))


def action_forward(entry: dict[str, Any]) -> dict[str, Any]:
    """An action as it is written now."""
    if entry.get("do") != "resample" or "channel" not in entry:
        return entry
    return {("component" if name == "channel" else name): value for name, value in entry.items()}
