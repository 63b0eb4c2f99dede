"""Whether two units are one neuron: what the draws of their component say, and what their firing times say.

In one draw the *cell* of a unit is the cluster that has most of its spikes (as in `evidence.support`). Two
units are one neuron in a draw if they have one cell; P(they are one) is the weight of such draws. Units that
have no component in common were never in doubt together: no draw says that they are one.

Firing times weigh the draws already. What they say of a pair alone, `pair_nats`, is shown beside: the log
likelihood ratio of one neuron against two (`evidence.refractory`); positive speaks for one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.spike_pairs import n_apart, n_later
from ncpgui.evidence.refractory import CHANCE_MS, CLOSE_A_CHANCE, REFRACTORY_MS, two_trains_nats
from ncpgui.evidence.support import cells_of, units_and_mass


def same_neuron(
    posterior: PosteriorSamples,
    labels: NDArray[np.integer],
    *,
    stands_for: NDArray[np.floating] | None = None,
    n_units: int | None = None,
) -> NDArray[np.float64]:
    """P(each two of K units are one neuron): (K, K), 1 with itself, nan for a unit without points.

    Parameters
    ----------
    labels : (m,) unit of each point of the posterior, 0 .. K-1, -1 = none
    stands_for : (m,) spikes that each point stands for; ones when left out
    n_units : K, where the last units may have no point
    """
    unit, n_units, mass = units_and_mass(labels, stands_for, n_units)
    cell, _, _ = cells_of(posterior.rows, unit, n_units, mass)
    same = np.tensordot(posterior.weight, cell[:, :, None] == cell[:, None, :], axes=1)
    known = np.bincount(unit[unit >= 0], minlength=n_units) > 0
    same = np.minimum(same, 1)
    np.fill_diagonal(same, 1)
    return np.where(known[:, None] & known, same, np.nan)


def pair_nats(
    first: NDArray[np.integer], second: NDArray[np.integer], *, sampling_frequency_hz: float
) -> float:
    """Log likelihood ratio of two trains (sorted samples), one neuron against two, in nats."""
    per_ms = sampling_frequency_hz / 1000
    counts = [
        [
            *(n_later(train, train, low * per_ms, high * per_ms) for train in (first, second)),
            n_apart(first, second, low * per_ms, high * per_ms),
        ]
        for low, high in (REFRACTORY_MS, CHANCE_MS)
    ]
    return -two_trains_nats(np.array(counts), CLOSE_A_CHANCE)
