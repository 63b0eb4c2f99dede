"""Spikes of one main channel: a mixture of finite mixtures over templates of a reservoir.

The generative model of Pakman et al. (ICML 2020, sec. 8 and SM D) widened by what a real recording does to
spikes: any arrangement of contacts, near-identical neighbours, bursts, drift, misalignment,
collisions, noise that crosses the detection threshold, and only spikes that were detected.

    labels ~ MFM;  x_n = a_n T_{c_n}(t - s_n) + collision + e_n,  e_n ~ N(0, Sigma_time (x) Sigma_space)

Units may fire in bursts whose amplitudes follow the intervals (`spike_times`) and move together against the
contacts (`motion`); a spike that is small, or deep on another contact, when it is fired is then often missed.

Detection is exact, not by rejection of whole spikes: given the signal, the noise at the trough is
drawn from the normal truncated to crossings, and the rest of the noise given that sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ncpgui.core.config import check_numbers
from ncpgui.core.measured_noise import MeasuredNoise
from ncpgui.core.waveform_format import N_SAMPLES, SAMPLING_FREQUENCY_HZ
from ncpgui.engine.generative.batch import Batch, canonical_labels, largest, shortened
from ncpgui.engine.generative.contact_layouts import draw_layouts, most_contacts
from ncpgui.engine.generative.motion import MotionSettings
from ncpgui.engine.generative.partition_priors import MFM
from ncpgui.engine.generative.spike_noise import (
    NoiseSettings,
    SpikeNoise,
    check_path,
    draw_noise,
    uniform,
)
from ncpgui.engine.generative.spike_rendering import (
    MARGIN,
    TROUGH,
    WINDOW,
    detected_noise,
    render,
    window,
)
from ncpgui.engine.generative.spike_times import SpikeTimes, SpikeTimeSettings, draw_times
from ncpgui.engine.generative.template_reservoir import TemplateReservoir
from ncpgui.engine.generative.unit_templates import Units, UnitSettings, draw_units

_SPARE = 1.6  # spikes fired for each that is kept, where units are small or elsewhere for a while
_IS_MAIN = 0.9  # of the deepest trough: the spike is one of this contact


@dataclass(frozen=True)
class SpikeMixtureSettings:
    """Every number of the model; ranges are drawn from per dataset unless said otherwise.

    geometries : names of `contact_layouts.GEOMETRY_SHARE`; empty for all
    k_rate, k_max, gamma : MFM prior: K ~ 1 + Poisson, truncated, Dirichlet(gamma)
    p_unbalanced, gamma_unbalanced : share of datasets with unequal units, and their gamma
    p_flat, gamma_flat : share of datasets with any number of units, 1 .. `k_max`, and their gamma
    detection_threshold_sd : a spike's main-channel trough lies below minus this
    amplitude_spread : sd of the log amplitude of a unit's spikes, per unit
    p_bursting, burst_part, burst_factor : share of units that burst, part of their spikes that are
        smaller, and by which factor; burst_stretch : widening of a spike of amplitude 0
    jitter_samples : spikes are off their trough by up to this
    p_misaligned : share of datasets in which spikes are off by up to 1 sample, few by 2
    p_collision : probability that a spike meets another (per dataset)
    collision_offset_samples, collision_amplitude_sd : of the other spike
    p_hash, hash_amplitude_sd : probability that a spike meets one of the far cells, beside those collisions
        (per dataset; drawn where it can be above 0), and amplitude of that one
    p_noise_cluster, noise_part : share of datasets with a cluster of noise, and its part of spikes
    multi_unit_amplitude_sd : small cells behind half of the noise
    realign : align each spike on its noisy trough, within 2 samples, as a pipeline does
    n_background : cells of a dataset that are seen in collisions only
    motion, times : how cells move, and when they fire (`motion`, `spike_times`); off unless asked for
    reservoir : file of the cells, as ``ncpgui templates build`` writes it; None for the shipped ones
    smooth_cells : cells of random smooth waves that are drawn from besides (`smooth_cells`)
    """

    geometries: tuple[str, ...] = ()
    k_rate: float = 2.0
    k_max: int = 12
    gamma: float = 1.0
    p_unbalanced: float = 0.3
    gamma_unbalanced: float = 0.5
    p_flat: float = 0.0
    gamma_flat: float = 3.0
    detection_threshold_sd: tuple[float, float] = (3.5, 5.0)
    amplitude_spread: tuple[float, float] = (0.03, 0.12)
    p_bursting: float = 0.25
    burst_part: tuple[float, float] = (0.1, 0.4)
    burst_factor: tuple[float, float] = (0.5, 0.9)
    burst_stretch: float = 0.3
    jitter_samples: tuple[float, float] = (0.1, 0.5)
    p_misaligned: float = 0.15
    p_collision: tuple[float, float] = (0.03, 0.12)
    collision_offset_samples: float = 25.0
    collision_amplitude_sd: tuple[float, float] = (2.0, 25.0)
    p_hash: tuple[float, float] = (0.0, 0.0)
    hash_amplitude_sd: tuple[float, float] = (0.5, 4.0)
    p_noise_cluster: float = 0.2
    noise_part: tuple[float, float] = (0.03, 0.25)
    multi_unit_amplitude_sd: tuple[float, float] = (1.0, 3.5)
    realign: bool = True
    n_background: int = 6
    units: UnitSettings = field(default_factory=UnitSettings)
    noise: NoiseSettings = field(default_factory=NoiseSettings)
    motion: MotionSettings = field(default_factory=MotionSettings)
    times: SpikeTimeSettings = field(default_factory=SpikeTimeSettings)
    reservoir: str | None = None  # None, not "": runs from before it was there go on
    smooth_cells: int = 0

    def __post_init__(self) -> None:
        check_path("reservoir", self.reservoir)
        check_numbers(self, positive=("k_max", "gamma", "gamma_unbalanced", "gamma_flat"))
        for settings in (self.units, self.noise, self.motion, self.times):
            check_numbers(settings)


class SpikeMixture:
    """Draws batches of spikes with their true clusterings; see the module."""

    def __init__(self, settings: SpikeMixtureSettings, reservoir: TemplateReservoir) -> None:
        self.settings = settings
        self._reservoir = reservoir
        measured = settings.noise.measured
        self._noise = MeasuredNoise.load(Path(measured)) if measured is not None else None

    def sample(self, n_datasets: int, n_points: int | tuple[int, int], generator: torch.Generator) -> Batch:
        """See `GenerativeModel`; everything is drawn from `generator`, on its device."""
        return self.sample_with_noise(n_datasets, n_points, generator)[0]

    @torch.no_grad()
    def sample_with_noise(
        self, n_datasets: int, n_points: int | tuple[int, int], generator: torch.Generator
    ) -> tuple[Batch, Tensor]:
        """Draw datasets as `sample` does, and say which points are of no unit but noise: (B, N) bool."""
        s, device = self.settings, generator.device
        if self._reservoir.falloff.device != device:
            self._reservoir = self._reservoir.to(device)
        positions, mask = draw_layouts(s.geometries, n_datasets, generator)
        noise = draw_noise(s.noise, positions, mask, WINDOW, generator, self._noise)
        n_kept = largest(n_points)
        n_fired = math.ceil(_SPARE * n_kept) if s.motion.p_moving or s.times.p_told else n_kept
        told = None
        if s.motion.p_moving_untold is not None:
            told = torch.rand(n_datasets, generator=generator, device=device) < s.times.p_told
        unit = self._draw_labels(n_datasets, n_fired, generator)
        n_units = int(unit.max()) + 1
        units = draw_units(
            s.units,
            self._reservoir,
            noise,
            positions,
            mask,
            n_units,
            s.n_background,
            generator,
            s.motion,
            told,
        )
        unit = units.same_as.gather(1, unit)
        drawn = self._draw_spikes(unit, units, noise, n_kept, generator)
        labels = canonical_labels(torch.where(drawn.is_noise, units.same_as.shape[1], drawn.unit))
        labels = shortened(labels, n_points, generator)
        points: tuple[Tensor, ...] = (drawn.waveforms * mask[:, None, None], positions, mask)
        if drawn.seconds is not None:
            if told is None:
                told = torch.rand(n_datasets, generator=generator, device=device) < s.times.p_told
            points = (*points, torch.where(told[:, None], drawn.seconds, torch.nan))
        return Batch(points, labels), drawn.is_noise & (labels >= 0)

    def describe(self) -> dict[str, Any]:
        """See `GenerativeModel`."""
        form = {"n_samples": N_SAMPLES, "max_channels": most_contacts(self.settings.geometries)}
        units = {"sampling_frequency_hz": SAMPLING_FREQUENCY_HZ, "unit": "noise sd"}
        data = {"data_sha256": self._reservoir.sha256}
        if self._noise is not None:
            data["noise_sha256"] = self._noise.sha256
        return {"input": {"kind": "spikes", **form, **units}, **data}

    def _draw_labels(self, n_datasets: int, n_points: int, generator: torch.Generator) -> Tensor:
        s = self.settings
        unbalanced = torch.rand(n_datasets, generator=generator, device=generator.device) < s.p_unbalanced
        gamma = torch.where(unbalanced, s.gamma_unbalanced, s.gamma)
        flat = None
        if s.p_flat:
            flat = torch.rand(n_datasets, generator=generator, device=generator.device) < s.p_flat
            gamma = torch.where(flat & ~unbalanced, s.gamma_flat, gamma)
        return MFM(s.k_rate, s.gamma, s.k_max).sample_units(n_datasets, n_points, generator, gamma, flat)

    def _draw_spikes(
        self, unit: Tensor, units: Units, noise: SpikeNoise, n_kept: int, generator: torch.Generator
    ) -> _Spikes:
        """Draw `n_kept` spikes among those of `unit` (B, M) that were fired."""
        s, device = self.settings, unit.device
        threshold = uniform(s.detection_threshold_sd, (len(unit), 1), generator)
        fired = self._fire(unit, units, generator) if unit.shape[1] > n_kept else None
        amplitude, stretch, p_seen = self._draw_amplitudes(unit, units.amplitude, threshold, fired, generator)
        if fired is not None:
            keep = _drawn_by_weight(p_seen * fired.p_here, n_kept, generator)
            unit, amplitude, stretch = (x.gather(1, keep) for x in (unit, amplitude, stretch))
            fired = fired.only(keep)
        shift, misaligned = self._draw_shifts(unit.shape, generator)
        row, amplitude, is_noise = self._with_noise_cluster(unit, amplitude, units, generator)
        stretch = torch.where(is_noise, 1.0, stretch)
        if fired is None:
            seconds = None
            place = units.way.at(torch.rand(unit.shape, generator=generator, device=device))
        else:
            seconds, place = fired.times.seconds, fired.place
            span = seconds.amax(1, keepdim=True)  # noise knows no bursts
            at_random = torch.rand(unit.shape, generator=generator, device=device).double() * span
            seconds = torch.where(is_noise, at_random, seconds)
        signal = render(units, row, amplitude, shift, stretch, place)
        elsewhere = torch.zeros_like(place) if fired is None else place
        signal = signal + self._draw_collisions(signal, units, threshold, elsewhere, generator)
        background = detected_noise(noise, signal[:, :, TROUGH, 0], threshold, generator)
        spikes = signal + background
        offset = torch.zeros(unit.shape, dtype=torch.int64, device=unit.device)
        if s.realign:
            around = spikes[:, :, TROUGH - MARGIN : TROUGH + MARGIN + 1, 0]
            offset = torch.where(misaligned, offset, around.argmin(dim=-1) - MARGIN)
        return _Spikes(window(spikes, offset), unit, is_noise, seconds)

    def _fire(self, unit: Tensor, units: Units, generator: torch.Generator) -> _Fired:
        """Draw when the spikes of `unit` (B, M) are fired, and what they look like by then."""
        s, device = self.settings, unit.device
        per_unit = (len(unit), units.amplitude.shape[1])
        bursting = torch.rand(per_unit, generator=generator, device=device) < s.p_bursting
        part = (uniform(s.burst_part, per_unit, generator) * bursting).gather(1, unit)
        in_burst = torch.rand(unit.shape, generator=generator, device=device) < part
        times = draw_times(s.times, unit, in_burst, generator)
        factor = uniform(s.burst_factor, per_unit, generator).gather(1, unit)
        place = units.way.at(times.part)
        depth, main = (_at_place(table, unit, place) for table in units.depths())
        p_here = torch.where(main >= _IS_MAIN, 1.0, s.motion.off_main_part)
        return _Fired(times, place, 1 - (1 - factor) * times.fatigue, depth * times.factor, p_here)

    def _draw_amplitudes(
        self,
        unit: Tensor,
        unit_amplitude: Tensor,
        threshold: Tensor,
        fired: _Fired | None,
        generator: torch.Generator,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Factor on the template, stretch in time and probability of detection of each spike.

        Several factors are drawn for each spike, and one taken by its probability of detection.
        """
        s, device, n_units = self.settings, unit.device, unit_amplitude.shape[1]
        per_unit = (len(unit), n_units)
        spread = uniform(s.amplitude_spread, per_unit, generator).gather(1, unit)
        shape = (*unit.shape, 4)
        usual = unit_amplitude.gather(1, unit)
        if fired is None:
            bursting = torch.rand(per_unit, generator=generator, device=device) < s.p_bursting
            part = (uniform(s.burst_part, per_unit, generator) * bursting).gather(1, unit)
            in_burst = torch.rand(shape, generator=generator, device=device) < part[..., None]
            small = torch.where(in_burst, uniform(s.burst_factor, shape, generator), 1.0)
        else:
            small = fired.burst_factor[..., None].expand(shape)
            usual = usual * fired.depth
        wobble = torch.randn(shape, generator=generator, device=device) * spread[..., None]
        factor = small * wobble.exp()
        trough = factor * usual[..., None]
        weight = torch.special.ndtr(trough - threshold[..., None]).clamp_min(1e-6)
        chosen = torch.multinomial(weight.view(-1, 4), 1, generator=generator).view(*unit.shape, 1)
        factor, small = factor.gather(2, chosen)[..., 0], small.gather(2, chosen)[..., 0]
        if fired is not None:
            factor = factor * fired.times.factor
        return factor, 1 + s.burst_stretch * (1 - small), weight.mean(-1)

    def _draw_shifts(self, shape: torch.Size, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Error of the alignment of each spike in samples, and which datasets keep it: (B, 1)."""
        s, device = self.settings, generator.device
        n_datasets = shape[0]
        misaligned = torch.rand(n_datasets, 1, generator=generator, device=device) < s.p_misaligned
        width = uniform(s.jitter_samples, (n_datasets, 1), generator)
        far = torch.rand(shape, generator=generator, device=device) < 0.05
        width = torch.where(misaligned, torch.where(far, 2.0, 1.0), width)
        return width * uniform((-1.0, 1.0), tuple(shape), generator), misaligned

    def _with_noise_cluster(
        self, unit: Tensor, amplitude: Tensor, units: Units, generator: torch.Generator
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Turn a part of the spikes of some datasets into noise: row of the template, factor, which."""
        s, device = self.settings, unit.device
        n_datasets = len(unit)
        part = uniform(s.noise_part, (n_datasets, 1), generator)
        part = part * (torch.rand(n_datasets, 1, generator=generator, device=device) < s.p_noise_cluster)
        is_noise = torch.rand(unit.shape, generator=generator, device=device) < part
        n_units = units.same_as.shape[1]
        cell = n_units + torch.randint(s.n_background, unit.shape, generator=generator, device=device)
        small = uniform(s.multi_unit_amplitude_sd, tuple(unit.shape), generator)
        small = small * (torch.rand(unit.shape, generator=generator, device=device) < 0.5)
        return torch.where(is_noise, cell, unit), torch.where(is_noise, small, amplitude), is_noise

    def _draw_collisions(
        self, signal: Tensor, units: Units, threshold: Tensor, place: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Spikes of other cells in the same window: (B, N, T, C), zero for most.

        One that is deeper near the trough would have been detected in this spike's place, and one
        that fills the trough would have hidden it: neither is kept.
        """
        s, device = self.settings, signal.device
        shape = signal.shape[:2]
        n_rows, n_units = units.templates.shape[2], units.same_as.shape[1]
        row = torch.randint(n_rows, shape, generator=generator, device=device)
        amplitude = uniform(s.collision_amplitude_sd, tuple(shape), generator, log=True)
        amplitude = torch.where(row < n_units, 1.0, amplitude)
        other = self._some_others(s.p_collision, row, amplitude, units, place, generator)
        if s.p_hash[1]:
            row = n_units + torch.randint(s.n_background, shape, generator=generator, device=device)
            amplitude = uniform(s.hash_amplitude_sd, tuple(shape), generator)
            other = other + self._some_others(s.p_hash, row, amplitude, units, place, generator)
        deepest = other[:, :, TROUGH - 8 : TROUGH + 9, 0].amin(dim=-1)
        trough = signal[:, :, TROUGH, 0]
        allowed = (deepest > trough) & (trough + other[:, :, TROUGH, 0] < 2.5 - threshold)
        return other * allowed[..., None, None]

    def _some_others(
        self,
        p_happens: tuple[float, float],
        row: Tensor,
        amplitude: Tensor,
        units: Units,
        place: Tensor,
        generator: torch.Generator,
    ) -> Tensor:
        """Spikes of the cells of rows (B, N), anywhere in the windows of some of the spikes: (B, N, T, C)."""
        device, reach = row.device, self.settings.collision_offset_samples
        happens = torch.rand(row.shape, generator=generator, device=device)
        happens = happens < uniform(p_happens, (len(row), 1), generator)
        shift = uniform((-reach, reach), tuple(row.shape), generator)
        ones = torch.ones(row.shape, device=device)
        return render(units, row, amplitude * happens, shift, ones, place)


class _Spikes(NamedTuple):
    """waveforms (B, N, 32, C); unit, is_noise (B, N); seconds (B, N) float64, None where none were drawn."""

    waveforms: Tensor
    unit: Tensor
    is_noise: Tensor
    seconds: Tensor | None


class _Fired(NamedTuple):
    """What spikes (B, M) are like when they are fired.

    place : on the way; burst_factor : on the amplitude, of their burst; depth : main-channel trough over
        that of the unit where it was drawn; p_here : probability that they are among those of this contact
    """

    times: SpikeTimes
    place: Tensor
    burst_factor: Tensor
    depth: Tensor
    p_here: Tensor

    def only(self, index: Tensor) -> _Fired:
        """Take spikes `index` (B, N)."""
        times = SpikeTimes(*(values.gather(1, index) for values in self.times))
        return _Fired(times, *(values.gather(1, index) for values in self[1:]))


def _drawn_by_weight(weight: Tensor, n_drawn: int, generator: torch.Generator) -> Tensor:
    """Draw indices without replacement by weights (B, M), in order: (B, n_drawn) (Efraimidis, 2006)."""
    u = torch.rand(weight.shape, generator=generator, device=weight.device).clamp(min=1e-12)
    return (u.log() / weight.clamp(min=1e-9)).topk(n_drawn, dim=1).indices.sort(dim=1).values


def _at_place(table: Tensor, unit: Tensor, place: Tensor) -> Tensor:
    """Values of (B, K, V) for units (B, N) at places (B, N) between the V."""
    of_unit = table.gather(1, unit[..., None].expand(-1, -1, table.shape[2]))
    before = place.floor().long().clamp(0, table.shape[2] - 2)
    low, high = (of_unit.gather(2, (before + i)[..., None])[..., 0] for i in (0, 1))
    return low + (high - low) * (place - before)
