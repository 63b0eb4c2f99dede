"""Units of a recording and their spikes, as matching finds them; and as arrays, to be kept as a step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.clock import Clock
from ncpgui.core.motion import Places
from ncpgui.core.steps import Arrays, Packing, inside, integer_of, part
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.template_distance import Likeness

if TYPE_CHECKING:
    from ncpgui.sorting.gain_noise import GainNoise
    from ncpgui.sorting.peeling import TemplateBank


@dataclass(frozen=True)
class Matched:
    """Units of a recording and their spikes, in order of time.

    sample_index, unit : (n,) int64; units are rows of the bank
    amplitude, shift_samples : (n,) float32: a spike is amplitude * template + shift * slope of the template
    gain : (n, J) float32, squared error that each candidate saves on the cleaned spike; its own one first
    moving, places : templates at each place of the tissue, and when it was there
    like : which templates are candidates for the spikes of each unit, over all places of the tissue
    noise : what noise does to gains (`sorting.gain_noise`), there
    least_gain : (K,) gain that matching asks of a spike of each unit (`least_gain`), there
    noise_level : (S, K) variance of the noise that each unit sees in slices of the traces, over its mean
    n_faint : units left out since their templates did not stand out of the noise of their own filter
    clock : of the recording; None where seconds count from the first sample
    measured : (n,) bool, spikes whose traces were read; amplitude, shift and gain of another are those of the
        nearest of its unit that was (`parts`). None where all were
    again : (n,) int64, row of the spike that each one is, found a second time (`found_twice`), -1 = none.
        Its amplitude, shift and gain are those of the nearest of its unit. None where there are none
    """

    sample_index: NDArray[np.int64]
    unit: NDArray[np.int64]
    amplitude: NDArray[np.float32]
    shift_samples: NDArray[np.float32]
    gain: NDArray[np.float32]
    moving: MovingBank
    places: Places
    like: Likeness
    noise: GainNoise
    least_gain: NDArray[np.float64]
    noise_level: NDArray[np.float64]
    clock: Clock | None = None
    n_faint: int = 0
    measured: NDArray[np.bool_] | None = None
    again: NDArray[np.int64] | None = None

    @property
    def bank(self) -> TemplateBank:
        """Templates where the tissue was for most of the time."""
        return self.moving.usual

    @property
    def fired(self) -> NDArray[np.int64]:
        """(n,) samples of the spikes, as far apart as they were in time (`Clock.apart`)."""
        return self.sample_index if self.clock is None else self.clock.apart(self.sample_index)

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.bank.waveforms)

    @property
    def n_of_templates(self) -> NDArray[np.int64]:
        """Spikes of each unit that its template is a mean of: (K,)."""
        kept = np.ones(len(self.unit), dtype=bool) if self.measured is None else self.measured
        if self.again is not None:
            kept = kept & (self.again < 0)
        return np.bincount(self.unit[kept], minlength=self.n_units)

    def of(self, rows: NDArray[np.bool_ | np.integer]) -> Matched:
        """Only the spikes of `rows`, of which none was found twice."""
        assert self.again is None, "rows of spikes that were found twice are those of all spikes"
        return replace(
            self,
            **{name: getattr(self, name)[rows] for name in _OF_SPIKES},
            measured=None if self.measured is None else self.measured[rows],
        )

    def with_units(self, kept: NDArray[np.integer]) -> Matched:
        """Only the units `kept`, in that order; all spikes are theirs."""
        row = np.full(self.n_units + 1, -1)
        row[kept] = np.arange(len(kept))
        like, pairs = self.like, np.ix_(kept, kept)
        return replace(
            self,
            unit=row[self.unit],
            moving=replace(self.moving, waveforms=self.moving.waveforms[:, kept]),
            like=Likeness(
                like.relative[pairs], like.distance[pairs], like.lag[pairs], row[like.candidates[kept]]
            ),
            least_gain=self.least_gain[kept],
            noise_level=self.noise_level[:, kept],
            noise=replace(self.noise, **{name: getattr(self.noise, name)[kept] for name in _OF_NOISE}),
        )


@dataclass(frozen=True)
class Round:
    """Templates, and the spikes and their units (n,) int64, with which a round of matching begins.

    n_faint : as of `Matched`, so far
    """

    bank: MovingBank
    spikes: NDArray[np.int64]
    units: NDArray[np.int64]
    n_faint: int = 0


def _packed_bank(bank: MovingBank) -> Arrays:
    """Templates where they are seen: on most channels they are zero, to the last bit."""
    waveforms = np.ascontiguousarray(bank.waveforms, np.float32)
    seen = (waveforms.view(np.uint32) != 0).any(axis=2)
    return {
        "shape": np.array(waveforms.shape),
        "seen": seen,
        "waveforms": waveforms.transpose(0, 1, 3, 2)[seen],
        "n_before": np.array(bank.n_before),
        "share": bank.share,
    }


def _unpacked_bank(values: Arrays) -> MovingBank:
    n_places, n_units, n_times, n_channels = values["shape"].tolist()
    seen = values["seen"].reshape(n_places, n_units, n_channels).astype(bool)
    waveforms = np.zeros((n_places, n_units, n_times, n_channels), np.float32)
    waveforms.transpose(0, 1, 3, 2)[seen] = values["waveforms"]
    return MovingBank(waveforms, integer_of(values["n_before"]), values["share"])


ROUND = Packing[Round](
    pack=lambda one: {
        "spikes": one.spikes,
        "units": one.units,
        "n_faint": np.array(one.n_faint),
        **inside("bank", _packed_bank(one.bank)),
    },
    unpack=lambda values: Round(
        _unpacked_bank(part("bank", values)),
        values["spikes"],
        values["units"],
        integer_of(values["n_faint"]),
    ),
)

SPIKES_OF_UNITS = Packing[tuple[NDArray[np.int64], NDArray[np.int64]]](
    pack=lambda found: {"spikes": found[0], "units": found[1]},
    unpack=lambda values: (values["spikes"], values["units"]),
)

_OF_SPIKES = ("sample_index", "unit", "amplitude", "shift_samples", "gain")
_OF_LIKENESS = ("relative", "distance", "lag", "candidates")
_OF_NOISE = ("sd", "peaks_hz", "lead", "lead_sd")


def matched_packing(places: Places, clock: Clock | None) -> Packing[Matched]:
    """Packing of what matching found in a recording of these places of the tissue and this clock."""

    def pack(matched: Matched) -> Arrays:
        return {
            **{name: getattr(matched, name) for name in _OF_SPIKES},
            "least_gain": matched.least_gain,
            "noise_level": matched.noise_level,
            "n_faint": np.array(matched.n_faint),
            **{
                name: value for name in ("measured", "again") if (value := getattr(matched, name)) is not None
            },
            **inside("moving", _packed_bank(matched.moving)),
            **inside("like", {name: getattr(matched.like, name) for name in _OF_LIKENESS}),
            **inside("noise", {name: getattr(matched.noise, name) for name in _OF_NOISE}),
        }

    def unpack(values: Arrays) -> Matched:
        from ncpgui.sorting.gain_noise import GainNoise

        moving, like, noise = (part(name, values) for name in ("moving", "like", "noise"))
        return Matched(
            **{name: values[name] for name in _OF_SPIKES},
            least_gain=values["least_gain"],
            noise_level=values["noise_level"],
            n_faint=integer_of(values["n_faint"]),
            measured=values["measured"].astype(bool) if "measured" in values else None,
            again=values.get("again"),
            moving=_unpacked_bank(moving),
            places=places,
            clock=clock,
            like=Likeness(**{name: like[name] for name in _OF_LIKENESS}),
            noise=GainNoise(**{name: noise[name] for name in _OF_NOISE}),
        )

    return Packing(pack, unpack)
