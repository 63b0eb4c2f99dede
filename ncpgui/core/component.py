"""What is known about the spikes of one component: posterior samples and alternatives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.order_agreement import order_spread
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.spikes import UNASSIGNED

Pairs = tuple[tuple[int, int], ...]
WAVEFORMS, TIMES, STIMULUS, ECHOES = "waveforms", "times", "stimulus", "echoes"
"""Kinds of evidence: the network alone; where all spikes lie and when they fire; what they respond to; which
are at a fixed lag from others."""


@dataclass(frozen=True)
class Alternative:
    """One way to sort all the spikes of a component.

    labels : (n,) int32, cluster of each spike of the component, -1 = none of them;
    probability : (n,) float32, P(the spike belongs to that cluster);
    mass, mass_se : probability of this sorting and its Monte Carlo standard error;
    p_exists : (n_units,) float32, share of all posterior samples in which the cluster has a
    partner with Jaccard >= 0.5;
    mass_waveforms : the mass as the network drew it, by waveforms of the sampled spikes alone, where other
        evidence weighs the samples too; else None;
    mass_without_stimulus : the mass by all evidence but the stimulus and echoes, where the stimulus says
        something; else None;
    mass_without_echoes : the mass by all evidence but echoes, where there are some; else None.
    """

    labels: NDArray[np.int32]
    probability: NDArray[np.float32]
    mass: float
    mass_se: float
    p_exists: NDArray[np.float32]
    mass_waveforms: float | None = None
    mass_without_stimulus: float | None = None
    mass_without_echoes: float | None = None

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def by_evidence(self) -> dict[str, float]:
        """The mass as each kind of evidence came to those before it: see `masses_by_evidence`."""
        return masses_by_evidence(
            self.mass, self.mass_waveforms, self.mass_without_stimulus, self.mass_without_echoes
        )


def units_of_alternative(
    now: NDArray[np.int64], alternative: Alternative, next_unit: int
) -> NDArray[np.int64]:
    """(n_units + 1,) number of each unit of an alternative, -1 at the end.

    A unit that it has as it is keeps its number; the others get `next_unit` and those after it.

    now : (n,) unit of each spike of the component, -1 = none
    """
    table = np.full(alternative.n_units + 1, UNASSIGNED, dtype=np.int64)
    for cluster in range(alternative.n_units):
        inside = np.unique(now[alternative.labels == cluster])
        if len(inside) == 1 and inside[0] >= 0 and (alternative.labels[now == inside[0]] == cluster).all():
            table[cluster] = inside[0]
        else:
            table[cluster] = next_unit
            next_unit += 1
    return table


def masses_by_evidence(
    mass: float, waveforms: float | None, without_stimulus: float | None, without_echoes: float | None = None
) -> dict[str, float]:
    """A mass as each kind of evidence came to those before it, by name; {} where the network is all there is.

    waveforms, without_stimulus, without_echoes : as those of `Alternative`, None where there is no more
    """
    if waveforms is None:
        return {}
    seen = mass if without_echoes is None else without_echoes
    found = {WAVEFORMS: waveforms, TIMES: seen}
    if without_stimulus is not None:
        found |= {TIMES: without_stimulus, STIMULUS: seen}
    return found if without_echoes is None else found | {ECHOES: mass}


@dataclass(frozen=True, eq=False)
class Echoes:
    """Spikes of one unit that may be echoes of those of another: see `evidence.echoes`.

    spikes, sources : (k,) positions among the spikes of a component
    probability : P(they are)
    """

    spikes: NDArray[np.int64]
    sources: NDArray[np.int64]
    probability: float


@dataclass(frozen=True)
class Component:
    """Spikes of units that may be the same neuron, and the posterior over their clusterings.

    Parameters
    ----------
    id : its key in the project, unique; two components may share contacts, the reference contact too
    contacts : (C,) contacts of the waveforms (rows of the probe), the reference contact first
    spike_ids : (n,) rows of the recording's SpikeEvents, every spike of the component; their main channel
        may be any contact. A spike is in one component at most
    sampled : (m,) positions in `spike_ids` of the spikes that the network clustered
    posterior : samples over the m sampled spikes
    alternatives : the one shown first, then the most probable of the others; labels over all n spikes
    stands_for : (m,) float32, spikes of the component that each sampled one stands for, where some units were
        drawn more densely than others; None where all were drawn alike
    given : units that were held as they were while this posterior was sampled: its condition
    cut_from : ids of components that have a unit in doubt with one of this: together they would be too large
    echoes : which of its spikes may be echoes of others; the most probable first
    again : (k,) positions in `spike_ids` of spikes that were found a second time, in another unit: in every
        sorting but the given one they are in no unit. None without any
    elsewhere : (n,) float32, the share of the spikes of its cell that are in units of components in
        `cut_from`, as far as waveforms tell where tissue moved; None where nothing is known to be
    """

    id: int
    contacts: NDArray[np.int64]
    spike_ids: NDArray[np.int64]
    sampled: NDArray[np.int64]
    posterior: PosteriorSamples
    alternatives: tuple[Alternative, ...]
    given: tuple[int, ...] = ()
    stands_for: NDArray[np.float32] | None = None
    cut_from: tuple[int, ...] = ()
    echoes: tuple[Echoes, ...] = ()
    again: NDArray[np.int64] | None = None
    elsewhere: NDArray[np.float32] | None = None

    @property
    def channel(self) -> int:
        """Reference contact, where the component is shown on the probe."""
        return int(self.contacts[0])

    @cached_property
    def spikes_each(self) -> NDArray[np.float64]:
        """(m,) float64, spikes of the component that each sampled one stands for, in whatever units."""
        if self.stands_for is not None:
            return self.stands_for.astype(np.float64)
        m = len(self.sampled)
        return np.full(m, len(self.spike_ids) / max(m, 1))

    @cached_property
    def order_spread(self) -> float | None:
        """How much the order of the spikes moves the posterior: see `core.order_agreement`."""
        return order_spread(self.posterior)


@dataclass(frozen=True)
class WaitingComponent:
    """A component whose posterior is still to be sampled; `id`, `contacts`, `spike_ids` as in `Component`.

    contacts : at least the reference contact; the others may be chosen when it is sampled.
    """

    id: int
    contacts: NDArray[np.int64]
    spike_ids: NDArray[np.int64]

    @property
    def channel(self) -> int:
        """Reference contact, where the component is shown on the probe."""
        return int(self.contacts[0])


@dataclass(frozen=True)
class ComponentWaveforms:
    """Waveforms and encoder features of a component's sampled spikes; a cache that may be absent.

    waveforms : (m, 32, C) float32, noise sd, contacts in the order of `Component.contacts`;
    features : (m, d) float32, the network's encoding of each spike;
    coordinates : (n, e) float32, principal components of the waveforms of *all* spikes of the component,
    in which the spikes that were not sampled are assigned; None when they were not kept.
    """

    waveforms: NDArray[np.float32]
    features: NDArray[np.float32]
    coordinates: NDArray[np.float32] | None = None

    @property
    def is_at_hand(self) -> bool:
        """Whether they can be looked at: those that stay in a file cannot once somebody cut it short."""
        return True

    def some(self, rows: NDArray[np.integer]) -> NDArray[np.float32]:
        """`waveforms` of some of the sampled spikes; of those that stay in a file, no more are converted."""
        return self.waveforms[rows]


@dataclass(frozen=True, eq=False)
class Clamp:
    """What was decided of a component: spikes that stay together or apart in all draws under it.

    labels : (n,) int32, spikes of the component with one label stay together, and apart from other labels;
        -1 = free
    must_link, cannot_link : pairs of sampled spikes, positions in `Component.sampled`, that share a cluster,
        or do not; of all other spikes they say nothing
    """

    labels: NDArray[np.int32]
    must_link: Pairs = ()
    cannot_link: Pairs = ()

    @property
    def is_all(self) -> bool:
        """Whether no spike is free."""
        return bool((self.labels >= 0).all())
