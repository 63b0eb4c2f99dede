"""What a merge or a split would do, in one line above the cards, before it is done.

P(one neuron) and P(split) are shares of the weighed draws (`ncpgui.evidence.merge_split_probability`). Close
pairs are spikes at refractory distances: within a neuron there are hardly any, between two about as many as
by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.lasso import Proposal
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.lasso import present_lasso, spikes_inside, units_to_split
from ncpgui.app.words import count, sentence, thousands
from ncpgui.core.component import Component
from ncpgui.core.errors import CurationError
from ncpgui.core.increasing import is_among
from ncpgui.core.percent import percent
from ncpgui.curation.split import lasso_split, split_as
from ncpgui.evidence.merge_split_probability import p_one_neuron, p_parted

MOST_MERGED = 6
MAX_LAG = 4
"""Samples of 20 kHz by which two templates are moved to find how far apart they are."""


@dataclass(frozen=True)
class Consequence:
    """A line, and the same in full."""

    text: str = ""
    tooltip: str = ""


NOTHING = Consequence()


def present_consequence(workspace: Workspace, tsne: NDArray[np.float32] | None) -> Consequence:
    """What there is to say: of the edit that is proposed, of the lasso, or of merging what is selected."""
    if workspace.state.project is None:
        return NOTHING
    if workspace.proposal is not None:
        return present_proposal(workspace, workspace.proposal)
    if workspace.lasso is not None:
        return Consequence(present_lasso(workspace, tsne))
    return present_merge(workspace)


# -- splits -----------------------------------------------------------------------------------


def propose_lasso_split(workspace: Workspace, tsne: NDArray[np.float32] | None) -> None:
    """Show what splitting the selected units along the lasso would make, or the one unit that it is around.

    Raises
    ------
    CurationError
        There is no lasso, or it splits nothing.
    """
    lasso, current = workspace.lasso, workspace.in_use()
    if current is None or lasso is None or not lasso.is_closed:
        raise CurationError(
            "draw a lasso first: Ctrl+click sets its corners in Embedding, Features or Over time"
        )
    units = units_to_split(workspace, lasso, tsne)
    found = spikes_inside(workspace, lasso, tsne, units)
    accepted = workspace.state.history.labels.accepted
    command = lasso_split(
        workspace.state.clustering, current.component, found.inside, units, accepted=accepted
    )
    note = ""
    if found.n_following:
        spikes = count(found.n_following, "spike")
        note = (
            f"{spikes} not drawn {'follows' if found.n_following == 1 else 'follow'} the most similar drawn"
        )
    workspace.propose(command, note)


def propose_split_as(workspace: Workspace) -> None:
    """Show what splitting the one selected unit as the alternative on screen would make.

    Raises
    ------
    CurationError
        No alternative is previewed, not one unit is selected, or the alternative does not split it.
    """
    component, index = workspace.component(), workspace.preview
    if component is None or index is None:
        raise CurationError("show an alternative that splits the unit first, with ] or its number")
    if len(workspace.selected) != 1:
        raise CurationError(
            f"select the one unit that is to be split as alternative {index + 1} does; "
            f"{len(workspace.selected)} are selected"
        )
    accepted = workspace.state.history.labels.accepted
    workspace.propose(
        split_as(workspace.state.clustering, component, index, workspace.selected[0], accepted=accepted),
        "no other unit changes",
    )


def present_proposal(workspace: Workspace, proposal: Proposal) -> Consequence:
    """Spikes of each part, P(split), and close pairs within the parts and across."""
    key = ("proposal", proposal.sorting.component.id, proposal.sorting.proposal)
    return workspace.state.remembered.get(key, lambda: _proposal(workspace, proposal))


def _proposal(workspace: Workspace, proposal: Proposal) -> Consequence:
    component = workspace.component()
    command = proposal.command
    parts = [unit for unit in proposal.sorting.units if unit.is_changed]
    first = proposal.sorting.component.spike_ids[[unit.positions[0] for unit in parts]]
    clusters = command.cluster[np.searchsorted(command.spike_ids, first)]
    ids = [command.spike_ids[command.cluster == cluster] for cluster in clusters]
    names = [unit.name for unit in parts]
    p = float("nan")
    if component is not None and any(points.any() for points in _points(component, ids)):
        p = p_parted(component.posterior, _points(component, ids), stands_for=component.spikes_each)
    close, chance = _close(workspace, ids)
    across = np.triu_indices(len(ids), 1)
    n_across, by_chance = int(close[across].sum()), float(chance[across].sum())
    sizes = " | ".join(f"{name}: {thousands(len(some))}" for name, some in zip(names, ids, strict=True))
    units = np.unique(workspace.state.clustering.unit_of_spike[command.spike_ids])
    told = (
        f"Split {' + '.join(map(str, units))}? {sizes} spikes",
        f"P(split) {_share(p)}",
        f"within 2 ms of each other across the parts {thousands(n_across)}, expected {by_chance:.0f}",
        "K or Enter does it, Esc leaves",
        proposal.note,
    )
    text = " · ".join(filter(None, told))
    lines = [
        f"{command.words.capitalize()}. Nothing is changed yet: K or Enter does it, Esc leaves it.",
        f"P(split), the share of the draws in which no two parts are one neuron: {_share(p)}.",
        *(
            f"{name}: {count(len(some), 'spike')}, {count(int(close[k, k]), 'pair')} of spikes 0.7 to 2 ms "
            f"apart, {chance[k, k]:.1f} by chance."
            for k, (name, some) in enumerate(zip(names, ids, strict=True))
        ),
        f"Across the parts: {count(n_across, 'pair')}, {by_chance:.1f} by chance. Two parts of one neuron "
        "have hardly any, two neurons about as many as by chance.",
    ]
    if proposal.note:
        lines.append(f"{sentence(proposal.note)}.")
    return Consequence(text, "\n".join(lines))


# -- merges -----------------------------------------------------------------------------------


def present_merge(workspace: Workspace) -> Consequence:
    """P(one neuron), close pairs before and after, and how far apart the templates are; '' for one unit."""
    units = tuple(sorted(workspace.selected))
    if len(units) < 2:
        return NOTHING
    if len(units) > MOST_MERGED:
        return Consequence(
            f"{count(len(units), 'unit')} selected; select {MOST_MERGED} or fewer to see what a merge does"
        )
    shared = set.intersection(*(set(workspace.state.places.components_of(unit)) for unit in units))
    if not shared:
        return _merge(workspace, units, None)
    where = workspace.component_id if workspace.component_id in shared else min(shared)
    component = workspace.component(where)
    return workspace.state.remembered.get(
        ("merge", where, units), lambda: _merge(workspace, units, component)
    )


def _merge(workspace: Workspace, units: tuple[int, ...], component: Component | None) -> Consequence:
    ids = [workspace.state.clustering.spikes_of(unit) for unit in units]
    names = " + ".join(map(str, units))
    close, chance = _close(workspace, ids)
    upper = np.triu_indices(len(units))
    before, after = np.diag(close), int(close[upper].sum())
    by_chance = float(chance[upper].sum())
    own = " | ".join(thousands(int(n)) for n in before)
    if component is None:
        together, apart = "one neuron: unknown, they were never sampled together", float("nan")
    else:
        p = p_one_neuron(component.posterior, _points(component, ids), stands_for=component.spikes_each)
        together, apart = f"one neuron {_share(p)}", _template_distance_sd(workspace, component, units)
    far = "" if np.isnan(apart) else f"templates {apart:.1f} noise sd apart"
    turns = _turns(workspace, ids)
    told = (
        f"Merge {names}? {together}",
        f"within 2 ms of each other counted together {thousands(after)}, expected {by_chance:.0f}",
        far,
        turns.text,
        "G merges",
    )
    text = " · ".join(filter(None, told))
    lines = [
        f"What merging {names} would do. {sentence(together)}: the share of the draws that "
        "have them in one cluster.",
        f"Pairs of spikes 0.7 to 2 ms apart: {own} in the units as they are, {thousands(after)} in all of "
        f"them together, where there would be {by_chance:.1f} by chance. One neuron has hardly any.",
    ]
    if far:
        lines.append(
            "Distance of the mean waveforms: the root of the sum of squared differences over samples and "
            "contacts, at the lag where they agree best"
            + (", of the two farthest." if len(units) > 2 else ".")
        )
    if turns.tooltip:
        lines.append(turns.tooltip)
    return Consequence(text, "\n".join(lines))


def _turns(workspace: Workspace, ids: Sequence[NDArray[np.integer]]) -> Consequence:
    """Whether units take turns over the places of the tissue, as pieces of one neuron do; '' if it stayed.

    ids : spikes of each unit
    """
    project = workspace.state.project
    assert project is not None
    if project.motion is None or not project.motion.applied:
        return NOTHING
    from ncpgui.ephys.motion import places_in_project
    from ncpgui.evidence.drift_turns import turns_nats  # these load SciPy, for most of a second
    from ncpgui.sorting.merge_across_drift import MIN_NATS

    places = places_in_project(project)
    if places is None or places.n_places == 1:
        return NOTHING
    sample_index = project.spikes.sample_index
    counts = [np.bincount(places.of(sample_index[some]), minlength=places.n_places) for some in ids]
    with_another = [
        any(turns_nats(one, other) > MIN_NATS for other in counts if other is not one) for one in counts
    ]
    text = "take turns as the tissue moves" if all(with_another) else "fire at the same places of the tissue"
    at_um = places.displacement_um.mean(axis=1)
    order = np.argsort(at_um)
    shown = " | ".join(" ".join(thousands(int(n)) for n in one[order]) for one in counts)
    tooltip = (
        f"Spikes at {places.n_places} places of the tissue, from {at_um[order[0]]:.0f} to "
        f"{at_um[order[-1]]:.0f} µm along the probe: {shown}. Pieces of one neuron take turns; two neurons "
        "fire at the same places."
    )
    return Consequence(text, tooltip)


def _template_distance_sd(workspace: Workspace, component: Component, units: Sequence[int]) -> float:
    """Distance of the mean waveforms of units, of the farthest two; nan where one has no waveform at hand."""
    from ncpgui.sorting.template_distance import likeness

    waveforms = workspace.waveforms(component.id)
    if waveforms is None:
        return float("nan")
    unit_of = workspace.state.clustering.unit_of_spike[component.spike_ids[component.sampled]]
    own = [unit_of == unit for unit in units]
    if not all(rows.any() for rows in own):
        return float("nan")
    means = np.stack([waveforms.waveforms[rows].mean(axis=0) for rows in own])
    return float(likeness(means, max_lag=MAX_LAG).distance.max())


# -- of both ----------------------------------------------------------------------------------


def _share(p: float) -> str:
    """A share of the draws: what no draw has may be possible all the same."""
    if np.isnan(p):
        return "unknown"
    return "in no draw" if p == 0 else percent(p)


def _points(component: Component, ids: Sequence[NDArray[np.int64]]) -> list[NDArray[np.bool_]]:
    """Points of the posterior that are of each set of spikes: (m,) bool each."""
    points = component.spike_ids[component.sampled]
    return [is_among(points, some) for some in ids]


def _close(
    workspace: Workspace, ids: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Close pairs of sets of spikes, and as many as by chance: (K, K) each."""
    from ncpgui.analysis.correlograms import close_pairs

    assert workspace.state.project is not None
    project = workspace.state.project
    trains = [project.fired[some] for some in ids]
    return close_pairs(trains, sampling_frequency_hz=project.spikes.sampling_frequency_hz)
