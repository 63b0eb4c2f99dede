"""Alternatives of a component: from draws over the sampled spikes to labels of every spike.

Draws are grouped into structurally different sortings (`core.alternatives`); those that are the same
without their small clusters are one. Sortings of less than 1 % of the draws are not shown (they
count as "other"), unless there is nothing else. For each of the rest:

1. *Consensus.* Its clusters are those of its representative. Each spike is in the cluster that is most
   probable by its draws and by matching together, or in none, where most of its draws have it in none.
2. *Small clusters are dropped* (fewer than `min_cluster_spikes` sampled spikes), unless most of a unit of
   matching is in one: a neuron that fires rarely is one.
3. *All other spikes* are assigned (`assignment`): each to a cluster in which a part of its company is. The
   company of a spike are those that matching gave to the same unit; where nearly all of them are in one
   cluster, it is there too.
4. *Matching is one voice*: it says which unit a spike is of, with a probability, and the spikes of that unit
   say in which clusters it may be. Where both tell one unit from another, each mends the other: matching
   knows overlaps and all spikes, draws know which spikes are alike.
5. The *probability* of a sampled spike is the share of all draws in which it is in its cluster
   (`membership_probability`), that of another one the probability of the assignment.

Sortings that are the same after this too are one. The mass of each is the weight of the draws that are it
(`evidence.draws_by_alternative`). One without any unit is shown only where it is the most probable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import SortingMode, group_alternatives, same_sortings
from ncpgui.core.component import Alternative
from ncpgui.core.partition import by_size, cluster_sizes, contingency
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.draws_by_alternative import ranked
from ncpgui.sorting.assignment import assign, fit_clusters
from ncpgui.sorting.config import SortingConfig

PARTNER_JACCARD = 0.5
MIN_MASS = 0.01
MAX_SHOWN = 9
MIN_COMPANY = 0.02
"""A spike may be in a cluster that has at least this share of the spikes of its unit."""
NOISE_EXCESS = 2.0
"""Clusters whose troughs exceed a threshold u by less than this over u are noise; see `_are_noise`."""


def build_alternatives(
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    features: NDArray[np.float32],
    config: SortingConfig,
    *,
    company: NDArray[np.integer] | None = None,
    sure: NDArray[np.floating] | None = None,
    held: NDArray[np.integer] | None = None,
) -> tuple[Alternative, ...]:
    """Sort all n spikes of a component in each way that the posterior of m of them knows.

    Parameters
    ----------
    sampled : (m,) positions of the posterior's points among the n spikes
    features : (n, d) coordinates of all spikes for the assignment
    company : (n,) unit that matching gave each spike to, -1 = none; one for all when left out
    sure : (n,) P(each spike is of that unit); matching has no voice about sampled spikes when left out
    held : (n,) labels of spikes that stay together and apart from other held labels, -1 = free

    Returns
    -------
    the most probable first, at most `MAX_SHOWN`; labels in order of cluster size
    """
    fixed = np.full(len(features), -1) if held is None else np.asarray(held)
    if company is None:
        company = np.zeros(len(features), np.int64)
        known = np.full(len(sampled), -1)
    else:
        known = company[sampled]
    small = Small(config.min_cluster_spikes, fixed[sampled], known)
    modes = _candidates(posterior, small)
    made = [_alternative(mode, posterior, sampled, features, company, sure, fixed, small) for mode in modes]
    shown = ranked(made, posterior, sampled, min_spikes=config.min_cluster_spikes)
    return tuple(alternative for alternative in shown if alternative.n_units or alternative is shown[0])


def first_clusters(
    posterior: PosteriorSamples, config: SortingConfig, *, depth_sd: NDArray[np.floating]
) -> NDArray[np.int64]:
    """Clusters of the most probable sorting, without small ones and those of noise: (m,), -1 = none.

    depth_sd : (m,) trough of each spike on the main channel, noise sd. Clusters hardly deeper than the
        detection threshold are noise: Gaussian noise that crosses a threshold u exceeds it by 1/u on
        average, a neuron of any amplitude by far more.
    """
    free = np.full(posterior.n_points, -1)
    small = Small(config.min_cluster_spikes, free, free)
    core = _consensus(_candidates(posterior, small)[0], posterior, small)
    return _without(_are_noise(core, depth_sd, config.threshold_sd), core)


def membership_probability(posterior: PosteriorSamples, labels: NDArray[np.integer]) -> NDArray[np.float32]:
    """P(each spike belongs to its cluster of `labels`): (m,), 0 where unassigned.

    The weight of the draws in which the spike is in a cluster that stands for its own. A cluster of
    a draw and one of `labels` stand for each other when either is the other's largest overlap. So a
    draw that merges two units, or splits one, does not make their spikes doubtful (that is
    `exists_probability`); a draw that moves a spike to another unit does.
    """
    result = np.zeros(posterior.n_points, dtype=np.float32)
    assigned = np.flatnonzero(labels >= 0)
    for row, weight in zip(posterior.labels, posterior.weight, strict=True):
        table = contingency(row, labels)
        stands = np.zeros(table.shape, dtype=bool)
        stands[np.arange(table.shape[0]), table.argmax(axis=1)] = True
        stands[table.argmax(axis=0), np.arange(table.shape[1])] = True
        result[assigned] += np.float32(weight) * stands[row[assigned], labels[assigned]]
    return np.minimum(result, 1)


def counted_once(
    alternatives: Sequence[Alternative], again: NDArray[np.integer] | None
) -> tuple[Alternative, ...]:
    """Return sortings in which spikes that were found a second time are in no unit.

    again : (k,) their positions; None where there are none
    """
    if again is None:
        return tuple(alternatives)
    changed = []
    for one in alternatives:
        labels, probability = one.labels.copy(), one.probability.copy()
        labels[again], probability[again] = -1, 0
        changed.append(replace(one, labels=labels, probability=probability))
    return tuple(changed)


def exists_probability(posterior: PosteriorSamples, labels: NDArray[np.integer]) -> NDArray[np.float32]:
    """P(each cluster of `labels` is there): (K,), draws with a partner of Jaccard overlap >= 0.5."""
    sizes = cluster_sizes(labels)
    result = np.zeros(len(sizes))
    if len(sizes) == 0:
        return result.astype(np.float32)
    for row, weight in zip(posterior.labels, posterior.weight, strict=True):
        table = contingency(row, labels)
        union = np.bincount(row)[:, None] + sizes[None] - table
        result += weight * ((table / np.maximum(union, 1)).max(axis=0) >= PARTNER_JACCARD)
    return np.minimum(result, 1).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Small:
    """Which clusters of sampled spikes are too small to be units.

    min_spikes : that a cluster needs; held : (m,) labels of spikes that stay together, -1 = free: they are in
    no small cluster; unit : (m,) of matching, -1 = none: most of one is no small cluster
    """

    min_spikes: int
    held: NDArray[np.integer]
    unit: NDArray[np.integer]

    def dropped(self, labels: NDArray[np.integer]) -> NDArray[np.int64]:
        """Labels (m,) without small clusters, the others numbered anew."""
        small = cluster_sizes(labels) < self.min_spikes
        small[np.unique(labels[(self.held >= 0) & (labels >= 0)])] = False
        inside = contingency(labels, self.unit)
        most = (inside > 0.5 * cluster_sizes(self.unit)[: inside.shape[1]]).any(axis=1)
        small[np.flatnonzero(most)] = False
        return _without(small, labels)


def _candidates(posterior: PosteriorSamples, small: Small) -> list[SortingMode]:
    """Sortings to show: those that differ without their small clusters and are not too rare."""
    found = group_alternatives(posterior, max_shown=posterior.n_samples)
    same = same_sortings(np.array([small.dropped(mode.labels) for mode in found]))
    alike: dict[int, list[SortingMode]] = {}
    for number, mode in enumerate(found):
        leader = next((other for other in alike if same[number, other]), number)
        alike.setdefault(leader, []).append(mode)
    modes = [_united(group, posterior) for group in alike.values()]
    modes.sort(key=lambda mode: -mode.mass)
    return [mode for mode in modes if mode.mass >= MIN_MASS][:MAX_SHOWN] or modes[:1]


def _united(modes: list[SortingMode], posterior: PosteriorSamples) -> SortingMode:
    """Several modes as one, represented by the first."""
    mass = sum(mode.mass for mode in modes)
    members = np.concatenate([mode.members for mode in modes])
    return SortingMode(modes[0].labels, mass, posterior.standard_error(members), members)


def _alternative(
    mode: SortingMode,
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    features: NDArray[np.float32],
    company: NDArray[np.integer],
    sure: NDArray[np.floating] | None,
    held: NDArray[np.integer],
    small: Small,
) -> Alternative:
    core = _consensus(mode, posterior, small)
    labels = np.full(len(features), -1, dtype=np.int64)
    probability = np.zeros(len(features), dtype=np.float32)
    if core.max(initial=-1) >= 0:
        clusters = fit_clusters(features[sampled], core)
        voice = _voice(company, sure, sampled, core, clusters.weight)
        labels[:], probability[:] = assign(features, clusters, voice)
        if sure is not None and len(clusters.weight) > 1:
            by_draws = posterior.subset(mode.members).membership(core)
            core = _by_both(core, by_draws, voice[sampled] / clusters.weight, small)
        in_core = core >= 0
        labels[sampled[in_core]] = core[in_core]
        probability[sampled[in_core]] = membership_probability(posterior, core)[in_core]
    labels = _hold(labels, held, core, sampled)
    probability[held >= 0] = 1
    exists = exists_probability(posterior, labels[sampled])
    number, former = by_size(labels)
    exists = np.pad(exists, (0, len(former) - len(exists)), constant_values=1)
    return Alternative(number.astype(np.int32), probability, mode.mass, mode.mass_se, exists[former])


def _consensus(mode: SortingMode, posterior: PosteriorSamples, small: Small) -> NDArray[np.int64]:
    """Cluster of each sampled spike, 0 .. K-1 without gaps, -1 where most draws of the mode say none."""
    reference = small.dropped(mode.labels)
    share = posterior.subset(mode.members).membership(reference)
    if share.shape[1] == 0:
        return reference
    labels = share.argmax(axis=1).astype(np.int64)
    labels[share.max(axis=1) < 0.5] = -1
    labels[small.held >= 0] = reference[small.held >= 0]
    return small.dropped(labels)


def _by_both(
    core: NDArray[np.int64], by_draws: NDArray[np.floating], odds: NDArray[np.float64], small: Small
) -> NDArray[np.int64]:
    """Most probable cluster of each spike by draws and matching together; as they were if one empties.

    odds : (m, K) what matching says, against what holds of all spikes: draws know how large clusters are
    """
    free = (core >= 0) & (small.held < 0)
    labels = core.copy()
    labels[free] = (by_draws * odds)[free].argmax(axis=1)
    kept = len(np.unique(labels[labels >= 0])) == by_draws.shape[1]
    return labels if kept else core


def _voice(
    company: NDArray[np.integer],
    sure: NDArray[np.floating] | None,
    sampled: NDArray[np.int64],
    core: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> NDArray[np.float64]:
    """What matching says of each spike: how probable each cluster is for it, (n, K).

    A unit speaks for the clusters in which its sampled spikes are, each in proportion, but for none that has
    less than `MIN_COMPANY` of them. Where each of these has a counterpart among the units, with a Jaccard
    overlap above `PARTNER_JACCARD`, it speaks for its own counterpart alone. That is as sure as the spike is
    of its unit. For the rest, and where no spike of a unit was sampled, the clusters' weights (K,) stand.

    company, sure : as of `build_alternatives`; core : (m,) cluster of each sampled spike, -1 = none
    """
    names, place = np.unique(company, return_inverse=True)
    table = np.zeros((len(names), len(weight) + 1))
    np.add.at(table, (place[sampled], core), 1)  # none, -1, is the last column
    size, inside = table.sum(axis=1, keepdims=True), table[:, :-1]
    share = inside / np.maximum(size, 1)
    may_be = share >= MIN_COMPANY
    if sure is None:
        voice = share[place]
    else:
        counterpart = inside > PARTNER_JACCARD * (size + inside.sum(axis=0) - inside)
        counterpart[names < 0] = False
        is_one = counterpart.any(axis=0)
        tells = counterpart.any(axis=1) & (is_one | ~may_be).all(axis=1)
        share[tells] = counterpart[tells]
        known = np.asarray(sure, dtype=np.float64)[:, None]
        voice = known * share[place] + (1 - known) * weight
    return np.asarray(np.where((size > 0)[place], voice * may_be[place], weight))


def _are_noise(
    core: NDArray[np.int64], depth_sd: NDArray[np.floating], threshold_sd: float
) -> NDArray[np.bool_]:
    """Whether each cluster of `core` holds noise that crossed the threshold: (K,).

    The mean excess of a local minimum of Gaussian noise is close to 1/threshold. A neuron of
    amplitude a exceeds it by a - threshold, and one below the threshold by what of its spread of
    one sd or more gets across: 0.64 sd for a = 4 at 4.5.
    """
    known = core >= 0
    sizes = cluster_sizes(core)
    excess = np.bincount(core[known], depth_sd[known], minlength=len(sizes)) / sizes - threshold_sd
    return np.asarray(excess < NOISE_EXCESS / threshold_sd)


def _without(dropped: NDArray[np.bool_], labels: NDArray[np.integer]) -> NDArray[np.int64]:
    """Labels with the clusters of `dropped` (K,) set to -1 and the others numbered anew."""
    number = np.append(np.where(dropped, -1, np.cumsum(~dropped) - 1), -1)
    return np.asarray(number[labels], dtype=np.int64)


def _hold(
    labels: NDArray[np.int64],
    held: NDArray[np.integer],
    core: NDArray[np.int64],
    sampled: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Give every held spike the cluster of the sampled spikes held with it, a new one if there are none."""
    result = labels.copy()
    for label in np.unique(held[held >= 0]):
        members = np.flatnonzero(held == label)
        with_it = core[held[sampled] == label]
        with_it = with_it[with_it >= 0]
        result[members] = np.bincount(with_it).argmax() if len(with_it) else result.max(initial=-1) + 1
    return result
