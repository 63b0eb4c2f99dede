"""The ways to sort the component on screen, each a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.unit_numbers import unit_numbers
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.card import Card, CardUnit
from ncpgui.app.presenters.card_change import change_of
from ncpgui.app.presenters.points import colors_of
from ncpgui.app.words import count
from ncpgui.core.component import (
    Component,
    ComponentWaveforms,
    masses_by_evidence,
)
from ncpgui.core.difference import difference
from ncpgui.core.partition import canonical
from ncpgui.evidence.draws_by_alternative import draws_of_sorting
from ncpgui.evidence.units import MORE_PROBABLY


def present_cards(workspace: Workspace, component: Component) -> tuple[Card, ...]:
    """Cards of a component on screen: one for each sorting that using an alternative would give."""
    current = workspace.current()
    assert current is not None
    in_use = workspace.state.sortings.in_use(component)
    waveforms = workspace.waveforms()
    sortings: list[tuple[int | None, ShownSorting]] = []
    if in_use is None and current.units:
        sortings.append((None, current))
    for index in range(len(component.alternatives)):
        is_current = index == in_use and index != workspace.preview
        sorting = current if is_current else workspace.sorting_of(index)
        assert sorting is not None
        others = [current, *(one for _, one in sortings)]
        if is_current or index == workspace.preview or not _is_among(sorting, others):
            sortings.append((index, sorting))
    largest = max((unit.n_spikes for _, s in sortings for unit in s.units), default=1)
    cards = [
        _card(workspace, component, index, sorting, current, waveforms, largest)
        for index, sorting in sortings
    ]
    changing = sorted((card for card in cards if card.change is not None), key=lambda card: -card.mass)
    against = changing[0].change if changing else None
    return tuple(replace(card, change=against) if card.is_in_use else card for card in cards)


def _is_among(sorting: ShownSorting, others: Sequence[ShownSorting]) -> bool:
    """Whether using a sorting gives what one of the others is, as where accepted units keep all as it is."""
    labels = canonical(sorting.labels)
    return any(np.array_equal(labels, canonical(one.labels)) for one in others)


def _is_given(workspace: Workspace, component: Component, index: int) -> bool:
    """Whether an alternative is how the folder that is reviewed has these spikes."""
    project = workspace.state.project
    if project is None or project.given is None:
        return False
    given = project.unit_of_spike[component.spike_ids]
    return workspace.state.remembered.get(
        ("as given", component.id, index),
        lambda: np.array_equal(canonical(component.alternatives[index].labels), canonical(given)),
    )


def _card(
    workspace: Workspace,
    component: Component,
    index: int | None,
    sorting: ShownSorting,
    current: ShownSorting,
    waveforms: ComponentWaveforms | None,
    largest: int,
) -> Card:
    in_use = sorting is current
    is_edited = in_use and index is not None and workspace.present_alternative() is None
    if index is None:
        mass, error, before, evidence = _agreement(workspace, component, current)
        words = "edited by hand"
    else:
        alternative = component.alternatives[index]
        mass, error = alternative.mass, alternative.mass_se
        as_sampled = workspace.state.whole_as_sampled(component.id).alternatives[index]
        before, evidence = as_sampled.mass, as_sampled.by_evidence  # decisions are no evidence of these
        own = workspace.sorting_of(index) if is_edited else sorting
        assert own is not None
        words = "in use" if in_use and not is_edited else _words(current, own)
    means = workspace.state.remembered.get(
        ("means", component.id, index, waveforms is None), lambda: _means(sorting, waveforms)
    )
    units = tuple(
        CardUnit(unit.name, color, unit.n_spikes, unit.n_spikes / largest, unit.is_changed, mean)
        for unit, color, mean in zip(sorting.units, colors_of(workspace, sorting), means, strict=True)
    )
    return Card(
        index=index,
        mass=mass,
        mass_se=error,
        words=words,
        units=units,
        n_unassigned=sorting.n_unassigned,
        is_shown=workspace.proposal is None
        and (index == workspace.preview or (workspace.preview is None and in_use)),
        is_in_use=in_use,
        as_given=index is not None and _is_given(workspace, component, index),
        given=condition(workspace, component),
        evidence=evidence,
        sampler=component.posterior.sampler,
        before=before if workspace.state.is_decided(component.id) else None,
        is_edited=is_edited,
        n_wrong=workspace.questions.misplaced(component.id)
        if in_use and _is_doubtful(workspace, current)
        else 0.0,
        change=None
        if in_use
        else workspace.state.remembered.get(
            ("change", component.id, index), lambda: change_of(current, sorting)
        ),
    )


def _is_doubtful(workspace: Workspace, current: ShownSorting) -> bool:
    """Whether a unit in use is more probably not pure, or not complete."""
    numbers = unit_numbers(workspace.state, current.unit_ids)
    return bool((np.minimum(numbers["p_pure"], numbers["p_complete"]) < MORE_PROBABLY).any())


def condition(workspace: Workspace, component: Component) -> str:
    """What the probabilities of a component are given, '' where nothing was decided."""
    given = workspace.state.components.given_of(component.id)
    return "" if given is None else given.text


def _words(current: ShownSorting, preview: ShownSorting) -> str:
    """What adopting a preview would do, all of it: see `core.difference`."""
    found = difference(current.labels, preview.labels, current.component.again)
    words = found.words([unit.name for unit in current.units])
    if preview.n_taken_along:
        words += f", takes {count(preview.n_taken_along, 'spike')} of other questions along"
    if preview.held:
        words += f"; {' and '.join(map(str, preview.held))} stay{'s' * (len(preview.held) == 1)} as accepted"
    return words


def _agreement(
    workspace: Workspace, component: Component, current: ShownSorting
) -> tuple[float, float, float, dict[str, float]]:
    """Share of the posterior that is the current sorting and no card; its error; both before any decision.

    The last is the share by kinds of evidence.
    """
    same = workspace.state.remembered.get(
        ("agreement", component.id),
        lambda: draws_of_sorting(
            component.posterior,
            current.sampled_labels,
            [alternative.labels[component.sampled] for alternative in component.alternatives],
            min_spikes=current.min_spikes,
        ),
    )
    posterior = component.posterior
    drawn = workspace.state.whole_as_sampled(component.id).posterior
    waveforms = None if drawn.drawn_weight is None else float(drawn.drawn_weight @ same)
    seen = drawn.stimulus_nats is not None
    without_stimulus = float(drawn.weight_without_stimulus @ same) if seen else None
    alone = drawn.weight_without_echoes
    without_echoes = None if alone is None else float(alone @ same)
    before = float(drawn.weight @ same)
    evidence = masses_by_evidence(before, waveforms, without_stimulus, without_echoes)
    return float(posterior.weight @ same), posterior.standard_error(same), before, evidence


def _means(sorting: ShownSorting, waveforms: ComponentWaveforms | None) -> list[NDArray[np.float32] | None]:
    if waveforms is None:
        return [None] * len(sorting.units)
    means: list[NDArray[np.float32] | None] = []
    for row in range(len(sorting.units)):
        own = sorting.sampled_labels == row
        means.append(waveforms.waveforms[own].mean(axis=0) if own.any() else None)
    return means
