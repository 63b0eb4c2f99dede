"""Components given what was decided: their draws weighed by the decisions, nothing stored.

What is known of a component is a function of its draws and of the decisions in force. So undo, which takes a
decision away, gives all numbers back to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Clamp, Component
from ncpgui.core.increasing import is_among
from ncpgui.core.percent import percent
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.curation.clustering import unit_codes
from ncpgui.curation.decision import Decision
from ncpgui.curation.history import History
from ncpgui.curation.unit_places import UnitPlaces
from ncpgui.evidence.draws_by_alternative import alternative_of_draw, mass_of_sorting, masses_given
from ncpgui.evidence.point_events import FEW_DRAWS, PointEvent, conditioned
from ncpgui.evidence.support import cells_of


@dataclass(frozen=True)
class Condition:
    """One decision as cards name it.

    probability : share of the draws before it in which it holds, None where draws were made under it
    said_before : of all units of a component, accepted together: what their card said before
    """

    words: str
    probability: float | None
    said_before: float | None = None

    @property
    def was(self) -> float | None:
        """How probable it was before, None where draws were made under it."""
        return self.probability if self.said_before is None else self.said_before

    @property
    def text(self) -> str:
        """Words and probability."""
        if self.was is None:
            return self.words
        return f"{self.words} ({f'was {percent(self.was)}' if self.was > 0 else 'in hardly any draw'})"


@dataclass(frozen=True, eq=False)
class Given:
    """A component given decisions.

    component : its draws and the masses of its alternatives, as weighed by the decisions
    conditions : the decisions, accepted units first
    decisions : what was decided of its spikes
    n_effective : draws of equal weight that would say as much
    """

    component: Component
    conditions: tuple[Condition, ...]
    decisions: tuple[Decision, ...]
    n_effective: float

    @property
    def text(self) -> str:
        """The condition in words, '' without one."""
        return f"given: {', '.join(one.text for one in self.conditions)}" if self.conditions else ""

    @property
    def needs_draws(self) -> bool:
        """Whether few draws have what was decided since they were made: few of that many, too."""
        posterior = self.component.posterior
        left = self.n_effective
        if posterior.sampler == "beam":  # one vector may have nearly all of the weight; that is no lack
            left = float(np.count_nonzero(posterior.weight))
        few = left < min(FEW_DRAWS, posterior.n_samples / 2)
        return self.is_decided_since and (few or self._is_left_out)

    @property
    def has_enough(self) -> bool:
        """Whether draws enough have all that was decided."""
        return self.n_effective >= FEW_DRAWS and not self._is_left_out

    @property
    def is_decided_since(self) -> bool:
        """Whether something was decided since the draws were made."""
        return any(one.probability is not None for one in self.conditions)

    @property
    def _is_left_out(self) -> bool:
        return any(one.probability == 0 for one in self.conditions)


class GivenComponents:
    """Makes components given what the history says of them, and remembers which spikes that is about.

    places : of the units as they are
    component_of_spike : (n_spikes,) id of the component of each spike, -1 = none
    min_spikes : sampled spikes below which the sorting dropped clusters
    """

    def __init__(
        self,
        history: History,
        places: UnitPlaces,
        component_of_spike: NDArray[np.integer],
        *,
        min_spikes: int = 0,
    ) -> None:
        self._history = history
        self._places = places
        self._component_of_spike = component_of_spike
        self._min_spikes = min_spikes
        self._about: dict[Decision, frozenset[int]] = {}
        self._rarer: dict[int, tuple[Component, tuple[Alternative, ...]]] = {}

    def decisions(self, component_id: int) -> tuple[Decision, ...]:
        """What was decided of the spikes of a component."""
        return tuple(one for one in self._history.decisions if component_id in self._components(one))

    def put_rarer(self, component: Component, alternatives: tuple[Alternative, ...]) -> None:
        """Show these sortings too, after the others of a component as it was sampled."""
        self._rarer[component.id] = (component, alternatives)

    def whole(self, component: Component) -> Component:
        """The component as it was sampled, with the rarer sortings that somebody asked for."""
        sampled, alternatives = self._rarer.get(component.id, (None, ()))
        if sampled is not component:
            return component
        return replace(component, alternatives=component.alternatives + alternatives)

    def of(self, component: Component) -> Given:
        """A component, as it was sampled, given what was decided."""
        whole = self.whole(component)
        decided = self.decisions(component.id)
        now = self._history.clustering.unit_of_spike
        about = {unit for one in decided for ids in one.sets for unit in np.unique(now[ids]).tolist()}
        kept = [str(unit) for unit in component.given if unit not in about]
        held = (Condition(f"{', '.join(kept)} held", None),) if kept else ()
        if not decided:
            return Given(whole, held, (), whole.posterior.n_effective)
        mass, points = component.spikes_each, component.spike_ids[component.sampled]
        events = [(one, list(_point_events(one, points))) for one in decided]
        others = [one for one in events if one[1] and one[0].kind != "neuron"]
        accepted = [one for one in events if one[1] and one[0].kind == "neuron"]
        if not others and not accepted:
            return Given(whole, held, decided, whole.posterior.n_effective)
        flat = [part for _, parts in others for part in parts]
        before = conditioned(whole.posterior, flat, stands_for=mass, leave_out=True)
        share = iter(before.probability)
        weighed, conditions = self._weighed(whole, before.weight), []
        for one, parts in others:
            p = float(np.prod([next(share) for _ in parts]))
            conditions.append(Condition(one.words, None if component.given and p else p))
        if not accepted:
            return Given(weighed, (*held, *conditions), decided, before.n_effective)
        flat = [part for _, parts in accepted for part in parts]
        after = conditioned(weighed.posterior, flat, stands_for=mass, leave_out=True)
        units = tuple(unit for one, _ in accepted for unit in one.units)
        words = f"{', '.join(map(str, units))} accepted"
        if set(units) <= set(component.given):
            conditions.insert(0, Condition(words, None))
        else:
            p = float(np.prod(after.probability))
            conditions.insert(0, Condition(words, p, self._said_by_card(weighed, units)))
        return Given(self._weighed(weighed, after.weight), (*held, *conditions), decided, after.n_effective)

    def _said_by_card(self, component: Component, units: tuple[int, ...]) -> float | None:
        """Mass of the sorting in use, as its card says it; None unless these are all units of a component."""
        code, table = unit_codes(self._history.clustering.unit_of_spike[component.spike_ids])
        labels = code.astype(np.int64)[component.sampled] - int(len(table) > 0 and table[0] < 0)
        if not set(table[table >= 0].tolist()) <= set(units):
            return None
        return mass_of_sorting(component, labels, min_spikes=self._min_spikes)

    def _weighed(self, component: Component, weight: NDArray[np.float64]) -> Component:
        before = component.posterior
        if np.array_equal(weight, before.weight):
            return component
        after = before.changed(weight=weight)
        alternatives = component.alternatives
        alternative_of = alternative_of_draw(
            before,
            [alternative.labels[component.sampled] for alternative in alternatives],
            min_spikes=self._min_spikes,
        )
        masses = masses_given(
            np.array([alternative.mass for alternative in alternatives]),
            alternative_of,
            before.weight,
            weight,
        )
        return replace(
            component,
            posterior=after,
            alternatives=tuple(
                replace(alternative, mass=float(mass), mass_se=after.standard_error(alternative_of == index))
                for index, (alternative, mass) in enumerate(zip(alternatives, masses, strict=True))
            ),
        )

    def _components(self, decision: Decision) -> Collection[int]:
        """Components in which something is decided."""
        if decision.kind == "neuron":  # all of a unit as it is
            return self._places.components_of(decision.units[0])
        if decision not in self._about:
            self._about[decision] = _present(self._component_of_spike, decision)
        return self._about[decision]


def as_it_stands(project: Project, history: History) -> Project:
    """A project with its components as they are: sampled again, given what was decided."""
    return replace(project, components=tuple(one.component for one in given_components(project, history)))


def given_components(project: Project, history: History) -> tuple[Given, ...]:
    """Sampled components of a project given what was decided, by id."""
    of_spike = project.component_of_spike
    places = UnitPlaces(history.clustering, project.spikes.channel, of_spike)
    given = GivenComponents(history, places, of_spike, min_spikes=project.min_cluster_spikes)
    return tuple(given.of(one) for one in history.posteriors.components)


def clamp_of(component: Component, units: NDArray[np.int64], decisions: tuple[Decision, ...]) -> Clamp:
    """What to hold while a component is sampled again; units : (n,) unit of each of its spikes, -1 = none.

    Of an accepted unit all spikes are held. What else was decided is that sets of spikes are of one neuron,
    or of different ones, and nothing of the inside of a set: one spike stands for each (`_surest`).
    """
    labels = accepted_labels(component, decisions)
    points, unit = component.spike_ids[component.sampled], units[component.sampled]
    links: dict[str, list[tuple[int, int]]] = {"same": [], "different": []}
    for one in decisions:
        if one.kind != "neuron":
            there = [here for here in (is_among(points, ids) for ids in one.sets) if here.any()]
            chosen = [_surest(component.posterior, here, unit) for here in there]
            links[one.kind] += pairwise(chosen) if one.kind == "same" else combinations(chosen, 2)
    return Clamp(labels, tuple(links["same"]), tuple(links["different"]))


def accepted_labels(component: Component, decisions: tuple[Decision, ...]) -> NDArray[np.int32]:
    """Which accepted unit each spike of a component is of: (n,) 0 .. K-1, -1 = of none."""
    labels = np.full(len(component.spike_ids), -1, dtype=np.int32)
    accepted = [ids for one in decisions if one.kind == "neuron" for ids in one.sets]
    for label, ids in enumerate(accepted):
        labels[is_among(component.spike_ids, ids)] = label
    return labels


def _surest(posterior: PosteriorSamples, here: NDArray[np.bool_], unit: NDArray[np.int64]) -> int:
    """Point of a set that is in the cell of the set in most draws; of the unit that has most of the set.

    here : (m,) whether each point is of the set; unit : (m,) of each point, -1 = none
    """
    units, counts = np.unique(unit[here], return_counts=True)
    candidates = np.flatnonzero(here & (unit == units[counts.argmax()]))
    cell, _, _ = cells_of(posterior.rows, np.where(here, 0, -1), 1, np.ones(len(here)))
    return int(candidates[(posterior.weight @ (posterior.rows[:, candidates] == cell)).argmax()])


def _point_events(decision: Decision, points: NDArray[np.int64]) -> Iterator[PointEvent]:
    """What was decided, as conditions on the points of a posterior; none where too few of them are there."""
    sets = [is_among(points, ids) for ids in decision.sets]
    sets = [points for points in sets if points.any()]
    if decision.kind == "neuron":
        yield from (PointEvent("neuron", points, words=decision.words) for points in sets)
    elif decision.kind == "same":
        yield from (PointEvent("same", one, other, decision.words) for one, other in pairwise(sets))
    else:
        yield from (
            PointEvent("different", one, other, decision.words) for one, other in combinations(sets, 2)
        )


def _present(component_of_spike: NDArray[np.integer], decision: Decision) -> frozenset[int]:
    found = [np.unique(component_of_spike[ids]) for ids in decision.sets]
    return frozenset(np.unique(np.concatenate(found)).tolist()) - {-1}
