"""Spikes that other units have beside those of each unit: all units in one walk through time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.loops import compiled


def n_beside(
    fired: NDArray[np.int64], unit: NDArray[np.integer], energy: NDArray[np.floating], reach: float
) -> NDArray[np.int64]:
    """Spikes of each unit that have one of a larger unit within `reach` samples: (K, K), rows the smaller.

    fired : (n,) samples, not decreasing; unit : (n,) of each, -1 of none; energy : (K,)
    """
    result = np.zeros((len(energy), len(energy)), np.int64)
    _count(
        np.ascontiguousarray(fired, np.int64),
        np.ascontiguousarray(unit, np.int64),
        np.ascontiguousarray(energy, np.float64),
        int(np.floor(reach)),
        result,
    )
    return result


def n_together(
    fired: NDArray[np.int64], unit: NDArray[np.integer], n_units: int, reach: int
) -> NDArray[np.int64]:
    """Pairs of spikes of two units that are at most `reach` samples apart: (K, K); as `n_beside`."""
    result = np.zeros((n_units, n_units), np.int64)
    _count_pairs(np.ascontiguousarray(fired, np.int64), np.ascontiguousarray(unit, np.int64), reach, result)
    return result + result.T


@compiled()
def _count_pairs(fired, unit, reach, result):  # type: ignore[no-untyped-def]
    """Count each pair once, of its later spike with the one before."""
    first = 0
    for i in range(len(fired)):
        while fired[first] < fired[i] - reach:
            first += 1
        if unit[i] >= 0:
            for j in range(first, i):
                if unit[j] >= 0:
                    result[unit[i], unit[j]] += 1


@compiled()
def _count(fired, unit, energy, reach, result):  # type: ignore[no-untyped-def]
    counted = np.full(len(energy), -1)
    first = 0
    for i in range(len(fired)):
        while fired[first] < fired[i] - reach:
            first += 1
        own = unit[i]
        if own < 0:
            continue
        j = first
        while j < len(fired) and fired[j] <= fired[i] + reach:
            other = unit[j]
            if other >= 0 and energy[other] > energy[own] and counted[other] != i:
                counted[other] = i
                result[own, other] += 1
            j += 1
