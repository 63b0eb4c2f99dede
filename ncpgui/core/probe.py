"""Probe: where the contacts are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError


@dataclass(frozen=True)
class Probe:
    """Contact positions in the order of the recording's channels.

    Parameters
    ----------
    positions_um : (n_channels, 2) float, µm
    shank : (n_channels,) int, optional; contacts of different shanks are never neighbours

    Raises
    ------
    InputError
        Not (n, 2), not finite, or two contacts of a shank at the same place.
    """

    positions_um: NDArray[np.float64]
    shank: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        positions = np.array(self.positions_um, dtype=np.float64)
        if positions.ndim != 2 or positions.shape[1] != 2 or len(positions) == 0:
            raise InputError(f"contact positions must be (n_channels, 2) in µm, got shape {positions.shape}")
        if not np.isfinite(positions).all():
            bad = int(np.flatnonzero(~np.isfinite(positions).all(axis=1))[0])
            raise InputError(f"contact {bad} of the probe has no finite position: {positions[bad]}")
        shank = np.zeros(len(positions), np.int64) if self.shank is None else np.asarray(self.shank)
        object.__setattr__(self, "positions_um", positions)
        object.__setattr__(self, "shank", shank.astype(np.int64))
        places = np.column_stack([positions, shank])
        _, first, counts = np.unique(places, axis=0, return_index=True, return_counts=True)
        if (counts > 1).any():
            where = positions[first[counts > 1][0]]
            raise InputError(
                f"two contacts of the probe share the position ({where[0]:g}, {where[1]:g}) µm; "
                "correct the probe file"
            )

    @property
    def n_channels(self) -> int:
        """Number of contacts."""
        return len(self.positions_um)

    def neighbours(self, channel: int, *, radius_um: float, max_channels: int = 7) -> NDArray[np.int64]:
        """Channels within `radius_um` of `channel`, itself first, then by distance.

        At most `max_channels`: the nearest are kept (ties by channel number).
        """
        assert self.shank is not None
        distance = np.linalg.norm(self.positions_um - self.positions_um[channel], axis=1)
        near = np.flatnonzero((distance <= radius_um) & (self.shank == self.shank[channel]))
        order = near[np.lexsort((near, np.round(distance[near], 6)))]
        return order[:max_channels].astype(np.int64)

    @property
    def pitch_um(self) -> float:
        """Median distance of a contact to its nearest neighbour (0 for a single contact)."""
        if self.n_channels < 2:
            return 0.0
        gaps = np.linalg.norm(self.positions_um[:, None] - self.positions_um[None], axis=2)
        np.fill_diagonal(gaps, np.inf)
        return float(np.median(gaps.min(axis=1)))
