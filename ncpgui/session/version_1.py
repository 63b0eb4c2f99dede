"""What a session of version 1 holds, brought to what this program works with.

Version 1 knew the spikes of one main channel (a channel group) in the place of components: the channel is the
id of each, and actions of its history and of its journal named it. Its groups kept the second sightings
(`core.second_sightings`), and each look at a group left them out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ncpgui.core.errors import CurationError
from ncpgui.core.project import Project
from ncpgui.core.second_sightings import kept_once, second_sightings
from ncpgui.curation.commands import from_json, to_json
from ncpgui.curation.rebase import SAMPLER_WORDS
from ncpgui.curation.resample import Resample


class Version1:
    """Brings forward a project that was read of a session of version 1, and the actions done to it."""

    def __init__(self, project: Project) -> None:
        self._read = project
        words = {entry.get("words") for entry in project.history if entry.get("do") == "assign"}
        late = {one.id for one in project.components if f"{SAMPLER_WORDS} {one.id}" in words}
        self._joined = tuple(one for one in project.components if one.id not in late)
        """Those of which the sorting before any curation tells: not those that were sampled after edits."""

    def project(self) -> Project:
        """The project as this program makes it."""
        components, waveforms = kept_once(self._joined, self._read.waveforms, self._read.unit_of_spike)
        forward = {one.id: one for one in components}
        return replace(
            self._read,
            components=tuple(forward.get(one.id, one) for one in self._read.components),
            waveforms=waveforms,
            history=tuple(self.action(entry) for entry in self._read.history),
        )

    def action(self, entry: dict[str, Any]) -> dict[str, Any]:
        """An action as this program writes it; one that is damaged is left to whoever does it again."""
        if entry.get("do") != "resample" or "channel" not in entry:
            return entry
        renamed = {("component" if name == "channel" else name): value for name, value in entry.items()}
        try:
            command = from_json(renamed)
        except CurationError:
            return renamed
        component = next((one for one in self._joined if one.id == renamed["component"]), None)
        if component is None or not isinstance(command, Resample) or not command.fits(component):
            return renamed
        gone = second_sightings(component, self._read.unit_of_spike)
        return to_json(command.without(component, gone))
