"""Change: what one edit did, as the panels need to know it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """What an edit did to the units.

    added : units that exist now and did not before; removed : units that no longer exist;
    modified : units that exist before and after, with other spikes; relabelled : units whose label
    or lock changed; components : ids of those that have another posterior; description : in words, for the
    status bar and the undo menu.
    """

    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    description: str = ""
    modified: tuple[int, ...] = ()
    relabelled: tuple[int, ...] = ()
    components: tuple[int, ...] = ()

    @property
    def moves_spikes(self) -> bool:
        """Whether any spike changed its unit."""
        return bool(self.added or self.removed or self.modified)
