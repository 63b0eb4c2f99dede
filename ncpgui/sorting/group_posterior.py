"""Alternatives of a channel group: from draws over the sampled spikes to labels of every spike.

Draws are grouped into structurally different sortings (`core.alternatives`); those that are the same
without their small clusters are one. Sortings of less than 1 % of the draws are not shown (they
count as "other"), unless there is nothing else. For each of the rest:

1. *Consensus.* Its clusters are those of its representative draw, each spike in the cluster that
   most of its draws put it in. Single draws scatter doubtful spikes at random; the consensus does not.
2. *Small clusters are dropped* (fewer than `min_cluster_spikes` sampled spikes).
3. *All other spikes* are assigned to the clusters or to none (`assignment`).
4. The *probability* of a sampled spike is the share of all draws in which it is in its cluster
   (`membership_probability`), that of another one the probability of the assignment.

Sortings that are the same after this too are one, with the sum of their masses.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import SortingMode, group_alternatives, same_sorting
from ncpgui.core.group import Alternative
from ncpgui.core.partition import cluster_sizes, contingency
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.assignment import assign, fit_clusters
from ncpgui.sorting.config import SortingConfig

PARTNER_JACCARD = 0.5
MIN_MASS = 0.01
MAX_SHOWN = 9


def build_alternatives(
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    features: NDArray[np.float32],
    config: SortingConfig,
    *,
    held: NDArray[np.integer] | None = None,
) -> tuple[Alternative, ...]:
    """Sort all n spikes of a group in each way that the posterior of m of them knows.

    Parameters
    ----------
    sampled : (m,) positions of the posterior's points among the n spikes
    features : (n, d) coordinates of all spikes for the assignment
    held : (n,) labels of spikes that stay together and apart from other held labels, -1 = free

    Returns
    -------
    the most probable first, at most `MAX_SHOWN`; labels in order of cluster size
    """
    fixed = np.full(len(features), -1) if held is None else np.asarray(held)
    modes = _candidates(posterior, fixed[sampled], config)
    shown: list[Alternative] = []
    for mode in modes:
        alternative = _alternative(mode, posterior, sampled, features, fixed, config)
        for index, other in enumerate(shown):
            if same_sorting(other.labels, alternative.labels, min_jaccard=config.min_jaccard):
                shown[index] = _with_mass(other, other.mass + alternative.mass, posterior)
                break
        else:
            shown.append(alternative)
    shown.sort(key=lambda alternative: -alternative.mass)
    return tuple(shown)


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


def _candidates(
    posterior: PosteriorSamples, held: NDArray[np.integer], config: SortingConfig
) -> list[SortingMode]:
    """Sortings to show: those that differ without their small clusters and are not too rare."""
    found = group_alternatives(posterior, min_jaccard=config.min_jaccard, max_shown=posterior.n_samples)
    leaders: list[NDArray[np.int64]] = []
    alike: list[list[SortingMode]] = []
    for mode in found:
        large = _without_small(mode.labels, held, config.min_cluster_spikes)
        for leader, group in zip(leaders, alike, strict=True):
            if same_sorting(large, leader, min_jaccard=config.min_jaccard):
                group.append(mode)
                break
        else:
            leaders.append(large)
            alike.append([mode])
    modes = [_united(group, posterior) for group in alike]
    modes.sort(key=lambda mode: -mode.mass)
    return [mode for mode in modes if mode.mass >= MIN_MASS][:MAX_SHOWN] or modes[:1]


def _united(modes: list[SortingMode], posterior: PosteriorSamples) -> SortingMode:
    """Several modes as one, represented by the first."""
    mass = sum(mode.mass for mode in modes)
    members = np.concatenate([mode.members for mode in modes])
    return SortingMode(modes[0].labels, mass, _standard_error(mass, posterior), members)


def _standard_error(mass: float, posterior: PosteriorSamples) -> float:
    """Monte Carlo standard error of a probability estimated from the draws."""
    effective = 1.0 / float((posterior.weight**2).sum())
    return float(np.sqrt(max(mass * (1 - mass), 0.0) / effective))


def _alternative(
    mode: SortingMode,
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    features: NDArray[np.float32],
    held: NDArray[np.integer],
    config: SortingConfig,
) -> Alternative:
    core = _consensus(mode, posterior, held[sampled], config.min_cluster_spikes)
    labels = np.full(len(features), -1, dtype=np.int64)
    probability = np.zeros(len(features), dtype=np.float32)
    if core.max(initial=-1) >= 0:
        clusters = fit_clusters(features[sampled], core, none_quantile=config.none_quantile)
        assigned, sure = assign(features, clusters)
        labels[:], probability[:] = assigned, sure
        in_core = core >= 0
        labels[sampled[in_core]] = core[in_core]
        probability[sampled[in_core]] = membership_probability(posterior, core)[in_core]
    labels = _hold(labels, held, core, sampled)
    probability[held >= 0] = 1
    exists = exists_probability(posterior, labels[sampled])
    sizes = cluster_sizes(labels)
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[order] = np.arange(len(sizes))
    final = np.where(labels >= 0, rank[labels] if len(sizes) else -1, -1).astype(np.int32)
    exists = np.pad(exists, (0, len(sizes) - len(exists)), constant_values=1)
    return Alternative(final, probability, mode.mass, mode.mass_se, exists[order])


def _consensus(
    mode: SortingMode, posterior: PosteriorSamples, held: NDArray[np.integer], min_spikes: int
) -> NDArray[np.int64]:
    """Cluster of each sampled spike, 0 .. K-1 without gaps, -1 where most draws of the mode say none."""
    reference = _without_small(mode.labels, held, min_spikes)
    own = PosteriorSamples(
        posterior.labels[mode.members], posterior.log_prob[mode.members], posterior.weight[mode.members]
    )
    share = own.membership(reference)
    if share.shape[1] == 0:
        return reference
    labels = share.argmax(axis=1).astype(np.int64)
    labels[share.max(axis=1) < 0.5] = -1
    labels[held >= 0] = reference[held >= 0]
    return _without_small(labels, held, min_spikes)


def _without_small(
    labels: NDArray[np.integer], held: NDArray[np.integer], min_spikes: int
) -> NDArray[np.int64]:
    """Clusters under `min_spikes` dropped unless they hold held spikes; the others numbered anew."""
    sizes = cluster_sizes(labels)
    keep = sizes >= min_spikes
    keep[np.unique(labels[(held >= 0) & (labels >= 0)])] = True
    number = np.append(np.where(keep, np.cumsum(keep) - 1, -1), -1)
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


def _with_mass(alternative: Alternative, mass: float, posterior: PosteriorSamples) -> Alternative:
    error = _standard_error(mass, posterior)
    return replace(alternative, mass=mass, mass_se=error)
