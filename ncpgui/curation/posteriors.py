"""The components as they stand: each with its posterior as sampled first, or again since."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ncpgui.core.component import Component
from ncpgui.core.signals import Signal


class Posteriors:
    """Component of each id that is sampled; tells `changed(id)` when an edit put another posterior there."""

    changed: ClassVar[Signal] = Signal(int)

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
        """Put a component in its place. Whoever does emits `changed` once its own books are in order."""
        self._components[component.id] = component
