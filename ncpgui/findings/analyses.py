"""Analyses of single spike trains for `ncpgui.propagate`: rates, responses to events, tuning, fields.

Each says what it gives of a train, and the same of bootstrapped data: trials drawn again within each
condition, or stretches of the recording drawn again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.analysis.event_response import bin_edges
from ncpgui.core.arguments import array, number, whole_number
from ncpgui.core.errors import InputError
from ncpgui.core.project import Project
from ncpgui.core.stimulus import Stimulus
from ncpgui.findings.last_found import LastFound
from ncpgui.findings.propagate import Train
from ncpgui.findings.tuning_curve import CLEARLY, OF_TWO_CELLS, TuningCurves, has_two_peaks

if TYPE_CHECKING:
    from ncpgui.analysis.receptive_field import ReceptiveField

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rates:
    """Mean firing rate of each unit: `rate_hz`.

    n_stretches : into which the recording is cut for the bootstrap
    """

    n_stretches: int = 50
    per_spike: ClassVar[frozenset[str]] = frozenset({"rate_hz"})
    periods: ClassVar[Mapping[str, float]] = {}

    def of_train(self, train: Train) -> dict[str, Any]:
        """Spikes a second."""
        return {"rate_hz": len(train.samples) / train.recorded.duration_s}

    def resampled_train(self, train: Train, rng: np.random.Generator) -> dict[str, Any]:
        """The same of stretches drawn again."""
        place = train.recorded.stretch_of(train.samples, self.n_stretches)
        counts = np.bincount(place, minlength=self.n_stretches)
        drawn = counts[rng.integers(0, self.n_stretches, self.n_stretches)]
        # a sum of n draws with replacement varies by (n - 1) / n of what it should
        wider = np.sqrt(self.n_stretches / (self.n_stretches - 1))
        return {"rate_hz": (counts.sum() + wider * (drawn.sum() - counts.sum())) / train.recorded.duration_s}


@dataclass(frozen=True, eq=False)
class Psth:
    """Rate around events: `psth_hz` (n_bins,), `peak_hz` after the event, and its time `latency_s`.

    Counted as in the panel Events (`analysis.event_response`): what was not recorded is no silence, and the
    window is at least as wide as asked for, with an edge of the bins at the event.

    events_s : (n_events,) s of the recording's clock; before_s, after_s, bin_s : window and bins
    """

    events_s: ArrayLike
    before_s: float = 0.2
    after_s: float = 0.8
    bin_s: float = 0.02
    per_spike: ClassVar[frozenset[str]] = frozenset({"psth_hz", "peak_hz"})
    periods: ClassVar[Mapping[str, float]] = {}

    def __post_init__(self) -> None:
        object.__setattr__(self, "events_s", _checked_times(self.events_s, "events_s"))
        bin_edges(self.before_s, self.after_s, self.bin_s)

    def of_train(self, train: Train) -> dict[str, Any]:
        """Of all events."""
        return self._of(train, np.asarray(self.events_s))

    def resampled_train(self, train: Train, rng: np.random.Generator) -> dict[str, Any]:
        """Of events drawn again."""
        events_s = np.asarray(self.events_s)
        return self._of(train, events_s[rng.integers(0, len(events_s), len(events_s))])

    def _of(self, train: Train, events_s: Floats) -> dict[str, Any]:
        found = train.recorded.response(train.samples, events_s, self.before_s, self.after_s, self.bin_s)
        peak_hz, latency_s = found.peak
        return {"psth_hz": found.rate_hz, "peak_hz": peak_hz, "latency_s": latency_s}


@dataclass(frozen=True, eq=False)
class Tuning:
    """Tuning of the rate to a stimulus that has one value a trial, fitted as one or two peaks on a base.

    `curve_hz` (n_values,) mean rate at each value, `mean_hz` in all trials, `peak` the value that is
    preferred, `width` half of the width at half height, in units of the values, `peak_hz` the rate at the
    peak, and `base_hz`. Where the rates clearly have two peaks (`tuning_curve`), as those of a unit of two
    cells may, `peak` is the higher one, `width` that of each, and `second_peak_hz` the rate at the other; it
    is nan of one peak. Less must speak for two in a unit that a draw divides: it may hold both cells.

    Parameters
    ----------
    starts_s : (n_trials,) s of the recording's clock; duration_s : of a trial, all of which was recorded
    values : (n_trials,) of the stimulus
    period : of values on a circle, such as 180 for orientations in degrees; the peak is a von Mises function
        then, and a Gaussian else
    """

    starts_s: ArrayLike
    duration_s: float
    values: ArrayLike
    period: float | None = None
    per_spike: ClassVar[frozenset[str]] = frozenset(
        {"curve_hz", "mean_hz", "peak_hz", "second_peak_hz", "base_hz"}
    )
    positive: ClassVar[frozenset[str]] = frozenset({"width"})
    periods: Mapping[str, float] = field(init=False)
    _last: LastFound[Train, tuple[NDArray[np.int64], bool]] = field(
        default_factory=LastFound, init=False, repr=False
    )

    def __post_init__(self) -> None:
        starts, values = _checked_times(self.starts_s, "starts_s"), _checked_times(self.values, "values")
        if len(starts) != len(values):
            raise InputError(
                f"tuning needs a value for each trial, got {len(starts)} trials, {len(values)} values"
            )
        if not number(self.duration_s, "duration_s") > 0:
            raise InputError(f"duration_s of a trial must be more than 0, got {self.duration_s}")
        object.__setattr__(self, "starts_s", starts)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "periods", {} if self.period is None else {"peak": self.period})
        if len(self.stimuli) < 4:
            raise InputError(f"tuning needs at least 4 different values, got {len(self.stimuli)}")

    @cached_property
    def stimuli(self) -> Floats:
        """(n_values,) different values, increasing."""
        return np.unique(np.asarray(self.values))

    @cached_property
    def _of_trial(self) -> NDArray[np.int64]:
        return np.searchsorted(self.stimuli, np.asarray(self.values))

    @cached_property
    def _curves(self) -> TuningCurves:
        return TuningCurves(self.stimuli, np.bincount(self._of_trial), self.period)

    def of_train(self, train: Train) -> dict[str, Any]:
        """Of all trials."""
        counts, two = self._last.of(train, self._counted)
        return self._of(counts, two=two)

    def resampled_train(self, train: Train, rng: np.random.Generator) -> dict[str, Any]:
        """Of trials drawn again among those of the same value, with as many peaks as all trials have."""
        counts, two = self._last.of(train, self._counted)
        again = np.empty(len(counts))
        for one in range(len(self.stimuli)):
            trials = np.flatnonzero(self._of_trial == one)
            n, mean = len(trials), counts[trials].mean()
            # the mean of n drawn with replacement varies by (n - 1) / n of what it should
            wider = np.sqrt(n / max(n - 1, 1))
            again[trials] = mean + wider * (counts[rng.choice(trials, n)] - mean)
        return self._of(again, two=two)

    def _counted(self, train: Train) -> tuple[NDArray[np.int64], bool]:
        """Spikes in each trial, and whether they have two peaks."""
        starts = np.asarray(self.starts_s)
        counts = train.recorded.spikes_in_trials(train.samples, starts, self.duration_s)
        least = OF_TWO_CELLS if train.is_divided else CLEARLY
        return counts, has_two_peaks(self._curves, counts, self._of_trial, self.duration_s, least=least)

    def _of(self, counts: NDArray[Any], *, two: bool = False) -> dict[str, Any]:
        n = self._curves.n_trials
        curve = np.bincount(self._of_trial, counts) / n / self.duration_s
        fit = self._curves.two_peaks(curve) if two else self._curves.one_peak(curve)
        return {
            "curve_hz": curve,
            "mean_hz": n @ curve / n.sum(),
            "peak": fit.peak,
            "width": fit.width,
            "peak_hz": fit.base + fit.height,
            "second_peak_hz": fit.base + fit.second_height if two else np.nan,
            "base_hz": fit.base,
        }


@dataclass(frozen=True, eq=False)
class ReceptiveFields:
    """Receptive field by white noise: `x_px` and `y_px` of its centre, `size_px`, `polarity`, and `peak_z`.

    `size_px` is one sd of the Gaussian, `polarity` 1 for ON and -1 for OFF. All but the last are nan where
    the field is not clear (`analysis.receptive_field`).

    The bootstrap adds stretches, drawn again, to all that were recorded, and doubles what this changes. Data
    that are drawn again alone have the noise of the data twice; the fit, whose pixels depend on the noise,
    would vary as that of half of the spikes.

    stimulus : its triggers in samples of the recording; n_lags : frames before a spike
    """

    stimulus: Stimulus
    n_lags: int = 12
    stretch_s: float = 1.0
    per_spike: ClassVar[frozenset[str]] = frozenset()
    positive: ClassVar[frozenset[str]] = frozenset({"size_px"})
    periods: ClassVar[Mapping[str, float]] = {}
    _last: LastFound[Train, ReceptiveField] = field(default_factory=LastFound, init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.stimulus, Stimulus):
            raise InputError(f"stimulus is a Stimulus of frames and triggers, got {self.stimulus!r}")
        whole_number(self.n_lags, "n_lags", least=1)

    @staticmethod
    def of_project(project: Project) -> ReceptiveFields:
        """Those of the stimulus of a project, whose triggers count from its own first sample."""
        assert project.stimulus is not None
        first = project.recording.first_sample
        return ReceptiveFields(
            replace(project.stimulus, trigger_sample=project.stimulus.trigger_sample + first)
        )

    def of_train(self, train: Train) -> dict[str, Any]:
        """Of all spikes."""
        return _of_field(self._last.of(train, self._field))

    def resampled_train(self, train: Train, rng: np.random.Generator) -> dict[str, Any]:
        """Of stretches drawn again, see above."""
        n = max(2, int(train.recorded.duration_s / self.stretch_s))
        place = train.recorded.stretch_of(train.samples, n)
        times = 1 + np.bincount(rng.integers(0, n, n), minlength=n)
        more = replace(train, samples=np.repeat(train.samples, times[place]))
        whole = _of_field(self._last.of(train, self._field), if_clear=False)
        half = _of_field(self._field(more), if_clear=False)
        return {
            name: value if name == "polarity" else 2 * value - whole[name] for name, value in half.items()
        }

    def _field(self, train: Train) -> ReceptiveField:
        from ncpgui.analysis.receptive_field import receptive_field

        return receptive_field(self.stimulus, train.samples, n_lags=self.n_lags)


def _of_field(found: ReceptiveField, *, if_clear: bool = True) -> dict[str, Any]:
    """Results of `ReceptiveFields`; nan where there are no spikes, or no clear field."""
    if (if_clear and not found.is_clear) or found.n_spikes == 0:
        nothing = ("x_px", "y_px", "size_px", "polarity")
        return dict.fromkeys(nothing, np.nan) | {"peak_z": found.peak_z}
    return {
        "x_px": found.center_px[0],
        "y_px": found.center_px[1],
        "size_px": float(np.sqrt(found.ellipse[0] * found.ellipse[1])),
        "polarity": float(np.sign(found.peak_z)),
        "peak_z": found.peak_z,
    }


def _checked_times(values: ArrayLike, name: str) -> Floats:
    found = array(values, name).astype(np.float64)
    if found.ndim != 1 or len(found) == 0 or not np.isfinite(found).all():
        raise InputError(f"{name} must be a list of finite numbers, at least one, got shape {found.shape}")
    return found
