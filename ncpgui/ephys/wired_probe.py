"""Contacts as files give them, made a probe: in µm, in a plane, sides apart, in the order of channels.

Nothing is guessed: what has no place, no plane, or a wiring that says two things is refused with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe, check_pitch

UNIT_UM = {
    **dict.fromkeys(("um", "\u00b5m", "\u03bcm", "micron", "microns", "micrometer", "micrometre"), 1.0),
    **dict.fromkeys(("mm", "millimeter", "millimetre"), 1e3),
    **dict.fromkeys(("cm", "centimeter", "centimetre"), 1e4),
    **dict.fromkeys(("m", "meter", "metre"), 1e6),
    **dict.fromkeys(("nm", "nanometer", "nanometre"), 1e-3),
}
"""µm that units of length are."""
FLAT_UM = 1.0
"""How far contacts may lie from their plane."""


@dataclass(frozen=True)
class WiredProbe:
    """A probe, and which channels of a recording its contacts are.

    channels : (n_contacts,) int64, increasing; None where the file does not say: all, in their order
    n_columns : channels of the recording that it was made for, where the file says so
    """

    probe: Probe
    channels: NDArray[np.int64] | None = None
    n_columns: int | None = None

    def columns_of(self, n_channels: int) -> NDArray[np.int64]:
        """Channels of a recording that have a contact, one a contact.

        Raises
        ------
        InputError
            The probe is of another size, or is wired to channels that the recording does not have.
        """
        n = self.probe.n_channels
        if self.channels is None:
            if n != n_channels:
                raise InputError(
                    f"probe has {n} contacts but the recording has {n_channels} channels; "
                    f"pass a probe of {n_channels} contacts, or the right number of channels"
                )
            return np.arange(n)
        if self.channels[-1] >= n_channels:
            raise InputError(
                f"probe has {n} contacts but the recording has {n_channels} channels: a contact is wired to "
                f"channel {self.channels[-1]}, and channels count from 0 to {n_channels - 1}; correct the "
                "wiring in the probe file, or the number of channels"
            )
        return self.channels


def wired_probe(
    places: Any,
    *,
    shanks: Sequence[Hashable] | NDArray[Any] | None = None,
    channels: Any = None,
    unit: str = "um",
    n_columns: int | None = None,
) -> WiredProbe:
    """Make a probe of contacts in any order.

    Parameters
    ----------
    places : (n_contacts, 2) or (n_contacts, 3) in `unit`
    shanks : (n_contacts,) what tells shanks, and sides of shanks, apart; numbers are kept, and
        those of an array have to be whole
    channels : (n_contacts,) channel of each contact, below 0 where it is not wired; None: in their order

    Raises
    ------
    InputError
        Something is missing or said twice.
    """
    positions = np.asarray(places, dtype=np.float64)
    if positions.ndim != 2 or positions.shape[1] not in (2, 3) or len(positions) == 0:
        raise InputError(
            f"places of contacts must be (n_contacts, 2) or (n_contacts, 3), got shape {positions.shape}"
        )
    n = len(positions)
    shank = _numbered(shanks, n)
    order: NDArray[np.int64] = np.arange(n)
    wiring = None
    if channels is not None:
        wiring = _channels(channels, n)
        order = np.flatnonzero(wiring >= 0)
        order = order[np.argsort(wiring[order], kind="stable")]
        if len(order) == 0:
            raise InputError("no contact of the probe is wired to a channel; give each its own, from 0 on")
        _check_once(wiring, order)
    flat = in_plane(positions[order] * micrometres(unit), shank[order])
    probe = Probe(flat, shank[order])
    check_pitch(probe)
    return WiredProbe(probe, None if wiring is None else wiring[order], n_columns)


def micrometres(unit: str) -> float:
    """µm that a unit of length is.

    Raises
    ------
    InputError
        It is not known.
    """
    name = unit.strip().lower()
    found = UNIT_UM.get(name, UNIT_UM.get(name.removesuffix("s")))
    if found is None:
        raise InputError(
            f"places of contacts are in '{unit}', which is not a unit known here; use um, mm or m"
        )
    return found


def in_plane(places_um: NDArray[np.float64], shank: NDArray[np.int64]) -> NDArray[np.float64]:
    """Places in the plane of the contacts, (n, 2) µm: distances on a shank stay what they are.

    places_um : (n, 2), which are returned, or (n, 3). A coordinate in which no shank extends is left out;
    else the plane is that of all shanks, with the direction in which they extend most upwards

    Raises
    ------
    InputError
        Contacts of a shank do not lie in a plane, or not all shanks in parallel ones.
    """
    if places_um.shape[1] == 2:
        return places_um
    if not np.isfinite(places_um).all():
        bad = int(np.flatnonzero(~np.isfinite(places_um).all(axis=1))[0])
        raise InputError(f"contact {bad} of the probe has no finite position: {places_um[bad]}")
    around = places_um.copy()
    for one in np.unique(shank):
        around[shank == one] -= around[shank == one].mean(axis=0)
    for axis in (2, 1, 0):
        if np.abs(around[:, axis]).max() <= 1e-6:
            return np.delete(places_um, axis, axis=1)
    _, _, axes = np.linalg.svd(around, full_matrices=len(around) < 3)
    off = np.abs(around @ axes[2])
    if off.max() > FLAT_UM:
        raise InputError(
            f"the contacts of the probe do not lie in one plane: contact {int(off.argmax())} is "
            f"{off.max():.3g} um away from it; give places in two dimensions, and contacts of each plane a "
            "shank of their own"
        )
    upright = [axis * np.sign(axis[np.abs(axis).argmax()]) for axis in (axes[1], axes[0])]
    return np.round(places_um @ np.column_stack(upright), 6) + 0.0


def _numbered(shanks: Sequence[Hashable] | NDArray[Any] | None, n: int) -> NDArray[np.int64]:
    """Numbers of shanks: their own where they are whole numbers, else in the order of their names."""
    if shanks is None:
        return np.zeros(n, dtype=np.int64)
    if len(shanks) != n:
        raise InputError(f"probe has {n} contacts, but {len(shanks)} of them have a shank; give each one")
    if isinstance(shanks, np.ndarray):
        return _whole(shanks, "is on shank")
    if all(isinstance(shank, int) for shank in shanks):
        return np.array(shanks, dtype=np.int64)
    number = {name: i for i, name in enumerate(sorted(set(shanks), key=_natural))}
    return np.array([number[shank] for shank in shanks], dtype=np.int64)


def _natural(name: Hashable) -> list[tuple[int, int, str]]:
    """Sorts ``shank10`` behind ``shank9``."""
    pieces = re.findall(r"\d+|\D+", str(name))
    return [(0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces]


def _channels(channels: Any, n: int) -> NDArray[np.int64]:
    values = np.asarray(channels, dtype=np.float64).reshape(-1)
    if len(values) != n:
        raise InputError(f"probe has {n} contacts, but {len(values)} of them have a channel; give each one")
    return _whole(values, "is wired to channel")


def _whole(values: NDArray[Any], words: str) -> NDArray[np.int64]:
    """Whole numbers of contacts, as such; `words` say what they are of a contact."""
    bad = np.flatnonzero(~np.isfinite(values) | (values != np.round(values)) | (np.abs(values) > 1e9))
    if len(bad):
        raise InputError(f"contact {bad[0]} of the probe {words} {values[bad[0]]}; give whole numbers")
    return values.astype(np.int64)


def _check_once(wiring: NDArray[np.int64], order: NDArray[np.int64]) -> None:
    twice = np.flatnonzero(np.diff(wiring[order]) == 0)
    if len(twice):
        one, other = order[twice[0]], order[twice[0] + 1]
        raise InputError(
            f"contacts {one} and {other} of the probe are both wired to channel {wiring[one]}; channels "
            "count through all contacts of the recording, also through those of several probes"
        )
