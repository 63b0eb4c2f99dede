"""A sorting under way: the step it is at, activity along the probe, and the units found so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.words import count, duration, sentence, thousands
from ncpgui.core.probe import Probe
from ncpgui.core.so_far import SpikesSoFar, UnitsSoFar

STEPS = (
    "Noise is measured",
    "Spikes are detected",
    "Each channel proposes units",
    "Their spikes are found everywhere",
    "Units in doubt are put together",
)
BRIGHTEST_PERCENTILE = 99.0


@dataclass(frozen=True)
class StepRow:
    """A step, and whether it is "done", "now" or "to come"."""

    words: str
    state: str


@dataclass(frozen=True, eq=False)
class ActivityImage:
    """Spikes over time (columns) and depth (rows, a contact each, the deepest number at the top).

    shares : (n_channels, S) float, 0 .. 1 of the busiest, nan where the recording was not looked at yet
    rate_hz : (n_channels,) spikes a second on each row
    """

    shares: NDArray[np.float64]
    rate_hz: NDArray[np.float64]
    contact: NDArray[np.int64]
    depth_um: NDArray[np.float64]
    of_seconds: float

    def words(self, row: int, share_of_time: float) -> str:
        """What is at a place of the image."""
        at = duration(share_of_time * self.of_seconds)
        return (
            f"Contact {self.contact[row]}, depth {self.depth_um[row]:.0f} µm, at {at}: "
            f"{self.rate_hz[row]:.3g} spikes a second over all that was looked at"
        )


@dataclass(frozen=True, eq=False)
class UnitTile:
    """One of the units so far: its mean waveform (T,) where it is largest, in noise sd."""

    waveform: NDArray[np.float32]
    caption: str
    tooltip: str


@dataclass(frozen=True, eq=False)
class SortingView:
    """What is shown of a sorting under way.

    figures : (number, what it counts) of what was found; image : None where no spike was detected yet
    tiles_note : which units those of `tiles` are
    """

    title: str
    steps: tuple[StepRow, ...]
    figures: tuple[tuple[str, str], ...]
    image: ActivityImage | None
    tiles: tuple[UnitTile, ...] = field(default=())
    tiles_note: str = ""


def present_sorting(title: str, so_far: Iterable[object]) -> SortingView | None:
    """View of a sorting under way; None of other work, and of a sorting that found nothing yet.

    so_far : the last of each kind that was shown (`core.so_far`)
    """
    known = [*so_far]
    spikes = next((one for one in known if isinstance(one, SpikesSoFar)), None)
    units = next((one for one in known if isinstance(one, UnitsSoFar)), None)
    if spikes is None and units is None:
        return None
    at = _step_at(spikes, units)
    states = ["done"] * at + ["now"] + ["to come"] * (len(STEPS) - at - 1)
    return SortingView(
        title=title,
        steps=tuple(map(StepRow, STEPS, states)),
        figures=_figures(spikes, units),
        image=None if spikes is None else _image(spikes),
        tiles=() if units is None else _tiles(units),
        tiles_note="" if units is None else _note(units),
    )


def _step_at(spikes: SpikesSoFar | None, units: UnitsSoFar | None) -> int:
    if units is not None:
        return 3 if units.round < units.n_rounds else 4
    assert spikes is not None
    return 1 if spikes.seconds < spikes.of_seconds else 2


def _figures(spikes: SpikesSoFar | None, units: UnitsSoFar | None) -> tuple[tuple[str, str], ...]:
    found = []
    if units is not None:
        found += [(thousands(units.n_units), "units so far")]
        found += [(thousands(int(units.n_spikes.sum())), "spikes of these")]
    if spikes is not None:
        n = int(spikes.n_spikes.sum())
        all_of_it = duration(spikes.of_seconds)
        some = "" if spikes.seconds >= spikes.of_seconds else f"{duration(spikes.seconds)} of "
        found += [(thousands(n), f"spikes detected in {some}{all_of_it}")]
        found += [(f"{spikes.rate_hz.sum():.3g}", f"spikes a second on {spikes.probe.n_channels} contacts")]
    return tuple(found)


def _by_depth(probe: Probe) -> NDArray[np.int64]:
    """Contacts from the top of the screen down: shank after shank, large depths first."""
    assert probe.shank is not None
    return np.lexsort((-probe.depth_um, probe.shank))


def _image(spikes: SpikesSoFar) -> ActivityImage:
    order = _by_depth(spikes.probe)
    counts = spikes.n_spikes[:, order].T.astype(np.float64)
    brightest = float(np.percentile(counts[counts > 0], BRIGHTEST_PERCENTILE)) if counts.any() else 1.0
    shares = np.sqrt(np.minimum(counts / brightest, 1.0))
    begins = np.arange(counts.shape[1]) / counts.shape[1] * spikes.of_seconds
    shares[:, begins >= spikes.seconds] = np.nan
    return ActivityImage(
        shares, spikes.rate_hz[order], order, spikes.probe.depth_um[order], spikes.of_seconds
    )


def _tiles(units: UnitsSoFar) -> tuple[UnitTile, ...]:
    tiles = []
    for unit, waveform in zip(units.shown.tolist(), units.waveforms, strict=True):
        contact, n = int(units.contact[unit]), count(int(units.n_spikes[unit]), "spike")
        depth = f"{units.probe.depth_um[contact]:.0f} µm"
        size = f"{float(np.ptp(waveform)):.0f} noise sd from trough to peak"
        tiles.append(UnitTile(waveform, n, f"Contact {contact}, depth {depth}: {n} so far, {size}"))
    return tuple(tiles)


def _note(units: UnitsSoFar) -> str:
    when = "as the channels propose them"
    if units.round:
        when = f"after round {units.round} of {units.n_rounds}"
    most = f", the {len(units.shown)} with most spikes" if len(units.shown) < units.n_units else ""
    return sentence(f"{when}{most}; they get numbers when all are found")
