"""From a project and a person's decisions to what is exported."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import ncpgui
from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.errors import InputError
from ncpgui.core.group import ChannelGroup
from ncpgui.core.partition import canonical, contingency
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.features import spike_features, with_all_waveforms
from ncpgui.export.templates import templates_from_waveforms

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed

MIN_JACCARD = 0.5
"""Overlap from which a cluster of a sample counts as the unit (as `Alternative.p_exists`)."""


def bundle_of(
    project: Project,
    *,
    unit_of_spike: NDArray[np.int64] | None = None,
    probability: NDArray[np.float32] | None = None,
    labels: Mapping[int, str] | None = None,
    accepted: Collection[int] = (),
    unit_before_merges: NDArray[np.int64] | None = None,
    min_probability: float = 0.0,
    with_features: bool = False,
    traces: Preprocessed | None = None,
    progress: Progress = silent,
) -> ExportBundle:
    """Gather the spikes that are in a unit, with templates, probabilities and alternatives.

    Parameters
    ----------
    unit_of_spike, probability : (n_spikes,) as curated; the project's own when left out
    labels : unit -> good, mua, noise or unsorted
    accepted : units that a person accepted (locked)
    unit_before_merges : (n_spikes,) as `curation.decisions.Decisions`; None when nothing was merged
    min_probability : spikes below are left unassigned, and out of the export
    with_features : whether to compute the features of every spike, where its waveform can be had
    traces : of the recording, for waveforms that are not in the cache; without, the cache must do

    Raises
    ------
    InputError
        Arrays that do not fit the project's spikes.
    """
    units = np.asarray(project.unit_of_spike if unit_of_spike is None else unit_of_spike, dtype=np.int64)
    sure = np.asarray(project.probability if probability is None else probability, dtype=np.float32)
    if not len(units) == len(sure) == len(project.spikes):
        raise InputError(
            f"curation does not fit: {len(project.spikes)} spikes, {len(units)} unit ids, "
            f"{len(sure)} probabilities; give one of each a spike"
        )
    units = np.where(sure >= min_probability, units, -1)
    entropy = assignment_entropy(project, units, sure)
    if traces is not None:
        project = with_all_waveforms(project, traces, progress=portion(progress, 0, 1, 2))
    keep = np.flatnonzero(units >= 0)
    ids = np.unique(units[keep])
    main = main_channels(project, units)
    sorting = Sorting(
        sample_index=project.spikes.sample_index[keep],
        unit_id=units[keep],
        sampling_frequency_hz=project.spikes.sampling_frequency_hz,
        n_samples=project.spikes.n_samples,
        probability=sure[keep],
        entropy=entropy[keep],
        labels={int(u): (labels or {}).get(int(u), "unsorted") for u in ids},
        p_exists=p_exists(project, units, main),
        main_channel=main,
    )
    features = None
    if with_features:
        rest = portion(progress, 1, 2, 2)
        features = spike_features(project, keep, units[keep], main, traces=traces, progress=rest)
    return ExportBundle(
        sorting=sorting,
        probe=project.probe,
        recording=project.recording,
        amplitude=project.spikes.amplitude[keep],
        noise_sd=project.noise_sd,
        templates=templates_from_waveforms(project, units),
        features=features,
        unit_before_merges=None if unit_before_merges is None else unit_before_merges[keep],
        ncp=ncp_block(project, main, accepted),
        groups=project.groups,
        spikes=project.spikes,
    )


def main_channels(project: Project, units: NDArray[np.int64]) -> dict[int, int]:
    """Channel on which most spikes of each unit were detected."""
    keep = units >= 0
    ids, index = np.unique(units[keep], return_inverse=True)
    n_channels = project.probe.n_channels
    table = np.bincount(index * n_channels + project.spikes.channel[keep], minlength=len(ids) * n_channels)
    best = table.reshape(len(ids), n_channels).argmax(axis=1)
    return {int(unit): int(channel) for unit, channel in zip(ids, best, strict=True)}


def p_exists(project: Project, units: NDArray[np.int64], main: Mapping[int, int]) -> dict[int, float]:
    """Share of the posterior of a unit's main group in which a cluster overlaps it by `MIN_JACCARD`.

    Only sampled spikes count. A unit with none in that group gets 0: the posterior never saw it.
    """
    result = dict.fromkeys(main, 0.0)
    for group in project.groups:
        here = units[group.spike_ids[group.sampled]]
        own = [unit for unit, channel in main.items() if channel == group.channel]
        if not own or len(here) == 0:
            continue
        codes = np.unique(here, return_inverse=True)
        position = {int(unit): row for row, unit in enumerate(codes[0])}
        present = [unit for unit in own if unit in position]
        rows = [position[unit] for unit in present]
        sizes = np.bincount(codes[1])[rows]
        found = np.zeros(len(rows))
        for sample, weight in zip(group.posterior.labels, group.posterior.weight, strict=True):
            table = contingency(codes[1], sample)[rows]
            union = sizes[:, None] + np.bincount(sample, minlength=table.shape[1])[None] - table
            found += weight * ((table / np.maximum(union, 1)).max(axis=1) >= MIN_JACCARD)
        result.update({unit: round(min(float(p), 1.0), 9) for unit, p in zip(present, found, strict=True)})
    return result


def assignment_entropy(
    project: Project, units: NDArray[np.int64], probability: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Entropy of each spike's assignment in nats: (n_spikes,).

    For spikes that the network clustered, over the units of their group as they are now (what the
    samples put elsewhere counts as one more); for the others, of "in this unit" against "not".
    """
    result = _entropy(np.stack([probability, 1 - probability], axis=1))
    for group in project.groups:
        ids = group.spike_ids[group.sampled]
        reference = canonical(units[ids])
        if (reference >= 0).any():
            member = group.posterior.membership(reference)
            result[ids] = _entropy(np.column_stack([member, 1 - member.sum(axis=1)]))
    return result


def ncp_block(project: Project, main: Mapping[int, int], accepted: Collection[int]) -> dict[str, Any]:
    """Plain values about the posterior: per group P(K), alternatives and what was accepted."""
    return {
        "program": f"ncpgui {ncpgui.__version__}",
        "model": project.model,
        "groups": [_group_block(group, main, accepted) for group in project.groups],
    }


def _group_block(group: ChannelGroup, main: Mapping[int, int], accepted: Collection[int]) -> dict[str, Any]:
    shares = group.posterior.p_n_clusters(min_size=min_unit_size(group.posterior.n_points))
    return {
        "channel": int(group.channel),
        "n_spikes": len(group.spike_ids),
        "n_sampled": len(group.sampled),
        "unit_ids": sorted(unit for unit, channel in main.items() if channel == group.channel),
        "given": list(group.given),
        "p_n_units": {str(k): round(share, 6) for k, share in shares.items()},
        "alternatives": [
            {"n_units": a.n_units, "mass": round(a.mass, 6), "se": round(a.mass_se, 6)}
            for a in group.alternatives
        ],
        "accepted": sorted(int(u) for u in accepted if main.get(int(u)) == group.channel),
    }


def _entropy(shares: NDArray[np.floating]) -> NDArray[np.float32]:
    p = np.clip(np.asarray(shares, dtype=np.float64), 0.0, 1.0)
    terms = np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0)
    entropy: NDArray[np.float32] = np.maximum(-terms.sum(axis=1), 0.0).astype(np.float32)
    return entropy
