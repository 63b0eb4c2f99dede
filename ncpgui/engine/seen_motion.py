"""How far the places of spikes wander along the contacts: more than a model has learnt is said."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

N_WINDOWS = 10
MIN_IN_WINDOW = 20
"""Spikes of a window in time, from which on its median says where they are."""


def wandered_um(
    waveforms: NDArray[np.floating], positions_um: NDArray[np.floating], times_s: NDArray[np.float64]
) -> float:
    """Largest distance between the median places of spikes in ten windows of time, in µm.

    A spike is at the centre of its contacts, weighed by the squares of its ranges on them. 0 where there are
    too few spikes for windows, or one contact alone.

    waveforms : (n, T, C); positions_um : (C, 2); times_s : (n,)
    """
    if len(waveforms) < N_WINDOWS * MIN_IN_WINDOW or len(positions_um) < 2:
        return 0.0
    weight = np.ptp(waveforms, axis=1).astype(np.float64) ** 2
    place = weight @ positions_um / np.maximum(weight.sum(axis=1, keepdims=True), 1e-12)
    order = np.argsort(times_s, kind="stable")
    medians = np.array([np.median(place[rows], axis=0) for rows in np.array_split(order, N_WINDOWS)])
    return float(np.linalg.norm(medians[:, None] - medians, axis=-1).max())


def known_motion_um(card: dict[str, Any]) -> float | None:
    """The longest way of tissue that a model was trained on, by its card; None where that does not say."""
    options = card.get("training", {}).get("data", {}).get("options", {})
    motion = options.get("motion", {})
    if motion.get("p_moving", 0) > 0:
        return float(motion["reach_um"][1])
    drift = options.get("units", {}).get("drift_um")
    return None if drift is None else float(drift[1])
