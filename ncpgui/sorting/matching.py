"""Units of a whole recording: templates of proposed units, found again everywhere, cleaned, and joined.

Proposals come from the channels, one by one; they may be too many. One round is:

1. *Templates* are means of the whitened traces around the spikes of each unit, on the channels where they
   are seen. One that does not stand out of the noise of its own filter (`least_gain`) goes.
2. *Matching* finds the spikes of all templates at once, in collisions and under the threshold too.
3. *Fitting* takes all spikes out of the traces together (`sorting.peeling`). A spike whose own part of the
   traces does not pay for it is dropped; one that another template explains better moves there.
4. *Joining*: two units whose spikes cannot be told apart are one (`unit_distances`).

Templates of the next round are means of cleaned waveforms, so that a collision spoils no template.

Where the tissue moves along the probe, each unit has a template for each place of the tissue
(`moving_templates`), and each stretch of time is matched and fitted with those of its place. A recording
without motion is one stretch at one place.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.clock import Clock
from ncpgui.core.motion import Places
from ncpgui.core.progress import Progress, portion, show, silent
from ncpgui.core.so_far import UnitsSoFar
from ncpgui.core.steps import NOTHING_KEPT, Steps, kept, step
from ncpgui.sorting.fitting import MAX_LAG_MS, fitted, moved, together, without_ghosts
from ncpgui.sorting.least_gain import LeastGain, measured_least_gain
from ncpgui.sorting.matched import ROUND, SPIKES_OF_UNITS, Matched, Round, matched_packing
from ncpgui.sorting.merge_across_drift import merged_across_drift
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.template_distance import likeness
from ncpgui.sorting.templates import AFTER_MS, BEFORE_MS, MIN_SPIKES, pruned, templates_of, where_seen
from ncpgui.sorting.unit_distances import joined
from ncpgui.sorting.units_so_far import units_so_far

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

    from ncpgui.ephys.preprocessing import Preprocessed

log = logging.getLogger(__name__)

GAIN_A_HZ = 1.5e-3
"""Squared error that a spike must save in white noise, for each Hz of the sampling frequency (30 at 20 kHz):
what the band passes is the denser the faster it is sampled."""
N_ROUNDS = 2
MAX_JOINS = 8
MATCHING = "matching"
"""The step that is kept of what matching found."""


class Join(Protocol):
    """For each unit the one that it is joined with, itself where there is none: (K,)."""

    def __call__(self, matched: Matched, *, sampling_frequency_hz: float) -> NDArray[np.int64]: ...


def match_units(
    pre: Preprocessed,
    sample_index: NDArray[np.integer],
    unit: NDArray[np.integer],
    *,
    places: Places | None = None,
    n_rounds: int = N_ROUNDS,
    matcher: str = "wobble",
    gain_a_hz: float = GAIN_A_HZ,
    join: Join = joined,
    n_jobs: int = 1,
    steps: Steps = NOTHING_KEPT,
    progress: Progress = silent,
) -> Matched:
    """Find the spikes of proposed units in the whole recording.

    Parameters
    ----------
    sample_index, unit : (n,) spikes of the proposals; -1 belongs to none
    places : where the tissue was, in stretches of time; one place when left out
    n_rounds : of finding spikes and estimating templates again, at least 1
    matcher : of `config.MATCHERS`; "none" keeps the spikes of the proposals
    join : which units are one, as `unit_distances.joined`
    n_jobs : pieces of traces matched at a time; the result is the same with any
    steps : where rounds that are done are kept, and the result ("matching")
    """
    places = places or Places.one(pre.n_samples)
    clock = pre.recording.reference.clock
    packing = matched_packing(places, clock)
    matched = kept(steps, MATCHING, packing)
    if matched is None:
        traces = pre.whitened()
        least_gain = least_gain_of(traces, pre, gain_a_hz)
        so_far = partial(units_so_far, pre, n_rounds=n_rounds)
        rounds = _Rounds(traces, places, clock, least_gain, matcher, join, n_jobs)
        matched = rounds.run(sample_index, unit, n_rounds, steps, progress, so_far)
        matched = replace(matched, clock=clock)
        steps.keep(MATCHING, packing.pack(matched))
        steps.drop("round-*", "found-*")
    progress(1, 1, f"{matched.n_units} units")
    return matched


def least_gain_of(traces: BaseRecording, pre: Preprocessed, gain_a_hz: float = GAIN_A_HZ) -> LeastGain:
    """What matching asks of a spike of each template in whitened traces of a recording."""
    rate = traces.sampling_frequency
    n_times = round(BEFORE_MS * rate / 1000) + round(AFTER_MS * rate / 1000)
    return measured_least_gain(traces, pre, in_white=gain_a_hz * rate, n_times=n_times)


@dataclass(frozen=True)
class _Rounds:
    """Rounds of matching in whitened traces; the fields are as of `match_units`."""

    traces: BaseRecording
    places: Places
    clock: Clock
    least_gain: LeastGain
    matcher: str
    join: Join
    n_jobs: int

    def run(
        self,
        sample_index: NDArray[np.integer],
        unit: NDArray[np.integer],
        n_rounds: int,
        steps: Steps,
        progress: Progress,
        so_far: Callable[..., UnitsSoFar],
    ) -> Matched:
        """Proposals, and then round after round, from the last one on whose beginning was kept."""
        first, state = 0, None
        for number in reversed(range(n_rounds)):
            state = kept(steps, f"round-{number}", ROUND)
            if state is not None:
                first = number
                break
        if state is None:
            state = self._proposed(sample_index, unit)
            steps.keep("round-0", ROUND.pack(state))
        matched, n_faint = None, state.n_faint
        show(progress, partial(so_far, state.bank, state.units, round=first))
        for number in range(first, n_rounds):
            bank, spikes, units = state.bank, state.spikes, state.units
            report = portion(progress, number, number + 1, n_rounds)
            report(0, 3, "matching templates")
            if self.matcher != "none":
                spikes, units = step(steps, f"found-{number}", SPIKES_OF_UNITS, partial(self._found, bank))
            report(1, 3, "joining units")
            is_last = number == n_rounds - 1
            matched, bank = self._cleaned(spikes, units, bank, with_noise=is_last)
            n_faint += matched.n_faint
            show(progress, partial(so_far, bank, matched.unit, round=number + 1))
            if not is_last:
                state = Round(bank, matched.sample_index, matched.unit, n_faint)
                steps.keep(f"round-{number + 1}", ROUND.pack(state))
                steps.drop(f"round-{number}", f"found-{number}")
        assert matched is not None
        return replace(matched, n_faint=n_faint)

    def _proposed(self, sample_index: NDArray[np.integer], unit: NDArray[np.integer]) -> Round:
        """Templates of proposals and their spikes; those that take turns over the places are one."""
        spikes = np.asarray(sample_index, np.int64)[np.asarray(unit) >= 0]
        units = np.asarray(unit, np.int64)[np.asarray(unit) >= 0]
        n_proposed, proposed = len(np.unique(units)), units
        templates = partial(templates_of, self.traces, places=self.places, least_gain=self.least_gain)
        bank, units = templates(spikes, units)
        n_faint = faint_units(proposed, units)
        log.info(
            "%d of %d proposed units are looked for; templates of the others have fewer than %d spikes or do "
            "not stand out of the noise of their own filter",
            bank.n_units,
            n_proposed,
            MIN_SPIKES,
        )
        max_lag = round(MAX_LAG_MS * self.traces.sampling_frequency / 1000)
        for _ in range(MAX_JOINS):
            spikes, units = spikes[units >= 0], units[units >= 0]
            like = likeness(bank.side_by_side, max_lag=max_lag)
            partner = merged_across_drift(like, self.places.of(spikes), units, n_places=self.places.n_places)
            if (partner == np.arange(bank.n_units)).all():
                break
            spikes = spikes - like.lag[partner, np.arange(len(partner))][units]
            order = np.argsort(spikes, kind="stable")
            spikes, units = spikes[order], partner[units][order]
            bank, units = templates(spikes, units)
        order = np.lexsort((units, spikes))
        return Round(bank, spikes[order], units[order], n_faint)

    def _found(self, bank: MovingBank) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Spikes of all templates, in the stretches of each place by the templates of that place."""
        from ncpgui.ephys.spikeinterface_adapter import find_spikes
        from ncpgui.sorting.wobble import Wobble  # loads torch

        spikes, units = [], []
        for place, one in enumerate(bank.banks):
            seen = np.flatnonzero((one.waveforms != 0).any(axis=(1, 2)))
            found, row = find_spikes(
                self.traces,
                one.waveforms[seen],
                n_before=bank.n_before,
                least_gain=self.least_gain.of(one.waveforms[seen]),
                matcher=Wobble if self.matcher == "wobble" else self.matcher,
                stretches=self.places.stretches[self.places.place == place].tolist(),
                n_jobs=self.n_jobs,
            )
            spikes.append(found)
            units.append(seen[row])
        order = np.lexsort((np.concatenate(units), np.concatenate(spikes)))
        return np.concatenate(spikes)[order], np.concatenate(units)[order]

    def _cleaned(
        self, spikes: NDArray[np.int64], units: NDArray[np.int64], bank: MovingBank, *, with_noise: bool
    ) -> tuple[Matched, MovingBank]:
        """Fit the spikes together, drop what is none, move what is of another unit, and join units."""
        rate, channels_um = self.traces.sampling_frequency, self.traces.get_channel_locations()
        fit = partial(fitted, self.traces, places=self.places, least_gain=self.least_gain)
        matched, sums = fit(spikes, units, bank, with_noise=False)
        if matched.n_units == 0:
            return matched, bank
        matched = moved(without_ghosts(matched, self.least_gain), rate)
        n_faint = 0
        for _ in range(MAX_JOINS):
            means = replace(bank, waveforms=sums.means(self.places, channels_um))
            bank, units = pruned(means, matched.unit, channels_um, least_gain=self.least_gain)
            kept = units >= 0
            n_faint += faint_units(matched.unit, units)
            matched, sums = fit(matched.sample_index[kept], units[kept], bank, with_noise=with_noise)
            matched = without_ghosts(matched, self.least_gain)
            partner = self.join(replace(matched, clock=self.clock), sampling_frequency_hz=rate)
            if (partner == np.arange(matched.n_units)).all():
                break
            sums = sums.joined(partner, matched.like.lag)
            matched = together(matched, partner, rate)
        seen = where_seen(bank.waveforms != 0, sums.means(self.places, channels_um))
        bank = replace(bank, waveforms=seen)
        return replace(matched, moving=bank, n_faint=n_faint), bank


def faint_units(before: NDArray[np.int64], after: NDArray[np.int64]) -> int:
    """Count units, of spikes (n,), that all went for another reason than too few spikes.

    before, after : unit of each spike before templates were pruned and after it, -1 of those that went

    >>> faint_units(np.repeat([0, 1, 2], [50, 5, 20]), np.repeat([-1, -1, 0], [50, 5, 20]))
    1
    """
    return int((np.bincount(before[(before >= 0) & (after < 0)]) >= MIN_SPIKES).sum())
