"""One neuron seen from several channels kept once.

Components are sorted apart, so a neuron can appear in two of them, in two ways.

*Second sighting.* One spike is detected on two channels, because they are farther apart than the
detection radius or the spike takes time to run along the axon. Two units are the same neuron when
at least `duplicate_share` of the smaller's spikes have one of the other's within `duplicate_ms`, and
their templates agree on the channels that both have (squared distance at most
`SIGHTING_DISTANCE` of the larger's energy, at the best lag). Chance does not do that: at 100 Hz
8 % of spikes have a partner within ±0.4 ms. The unit with the larger amplitude stays; the other's
coincident spikes are left unassigned, and so is what remains of it when that is too little for a unit.

An axon carries a spike farther than two groups have channels in common. There is no shape to compare
then, and most spikes of the smaller (`FAR_SHARE`) must coincide with those of the other, which must
have a larger amplitude by `FAR_RATIO`: neurons that fire in synchrony do so for a fifth of their spikes
or less. Units of different shanks are never one neuron. Second sightings are looked for once more when flips
have been joined: a neuron of two groups may be seen again in a third.

*Flip.* A neuron between two contacts has its main channel on the one or the other as the noise will
have it; each of its spikes is in one group. Two units are such a neuron when all of this holds:

1. their templates agree on the common channels: squared distance at most `flip_distance` of the
   larger's energy at the best lag;
2. a flip is plausible: both units see nearly the same trough on the two main channels, within
   `FLIP_MARGIN_SD` noise sd or `FLIP_MARGIN_SHARE` of the trough. (Noise of one sd a channel makes
   the chosen channel deeper by 1.1 sd on average.) Two neurons next to different contacts fail here
   however similar their shapes;
3. their spikes respect a common refractory period: with chance expectation E of pairs between
   `exclude_ms` and `REFRACTORY_MS`, not more than E/2 + 2 sqrt(E) + 1 are seen;
4. they do not bring together two units of one group, which the network told apart.

Pairs are joined in order of distance, the closest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from ncpgui.core.component import Component
from ncpgui.core.probe import Probe
from ncpgui.core.spikes import UNASSIGNED, SpikeEvents
from ncpgui.core.waveform_format import SAMPLING_FREQUENCY_HZ, TROUGH_SAMPLE
from ncpgui.sorting.config import SortingConfig

SIGHTING_DISTANCE = 0.5
FAR_SHARE = 0.6
FAR_RATIO = 1.5
MIN_SHARE_LEFT = 0.2
FLIP_MARGIN_SD = 3.0
FLIP_MARGIN_SHARE = 0.3
REFRACTORY_MS = 1.5
LAG_STEP = 0.25


@dataclass(frozen=True)
class _Unit:
    """A cluster of a group: times (n,) of its spikes (rows `ids`), template (32, C) on `channels`."""

    channel: int
    ids: NDArray[np.int64]
    times: NDArray[np.int64]
    template: NDArray[np.float32]
    channels: NDArray[np.int64]
    shank: int

    @property
    def trough(self) -> float:
        return -float(self.template[TROUGH_SAMPLE, 0])


def group_templates(group: Component, waveforms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean waveform of each cluster of the first alternative: (K, 32, C), from the sampled spikes (m, 32, C).

    Zeros for a cluster without a sampled spike.
    """
    labels = group.alternatives[0].labels[group.sampled]
    k = group.alternatives[0].n_units
    result = np.zeros((k, *waveforms.shape[1:]), dtype=np.float32)
    for cluster in range(k):
        members = waveforms[labels == cluster]
        if len(members):
            result[cluster] = members.mean(axis=0)
    return result


