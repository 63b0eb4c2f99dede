"""What edits change, and an edit that is planned: the same values do it, undo it and do it again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from ncpgui.core.component import Component
from ncpgui.curation.clustering import Clustering, Reassignment
from ncpgui.curation.decision import Decision
from ncpgui.curation.labels import Labels, UnitMark


class Command(Protocol):
    """One kind of edit, as a value (`curation.commands`); `name` is what files call it."""

    name: ClassVar[str]

    @property
    def unit_ids(self) -> tuple[int, ...]:
        """Units that it is about."""

    @property
    def words(self) -> str:
        """What it does, for menus and the journal."""

    def plan(self, now: State) -> Edit:
        """What it does to a sorting as it stands; CurationError where that is impossible."""


class Posteriors:
    """Component of each id that is sampled."""

    def __init__(self, components: Iterable[Component] = ()) -> None:
        self._components = {component.id: component for component in components}

    def get(self, component_id: int | None) -> Component | None:
        """Component of an id, None while it is not sampled."""
        return None if component_id is None else self._components.get(component_id)

    @property
    def components(self) -> tuple[Component, ...]:
        """Sampled components, by id."""
        return tuple(self._components[key] for key in sorted(self._components))

    def put(self, component: Component) -> None:
        """Put a component in its place."""
        self._components[component.id] = component


@dataclass(frozen=True, eq=False)
class State:
    """What commands see when they plan an edit: units of spikes, marks of units, posteriors of components."""

    clustering: Clustering
    labels: Labels
    posteriors: Posteriors


@dataclass(frozen=True, eq=False)
class Edit:
    """A command as it is done, undone and done again, with the unit ids that it makes.

    spikes_before, spikes_after : units of the spikes that it moves
    marks_before, marks_after : of the units that it is about, unchanged where it only says something of them
    component_before, component_after : of the posterior that it replaces
    decisions : what it says of spikes
    """

    command: Command
    spikes_before: Reassignment | None = None
    spikes_after: Reassignment | None = None
    marks_before: dict[int, UnitMark] | None = None
    marks_after: dict[int, UnitMark] | None = None
    component_before: Component | None = None
    component_after: Component | None = None
    decisions: tuple[Decision, ...] = ()

    @property
    def decides(self) -> bool:
        """Whether something else is known of units after it, or without it; a label alone says nothing."""
        after = self.marks_after or {}
        before = (self.marks_before or {}).items()
        return bool(self.decisions) or any(after[unit].accepted != mark.accepted for unit, mark in before)
