"""Decisions that the posterior makes by itself: sortings that are probable enough are used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import number
from ncpgui.core.component import Component
from ncpgui.core.errors import InputError
from ncpgui.core.project import Project
from ncpgui.curation.adopt import adopt_command
from ncpgui.curation.commands import SetLabel
from ncpgui.curation.history import History
from ncpgui.evidence.tempered import has_few_draws

SMALL_SD = 4.0
"""A part whose mean waveform is not deeper than this, in noise sd, is what no sorter looks for."""
FEW = 2
"""A part of fewer spikes than this times the least of a cluster (`Project.min_cluster_spikes`) is no unit
unless somebody says so: in simulated recordings such parts were pieces of cells."""
LITTLE = 0.2
"""Where tissue moved, a unit may lose a smaller part than this. A larger one may be what motion left."""


def with_probable_sortings(project: Project, least: float) -> tuple[Project, tuple[str, ...]]:
    """Return the project in which each component is sorted in a way that is probable enough, if it has one.

    Each decision is an edit in the history, which can be undone like any other. What a split takes off a unit
    is labelled noise, by an edit too, where its waveform is small or its spikes are few, and what is left of
    the unit where its waveform is small and the unit was more probably no cell. Components of which few draws
    count, and beams, whose weights are no probabilities, are left to people. So are those in which a unit
    would lose more than a little where the tissue moved: what motion leaves in waveforms parts cells.

    Parameters
    ----------
    project : a new one, of which nothing was decided
    least : probability from which on a sorting is used, above 0.5 and at most 1

    Returns
    -------
    The project, and what was decided, in words, in order of the components.

    Raises
    ------
    InputError
        `least` is no such probability.
    """
    least = number(least, "the probability from which on decisions are made")
    if not 0.5 < least <= 1:
        raise InputError(
            f"decisions are made by themselves from a probability above 0.5 to 1, got {least:g}: at 0.5 "
            "two sortings of the same spikes could be probable enough"
        )
    has_moved = project.motion is not None and project.motion.applied
    history, decided = History.of(replace(project, history=())), []
    for component in project.components:
        best = max(component.alternatives, key=lambda one: one.mass, default=None)
        posterior = component.posterior
        if best is None or best.mass < least or posterior.sampler == "beam" or has_few_draws(posterior):
            continue
        command = adopt_command(history.clustering, component, best)
        if command is None:
            continue
        share = ">99" if best.mass > 0.99 else str(int(100 * best.mass))
        alone = f"by itself at {share} %"
        words = f"{command.words}, {alone}"
        command = adopt_command(history.clustering, component, best, words=words)
        assert command is not None
        before = history.clustering.unit_of_spike[component.spike_ids]
        neuron = None if project.p_neuron is None else project.p_neuron[component.spike_ids]
        parts_off = partial(
            taken_off,
            p_neuron=neuron,
            depth_of=_depth_of(project, component),
            least_spikes=FEW * project.min_cluster_spikes,
        )
        if has_moved and _loses_much(before, best.labels, parts_off(before, best.labels)):
            continue
        history.do(command)
        decided.append(words)
        after = history.clustering.unit_of_spike[component.spike_ids]
        off = parts_off(before, after)
        if off:
            label = SetLabel(off, "noise", why=alone)
            history.do(label)
            decided.append(label.words)
    return replace(project, history=(*project.history, *history.entries)), tuple(decided)


def parts_of(before: NDArray[np.integer], after: NDArray[np.integer]) -> dict[int, float]:
    """Units that are parts of a unit of before of which another part is larger: unit -> share of that unit.

    before, after : (n,) unit of each spike, -1 = none
    """
    found = {}
    for unit in np.unique(after[after >= 0]).tolist():
        homes, counts = np.unique(before[after == unit], return_counts=True)
        home, most = homes[counts.argmax()], counts.max()
        if home < 0 or 2 * most <= counts.sum():
            continue
        parts, sizes = np.unique(after[(before == home) & (after >= 0)], return_counts=True)
        if parts[sizes.argmax()] != unit:
            found[int(unit)] = float(most / np.count_nonzero(before == home))
    return found


def taken_off(
    before: NDArray[np.integer],
    after: NDArray[np.integer],
    p_neuron: NDArray[np.floating] | None = None,
    depth_of: Callable[[NDArray[np.bool_]], float] | None = None,
    least_spikes: int = 0,
) -> tuple[int, ...]:
    """Parts of units that are no units by themselves, increasing (`parts_of`), and what is left of noise.

    A part is none where it has fewer than `least_spikes`; where its mean waveform is small (`SMALL_SD`), or,
    where that is unknown, its unit was more probably no cell. The largest part is none where both hold: a
    unit of noise may hide a cell.

    p_neuron : (n,) P(the unit of each spike is of cells)
    depth_of : depth of the mean waveform of some of the spikes, (n,) bool, in noise sd; inf where unknown
    """
    found = set()
    for unit in parts_of(before, after):
        own = after == unit
        home = np.bincount(before[own & (before >= 0)]).argmax()
        largest = np.bincount(after[(before == home) & (after >= 0)]).argmax()
        for one, is_part in ((unit, True), (int(largest), False)):
            spikes = after == one
            depth = np.inf if depth_of is None else depth_of(spikes)
            is_small = depth < SMALL_SD
            is_few = is_part and int(spikes.sum()) < least_spikes
            no_cell = p_neuron is not None and float(p_neuron[spikes].mean()) < 0.5
            by_either = is_small or (no_cell and np.isinf(depth))
            if is_few or (by_either if is_part else is_small and no_cell):
                found.add(one)
    return tuple(sorted(found))


def _loses_much(before: NDArray[np.integer], after: NDArray[np.integer], off: tuple[int, ...]) -> bool:
    """Whether a unit loses more than a little, but for what is no unit (`taken_off`)."""
    return any(share >= LITTLE for unit, share in parts_of(before, after).items() if unit not in off)


def _depth_of(project: Project, component: Component) -> Callable[[NDArray[np.bool_]], float]:
    """`depth_of` of `taken_off`, by the sampled spikes of a component."""
    read = project.waveforms.get(component.id)

    def depth_of(own: NDArray[np.bool_]) -> float:
        sampled = own[component.sampled]
        if read is None or not sampled.any():
            return np.inf
        return float(-read.waveforms[sampled].mean(axis=0).min())

    return depth_of