def combine(
    groups: Sequence[Component],
    templates: Mapping[int, NDArray[np.float32]],
    spikes: SpikeEvents,
    probe: Probe,
    config: SortingConfig,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Make one sorting of the first alternative of every group.

    Parameters
    ----------
    templates : component id -> (K, 32, C) mean waveforms, noise sd, on the component's contacts

    Returns
    -------
    unit_of_spike (n_spikes,) int64, -1 = unassigned, ids 0 .. in order of channel and size;
    probability (n_spikes,) float32, 0 where unassigned
    """
    assert probe.shank is not None
    probability = np.zeros(len(spikes), dtype=np.float32)
    units: list[_Unit] = []
    for group in sorted(groups, key=lambda group: group.id):
        shown = group.alternatives[0]
        probability[group.spike_ids] = shown.probability
        for cluster in range(shown.n_units):
            ids = group.spike_ids[shown.labels == cluster]
            template = templates[group.id][cluster]
            times, shank = spikes.sample_index[ids], int(probe.shank[group.channel])
            units.append(_Unit(group.channel, ids, times, template, group.contacts, shank))
    rate = spikes.sampling_frequency_hz
    alone = _first_sightings([[unit] for unit in units], rate, config)
    joined = _joined_flips([unit for (unit,) in alone], spikes, config)
    unit_of_spike = np.full(len(spikes), UNASSIGNED, dtype=np.int64)
    for number, members in enumerate(_first_sightings(joined, rate, config)):
        for unit in members:
            unit_of_spike[unit.ids] = number
    probability[unit_of_spike == UNASSIGNED] = 0
    return unit_of_spike, probability


def _first_sightings(
    neurons: list[list[_Unit]], sampling_frequency_hz: float, config: SortingConfig
) -> list[list[_Unit]]:
    """Neurons (each of one or more units) without the spikes that another, larger one has too."""
    window = config.duplicate_ms * sampling_frequency_hz / 1000
    times = [np.sort(np.concatenate([unit.times for unit in neuron])) for neuron in neurons]
    troughs = [max(unit.trough for unit in neuron) for neuron in neurons]
    again = [[np.zeros(len(unit.ids), dtype=bool) for unit in neuron] for neuron in neurons]
    for small, large in _coinciding(times, window, config.duplicate_share):
        if neurons[small][0].shank != neurons[large][0].shank:
            continue
        weak, strong = (small, large) if troughs[small] < troughs[large] else (large, small)
        share = _has_partner(times[small], times[large], window).mean()
        distance = min(_distance(a, b, config) for a in neurons[small] for b in neurons[large])
        if np.isfinite(distance):
            seen_twice = share >= config.duplicate_share and distance <= SIGHTING_DISTANCE
        else:
            larger = troughs[large] >= FAR_RATIO * troughs[small]
            seen_twice = share >= max(FAR_SHARE, config.duplicate_share) and larger
        if seen_twice:
            for unit, seen in zip(neurons[weak], again[weak], strict=True):
                seen |= _has_partner(unit.times, times[strong], window)
    kept = []
    for neuron, seen_again in zip(neurons, again, strict=True):
        n_seen, n = int(sum(seen.sum() for seen in seen_again)), sum(len(unit.ids) for unit in neuron)
        if n_seen == 0 or n - n_seen >= max(config.min_cluster_spikes, MIN_SHARE_LEFT * n):
            kept.append(
                [
                    replace(unit, ids=unit.ids[~seen], times=unit.times[~seen])
                    for unit, seen in zip(neuron, seen_again, strict=True)
                ]
            )
    return kept


def _coinciding(times: list[NDArray[np.int64]], window: float, min_share: float) -> list[tuple[int, int]]:
    """Pairs of trains (smaller, larger) where enough of the smaller's spikes may coincide with the other's.

    Found from spikes that follow each other closely, so that not every pair of trains is compared.
    """
    n = len(times)
    owner = np.repeat(np.arange(n), [len(train) for train in times])
    everything = np.concatenate(times) if times else np.zeros(0, dtype=np.int64)
    order = np.argsort(everything, kind="stable")
    everything, owner = everything[order], owner[order]
    met = [owner[:0]]
    for step in range(1, len(everything)):
        near = np.flatnonzero(everything[step:] - everything[:-step] <= window)
        if len(near) == 0:
            break
        first, second = owner[near], owner[near + step]
        met.append(np.minimum(first, second) * n + np.maximum(first, second))
    pairs, counts = np.unique(np.concatenate(met), return_counts=True)
    result = []
    for (a, b), count in zip((divmod(pair, n) for pair in pairs.tolist()), counts, strict=True):
        small, large = (a, b) if len(times[a]) <= len(times[b]) else (b, a)
        if a != b and count >= min_share * len(times[small]):
            result.append((small, large))
    return result


def _joined_flips(units: list[_Unit], spikes: SpikeEvents, config: SortingConfig) -> list[list[_Unit]]:
    """Units as lists of those that are one neuron, in order of their first member."""
    candidates = []
    for i, j in _neighbouring_pairs(units):
        if _flip_is_plausible(units[i], units[j]) and _is_refractory(units[i], units[j], spikes, config):
            distance = _distance(units[i], units[j], config)
            if distance <= config.flip_distance:
                candidates.append((distance, i, j))
    member_of = list(range(len(units)))
    for _, i, j in sorted(candidates):
        first, second = member_of[i], member_of[j]
        together = [k for k, owner in enumerate(member_of) if owner in (first, second)]
        if len({units[k].channel for k in together}) == len(together):
            for k in together:
                member_of[k] = min(first, second)
    return [
        [units[k] for k, owner in enumerate(member_of) if owner == number]
        for number in sorted(set(member_of))
    ]


def _neighbouring_pairs(units: list[_Unit]) -> Iterator[tuple[int, int]]:
    """Pairs of units of different groups with a channel in common and a template each."""
    for i, first in enumerate(units):
        for j in range(i + 1, len(units)):
            second = units[j]
            if first.channel != second.channel and np.isin(first.channels, second.channels).any():
                yield i, j


def _has_partner(times: NDArray[np.int64], others: NDArray[np.int64], window: float) -> NDArray[np.bool_]:
    """Whether each of `times` has one of `others` within `window` samples; both increasing."""
    return _n_within(times, others, -window, window) > 0


def _n_within(
    times: NDArray[np.int64], others: NDArray[np.int64], low: float, high: float
) -> NDArray[np.int64]:
    """Count the `others` at `low` to `high` samples after each of `times`, both ends included."""
    after = np.searchsorted(others, times + np.floor(high), side="right")
    before = np.searchsorted(others, times + np.ceil(low), side="left")
    return np.asarray(np.maximum(after - before, 0), dtype=np.int64)


def _flip_is_plausible(a: _Unit, b: _Unit) -> bool:
    """Whether both units see nearly the same trough on both main channels."""
    for unit, channel in ((a, b.channel), (b, a.channel)):
        place = np.flatnonzero(unit.channels == channel)
        if len(place) == 0:
            return False
        margin = unit.trough + float(unit.template[:, place[0]].min())
        if margin > max(FLIP_MARGIN_SD, FLIP_MARGIN_SHARE * unit.trough):
            return False
    return True


def _is_refractory(a: _Unit, b: _Unit, spikes: SpikeEvents, config: SortingConfig) -> bool:
    """Whether the two avoid each other just after a spike as the spikes of one neuron do."""
    per_ms = spikes.sampling_frequency_hz / 1000
    low, high = config.exclude_ms * per_ms, REFRACTORY_MS * per_ms
    if high <= low:
        return True
    seen = int(_n_within(a.times, b.times, low + 1, high).sum())
    seen += int(_n_within(a.times, b.times, -high, -low - 1).sum())
    expected = len(a.ids) * len(b.ids) * 2 * (high - low) / max(spikes.n_samples, 1)
    return bool(seen <= expected / 2 + 2 * np.sqrt(expected) + 1)


def _distance(a: _Unit, b: _Unit, config: SortingConfig) -> float:
    """Squared distance of two templates on the common channels, relative to the larger's energy.

    The least over lags within `duplicate_ms`, since each is aligned at the trough of its own main
    channel; over the samples that both have at that lag.
    """
    common, in_a, in_b = np.intersect1d(a.channels, b.channels, return_indices=True)
    if len(common) == 0:
        return np.inf
    first, second = a.template[:, in_a].astype(np.float64), b.template[:, in_b].astype(np.float64)
    time = np.arange(len(first))
    curve = CubicSpline(time, second)
    largest = config.duplicate_ms * SAMPLING_FREQUENCY_HZ / 1000
    best = np.inf
    for lag in np.arange(-largest, largest + LAG_STEP / 2, LAG_STEP):
        both = (time + lag >= 0) & (time + lag <= time[-1])
        other, own = curve(time[both] + lag), first[both]
        energy = max((own**2).sum(), (other**2).sum())
        if energy > 0:
            best = min(best, float(((own - other) ** 2).sum() / energy))
    return best
