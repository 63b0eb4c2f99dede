"""When the units of a dataset fire: refractory periods, bursts, and units that are there for a while only.

A dataset is a draw of the spikes of one place in a recording, of some minutes or seconds. Each unit's spikes
lie evenly over the time in which it fires, none sooner after the one before than its refractory period. The
spikes of a burst follow it by milliseconds and are smaller, the smaller the sooner. Units that tire are
smaller after any short interval, and the more so after several: one that fires fast is rarely rested. Where a
dataset is a part of all spikes, the one before may not be in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ncpgui.engine.generative.spike_noise import uniform

_REMEMBERED = 5  # spikes before a spike that tire it


@dataclass(frozen=True)
class SpikeTimeSettings:
    """How times are drawn; ranges are drawn from per unit unless said otherwise.

    p_told : share of datasets that tell the times of their spikes. With 0 no times are drawn at all: points
        are without them, and spikes of bursts are spread evenly
    span_s : length of a dataset's part of the recording, log-uniform
    p_thinned, kept_part : share of datasets that are a part of their spikes, and that part
    refractory_ms : shortest interval of a unit
    burst_gap_ms : interval within a burst beyond it, log-uniform, of each spike
    recovery_ms : time in which the amplitude recovers, log-uniform
    p_tiring, tired_part : share of units that tire with every spike, not only within bursts, and the part of
        its strength that a spike takes
    p_for_a_while, while_part : share of units that fire for a part of the time only, and that part
    p_fading, fading : share of units whose amplitude drifts, and sd of the log of its change over the span
    """

    p_told: float = 0.0
    span_s: tuple[float, float] = (20.0, 1800.0)
    p_thinned: float = 0.5
    kept_part: tuple[float, float] = (0.05, 1.0)
    refractory_ms: tuple[float, float] = (1.5, 4.0)
    burst_gap_ms: tuple[float, float] = (1.0, 15.0)
    recovery_ms: tuple[float, float] = (8.0, 60.0)
    p_tiring: float = 0.0
    tired_part: tuple[float, float] = (0.4, 1.0)
    p_for_a_while: float = 0.1
    while_part: tuple[float, float] = (0.3, 0.9)
    p_fading: float = 0.25
    fading: float = 0.25


class SpikeTimes(NamedTuple):
    """Times of spikes (B, N).

    seconds : float64, from the start; part : float32, of the span, 0 .. 1
    fatigue : float32, 0 for a rested unit, near 1 right after a spike
    factor : float32, on the amplitude, of the unit's slow drift
    """

    seconds: Tensor
    part: Tensor
    fatigue: Tensor
    factor: Tensor


def draw_times(
    settings: SpikeTimeSettings, unit: Tensor, in_burst: Tensor, generator: torch.Generator
) -> SpikeTimes:
    """Draw the times of the spikes of `unit` (B, N), of which some follow another `in_burst` (B, N).

    The order of the spikes of a unit in the dataset says nothing of their times.
    """
    s, device, n_datasets = settings, unit.device, len(unit)
    n_units = int(unit.max()) + 1

    def some(share: float, shape: tuple[int, ...]) -> Tensor:
        return torch.rand(shape, generator=generator, device=device) < share

    span = uniform(s.span_s, (n_datasets, 1), generator, log=True).double()
    kept = torch.where(
        some(s.p_thinned, (n_datasets, 1)), uniform(s.kept_part, (n_datasets, 1), generator), 1.0
    )
    per_unit = (n_datasets, n_units)
    refractory = uniform(s.refractory_ms, per_unit, generator).gather(1, unit)
    gap_ms = refractory + uniform(s.burst_gap_ms, tuple(unit.shape), generator, log=True)
    recovery_ms = uniform(s.recovery_ms, per_unit, generator, log=True).gather(1, unit)
    fatigue = torch.exp(-gap_ms / recovery_ms) * in_burst
    follows = in_burst & (torch.rand(unit.shape, generator=generator, device=device) < kept)

    key = unit + torch.rand(unit.shape, generator=generator, device=device).double()
    order = key.argsort(dim=1)
    row, follows_now = unit.gather(1, order), follows.gather(1, order)
    is_first = torch.ones_like(follows_now)
    is_first[:, 1:] = row[:, 1:] != row[:, :-1]
    alone = ~follows_now | is_first
    # Spacings of evenly distributed times are exponential numbers over their sum, one more than the times.
    step = -torch.rand(unit.shape, generator=generator, device=device).double().clamp(min=1e-12).log() * alone
    after = -torch.rand(per_unit, generator=generator, device=device).double().clamp(min=1e-12).log()
    whole = after.scatter_add(1, row, step)
    place = _within_units(step, is_first) / whole.gather(1, row)
    length = torch.where(some(s.p_for_a_while, per_unit), uniform(s.while_part, per_unit, generator), 1.0)
    start = (1 - length) * torch.rand(per_unit, generator=generator, device=device)
    place = start.double().gather(1, row) + length.double().gather(1, row) * place
    refractory_s = refractory.double().gather(1, order) / 1000
    wait_s = torch.where(alone, refractory_s * ~is_first, gap_ms.double().gather(1, order) / 1000)
    seconds = torch.empty_like(place).scatter_(1, order, place * span + _within_units(wait_s, is_first))
    if s.p_tiring:  # no number is drawn for it otherwise: runs of before draw what they drew
        tires = some(s.p_tiring, per_unit).gather(1, unit)
        tired_part = uniform(s.tired_part, per_unit, generator).gather(1, unit)
        hidden_s = _since_a_hidden_one(seconds, unit, kept, generator) + refractory / 1000
        everywhere = fatigue_of(seconds, unit, recovery_ms / 1000, tired_part, hidden_s)
        fatigue = torch.where(tires, everywhere, fatigue)
    part = (seconds / span).clamp(0, 1).float()
    fades = torch.randn(per_unit, generator=generator, device=device) * s.fading * some(s.p_fading, per_unit)
    return SpikeTimes(seconds, part, fatigue, (fades.gather(1, unit) * (part - 0.5)).exp())


def fatigue_of(
    seconds: Tensor, unit: Tensor, recovery_s: Tensor, tired_part: Tensor, hidden_s: Tensor
) -> Tensor:
    """How tired units are when they fire: (B, N) float32, 0 for a rested one, below 1.

    A spike takes `tired_part` of the strength that is left, and what was taken comes back exponentially:
    tired_i = (tired_{i-1} + tired_part (1 - tired_{i-1})) exp(-interval / recovery). Told of the last
    `_REMEMBERED` spikes.

    Parameters
    ----------
    seconds, unit : (B, N); recovery_s, tired_part : (B, N), of the unit
    hidden_s : (B, N), time since the last spike of the unit that is not in the dataset; inf where all are
    """
    time_order = seconds.argsort(dim=1)
    order = time_order.gather(1, unit.gather(1, time_order).argsort(dim=1, stable=True))
    at, row, recovery, taken, hidden = (
        values.gather(1, order) for values in (seconds, unit, recovery_s, tired_part, hidden_s)
    )
    tired = torch.zeros_like(at)
    for back in range(1, min(_REMEMBERED, at.shape[1] - 1) + 1):
        gap = torch.where(row[:, back:] == row[:, :-back], at[:, back:] - at[:, :-back], torch.inf)
        gap = torch.nn.functional.pad(gap, (back, 0), value=torch.inf)
        if back == 1:
            gap = gap.minimum(hidden)
        tired = tired + taken * (1 - taken) ** (back - 1) * torch.exp(-gap / recovery)
    return torch.empty_like(tired).scatter_(1, order, tired).float()


def _since_a_hidden_one(seconds: Tensor, unit: Tensor, kept: Tensor, generator: torch.Generator) -> Tensor:
    """Draw the time since the last spike that was left out; a part `kept` (B, 1) of all is there."""
    n_spikes = torch.zeros(len(unit), int(unit.max()) + 1, dtype=torch.float64, device=unit.device)
    n_spikes = n_spikes.scatter_add(1, unit, torch.ones_like(seconds)).gather(1, unit)
    usual = (seconds.amax(1, keepdim=True) / n_spikes) * kept / (1 - kept).clamp(min=1e-12)
    u = torch.rand(unit.shape, generator=generator, device=unit.device).double().clamp(min=1e-12)
    return torch.where(kept < 1, -u.log() * usual, torch.inf)


def _within_units(values: Tensor, is_first: Tensor) -> Tensor:
    """Cumulative sums (B, N) that begin anew where a unit's first spike is."""
    running = values.cumsum(1)
    before = torch.where(is_first, running - values, -torch.inf).cummax(1).values
    return running - before
