"""Posteriors of components, and Resample: one as it was sampled again, given what was accepted.

It is an edit like others: it is written down with all its numbers, so that undo, redo and opening
the session again give each posterior back to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component
from ncpgui.core.errors import CurationError
from ncpgui.core.json_text import pack, unpack
from ncpgui.core.posterior import PosteriorSamples
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


BY_LESS = ("mass_waveforms", "mass_without_stimulus", "mass_without_echoes")
"""Masses of an alternative by less evidence, where there is more."""


@dataclass(frozen=True, eq=False)
class Resample:
    """Put another posterior, and its alternatives, in the place of those of a component.

    unit_ids : units whose spikes were held together while it was sampled: its condition; words : what this
    does, for menus and the journal.
    """

    component_id: int
    unit_ids: tuple[int, ...]
    posterior: PosteriorSamples
    alternatives: tuple[Alternative, ...]
    words: str = "sample again"

    def applied(self, component: Component | None) -> Component:
        """The component with this posterior.

        Raises
        ------
        CurationError
            The component is not sampled, or has other spikes.
        """
        if component is None:
            raise CurationError(
                f"component {self.component_id} is not sampled, its posterior cannot be replaced; "
                "use the session that the history is of"
            )
        for n, n_here, what in (
            (self.posterior.n_points, len(component.sampled), "sampled"),
            *((len(a.labels), len(component.spike_ids), "in all") for a in self.alternatives),
        ):
            if n != n_here:
                raise CurationError(
                    f"the posterior sampled again is of {n} spikes, component {self.component_id} has "
                    f"{n_here} {what}; use the session that the history is of"
                )
        return replace(
            component, posterior=self.posterior, alternatives=self.alternatives, given=self.unit_ids
        )


def resample_to_json(command: Resample) -> dict[str, Any]:
    """The command as JSON values; arrays are packed."""
    posterior, alternatives = command.posterior, command.alternatives
    drawn, order, seen = posterior.drawn_weight, posterior.order, posterior.stimulus_nats
    alone, echo_of = posterior.weight_without_echoes, posterior.echo_of
    return {
        "do": "resample",
        "words": command.words,
        "component": command.component_id,
        "units": list(command.unit_ids),
        "posterior": {
            "sampler": posterior.sampler,
            "labels": pack(posterior.labels, "<i4"),
            "log_prob": pack(posterior.log_prob, "<f8"),
            "weight": pack(posterior.weight, "<f8"),
            **({} if order is None else {"order": pack(order, "<i4")}),
            **({} if drawn is None else {"drawn_weight": pack(drawn, "<f8")}),
            **({} if seen is None else {"stimulus_nats": pack(seen, "<f8")}),
            **({} if alone is None else {"weight_without_echoes": pack(alone, "<f8")}),
            **({} if echo_of is None else {"echo_of": pack(echo_of, "<i8")}),
        },
        "alternatives": [
            {
                "labels": pack(alternative.labels, "<i4"),
                "probability": pack(alternative.probability, "<f4"),
                "mass": pack(np.array([alternative.mass, alternative.mass_se]), "<f8"),
                "by_less": {
                    name: getattr(alternative, name)
                    for name in BY_LESS
                    if getattr(alternative, name) is not None
                },
                "p_exists": pack(alternative.p_exists, "<f4"),
            }
            for alternative in alternatives
        ],
    }


def resample_from_json(value: dict[str, Any]) -> Resample:
    """Command of JSON values that `resample_to_json` made; KeyError, TypeError, ValueError for others."""
    packed = value["posterior"]
    log_prob = unpack(packed["log_prob"], "<f8")
    labels = unpack(packed["labels"], "<i4").reshape(len(log_prob), -1)
    return Resample(
        int(value["component"]),
        tuple(int(unit) for unit in value["units"]),
        PosteriorSamples(
            labels,
            log_prob,
            unpack(packed["weight"], "<f8"),
            unpack(packed["order"], "<i4") if "order" in packed else None,
            drawn_weight=unpack(packed["drawn_weight"], "<f8") if "drawn_weight" in packed else None,
            sampler=packed["sampler"],
            stimulus_nats=unpack(packed["stimulus_nats"], "<f8") if "stimulus_nats" in packed else None,
            weight_without_echoes=unpack(packed["weight_without_echoes"], "<f8")
            if "weight_without_echoes" in packed
            else None,
            echo_of=unpack(packed["echo_of"], "<i8") if "echo_of" in packed else None,
        ),
        tuple(_alternative(alternative) for alternative in value["alternatives"]),
        str(value["words"]),
    )


def _alternative(value: dict[str, Any]) -> Alternative:
    mass: NDArray[np.float64] = unpack(value["mass"], "<f8")
    labels = unpack(value["labels"], "<i4")
    probability = unpack(value["probability"], "<f4")
    if len(probability) != len(labels):
        raise ValueError("an alternative has other labels than probabilities")
    exists = unpack(value["p_exists"], "<f4")
    less = value.get("by_less", {})
    by_less = {name: float(less[name]) for name in BY_LESS if name in less}
    return Alternative(labels, probability, float(mass[0]), float(mass[1]), exists, **by_less)
