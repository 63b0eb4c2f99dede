"""Probe: where the contacts are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import WHOLE_NUMBERS, array
from ncpgui.core.errors import InputError

DRAWN_PITCH_UM = 30.0
"""Of contacts that have no neighbour."""
LEAST_PITCH_UM = 1.0
"""No contacts are closer; places that are were written in another unit."""
FURTHEST_UM = 1e6
"""No contacts of a probe are farther apart; places that are were written in another unit."""


def longer_axis(places_um: NDArray[np.floating], shank: NDArray[np.integer] | None = None) -> int:
    """Axis along which places (n, 2) reach farther, 0 = x, 1 = y; y where they are equal.

    shank : (n,) of each; how far the shanks are from each other does not count
    """
    shank = np.zeros(len(places_um), np.int64) if shank is None else shank
    reach = np.max([np.ptp(places_um[shank == one], axis=0) for one in np.unique(shank)], axis=0)
    return int(reach[0] <= reach[1])


@dataclass(frozen=True)
class Probe:
    """Contact positions in the order of the recording's channels.

    Parameters
    ----------
    positions_um : (n_channels, 2) float, µm
    shank : (n_channels,) int, optional; contacts of different shanks are never neighbours,
        and their coordinates may be the same

    Raises
    ------
    InputError
        Not (n, 2), not finite, or two contacts of a shank at the same place.
    """

    positions_um: NDArray[np.float64]
    shank: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        positions = np.array(array(self.positions_um, "contact positions"), dtype=np.float64)
        if positions.ndim != 2 or positions.shape[1] != 2 or len(positions) == 0:
            raise InputError(f"contact positions must be (n_channels, 2) in µm, got shape {positions.shape}")
        if not np.isfinite(positions).all():
            bad = int(np.flatnonzero(~np.isfinite(positions).all(axis=1))[0])
            raise InputError(f"contact {bad} of the probe has no finite position: {positions[bad]}")
        shank = np.zeros(len(positions), np.int64)
        if self.shank is not None:
            shank = array(self.shank, "shanks of contacts", WHOLE_NUMBERS)
        object.__setattr__(self, "positions_um", positions)
        object.__setattr__(self, "shank", shank.astype(np.int64))
        places = np.column_stack([positions, shank])
        _, first, counts = np.unique(places, axis=0, return_index=True, return_counts=True)
        if (counts > 1).any():
            one = int(first[counts > 1][0])
            other = one + 1 + int(np.flatnonzero((places[one + 1 :] == places[one]).all(axis=1))[0])
            x, y = positions[one]
            raise InputError(
                f"contacts {one} and {other} of the probe share the position ({x:g}, {y:g}) µm; correct the "
                "probe file, or give them shanks of their own if they are of different shanks"
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

    @cached_property
    def pitch_um(self) -> float:
        """Median distance of a contact to its nearest neighbour on its shank (0 where none has one)."""
        nearest = self._gaps_um(self._same_shank()).min(axis=1)
        nearest = nearest[np.isfinite(nearest)]
        return float(np.median(nearest)) if len(nearest) else 0.0

    @cached_property
    def depth_axis(self) -> int:
        """Axis along which depths are measured: the longer one of a shank, 0 = x, 1 = y; y where equal."""
        return longer_axis(self.positions_um, self.shank)

    @cached_property
    def depth_um(self) -> NDArray[np.float64]:
        """(n_channels,) depth of each contact: its place along `depth_axis`."""
        return self.positions_um[:, self.depth_axis]

    @cached_property
    def shanks(self) -> tuple[int, ...]:
        """Shanks from left to right, as they are drawn."""
        assert self.shank is not None
        x = self.drawn_positions_um[:, 0]
        return tuple(sorted({*self.shank.tolist()}, key=lambda one: float(x[self.shank == one].mean())))

    @cached_property
    def shank_width_um(self) -> float:
        """How far the contacts of the widest shank are from each other, across `depth_axis`."""
        across = self.positions_um[:, 1 - self.depth_axis]
        return float(max(np.ptp(across[self.shank == one]) for one in self.shanks))

    @cached_property
    def drawn_positions_um(self) -> NDArray[np.float64]:
        """Where to draw the contacts, (n_channels, 2) µm: shanks that lie on each other are put side by side.

        Files of several tetrodes often give all of them the same coordinates.
        """
        pitch = self.pitch_um or DRAWN_PITCH_UM
        if self._gaps_um(~self._same_shank()).min() >= pitch / 2:
            return self.positions_um
        drawn = self.positions_um.copy()
        left = drawn[:, 0].min()
        assert self.shank is not None
        for shank in np.unique(self.shank):
            members = self.shank == shank
            x = drawn[members, 0]
            drawn[members, 0] = x - x.min() + left
            left += np.ptp(x) + 2 * pitch
        return drawn

    def _same_shank(self) -> NDArray[np.bool_]:
        """Whether two contacts are on one shank: (n_channels, n_channels)."""
        assert self.shank is not None
        return np.equal.outer(self.shank, self.shank)

    def _gaps_um(self, counted: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Distances of the contacts in µm, infinite to itself and for pairs that do not count."""
        gaps = np.linalg.norm(self.positions_um[:, None] - self.positions_um[None], axis=2)
        gaps[~counted] = np.inf
        np.fill_diagonal(gaps, np.inf)
        return gaps


def check_pitch(probe: Probe) -> None:
    """Raise InputError where contacts are closer or farther than any are: they are in another unit."""
    assert probe.shank is not None
    reach = max(
        float(np.ptp(probe.positions_um[probe.shank == one], axis=0).max()) for one in set(probe.shank)
    )
    if reach > FURTHEST_UM:
        raise InputError(
            f"contacts of the probe are {reach:.3g} um apart, which is farther than any are made; give their "
            "places in um (are they in nm?)"
        )
    pitch = probe.pitch_um
    if 0 < pitch < LEAST_PITCH_UM:
        raise InputError(
            f"contacts of the probe are {pitch:.3g} um apart, which is closer than any are made; give their "
            "places in um (are they in mm?)"
        )
