"""Whether two units of a recording are one neuron: what their waveforms say, and what their times say.

*Waveforms.* Of each spike of both units, the difference of the two gains measures on which side of the middle
between the templates its cleaned waveform lies, in noise sd along the line that joins them. Spikes of two
neurons lie in two heaps: their means are far apart for their spread. The two halves of one heap, cut in the
middle, are 2.65 of their own sd apart for a Gaussian (means at +-0.80 sd, sd 0.60 each). A template holds the
noise of its own spikes, which moves these towards it by E / n along the line (E: energy of a spike's noise,
n spikes): that is taken off.

*Times.* A neuron does not fire within its refractory period. Of pairs of spikes at such distances, E are
expected by chance, from the pairs at longer ones; under "one neuron" a tenth of them, for what is mistaken.
The log likelihood ratio of the Poisson counts counts against or for the waveforms, a quarter sd a nat.

What is joined is a matter of one threshold. How probable it is that two of the units that stay are one, the
posterior says (`evidence.same_neuron`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.partition import rows_of_clusters
from ncpgui.core.spike_pairs import n_apart
from ncpgui.evidence.refractory import REFRACTORY_MS

if TYPE_CHECKING:
    from ncpgui.sorting.matched import Matched

SEPARATION = 3.1
"""Units less far apart than this, in sd of their spikes, are one; a cut Gaussian is at 2.65."""
SD_A_DISTANCE = 2.0
"""What the relative squared distance of the templates adds: one neuron in two has templates of one shape."""
CONSIDERED = 0.6
"""Relative squared distance of templates from which on units are not compared."""
CHANCE_MS = (5.0, 55.0)
"""Longer than that of `evidence.refractory`: the thresholds here were chosen with it."""
MISTAKEN = 0.1
SD_A_NAT = 0.25
EVIDENCE_NATS = (-8.0, 4.0)
MIN_SPIKES = 5


def joined(matched: Matched, *, sampling_frequency_hz: float) -> NDArray[np.int64]:
    """For each unit the one that it is joined with, itself where there is none: (K,).

    Pairs are joined in order of their score, each unit once; call again with new templates for more.
    """
    found = distances(matched, sampling_frequency_hz=sampling_frequency_hz)
    result, taken = np.arange(matched.n_units), set[int]()
    for apart, first, second in found:
        if apart < SEPARATION and not taken & {first, second}:
            taken |= {first, second}
            result[second] = first
    return result


def distances(matched: Matched, *, sampling_frequency_hz: float) -> list[tuple[float, int, int]]:
    """How far units that are alike are apart by all evidence, in sd of their spikes, the closest first."""
    rows = rows_of_clusters(matched.unit, matched.n_units)
    fired = matched.fired
    found = []
    for first, second in _alike(matched):
        if min(len(rows[first]), len(rows[second])) < MIN_SPIKES:
            continue
        shapes = float(matched.like.relative[first, second])
        nats = refractory_evidence(
            fired[rows[first]],
            fired[rows[second]],
            sampling_frequency_hz=sampling_frequency_hz,
        )
        apart = separation(matched, rows, first, second) + SD_A_DISTANCE * shapes
        found.append((apart - SD_A_NAT * float(np.clip(nats, *EVIDENCE_NATS)), first, second))
    return sorted(found)


def _alike(matched: Matched) -> Iterator[tuple[int, int]]:
    """Pairs of units that are candidates for each other's spikes."""
    like = matched.like
    for first in range(matched.n_units):
        for second in like.candidates[first, 1:]:
            if (
                second > first
                and like.relative[first, second] <= CONSIDERED
                and like.place(int(second), first) is not None
            ):
                yield first, int(second)


def separation(matched: Matched, rows: list[NDArray[np.int64]], first: int, second: int) -> float:
    """Distance of the heaps of two units along the line of their templates, in sd of their spikes."""
    distance = matched.like.distance[first, second]
    if distance == 0:
        return 0.0
    side = []
    noise = 0.0
    for unit, other in ((first, second), (second, first)):
        place = matched.like.place(unit, other)
        gain = matched.gain[rows[unit]]
        side.append((gain[:, 0] - gain[:, place]) / (2 * distance))
        noise += (matched.bank.waveforms[unit] != 0).sum() / max(len(rows[unit]), 1)
    apart = float(np.median(side[0]) + np.median(side[1])) - noise / (2 * distance)
    return apart / float(np.sqrt((side[0].var() + side[1].var()) / 2 + 1e-9))


def refractory_evidence(
    first: NDArray[np.integer], second: NDArray[np.integer], *, sampling_frequency_hz: float
) -> float:
    """Log likelihood ratio in nats, one neuron against two, of the times of two trains (sorted samples)."""
    per_ms = sampling_frequency_hz / 1000
    seen = n_apart(first, second, REFRACTORY_MS[0] * per_ms, REFRACTORY_MS[1] * per_ms)
    widths = [high - low for low, high in (REFRACTORY_MS, CHANCE_MS)]
    chance = n_apart(first, second, CHANCE_MS[0] * per_ms, CHANCE_MS[1] * per_ms) * widths[0] / widths[1]
    return (1 - MISTAKEN) * chance + seen * float(np.log(MISTAKEN))
